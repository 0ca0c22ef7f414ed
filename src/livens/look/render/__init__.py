"""Pictures of a motion without a screen: write_png(motion, path), write_video(motion, path).

They are drawn with numpy and one compiled loop (raster.py): no graphics card, window or other package is needed. Pixels
are drawn twice as fine in both directions and averaged.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...checks import Array, file_path, number, positive
from ...errors import FileError, ModelError
from ...record.trajectory import Trajectory
from ...storage.atomic import replacing
from ..picture.colors import PAPER
from ..picture.extent import floor_of
from ..picture.view import Traces, View, view_of
from .files import Picture, png, write_film
from .overlay import add_marks
from .raster import EDGE, SUN, Camera, F, coarser, outlined, seen, shaded
from .scene import Faces, Scene

__all__ = ["write_png", "write_video"]

FINE = 2  # finer pixels in each direction
LINE, SHADE = 0.86, 0.86  # brightness of a line of the grid, and of a shadow


def write_png(
    motion: Trajectory,
    path: str | os.PathLike[str],
    t: float | None = None,
    size: tuple[int, int] = (960, 720),
    follow: bool = False,
    traces: Traces = None,
    camera: Any = None,
    title: str | None = None,
    contacts: bool = False,
    force: bool = False,
) -> None:
    """Write a picture of the stored state nearest to `t` [s] (left out: the last), `size` = (width, height) in pixels.

    The picture shows all of the motion; with `follow` only the bodies at that time, from near. traces, camera and title
    are those of picture/view.py. With `contacts` it also shows normals, forces and friction cones of contacts.

    >>> import livens as lv, tempfile
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> plank = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), velocity=(2, 0, 3), body_rates=(0.1, 4, 0.1)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_png(lv.simulate(m, h=1e-2, until=0.5), folder + "/plank.png", t=0.3, size=(160, 120))
    ...     open(folder + "/plank.png", "rb").read(4)
    b'\\x89PNG'
    """
    if file_path(path).suffix.lower() != ".png":
        raise FileError(f"{file_path(path)} cannot be written: pictures are PNG files, so the ending must be png.")
    state = len(motion) - 1 if t is None else int(np.abs(motion.t - number(t, "t")).argmin())
    picture = next(pictures(motion, [state], size, view_of(motion, camera, traces, title, None, follow), contacts))
    with replacing(path, force) as temporary:
        temporary.write_bytes(png(picture))


def write_video(
    motion: Trajectory,
    path: str | os.PathLike[str],
    speed: float | None = None,
    rate: float = 30.0,
    size: tuple[int, int] = (640, 480),
    follow: bool = False,
    traces: Traces = None,
    camera: Any = None,
    title: str | None = None,
    contacts: bool = False,
    force: bool = False,
) -> None:
    """Write the motion as a film that plays at `speed` times real time, with `rate` pictures a second; traces, camera
    and title are those of picture/view.py, contacts as in write_png.

    mp4, webm, mov, mkv and avi need ffmpeg on the PATH or the extra `film`, gif needs Pillow; apng needs nothing.
    """
    view, rate = view_of(motion, camera, traces, title, speed, follow), positive(rate, "rate", "pictures/s")
    speed = view.speed
    many = 1 + int((motion.t[-1] - motion.t[0]) / speed * rate + 1e-9)
    states = [int(np.abs(motion.t - t).argmin()) for t in motion.t[0] + speed / rate * np.arange(many)]
    with replacing(path, force) as temporary:
        write_film(pictures(motion, states, size, view, contacts), many, rate, file_path(path), temporary)


def pictures(
    motion: Trajectory, states: list[int], size: tuple[int, int], view: View, contacts: bool = False
) -> Iterator[Picture]:
    """Pictures of stored states, one after the other."""
    width, height = (int(n) for n in size)
    if not (16 <= width <= 8192 and 16 <= height <= 8192):
        raise ModelError(f"a picture has 16 to 8192 pixels in width and height, not {width} x {height}.")
    scene, follow = Scene(motion, view, contacts), view.follow
    low = floor_of(scene.picture, float(scene.room(scene.overview)[:, 2].min()))
    whole = scene.camera(scene.overview, FINE * width, FINE * height)
    ground = None if follow else _Ground(whole, low)
    near = {k: scene.camera([k], FINE * width, FINE * height, of_bodies=True) for k in states if follow}
    distance = min(whole.far, max((camera.far for camera in near.values()), default=0.0))
    for state in states:
        camera = replace(near[state], far=distance) if follow else whole
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
        self.color = np.array(PAPER) / 255.0 * (1.0 - (1.0 - LINE) * line * self.fade)[..., None]

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
    image = ground.shadowed(faces.world[faces.lit], camera)
    clear = faces.opacity < 1.0
    if clear.any():  # opaque faces first; then all, mixed by the opacity of the nearest
        image = _drawn(image, _some(faces, ~clear), camera)
    image = _drawn(image, faces, camera)
    whole = replace(camera, width=camera.width // FINE, height=camera.height // FINE)
    end = max(abs(float(scene.t[0])), abs(float(scene.t[-1])))
    add_marks(image, whole, scene.view.title, float(scene.t[state]), end, scene.up, scene.arrows, scene.half)
    return (255.0 * image + 0.5).astype(np.uint8)


def _some(faces: Faces, chosen: NDArray[np.bool_]) -> Faces:
    columns: Any = [column[chosen] for column in faces]
    return Faces(*columns)


def _drawn(image: Array, faces: Faces, camera: Camera) -> Array:
    """The image (height, width, 3) with faces in front of it, each pixel from FINE × FINE finer ones."""
    buffers = seen(faces.corners, camera)
    covered = buffers.owner >= 0
    color = shaded(buffers, faces.corners, faces.normals, faces.colors, faces.lit, camera)
    color[outlined(buffers, faces.part)[covered]] *= EDGE
    weight = faces.opacity[buffers.owner[covered]] / FINE**2
    rows, columns = np.nonzero(covered)
    pixel, size = rows // FINE * (camera.width // FINE) + columns // FINE, image[..., 0].size
    rest = 1.0 - np.bincount(pixel, weight, minlength=size).reshape(image.shape[:2])
    out = image * rest[..., None]
    for k in range(3):
        out[..., k] += np.bincount(pixel, weight * color[:, k], minlength=size).reshape(image.shape[:2])
    return out.clip(0.0, 1.0)
