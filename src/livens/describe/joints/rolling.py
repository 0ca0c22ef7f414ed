"""What rolls and cuts: constraints on velocities that no position can express (nonholonomic).

    RollingBall    1 DOT2 + 2 ROLL        the centre keeps its height; the contact does not slip
    RollingDisc    1 RIM  + 2 ROLL        the rim of a thin disc touches the plane; the contact does not slip
    KnifeEdge      1 EDGE                 a point does not move across the blade

The first point lies in the plane (usually the world's), `normal` points out of it (world axes at the start).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, direction, positive
from ...errors import ModelError
from ..model import Point
from .joint import Joint, Row, across, local, on_plane


def _no_slip(a: Point, b: Point, normal: Array, radius: float, axis: Array) -> list[Row]:
    """Two rows: the contact, `radius` from the centre b, does not move along the plane. ROLL keeps its direction in u
    and w what `contact` needs; the tangent rides in the first point."""
    return [
        Row("ROLL", Point(a.body, local(a.body, t)), b, local(a.body, normal), axis, value=radius)
        for t in across(normal)
    ]


class RollingBall(Joint):
    """A ball with its centre at the second point rolls without slipping on the plane through the first.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, density=1000), at=(0, 0, 0.1), velocity=(1, 0, 0), name="ball"))
    >>> rolling = m.add(lv.RollingBall(m.world.point(0, 0, 0), ball.point(0, 0, 0), normal=(0, 0, 1), radius=0.1))
    """

    def __init__(self, a: Point, b: Point, normal: ArrayLike, radius: float, name: str = ""):
        super().__init__(a, b, name)
        self.normal = direction(normal, f"normal of {self._label(name)}")
        self.radius = positive(radius, f"radius of {self._label(name)}", "m")

    def rows(self) -> list[Row]:
        height = on_plane(self.a, self.b, self.normal)._replace(value=self.radius)
        return [height, *_no_slip(self.a, self.b, self.normal, self.radius, np.zeros(3))]


class RollingDisc(Joint):
    """A thin disc with its centre at the second point and the given axis rolls without slipping on the plane through
    the first (axes in world directions at the start)."""

    def __init__(self, a: Point, b: Point, normal: ArrayLike, axis: ArrayLike, radius: float, name: str = ""):
        super().__init__(a, b, name)
        self.normal = direction(normal, f"normal of {self._label(name)}")
        self.axis = direction(axis, f"axis of {self._label(name)}")
        if abs(self.normal @ self.axis) > 1.0 - 1e-9:
            raise ModelError(f"{self._label(name)} lies flat (its axis is the plane's normal): it has no one contact.")
        self.radius = positive(radius, f"radius of {self._label(name)}", "m")

    def rows(self) -> list[Row]:
        w = local(self.b.body, self.axis)
        rim = Row("RIM", self.a, self.b, local(self.a.body, self.normal), w, value=self.radius)
        return [rim, *_no_slip(self.a, self.b, self.normal, self.radius, w)]


class KnifeEdge(Joint):
    """The second point does not move along `across` (world axes at the start), a direction fixed to its body: a skate,
    a sleigh, a keel."""

    def __init__(self, a: Point, b: Point, across: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.across = direction(across, f"direction across {self._label(name)}")

    def rows(self) -> list[Row]:
        return [Row("EDGE", self.a, self.b, w=local(self.b.body, self.across))]
