"""Point on a line: 2 DOT2."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ...checks import direction
from ..model import Point
from .joint import Joint
from .row import Row, across, on_plane


class PointOnLine(Joint):
    """The second point stays on the line through the first along `axis`, which the first body carries."""

    def __init__(self, a: Point, b: Point, axis: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.axis = direction(axis, f"axis of {self._label(name)}")

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, e) for e in across(self.axis)]
