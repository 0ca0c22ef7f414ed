"""The rows of which joints and dampers are made: one row is one scalar equation between bodies.

A row has a kind (kernels/rows.py), two points, a direction of each body and numbers. A row with a damping coefficient
is soft: it is a damper along its coordinate instead of a constraint. Joints share the groups of rows below: points that
coincide, an axis that both bodies share, a fixed relative orientation, a point in a plane.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..checks import Array
from ..formula.formula import Formula
from .body import Body, Point
from .pose import cross, rotation_from, rotation_vectors

if TYPE_CHECKING:
    from .thing import Thing

Drive = Callable[[float], float]  # a prescribed coordinate [rad] or [m] as a function of time [s]
ZERO = np.zeros(3)
UNIT = np.eye(3)


class Row(NamedTuple):
    """One row before it is compiled: kind, two points, a direction of each body (body axes), and numbers."""

    kind: str
    a: Point
    b: Point
    u: Array = ZERO
    w: Array = ZERO
    value: float = 0.0  # constant of the equation, a length [m], or the longest lever of a TAPE row [m]
    component: int = 0  # world axis of a COINCIDE row; number of the result of a TAPE row
    coordinates: tuple[Coordinate, ...] = ()
    ratios: tuple[float, ...] = ()  # factors of the coordinates; change of a TAPE row per metre
    driven: bool = False  # its value follows the `drive` of its thing
    rate: float = 0.0  # damping coefficient [N s/m] or [N m s/rad]; 0 for a constraint
    bodies: tuple[Body, ...] = ()  # the bodies of a TAPE row, without the world
    formula: Formula | None = None  # of a TAPE row


class Coordinate:
    """A coordinate of a joint. Springs, stops, motors, dampers and prescribed motions act on it.

    Its value at the start is the joint's `start`, and it changes from there: an angle by the rotation about the axis, a
    displacement by the motion along it. The kernels measure an angle between directions (`dial`, `hand`) and a
    displacement between points (`a`, `b`), which are chosen so that they measure `start` at the start. kind:

        ANGLE         the angle about the axis, over many turns
        DISPLACEMENT  along the axis, which the first body carries
        COMPONENT     a component of a rotation vector; its rate and its effort are about the axis
        ROTATION      the angle of the rotation from a relative orientation of the bodies, 0 to π
    """

    def __init__(
        self,
        joint: Thing,
        kind: str,
        a: Point,
        b: Point,
        axis: Array,
        part: str = "",
        zero: Array | None = None,
        number: int = 0,
        at: Array = ZERO,
    ):
        """part: which of the joint's coordinates, in words; zero: the direction across the axis from which an angle
        counts (None: any); number: its place in `joint.start`; at: the rotation vector where a ROTATION is zero."""
        self.joint, self.kind, self.b, self.part, self.number, self.at = joint, kind, b, part, number, at
        e1, e2 = across(axis) if zero is None else (zero, cross(axis, zero))
        self._a, self._apart = a, float(axis @ (b.start - a.start))
        self._across = np.array([local(a.body, e1), local(a.body, e2)])
        self._turned = a.body.pose.B.T @ b.body.pose.B
        self.axis = local(a.body, axis)
        self.hand = local(b.body, e1)

    def of(self, joint: Thing) -> Coordinate:
        """The same coordinate of a copy of its joint."""
        other = copy(self)
        other.joint = joint
        return other

    @property
    def start(self) -> float:
        """Its value at the start [rad] or [m]."""
        if self.kind == "ROTATION":
            return float(np.linalg.norm(rotation_vectors((self._turned @ self.reference.T)[None])))
        given = self.joint.start
        return float(given[self.number]) if isinstance(given, tuple) else float(given)

    @property
    def a(self) -> Point:
        """The point of the first body from which a displacement counts."""
        if self.kind != "DISPLACEMENT" or self._apart == self.start:
            return self._a
        return Point(self._a.body, self._a.r + (self._apart - self.start) * self.axis)

    @property
    def dial(self) -> Array:
        """Two directions of the first body across the axis, from which an angle counts."""
        if self.kind != "ANGLE" or self.start == 0.0:
            return self._across
        c, s = np.cos(self.start), np.sin(self.start)
        return np.array([[c, -s], [s, c]]) @ self._across

    @property
    def reference(self) -> Array:
        """Axes of the second body in those of the first where the joint's rotation vector is zero, or, for a ROTATION,
        where its angle is zero (3, 3)."""
        if self.kind not in ("COMPONENT", "ROTATION"):
            return np.eye(3)
        now = np.array(self.joint.start) if isinstance(self.joint.start, tuple) else ZERO
        back: Array = rotation_from(self.at) @ rotation_from(-now) @ self._turned
        return back

    def from_points(self) -> float:
        """Its value at the start where displacements count from the first point and angles from the start."""
        return self._apart if self.kind == "DISPLACEMENT" else self.start

    @property
    def name(self) -> str:
        """The name of its joint, and which of the joint's coordinates it is if there are several."""
        return f"{self.joint.name}.{self.part}" if self.part else self.joint.name

    @property
    def unit(self) -> str:
        """Its unit."""
        return "rad" if self.is_angle else "m"

    @property
    def is_angle(self) -> bool:
        """True for an angle or a component of a rotation vector [rad], False for a displacement [m]."""
        return self.kind != "DISPLACEMENT"


def local(body: Body, u: Array) -> Array:
    """A world direction at the start, in body axes."""
    found: Array = u.dot(body.pose.B)  # Bᵀ u; for single vectors `dot` takes a quarter of the time of `@`
    return found


def across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed triad with the unit vector `axis`; they must not be changed."""
    return _across(axis.tobytes())


@lru_cache(maxsize=1024)  # many joints of a model have the same axis
def _across(bits: bytes) -> tuple[Array, Array]:
    axis = np.frombuffer(bits)
    x, y, z = map(abs, axis.tolist())
    e1 = cross(axis, UNIT[0 if x <= y and x <= z else 1 if y <= z else 2])
    e1 /= math.sqrt(e1 @ e1)
    e2 = cross(axis, e1)
    e1.flags.writeable = e2.flags.writeable = False
    return e1, e2


def coincide(a: Point, b: Point) -> list[Row]:
    """The two points stay together."""
    return [Row("COINCIDE", a, b, ZERO, ZERO, 0.0, k) for k in range(3)]


def aligned(a: Point, b: Point, axis: Array) -> list[Row]:
    """The axis, fixed to the second body, stays perpendicular to two directions of the first: the bodies share it."""
    w = local(b.body, axis)
    return [Row("DOT1", a, b, local(a.body, e), w) for e in across(axis)]


def oriented(a: Point, b: Point) -> list[Row]:
    """The bodies do not rotate relative to each other."""
    e = np.eye(3)
    return [Row("DOT1", a, b, local(a.body, e[k]), local(b.body, e[(k + 1) % 3])) for k in range(3)]


def on_plane(a: Point, b: Point, normal: Array) -> Row:
    """The second point stays in the plane through the first."""
    return Row("DOT2", a, b, local(a.body, normal))
