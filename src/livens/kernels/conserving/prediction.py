"""First guesses of the step that conserves energy: mean velocities and multipliers, from those of the last steps."""

from __future__ import annotations

from ..._jit import njit
from ..arrays import LAST_LEAD, LEAD, MU
from .balance import MEAN_V, MEAN_W

KNOWN = 0  # in the memory, where the world would have a velocity: how many steps it holds, at most 3
RAPID = 0.04  # squared change of velocities in half a step, relative to them, up to which a parabola predicts


@njit
def predict_velocities(bodies, p, L, memory, vectors):
    """v̄ from v₀ and the last two mean velocities, half a step and one and a half steps before it: by a parabola; by a
    line if there is one only, or if velocities change much in a step; v₀ if they change by more than themselves."""
    n = p.shape[0]
    change = size = 0.0
    for b in range(1, n):
        for k in range(3):
            v, w = bodies.inverse_mass[b] * p[b, k], bodies.inverse_inertia[b, k] * L[b, k]
            m, J = bodies.mass[b], bodies.inertia[b, k]
            dv, dw = v - memory[6 * b + k], w - memory[6 * b + 3 + k]
            change, size = change + m * dv * dv + J * dw * dw, size + m * v * v + J * w * w
    known = memory[KNOWN]
    if change > size:
        known = 0.0
    elif change > RAPID * size:
        known = min(known, 1.0)
    c0, c1, c2 = (
        (8.0 / 3.0, -2.0, 1.0 / 3.0) if known >= 2.0 else ((2.0, -1.0, 0.0) if known == 1.0 else (1.0, 0.0, 0.0))
    )
    for b in range(1, n):
        for k in range(3):
            v, w = bodies.inverse_mass[b] * p[b, k], bodies.inverse_inertia[b, k] * L[b, k]
            o = 6 * b + k
            vectors[MEAN_V, b, k] = c0 * v + c1 * memory[o] + c2 * memory[6 * n + o]
            vectors[MEAN_W, b, k] = c0 * w + c1 * memory[o + 3] + c2 * memory[6 * n + o + 3]


@njit
def predict_multipliers(n, lam, memory, force, mu):
    """λ̄ and μ from those of the last steps, by polynomials."""
    known, r = memory[KNOWN], force.shape[0]
    for k in range(r):
        one, two, three = lam[MU, k], lam[LAST_LEAD, k], memory[12 * n + k]
        if known >= 3.0:
            force[k] = 3.0 * (one - two) + three
        else:
            force[k] = 2.0 * one - two if known == 2.0 else one
        mu[k] = 2.0 * lam[LEAD, k] - memory[12 * n + r + k] if known >= 2.0 else lam[LEAD, k]


@njit
def remember(vectors, force, mu, lam, memory):
    """Store what the next predictions need."""
    n, r = vectors.shape[1], force.shape[0]
    for b in range(1, n):
        for k in range(3):
            o = 6 * b + k
            memory[6 * n + o], memory[6 * n + o + 3] = memory[o], memory[o + 3]
            memory[o], memory[o + 3] = vectors[MEAN_V, b, k], vectors[MEAN_W, b, k]
    for k in range(r):
        memory[12 * n + k], memory[12 * n + r + k] = lam[LAST_LEAD, k], lam[LEAD, k]
        lam[LAST_LEAD, k], lam[MU, k], lam[LEAD, k] = lam[MU, k], force[k], mu[k]
    memory[KNOWN] = min(3.0, memory[KNOWN] + 1.0)
