"""Inertias that a body can have, by construction: unknowns of a fit without bounds.

A body of mass distribution ρ has the Euler tensor E = ∫ρ r rᵀ about its centre of mass, which is positive definite, and
the inertia tensor J = tr(E) I − E. With the logarithms of the principal second moments E_i as unknowns,

    z_i = log E_i,      E_i = ½ (J_j + J_k − J_i),      J_i = e^{z_j} + e^{z_k},                                     (1)

every z is a body in given principal axes, and every body with extent in three directions has a z. If the axes are
unknown, too, the six numbers of J follow from the Cholesky factor of E, with logarithms on its diagonal,

    E = C Cᵀ,      C = (e^{z_0}, 0, 0;  z_1, e^{z_3}, 0;  z_2, z_4, e^{z_5}),                                       (2)

again one body for each z (Wensing, Kim & Slotine 2018; Rucker & Wensing 2022). Mass and centre are independent of J.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..checks import Array
from ..errors import ModelError

UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # the six numbers of a symmetric tensor, in this order
LOWER = ([0, 1, 2, 1, 2, 2], [0, 0, 0, 1, 1, 2])  # rows and columns of C of (2), in the order of z
DIAGONAL = [0, 3, 5]


class ConsistentInertias:
    """The map from the unknowns z of an optimiser to numbers x of a model; `groups`: the places of three principal
    moments, or of the six numbers of a tensor."""

    def __init__(self, groups: Sequence[Sequence[int]]):
        self.groups = [list(group) for group in groups]

    def unknowns(self, x: Array) -> Array:
        """z of numbers x."""
        z = x.copy()
        for group in self.groups:
            z[group] = _of_moments(x[group]) if len(group) == 3 else _of_tensor(x[group])
        return z

    def numbers(self, z: Array) -> Array:
        """x of unknowns z."""
        x = z.copy()
        for group in self.groups:
            if len(group) == 3:
                E = np.exp(z[group])
                x[group] = E.sum() - E
            else:
                C = _factor(z[group])
                x[group] = _inertia(C @ C.T)
        return x

    def slopes(self, z: Array) -> Array:
        """∂x/∂z (k, k)."""
        slopes = np.eye(len(z))
        for group in self.groups:
            if len(group) == 3:
                slopes[np.ix_(group, group)] = np.exp(z[group]) * (1.0 - np.eye(3))
                continue
            C = _factor(z[group])
            for k, (i, j) in enumerate(zip(*LOWER, strict=True)):
                dC = np.zeros((3, 3))
                dC[i, j] = C[i, j] if k in DIAGONAL else 1.0
                slopes[group, group[k]] = _inertia(dC @ C.T + C @ dC.T)
        return slopes


def _of_moments(J: Array) -> Array:
    """z of (1)."""
    E = 0.5 * J.sum() - J
    if not (E > 0.0).all():
        raise ModelError(
            f"no body has the principal moments {', '.join(f'{one:g}' for one in J)} kg m²: each must be below the sum "
            "of the others."
        )
    return np.asarray(np.log(E))


def _of_tensor(six: Array) -> Array:
    """z of (2)."""
    J = np.zeros((3, 3))
    for (i, j), value in zip(UPPER, six, strict=True):
        J[i, j] = J[j, i] = value
    try:
        C = np.linalg.cholesky(0.5 * np.trace(J) * np.eye(3) - J)
    except np.linalg.LinAlgError:
        _of_moments(np.asarray(np.linalg.eigvalsh(J), dtype=np.float64))  # says which moments they are
        raise
    z = C[LOWER]
    z[DIAGONAL] = np.log(z[DIAGONAL])
    return np.asarray(z)


def _factor(z: Array) -> Array:
    """C of (2)."""
    C = np.zeros((3, 3))
    C[LOWER] = z
    C[range(3), range(3)] = np.exp(z[DIAGONAL])
    return C


def _inertia(E: Array) -> Array:
    """The six numbers of J = tr(E) I − E."""
    J = np.trace(E) * np.eye(3) - E
    return np.array([J[i, j] for i, j in UPPER])
