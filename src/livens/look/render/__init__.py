"""Pictures of a motion without a screen: write_png(motion, path), write_video(motion, path).

They are drawn with numpy and one compiled loop (raster.py): no graphics card, window or other package is needed. Pixels
are drawn twice as fine in both directions and averaged.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...checks import Array, file_path, number, positive
from ...errors import ModelError
from ...record.trajectory import Trajectory
from ...storage.atomic import replacing
from .files import Picture, png, write_film
from .raster import EDGE, SUN, Camera, F, coarser, outlined, seen, shaded
from .scene import Scene

__all__ = ["write_png", "write_video"]

FINE = 2  # finer pixels in each direction
PAPER = np.array([0.957, 0.953, 0.937])
LINE, SHADE = 0.86, 0.86  # brightness of a line of the grid, and of a shadow


def write_png(
    motion: Trajectory,
    path: str | os.PathLike[str],
    t: float | None = None,
    size: tuple[int, int] = (960, 720),
    follow: bool = False,
    force: bool = False,
    contacts: bool = False,
) -> None:
    """Write a picture of the stored state nearest to `t` [s] (left out: the last), `size` = (width, height) in pixels.

    The picture shows all of the motion; with `follow` only the bodies at that time, from near; with `contacts` also the
    normals, forces and friction cones of contacts.

    >>> import livens as lv, tempfile
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> plank = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), velocity=(2, 0, 3), body_rates=(0.1, 4, 0.1)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_png(lv.simulate(m, h=1e-2, until=0.5), folder + "/plank.png", t=0.3, size=(160, 120))
    ...     open(folder + "/plank.png", "rb").read(4)
    b'\\x89PNG'
    """
    state = len(motion) - 1 if t is None else int(np.abs(motion.t - number(t, "t")).argmin())
    picture = next(pictures(motion, [state], size, follow, contacts))
    with replacing(path, force) as temporary:
        temporary.write_bytes(png(picture))


def write_video(
    motion: Trajectory,
    path: str | os.PathLike[str],
    speed: float = 1.0,
    rate: float = 30.0,
    size: tuple[int, int] = (640, 480),
    follow: bool = False,
    force: bool = False,
    contacts: bool = False,
) -> None:
    """Write the motion as a film that plays at `speed` times real time, with `rate` pictures a second.

    mp4, webm, mov, mkv and avi need ffmpeg on the PATH, gif needs Pillow; apng needs nothing.
    """
    speed, rate = positive(speed, "speed"), positive(rate, "rate", "pictures/s")
    many = 1 + int((motion.t[-1] - motion.t[0]) / speed * rate + 1e-9)
    states = [int(np.abs(motion.t - t).argmin()) for t in motion.t[0] + speed / rate * np.arange(many)]
    with replacing(path, force) as temporary:
        write_film(pictures(motion, states, size, follow, contacts), many, rate, file_path(path), temporary)


def pictures(
    motion: Trajectory, states: list[int], size: tuple[int, int], follow: bool, contacts: bool = False
) -> Iterator[Picture]:
    """Pictures of stored states, one after the other."""
    width, height = (int(n) for n in size)
    if not (16 <= width <= 8192 and 16 <= height <= 8192):
        raise ModelError(f"a picture has 16 to 8192 pixels in width and height, not {width} x {height}.")
    scene = Scene(motion, contacts)
    low = float(scene.room(scene.overview)[:, 2].min())
    whole = scene.camera(scene.overview, FINE * width, FINE * height)
    ground = None if follow else _Ground(whole, low)
    distance = max(scene.camera([k], FINE * width, FINE * height).far for k in scene.overview[::10]) if follow else 0.0
    for state in states:
        camera = whole
        if follow:
            near = scene.camera([state], FINE * width, FINE * height)
            camera = replace(near, far=1.15 * distance)
        yield _picture(scene, state, camera, ground or _Ground(camera, low))


class _Ground:
    """A plane below everything, with a grid that fades with the distance; in whole pixels."""

    def __init__(self, fine: Camera, low: float):
        camera = replace(fine, width=fine.width // FINE, height=fine.height // FINE)
        rays, eye = camera.rays(), camera.eye
        down = np.minimum(rays[..., 2], -1e-9)
        reach = (low - eye[2]) / down
        place = eye[:2] + reach[..., None] * rays[..., :2]
        step = _step(2.0 * camera.far / F)
        pixel = reach / (0.5 * camera.height * F)  # metres in a pixel across the ray
        slant = pixel * (np.linalg.norm(rays, axis=-1) / -down - 1.0)  # and the excess along it
        ahead = rays[..., :2] / np.linalg.norm(rays[..., :2], axis=-1, keepdims=True)
        line = np.zeros(reach.shape)
        for k in (0, 1):
            off = np.abs(place[..., k] / step - np.round(place[..., k] / step)) * step
            wide = 0.9 * np.hypot(pixel, slant * ahead[..., k])
            line = np.maximum(line, np.clip(1.4 - off / wide, 0.0, 1.0) * np.clip(step / (6.0 * wide), 0.0, 1.0))
        away = np.linalg.norm(place - camera.target[:2], axis=-1) / (1.2 * camera.far)
        self.low, self.fade = low, np.clip(1.4 - away, 0.0, 1.0) * (rays[..., 2] < -1e-6)
        self.color = PAPER * (1.0 - (1.0 - LINE) * line * self.fade)[..., None]

    def shadowed(self, world: Array, fine: Camera) -> Array:
        """The ground with the shadows of triangles (n, 3, 3)."""
        fallen = world - ((world[..., 2:] - self.low) / SUN[2]) * SUN
        dark = coarser(seen(fine.screen(fallen), fine).owner >= 0, FINE) * self.fade
        return self.color * (1.0 - (1.0 - SHADE) * dark)[..., None]


def _step(span: float) -> float:
    """The distance of the grid's lines [m]: 1, 2 or 5 times a power of ten, about ten of them in `span`.

    >>> [_step(span) for span in (1.0, 7.0, 30.0)]
    [0.1, 1.0, 5.0]
    """
    power = 10.0 ** np.floor(np.log10(span / 5.0))
    return float(power * next(k for k in (1.0, 2.0, 5.0, 10.0) if span / (power * k) < 12.0))


def _picture(scene: Scene, state: int, camera: Camera, ground: _Ground) -> Picture:
    faces = scene.faces(state, camera)
    buffers = seen(faces.corners, camera)
    covered = buffers.owner >= 0
    color = shaded(buffers, faces.corners, faces.normals, faces.colors, faces.lit, camera)
    color[outlined(buffers, faces.part)[covered]] *= EDGE
    image = ground.shadowed(faces.world[faces.lit], camera) * (1.0 - coarser(covered, FINE))[..., None]
    rows, columns = np.nonzero(covered)
    pixel = rows // FINE * (camera.width // FINE) + columns // FINE
    for k in range(3):
        total = np.bincount(pixel, color[:, k], minlength=image[..., k].size)
        image[..., k] += total.reshape(image.shape[:2]) / FINE**2
    return (255.0 * image + 0.5).astype(np.uint8)
