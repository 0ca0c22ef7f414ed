"""The elastic energy of a beam between its sections, one FormulaEnergy for each pair of neighbours:

    V = Σ ½ ℓ (δΓᵀ diag(k₁GA, k₂GA, EA) δΓ + δκᵀ diag(EI₁, EI₂, GJ) δκ),      δΓ = Γ − Γ⁰,  δκ = κ − κ⁰,        (1)

with Γ and κ of beams/strain.py. Rigid motions of the whole do not change it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ...checks import Array, finite, truth
from ...errors import ModelError
from ..beams.mixed import MixedPair
from ..beams.pair import checked_outline, checked_reference, held_strains, neighbours
from ..beams.strain import energy_of, strains
from ..body import Body, Point
from ..glyph import Glyph
from ..sweep import Sweep
from ..symmetry import Symmetry
from ..term import FormulaEnergy, Term
from ..thing import Thing
from .energy import written_energy


class BeamElasticity(Thing):
    """The elastic energy of a beam whose sections are `bodies`, from one end to the other. `lv.Beam` makes it.

    The frame of each body is at the centre of its section, z along the beam, x and y the principal axes of the section.
    stiffnesses: k₁GA, k₂GA, EA [N], EI₁, EI₂, GJ [N m²]. reference: length [m], three strains and three curvatures
    [1/m] between neighbours where there is no stress, one row each; None: those at the start. shearable, extensible:
    False where an `lv.BeamConstraint` stands for the stiffness. outline: what pictures show in place of the bodies, the
    radius of a round section, or the sides of a rectangle along x and y [m]; None: the bodies, and lines between them.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ends = [m.add(lv.Body(lv.Box(0.1, 0.1, 1, mass=1), at=(0, 0, z), name=n)) for z, n in ((0, "a"), (1, "b"))]
    >>> steel = m.add(lv.BeamElasticity(ends, stiffnesses=(1e3, 1e3, 1e3, 10, 10, 10), name="steel"))
    >>> ends[1].velocity = np.array([0, 0, 0.1])
    >>> gamma, _ = steel.strains(lv.simulate(m, h=1e-3, until=1.0))
    >>> round(float(gamma.max()), 5), round(0.1 / 2000**0.5, 5)  # stretch v/ω, ω² = 2 k/m
    (0.00224, 0.00224)
    """

    kind = "force"
    bodies: tuple[Body, ...]

    def __init__(
        self,
        bodies: Sequence[Body],
        stiffnesses: Sequence[float],
        reference: Sequence[Sequence[float]] | None = None,
        shearable: bool = True,
        extensible: bool = True,
        outline: Sequence[float] | None = None,
        name: str = "",
    ):
        self.name = name
        self.bodies = neighbours(bodies, self.label)
        self.stiffnesses = finite(stiffnesses, (6,), f"stiffnesses of {self.label}")
        if self.stiffnesses.min() < 0.0:
            raise ModelError(f"stiffnesses of {self.label} must not be negative, got {self.stiffnesses.tolist()}.")
        self.reference = checked_reference(reference, self.bodies, self.label)
        self.shearable = truth(shearable, f"shearable of {self.label}")
        self.extensible = truth(extensible, f"extensible of {self.label}")
        self.outline = checked_outline(outline, self.label)

    @property
    def points(self) -> tuple[Point, ...]:
        """The centres of its sections."""
        return tuple(Point(body, np.zeros(3)) for body in self.bodies)

    @property
    def linked(self) -> Sequence[tuple[Body, Body]]:
        return tuple(pairwise(self.bodies))

    @cached_property
    def _terms(self) -> tuple[FormulaEnergy, ...]:
        C: list[Any] = [c or 0 for c in self.stiffnesses.tolist()]  # whole numbers have no names: no term of a zero
        held = held_strains(self.shearable, self.extensible)

        known: dict[tuple[float, ...], Any] = {}  # formulas by their numbers: that of a straight beam is written once

        def term(a: Body, b: Body, row: list[float]) -> FormulaEnergy:
            def energy(
                s: Any, c0: Any = C[0], c1: Any = C[1], c2: Any = C[2], c3: Any = C[3], c4: Any = C[4], c5: Any = C[5]
            ) -> Any:
                return energy_of(s[a], s[b], row, (c0, c1, c2, c3, c4, c5), held)

            found = written_energy(known.get(tuple(row), energy), [a, b], self.label)
            known[tuple(row)] = found.formula
            return found

        pairs = zip(pairwise(self.bodies), self.reference.tolist(), strict=True)
        return tuple(term(a, b, row) for (a, b), row in pairs)

    def terms(self) -> list[Term]:
        return list(self._terms)

    def mixed(self) -> list[Thing]:
        """Pairs whose strains are rows, with compliances."""
        held = held_strains(self.shearable, self.extensible)
        pairs = zip(pairwise(self.bodies), self.reference.tolist(), strict=True)
        known: dict[tuple[float, ...], MixedPair] = {}
        found: list[Thing] = []
        for k, (pair, row) in enumerate(pairs):
            like = known.get(tuple(row))
            made = MixedPair(pair, row, self.stiffnesses.tolist(), held, f"{self.name}: pair {k}", like)
            known.setdefault(tuple(row), made)
            found.append(made)
        return found

    def symmetries(self, acted: bool = False) -> list[Symmetry]:
        """It acts between bodies only."""
        return []

    def strains(self, motion: Any) -> tuple[Array, Array]:
        """The strains Γ − Γ⁰ and curvatures κ − κ⁰ [1/m] between neighbours over a motion, each (times, n, 3): shear
        along x and y and stretch along z, bending about x and y and twist about z."""
        x = np.stack([motion.position(body) for body in self.bodies], axis=1)
        B = np.stack([motion.rotation(body) for body in self.bodies], axis=1)
        return self._changes(x, B)

    def _changes(self, x: Array, B: Array) -> tuple[Array, Array]:
        gamma, kappa = strains(x, B, self.reference[:, 0])
        return gamma - self.reference[:, 1:4], kappa - self.reference[:, 4:7]

    def stresses(self, motion: Any) -> tuple[Array, Array]:
        """The forces [N] and moments [N m] between neighbours over a motion, each (times, n, 3): shear forces along x
        and y and tension along z, bending moments about x and y and torque about z, in the axes between both sections.
        Those that a constraint stands for are zero here."""
        gamma, kappa = self.strains(motion)
        C = self.stiffnesses.copy()
        C[list(held_strains(self.shearable, self.extensible))] = 0.0
        return gamma * C[:3], kappa * C[3:]

    def glyphs(self) -> list[Glyph]:
        """The surface of the beam, or lines between the centres of the sections."""
        if self.outline is None:
            return [Glyph("rod", pair) for pair in pairwise(self.points)]

        def changes(x: Array, R: Array) -> Array:
            gamma, kappa = self._changes(x, R)
            return np.concatenate([gamma[..., 2:], kappa[..., :2]], axis=-1)

        return [Glyph("beam", self.points, sweep=Sweep(self.bodies, self.outline, True, changes))]
