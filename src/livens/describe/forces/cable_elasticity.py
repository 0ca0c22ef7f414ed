"""The elastic energy of a cable between its nodes x₀ … x_n, with links of the lengths ℓ_k at rest:

    V = Σ ½ EA/ℓ_k max(0, |d_k| − ℓ_k)²  +  Σ ½ EI |d_{k+1}/ℓ_{k+1} − d_k/ℓ_k|²/ℓ̄_k                          (1)

with d_k = x_{k+1} − x_k, ℓ̄_k = ½ (ℓ_k + ℓ_{k+1}). A link pulls and does not push; the second sum is the bending of a
cable that stretches little.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ...checks import Array, finite, not_negative
from ...errors import ModelError
from ...formula.functions import casadi
from ..beams.mixed_link import MixedLink
from ..beams.pair import neighbours
from ..body import Body, Point
from ..glyph import Glyph
from ..sweep import Sweep
from ..symmetry import Symmetry
from ..term import FormulaEnergy, Term
from ..thing import Thing
from .energy import written_energy


class CableElasticity(Thing):
    """The tension and the bending of a cable whose nodes are `bodies`, from one end to the other. `lv.Cable` makes it.

    axial: EA [N], 0 without it; bending: EI [N m²], 0 without it; lengths: of the links at rest [m]; None: those at the
    start. A link that is shorter than at rest exerts nothing. Without any stiffness it is only drawn.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -10))
    >>> ends = [m.add(lv.Body(lv.PointMass(1.0), at=(0, 0, -z), name=n)) for z, n in ((0, "a"), (1, "b"))]
    >>> pin = m.add(lv.Spherical(m.world.point(0, 0, 0), ends[0].point(0, 0, 0)))
    >>> wire = m.add(lv.CableElasticity(ends, axial=1000.0, name="wire"))
    >>> round(float(lv.equilibrium(m).position("b")[0, 2]), 9)  # it is longer by m g ℓ/EA
    -1.01
    """

    kind = "force"
    bodies: tuple[Body, ...]

    def __init__(
        self,
        bodies: Sequence[Body],
        axial: float = 0.0,
        bending: float = 0.0,
        lengths: Sequence[float] | None = None,
        name: str = "",
    ):
        self.name = name
        self.bodies = neighbours(bodies, self.label)
        self.axial = not_negative(axial, f"axial of {self.label}", "N")
        self.bending = not_negative(bending, f"bending of {self.label}", "N m²")
        x = np.stack([body.pose.a for body in self.bodies])
        rest = np.linalg.norm(np.diff(x, axis=0), axis=1) if lengths is None else lengths
        self.lengths: Array = finite(rest, (len(x) - 1,), f"lengths of {self.label}")
        if self.lengths.min() <= 0.0:
            raise ModelError(f"lengths of {self.label} must be positive, got {self.lengths.min():g} m.")

    @property
    def points(self) -> tuple[Point, ...]:
        """Its nodes."""
        return tuple(Point(body, np.zeros(3)) for body in self.bodies)

    @property
    def linked(self) -> Sequence[tuple[Body, Body]]:
        return tuple(pairwise(self.bodies))

    @cached_property
    def _terms(self) -> tuple[FormulaEnergy, ...]:
        links = zip(pairwise(self.bodies), self.lengths.tolist(), strict=True)
        found = [self._link(a, b, length) for (a, b), length in links if self.axial > 0.0]
        corners = zip(self.bodies, self.bodies[1:], self.bodies[2:], pairwise(self.lengths.tolist()), strict=False)
        found += [self._corner(a, b, c, *two) for a, b, c, two in corners if self.bending > 0.0]
        return tuple(found)

    def _link(self, a: Body, b: Body, length: float) -> FormulaEnergy:
        def energy(s: Any) -> Any:
            ca = casadi()
            d = s[b].position - s[a].position
            return 0.5 * self.axial / length * ca.fmax(0.0, ca.sqrt(ca.dot(d, d)) - length) ** 2

        return written_energy(energy, [a, b], self.label)

    def _corner(self, a: Body, b: Body, c: Body, before: float, after: float) -> FormulaEnergy:
        def energy(s: Any) -> Any:
            change = (s[c].position - s[b].position) / after - (s[b].position - s[a].position) / before
            return self.bending / (before + after) * casadi().dot(change, change)

        return written_energy(energy, [a, b, c], self.label)

    def terms(self) -> list[Term]:
        return list(self._terms)

    def mixed(self) -> list[Thing]:
        """Links whose tensions are multipliers, and the bending."""
        if self.axial == 0.0:
            return [self]
        links = enumerate(zip(pairwise(self.bodies), self.lengths.tolist(), strict=True))
        found: list[Thing] = [MixedLink(pair, l, self.axial, f"{self.name}: link {k}") for k, (pair, l) in links]
        return [*found, CableElasticity(self.bodies, 0.0, self.bending, self.lengths.tolist(), name=self.name)]

    def softened(self, force: float) -> Thing:
        """With EA of at most `force`."""
        if self.axial <= force:
            return self
        return CableElasticity(self.bodies, force, self.bending, self.lengths.tolist(), name=self.name)

    def symmetries(self, acted: bool = False) -> list[Symmetry]:
        """It acts between bodies only."""
        return []

    def glyphs(self) -> list[Glyph]:
        """A line through its nodes."""
        return [Glyph("beam", self.points, sweep=Sweep(self.bodies, (), False, self._stretch if self.axial else None))]

    def _stretch(self, x: Array, R: Array) -> Array:
        """The stretch of its links (…, n, 3), without curvatures; a slack link has none."""
        apart = np.linalg.norm(np.diff(x, axis=-2), axis=-1)
        stretch = np.maximum(apart / self.lengths - 1.0, 0.0)
        return np.stack([stretch, np.zeros_like(stretch), np.zeros_like(stretch)], axis=-1)
