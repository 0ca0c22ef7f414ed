"""Prismatic joint: 2 DOT2 + 3 DOT1."""

from __future__ import annotations

from .axial import Axial
from .row import Row, across, on_plane, oriented


class Prismatic(Axial):
    """The second body moves along `axis` without turning. Coordinate: displacement."""

    has = ("DISPLACEMENT",)

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, e) for e in across(self.axis)] + oriented(self.a, self.b)
