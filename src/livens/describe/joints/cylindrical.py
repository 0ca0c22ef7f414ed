"""Cylindrical joint: 2 DOT2 + 2 DOT1."""

from __future__ import annotations

from .axial import Axial
from .row import Row, across, aligned, on_plane


class Cylindrical(Axial):
    """The second body turns about `axis` and moves along it. Coordinates: angle and displacement."""

    has = ("ANGLE", "DISPLACEMENT")

    def rows(self) -> list[Row]:
        slide = [on_plane(self.a, self.b, e) for e in across(self.axis)]
        return slide + aligned(self.a, self.b, self.axis)
