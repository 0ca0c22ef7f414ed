"""Revolute joint: 3 COINCIDE + 2 DOT1."""

from __future__ import annotations

from ...checks import Array
from ..row import Row, aligned, coincide
from ..symmetry import NONE, Symmetry
from ..thing import Freedom
from .axial import Axial


class Revolute(Axial):
    """A hinge: the points stay together and the bodies share `axis` (world axes at the start).

    Coordinate: the angle [rad] of the second body about the axis, `start` at the start, over many turns.
    stiffness [N m/rad], rest [rad]: a spring, which has no torque at the angle `rest`. damping [N m s/rad].
    limits (lower, upper) [rad], None on a side without one: springs of limit_stiffness [N m/rad] beyond them; `lv.Stop`
    is a hard stop. drive: the angle [rad] as a function of time. start_rate [rad/s]: the rate at the start; the
    velocities of all bodies follow from it.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    >>> motion = lv.simulate(m, h=1e-3, until=0.5)
    >>> bool(motion.defect_position.max() < 1e-11)
    True
    >>> hinge.start_rate = 2.0
    >>> lv.simulate(m, h=1e-3, until=0.5).velocity(arm.point(0.5, 0, 0))[0].round(9).tolist()
    [0.0, 0.0, -2.0]
    """

    on_first, on_second = "pin", ""

    def constraints(self) -> list[Row]:
        return coincide(self.a, self.b) + aligned(self.a, self.b, self.axis)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return (Freedom("hinge", self.axis),)

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        return Symmetry(NONE, self.free_direction("ANGLE", acted), x)
