"""Thin rod along x: e = (l²/12, 0, 0)."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import ClassVar

from ..contact_shape import PLANES, ContactShape
from ..pose import Pose
from ..surface import Surface
from ..tessellate import cylinder
from .uniform import THIN, Facts, Uniform


@dataclass(frozen=True, repr=False)
class ThinRod(Uniform):
    """A straight rod of `length` [m] along x without thickness, centred: no inertia about x; density in kg/m.

    >>> rod = ThinRod(2.0, mass=3.0)
    >>> rod.mass_properties.inertia.diagonal().tolist()
    [0.0, 1.0, 1.0]
    """

    length: float
    _unit: ClassVar[str] = "kg/m"

    def _facts(self) -> Facts:
        return Facts(self.length, (self.length**2 / 12, 0.0, 0.0))

    @property
    def surface(self) -> Surface:
        """A thin cylinder."""
        return cylinder(THIN / 2 * self.length, self.length).moved(Pose.from_axis_angle((0, 1, 0), pi / 2))

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """Its two ends, against planes."""
        ends = ((-0.5 * self.length, 0.0, 0.0), (0.5 * self.length, 0.0, 0.0))
        return tuple(ContactShape("BALL", Pose(x), meets=PLANES) for x in ends)
