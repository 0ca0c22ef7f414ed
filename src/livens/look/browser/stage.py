"""The stage: light, ground and camera that fit the sizes of a motion.

In fine light bodies mirror what is around them and cast shadows, and the ground fades away. That is dear where a
browser has no graphics hardware and computes its pixels: a crowd is shown in plain light, that of sun and sky, on a
ground of lines, and so is whatever one wishes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checks import Array
from ..picture.sizes import LENS, Sizes

CROWD = 200  # bodies; beyond, shadows hide more than they show
WIDE = 1.2  # a window this many times as wide as high shows all of a motion
CELL, SECTION = (216, 216, 212), (180, 180, 176)  # colours of the lines of the ground
LINES, EVERY = 30, 5  # lines on the ground of a crowd, and which of them are darker


class Stage:
    """Light, ground and camera for a motion of so many bodies."""

    def __init__(self, server: Any, sizes: Sizes, bodies: int = 1):
        self.server, scene, camera = server, server.scene, server.initial_camera
        scene.set_up_direction(tuple(sizes.up.tolist()))
        scene.world_axes.visible = False
        scene.configure_default_lights(enabled=False)
        self.sky = scene.add_light_hemisphere("/light/sky", sky_color=(255, 255, 255), ground_color=(190, 185, 175))
        place = sizes.up * 6.0 + 0.6 * sizes.camera
        self.sun = scene.add_light_directional("/light/sun", position=tuple(place.tolist()))
        camera.position, camera.look_at, camera.up = sizes.camera, (0.0, 0.0, 0.0), sizes.up
        camera.fov = float(LENS)
        server.on_client_connect(lambda client: _step_back(client, sizes))
        cell, where = sizes.cell * sizes.scale, {"position": tuple(sizes.ground), "wxyz": tuple(sizes.tilt)}
        self.lines = scene.add_line_segments("/m/lines", *ruled(cell), thickness=1.0, thickness_units="screen", **where)
        self.ground = scene.add_grid(
            "/m/ground", infinite_grid=True, cell_size=cell, section_size=EVERY * cell, cell_color=CELL,
            section_color=SECTION, fade_distance=30.0, **where,
        )  # fmt: skip
        self.fine = True
        self.light(fine=bodies <= CROWD)

    def light(self, fine: bool) -> None:
        """Fine light, or plain."""
        with self.server.atomic():
            if fine != self.fine:  # a page begins in a city
                self.server.scene.configure_environment_map("city" if fine else None)
            self.fine = self.ground.visible = self.sun.cast_shadow = fine
            self.lines.visible = not fine
            self.sky.intensity, self.sun.intensity = (1.1, 1.6) if fine else (2.2, 2.4)


def ruled(cell: float) -> tuple[Array, Array]:
    """Lines that rule a square of the x-y plane about the origin: their ends (n, 2, 3), and their colours.

    >>> segments, colors = ruled(0.5)
    >>> segments.shape, colors.shape, segments[0].tolist()
    ((62, 2, 3), (62, 2, 3), [[-7.5, -7.5, 0.0], [-7.5, 7.5, 0.0]])
    """
    number = np.arange(LINES + 1) - LINES // 2
    x, end = cell * number, np.full(LINES + 1, cell * LINES / 2)
    along = np.stack([np.stack([x, -end, 0.0 * x], axis=1), np.stack([x, end, 0.0 * x], axis=1)], axis=1)
    color = np.where((number % EVERY == 0)[:, None], SECTION, CELL).astype(np.uint8)
    colors = np.repeat(color[:, None], 2, axis=1)
    return np.concatenate([along, along[..., [1, 0, 2]]]), np.concatenate([colors, colors])


def _step_back(client: Any, sizes: Sizes) -> None:
    """In a picture that is higher than wide the camera stands farther away, until someone moves it: panels that dock
    beside the picture make it narrower after the page has opened."""
    placed = sizes.camera

    def fit(camera: Any) -> None:
        nonlocal placed
        where = sizes.camera * max(1.0, WIDE / max(camera.aspect, 0.2))
        if not np.allclose(where, placed) and np.allclose(camera.position, placed, atol=1e-3):
            placed = where
            camera.position, camera.look_at = where, (0.0, 0.0, 0.0)

    client.camera.on_update(fit)
