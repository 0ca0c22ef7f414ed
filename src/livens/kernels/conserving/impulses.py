"""Impulses at both ends of the step that conserves energy: (5) of step/energy_momentum.py."""

from __future__ import annotations

import math

from ..._jit import inline, njit
from ..constrain import add_prescribed_rates, apply_multipliers, constraint_rates, largest_violation
from ..coordinates import to_world
from ..potential import kinetic, to_body
from ..row_tapes import all_jacobians, tape_rates
from ..sparse import assemble, remove_dampers
from ..sparse_lu import factor_lu, solve_lu
from .balance import END_L, END_P, FORCE, MEAN_V, MEAN_W, MOMENT, START_L, START_P, cayley_increment

MOST_TILT = 2.0  # bounds of c and 1/c
SLOW, SLOWEST = 0.2, 0.99  # ratios of two changes of c between which they are summed up
TILT_ROUND_OFF, TILT_NOISE = 1e-9, 1e-13  # changes of c that may be round-off, whose ratio says nothing: the second
# where the impulses μ have all of the kinetic energy
FAINT = 1e-24  # kinetic energy of the impulses μ, relative to all of it, below which c = 1


@njit
def start_momenta(blocks, G, c, mu, p, L, vectors):
    """p̃₀ of (5)."""
    for b in range(p.shape[0]):
        for k in range(3):
            vectors[START_P, b, k] = p[b, k]
            vectors[START_L, b, k] = L[b, k]
    apply_multipliers(blocks, G, c, mu, vectors[START_P], vectors[START_L])


@njit
def end_momenta(h, B0, vectors):
    """p̃₁ and L̃₁ by (2) and (3), from F̄ and M̄."""
    for b in range(1, B0.shape[0]):
        u = to_body(B0, b, vectors[MOMENT, b, 0], vectors[MOMENT, b, 1], vectors[MOMENT, b, 2])
        D0, D1, D2, _ = cayley_increment(h, vectors[MEAN_W], b)
        L0 = vectors[START_L, b, 0] + h * u[0]
        L1 = vectors[START_L, b, 1] + h * u[1]
        L2 = vectors[START_L, b, 2] + h * u[2]
        for k in range(3):
            vectors[END_P, b, k] = vectors[START_P, b, k] + h * vectors[FORCE, b, k]
        vectors[END_L, b, 0] = L0 + (D0[0] * L0 + D1[0] * L1 + D2[0] * L2)
        vectors[END_L, b, 1] = L1 + (D0[1] * L0 + D1[1] * L1 + D2[1] * L2)
        vectors[END_L, b, 2] = L2 + (D0[2] * L0 + D1[2] * L1 + D2[2] * L2)


@njit
def mean_momenta(bodies, vectors):
    """p̃₁ and L̃₁ by (2) and (3), from the mean velocities."""
    for b in range(1, bodies.mass.shape[0]):
        for k in range(3):
            vectors[END_P, b, k] = 2.0 * bodies.mass[b] * vectors[MEAN_V, b, k] - vectors[START_P, b, k]
            vectors[END_L, b, k] = 2.0 * bodies.inertia[b, k] * vectors[MEAN_W, b, k] - vectors[START_L, b, k]


@njit
def hard_rates(rows, bodies, blocks, tapes, G, p, L, signals, row, partial, x):
    """Rates of the constraint equations, with ∂g/∂t of user-written ones in `partial`; zero for dampers."""
    constraint_rates(bodies, blocks, G, p, L, x)
    add_prescribed_rates(rows, signals, row, 0.0, x)
    tape_rates(tapes, partial, x)
    for r in range(x.shape[0]):
        if rows.rate[r] > 0.0:
            x[r] = 0.0


@njit
def balance_energy(bodies, blocks, G0, G1, mu, before, after, p, L):
    """c of (5), and changes of it that may be round-off."""
    for b in range(p.shape[0]):
        for k in range(3):
            before[b, k] = after[b, k] = 0.0
    apply_multipliers(blocks, G0, 1.0, mu, before, after)
    e0 = kinetic(bodies, before, after)
    for b in range(p.shape[0]):
        for k in range(3):
            before[b, k] = after[b, k] = 0.0
    apply_multipliers(blocks, G1, 1.0, mu, before, after)
    e1 = kinetic(bodies, before, after)
    whole = kinetic(bodies, p, L)
    if not e0 > FAINT * whole + 1e-300:
        return 1.0, TILT_ROUND_OFF
    c = min(MOST_TILT, max(1.0 / MOST_TILT, math.sqrt(math.sqrt(e1 / e0))))
    return c, min(TILT_ROUND_OFF, TILT_NOISE * math.sqrt(whole / e0))


@inline
def next_tilt(c, change, last, noise):
    """The next c after a change, and the change to be kept: changes that decrease slowly, by one ratio of either sign,
    are summed up (Aitken)."""
    if abs(change) > noise and SLOW * last * last < abs(change * last) < SLOWEST * last * last:
        return min(MOST_TILT, max(1.0 / MOST_TILT, c + change * last / (last - change))), 0.0
    return c + change, change


@njit
def impulse_matrix(system, G0, G1, c, both, scratch, below, above):
    """The factors of S(q₁)/c + c G(q₁) M⁻¹ G(q₀)ᵀ = G(q₁) M⁻¹ (G(q₁)/c + c G(q₀))ᵀ, without dampers: in the second term
    p̃₁ changes by −p̃₀. `both` is scratch of the size of G."""
    blocks = system.blocks
    for e in range(G0.shape[0]):
        for k in range(6):
            both[e, k] = c * G0[e, k] + G1[e, k] / c
    assemble(system.bodies, blocks, G1, both, False, below)
    assemble(system.bodies, blocks, both, G1, False, above)
    if system.damped:
        remove_dampers(blocks, below, below)
        remove_dampers(blocks, above, above)
    for J in range(blocks.diagonal.shape[0]):
        n = blocks.node[J + 1] - blocks.node[J]
        for y in range(n):
            k = blocks.diagonal[J] + y * n + y
            below[k] += (c + 1.0 / c) * system.shift * system.rows.metric[blocks.node[J] + y]
    factor_lu(blocks, below, above, scratch)


@inline
def correct_impulses(system, state, work, trial, h, fresh, signals, row):
    """A correction of μ and c by (5), with a `fresh` matrix or the last one; the change of cμ goes into trial.change.
    Returns the residual rates as violations after a step, in tolerances."""
    vectors, c = work.trial, trial.tilt[0]
    all_jacobians(system, work.a, work.B, signals, row, work, trial.partial, work.N)
    if fresh:
        impulse_matrix(system, work.G, work.N, c, trial.both, trial.scratch, trial.below, trial.above)
    mean_momenta(system.bodies, vectors)
    apply_multipliers(system.blocks, work.N, -1.0 / c, trial.mu, vectors[END_P], vectors[END_L])
    hard_rates(
        system.rows, system.bodies, system.blocks, system.tapes, work.N, vectors[END_P], vectors[END_L], signals, row,
        trial.partial, work.x,
    )  # fmt: skip
    e, _ = largest_violation(system.rows, work.x)
    solve_lu(system.blocks, trial.below, trial.above, work.x, work.y)
    for r in range(trial.mu.shape[0]):
        trial.change[r] = -c * trial.mu[r]
        trial.mu[r] += work.x[r]
    found, noise = balance_energy(
        system.bodies, system.blocks, work.G, work.N, trial.mu, work.f, work.tau, state.p, state.L
    )
    trial.tilt[0], trial.tilt[1] = next_tilt(c, found - c, trial.tilt[1], noise)
    for r in range(trial.mu.shape[0]):
        trial.change[r] += trial.tilt[0] * trial.mu[r]
    return abs(h) * e


@njit
def impulse_residuals(pattern, blocks, G, B0, B1, change, f, tau, x):
    """What a change of cμ adds to minus the residuals of (2) and (3); f and tau are scratch."""
    for b in range(f.shape[0]):
        for k in range(3):
            f[b, k] = tau[b, k] = 0.0
    apply_multipliers(blocks, G, 1.0, change, f, tau)
    for k in range(x.shape[0]):
        x[k] = 0.0
    for b in range(1, f.shape[0]):
        o, t = pattern.body[b], (tau[b, 0], tau[b, 1], tau[b, 2])
        u, w = to_world(B0, b, t), to_world(B1, b, t)
        for k in range(3):
            x[o + k] = 2.0 * f[b, k]
            x[o + 3 + k] = u[k] + w[k]
