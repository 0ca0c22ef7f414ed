"""A link of a cable that stretches, for statics: its tension is a multiplier.

    g = |d| − ℓ,      g + (ℓ/EA) λ = 0,      λ = −EA (|d| − ℓ)/ℓ, that of forces/cable_elasticity.py.                (1)

A solution in which a link would push is none of a cable (`pulls_only`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...formula.functions import casadi
from ..body import Body, Point
from ..formula_rows import FormulaRows
from ..thing import Thing


class MixedLink(Thing):
    """The stretch of one link, by (1)."""

    kind = "joint"
    pulls_only = True

    def __init__(self, pair: tuple[Body, Body], length: float, axial: float, name: str):
        self.bodies, self.name = pair, name
        self.compliances = (length / axial,)
        a, b = pair

        def stretch(s: Any) -> Any:
            ca = casadi()
            d = s[b].position - s[a].position
            return [ca.sqrt(ca.dot(d, d)) - length]

        self.equations = FormulaRows(stretch, pair, self.label)

    @property
    def points(self) -> tuple[Point, ...]:
        """Its two nodes."""
        return tuple(Point(body, np.zeros(3)) for body in self.bodies or ())
