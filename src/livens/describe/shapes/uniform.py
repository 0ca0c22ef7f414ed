"""Bodies in closed form: a shape is a table of facts.

With V the volume (area of a plate, length of a rod), c the centre of mass and e_i = (1/V)∫(r_i − c_i)² the mean
squares about it, a uniform shape has by symmetry

    m = ρ V,      E = m diag(e_x, e_y, e_z),      J = m diag(e_y + e_z, e_z + e_x, e_x + e_y)              (1)

    shape                V           e_x        e_y        e_z        c
    Box (x, y, z)        x y z       x²/12      y²/12      z²/12      0
    Ball (r)             4πr³/3      r²/5       r²/5       r²/5       0
    Cylinder (r, l)      πr²l        r²/4       r²/4       l²/12      0
    Capsule (r, l)       A + S       means of a cylinder A = πr²l and of two half balls S = 4πr³/3 at z = ±l/2,
                                     whose e_z is l²/4 + 3rl/8 + r²/5
    Cone (r, h)          πr²h/3      3r²/20     3r²/20     3h²/80     (0, 0, h/4)
    Ellipsoid (x, y, z)  4πxyz/3     x²/5       y²/5       z²/5       0
    ThinRod (l)          l           l²/12      0          0          0
    ThinPlate (x, y)     x y         x²/12      y²/12      0          0

Lengths in m, mass in kg, density in kg/m³ (kg/m² for a plate, kg/m for a rod); each takes one of density and mass.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from ...checks import positive
from ...errors import ModelError
from ..mass import MassProperties

DOT = 0.025  # drawn radius of a point mass [m]
THIN = 0.01  # drawn thickness of rods and plates, relative to their length


class Facts(NamedTuple):
    """One row of the table: measure V, mean squares (e_x, e_y, e_z) about the centre, centre c."""

    measure: float
    squares: tuple[float, float, float]
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, repr=False)
class Uniform:
    """The base of all rows of the table: the checks of its numbers and equation (1)."""

    density: float | None = field(default=None, kw_only=True)
    mass: float | None = field(default=None, kw_only=True)
    _unit: ClassVar[str] = "kg/m³"

    def _facts(self) -> Facts:
        raise NotImplementedError

    def __post_init__(self) -> None:
        kind, units = type(self).__name__, {"density": self._unit, "mass": "kg"}
        if (self.density is None) == (self.mass is None):
            given = "neither" if self.mass is None else "both"
            raise ModelError(f"{kind} takes exactly one of density= and mass=, got {given}.")
        for name, value in self._given().items():
            object.__setattr__(self, name, positive(value, f"{kind} {name}", units.get(name, "m")))
        try:
            self.mass_properties  # noqa: B018 (refused here, not at its first use)
        except OverflowError:
            raise ModelError(f"{self!r} is too large: its mass or inertia is not finite.") from None

    def _given(self) -> dict[str, Any]:
        matter, sizes = fields(self)[:2], fields(self)[2:]
        given = [f.name for f in matter if vars(self)[f.name] is not None]
        return {name: vars(self)[name] for name in [f.name for f in sizes] + given}

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass, inertia about the centre of mass and centre, in body axes: equation (1)."""
        V, (ex, ey, ez), c = self._facts()
        m = self.mass if self.density is None else self.density * V
        assert m is not None
        return MassProperties(m, (m * (ey + ez), m * (ez + ex), m * (ex + ey)), c)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._given().items())})"
