"""Cable: point masses along a curve, joined by rods of constant length or by links that stretch.

A cable of length L and n equal links ℓ = L/n has the mass μℓ at its inner nodes and μℓ/2 at its ends, so that mass and
centre of a straight cable are exact. Under gravity its equilibrium is the polygon with

    tan θ_k = (V + k μ ℓ g)/H,      H, V constants: the catenary with an error of second order in ℓ.                (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import positive
from ...errors import ModelError
from ..body import Body
from ..forces.cable_elasticity import CableElasticity
from ..joints.rod import Rod
from ..shapes.point_mass import PointMass
from ..thing import Thing
from .centreline import nodes
from .strand import Strand


class Cable(Strand):
    """A cable along a curve: point masses "cable.0", "cable.1", … joined by links.

    along: as of `lv.Beam`, but a list of points may turn back; sections: the number of links, one less than the number
    of bodies. mass_per_length [kg/m].
    axial: EA [N]; its links then stretch, and do not push; None: their lengths are constant (`lv.Rod`, "cable.0-1", …,
    whose reactions are the tensions). bending: EI [N m²], for a cable that is a little stiff. length [m]: of a cable
    that stretches, at rest; None: that of the curve. One that is longer than its curve is slack.
    color: of pictures; None: one
    that stretches is coloured by its strain. Stretch and bending need the extra `symbolic`.

    `m.add(cable)` adds its `bodies`; `cable.start` and `cable.end` are the first and the last.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> cable = m.add(lv.Cable([(0, 0, 0), (0, 0, -2)], 10, mass_per_length=0.5))
    >>> pin = m.add(lv.Spherical(m.world.point(0, 0, 0), cable.start.point(0, 0, 0), name="pin"))
    >>> motion = lv.simulate(m, h=1e-3, until=0.1)
    >>> motion.reaction("cable.0-1")[-1].round(6).tolist()  # on the lower node: up, without half a link
    [0.0, 0.0, 9.3195]
    """

    kind = "cable"

    def __init__(
        self,
        along: Any,
        sections: int,
        mass_per_length: float,
        axial: float | None = None,
        bending: float = 0.0,
        length: float | None = None,
        color: str | ArrayLike | None = None,
        name: str = "cable",
    ):
        label = self._named(name, sections)
        places, s = nodes(along, sections, label)
        chords = np.linalg.norm(np.diff(places, axis=0), axis=1)
        total = float(s[-1]) if length is None else positive(length, f"length of {label}", "m")
        if axial is None and length is not None:
            raise ModelError(f"{label} has links of constant length: give axial (EA), or leave out length.")
        if axial is not None:
            positive(axial, f"axial of {label}", "N")
        lengths = chords if axial is None else np.diff(s) * (total / float(s[-1]))
        self.length = float(lengths.sum())
        mu = positive(mass_per_length, f"mass_per_length of {label}", "kg/m") * total / self.length
        reach = np.concatenate([[0.0], lengths, [0.0]])
        masses = mu * (reach[:-1] + reach[1:]) / 2.0
        self.bodies = tuple(
            Body(PointMass(float(m)), at=x, color=color, name=f"{self.name}.{k}")
            for k, (m, x) in enumerate(zip(masses, places, strict=True))
        )
        self.links = tuple(
            Rod(a.point(0, 0, 0), b.point(0, 0, 0), name=f"{self.name}.{k}-{k + 1}")
            for k, (a, b) in enumerate(pairwise(self.bodies))
            if axial is None
        )
        self.elasticity = CableElasticity(
            self.bodies, 0.0 if axial is None else axial, bending, lengths.tolist(), name=self.name
        )

    @property
    def parts(self) -> Sequence[Body | Thing]:
        """Its bodies, its rods and its elasticity."""
        return (*self.bodies, *self.links, self.elasticity)
