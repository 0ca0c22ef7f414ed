"""Point mass: mass without extent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ...checks import positive
from ..contact_shape import ContactShape
from ..mass import MassProperties
from ..surface import Surface
from ..tessellate import ball
from .uniform import DOT


@dataclass(frozen=True)
class PointMass:
    """All of `mass` [kg] at the origin: it has no inertia.

    >>> bob = PointMass(2.0)
    >>> bob.mass_properties.about((0, 0, 1)).diagonal().tolist()
    [2.0, 2.0, 0.0]
    """

    mass: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", positive(self.mass, "PointMass mass", "kg"))

    @cached_property
    def mass_properties(self) -> MassProperties:
        """The mass, with zero inertia."""
        return MassProperties(self.mass, (0.0, 0.0, 0.0))

    @property
    def surface(self) -> Surface:
        """A small ball, so that it can be seen."""
        return ball(DOT)

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """A point."""
        return (ContactShape("BALL"),)
