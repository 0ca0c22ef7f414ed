"""Light, ground and camera for a motion of given sizes.

In fine light bodies have reflections and shadows, and the ground fades with the distance. This is slow in a browser
without graphics hardware: models with many bodies begin in plain light, that of sun and sky, with a ground of lines.
Users can switch between the two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checks import Array
from ...describe.pose import quaternions
from ..picture.colors import linear
from ..picture.extent import planes_of, upright
from ..picture.picture import Picture
from ..picture.themes import Theme
from .sizes import LENS, Sizes

MANY_BODIES = 200  # models with more begin in plain light
WIDE = 1.25  # a window this many times as wide as high shows all of a motion
PORTRAIT = 0.8  # pictures narrower than this are those of phones
RAISED = 0.42  # height of the motion on a phone, in halves of the picture above its middle
CELL, SECTION = 0.28, 0.62  # weights of the lines of the ground, of the colour of the theme
LINES, EVERY = 30, 5  # lines on the ground in plain light, and which of them are darker


class Stage:
    """Light, ground and camera in the scene of a server."""

    def __init__(self, server: Any, sizes: Sizes, theme: Theme, picture: Picture | None = None):
        """picture: of what is shown; its floors are the ground."""
        self.server, scene, camera = server, server.scene, server.initial_camera
        self.sizes = sizes
        scene.set_background_image(np.full((2, 2, 3), theme.paper, dtype=np.uint8), format="png")
        scene.set_up_direction(tuple(sizes.up.tolist()))
        scene.world_axes.visible = False
        scene.configure_default_lights(enabled=False)
        self.sky = scene.add_light_hemisphere("/light/sky", sky_color=(255, 255, 255), ground_color=(190, 185, 175))
        place = sizes.up * 6.0 + 0.6 * sizes.camera
        self.sun = scene.add_light_directional("/light/sun", position=tuple(place.tolist()))
        camera.position, camera.look_at, camera.up = sizes.camera, (0.0, 0.0, 0.0), sizes.up
        camera.fov = float(LENS)
        self.begin = sizes.camera
        server.on_client_connect(lambda client: _step_back(client, sizes, self.begin))
        cell, (thin, thick) = sizes.cell * sizes.scale, (_mixed(theme, part) for part in (CELL, SECTION))
        self.lines, self.grounds = [], []
        for k, (position, wxyz) in enumerate(_planes(sizes, picture)):
            where = {"position": position, "wxyz": wxyz}
            self.lines.append(
                scene.add_line_segments(
                    f"/m/lines{k}", *grid_lines(cell, thin, thick), thickness=1.0, thickness_units="screen", **where
                )
            )
            self.grounds.append(
                scene.add_grid(
                    f"/m/ground{k}", infinite_grid=True, cell_size=cell, section_size=EVERY * cell, cell_color=thin,
                    section_color=thick, fade_distance=30.0, **where,
                )
            )  # fmt: skip
        self.fine = True
        self.light(fine=picture is None or len(picture.model.bodies) - 1 <= MANY_BODIES)

    def look_from(self, turn: float, lift: float) -> None:
        """Place the camera at these angles [rad] about the vertical and above the horizon (picture/view.py)."""
        d = np.array([np.cos(lift) * np.cos(turn), np.cos(lift) * np.sin(turn), np.sin(lift)])
        self.begin = self.sizes.axes.T @ d * float(np.linalg.norm(self.sizes.camera))
        self.server.initial_camera.position = self.begin

    def light(self, fine: bool) -> None:
        """Switch to fine or to plain light."""
        with self.server.atomic():
            if fine != self.fine:  # viser begins with the map "city"
                self.server.scene.configure_environment_map("city" if fine else None)
            self.fine = self.sun.cast_shadow = fine
            for ground, lines in zip(self.grounds, self.lines, strict=True):
                ground.visible, lines.visible = fine, not fine
            self.sky.intensity, self.sun.intensity = (1.1, 1.6) if fine else (2.2, 2.4)


def framed(sizes: Sizes, begin: Array, aspect: float) -> tuple[Array, Array]:
    """The position of the camera and the point at which it looks [units], in a picture of this width per height: from
    `begin` away until the width is enough, and, where a panel covers the lower part, with the motion in the upper one.

    >>> watch = Sizes(np.zeros(3), 1.0, np.full(3, 2.0), np.array([0.0, 0.0, 1.0]))
    >>> framed(watch, np.array([8.0, 0, 0]), 1.6)[1].tolist(), float(framed(watch, np.array([8.0, 0, 0]), 0.5)[0][0])
    ([0.0, 0.0, 0.0], 20.0)
    """
    where = begin * max(1.0, WIDE / max(aspect, 0.2))
    if aspect >= PORTRAIT:
        return where, np.zeros(3)
    aim = -RAISED * float(np.linalg.norm(where)) * float(np.tan(LENS / 2)) * sizes.up
    return where + aim, aim


def _planes(sizes: Sizes, picture: Picture | None) -> list[tuple[Any, Any]]:
    """The planes of the ground: a point below the middle of the motion [units], and the quaternion that turns z into
    the normal."""
    if picture is None:
        return [(tuple(sizes.ground), tuple(sizes.tilt))]
    up, found = upright(picture.model.gravity), []
    middle = up @ sizes.middle
    low = float(middle[2] + (up @ sizes.ground)[2] / sizes.scale)
    for p, n in planes_of(picture, low):
        below = middle - n * float(n @ (middle - p))
        first = np.array([-n[1], n[0], 0.0]) if n[2] < 1.0 - 1e-9 else np.array([1.0, 0.0, 0.0])
        first = first / np.linalg.norm(first)
        R = up.T @ np.stack([first, np.cross(n, first), n], axis=1)
        found.append((tuple(sizes(up.T @ below).tolist()), tuple(quaternions(R[None])[0].tolist())))
    return found


def _mixed(theme: Theme, part: float) -> tuple[int, int, int]:
    """A colour between those of the paper and of the grid."""
    r, g, b = (round(p + part * (line - p)) for p, line in zip(theme.paper, theme.grid, strict=True))
    return r, g, b


def grid_lines(cell: float, thin: Any, thick: Any) -> tuple[Array, Array]:
    """The lines of a square grid in the x-y plane about the origin: their ends (n, 2, 3), and their colours, of which
    each fifth is `thick`.

    >>> segments, colors = grid_lines(0.5, (216, 216, 212), (180, 180, 176))
    >>> segments.shape, colors.shape, segments[0].tolist()
    ((62, 2, 3), (62, 2, 3), [[-7.5, -7.5, 0.0], [-7.5, 7.5, 0.0]])
    """
    number = np.arange(LINES + 1) - LINES // 2
    x, end = cell * number, np.full(LINES + 1, cell * LINES / 2)
    along = np.stack([np.stack([x, -end, 0.0 * x], axis=1), np.stack([x, end, 0.0 * x], axis=1)], axis=1)
    color = np.where((number % EVERY == 0)[:, None], thick, thin).astype(np.uint8)
    colors = np.repeat(linear(color)[:, None], 2, axis=1)
    return np.concatenate([along, along[..., [1, 0, 2]]]), np.concatenate([colors, colors])


def _step_back(client: Any, sizes: Sizes, begin: Array) -> None:
    """Move the camera away in a picture that is higher than wide, until the user moves it. Panels that dock beside the
    picture make it narrower after the page has opened; on a phone they cover its lower part."""
    placed = begin

    def fit(camera: Any) -> None:
        nonlocal placed
        where, aim = framed(sizes, begin, camera.aspect)
        if not np.allclose(where, placed) and np.allclose(camera.position, placed, atol=1e-3):
            placed = where
            camera.position, camera.look_at = where, aim

    client.camera.on_update(fit)
