"""What a landing near a singular position needs: places that are moved a little, and what weak rows still hold.

Bodies move by δq = c M⁻¹ (P, L), rotations by their Cayley map. A row whose gradient, as far as other rows leave it, is
d = Gᵀx has σ² = d·M⁻¹d; it is weak where that is small against its diagonal entry of S.
"""

from __future__ import annotations

from .._jit import njit
from .constrain import correct, push, rates
from .row_tapes import all_rates
from .sparse import solve

NOWHERE = 1e-20  # σ² at which G itself no longer shows where weak rows point, relative to their diagonal entries


@njit
def nudge(bodies, c, P, L, a, B):
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
def copy_places(a, B, a_to, B_to):
    for b in range(1, a.shape[0]):
        for i in range(3):
            a_to[b, i] = a[b, i]
            for j in range(3):
                B_to[b, i, j] = B[b, i, j]


@njit
def clear(P, L):
    for b in range(P.shape[0]):
        for k in range(3):
            P[b, k] = 0.0
            L[b, k] = 0.0


@njit
def copy(x, y):
    for r in range(x.shape[0]):
        y[r] = x[r]


@njit
def add(c, P, K, p, L):
    """(p, L) += c (P, K)."""
    for b in range(p.shape[0]):
        for i in range(3):
            p[b, i] += c * P[b, i]
            L[b, i] += c * K[b, i]


@njit
def foresee(c, p, L, f, tau):
    """(f, τ) ← (p, L) + c (f, τ)."""
    for b in range(p.shape[0]):
        for i in range(3):
            f[b, i] = p[b, i] + c * f[b, i]
            tau[b, i] = L[b, i] + c * tau[b, i]


@njit
def weigh(bodies, P, L):
    """(P, L) M⁻¹ (P, L)."""
    s = 0.0
    for b in range(1, P.shape[0]):
        for k in range(3):
            s += bodies.inverse_mass[b] * P[b, k] ** 2 + bodies.inverse_inertia[b, k] * L[b, k] ** 2
    return s


@njit
def ignore_dampers(rows, g):
    for r in range(g.shape[0]):
        if rows.rate[r] > 0.0:
            g[r] = 0.0


@njit
def leave(system, work, x, total, P, L):
    """(P, L) = Gᵀx as far as the rows in the factors leave it, = Gᵀ`total`; its square, σ²x²."""
    clear(P, L)
    push(system.blocks, work.G, 1.0, x, P, L)
    copy(x, total)
    for _ in range(3):  # one projection leaves round-off over σ
        rates(system.bodies, system.blocks, work.G, P, L, x)
        solve(system.blocks, work.S, work.pivot[0], x)
        push(system.blocks, work.G, -1.0, x, P, L)
        for r in range(x.shape[0]):
            total[r] -= x[r]
    return weigh(system.bodies, P, L)


@njit
def hold(system, work, signals, row, ahead, p, L):
    """Take from the momenta (p, L) what moves weak rows, by least squares with conjugate gradients: with G, whose
    condition is the root of that of S; work.y collects the impulses."""
    rows, pivot = system.rows, work.pivot[0]
    x, way, total = work.x, work.g, work.U  # rates, the direction of search, and all that one push takes
    before = 0.0
    for i in range(2 * x.shape[0]):
        all_rates(system, work.G, p, L, signals, row, ahead, work, x)
        now = most = weight = 0.0
        for r in range(x.shape[0]):
            if pivot[r] == 0.0 and rows.rate[r] == 0.0:
                now += x[r] ** 2
                most = max(most, abs(x[r]) * rows.weight[r])
        if most <= 1.0:
            break
        for r in range(x.shape[0]):
            if pivot[r] == 0.0 and rows.rate[r] == 0.0:
                way[r] = x[r] + (now / before * way[r] if i > 0 else 0.0)
                weight += way[r] ** 2 * work.diagonal[r]
            else:
                way[r] = 0.0
            x[r] = way[r]
        before = now
        size = leave(system, work, x, total, work.a, work.L)
        if size <= NOWHERE * weight:
            break
        add(-now / size, work.a, work.L, p, L)
        correct(-now / size, total[: x.shape[0]], work.y)
