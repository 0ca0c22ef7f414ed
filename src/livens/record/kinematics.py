"""Rotations, rates, positions and velocities in a record, by the number of a body and a point r in body axes.

    R = B Qᵀ,    ω = Q J⁻¹ L  (body axes),    x = a + R (r − c),    v = p/m + R (ω × (r − c))                        (1)

with principal axes Q and the centre of mass c in body axes.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from ..kernels.arrays import Bodies, State


def rotations(bodies: Bodies, record: State, k: int) -> Array:
    """R of body k (n, 3, 3)."""
    return record.B[:, k] @ bodies.axes[k].T


def rates(bodies: Bodies, record: State, k: int) -> Array:
    """ω of body k [rad/s] (n, 3)."""
    return (record.L[:, k] * bodies.inverse_inertia[k]) @ bodies.axes[k].T


def positions(bodies: Bodies, record: State, k: int, r: Array) -> Array:
    """x of a point of body k [m] (n, 3)."""
    return record.a[:, k] + rotations(bodies, record, k) @ (r - bodies.center[k])


def velocities(bodies: Bodies, record: State, k: int, r: Array) -> Array:
    """v of a point of body k [m/s] (n, 3)."""
    spin = np.cross(rates(bodies, record, k), r - bodies.center[k])
    return record.p[:, k] * bodies.inverse_mass[k] + turned(rotations(bodies, record, k), spin)


def turned(B: Array, u: Array) -> Array:
    """B u for stacks of matrices and vectors."""
    return np.einsum("...ij,...j->...i", B, u)
