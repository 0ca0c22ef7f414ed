"""First guesses of the step that conserves energy: mean velocities and multipliers, from those of the last steps."""

from __future__ import annotations

from ..._jit import inline, njit
from ..arrays import LAST_LEAD, LEAD, MU
from .balance import MEAN_V, MEAN_W

# in the memory, where the world would have velocities: how many steps it holds, at most 3, and c of the last two
KNOWN, TILT, LAST_TILT = 0, 1, 2
RAPID = 0.04  # squared change of velocities in half a step, relative to them, up to which a parabola predicts
MEMORY = 18  # numbers of a body: v̄ and Ω̄ of the last three steps
MULTIPLIERS = 3  # numbers of a row: λ̄ before the last two, μ before the last one
REMAINDERS_OF_BODY = 12  # numbers of a body at the end of the memory: of its position and rotation


@inline
def follow(known, one, two, three):
    """The next number after `three`, `two`, `one`, of which so many are known."""
    if known >= 3.0:
        return 3.0 * (one - two) + three
    return 2.0 * one - two if known == 2.0 else one


@njit
def predict_velocities(bodies, p, L, memory, most, vectors):
    """v̄ from the last three mean velocities, or `most`. If velocities change much in a step: by a line through the last
    one, half a step ago, and v₀; v₀ if they change by more than themselves. Returns how many were used."""
    n = p.shape[0]
    change = size = 0.0
    for b in range(1, n):
        for k in range(3):
            v, w = bodies.inverse_mass[b] * p[b, k], bodies.inverse_inertia[b, k] * L[b, k]
            m, J = bodies.mass[b], bodies.inertia[b, k]
            dv, dw = v - memory[6 * b + k], w - memory[6 * b + 3 + k]
            change, size = change + m * dv * dv + J * dw * dw, size + m * v * v + J * w * w
    known = min(most, memory[KNOWN])
    if change > size:
        known = 0.0
    elif change > RAPID * size:
        known = min(known, 1.0)
    for b in range(1, n):
        for k in range(3):
            v, w = bodies.inverse_mass[b] * p[b, k], bodies.inverse_inertia[b, k] * L[b, k]
            o = 6 * b + k
            if known < 2.0:
                vectors[MEAN_V, b, k] = 2.0 * v - memory[o] if known == 1.0 else v
                vectors[MEAN_W, b, k] = 2.0 * w - memory[o + 3] if known == 1.0 else w
            else:
                vectors[MEAN_V, b, k] = follow(known, memory[o], memory[6 * n + o], memory[12 * n + o])
                vectors[MEAN_W, b, k] = follow(known, memory[o + 3], memory[6 * n + o + 3], memory[12 * n + o + 3])
    return known


@njit
def predict_multipliers(n, lam, memory, known, force, mu):
    """λ̄ and μ from those of so many of the last steps, by polynomials. Returns c, likewise."""
    r, first = force.shape[0], MEMORY * n
    for k in range(r):
        one, two, three = lam[MU, k], lam[LAST_LEAD, k], memory[first + k]
        force[k] = follow(known, one, two, three)
        mu[k] = follow(known, lam[LEAD, k], memory[first + r + k], memory[first + 2 * r + k])
    return 2.0 * memory[TILT] - memory[LAST_TILT] if known >= 2.0 else 1.0


@njit
def remember(vectors, force, mu, c, lam, memory):
    """Store what the next predictions need."""
    n, r = vectors.shape[1], force.shape[0]
    first = MEMORY * n
    for b in range(1, n):
        for k in range(3):
            o = 6 * b + k
            memory[12 * n + o], memory[12 * n + o + 3] = memory[6 * n + o], memory[6 * n + o + 3]
            memory[6 * n + o], memory[6 * n + o + 3] = memory[o], memory[o + 3]
            memory[o], memory[o + 3] = vectors[MEAN_V, b, k], vectors[MEAN_W, b, k]
    for k in range(r):
        memory[first + 2 * r + k] = memory[first + r + k]
        memory[first + k], memory[first + r + k] = lam[LAST_LEAD, k], lam[LEAD, k]
        lam[LAST_LEAD, k], lam[MU, k], lam[LEAD, k] = lam[MU, k], force[k], mu[k]
    memory[LAST_TILT], memory[TILT] = memory[TILT], c
    memory[KNOWN] = min(3.0, memory[KNOWN] + 1.0)
