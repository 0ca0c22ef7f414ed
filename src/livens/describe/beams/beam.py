"""Beam: rigid pieces along a curve, with the energy of strain and curvature between neighbours.

A beam of length L is cut into n equal lengths ℓ. At the n + 1 cuts there is a section: a body with its frame at the
centre of the section, d₃ = z along the beam. Its matter is that of the beam from half a length before it to half a
length after it, as a straight rigid piece, so that mass, centre and moments of inertia of a straight beam are exact:

    inner pieces   m = ρA ℓ,  J = diag(ρI₁ ℓ + ρA ℓ³/12, ρI₂ ℓ + ρA ℓ³/12, ρ(I₁ + I₂) ℓ);  ends: ℓ/2, at ±ℓ/4. (1)

The elasticity is that of forces/beam_elasticity.py; without shear, or of constant length, joints/beam_constraint.py.
The highest frequency of a beam is about 2 c/ℓ with c the largest speed of a wave, √(E/ρ) or √(G/ρ): `lv.Livens` needs
h < ℓ/c. Constraints in place of the stiffnesses leave the frequencies of bending and twist.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, finite, positive
from ...errors import ModelError
from ..body import Body
from ..forces.beam_elasticity import BeamElasticity
from ..joints.beam_constraint import BeamConstraint
from ..pose import Pose
from ..shapes.compound import Compound
from ..thing import Thing
from .centreline import Centreline, centreline
from .section import Material, Section, piece
from .strain import reference_rows
from .strand import Strand


class Beam(Strand):
    """A geometrically exact beam along a curve: bodies "beam.0", "beam.1", … and the elasticity between them.

    along: two points [m], a list of points (one for each section), or a function of s from 0 to 1 that gives a point.
    The beam is free of stress in this shape. sections: the number of equal lengths; there is one more body. section and
    material: `lv.Section` and `lv.Material`; or stiffnesses (k₁GA, k₂GA, EA [N], EI₁, EI₂, GJ [N m²]) with
    mass_per_length [kg/m] and inertia_per_length (ρI₁, ρI₂) [kg m] (None: of a uniform material). up: the direction of
    the section's x axis at the first end; it is carried along the curve, and twist [rad] rotates it in addition,
    uniformly along the beam. shearable=False: sections stay perpendicular to the beam (Kirchhoff); extensible=False:
    its length is constant; these are constraint equations in place of the stiffness. color: of pictures; None: by
    the strain of its surface. Needs the extra `symbolic`.

    `m.add(beam)` adds its `bodies`, which joints, loads and contacts use like any others: `beam.start` and `beam.end`
    are the first and the last, with their frames at the ends of the beam, z along it. Neighbours may turn by less than
    half a turn against each other: a beam that bends more needs more sections. `beam.strains(motion)` and
    `beam.stresses(motion)` give what is between them.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> steel = lv.Material(E=210e9, nu=0.3, density=7850)
    >>> beam = m.add(lv.Beam([(0, 0, 0), (1, 0, 0)], 8, section=lv.Section.circle(0.01), material=steel))
    >>> clamp = m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0)))
    >>> load = m.add(lv.Load(beam.end.point(0, 0, 0), force=(0, 0, -10.0)))
    >>> tip = lv.equilibrium(m, load_steps=1).position(beam.end)[0, 2]
    >>> round(float(tip), 5), round(-10 / (3 * 210e9 * np.pi * 0.01**4 / 4), 5)  # P L³/(3 E I)
    (-0.00201, -0.00202)
    """

    kind = "beam"

    def __init__(
        self,
        along: Any,
        sections: int,
        section: Section | None = None,
        material: Material | None = None,
        stiffnesses: ArrayLike | None = None,
        mass_per_length: float | None = None,
        inertia_per_length: ArrayLike | None = None,
        up: ArrayLike | None = None,
        twist: float = 0.0,
        shearable: bool = True,
        extensible: bool = True,
        color: str | ArrayLike | None = None,
        name: str = "beam",
    ):
        label = self._named(name, sections)
        self.line: Centreline = centreline(along, sections, up, twist, label)
        self.length = float(self.line.s[-1])
        self.section = section
        self._stiffnesses, mu, inertia = _properties(
            section, material, stiffnesses, mass_per_length, inertia_per_length, label
        )
        self.bodies = self._pieces(mu, inertia, color)
        reference = reference_rows(self.line.x, self.line.B, np.diff(self.line.s))
        self.elasticity = BeamElasticity(
            self.bodies,
            self._stiffnesses.tolist(),
            reference.tolist(),
            shearable,
            extensible,
            self._outline(),
            self.name,
        )
        rigid = not (shearable and extensible)
        self.constraints = tuple(
            BeamConstraint(pair, shearable, extensible, [row], name=f"{self.name}.{k}-{k + 1}")
            for k, (pair, row) in enumerate(zip(pairwise(self.bodies), reference.tolist(), strict=True))
            if rigid
        )

    @property
    def parts(self) -> Sequence[Body | Thing]:
        """Its bodies, its elasticity and, without shear or of constant length, its constraints."""
        return (*self.bodies, self.elasticity, *self.constraints)

    def strains(self, motion: Any) -> tuple[Array, Array]:
        """Strains and curvatures [1/m] between neighbours over a motion, each (times, sections, 3): shear along x and y
        and stretch along z; bending about x and y and twist about z."""
        return self.elasticity.strains(motion)

    def stresses(self, motion: Any) -> tuple[Array, Array]:
        """Forces [N] and moments [N m] between neighbours over a motion, each (times, sections, 3)."""
        return self.elasticity.stresses(motion)

    def _outline(self) -> tuple[float, ...]:
        """What is drawn: the sizes of the section, or those of the circle or rectangle with its radii of gyration."""
        if self.section is not None and self.section.sizes:
            return self.section.sizes
        one, two = np.sqrt(self._stiffnesses[3:5] / self._stiffnesses[2])
        return (2.0 * float(one),) if one == two else (np.sqrt(12.0) * float(two), np.sqrt(12.0) * float(one))

    def _pieces(self, mu: float, inertia: Array, color: Any) -> tuple[Body, ...]:
        """The bodies, by (1)."""
        bodies = []
        reach = np.diff(self.line.s) / 2.0
        before, after = np.concatenate([[0.0], reach]), np.concatenate([reach, [0.0]])
        for k, (x, B, back, forth) in enumerate(zip(self.line.x, self.line.B, before, after, strict=True)):
            length, at = float(back + forth), float(forth - back) / 2.0
            at = 0.0 if abs(at) < 1e-12 * length else at
            solid: Any = None if self.section is None else self.section.solid(length, mu * length)
            if solid is not None and at:
                solid = Compound([(solid, Pose((0.0, 0.0, at)))])
            hollow = self.section is not None and self.section.hollow
            shape = piece(length, mu, inertia, at) if solid is None or hollow else solid
            collision = solid if hollow else None
            bodies.append(Body(shape, at=x, rotation=B, color=color, collision=collision, name=f"{self.name}.{k}"))
        return tuple(bodies)


def _properties(
    section: Section | None,
    material: Material | None,
    stiffnesses: ArrayLike | None,
    mass_per_length: float | None,
    inertia_per_length: ArrayLike | None,
    label: str,
) -> tuple[Array, float, Array]:
    """Stiffnesses, mass and moments of inertia of a unit of length, from a section of a material or as given."""
    for what, given, kind in (("section", section, Section), ("material", material, Material)):
        if given is not None and not isinstance(given, kind):
            raise ModelError(f"{what} of {label} must be an lv.{kind.__name__}, not {given!r}.")
    if (section is None) != (material is None):
        raise ModelError(f"{label} needs a section and a material, or stiffnesses and mass_per_length.")
    if section is not None and material is not None:
        if stiffnesses is not None or mass_per_length is not None or inertia_per_length is not None:
            raise ModelError(f"{label} has a section and a material: leave out stiffnesses and mass_per_length.")
        density = material.density
        return section.stiffnesses(material), density * section.area, density * section.second_moments
    if stiffnesses is None or mass_per_length is None:
        raise ModelError(f"{label} needs a section and a material, or stiffnesses and mass_per_length.")
    C = finite(stiffnesses, (6,), f"stiffnesses of {label}")
    if C.min() <= 0.0:
        raise ModelError(f"stiffnesses of {label} must be positive, got {C.tolist()}.")
    mu = positive(mass_per_length, f"mass_per_length of {label}", "kg/m")
    inertia = (
        mu * C[3:5] / C[2]
        if inertia_per_length is None
        else finite(inertia_per_length, (2,), f"inertia_per_length of {label}")
    )
    if inertia.min() <= 0.0:
        raise ModelError(f"inertia_per_length of {label} must be positive, got {inertia.tolist()}.")
    return C, mu, inertia
