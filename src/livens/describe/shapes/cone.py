"""Cone along z: V = πr²h/3, e = (3r²/20, 3r²/20, 3h²/80), c = (0, 0, h/4)."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from ..contact_shape import OTHERS, PLANES, ContactShape, hull, pyramid
from ..pose import Pose
from ..surface import Surface
from ..tessellate import cone
from .uniform import Facts, Uniform


@dataclass(frozen=True, repr=False)
class Cone(Uniform):
    """A solid cone: base of `radius` [m] in the plane z = 0, tip at z = `height` [m].

    >>> top = Cone(0.1, 0.2, mass=1.0)
    >>> top.mass_properties.center.tolist()
    [0.0, 0.0, 0.05]
    """

    radius: float
    height: float

    def _facts(self) -> Facts:
        r, h = self.radius, self.height
        return Facts(pi * r**2 * h / 3, (3 * r**2 / 20, 3 * r**2 / 20, 3 * h**2 / 80), (0.0, 0.0, h / 4))

    @property
    def surface(self) -> Surface:
        """The side and the flat base."""
        return cone(self.radius, self.height)

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """The rim and the tip against planes, a pyramid against others."""
        rim = ContactShape("CYLINDER", size=(self.radius, self.radius, 0.0), meets=PLANES)
        tip = ContactShape("BALL", Pose((0.0, 0.0, self.height)), meets=PLANES)
        return rim, tip, hull(pyramid(self.radius, self.height), OTHERS)
