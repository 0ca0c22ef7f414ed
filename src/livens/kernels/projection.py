"""Velocities projected onto the joints at one configuration: p ← p − Gᵀ S⁻¹ (G v + ∂g/∂t), with the factors of S."""

from __future__ import annotations

from .._jit import njit
from .constrain import add_prescribed_rates, apply_multipliers, constraint_rates
from .row_tapes import tape_rates
from .sparse import solve

CORRECTIONS = 6


@njit
def project_rates(system, G, H, pivot, partial, signals, p, L, g):
    """Project momenta p and L (members, n, 3), with the Jacobian G and the factors H of S without dampers; g (members,
    r): the rates of all rows afterwards, without those of prescribed motions."""
    for k in range(p.shape[0]):
        for _ in range(CORRECTIONS):
            constraint_rates(system.bodies, system.blocks, G, p[k], L[k], g[k])
            add_prescribed_rates(system.rows, signals, 0, 0.0, g[k])
            if system.tapes.row.shape[0] > 0:
                tape_rates(system.tapes, partial, g[k])
            for r in range(g.shape[1]):
                if system.rows.rate[r] != 0.0:
                    g[k, r] = 0.0
            solve(system.blocks, H, pivot, g[k])
            apply_multipliers(system.blocks, G, -1.0, g[k], p[k], L[k])
        constraint_rates(system.bodies, system.blocks, G, p[k], L[k], g[k])
