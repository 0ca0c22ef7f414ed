"""Box: V = xyz, e = (x², y², z²)/12."""

from __future__ import annotations

from dataclasses import dataclass

from ..contact_shape import ContactShape, box_hull
from ..surface import Surface, box_surface
from .uniform import Facts, Uniform


@dataclass(frozen=True, repr=False)
class Box(Uniform):
    """A box with sides x, y, z [m], centred.

    >>> box = Box(1.0, 0.2, 0.1, density=1000)
    >>> round(box.mass_properties.mass, 9)
    20.0
    """

    x: float
    y: float
    z: float

    def _facts(self) -> Facts:
        return Facts(self.x * self.y * self.z, (self.x**2 / 12, self.y**2 / 12, self.z**2 / 12))

    @property
    def surface(self) -> Surface:
        """Six faces."""
        return box_surface((self.x, self.y, self.z))

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """The box."""
        return (box_hull(self.x, self.y, self.z),)
