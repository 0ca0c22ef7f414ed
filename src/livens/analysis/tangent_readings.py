"""Small changes of points, rotations, velocities and joint coordinates, from the changes of bodies.

With the changes (δa, δφ, δp, δl) of tangent_arrays.py, s the lever of a point from the centre of mass and Ω the angular
velocity, both in world axes,

    δx = δa + δφ × s,      δv(x) = δp/m + δΩ × s + Ω × (δφ × s),      δΩ = δφ × Ω + B J⁻¹ Bᵀ δl.                     (1)

A coordinate along or about the axis U of its first body i, with x the point of the second body j:

    angle          δq = U·(δφ_j − δφ_i),                     δq̇ = (δφ_i × U)·(Ω_j − Ω_i) + U·(δΩ_j − δΩ_i)
    displacement   δq = U·(δx − δa_i − δφ_i × (x − a_i)),    δq̇ = (δφ_i × U)·w + U·δw,  w = v_j(x) − v_i(x)          (2)

where v_i(x) is the velocity of body i at the place of x. Changes of rotation vectors are small rotations.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from ..compile.joint_space import Space
from ..kernels.arrays import Bodies, State
from ..kernels.kinds import DISPLACEMENT


def crossed(u: Array, w: Array) -> Array:
    """u × w over the axis before the last one, which counts columns."""
    u0, u1, u2, w0, w1, w2 = *(u[..., i, :] for i in range(3)), *(w[..., i, :] for i in range(3))
    return np.stack([u1 * w2 - u2 * w1, u2 * w0 - u0 * w2, u0 * w1 - u1 * w0], axis=-2)


class Moving:
    """A body at one state or at several, and its changes: arrays (…, 3, m), vectors of the state (…, 3, 1)."""

    def __init__(self, bodies: Bodies, b: int, state: State, dq: Array, dp: Array):
        """state: a state or a record; dq, dp: (…, n, 6, m)."""
        self.B = state.B[..., b, :, :]
        inverse = np.einsum("...ij,j,...kj->...ik", self.B, bodies.inverse_inertia[b], self.B)
        local = bodies.inverse_inertia[b] * state.L[..., b, :]
        self.a = state.a[..., b, :, None]
        self.v = bodies.inverse_mass[b] * state.p[..., b, :, None]
        self.omega = np.einsum("...ij,...j->...i", self.B, local)[..., None]
        self.da, self.dphi = dq[..., b, :3, :], dq[..., b, 3:, :]
        self.dv = bodies.inverse_mass[b] * dp[..., b, :3, :]
        self.domega = crossed(self.dphi, self.omega) + np.einsum("...ij,...jm->...im", inverse, dp[..., b, 3:, :])

    def arm(self, r: Array) -> Array:
        """The lever of a point r, given from the centre of mass in principal axes."""
        return np.einsum("...ij,j->...i", self.B, r)[..., None]

    def position(self, r: Array) -> Array:
        """δx of (1)."""
        return self.da + crossed(self.dphi, self.arm(r))

    def velocity(self, r: Array) -> Array:
        """δv of (1)."""
        s = self.arm(r)
        return self.dv + crossed(self.domega, s) + crossed(self.omega, crossed(self.dphi, s))


def coordinate_changes(space: Space, state: State, dq: Array, dp: Array) -> tuple[Array, Array]:
    """δq and δq̇ of all coordinates by (2): (…, coordinates, m)."""
    coordinates, bodies = space.coordinates, space.system.bodies
    changes: list[Array] = []
    rates: list[Array] = []
    moving = {b: Moving(bodies, b, state, dq, dp) for b in set(coordinates.body.ravel().tolist())}
    for c in range(len(coordinates.kind)):
        i, j = (moving[int(b)] for b in coordinates.body[c])
        U = i.arm(coordinates.axis[c])
        dU = crossed(i.dphi, U)
        if coordinates.kind[c] != DISPLACEMENT:
            changes.append((U * (j.dphi - i.dphi)).sum(axis=-2))
            rates.append((dU * (j.omega - i.omega) + U * (j.domega - i.domega)).sum(axis=-2))
            continue
        r = coordinates.point[c, 1]
        s, ds = j.a + j.arm(r) - i.a, j.position(r) - i.da
        w = j.v + crossed(j.omega, j.arm(r)) - i.v - crossed(i.omega, s)
        dw = j.velocity(r) - i.dv - crossed(i.domega, s) - crossed(i.omega, ds)
        changes.append((U * (ds - crossed(i.dphi, s))).sum(axis=-2))
        rates.append((dU * w + U * dw).sum(axis=-2))
    empty = np.zeros((*dq.shape[:-3], 0, dq.shape[-1]))
    return (np.stack(changes, axis=-2), np.stack(rates, axis=-2)) if changes else (empty, empty)
