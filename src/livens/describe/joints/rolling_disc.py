"""Rolling disc: 1 RIM + 2 ROLL. The rim of a thin disc touches the plane and the contact does not slip."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from ...checks import Array, direction, positive
from ...errors import ModelError
from ..body import Point
from ..glyph import Symbol
from ..row import Row, local
from .joint import Joint
from .no_slip import no_slip


class RollingDisc(Joint):
    """A thin disc of `radius` [m], with its centre at the second point, rolls without slipping on the plane through the
    first; `normal` of the plane and `axis` of the disc are world directions at the start. It has no coordinate.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> upright = ((1, 0, 0), (0, 0, -1), (0, 1, 0))  # the axis of the cylinder is -y
    >>> coin = m.add(lv.Body(lv.Cylinder(0.1, 0.01, density=1000), at=(0, 0, 0.1), rotation=upright,
    ...                      velocity=(1, 0, 0), angular_velocity=(0, 10, 0), name="coin"))
    >>> ground = m.world.point(0, 0, 0)
    >>> rim = m.add(lv.RollingDisc(ground, coin.center, normal=(0, 0, 1), axis=(0, 1, 0), radius=0.1, name="rim"))
    >>> lv.simulate(m, h=1e-3, until=1.0).position(coin)[-1].round(9).tolist()
    [1.0, 0.0, 0.1]
    """

    carried: ClassVar = {"normal": 0, "axis": 1}

    def __init__(self, a: Point, b: Point, normal: ArrayLike, axis: ArrayLike, radius: float, name: str = ""):
        super().__init__(a, b, name)
        self.normal = direction(normal, f"normal of {self.label}")
        self.axis = direction(axis, f"axis of {self.label}")
        if abs(self.normal @ self.axis) > 1.0 - 1e-9:
            raise ModelError(
                f"{self.label} lies flat (its axis is the plane's normal): its contact is not a single point."
            )
        self.radius = positive(radius, f"radius of {self.label}", "m")

    def rows(self) -> list[Row]:
        w = local(self.b.body, self.axis)
        rim = Row("RIM", self.a, self.b, local(self.a.body, self.normal), w, value=self.radius)
        return [rim, *no_slip(self.a, self.b, self.normal, self.radius, w)]

    @property
    def directions(self) -> tuple[Array, ...]:
        return self.axis, self.normal

    def symbols(self) -> tuple[Symbol, ...]:
        """The plane, and a circle with marks that turns with the body."""
        plane = Symbol("plate", self.a, local(self.a.body, self.normal))
        return plane, Symbol("rolling", self.b, local(self.b.body, self.axis), self.radius)
