"""Point on a line: 2 DOT2."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from ...checks import Array, direction
from ..body import Point
from ..row import Row, across, on_plane
from ..symmetry import ALL, NONE, Symmetry, line_along
from .joint import Joint


class PointOnLine(Joint):
    """The second point stays on the line through the first along `axis` (world axes at the start), which the first body
    carries. It has no coordinate; a Prismatic, whose body does not turn, has one.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -10.0))
    >>> bead = m.add(lv.Body(lv.Ball(0.01, mass=0.1), name="bead"))
    >>> wire = m.add(lv.PointOnLine(m.world.point(0, 0, 0), bead.center, axis=(1, 0, -1), name="wire"))
    >>> lv.simulate(m, h=0.01, until=1.0).position(bead)[-1].round(9).tolist()  # half of g along each axis
    [2.5, 0.0, -2.5]
    """

    on_first, on_second = "rail", "ball"
    carried: ClassVar = {"axis": 0}

    def __init__(self, a: Point, b: Point, axis: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.axis = direction(axis, f"axis of {self.label}")

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, e) for e in across(self.axis)]

    @property
    def directions(self) -> tuple[Array, ...]:
        return (self.axis,)

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        """If the world carries the line, motions along and about it; if the world carries the point, rotations."""
        if not self.a.body.is_world:
            return Symmetry(NONE, ALL, x)
        return Symmetry(line_along(self.axis), line_along(self.axis), x)
