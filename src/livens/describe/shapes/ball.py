"""Ball: V = 4πr³/3, e = (r², r², r²)/5."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from ..contact_shape import ContactShape
from ..surface import Surface
from ..tessellate import ball
from .uniform import Facts, Uniform


@dataclass(frozen=True, repr=False)
class Ball(Uniform):
    """A solid ball of `radius` [m], centred.

    >>> stone = Ball(0.5, mass=2.0)
    >>> stone.mass_properties.inertia.diagonal().tolist()
    [0.2, 0.2, 0.2]
    """

    radius: float

    def _facts(self) -> Facts:
        r = self.radius
        return Facts(4 / 3 * pi * r**3, (r**2 / 5, r**2 / 5, r**2 / 5))

    @property
    def surface(self) -> Surface:
        """A sphere."""
        return ball(self.radius)

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """The ball."""
        return (ContactShape("BALL", size=(self.radius, 0.0, 0.0)),)
