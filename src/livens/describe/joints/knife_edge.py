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
    a sleigh, a keel."""

    carried: ClassVar = {"across": 1}

    def __init__(self, a: Point, b: Point, across: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.across = direction(across, f"direction across {self.label}")

    def rows(self) -> list[Row]:
        return [Row("EDGE", self.a, self.b, w=local(self.b.body, self.across))]

    def symbols(self) -> tuple[Symbol, ...]:
        """A blade, across which the point does not move."""
        return (Symbol("blade", self.b, local(self.b.body, self.across)),)
