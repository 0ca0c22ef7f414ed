"""Revolute joint: 3 COINCIDE + 2 DOT1."""

from __future__ import annotations

from .axial import Axial
from .row import Row, aligned, coincide


class Revolute(Axial):
    """A hinge: the points stay together and the bodies share `axis` (world axes at the start). Coordinate: angle.

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

    def rows(self) -> list[Row]:
        return coincide(self.a, self.b) + aligned(self.a, self.b, self.axis)
