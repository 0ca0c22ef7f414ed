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
    """The second point stays in the plane through the first with the given normal (world axes at the start), which the
    first body carries. It has no coordinate; a Planar joint, whose body stays parallel to the plane, has three.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -10.0))
    >>> foot = m.add(lv.Body(lv.Ball(0.05, mass=1.0), velocity=(1, 0, 0), name="foot"))
    >>> floor = m.add(lv.PointOnPlane(m.world.point(0, 0, 0), foot.center, normal=(0, 0, 1), name="floor"))
    >>> lv.simulate(m, h=0.01, until=0.5).reaction(floor)[-1].round(9).tolist()
    [0.0, 0.0, 10.0]
    """

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
