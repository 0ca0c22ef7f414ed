"""A motion as triangles at one time, for the camera of raster.py.

World axes are turned so that z is up, against gravity. Lines are ribbons of a few pixels that face the camera.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...record.trajectory import Trajectory
from ..picture.coils import coils, profile
from ..picture.contacts import ContactPicture
from ..picture.extent import LIFT, TURN, corners, upright
from ..picture.instants import upright_instants
from ..picture.phases import lasting
from ..picture.picture import AXIS, picture_of
from .raster import Camera, F

MARGIN = 1.1
LINE_WIDTH = {
    "spring": 2.0,
    "damper": 2.6,
    "rod": 2.6,
    "axis": 2.6,
    "trace": 1.4,
    "normal": 1.6,
    "force": 3.0,
    "cone": 1.0,
}  # of lines [pixels, of 1000]
DOT = 4.0  # radius of an anchor [pixels, of 1000]
OVERVIEW = 200  # states that all fit into the picture
COIL_CORNERS = 20  # of a turn of a coil
TRACE_CORNERS = 600  # corners of a trace
ORDER = 3e-6  # of the depth: where faces coincide, the body that was added later is in front
LINE_DARK = (0.16, 0.16, 0.17)
LINE_GREY = (0.42, 0.43, 0.45)
CONTACT_COLORS = {"normal": LINE_DARK, "force": (0.835, 0.369, 0.0), "cone": LINE_GREY}


class Line(NamedTuple):
    """A line of the picture: the kind of its item, its colour, its corners (n, 3) [m]."""

    kind: str
    color: Any
    corners: Array


class Faces(NamedTuple):
    """Triangles on the screen, and the data for their colours."""

    corners: Array  # (n, 3, 3) pixels and 1/depth
    normals: Array  # (n, 3, 3)
    colors: Array  # (n, 3)
    lit: NDArray[np.bool_]  # (n,)
    part: NDArray[np.int64]  # (n,) number of the body; −1: a line
    world: Array  # (n, 3, 3) positions [m]; zero for lines


class Scene:
    """Everything that does not change from picture to picture: the description, and the poses at all stored states."""

    def __init__(self, motion: Trajectory, contacts: bool = False):
        """contacts: draw normals, forces and friction cones of contacts."""
        self.picture = picture_of(lasting(motion))
        self.now = upright_instants(motion, np.arange(len(motion)))
        self.colors = self.picture.colors / 255.0
        self.coil = profile(corners=COIL_CORNERS)
        self.overview = np.unique(np.linspace(0, len(motion) - 1, OVERVIEW).astype(int))
        self.half = 0.5 * float(np.ptp(self.room(self.overview), axis=0).max())
        self.up, touch = upright(motion.model.gravity), ContactPicture(motion, self.half)
        self.touch = touch if contacts and touch.exists else None

    def room(self, states: Any) -> Array:
        """Positions that must be in the picture at these states (n, 3)."""
        return corners(self.picture, self.now.x[states], self.now.R[states])

    def camera(self, states: Any, width: int, height: int, turn: float = TURN, lift: float = LIFT) -> Camera:
        """A camera that sees the motion at all of these states, at the angles `turn` and `lift` [rad]."""
        x = self.room(states)
        d = np.array([np.cos(lift) * np.cos(turn), np.cos(lift) * np.sin(turn), np.sin(lift)])
        camera = Camera(0.5 * (x.min(axis=0) + x.max(axis=0)), d, 1.0, width, height)
        axes = np.stack([camera.right, camera.up, d])
        inside = (x - camera.target) @ axes.T
        middle = 0.5 * (inside.min(axis=0) + inside.max(axis=0))
        inside -= middle
        need = np.maximum(np.abs(inside[:, 0]) * height / width, np.abs(inside[:, 1]))
        far = float((inside[:, 2] + MARGIN * F * need).max())
        deep = 1.2 * float(np.ptp(inside[:, 2]))  # from nearer, the front would look too large
        return Camera(camera.target + middle @ axes, d, max(far, deep, 1e-6), width, height)

    def faces(self, state: int, camera: Camera) -> Faces:
        """All triangles of the picture at a stored state."""
        pixel = 1.6 * np.sqrt(camera.height / 1000.0)  # lines of small pictures are relatively wider
        drawn = [self._body(k, state, camera) for k in range(1, len(self.colors))]
        drawn += [
            _ribbon(line.corners, camera, LINE_WIDTH[line.kind] * pixel, line.color)
            for line in self.lines(state, camera)
        ]
        anchors = self.picture.anchors.at(self.now.x[state], self.now.R[state])
        drawn += [_dot(anchor, camera, DOT * pixel) for anchor in anchors]
        return Faces(*(np.concatenate(column) for column in zip(*drawn, strict=True)))

    def lines(self, state: int, camera: Camera) -> list[Line]:
        """Springs, dampers, rods, axes of joints, contacts, and the traces up to this state."""
        picture, x, R = self.picture, self.now.x[state], self.now.R[state]
        ends = picture.springs.ends(x, R)
        length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        radius = np.minimum(0.012 * camera.far, 0.1 * np.maximum(picture.springs.length, 0.3 * length))
        found = [Line("spring", LINE_GREY, line) for line in coils(ends, self.coil, radius)]
        found += [Line("damper", LINE_GREY, line) for line in picture.dampers.ends(x, R)]
        found += [Line("rod", LINE_GREY, line) for line in picture.rods.ends(x, R)]
        found += [Line("axis", LINE_DARK, line) for line in picture.axes.ends(x, R, AXIS * self.half)]
        if self.touch is not None:
            marks = self.touch.lines(state)
            found += [Line(kind, CONTACT_COLORS[kind], ends @ self.up.T) for kind in marks for ends in marks[kind]]
        until = np.unique(np.linspace(0, state, min(state + 1, TRACE_CORNERS)).astype(int))
        paths = np.swapaxes(picture.traces.at(self.now.x[until], self.now.R[until]), 0, 1)
        tints = 0.75 * self.colors[picture.traces.body]
        return found + [Line("trace", tint, path) for tint, path in zip(tints, paths, strict=True)]

    def _body(self, k: int, state: int, camera: Camera) -> Faces:
        vertices, normals, T = self.picture.shapes[self.picture.shape_of[k]].mesh
        x, R, n = self.now.x[state, k], self.now.R[state, k], len(T)
        world = (x + vertices @ R.T)[T]
        screen = camera.screen(world) * (1.0, 1.0, 1.0 + ORDER * ((k - 1) % 8))
        color = np.tile(self.colors[k], (n, 1))
        return Faces(screen, (normals @ R.T)[T], color, np.ones(n, dtype=bool), np.full(n, k), world)


def _flat(corners: Array, color: Any, nearer: float = 1.003) -> Faces:
    """Unlit triangles on the screen, a little nearer than they are, so that touching faces do not hide them."""
    n = len(corners)
    corners = corners * (1.0, 1.0, nearer)
    zero = np.zeros((n, 3, 3))
    return Faces(corners, zero, np.tile(np.asarray(color), (n, 1)), np.zeros(n, dtype=bool), np.full(n, -1), zero)


def _ribbon(line: Array, camera: Camera, width: float, color: Any) -> Faces:
    s = camera.screen(line)
    along = np.diff(s[:, :2], axis=0)
    length = np.linalg.norm(along, axis=1, keepdims=True)
    s0, s1 = s[:-1][length[:, 0] > 1e-9], s[1:][length[:, 0] > 1e-9]
    along = (along / np.maximum(length, 1e-9))[length[:, 0] > 1e-9]
    side = np.zeros_like(s0)
    side[:, 0], side[:, 1] = -0.5 * width * along[:, 1], 0.5 * width * along[:, 0]
    ahead = np.zeros_like(s0)
    ahead[:, :2] = 0.35 * width * along  # neighbours overlap, so corners have no gaps
    a, b, c, e = s0 + side - ahead, s1 + side + ahead, s1 - side + ahead, s0 - side - ahead
    return _flat(np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, e], axis=1)]), color)


def _dot(x: Array, camera: Camera, radius: float) -> Faces:
    s = camera.screen(x)
    angle = np.linspace(0.0, 2.0 * np.pi, 17)
    rim = s + radius * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    return _flat(np.stack([np.broadcast_to(s, (16, 3)), rim[:-1], rim[1:]], axis=1), LINE_DARK, nearer=1.015)
