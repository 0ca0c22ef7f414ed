"""Massless rod: 1 DISTANCE."""

from __future__ import annotations

import numpy as np

from ...checks import Array, not_negative
from ...errors import ModelError
from ..body import Point
from ..glyph import Glyph, Symbol
from ..row import Row
from ..symmetry import ALL, NONE, Symmetry
from .joint import Joint


class Rod(Joint):
    """A massless rod: the distance of the points is `length` [m] (None: their distance at the start).

    It has no coordinate, and so no stiffness or drive; `lv.Spring` is a rod that stretches.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bob = m.add(lv.Body(lv.Ball(0.05, mass=1.0), at=(0.6, 0, -0.8), name="bob"))
    >>> rod = m.add(lv.Rod(m.world.point(0, 0, 0), bob.center, name="rod"))
    >>> rod.length, bool(lv.simulate(m, h=1e-3, until=0.5).defect_position.max() < 1e-11)
    (1.0, True)
    """

    def __init__(self, a: Point, b: Point, length: float | None = None, name: str = ""):
        super().__init__(a, b, name)
        label = self.label
        self.length = (
            float(np.linalg.norm(b.start - a.start)) if length is None else not_negative(length, f"length of {label}")
        )
        if self.length <= 1e-12 * max(float(np.abs(x).max()) for x in (a.start, b.start, a.r, b.r)):
            raise ModelError(
                f"{label} has length zero, so it has no direction: use Spherical for points that coincide."
            )

    def rows(self) -> list[Row]:
        return [Row("DISTANCE", self.a, self.b, value=self.length)]

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        return Symmetry(NONE, ALL, x)

    def glyphs(self) -> list[Glyph]:
        return [Glyph("rod", (self.a, self.b), symbols=(Symbol("ball", self.a), Symbol("ball", self.b)))]
