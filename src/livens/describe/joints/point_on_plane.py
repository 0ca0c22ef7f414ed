"""Point on a plane: 1 DOT2."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from ...checks import Array, direction
from ..body import Point
from ..row import Row, on_plane
from ..symmetry import ALL, NONE, Symmetry, line_along, plane_across
from .joint import Joint


class PointOnPlane(Joint):
    """The second point stays in the plane through the first, which the first body carries."""

    on_first, on_second = "plate", "ball"
    carried: ClassVar = {"normal": 0}

    def __init__(self, a: Point, b: Point, normal: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.normal = direction(normal, f"normal of {self.label}")

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, self.normal)]

    @property
    def directions(self) -> tuple[Array, ...]:
        return (self.normal,)

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        """If the world carries the plane, motions in it; if the world carries the point, rotations about it."""
        if not self.a.body.is_world:
            return Symmetry(NONE, ALL, x)
        return Symmetry(plane_across(self.normal), line_along(self.normal))
