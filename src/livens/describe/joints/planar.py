"""Planar joint: 1 DOT2 + 2 DOT1."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ...checks import Array, direction
from ..body import Point
from ..row import Row, across, aligned, on_plane
from ..symmetry import Symmetry, line_along, plane_across
from ..thing import Freedom
from .joint import Joint


class Planar(Joint):
    """The second body slides and turns on the plane through the first point with the given normal."""

    def __init__(self, a: Point, b: Point, normal: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.normal = direction(normal, f"normal of {self.label}")
        self.shared = (self.normal,)

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, self.normal), *aligned(self.a, self.b, self.normal)]

    @property
    def directions(self) -> tuple[Array, ...]:
        return (self.normal,)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return (*(Freedom("slide", e) for e in across(self.normal)), Freedom("hinge", self.normal))

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        return Symmetry(plane_across(self.normal), line_along(self.normal))
