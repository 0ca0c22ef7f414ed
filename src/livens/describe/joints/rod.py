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
    """A massless rod (beam): the distance of the points is `length` [m] (None: their distance at the start)."""

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
