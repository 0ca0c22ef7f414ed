"""Thin plate in the x–y plane: e = (x²/12, y²/12, 0)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..contact_shape import PLANES, ContactShape
from ..pose import Pose
from ..surface import Surface, box_surface
from .uniform import THIN, Facts, Uniform


@dataclass(frozen=True, repr=False)
class ThinPlate(Uniform):
    """A rectangle with sides x, y [m] in the x-y plane without thickness, centred; density in kg/m².

    >>> plate = ThinPlate(1.0, 2.0, mass=12.0)
    >>> plate.mass_properties.inertia.diagonal().tolist()
    [4.0, 1.0, 5.0]
    """

    x: float
    y: float
    _unit: ClassVar[str] = "kg/m²"

    def _facts(self) -> Facts:
        return Facts(self.x * self.y, (self.x**2 / 12, self.y**2 / 12, 0.0))

    @property
    def surface(self) -> Surface:
        """A thin box."""
        return box_surface((self.x, self.y, THIN * min(self.x, self.y)))

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """Its four corners, against planes."""
        corners = [(x * self.x, y * self.y, 0.0) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
        return tuple(ContactShape("BALL", Pose(x), meets=PLANES) for x in corners)
