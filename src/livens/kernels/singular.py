"""Steps that end near a singular configuration: small displacements of the bodies, and weak rows.

Bodies move by δq = c M⁻¹ (P, L), rotations by their Cayley map. Let d = Gᵀx be orthogonal, in the metric M⁻¹, to the
well-conditioned rows; then σ² = d·M⁻¹d / x·x. A row is weak if σ² is small against its diagonal entry of S: `factor`
gives it the pivot zero.
"""

from __future__ import annotations

from .._jit import njit
from .arrays import S_PIVOTS
from .constrain import RATE_TOLERANCE, add_multiple, apply_multipliers, constraint_rates
from .powers import square
from .row_tapes import all_rates
from .sparse import solve

LOST_DIRECTION = 1e-20  # σ² over diagonal entry: below, G does not determine the direction of weak rows


@njit
def move_bodies(bodies, c, P, L, a, B):
    """Move every body by c M⁻¹ (P, L), rotations by their Cayley map."""
    for b in range(1, a.shape[0]):
        x = 0.5 * c * bodies.inverse_inertia[b, 0] * L[b, 0]
        y = 0.5 * c * bodies.inverse_inertia[b, 1] * L[b, 1]
        z = 0.5 * c * bodies.inverse_inertia[b, 2] * L[b, 2]
        t = 2.0 / (1.0 + x * x + y * y + z * z)
        for k in range(3):
            a[b, k] += c * bodies.inverse_mass[b] * P[b, k]
            b0, b1, b2 = B[b, k, 0], B[b, k, 1], B[b, k, 2]
            c0, c1, c2 = b1 * z - b2 * y, b2 * x - b0 * z, b0 * y - b1 * x
            B[b, k, 0] = b0 + t * (c0 + c1 * z - c2 * y)
            B[b, k, 1] = b1 + t * (c1 + c2 * x - c0 * z)
            B[b, k, 2] = b2 + t * (c2 + c0 * y - c1 * x)


@njit
def copy_configuration(a, B, a_to, B_to):
    for b in range(1, a.shape[0]):
        for i in range(3):
            a_to[b, i] = a[b, i]
            for j in range(3):
                B_to[b, i, j] = B[b, i, j]


@njit
def set_zero(P, L):
    for b in range(P.shape[0]):
        for k in range(3):
            P[b, k] = 0.0
            L[b, k] = 0.0


@njit
def copy(x, y):
    for r in range(x.shape[0]):
        y[r] = x[r]


@njit
def add_momenta(c, P, K, p, L):
    """(p, L) += c (P, K)."""
    for b in range(p.shape[0]):
        for i in range(3):
            p[b, i] += c * P[b, i]
            L[b, i] += c * K[b, i]


@njit
def predict_momenta(c, p, L, f, tau):
    """(f, τ) ← (p, L) + c (f, τ): the momenta after a kick, in the place of the forces."""
    for b in range(p.shape[0]):
        for i in range(3):
            f[b, i] = p[b, i] + c * f[b, i]
            tau[b, i] = L[b, i] + c * tau[b, i]


@njit
def squared_norm(bodies, P, L):
    """(P, L) M⁻¹ (P, L)."""
    s = 0.0
    for b in range(1, P.shape[0]):
        for k in range(3):
            s += bodies.inverse_mass[b] * square(P[b, k]) + bodies.inverse_inertia[b, k] * square(L[b, k])
    return s


@njit
def zero_dampers(rows, g):
    """g = 0 for dampers."""
    for r in range(g.shape[0]):
        if rows.rate[r] > 0.0:
            g[r] = 0.0


@njit
def project_out_strong_rows(system, work, x, multipliers, P, L):
    """(P, L) = Gᵀx projected, in the metric M⁻¹, orthogonally to the well-conditioned rows, those in the factors of S.
    Also `multipliers` with (P, L) = Gᵀ multipliers; returns the squared norm of (P, L). x is overwritten."""
    set_zero(P, L)
    apply_multipliers(system.blocks, work.G, 1.0, x, P, L)
    copy(x, multipliers)
    for _ in range(3):  # one projection has an error of round-off over σ
        constraint_rates(system.bodies, system.blocks, work.G, P, L, x)
        solve(system.blocks, work.S, work.pivot[S_PIVOTS], x)
        apply_multipliers(system.blocks, work.G, -1.0, x, P, L)
        for r in range(x.shape[0]):
            multipliers[r] -= x[r]
    return squared_norm(system.bodies, P, L)


@njit
def remove_weak_rates(system, work, h, signals, row, ahead, p, L):
    """Remove the rates of weak rows from the momenta (p, L): conjugate gradients for the least-squares problem with G,
    whose condition number is the square root of that of S, until they mean nothing over a step of length h. work.y
    accumulates the impulses."""
    rows, pivot = system.rows, work.pivot[S_PIVOTS]
    residual, search, step_multipliers = work.x, work.g, work.U
    step_P, step_L = work.a, work.L
    last = 0.0
    for i in range(2 * residual.shape[0]):
        all_rates(system, work.G, p, L, signals, row, ahead, work, residual)
        now = most = weight = 0.0
        for r in range(residual.shape[0]):
            if pivot[r] == 0.0 and rows.rate[r] == 0.0:
                now += square(residual[r])
                most = max(most, abs(residual[r]) * rows.weight[r])
        if abs(h) * most <= 10.0 * RATE_TOLERANCE:
            break
        for r in range(residual.shape[0]):
            if pivot[r] == 0.0 and rows.rate[r] == 0.0:
                search[r] = residual[r] + (now / last * search[r] if i > 0 else 0.0)
                weight += square(search[r]) * work.diagonal[r]
            else:
                search[r] = 0.0
            residual[r] = search[r]
        last = now
        size = project_out_strong_rows(system, work, residual, step_multipliers, step_P, step_L)
        if size <= LOST_DIRECTION * weight:
            break
        add_momenta(-now / size, step_P, step_L, p, L)
        add_multiple(-now / size, step_multipliers[: residual.shape[0]], work.y)
