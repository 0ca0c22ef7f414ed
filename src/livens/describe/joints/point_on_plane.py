"""Point on a plane: 1 DOT2."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ...checks import direction
from ..model import Point
from .joint import Joint
from .row import Row, on_plane


class PointOnPlane(Joint):
    """The second point stays in the plane through the first, which the first body carries."""

    def __init__(self, a: Point, b: Point, normal: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.normal = direction(normal, f"normal of {self._label(name)}")

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, self.normal)]
