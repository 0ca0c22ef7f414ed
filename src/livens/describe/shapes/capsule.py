"""Capsule along z: a cylinder with two half balls."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from ..contact_shape import ContactShape
from ..surface import Surface
from ..tessellate import capsule
from .uniform import Facts, Uniform


@dataclass(frozen=True, repr=False)
class Capsule(Uniform):
    """A cylinder of `radius` and `length` [m] along z, closed by two half balls beyond `length`; centred.

    >>> limb = Capsule(0.05, 0.4, density=1000)
    >>> round(limb.mass_properties.mass, 6)
    3.665191
    """

    radius: float
    length: float

    def _facts(self) -> Facts:
        r, l = self.radius, self.length
        A, S = pi * r**2 * l, 4 / 3 * pi * r**3
        across = (A * r**2 / 4 + S * r**2 / 5) / (A + S)
        along = (A * l**2 / 12 + S * (l**2 / 4 + 3 * r * l / 8 + r**2 / 5)) / (A + S)
        return Facts(A + S, (across, across, along))

    @property
    def surface(self) -> Surface:
        """The side and two half spheres."""
        return capsule(self.radius, self.length)

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """The capsule."""
        return (ContactShape("CAPSULE", size=(self.radius, 0.0, 0.0), half=0.5 * self.length),)
