"""Two neighbouring sections in statics: strains are rows with compliances, curvatures have an energy.

    ½ ℓ C δΓ² = ½ g²/c    with    g = ℓ δΓ,   c = ℓ/C,     so that    g + c λ = 0,   −λ the force of this strain.    (1)

Newton's method then corrects forces and positions independently: from a straight beam it finds one that is bent by a
large angle, while with energies alone the stretch of the first, straight move has to be undone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..body import Body, Point
from ..forces.energy import written_energy
from ..formula_rows import FormulaRows
from ..term import FormulaEnergy, Term
from ..thing import Thing
from .pair import SHEAR, STRETCH
from .strain import energy_of, held_equations


class MixedPair(Thing):
    """The elasticity of two neighbouring sections, by (1); `held`: strains that are constraints of the model; `like`:
    another pair with the same numbers, whose formulas it takes."""

    kind = "joint"
    energy: FormulaEnergy

    def __init__(
        self,
        pair: tuple[Body, Body],
        row: list[float],
        stiffnesses: list[float],
        held: Sequence[int],
        name: str,
        like: MixedPair | None = None,
    ):
        self.bodies, self.name = pair, name
        a, b = pair
        taken = [k for k in (*SHEAR, *STRETCH) if k not in held and stiffnesses[k] > 0.0]
        self.compliances = tuple(row[0] / stiffnesses[k] for k in taken)

        def strains(s: Any) -> Any:
            return held_equations(s[a], s[b], row, taken)

        def energy(s: Any) -> Any:
            return energy_of(s[a], s[b], row, stiffnesses, (*SHEAR, *STRETCH))

        same = None if like is None else like.equations
        self.equations = FormulaRows(strains if same is None else same.formula, pair, self.label) if taken else None
        self.energy = written_energy(energy if like is None else like.energy.formula, list(pair), self.label)

    @property
    def points(self) -> tuple[Point, ...]:
        """The centres of its sections."""
        return tuple(Point(body, np.zeros(3)) for body in self.bodies or ())

    def terms(self) -> list[Term]:
        return [self.energy]
