"""Rolling ball: 1 DOT2 + 2 ROLL. The height of the centre is constant and the contact does not slip."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, direction, positive
from ..body import Point
from ..glyph import Symbol
from ..row import Row, across, local, on_plane
from .joint import Joint
from .no_slip import no_slip


class RollingBall(Joint):
    """A ball of `radius` [m], with its centre at the second point, rolls without slipping on the plane through the
    first with the given normal (world axes at the start). It has no coordinate.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, density=1000), at=(0, 0, 0.1), velocity=(1, 0, 0),
    ...                      angular_velocity=(0, 10, 0), name="ball"))
    >>> rolling = m.add(lv.RollingBall(m.world.point(0, 0, 0), ball.point(0, 0, 0), normal=(0, 0, 1), radius=0.1))
    >>> lv.simulate(m, h=1e-3, until=1.0).position(ball)[-1].round(9).tolist()
    [1.0, 0.0, 0.1]
    """

    carried: ClassVar = {"normal": 0}

    def __init__(self, a: Point, b: Point, normal: ArrayLike, radius: float, name: str = ""):
        super().__init__(a, b, name)
        self.normal = direction(normal, f"normal of {self.label}")
        self.radius = positive(radius, f"radius of {self.label}", "m")

    def rows(self) -> list[Row]:
        height = on_plane(self.a, self.b, self.normal)._replace(value=self.radius)
        return [height, *no_slip(self.a, self.b, self.normal, self.radius, np.zeros(3))]

    @property
    def directions(self) -> tuple[Array, ...]:
        return (self.normal,)

    def symbols(self) -> tuple[Symbol, ...]:
        """The plane, and a circle with marks that turns with the body."""
        plane = Symbol("plate", self.a, local(self.a.body, self.normal))
        return plane, Symbol("rolling", self.b, local(self.b.body, across(self.normal)[0]), self.radius)
