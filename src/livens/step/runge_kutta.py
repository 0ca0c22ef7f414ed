"""Explicit Runge–Kutta schemes for rigid bodies with joints: for short motions that must be accurate.

Nothing is kept but what accuracy keeps, so the energy drifts in the end; within an error reached soon they are the
cheapest. Everything is in world axes, ℓ = B L and Ω = B J⁻¹L, where a fast top is slow; rotations are
B = exp(Θ̂) B₀ with Θ = 0 at the start of a step (Munthe-Kaas 1998),

    ȧ = p/m     ṗ = f + Gᵀλ     ℓ̇ = B (τ + Gᵀλ)     Θ̇ = Ω − ½ Θ × Ω + (1 − ½|Θ| cot ½|Θ|)/|Θ|² Θ × (Θ × Ω)        (1)

with λ such that G (v̇, ω̇) + γ = φ̈ (dynamics.py). At the end of a step bodies are moved onto g(q) = 0 and momenta onto
G v + ∂g/∂t = 0, both by the least mass-weighted change. A body may turn by half a turn in a step, |Θ| < π: Θ̇ has a pole
at 2π, and turns in joints are counted from stage to stage.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .._jit import inline, njit
from ..checks import Array
from ..errors import ModelError
from ..kernels.arrays import System
from ..kernels.constrain import farthest, push, worst
from ..kernels.coordinates import read
from ..kernels.dynamics import REFINE, balance
from ..kernels.forces import power
from ..kernels.kinds import VELOCITY_ONLY
from ..kernels.record import keep
from ..kernels.row_tapes import all_defects, all_gradients, tape_work
from ..kernels.singular import clear, nudge
from ..kernels.sparse import solve
from ..kernels.status import NOT_FINITE, OK, POSITION, SPIN
from .projection import CORRECTIONS, book, onto_rates
from .rattle import ROUND_OFF
from .tableaus import CLASSIC, DOP853

A0, P0, L0, B0, TURN, CURVE, K = 0, 1, 2, 3, 6, 7, 8  # slots of work.trial: the start, Θ, its coefficient, the slopes


@njit
def begin(a, B, p, L, trial):
    """Keep the start of a step: a, p, ℓ = B L, B."""
    for b in range(1, a.shape[0]):
        for k in range(3):
            trial[A0, b, k] = a[b, k]
            trial[P0, b, k] = p[b, k]
            trial[L0, b, k] = B[b, k, 0] * L[b, 0] + B[b, k, 1] * L[b, 1] + B[b, k, 2] * L[b, 2]
            trial[TURN, b, k] = 0.0
            for j in range(3):
                trial[B0 + k, b, j] = B[b, k, j]


@njit
def move(bodies, h, table, s, count, trial, a, B, p, L):
    """The state of stage s, from the slopes of the first `count` stages: (a, p, ℓ) = start + h Σ A_sj K_j, B by exp."""
    stages = int(table[0])
    for b in range(1, a.shape[0]):
        l0, l1, l2 = trial[L0, b, 0], trial[L0, b, 1], trial[L0, b, 2]
        x = y = z = 0.0
        for k in range(3):
            a[b, k] = trial[A0, b, k]
            p[b, k] = trial[P0, b, k]
        for j in range(count):
            w = h * table[1 + s * stages + j]
            if w != 0.0:
                i = K + 4 * j
                for k in range(3):
                    a[b, k] += w * trial[i, b, k]
                    p[b, k] += w * trial[i + 1, b, k]
                l0 += w * trial[i + 2, b, 0]
                l1 += w * trial[i + 2, b, 1]
                l2 += w * trial[i + 2, b, 2]
                x += w * trial[i + 3, b, 0]
                y += w * trial[i + 3, b, 1]
                z += w * trial[i + 3, b, 2]
        square = x * x + y * y + z * z
        t = math.sqrt(square)
        cosine = math.cos(0.5 * t)
        q = math.sin(0.5 * t) / t if t > 1e-8 else 0.5
        curve = (1.0 - 0.5 * cosine / q) / square if t > 0.03 else 1.0 / 12.0 + square / 720.0 + square**2 / 30240.0
        trial[TURN, b, 0], trial[TURN, b, 1], trial[TURN, b, 2], trial[CURVE, b, 0] = x, y, z, curve
        c, d = 2.0 * q * cosine, 2.0 * q * q  # exp(Θ̂) = I + c Θ̂ + d Θ̂²
        for k in range(3):
            u0, u1, u2 = trial[B0, b, k], trial[B0 + 1, b, k], trial[B0 + 2, b, k]
            v0, v1, v2 = y * u2 - z * u1, z * u0 - x * u2, x * u1 - y * u0
            u0 += c * v0 + d * (y * v2 - z * v1)
            u1 += c * v1 + d * (z * v0 - x * v2)
            u2 += c * v2 + d * (x * v1 - y * v0)
            B[b, 0, k], B[b, 1, k], B[b, 2, k] = u0, u1, u2
            L[b, k] = u0 * l0 + u1 * l1 + u2 * l2 if bodies.inverse_inertia[b, k] > 0.0 else 0.0


@njit
def straighten(B):
    """B ← ½ B (3 − BᵀB): round-off of rotations does not add up."""
    for b in range(1, B.shape[0]):
        S00 = S01 = S02 = S11 = S12 = S22 = 0.0
        for k in range(3):
            b0, b1, b2 = B[b, k, 0], B[b, k, 1], B[b, k, 2]
            S00, S01, S02 = S00 + b0 * b0, S01 + b0 * b1, S02 + b0 * b2
            S11, S12, S22 = S11 + b1 * b1, S12 + b1 * b2, S22 + b2 * b2
        for k in range(3):
            b0, b1, b2 = B[b, k, 0], B[b, k, 1], B[b, k, 2]
            B[b, k, 0] = b0 + 0.5 * (b0 * (1.0 - S00) - b1 * S01 - b2 * S02)
            B[b, k, 1] = b1 + 0.5 * (b1 * (1.0 - S11) - b0 * S01 - b2 * S12)
            B[b, k, 2] = b2 + 0.5 * (b2 * (1.0 - S22) - b0 * S02 - b1 * S12)


@njit
def slope(bodies, s, trial, B, p, L, f, tau):
    """(1) at the state of stage s, from the total force f and the torque τ + L × ω."""
    i = K + 4 * s
    for b in range(1, p.shape[0]):
        w0 = bodies.inverse_inertia[b, 0] * L[b, 0]
        w1 = bodies.inverse_inertia[b, 1] * L[b, 1]
        w2 = bodies.inverse_inertia[b, 2] * L[b, 2]
        t0 = tau[b, 0] - (L[b, 1] * w2 - L[b, 2] * w1)
        t1 = tau[b, 1] - (L[b, 2] * w0 - L[b, 0] * w2)
        t2 = tau[b, 2] - (L[b, 0] * w1 - L[b, 1] * w0)
        for k in range(3):
            trial[i, b, k] = bodies.inverse_mass[b] * p[b, k]
            trial[i + 1, b, k] = f[b, k]
            trial[i + 2, b, k] = B[b, k, 0] * t0 + B[b, k, 1] * t1 + B[b, k, 2] * t2
            trial[i + 3, b, k] = B[b, k, 0] * w0 + B[b, k, 1] * w1 + B[b, k, 2] * w2
        x, y, z = trial[TURN, b, 0], trial[TURN, b, 1], trial[TURN, b, 2]
        w0, w1, w2 = trial[i + 3, b, 0], trial[i + 3, b, 1], trial[i + 3, b, 2]
        v0, v1, v2 = y * w2 - z * w1, z * w0 - x * w2, x * w1 - y * w0
        c = trial[CURVE, b, 0]
        trial[i + 3, b, 0] += c * (y * v2 - z * v1) - 0.5 * v0
        trial[i + 3, b, 1] += c * (z * v0 - x * v2) - 0.5 * v1
        trial[i + 3, b, 2] += c * (x * v1 - y * v0) - 0.5 * v2


@njit
def ignore_rates(rows, g):
    """Dampers and what rolls have no defect."""
    for r in range(g.shape[0]):
        if rows.rate[r] > 0.0 or rows.kind[r] >= VELOCITY_ONLY:
            g[r] = 0.0


@inline
def project(system, state, work, signals, row):
    """Bodies onto g = 0 and momenta onto G v + ∂g/∂t = 0, with the factors of S of the last stage."""
    far, turned = farthest(system.coordinates, state.a, state.angle)
    coarse = 1.0 + ROUND_OFF * max(system.finest * far, system.finest_turn * turned)
    result, last = POSITION, 1e300
    for _ in range(CORRECTIONS):
        all_defects(system, state.a, state.B, state.angle, signals, row, work, work.x)
        ignore_rates(system.rows, work.x)
        e, which = worst(system.rows, work.x)
        work.fault[0] = which
        work.tally[0] += 1
        if e <= coarse or (e <= 5.0 * coarse and e > 0.5 * last):
            result = OK
            break
        if not e < 1e300:
            result = NOT_FINITE
            break
        last = e
        solve(system.blocks, work.H, work.pivot[0], work.x)
        clear(work.a, work.L)
        push(system.blocks, work.G, -1.0, work.x, work.a, work.L)
        nudge(system.bodies, 1.0, work.a, work.L, state.a, state.B)
    if result == OK:
        read(system.coordinates, state.a, state.B, state.angle)
        all_gradients(system, state.a, state.B, signals, row, work, work.partial, work.G)
        onto_rates(system, state, work, work.pivot[0], signals, row)
    return result


@inline
def step(system, state, work, h, table, signals, before, varies):
    """One step; the state is that of each stage in turn."""
    stages = int(table[0])
    nodes = 1 + (stages + 1) * stages
    row = before
    refine = 1 if system.shift == 0.0 else REFINE
    begin(state.a, state.B, state.p, state.L, work.trial)
    for s in range(stages):
        if s > 0:
            move(system.bodies, h, table, s, s, work.trial, state.a, state.B, state.p, state.L)
            read(system.coordinates, state.a, state.B, state.angle)
        row = before + varies * int(table[nodes + s])
        balance(
            system, state.a, state.B, state.angle, state.p, state.L, signals, row, refine, work, work.f, work.tau,
            state.lam[0],
        )  # fmt: skip
        slope(system.bodies, s, work.trial, state.B, state.p, state.L, work.f, work.tau)
        c = h * table[1 + stages * stages + s]
        if c != 0.0:
            book(system.rows, c, signals, row, state.lam[0], state.account)
            if system.tapes.clock >= 0:
                tape_work(system.tapes, c, state.lam[0], work.partial, state.account)
            state.account[0] += c * power(system, state, signals, row, work)
    move(system.bodies, h, table, stages, stages, work.trial, state.a, state.B, state.p, state.L)
    straighten(state.B)
    read(system.coordinates, state.a, state.B, state.angle)
    status = sound(state.a, state.p, state.L, work.trial, work.fault)
    if status == OK and state.lam.shape[1] > 0:
        status = project(system, state, work, signals, row)
    return status


@njit
def sound(a, p, L, trial, fault):
    """Whether all is finite, and no body turned by more than half a turn."""
    for b in range(1, a.shape[0]):
        size = turn = 0.0
        for k in range(3):
            size += abs(a[b, k]) + abs(p[b, k]) + abs(L[b, k])
            turn += trial[TURN, b, k] ** 2
        if not size < 1e300:
            fault[0] = b
            return NOT_FINITE
        if turn > math.pi**2:
            fault[0] = b
            return SPIN
    return OK


def prepare(system, state, work, signals, h):
    """Nothing: a step begins from its state alone."""


@njit
def rollout(system, state, work, h, table, signals, first, steps, every, record):
    """As in livens.py, with table = (stages, A by rows and the weights, which row of signals each stage looks at)."""
    varies = 1 if signals.shape[0] > 1 else 0
    nodes = int(table[table.shape[0] - 1])
    for n in range(steps):
        status = step(system, state, work, h, table, signals, varies * n * nodes, varies)
        if status != OK:
            return status, n
        if (first + n + 1) % every == 0:
            keep(record, (first + n + 1) // every, state)
    return OK, steps


@cache
def tableau(order: int) -> Array:
    """A, stage by stage, and the weights in the last row."""
    rows = CLASSIC if order == 4 else DOP853
    A = np.zeros((len(rows) + 1, len(rows)))
    for s, row in rows.items():
        A[s, list(row)] = list(row.values())
    return A


@cache
def nodes(order: int) -> Array:
    """When the stages look, each time once, with 0 and 1."""
    return np.unique(np.append(tableau(order)[:-1].sum(axis=1).round(14), (0.0, 1.0)))


@cache
def table(order: int) -> Array:
    """(stages, A and the weights, which time each stage looks at, how many times there are)."""
    A, times = tableau(order), nodes(order)
    looks = np.searchsorted(times, A[:-1].sum(axis=1) - 1e-9)
    return np.concatenate([[A.shape[1]], A.ravel(), looks, [len(times) - 1]])


@dataclass(frozen=True)
class RungeKutta:
    """Explicit Runge–Kutta of order 4 (the classical one) or 8 (Dormand & Prince), on rotations (Munthe-Kaas), with
    joints held by projection. For short motions that must be accurate, dampers and drives included, and for references:
    it keeps neither energy nor momenta exactly, and over long times they drift.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bar = m.add(lv.Body(lv.ThinRod(1.0, mass=2.0), at=(0.5, 0, 0), name="bar"))
    >>> pin = m.add(lv.Spherical(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), name="pin"))
    >>> motion = lv.simulate(m, lv.RungeKutta(), h=0.05, until=2.0)
    >>> bool(abs(motion.energy - motion.energy[0]).max() < 1e-6)
    True
    """

    order: int = 8

    variational = False
    carries = "nothing"
    limit, longest = "half a turn is the limit", 1.0  # of how far a body may turn in a step

    def __post_init__(self) -> None:
        if not isinstance(self.order, int) or self.order not in (4, 8):
            raise ModelError(f"Runge–Kutta schemes have order 4 or 8, not {self.order!r}.")

    @property
    def tableau(self) -> Array:
        """A, stage by stage, and the weights of the stages in the last row."""
        return tableau(self.order)

    @property
    def stages(self) -> int:
        """Force evaluations per step."""
        return self.tableau.shape[1]

    @property
    def nodes(self) -> Array:
        """When the stages look, as fractions of h: each time once, 0 and 1 among them."""
        return nodes(self.order)

    @property
    def weights(self) -> Array:
        """From one such time to the next."""
        return np.diff(self.nodes)

    @property
    def table(self) -> Array:
        """What the kernel is told."""
        return table(self.order)

    @property
    def trials(self) -> int:
        """Scratch for the kernel, in vectors per body."""
        return K + 4 * self.stages

    def memory(self, system: System) -> int:
        """Nothing but positions and momenta is carried from step to step."""
        return 0

    def kernel(self, jointed: bool) -> str:
        """The file of its rollout."""
        return "runge_kutta"

    def kernels(self, system: System) -> tuple[Any, Any]:
        """(prepare, rollout): how this scheme starts and runs `system`."""
        return prepare, rollout
