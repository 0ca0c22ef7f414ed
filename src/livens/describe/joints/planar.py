"""Planar joint: 1 DOT2 + 2 DOT1."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ...checks import direction
from ..model import Point
from .joint import Joint
from .row import Row, aligned, on_plane


class Planar(Joint):
    """The second body slides and turns on the plane through the first point with the given normal."""

    def __init__(self, a: Point, b: Point, normal: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.normal = direction(normal, f"normal of {self._label(name)}")
        self.shared = (self.normal,)

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, self.normal), *aligned(self.a, self.b, self.normal)]
