"""Prismatic joint: 2 DOT2 + 3 DOT1."""

from __future__ import annotations

from ...checks import Array
from ..row import Row, across, on_plane, oriented
from ..symmetry import NONE, Symmetry
from ..thing import Freedom
from .axial import Axial


class Prismatic(Axial):
    """The second body moves along `axis` without turning. Coordinate: displacement."""

    coordinate_kinds = ("DISPLACEMENT",)

    def constraints(self) -> list[Row]:
        return [on_plane(self.a, self.b, e) for e in across(self.axis)] + oriented(self.a, self.b)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return (Freedom("slide", self.axis),)

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        return Symmetry(self.free_direction(acted), NONE)
