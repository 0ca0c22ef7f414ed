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
from ..picture.extent import planes_of
from ..picture.view import Traces, View, view_of
from .files import Picture, png, write_film
from .ground import FINE, Ground
from .overlay import add_marks
from .raster import EDGE, Camera, outlined, seen, shaded
from .scene import Faces, Scene

__all__ = ["write_png", "write_video"]


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
    theme: str | None = None,
) -> None:
    """Write a picture of the stored state nearest to `t` [s] (left out: the last), `size` = (width, height) in pixels.

    The picture shows all of the motion; with `follow` only the bodies at that time, from near. traces, camera, title
    and theme are those of picture/view.py. With `contacts` it shows normals, forces and friction cones of contacts.

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
    view = view_of(motion, camera, traces, title, None, follow, theme)
    picture = next(pictures(motion, [state], size, view, contacts))
    with replacing(path, "picture", force) as temporary:
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
    theme: str | None = None,
) -> None:
    """Write the motion as a film that plays at `speed` times real time, with `rate` pictures a second; traces, camera,
    title and theme are those of picture/view.py, contacts as in write_png.

    mp4, webm, mov, mkv and avi need ffmpeg on the PATH or the extra `film`, gif needs Pillow; apng needs nothing.
    """
    view, rate = view_of(motion, camera, traces, title, speed, follow, theme), positive(rate, "rate", "pictures/s")
    speed = view.speed
    many = 1 + int((motion.t[-1] - motion.t[0]) / speed * rate + 1e-9)
    states = [int(np.abs(motion.t - t).argmin()) for t in motion.t[0] + speed / rate * np.arange(many)]
    with replacing(path, "picture", force) as temporary:
        write_film(pictures(motion, states, size, view, contacts), many, rate, file_path(path), temporary)


def pictures(
    motion: Trajectory, states: list[int], size: tuple[int, int], view: View, contacts: bool = False
) -> Iterator[Picture]:
    """Pictures of stored states, one after the other."""
    width, height = (int(n) for n in size)
    if not (16 <= width <= 8192 and 16 <= height <= 8192):
        raise ModelError(f"a picture has 16 to 8192 pixels in width and height, not {width} x {height}.")
    scene, follow = Scene(motion, view, contacts), view.follow
    planes = planes_of(scene.picture, float(scene.room(scene.overview)[:, 2].min()))
    whole = scene.camera(scene.overview, FINE * width, FINE * height)
    ground = None if follow else Ground(whole, planes, scene.theme)
    near = {k: scene.camera([k], FINE * width, FINE * height, of_bodies=True) for k in states if follow}
    distance = min(whole.far, max((camera.far for camera in near.values()), default=0.0))
    for state in states:
        camera = replace(near[state], far=distance) if follow else whole
        yield _picture(scene, state, camera, ground or Ground(camera, planes, scene.theme))


def _picture(scene: Scene, state: int, camera: Camera, ground: Ground) -> Picture:
    faces = scene.faces(state, camera)
    image = ground.shadowed(faces.world[faces.lit], camera)
    clear = faces.opacity < 1.0
    if clear.any():  # opaque faces first; then all, mixed by the opacity of the nearest
        image = _drawn(image, _some(faces, ~clear), camera)
    image = _drawn(image, faces, camera)
    if len((hidden := scene.faint(state, camera)).opacity):
        image = _drawn(image, hidden, camera)
    whole = replace(camera, width=camera.width // FINE, height=camera.height // FINE)
    end = max(abs(float(scene.t[0])), abs(float(scene.t[-1])))
    title, gravity = scene.view.title, bool(scene.picture.model.gravity.any())
    t, up, arrows = float(scene.t[state]), scene.up, scene.arrows
    strain = scene.strain if any(beam.strains for beam in scene.picture.beams) else None
    springs = len(scene.picture.springs) > 0
    add_marks(image, whole, scene.theme, title, t, end, up, gravity, arrows, scene.half, strain, springs)
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
