"""Cylinder along z: V = πr²l, e = (r²/4, r²/4, l²/12)."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from ..contact_shape import ANGULAR, SMOOTH, ContactShape, hull, prism
from ..surface import Surface
from ..tessellate import cylinder
from .uniform import Facts, Uniform


@dataclass(frozen=True, repr=False)
class Cylinder(Uniform):
    """A solid cylinder of `radius` and `length` [m] along z, centred.

    >>> wheel = Cylinder(0.4, 0.1, mass=10.0)
    >>> wheel.mass_properties.inertia.diagonal().round(6).tolist()
    [0.408333, 0.408333, 0.8]
    """

    radius: float
    length: float

    def _facts(self) -> Facts:
        r, l = self.radius, self.length
        return Facts(pi * r**2 * l, (r**2 / 4, r**2 / 4, l**2 / 12))

    @property
    def surface(self) -> Surface:
        """The side and two flat ends."""
        return cylinder(self.radius, self.length)

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """The cylinder against planes, balls and ellipsoids, a prism against others."""
        exact = ContactShape("CYLINDER", size=(self.radius, self.radius, 0.0), half=0.5 * self.length, meets=SMOOTH)
        return exact, hull(prism(self.radius, self.length), ANGULAR)
