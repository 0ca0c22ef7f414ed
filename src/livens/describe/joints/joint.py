"""What holds bodies together: each joint a short list of rows.

A joint takes two points and directions in **world axes at the start**; the first point's body carries its axes. Its
rows are of the kinds in kernels/rows.py, and that is all the kernels know of it:

    Spherical     3 COINCIDE                       Planar            1 DOT2 + 2 DOT1
    Revolute      3 COINCIDE + 2 DOT1              Rod               1 DISTANCE
    Universal     3 COINCIDE + 1 DOT1              PointOnLine       2 DOT2
    Rigid         3 COINCIDE + 3 DOT1              PointOnPlane      1 DOT2
    Cylindrical   2 DOT2 + 2 DOT1                  FixedOrientation  3 DOT1
    Prismatic     2 DOT2 + 3 DOT1                  Screw             2 DOT2 + 2 DOT1 + 1 COUPLE
    Coupling: see gears.py.                        RollingBall, RollingDisc, KnifeEdge: see rolling.py.

A Revolute, Prismatic, Cylindrical or Screw has a coordinate on which springs, dampers, stops and drives act: the angle
[rad] by which the second body has turned about the axis since the start, or the displacement [m] of the second point
from the first along it, or both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, answers, direction, not_negative, number, positive
from ...errors import ModelError
from ..model import Body, Point
from ..pose import cross

Drive = Callable[[float], float]
ZERO = np.zeros(3)


class Row(NamedTuple):
    """One row before it is compiled: kind, two points, a direction of each body (body axes), and numbers."""

    kind: str
    a: Point
    b: Point
    u: Array = ZERO
    w: Array = ZERO
    value: float = 0.0
    component: int = 0
    coordinates: tuple[Coordinate, ...] = ()
    ratios: tuple[float, ...] = ()
    drive: Drive | None = None
    rate: float = 0.0
    bodies: tuple[Body, ...] = ()  # all bodies of a TAPE row


class Coordinate:
    """The angle or displacement of a joint: what springs, stops, motors and drives act on."""

    def __init__(self, joint: Any, kind: str, a: Point, b: Point, axis: Array):
        self.joint, self.kind, self.a, self.b = joint, kind, a, b
        e1, e2 = across(axis)
        self.axis = local(a.body, axis)
        self.dial = np.array([local(a.body, e1), local(a.body, e2)])
        self.hand = local(b.body, e1)
        self.start = float(axis @ (b.start - a.start)) if kind == "DISPLACEMENT" else 0.0


def local(body: Body, u: Array) -> Array:
    """A world direction at the start, in body axes."""
    return body.pose.B.T @ u


def across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed triad with the unit vector `axis`."""
    k = int(np.argmin(np.abs(axis)))
    e1 = cross(axis, np.eye(3)[k])
    e1 /= np.linalg.norm(e1)
    return e1, cross(axis, e1)


# ── rows that joints share ──


def coincide(a: Point, b: Point) -> list[Row]:
    """The two points stay together."""
    return [Row("COINCIDE", a, b, component=k) for k in range(3)]


def aligned(a: Point, b: Point, axis: Array) -> list[Row]:
    """The axis, fixed to the second body, stays across two directions of the first: the bodies share it."""
    return [Row("DOT1", a, b, local(a.body, e), local(b.body, axis)) for e in across(axis)]


def oriented(a: Point, b: Point) -> list[Row]:
    """The bodies do not turn against each other."""
    e = np.eye(3)
    return [Row("DOT1", a, b, local(a.body, e[k]), local(b.body, e[(k + 1) % 3])) for k in range(3)]


def on_plane(a: Point, b: Point, normal: Array) -> Row:
    """The second point stays in the plane through the first."""
    return Row("DOT2", a, b, local(a.body, normal))


class Joint:
    """Two points and the rows that tie their bodies. Joints with a coordinate may carry a spring, a damper, stops
    and a drive; the others refuse them."""

    kind = "joint"
    has: tuple[str, ...] = ()  # the kinds of its coordinates
    coordinates: tuple[Coordinate, ...] = ()
    shared: tuple[
        Array, ...
    ] = ()  # directions both bodies keep (world axes at the start); rows cannot see them reversed

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Refuse what acts on a coordinate where there is none, before Python calls it an unexpected argument."""
        for option in ("stiffness", "rest", "damping", "limits", "limit_stiffness", "drive", "start_rate"):
            if option in given and not cls.has:
                name = given.get("name") or ""
                raise ModelError(
                    f"{cls.__name__}{f' {name!r}' if name else ''} has no coordinate for {option!r} to act on: put a "
                    "Spring or Damper between points, or use a Revolute or Prismatic."
                )
        return super().__new__(cls)

    def __init__(self, a: Point, b: Point, name: str):
        for point in (a, b):
            if not isinstance(point, Point):
                raise ModelError(f"{self._label(name)} joins points such as body.point(0, 0, 0), not {point!r}.")
        if a.body is b.body:
            raise ModelError(f"{self._label(name)} joins body {a.body.name!r} with itself.")
        self.a, self.b, self.name = a, b, name

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.a, self.b)

    def rows(self) -> list[Row]:
        """The constraint rows of the joint."""
        raise TypeError(f"{type(self).__name__} has no rows of its own")

    def extras(self) -> list[Row]:
        """Rows that act on a joint's coordinate: its drive, which is a constraint, and its damper, which gives way."""
        return []

    def _label(self, name: str) -> str:
        return f"{type(self).__name__} {name!r}" if name else f"a {type(self).__name__}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class Axial(Joint):
    """A joint with an axis and a coordinate.

    stiffness [N m/rad or N/m] and rest [rad or m]: a spring on the coordinate; damping [N m s/rad or N s/m]; limits
    (lower, upper) with limit_stiffness: one-sided springs beyond them, None where there is no limit; drive: the
    coordinate as a function of time; start_rate [rad/s or m/s]: how fast it goes at the start (going.py finds what the
    other bodies do then). Where the joint has an angle and a displacement, they act on the angle.
    """

    has: tuple[str, ...] = ("ANGLE",)

    def __init__(
        self,
        a: Point,
        b: Point,
        axis: ArrayLike,
        stiffness: float = 0.0,
        rest: float = 0.0,
        damping: float = 0.0,
        limits: ArrayLike | None = None,
        limit_stiffness: float = 1e5,
        drive: Drive | None = None,
        start_rate: float | None = None,
        name: str = "",
    ):
        super().__init__(a, b, name)
        label = self._label(name)
        self.axis = direction(axis, f"axis of {label}")
        self.stiffness = not_negative(stiffness, f"stiffness of {label}")
        self.rest = number(rest, f"rest of {label}")
        self.damping = not_negative(damping, f"damping of {label}")
        self.limits = None if limits is None else _limits(limits, f"limits of {label}")
        self.limit_stiffness = positive(limit_stiffness, f"limit stiffness of {label}")
        if drive is not None and not answers(drive, 1):
            raise ModelError(f"drive of {label} must be a function of time, not {drive!r}.")
        self.drive = drive
        self.start_rate = None if start_rate is None else number(start_rate, f"start_rate of {label}")
        if drive is not None and start_rate is not None:
            raise ModelError(f"{label} has both drive and start_rate: the drive says how fast it goes at the start.")
        self.coordinates = tuple(Coordinate(self, kind, a, b, self.axis) for kind in self.has)
        self.shared = (self.axis,) if "ANGLE" in self.has else tuple(np.eye(3))

    def extras(self) -> list[Row]:
        q = self.coordinates[0]
        driven = (
            [Row("COUPLE", self.a, self.b, coordinates=(q,), ratios=(1.0,), drive=self.drive)] if self.drive else []
        )
        damped = (
            [Row("COUPLE", self.a, self.b, coordinates=(q,), ratios=(1.0,), rate=self.damping)] if self.damping else []
        )
        return driven + damped


def _limits(given: Any, what: str) -> Array:
    """(lower, upper); None or infinity leaves a side open."""
    ends = list(given) if np.ndim(given) == 1 and len(given) == 2 else [given]
    ends = [side if x is None else x for x, side in zip(ends, (-np.inf, np.inf), strict=False)]
    try:
        lower, upper = (float(x) for x in ends)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be (lower, upper), not {given!r}.") from None
    if not lower < upper:
        raise ModelError(f"{what} must be (lower, upper), got {[lower, upper]}.")
    return np.array([lower, upper])


class Revolute(Axial):
    """A hinge: the points stay together and the bodies share `axis` (world axes at the start). Coordinate: angle.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    >>> motion = lv.simulate(m, h=1e-3, until=0.5)
    >>> bool(motion.defect_position.max() < 1e-11)
    True
    >>> hinge.start_rate = 2.0
    >>> lv.simulate(m, h=1e-3, until=0.5).velocity(arm.point(0.5, 0, 0))[0].round(9).tolist()
    [0.0, 0.0, -2.0]
    """

    def rows(self) -> list[Row]:
        return coincide(self.a, self.b) + aligned(self.a, self.b, self.axis)


class Cylindrical(Axial):
    """The second body turns about `axis` and moves along it. Coordinates: angle and displacement."""

    has = ("ANGLE", "DISPLACEMENT")

    def rows(self) -> list[Row]:
        slide = [on_plane(self.a, self.b, e) for e in across(self.axis)]
        return slide + aligned(self.a, self.b, self.axis)


class Prismatic(Axial):
    """The second body moves along `axis` without turning. Coordinate: displacement."""

    has = ("DISPLACEMENT",)

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, e) for e in across(self.axis)] + oriented(self.a, self.b)


class Screw(Axial):
    """The second body turns about `axis` and moves along it by `pitch` [m] a turn. Coordinates: angle, displacement."""

    has = ("ANGLE", "DISPLACEMENT")

    def __init__(
        self,
        a: Point,
        b: Point,
        axis: ArrayLike,
        pitch: float,
        stiffness: float = 0.0,
        rest: float = 0.0,
        damping: float = 0.0,
        limits: ArrayLike | None = None,
        limit_stiffness: float = 1e5,
        drive: Drive | None = None,
        start_rate: float | None = None,
        name: str = "",
    ):
        super().__init__(a, b, axis, stiffness, rest, damping, limits, limit_stiffness, drive, start_rate, name)
        self.pitch = number(pitch, f"pitch of {self._label(name)}")

    def rows(self) -> list[Row]:
        slide = [on_plane(self.a, self.b, e) for e in across(self.axis)]
        turn, move = self.coordinates
        thread = Row(
            "COUPLE", self.a, self.b, coordinates=(move, turn), ratios=(1.0, -self.pitch / (2.0 * np.pi)),
            value=move.start,
        )  # fmt: skip
        return [*slide, *aligned(self.a, self.b, self.axis), thread]


class Spherical(Joint):
    """A ball joint: the two points stay together."""

    def __init__(self, a: Point, b: Point, name: str = ""):
        super().__init__(a, b, name)

    def rows(self) -> list[Row]:
        return coincide(self.a, self.b)


class Rigid(Joint):
    """A weld: the bodies move as one."""

    shared = tuple(np.eye(3))

    def __init__(self, a: Point, b: Point, name: str = ""):
        super().__init__(a, b, name)

    def rows(self) -> list[Row]:
        return coincide(self.a, self.b) + oriented(self.a, self.b)


class Universal(Joint):
    """A universal (Cardan) joint: the points stay together, and so does the angle between `axis_a`, fixed to the
    first body, and `axis_b`, fixed to the second (world axes at the start; usually perpendicular)."""

    def __init__(self, a: Point, b: Point, axis_a: ArrayLike, axis_b: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.axis_a = direction(axis_a, f"axis_a of {self._label(name)}")
        self.axis_b = direction(axis_b, f"axis_b of {self._label(name)}")
        if abs(self.axis_a @ self.axis_b) > 0.99:
            raise ModelError(f"the axes of {self._label(name)} are parallel: a universal joint needs two directions.")

    def rows(self) -> list[Row]:
        u, w = local(self.a.body, self.axis_a), local(self.b.body, self.axis_b)
        value = float(self.axis_a @ self.axis_b)
        return [*coincide(self.a, self.b), Row("DOT1", self.a, self.b, u, w, value=value)]


class Planar(Joint):
    """The second body slides and turns on the plane through the first point with the given normal."""

    def __init__(self, a: Point, b: Point, normal: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.normal = direction(normal, f"normal of {self._label(name)}")
        self.shared = (self.normal,)

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, self.normal), *aligned(self.a, self.b, self.normal)]


class PointOnPlane(Joint):
    """The second point stays in the plane through the first, which the first body carries."""

    def __init__(self, a: Point, b: Point, normal: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.normal = direction(normal, f"normal of {self._label(name)}")

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, self.normal)]


class PointOnLine(Joint):
    """The second point stays on the line through the first along `axis`, which the first body carries."""

    def __init__(self, a: Point, b: Point, axis: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.axis = direction(axis, f"axis of {self._label(name)}")

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, e) for e in across(self.axis)]


class FixedOrientation(Joint):
    """Two bodies that do not turn against each other and move freely otherwise."""

    shared = tuple(np.eye(3))

    def __init__(self, body_a: Body, body_b: Body, name: str = ""):
        for body in (body_a, body_b):
            if not isinstance(body, Body):
                raise ModelError(f"{self._label(name)} joins bodies, not {body!r}.")
        super().__init__(body_a.point(0, 0, 0), body_b.point(0, 0, 0), name)
        self.body_a, self.body_b = body_a, body_b

    def rows(self) -> list[Row]:
        return oriented(self.a, self.b)


class Rod(Joint):
    """A massless rod (beam): the points keep their distance `length` [m] (None: that at the start)."""

    def __init__(self, a: Point, b: Point, length: float | None = None, name: str = ""):
        super().__init__(a, b, name)
        label = self._label(name)
        self.length = (
            float(np.linalg.norm(b.start - a.start)) if length is None else not_negative(length, f"length of {label}")
        )
        if self.length <= 1e-12 * max(1.0, float(np.abs(a.start).max())):
            raise ModelError(
                f"{label} has length zero, where its direction is lost: use Spherical for points that coincide."
            )

    def rows(self) -> list[Row]:
        return [Row("DISTANCE", self.a, self.b, value=self.length)]
