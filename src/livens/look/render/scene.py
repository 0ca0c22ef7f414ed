"""A motion as triangles at one time, for the camera of raster.py.

World axes are turned so that z is up, against gravity. Lines are ribbons of a few pixels that face the camera.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...record.contacts import has_contacts
from ...record.trajectory import Trajectory
from ..picture.arrows import ARROW_LENGTH, Arrows, arrows_of, tips
from ..picture.beams import BeamPicture, largest_strain
from ..picture.coils import coils, profile
from ..picture.colors import of_extension, readable
from ..picture.contacts import ContactPicture
from ..picture.extent import corners, upright
from ..picture.instants import upright_instants
from ..picture.phases import exist, passing
from ..picture.picture import AXIS, picture_of
from ..picture.symbols import SYMBOL_SIZE
from ..picture.themes import theme_of, unit
from ..picture.view import View, view_of
from .raster import Camera, F

MARGIN = 1.1
LINE_WIDTH = {
    "spring": 2.0,
    "damper": 2.6,
    "rod": 2.6,
    "axis": 2.6,
    "trace": 1.4,
    "symbol": 1.8,
    "ground": 1.4,
    "load": 2.6,
    "normal": 1.6,
    "force": 3.0,
    "cone": 1.0,
}  # of lines [pixels, of 1000]
FAINT, FAINT_WIDTH = 0.3, 1.4  # opacity and width of the symbols of joints that bodies hide
BARB = 0.05  # length of the barbs of an arrow, in halves of the largest side of the motion
OVERVIEW = 200  # states that all fit into the picture
COIL_CORNERS = 20  # of a turn of a coil
TRACE_CORNERS = 600  # corners of a trace
ORDER = 3e-6  # of the depth: where faces coincide, the body that was added later is in front


class Line(NamedTuple):
    """A line of the picture: the kind of its item, its colour, its corners (n, 3) [m]."""

    kind: str
    color: Any
    corners: Array


class Faces(NamedTuple):
    """Triangles on the screen, and the data for their colours."""

    corners: Array  # (n, 3, 3) pixels and 1/depth
    normals: Array  # (n, 3, 3)
    colors: Array  # (n, 3, 3) at the corners
    lit: NDArray[np.bool_]  # (n,)
    part: NDArray[np.int64]  # (n,) number of the body; −1: a line
    opacity: Array  # (n,)
    world: Array  # (n, 3, 3) positions [m]; zero for lines


class Scene:
    """Everything that does not change from picture to picture: the description, and the poses at all stored states."""

    def __init__(self, motion: Trajectory, view: View | None = None, contacts: bool = False):
        """contacts: draw normals, forces and friction cones of contacts."""
        self.view = view_of(motion) if view is None else view
        self.theme = theme_of(self.view.theme)
        self.ink, self.grey = unit(self.theme.ink), unit(self.theme.ground)
        self.picture = picture_of(passing(motion), self.view.traces)
        self.t, self.up = motion.t, upright(motion.model.gravity)
        self.now = upright_instants(motion, np.arange(len(motion)))
        self.arrows = arrows_of(self.picture, motion.t, self.up.T @ self.now.R, motion)
        self.motion = motion
        self.colors = self.picture.colors / 255.0
        self.tints = np.array([readable(color, self.theme.paper) for color in self.picture.colors]) / 255.0  # of traces
        kinds = np.array(self.picture.symbols.kinds, dtype=object)
        self.still = np.isin(kinds, ("ground", "base"))[self.picture.symbols.owner]  # pieces fixed to the world
        self.coil = profile(corners=COIL_CORNERS)
        self.overview = np.unique(np.linspace(0, len(motion) - 1, OVERVIEW).astype(int))
        self.half = 0.5 * float(np.ptp(self.room(self.overview), axis=0).max())
        self.touch = ContactPicture(motion, self.half) if contacts and has_contacts(motion) else None
        self.shrink = self.picture.shrink(self.half)
        self.strain = largest_strain(self.picture.beams, self.now.x, self.now.R)
        springs = self.picture.springs
        ends = springs.ends(self.now.x[self.overview], self.now.R[self.overview])
        self.extension = float(np.abs(springs.extension(ends)).max(initial=0.0))  # the largest of all springs [m]

    def room(self, states: Any) -> Array:
        """Positions that must be in the picture at these states (n, 3)."""
        return corners(self.picture, self.now.x[states], self.now.R[states])

    @property
    def room_of_marks(self) -> Array:
        """The ends of the symbols that are fixed to the world, and of the arrows of loads at all times (n, 3)."""
        loads = tips(self.arrows, self.now.x, self.now.R, self.up, self.half)
        return np.concatenate([self.symbols(0)[self.still].reshape(-1, 3), loads])

    def room_of_bodies(self, states: Any) -> Array:
        """The same without the anchors in the world."""
        return corners(self.picture, self.now.x[states], self.now.R[states])[len(self.picture.anchors) :]

    def camera(self, states: Any, width: int, height: int, of_bodies: bool = False) -> Camera:
        """A camera that sees the motion at all of these states, at the angles of the view; of_bodies: the bodies alone,
        without anchors in the world."""
        x = self.room_of_bodies(states) if of_bodies else np.concatenate([self.room(states), self.room_of_marks])
        turn, lift = self.view.turn, self.view.lift
        d = np.array([np.cos(lift) * np.cos(turn), np.cos(lift) * np.sin(turn), np.sin(lift)])
        camera = Camera(0.5 * (x.min(axis=0) + x.max(axis=0)), d, 1.0, width, height)
        axes = np.stack([camera.right, camera.up, d])
        inside = (x - camera.target) @ axes.T
        middle = 0.5 * (inside.min(axis=0) + inside.max(axis=0))
        inside -= middle
        need = np.maximum(np.abs(inside[:, 0]) * height / width, np.abs(inside[:, 1]))
        far = float((inside[:, 2] + MARGIN * F * need).max())
        deep = 1.2 * float(np.ptp(inside[:, 2]))  # from nearer, the front would look too large
        return Camera(camera.target + middle @ axes, d, max(far, deep) or 1.0, width, height)

    def faces(self, state: int, camera: Camera) -> Faces:
        """All triangles of the picture at a stored state."""
        pixel = 1.6 * np.sqrt(camera.height / 1000.0)  # lines of small pictures are relatively wider
        drawn = [self._body(k, state, camera) for k in range(1, len(self.colors)) if not self.picture.covered[k]]
        drawn += [self._beam(beam, state, camera) for beam in self.picture.beams]
        drawn += [
            _ribbon(line.corners, camera, LINE_WIDTH[line.kind] * pixel, line.color)
            for line in self.lines(state, camera)
        ]
        drawn += [self._symbol_lines(kind, state, camera, LINE_WIDTH[kind] * pixel) for kind in ("symbol", "ground")]
        return Faces(*(np.concatenate(column) for column in zip(*drawn, strict=True)))

    def faint(self, state: int, camera: Camera) -> Faces:
        """The symbols of joints, of little opacity: they show through the bodies that hide them, as on pages."""
        pixel = 1.6 * np.sqrt(camera.height / 1000.0)
        faces = self._symbol_lines("symbol", state, camera, FAINT_WIDTH * pixel)
        return faces._replace(opacity=np.full(len(faces.opacity), FAINT))

    def _symbol_lines(self, kind: str, state: int, camera: Camera, width: float) -> Faces:
        """Ribbons of the symbols of joints, or of those that are fixed to the world (kind "ground")."""
        chosen = self.exist(self.picture.symbols.names, state)[self.picture.symbols.owner]
        chosen &= self.still if kind == "ground" else ~self.still
        pieces, color = self.symbols(state)[chosen], self.grey if kind == "ground" else self.ink
        return _ribbons(pieces[:, 0], pieces[:, 1], camera, width, color)

    def lines(self, state: int, camera: Camera) -> list[Line]:
        """Springs in the colours of their extension, dampers, rods, axes of joints, contacts, and the traces up to this
        state."""
        picture, x, R = self.picture, self.now.x[state], self.now.R[state]
        ends = picture.springs.ends(x, R)
        length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        radius = np.minimum(0.012 * camera.far, 0.1 * np.maximum(picture.springs.length, 0.3 * length))
        axes = picture.axes.ends(x, R, self.shrink * AXIS * self.half)
        short, rest, long = self.theme.short, self.theme.rest, self.theme.long
        of_springs = of_extension(picture.springs.extension(ends), self.extension, short, rest, long) / 255.0
        drawn = [
            ("spring", of_springs, picture.springs.names, coils(ends, self.coil, radius)),
            ("damper", repeat(self.grey), picture.dampers.names, picture.dampers.ends(x, R)),
            ("rod", repeat(self.grey), picture.rods.names, picture.rods.ends(x, R)),
            ("axis", repeat(self.ink), picture.axes.names, axes),
        ]
        found = [
            Line(kind, color, line)
            for kind, colors, names, lines in drawn
            for color, line, exists in zip(colors, lines, self.exist(names, state), strict=False)
            if exists
        ]
        found += [
            Line("load", self.arrow_color(one.kind), line)
            for one in self.arrows
            for line in self._loads(one, state, camera)
        ]
        if self.touch is not None:
            marks = self.touch.lines(state)
            tints = {"normal": self.ink, "force": unit(self.theme.force), "cone": self.grey}
            found += [Line(kind, tints[kind], ends @ self.up.T) for kind in marks for ends in marks[kind]]
        until = np.unique(np.linspace(0, state, min(state + 1, TRACE_CORNERS)).astype(int))
        paths = np.swapaxes(picture.traces.at(self.now.x[until], self.now.R[until]), 0, 1)
        of_traces = self.tints[picture.traces.body]
        return found + [Line("trace", tint, path) for tint, path in zip(of_traces, paths, strict=True)]

    def exist(self, names: Sequence[str], state: int) -> NDArray[np.bool_]:
        """Which of the joints and forces of these names exist at a stored state."""
        return exist(self.motion, names, self.t[state : state + 1])[0]

    def arrow_color(self, kind: str) -> Any:
        """The colour of forces or torques."""
        return unit(self.theme.force if kind == "force" else self.theme.torque)

    def symbols(self, state: int) -> Array:
        """The ends of the pieces of all symbols (n, 2, 3) [m]."""
        return self.picture.symbols.ends(self.now.x[state], self.now.R[state], self.shrink * SYMBOL_SIZE * self.half)

    def _loads(self, arrows: Arrows, state: int, camera: Camera) -> list[Array]:
        """The arrows of loads, as lines from the point to the tip and along the barbs, which face the camera; those of
        torques have two heads."""
        begin = arrows.points.at(self.now.x[state], self.now.R[state])
        along = arrows.values[state] @ self.up.T * (ARROW_LENGTH * self.half / arrows.most)
        found = []
        for x, d in zip(begin, along, strict=True):
            length = float(np.linalg.norm(d))
            if length > 1e-6 * self.half:
                u, side = d / length, np.cross(d, camera.d)
                side = side / max(float(np.linalg.norm(side)), 1e-300)
                heads = [x + d] if arrows.kind == "force" else [x + d, x + d - 0.6 * BARB * self.half * u]
                line = [x]
                for tip in heads:
                    barbs = [tip - BARB * self.half * (u + 0.45 * s * side) for s in (1.0, -1.0)]
                    line += [tip, barbs[0], tip, barbs[1], tip]
                found.append(np.array(line))
        return found

    def _body(self, k: int, state: int, camera: Camera) -> Faces:
        vertices, normals, T = self.picture.shapes[self.picture.shape_of[k]].mesh
        x, R, n = self.now.x[state, k], self.now.R[state, k], len(T)
        world = (x + vertices @ R.T)[T]
        screen = camera.screen(world) * (1.0, 1.0, 1.0 + ORDER * ((k - 1) % 8))
        color = np.tile(self.colors[k], (n, 3, 1))
        clear = np.full(n, self.picture.opacity[k])
        return Faces(screen, (normals @ R.T)[T], color, np.ones(n, dtype=bool), np.full(n, k), clear, world)

    def _beam(self, beam: BeamPicture, state: int, camera: Camera) -> Faces:
        x, R, k = self.now.x[state], self.now.R[state], int(beam.body[0])
        vertices, normals, T = beam.mesh(x, R, self.half)
        color = beam.colors(beam.changes(x, R), self.strain, self.theme) / 255.0
        n, world = len(T), vertices[T]
        clear, lit, part = np.full(n, beam.opacity), np.ones(n, dtype=bool), np.full(n, k)
        return Faces(camera.screen(world), normals[T], color[T], lit, part, clear, world)


def _flat(corners: Array, color: Any, nearer: float = 1.003) -> Faces:
    """Unlit triangles on the screen, a little nearer than they are, so that touching faces do not hide them."""
    n = len(corners)
    corners = corners * (1.0, 1.0, nearer)
    zero = np.zeros((n, 3, 3))
    colors, lit = np.tile(np.asarray(color), (n, 3, 1)), np.zeros(n, dtype=bool)
    return Faces(corners, zero, colors, lit, np.full(n, -1), np.ones(n), zero)


def _ribbon(line: Array, camera: Camera, width: float, color: Any) -> Faces:
    return _ribbons(line[:-1], line[1:], camera, width, color)


def _ribbons(begin: Array, end: Array, camera: Camera, width: float, color: Any) -> Faces:
    """Straight pieces from `begin` to `end` (n, 3), as ribbons of `width` [pixels]."""
    s0, s1 = camera.screen(begin), camera.screen(end)
    along = s1[:, :2] - s0[:, :2]
    length = np.linalg.norm(along, axis=1, keepdims=True)
    s0, s1 = s0[length[:, 0] > 1e-9], s1[length[:, 0] > 1e-9]
    along = (along / np.maximum(length, 1e-9))[length[:, 0] > 1e-9]
    side = np.zeros_like(s0)
    side[:, 0], side[:, 1] = -0.5 * width * along[:, 1], 0.5 * width * along[:, 0]
    ahead = np.zeros_like(s0)
    ahead[:, :2] = 0.35 * width * along  # neighbours overlap, so corners have no gaps
    a, b, c, e = s0 + side - ahead, s1 + side + ahead, s1 - side + ahead, s0 - side - ahead
    return _flat(np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, e], axis=1)]), color)
