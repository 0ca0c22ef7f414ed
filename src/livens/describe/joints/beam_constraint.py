"""A piece of a beam without shear, or of constant length: equations between neighbours, with u of beams/strain.py (1).

The equations are polynomials, which cost a tenth of the strains Γ, and differ from Γ = Γ⁰ at second order in ℓ:

    u₁ = u₁⁰,   u₂ = u₂⁰   (Kirchhoff),          u₃ = u₃⁰   (inextensible),          u_i = ½ (d_i + d⁺_i)·d.      (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...checks import truth
from ...errors import ModelError
from ..beams.pair import checked_reference, held_strains, neighbours
from ..beams.strain import mean_equations
from ..body import Body, Point
from ..formula_rows import FormulaRows
from ..symmetry import Symmetry
from ..thing import Thing


class BeamConstraint(Thing):
    """Two neighbouring sections of a beam, `bodies`, that do not shear (shearable=False) or between which the length is
    constant (extensible=False). `lv.Beam` makes one for each pair. reference: one row, as of `lv.BeamElasticity`.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ends = [m.add(lv.Body(lv.Box(0.1, 0.1, 1, mass=1), at=(0, 0, z), name=n)) for z, n in ((0, "a"), (1, "b"))]
    >>> stiff = m.add(lv.BeamConstraint(ends, shearable=False, extensible=False, name="stiff"))
    >>> bool(lv.simulate(m, h=1e-3, until=0.1).defect_position.max() < 1e-11)
    True
    """

    kind = "joint"
    bodies: tuple[Body, ...]

    def __init__(
        self,
        bodies: Sequence[Body],
        shearable: bool = True,
        extensible: bool = True,
        reference: Sequence[Sequence[float]] | None = None,
        name: str = "",
    ):
        self.name = name
        self.bodies = neighbours(bodies, self.label)
        if len(self.bodies) != 2:
            raise ModelError(f"{self.label} joins two neighbouring sections, not {len(self.bodies)}.")
        self.reference = checked_reference(reference, self.bodies, self.label)
        self.shearable = truth(shearable, f"shearable of {self.label}")
        self.extensible = truth(extensible, f"extensible of {self.label}")
        held, (a, b), (row,) = held_strains(self.shearable, self.extensible), self.bodies, self.reference.tolist()
        if not held:
            raise ModelError(f"{self.label} holds nothing: give shearable=False, extensible=False, or both.")

        def strains(s: Any) -> Any:
            return mean_equations(s[a], s[b], row, held)

        self.equations = FormulaRows(strains, self.bodies, self.label)

    @property
    def points(self) -> tuple[Point, ...]:
        """The centres of its sections."""
        return tuple(Point(body, np.zeros(3)) for body in self.bodies)

    @property
    def ends(self) -> tuple[Point, Point] | None:
        """The centres of its sections."""
        a, b = self.points
        return a, b

    def symmetries(self, acted: bool = False) -> list[Symmetry]:
        """It acts between bodies only."""
        return []
