"""The motion at one moment, for controllers: coordinates, velocities and positions in a few microseconds.

A controller reads a few numbers thousands of times a second. NumPy takes a microsecond or more for every operation on
three numbers, so the formulas of trajectory.py (1) and joints.py are written out here for one state, in plain numbers.
Whatever else a Trajectory has, an Instant has too.
"""

from __future__ import annotations

from math import atan2, isnan, pi
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.joint_frames import CoordinateFrame
from ..compile.joint_space import read_state, space_of
from ..compile.states import selected
from ..describe.model import Body, Point
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels.arrays import State
from ..step import Scheme
from .trajectory import Trajectory

Vector = tuple[float, float, float]


class Reader(NamedTuple):
    """A joint coordinate in numbers: bodies, points and directions about centres of mass, in principal axes."""

    angle: bool
    ball: bool  # a component of a rotation vector
    place: int  # in state.angle; −1 where nothing acts on the coordinate
    number: int  # of the angle in state.half_turns; −1 where it has a place, or is a displacement
    a: int
    b: int
    axis: Vector  # of body a
    dial: tuple[Vector, Vector]  # directions of body a across the axis
    hand: Vector  # direction of body b
    ends: tuple[Vector, Vector]  # the joint's points


class Instant(Trajectory):
    """A motion of one state."""

    def __init__(
        self,
        compiled: Compiled,
        scheme: Scheme,
        h: float,
        t: float,
        record: State,
        readers: dict[Any, list[Reader]] | None = None,
    ):
        """record: one state; readers: those that were made before, to be shared by all moments of a run."""
        super().__init__(compiled, scheme, h, 1, np.array([t]), record, 0, 0.0)
        self._readers: dict[Any, list[Reader]] = {} if readers is None else readers

    @property
    def q(self) -> Array:
        """All joint coordinates [rad or m], one for each of `names` (k,)."""
        return read_state(space_of(self.compiled), selected(self.record, 0))[0]

    @property
    def v(self) -> Array:
        """Their rates [rad/s or m/s] (k,)."""
        return read_state(space_of(self.compiled), selected(self.record, 0))[1]

    def coordinate(self, joint: Any) -> Array:
        """Angle [rad] or displacement [m] of a joint (1,); (1, k) where it has several."""
        if self._of(joint)[0].ball:
            return super().coordinate(joint)
        values = [self._value(reader) for reader in self._of(joint)]
        return np.array(values if len(values) == 1 else [values])

    def rate(self, joint: Any) -> Array:
        """Rate of the coordinate [rad/s or m/s] (1,); (1, k) where the joint has several."""
        if self._of(joint)[0].ball:
            return super().rate(joint)
        values = [self._rate(reader) for reader in self._of(joint)]
        return np.array(values if len(values) == 1 else [values])

    def position(self, what: Point | Body | str) -> Array:
        """World position of a point, or of the origin of a body frame [m] (1, 3)."""
        k, r = self._lever(what)
        return np.array([_add(self.record.a[0, k].tolist(), _turned(self.record.B[0, k].tolist(), r))])

    def velocity(self, what: Point | Body | str) -> Array:
        """World velocity of a point, or of the origin of a body frame [m/s] (1, 3)."""
        return np.array([self._velocity(*self._lever(what))])

    # ── inside ──

    def _of(self, joint: Any) -> list[Reader]:
        if joint in self._readers:
            return self._readers[joint]
        mine = self.own(joint)
        frame = self.compiled.frames.get(mine) if isinstance(mine, Thing) else None
        if frame is None or not frame.coordinates:
            raise ModelError(f"{mine!r} has no coordinate; a Revolute, Prismatic, Universal, Planar or Spherical has.")
        self._readers[joint] = [_reader(self.compiled, q) for q in frame.coordinates]
        return self._readers[joint]

    def _value(self, q: Reader) -> float:
        if q.place >= 0:
            return float(self.record.angle[0, q.place])
        A, B = self.record.B[0, q.a].tolist(), self.record.B[0, q.b].tolist()
        if q.angle:
            hand = _turned(B, q.hand)
            angle = atan2(_dot(_turned(A, q.dial[1]), hand), _dot(_turned(A, q.dial[0]), hand))
            near = (float(self.record.half_turns[0, q.number]) + 0.5) * pi
            return angle if isnan(near) else angle + 2.0 * pi * round((near - angle) / (2.0 * pi))
        return _dot(_turned(A, q.axis), self._apart(q, A, B))

    def _rate(self, q: Reader) -> float:
        A, B = self.record.B[0, q.a].tolist(), self.record.B[0, q.b].tolist()
        axis, spin = _turned(A, q.axis), _turned(A, self._spin(q.a))
        if q.angle:
            return _dot(axis, _minus(_turned(B, self._spin(q.b)), spin))
        across = _dot(_cross(spin, axis), self._apart(q, A, B))
        return _dot(axis, _minus(self._velocity(q.b, q.ends[1]), self._velocity(q.a, q.ends[0]))) + across

    def _apart(self, q: Reader, A: Any, B: Any) -> Vector:
        """From the first point of a joint to its second."""
        one = _add(self.record.a[0, q.a].tolist(), _turned(A, q.ends[0]))
        return _minus(_add(self.record.a[0, q.b].tolist(), _turned(B, q.ends[1])), one)

    def _spin(self, k: int) -> Vector:
        """Angular velocity of body k in principal axes."""
        x, y, z = self.record.L[0, k].tolist()
        u, v, w = self.system.bodies.inverse_inertia[k].tolist()
        return x * u, y * v, z * w

    def _velocity(self, k: int, r: Vector) -> Vector:
        """Velocity of the point r of body k, about its centre of mass in principal axes."""
        px, py, pz = self.record.p[0, k].tolist()
        s = float(self.system.bodies.inverse_mass[k])
        return _add((px * s, py * s, pz * s), _turned(self.record.B[0, k].tolist(), _cross(self._spin(k), r)))

    def _lever(self, what: Point | Body | str) -> tuple[int, Vector]:
        k, r = self._point(what)
        return k, _local(self.compiled, k, r.tolist())


def _reader(compiled: Compiled, q: CoordinateFrame) -> Reader:
    Qa, Qb = compiled.system.bodies.axes[q.a].T, compiled.system.bodies.axes[q.b].T
    return Reader(
        angle=q.is_angle,
        ball=q.kind == "COMPONENT",
        place=q.place,
        number=q.number,
        a=q.a,
        b=q.b,
        axis=_three(Qa @ q.axis),
        dial=(_three(Qa @ q.dial[0]), _three(Qa @ q.dial[1])),
        hand=_three(Qb @ q.hand),
        ends=(_local(compiled, q.a, q.point_a.tolist()), _local(compiled, q.b, q.point_b.tolist())),
    )


def _local(compiled: Compiled, k: int, r: list[float]) -> Vector:
    """The point r of the body frame of body k, about its centre of mass in principal axes."""
    (a, b, c), (d, e, f), (g, h, i) = compiled.system.bodies.axes[k].tolist()
    x, y, z = _minus(r, compiled.system.bodies.center[k].tolist())
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


def _three(u: Array) -> Vector:
    return float(u[0]), float(u[1]), float(u[2])


def _turned(B: Any, u: Vector) -> Vector:
    (a, b, c), (d, e, f), (g, h, i) = B
    x, y, z = u
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


def _dot(u: Vector, v: Vector) -> float:
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def _cross(u: Vector, v: Vector) -> Vector:
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


def _add(u: Any, v: Any) -> Vector:
    return u[0] + v[0], u[1] + v[1], u[2] + v[2]


def _minus(u: Any, v: Any) -> Vector:
    return u[0] - v[0], u[1] - v[1], u[2] - v[2]
