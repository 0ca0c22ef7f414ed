"""Spherical joint: 3 COINCIDE."""

from __future__ import annotations

from ..model import Point
from .joint import Joint
from .row import Row, coincide


class Spherical(Joint):
    """A ball joint: the two points stay together."""

    def __init__(self, a: Point, b: Point, name: str = ""):
        super().__init__(a, b, name)

    def rows(self) -> list[Row]:
        return coincide(self.a, self.b)
