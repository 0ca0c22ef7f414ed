"""User-written rows, g(q, t) = 0: each has three tapes (tape.py).

    value        g                                       position level
    derivatives  ∂g/∂t, and ∂g/∂a, ∂g/∂B of each body    Jacobian, and the rate G (v, ω) + ∂g/∂t           (1)
    bias term    γ = d/dt (G (v, ω) + ∂g/∂t)             accelerations: at constant v and ω                (2)

With N = Bᵀ ∂g/∂B, a rotation δB = B δθ̂ changes g by N : δθ̂, so a unit multiplier exerts on each body

    f = ∂g/∂a,      τ = (N₃₂ − N₂₃, N₁₃ − N₃₁, N₂₁ − N₁₂)   in body axes.                                  (3)

Models without such rows do not call these functions.
"""

from __future__ import annotations

from .._jit import inline, njit
from .arrays import WORK
from .constrain import add_prescribed_rates, constraint_rates
from .opcodes import RESULT, TIME, VELOCITIES
from .rows import jacobians, violations
from .tape import run


@inline
def tape_time(system, signals, row):
    """The time of a table row; 0 if no row depends on it."""
    return signals[row, system.tapes.clock] if system.tapes.clock >= 0 else 0.0


@inline
def all_violations(system, a, B, angle, signals, row, work, g):
    """g of all rows, user-written ones included."""
    violations(system.rows, system.coordinates, a, B, angle, signals, row, g)
    if system.tapes.row.shape[0] > 0:
        tape_violations(system.tapes, a, B, tape_time(system, signals, row), work.registers, g)


@inline
def all_rates(system, G, p, L, signals, row, ahead, work, x):
    """Rates of all rows with the Jacobian G and ∂g/∂t (work.partial for user-written rows); prescribed motions are
    those after the time `ahead`."""
    constraint_rates(system.bodies, system.blocks, G, p, L, x)
    add_prescribed_rates(system.rows, signals, row, ahead, x)
    if system.tapes.row.shape[0] > 0:
        tape_rates(system.tapes, work.partial, x)


@inline
def all_jacobians(system, a, B, signals, row, work, partial, G):
    """Jacobian entries of all rows, and ∂g/∂t of user-written ones."""
    jacobians(system.rows, system.coordinates, a, B, G)
    if system.tapes.row.shape[0] > 0:
        tape_jacobians(
            system.tapes, system.rows.entry, a, B, tape_time(system, signals, row), work.registers, partial, G
        )


@njit
def gather(tapes, k, a, B, t, w):
    """Poses of the bodies of tape k, and the time, into the first registers."""
    for s in range(tapes.bodies[k]):
        b, o = tapes.body[k, s], 12 * s
        for i in range(3):
            w[o + i] = a[b, i]
            for j in range(3):
                w[o + 3 + 3 * i + j] = B[b, i, j]
    w[TIME] = t


@njit
def gather_velocities(tapes, k, bodies, p, L, w):
    """v and ω of the bodies of tape k, ω in body axes, into their registers."""
    for s in range(tapes.bodies[k]):
        b, o = tapes.body[k, s], VELOCITIES + 6 * s
        for i in range(3):
            w[o + i] = bodies.inverse_mass[b] * p[b, i]
            w[o + 3 + i] = bodies.inverse_inertia[b, i] * L[b, i]


@njit
def tape_violations(tapes, a, B, t, w, g):
    """g of user-written rows."""
    for k in range(tapes.row.shape[0]):
        gather(tapes, k, a, B, t, w)
        w[RESULT] = 0.0
        run(tapes.code, tapes.constant, tapes.begin[k, 0], tapes.begin[k, 1], w)
        g[tapes.row[k]] = w[RESULT]


@njit
def tape_jacobians(tapes, entry, a, B, t, w, partial, G):
    """Entries (3) and ∂g/∂t of user-written rows."""
    for k in range(tapes.row.shape[0]):
        r, n = tapes.row[k], tapes.bodies[k]
        gather(tapes, k, a, B, t, w)
        for i in range(1 + 12 * n):  # a tape writes no derivative that is always zero
            w[RESULT + i] = 0.0
        run(tapes.code, tapes.constant, tapes.begin[k, 1], tapes.begin[k, 2], w)
        partial[r] = w[RESULT]
        for s in range(n):
            b, e, o = tapes.body[k, s], entry[r, s], RESULT + 1 + 12 * s
            x = y = z = 0.0
            for m in range(3):
                G[e, m] = w[o + m]
                D0, D1, D2 = w[o + 3 + 3 * m], w[o + 4 + 3 * m], w[o + 5 + 3 * m]
                x += B[b, m, 2] * D1 - B[b, m, 1] * D2
                y += B[b, m, 0] * D2 - B[b, m, 2] * D0
                z += B[b, m, 1] * D0 - B[b, m, 0] * D1
            G[e, 3], G[e, 4], G[e, 5] = x, y, z


@njit
def tape_bias_terms(tapes, bodies, a, B, p, L, t, w, gamma):
    """γ of user-written rows by (2)."""
    for k in range(tapes.row.shape[0]):
        gather(tapes, k, a, B, t, w)
        gather_velocities(tapes, k, bodies, p, L, w)
        w[RESULT] = 0.0
        run(tapes.code, tapes.constant, tapes.begin[k, 2], tapes.begin[k, 3], w)
        gamma[tapes.row[k]] = w[RESULT]


@njit
def tape_rates(tapes, partial, x):
    """x += ∂g/∂t, by (1)."""
    for k in range(tapes.row.shape[0]):
        x[tapes.row[k]] += partial[tapes.row[k]]


@njit
def add_tape_impulse_work(tapes, c, lam, rates, partial, account):
    """Add the work of the impulses c λ of constraints that depend on time: impulse times the mean of the rates of its
    row on both sides of it, one in `rates`, the other −∂g/∂t. It is exact where ∂g/∂t jumps too."""
    for k in range(tapes.row.shape[0]):
        r = tapes.row[k]
        account[WORK] += 0.5 * c * lam[r] * (rates[r] - partial[r])
