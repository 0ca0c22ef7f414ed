"""Principal moments of inertia that a body can have, by construction: unknowns of a fit without bounds.

A body of mass distribution ρ has the moments J_i = E_j + E_k with E_i = ∫ρ r_i² > 0, its second moments along the
principal axes. With the logarithms of these as unknowns,

    z_i = log E_i,      E_i = ½ (J_j + J_k − J_i),      J_i = e^{z_j} + e^{z_k},                                     (1)

every z is a body, and every body with extent in three directions has a z (Wensing, Kim & Slotine 2018).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..checks import Array
from ..errors import ModelError


class ConsistentMoments:
    """The map from the unknowns z of an optimiser to numbers x of a model; `triples`: the places of three moments."""

    def __init__(self, triples: Sequence[tuple[int, int, int]]):
        self.triples = [list(triple) for triple in triples]

    def unknowns(self, x: Array) -> Array:
        """z of numbers x."""
        z = x.copy()
        for triple in self.triples:
            E = 0.5 * x[triple].sum() - x[triple]
            if not (E > 0.0).all():
                raise ModelError(
                    f"no body has the principal moments {', '.join(f'{J:g}' for J in x[triple])} kg m²: each must be "
                    "below the sum of the others."
                )
            z[triple] = np.log(E)
        return z

    def numbers(self, z: Array) -> Array:
        """x of unknowns z."""
        x = z.copy()
        for triple in self.triples:
            E = np.exp(z[triple])
            x[triple] = E.sum() - E
        return x

    def slopes(self, z: Array) -> Array:
        """∂x/∂z (k, k)."""
        slopes = np.eye(len(z))
        for triple in self.triples:
            E = np.exp(z[triple])
            slopes[np.ix_(triple, triple)] = E * (1.0 - np.eye(3))
        return slopes
