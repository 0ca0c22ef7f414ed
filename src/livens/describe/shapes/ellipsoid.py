"""Ellipsoid: V = 4πxyz/3, e = (x², y², z²)/5."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from ..contact_shape import ContactShape
from ..surface import Surface
from ..tessellate import ball
from .uniform import Facts, Uniform


@dataclass(frozen=True, repr=False)
class Ellipsoid(Uniform):
    """A solid ellipsoid with semi-axes x, y, z [m], centred.

    >>> pebble = Ellipsoid(0.3, 0.2, 0.1, mass=5.0)
    >>> pebble.mass_properties.euler.diagonal().round(9).tolist()
    [0.09, 0.04, 0.01]
    """

    x: float
    y: float
    z: float

    def _facts(self) -> Facts:
        return Facts(4 / 3 * pi * self.x * self.y * self.z, (self.x**2 / 5, self.y**2 / 5, self.z**2 / 5))

    @property
    def surface(self) -> Surface:
        """A sphere, stretched."""
        return Surface(ball(1.0).vertices * (self.x, self.y, self.z), ball(1.0).triangles)

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """The ellipsoid itself."""
        return (ContactShape("ROUND", size=(self.x, self.y, self.z)),)
