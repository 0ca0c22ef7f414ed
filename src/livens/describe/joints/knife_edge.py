"""Knife edge: 1 EDGE. A point does not move across the blade (nonholonomic)."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from ...checks import direction
from ..body import Point
from ..glyph import Symbol
from ..row import Row, local
from .joint import Joint


class KnifeEdge(Joint):
    """The second point does not move along `across` (world axes at the start), a direction fixed to its body: a skate,
    a sleigh, a keel. The constraint is nonholonomic, so the joint has no coordinate.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> sled = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=10), velocity=(1, 0, 0), angular_velocity=(0, 0, 1),
    ...                      name="sled"))
    >>> edge = m.add(lv.KnifeEdge(m.world.point(0, 0, 0), sled.point(0, 0, 0), across=(0, 1, 0), name="edge"))
    >>> motion = lv.simulate(m, h=1e-3, until=1.0)  # a blade below the centre runs on a circle
    >>> round(float((motion.velocity(sled)[-1] ** 2).sum() ** 0.5), 9)
    1.0
    """

    carried: ClassVar = {"across": 1}

    def __init__(self, a: Point, b: Point, across: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.across = direction(across, f"direction across {self.label}")

    def rows(self) -> list[Row]:
        return [Row("EDGE", self.a, self.b, w=local(self.b.body, self.across))]

    def symbols(self) -> tuple[Symbol, ...]:
        """A blade, across which the point does not move."""
        return (Symbol("blade", self.b, local(self.b.body, self.across)),)
