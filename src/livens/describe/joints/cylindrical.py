"""Cylindrical joint: 2 DOT2 + 2 DOT1."""

from __future__ import annotations

from ...checks import Array
from ..row import Row, across, aligned, on_plane
from ..symmetry import Symmetry, line_along
from ..thing import Freedom
from .axial import Axial


class Cylindrical(Axial):
    """The second body turns about `axis` and moves along it. Coordinates: angle and displacement."""

    coordinate_kinds = ("ANGLE", "DISPLACEMENT")

    def constraints(self) -> list[Row]:
        slide = [on_plane(self.a, self.b, e) for e in across(self.axis)]
        return slide + aligned(self.a, self.b, self.axis)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return Freedom("slide", self.axis), Freedom("hinge", self.axis)

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        return Symmetry(line_along(self.axis), self.free_direction(acted), x)
