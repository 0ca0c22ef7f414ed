"""Prismatic joint: 2 DOT2 + 3 DOT1."""

from __future__ import annotations

from ...checks import Array
from ..row import Row, across, on_plane, oriented
from ..symmetry import NONE, Symmetry
from ..thing import Freedom
from .axial import Axial


class Prismatic(Axial):
    """The second body moves along `axis` without turning.

    Coordinate: the displacement [m] of the second body along the axis, `start` at the start, wherever the points are.
    stiffness [N/m], rest [m]: a spring, which has no force at the displacement `rest`. damping [N s/m].
    limits (lower, upper) [m], None on a side without one: springs of limit_stiffness [N/m] beyond them; `lv.Stop` is a
    hard stop. drive: the displacement [m] as a function of time. start_rate [m/s]: the rate at the start; the
    velocities of all bodies follow from it.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> cart = m.add(lv.Body(lv.Box(1, 1, 1, density=2.0), at=(2, 0, 0), name="cart"))
    >>> rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.point(0, 0, 0), axis=(1, 0, 0), start=0.5, name="rail"))
    >>> lv.dynamics(m).coordinate("rail").tolist()
    [0.5]
    """

    on_first, on_second = "rail", "block"
    coordinate_kinds = ("DISPLACEMENT",)

    def constraints(self) -> list[Row]:
        return [on_plane(self.a, self.b, e) for e in across(self.axis)] + oriented(self.a, self.b)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return (Freedom("slide", self.axis),)

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        return Symmetry(self.free_direction("DISPLACEMENT", acted), NONE)
