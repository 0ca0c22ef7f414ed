"""Cylindrical joint: 2 DOT2 + 2 DOT1."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ...checks import Array
from ..body import Point
from ..row import Drive, Row, across, aligned, on_plane
from ..symmetry import Symmetry
from ..thing import Freedom
from .axial import Axial
from .coordinated import Numbers


class Cylindrical(Axial):
    """The second body turns about `axis` and moves along it.

    Coordinates: the angle [rad] and the displacement [m], each `start` at the start. stiffness [N m/rad, N/m] and
    rest [rad, m]: springs, which have no torque and no force at `rest`; damping [N m s/rad, N s/m]; limits [rad, m],
    each (lower, upper): springs of limit_stiffness [N m/rad, N/m] beyond them. These and start take a pair for both
    coordinates; one number is that of the angle. drive: the angle [rad] as a function of time; start_rate [rad/s]: its
    rate at the start.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> piston = m.add(lv.Body(lv.Cylinder(0.05, 0.2, density=2700), name="piston"))
    >>> sleeve = m.add(lv.Cylindrical(m.world.point(0, 0, 0), piston.point(0, 0, 0), axis=(0, 0, 1),
    ...                               stiffness=(0.0, 200.0), start=(0.0, 0.1), name="sleeve"))
    >>> round(float(lv.dynamics(m).potential[0]), 12)  # ½ · 200 N/m · (0.1 m)²
    1.0
    """

    on_first, on_second = "rail", "pin"
    coordinate_kinds = ("ANGLE", "DISPLACEMENT")

    # The arguments of Axial are repeated: scenes and editors read the keys of a joint from its signature.
    def __init__(
        self,
        a: Point,
        b: Point,
        axis: ArrayLike,
        stiffness: Numbers = 0.0,
        rest: Numbers = 0.0,
        damping: Numbers = 0.0,
        limits: ArrayLike | None = None,
        limit_stiffness: Numbers = 1e5,
        drive: Drive | None = None,
        start_rate: float | None = None,
        start: Numbers = 0.0,
        name: str = "",
    ):
        given: dict[str, Any] = {"stiffness": stiffness, "rest": rest, "damping": damping, "start": start}
        given |= {"limits": limits, "limit_stiffness": limit_stiffness, "drive": drive, "start_rate": start_rate}
        super().__init__(a, b, axis, **given, name=name)

    def constraints(self) -> list[Row]:
        slide = [on_plane(self.a, self.b, e) for e in across(self.axis)]
        return slide + aligned(self.a, self.b, self.axis)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return Freedom("slide", self.axis), Freedom("hinge", self.axis)

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        return Symmetry(self.free_direction("DISPLACEMENT", acted), self.free_direction("ANGLE", acted), x)
