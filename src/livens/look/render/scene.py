"""A motion as triangles at one time: bodies with their faces, springs as coils, rods as lines, paths behind them.

World axes are turned so that z is up, against gravity. Lines are ribbons of a few pixels that face the camera.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.forces.damper import Damper
from ...describe.forces.spring import Spring
from ...describe.joints.rod import Rod
from ...errors import ModelError
from ...record.trajectory import Trajectory
from ..gltf import creased
from ..page.page import COLORS, rgba
from ..picture.meshes import shape_key
from ..picture.sizes import upright
from .raster import Camera, F

TURN, LIFT = -0.9, 0.32  # where the eye is around the vertical and above the horizon [rad]
MARGIN = 1.1
TRAIL, COIL, BAR, DOT = 1.4, 2.0, 2.6, 4.0  # widths and a radius [pixels, of 1000]
ORDER = 3e-6  # by which part of the depth a body is drawn before the one added earlier, where faces coincide
DARK = (0.16, 0.16, 0.17)
GREY = (0.42, 0.43, 0.45)


class Faces(NamedTuple):
    """Triangles on the screen with what is needed to colour them."""

    corners: Array  # (n, 3, 3) pixels and 1/depth
    normals: Array  # (n, 3, 3)
    colors: Array  # (n, 3)
    lit: NDArray[np.bool_]  # (n,)
    part: NDArray[np.int64]  # (n,) number of the body, −1 for lines
    world: Array  # (n, 3, 3) places [m], zero for lines


class Mesh(NamedTuple):
    """A shape in body axes."""

    vertices: Array
    normals: Array
    triangles: Any
    color: Array


class Scene:
    """What does not change while time runs: meshes, paths of the centres of mass, and the room they take."""

    def __init__(self, motion: Trajectory):
        if len(motion.model.bodies) < 2:
            raise ModelError(f"model {motion.model.name!r} has no bodies: there is nothing to show.")
        self.motion = motion
        self.R = upright(motion.model.gravity)
        shapes: dict[Any, tuple[Array, Array, Any]] = {}
        self.meshes = []
        for k, body in enumerate(motion.model.bodies[1:]):
            if shape_key(body) not in shapes:
                shapes[shape_key(body)] = creased(body.shape.surface)
            self.meshes.append(Mesh(*shapes[shape_key(body)], np.array(rgba(COLORS[k % len(COLORS)])[:3])))
        self.poses = [(motion.position(b) @ self.R.T, self.R @ motion.rotation(b)) for b in motion.model.bodies[1:]]
        self.paths = [motion.position(body.center) @ self.R.T for body in motion.model.bodies[1:]]
        self.links = [
            (motion.position(thing.a) @ self.R.T, motion.position(thing.b) @ self.R.T, thing)
            for thing in (*motion.model.forces, *motion.model.joints)
            if isinstance(thing, Spring | Damper | Rod)
        ]
        self.feet = [
            self.R @ point.r
            for thing in (*motion.model.joints, *(link[2] for link in self.links))
            for point in thing.points
            if point.body is motion.model.world
        ]

    def room(self, states: Any) -> Array:
        """Places that must be in the picture at these states (n, 3): boxes around the bodies, and the feet."""
        found = [np.array(self.feet).reshape(-1, 3)]
        for mesh, (x, B) in zip(self.meshes, self.poses, strict=True):
            low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
            corners = np.array([[(low, high)[k >> i & 1][i] for i in range(3)] for k in range(8)])
            found.append((x[states][:, None] + np.einsum("nij,kj->nki", B[states], corners)).reshape(-1, 3))
        return np.concatenate(found)

    def camera(self, states: Any, width: int, height: int, turn: float = TURN, lift: float = LIFT) -> Camera:
        """The camera that sees all of the motion at these states, from the side `turn` and the height `lift` [rad]."""
        x = self.room(states)
        d = np.array([np.cos(lift) * np.cos(turn), np.cos(lift) * np.sin(turn), np.sin(lift)])
        camera = Camera(0.5 * (x.min(axis=0) + x.max(axis=0)), d, 1.0, width, height)
        axes = np.stack([camera.right, camera.up, d])
        inside = (x - camera.target) @ axes.T
        middle = 0.5 * (inside.min(axis=0) + inside.max(axis=0))
        inside -= middle
        need = np.maximum(np.abs(inside[:, 0]) * height / width, np.abs(inside[:, 1]))
        far = float((inside[:, 2] + MARGIN * F * need).max())
        deep = 1.2 * float(np.ptp(inside[:, 2]))  # nearer, what is in front would look too large
        return Camera(camera.target + middle @ axes, d, max(far, deep, 1e-6), width, height)

    def faces(self, state: int, camera: Camera, trail: bool = True) -> Faces:
        """All triangles of the picture at a stored state."""
        parts = [self._body(k, state, camera) for k in range(len(self.meshes))]
        pixel = 1.6 * np.sqrt(camera.height / 1000.0)  # lines of small pictures are not as fine as the picture
        for a, b, thing in self.links:
            if isinstance(thing, Spring):
                parts.append(_ribbon(_coil(a[state], b[state], thing.length, camera), camera, COIL * pixel, GREY))
            else:
                parts.append(_ribbon(np.stack([a[state], b[state]]), camera, BAR * pixel, GREY))
        if trail:
            for path, mesh in zip(self.paths, self.meshes, strict=True):
                line = path[: state + 1]
                line = line[np.unique(np.linspace(0, state, min(state + 1, 600)).astype(int))]
                parts.append(_ribbon(line, camera, TRAIL * pixel, 0.75 * mesh.color))
        parts += [_dot(foot, camera, DOT * pixel) for foot in self.feet]
        return Faces(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _body(self, k: int, state: int, camera: Camera) -> Faces:
        mesh, (x, B) = self.meshes[k], self.poses[k]
        T = mesh.triangles
        world = (x[state] + mesh.vertices @ B[state].T)[T]
        n = len(T)
        normals = (mesh.normals @ B[state].T)[T]
        color = np.tile(mesh.color, (n, 1))
        corners = camera.screen(world) * (1.0, 1.0, 1.0 + ORDER * (k % 8))
        return Faces(corners, normals, color, np.ones(n, dtype=bool), np.full(n, k), world)


def _flat(corners: Array, color: Any, nearer: float = 1.003) -> Faces:
    """Unlit triangles on the screen, a little nearer than they are, so that what they touch does not hide them."""
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
    ahead[:, :2] = 0.35 * width * along  # neighbours overlap, so that corners have no gaps
    a, b, c, e = s0 + side - ahead, s1 + side + ahead, s1 - side + ahead, s0 - side - ahead
    return _flat(np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, e], axis=1)]), color)


def _dot(x: Array, camera: Camera, radius: float) -> Faces:
    s = camera.screen(x)
    angle = np.linspace(0.0, 2.0 * np.pi, 17)
    rim = s + radius * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    return _flat(np.stack([np.broadcast_to(s, (16, 3)), rim[:-1], rim[1:]], axis=1), DARK, nearer=1.015)


def _coil(a: Array, b: Array, rest: float, camera: Camera, turns: int = 9) -> Array:
    """A helix from a to b with straight ends; it keeps its turns, so one sees the stretch."""
    d = b - a
    length = float(np.linalg.norm(d))
    if length == 0.0:
        return np.stack([a, b])
    d = d / length
    e = np.cross(d, np.eye(3)[int(np.abs(d).argmin())])
    e /= np.linalg.norm(e)
    f = np.cross(d, e)
    radius = min(0.012 * camera.far, 0.1 * max(rest, 0.3 * length))
    s = np.linspace(0.0, 1.0, 20 * turns + 1)
    swell = radius * np.clip(np.minimum(s, 1.0 - s) / 0.06, 0.0, 1.0)
    angle = 2.0 * np.pi * turns * s
    along = 0.12 + 0.76 * s
    helix = a + length * along[:, None] * d + swell[:, None] * (np.cos(angle)[:, None] * e + np.sin(angle)[:, None] * f)
    return np.concatenate([a[None], helix, b[None]])
