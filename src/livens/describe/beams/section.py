"""Cross-sections and materials of beams.

With x, y the axes of a section through its centroid, its area A, its second moments I₁ = ∫y², I₂ = ∫x², its torsion
constant J and its shear factors k₁, k₂, and with E, G = E/(2 (1 + ν)) and ρ of the material, the stiffnesses are

    (k₁GA, k₂GA, EA, EI₁, EI₂, GJ),      the mass and the moments of inertia of a unit of length  ρA, ρI₁, ρI₂.      (1)

A rectangle of sides a ≥ b has Saint-Venant's J = ab³/3 (1 − 192 b/(π⁵ a) Σ tanh(nπa/2b)/n⁵), n odd; shear factors are
those of Cowper (1966) for ν = 0: 5/6, and for a tube of radii r, m r  6 (1 + m²)²/(7 (1 + m²)² + 20 m²).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, tanh
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, finite, number, positive
from ...errors import ModelError
from ..body import Shape
from ..mass import MassProperties
from ..shapes.box import Box
from ..shapes.cylinder import Cylinder

TERMS = 25  # of the series for the torsion of a rectangle; the last one is below 1e-8


@dataclass(frozen=True)
class Material:
    """An elastic material: E [Pa], its shear modulus G [Pa] or Poisson's ratio nu, and its density [kg/m³].

    >>> Material(E=210e9, nu=0.25, density=7850.0).G
    84000000000.0
    """

    E: float
    G: float
    density: float

    def __init__(self, E: float, density: float, G: float | None = None, nu: float | None = None):
        if (G is None) == (nu is None):
            raise ModelError(f"Material takes exactly one of G= and nu=, got {'neither' if G is None else 'both'}.")
        object.__setattr__(self, "E", positive(E, "E of a material", "Pa"))
        if nu is not None and not -1.0 < number(nu, "nu of a material") <= 0.5:
            raise ModelError(f"nu of a material must be above -1 and at most 0.5, got {nu:g}.")
        object.__setattr__(self, "G", positive(G if nu is None else E / (2.0 * (1.0 + nu)), "G of a material", "Pa"))
        object.__setattr__(self, "density", positive(density, "density of a material", "kg/m³"))


@dataclass(frozen=True, eq=False)
class Section:
    """A cross-section: `area` [m²], `second_moments` (I₁, I₂) about its axes x and y [m⁴], `torsion` constant J [m⁴],
    and `shear` factors along x and y; or `Section.circle`, `Section.tube`, `Section.rectangle`.

    >>> square = Section.rectangle(1.0, 1.0)
    >>> square.second_moments.round(6).tolist(), round(square.torsion, 6)
    ([0.083333, 0.083333], 0.140577)
    """

    area: float
    second_moments: Array
    torsion: float
    shear: Array
    sizes: tuple[float, ...] = ()  # [m] the radius of a circle, or the sides of a rectangle: what is drawn
    hollow: bool = False

    def __init__(
        self,
        area: float,
        second_moments: ArrayLike,
        torsion: float,
        shear: ArrayLike = (1.0, 1.0),
        sizes: tuple[float, ...] = (),
        hollow: bool = False,
    ):
        moments = finite(second_moments, (2,), "second_moments of a section")
        factors = finite(shear, (2,), "shear factors of a section")
        if min(*moments, *factors) <= 0.0:
            raise ModelError("second moments and shear factors of a section must be positive.")
        values = {
            "area": positive(area, "area of a section", "m²"),
            "second_moments": moments,
            "torsion": positive(torsion, "torsion constant of a section", "m⁴"),
            "shear": factors,
            "sizes": sizes,
            "hollow": hollow,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def circle(cls, radius: float) -> Section:
        """A solid circle of `radius` [m]."""
        return cls.tube(radius, 0.0)

    @classmethod
    def tube(cls, radius: float, inner: float) -> Section:
        """A tube of outer `radius` and `inner` radius [m]."""
        r, m = positive(radius, "radius of a section", "m"), number(inner, "inner radius of a section") / radius
        if not 0.0 <= m < 1.0:
            raise ModelError(f"the inner radius of a tube must be less than its radius {r:g} m, got {inner:g} m.")
        area, second = pi * r**2 * (1.0 - m**2), pi * r**4 / 4.0 * (1.0 - m**4)
        k = 6.0 * (1.0 + m**2) ** 2 / (7.0 * (1.0 + m**2) ** 2 + 20.0 * m**2)
        return cls(area, (second, second), 2.0 * second, (k, k), (r,), m > 0.0)

    @classmethod
    def rectangle(cls, width: float, height: float) -> Section:
        """A rectangle of `width` along x and `height` along y [m]."""
        w, h = positive(width, "width of a section", "m"), positive(height, "height of a section", "m")
        a, b = max(w, h), min(w, h)
        series = sum(tanh(n * pi * a / (2.0 * b)) / n**5 for n in range(1, 2 * TERMS, 2))
        J = a * b**3 / 3.0 * (1.0 - 192.0 * b / (pi**5 * a) * series)
        return cls(w * h, (w * h**3 / 12.0, h * w**3 / 12.0), J, (5.0 / 6.0, 5.0 / 6.0), (w, h))

    def stiffnesses(self, material: Material) -> Array:
        """The six numbers of (1)."""
        E, G = material.E, material.G
        shear = G * self.area * self.shear
        return np.array([*shear, E * self.area, *(E * self.second_moments), G * self.torsion])

    def solid(self, length: float, mass: float) -> Shape | None:
        """A piece of this section, along z and centred, a tube without its hole; None if livens has no such shape."""
        made: dict[int, Any] = {1: Cylinder, 2: Box}
        if len(self.sizes) not in made:
            return None
        shape: Shape = made[len(self.sizes)](*self.sizes, length, mass=mass)
        return shape


def piece(length: float, mass_per_length: float, inertia: Array, at: float) -> MassProperties:
    """The mass properties of a straight piece along z whose middle is at z = `at`; inertia: of a unit of length."""
    m, slim = mass_per_length * length, mass_per_length * length**3 / 12.0
    one, two = inertia * length
    return MassProperties(m, (one + slim, two + slim, one + two), (0.0, 0.0, at))
