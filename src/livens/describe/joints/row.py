"""The rows of which joints are made: one row is one scalar constraint equation between two bodies.

A row has a kind (kernels/rows.py), two points, a direction of each body and numbers. Joints share the groups of rows
below: points that coincide, an axis that both bodies share, a fixed relative orientation, a point in a plane.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...checks import Array
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
