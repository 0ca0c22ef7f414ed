"""Newmark's family and the generalised-α method for rigid bodies: schemes to compare with.

Accelerations are kept as the forces that they take: Φ = (f, τ + L × ω) + Gᵀλ, with M (v̇, ω̇) = Φ. One step from
(q₀, p₀) with Φ₀, and φ, the forces that the formulas step with,

    q₁ = q₀ exp(M⁻¹(h p₀ + h² ((½ − β) φ₀ + β φ₁))),     p₁ = p₀ + h ((1 − γ) φ₀ + γ φ₁)          p is (p, L)      (1)
    (1 − α_m) φ₁ + α_m φ₀ = (1 − α_f) Φ₁ + α_f Φ₀                                                                  (2)
    Φ₁ at (q₁, p₁),   λ such that g(q₁) = 0                                                                        (3)

(3) is solved by putting in: Φ₁ gives q₁ and p₁, these give a new Φ₁, and S(q₁) the λ that closes the joints, with the
compliance of dampers in it. That converges for steps that resolve the stiffest spring, down to the round-off of places
over h², which long chains enlarge: where joints are closed and changes no longer shrink, it ends. Then p₁ is moved onto
G v₁ = 0, and Φ₁ becomes what the equations of motion say there (Lunk & Simeon 2006): accelerations across a joint would
grow otherwise. Lie-group form: Brüls, Cardona & Arnold 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._jit import inline, njit
from ..checks import Array, number
from ..errors import ModelError
from ..kernels.arrays import State, System
from ..kernels.constrain import farthest, push, rates, worst
from ..kernels.coordinates import read
from ..kernels.dynamics import REFINE, accelerate, balance, coast, turn
from ..kernels.forces import forces, power, start_forces, user_forces
from ..kernels.kinds import VELOCITY_ONLY
from ..kernels.potential import earn
from ..kernels.record import keep
from ..kernels.row_tapes import all_defects, all_gradients, all_rates, tape_work
from ..kernels.sparse import TINY, assemble, factor, harden, soften, solve
from ..kernels.status import OK, SOLVE
from .projection import book, onto_rates

if TYPE_CHECKING:
    from ..discrete.lagrangian import Lagrangian
    from ..discrete.maps import Blocks, Map

ITERATIONS = 200
SETTLED = 1e-13  # a change of a move, as a part of it, that counts as none
ROUND_OFF = 3e-15  # what places and rotations are good to
IDLE, COARSE = 3, 1e4  # after so many iterations that do not halve it, a change of so many tolerances is round-off
FORCE, MOVE, SPEED, NEW = 0, 2, 4, 6  # where pairs (linear, angular) stand in work.trial: Φ₁, M δq, p₁, the next Φ₁


@njit
def extrapolate(h, table, f0, tau0, phi, p0, L0, trial):
    """(2), then (1): displacement times mass, and momentum."""
    beta, gamma, m, f = table[1], table[2], table[3], table[4]
    n = f0.shape[0]
    for b in range(1, n):
        for i in range(6):
            k, side = i % 3, i // 3
            old, now = phi[6 * b + i], f0[b, k] if side == 0 else tau0[b, k]
            p = p0[b, k] if side == 0 else L0[b, k]
            new = ((1.0 - f) * trial[FORCE + side, b, k] + f * now - m * old) / (1.0 - m)
            trial[MOVE + side, b, k] = h * (p + h * ((0.5 - beta) * old + beta * new))
            trial[SPEED + side, b, k] = p + h * ((1.0 - gamma) * old + gamma * new)


@njit
def remainder(rows, c, g, y, lam, x):
    """x = −(what the rows still ask of accelerations): defects over c[0], rates over c[1]."""
    for r in range(x.shape[0]):
        if rows.rate[r] > 0.0:
            x[r] = -(x[r] + (y[r] + lam[r] / rows.rate[r]) / c[1])
        elif rows.kind[r] >= VELOCITY_ONLY:
            x[r] = -(x[r] + y[r] / c[1])
        else:
            x[r] = -(x[r] + g[r] / c[0])


@njit
def changed(bodies, h, c, far, p0, L0, trial):
    """How much the change of Φ₁ moves bodies and turns them, in tolerances; the new Φ₁ takes its place. Accelerations
    that close joints are no better than the round-off of places over h²."""
    most = 0.0
    for side in range(2):
        size, e = 1e-300, 0.0
        for b in range(1, p0.shape[0]):
            for k in range(3):
                inverse = bodies.inverse_mass[b] if side == 0 else bodies.inverse_inertia[b, k]
                p = p0[b, k] if side == 0 else L0[b, k]
                new = trial[NEW + side, b, k]
                size = max(size, inverse * abs(p) * h, inverse * abs(new) * c)
                e = max(e, inverse * abs(new - trial[FORCE + side, b, k]) * c)
                trial[FORCE + side, b, k] = new
        if not e < 1e300:
            return np.inf
        most = max(most, e / (SETTLED * size + ROUND_OFF * (far if side == 0 else 1.0)))
    return most


@njit
def difference(trial, f, tau):
    """The change of Φ₁ that is being made."""
    for b in range(1, f.shape[0]):
        for k in range(3):
            f[b, k] = trial[NEW, b, k] - trial[FORCE, b, k]
            tau[b, k] = trial[NEW + 1, b, k] - trial[FORCE + 1, b, k]


@njit
def begin(f0, tau0, trial):
    """The first guess: Φ₁ = Φ₀."""
    for b in range(f0.shape[0]):
        for k in range(3):
            trial[FORCE, b, k] = f0[b, k]
            trial[FORCE + 1, b, k] = tau0[b, k]


@njit
def accept(h, table, f0, tau0, phi, work_a, work_B, trial, a, B, p, L):
    """q₁, p₁ and φ₁ become the state."""
    m, f = table[3], table[4]
    for b in range(1, a.shape[0]):
        for k in range(3):
            a[b, k] = work_a[b, k]
            for j in range(3):
                B[b, k, j] = work_B[b, k, j]
            p[b, k] = trial[SPEED, b, k]
            L[b, k] = trial[SPEED + 1, b, k]
            i, j = 6 * b + k, 6 * b + 3 + k
            phi[i] = ((1.0 - f) * trial[FORCE, b, k] + f * f0[b, k] - m * phi[i]) / (1.0 - m)
            phi[j] = ((1.0 - f) * trial[FORCE + 1, b, k] + f * tau0[b, k] - m * phi[j]) / (1.0 - m)


@inline
def solve_step(system, state, work, h, table, signals, row):
    """(3): on return `work` holds q₁, and work.trial p₁ and Φ₁."""
    trial, lam = work.trial, state.lam[0]
    ratio = (1.0 - table[4]) / (1.0 - table[3])
    c = (h * h * table[1] * ratio, h * table[2] * ratio)  # how Φ₁ moves q₁ and p₁
    far, turned = farthest(system.coordinates, state.a, state.angle)
    coarse = 1.0 + 2.0 * ROUND_OFF * max(system.finest * far, system.finest_turn * turned)
    begin(work.f, work.tau, trial)
    result, least, idle = SOLVE, np.inf, 0
    for i in range(ITERATIONS):
        extrapolate(h, table, work.f, work.tau, state.memory, state.p, state.L, trial)
        coast(system.bodies, 1.0, state.a, state.B, trial[MOVE], trial[MOVE + 1], work.a, work.B)
        read(system.coordinates, work.a, work.B, state.angle)
        p, L = trial[SPEED], trial[SPEED + 1]
        forces(system, work.a, work.B, p, L, state.angle, signals, row, work, trial[NEW], trial[NEW + 1])
        user_forces(system, work.a, work.B, p, L, signals, row, work, trial[NEW], trial[NEW + 1])
        turn(system.bodies, trial[SPEED + 1], trial[NEW + 1])
        e = 0.0
        if lam.shape[0] > 0:
            all_defects(system, work.a, work.B, state.angle, signals, row, work, work.g)
            all_gradients(system, work.a, work.B, signals, row, work, work.partial, work.G)
            all_rates(system, work.G, trial[SPEED], trial[SPEED + 1], signals, row, 0.0, work, work.y)
            if i == 0:
                assemble(system.bodies, system.blocks, work.G, work.G, True, work.S)
                soften(system.rows, system.blocks, system.shift, 2.0 * c[1], work.S, work.diagonal)
                if system.damped:
                    harden(system.blocks, work.S, work.H)
                    factor(system.blocks, work.H, work.pivot[1], TINY)
                factor(system.blocks, work.S, work.pivot[0], TINY)
            push(system.blocks, work.G, 1.0, lam, trial[NEW], trial[NEW + 1])
            difference(trial, trial[MOVE], trial[MOVE + 1])
            rates(system.bodies, system.blocks, work.G, trial[MOVE], trial[MOVE + 1], work.x)
            remainder(system.rows, c, work.g, work.y, lam, work.x)
            e, which = worst(system.rows, work.g)
            work.fault[0] = which
            solve(system.blocks, work.S, work.pivot[0], work.x)
            for r in range(lam.shape[0]):
                lam[r] += work.x[r]
            push(system.blocks, work.G, 1.0, work.x, trial[NEW], trial[NEW + 1])
        work.tally[0] += 1
        change = changed(system.bodies, h, h * c[1], far, state.p, state.L, trial)
        if not change < 1e300:
            break
        idle = 0 if change < 0.5 * least else idle + 1
        least = min(least, change)
        if i > 0 and e <= coarse and (change <= 1.0 or (idle >= IDLE and change <= COARSE)):
            result = OK
            break
    return result


@inline
def step(system, state, work, h, table, signals, before, row):
    """One step; work.f, work.tau hold Φ at its start and, afterwards, at its end."""
    book(system.rows, 0.5 * h, signals, before, state.lam[0], state.account)
    if system.tapes.clock >= 0:
        tape_work(system.tapes, 0.5 * h, state.lam[0], work.partial, state.account)
    status = solve_step(system, state, work, h, table, signals, row)
    if status == OK:
        accept(h, table, work.f, work.tau, state.memory, work.a, work.B, work.trial, state.a, state.B, state.p, state.L)
        if state.lam.shape[1] > 0:
            onto_rates(system, state, work, work.pivot[1 if system.damped else 0], signals, row)
        balance(
            system, state.a, state.B, state.angle, state.p, state.L, signals, row, REFINE, work, work.f, work.tau,
            state.lam[0],
        )  # fmt: skip
        if table[3] == 0.0 and table[4] == 0.0:  # Newmark steps with the accelerations themselves
            remember(work.f, work.tau, state.memory)
        book(system.rows, 0.5 * h, signals, row, state.lam[0], state.account)
        if system.tapes.clock >= 0:
            tape_work(system.tapes, 0.5 * h, state.lam[0], work.partial, state.account)
        earn(h, power(system, state, signals, row, work), work.power, state.account)
    return status


@njit
def remember(f, tau, phi):
    """φ = Φ."""
    for b in range(f.shape[0]):
        for k in range(3):
            phi[6 * b + k] = f[b, k]
            phi[6 * b + 3 + k] = tau[b, k]


def prepare(system, state, work, signals, h):
    """Φ at the start, which `rollout` expects in `work`, and φ, where the state brings none."""
    start_forces(system, state, signals, work)
    record = State(*(x[None] for x in state))
    lam = np.zeros((1, state.lam.shape[1]))
    accelerate(system, record, signals[:1], work, work.f[None], work.tau[None], lam)
    state.lam[0] = lam[0]
    if not state.memory.any():
        remember(work.f, work.tau, state.memory)


@njit
def rollout(system, state, work, h, table, signals, first, steps, every, record):
    """As in livens.py, with table = (1, β, γ, α_m, α_f): (status, steps taken)."""
    varies = 1 if signals.shape[0] > 1 else 0
    for n in range(steps):
        status = step(system, state, work, h, table, signals, varies * n, varies * (n + 1))
        if status != OK:
            return status, n
        if (first + n + 1) % every == 0:
            keep(record, (first + n + 1) // every, state)
    return OK, steps


class Alpha:
    """What both families share: a step of one stage, by equations (1) to (3)."""

    weights = np.array([1.0])
    stages = 1
    carries = "accelerations"
    trials = 8  # scratch for the kernel, in vectors per body
    limit, longest = "half a turn is the limit", 1.0  # of how far a body may turn in a step
    variational = False
    beta: float
    gamma: float
    dissipation: str

    @property
    def alphas(self) -> tuple[float, float]:
        """α_m and α_f."""
        return 0.0, 0.0

    @property
    def table(self) -> Array:
        """Coefficients for the kernel."""
        return np.array([1.0, self.beta, self.gamma, *self.alphas])

    def memory(self, system: System) -> int:
        """How many numbers it carries from step to step besides positions and momenta: φ."""
        return 6 * len(system.bodies.mass)

    def kernel(self, jointed: bool) -> str:
        """The file of its rollout."""
        return "newmark"

    def kernels(self, system: System) -> tuple[Any, Any]:
        """(prepare, rollout) for rigid bodies."""
        if self.beta == 0.0 and len(system.rows.kind):
            raise ModelError("Newmark with β = 0 cannot hold joints: positions do not depend on new accelerations.")
        if self.dissipation != "end":
            raise ModelError("for rigid bodies dissipation acts at the end of a step: dissipation='end'.")
        return prepare, rollout

    def state(self, system: Lagrangian) -> Blocks:
        """For general systems, y: positions, velocities, accelerations A and a, work done by forces, energy lost."""
        from ..discrete.newmark import state

        return state(system)

    def chain(self, system: Lagrangian, share: tuple[float, float] = (1.0, 0.0)) -> list[Map]:
        """For general systems, the maps of a step."""
        from ..discrete.newmark import chain

        return chain(self, system, share)


@dataclass(frozen=True)
class Newmark(Alpha):
    """Newmark's scheme with β and γ; order 2 for γ = ½. β = ¼ is the trapezoidal rule, β = 0 explicit (Störmer–Verlet;
    without constraints). A scheme to compare with: for rigid bodies and for any Lagrangian system (`livens.discrete`).

    dissipation: the velocity at which damping and dissipation act in general systems, "end" (v₁) or "step"
    ((q₁ − q₀)/h, as in the incremental potential).

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bar = m.add(lv.Body(lv.ThinRod(1.0, mass=2.0), at=(0.5, 0, 0), name="bar"))
    >>> pin = m.add(lv.Spherical(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), name="pin"))
    >>> motion = lv.simulate(m, lv.Newmark(), h=1e-3, until=0.1)
    >>> bool(motion.defect_position.max() < 1e-11)
    True
    """

    beta: float = 0.25
    gamma: float = 0.5
    dissipation: str = "end"

    def __post_init__(self) -> None:
        if not 0.0 <= number(self.beta, "β of Newmark") <= 1.0 or not 0.0 < number(self.gamma, "γ of Newmark") <= 1.5:
            raise ModelError(f"Newmark needs 0 ≤ β ≤ 1 and 0 < γ ≤ 1.5, not β = {self.beta:g}, γ = {self.gamma:g}.")
        if self.dissipation not in ("end", "step"):
            raise ModelError(f"dissipation acts at the 'end' or over the 'step', not {self.dissipation!r}.")

    @property
    def order(self) -> int:
        return 2 if self.gamma == 0.5 and self.dissipation == "end" else 1


@dataclass(frozen=True)
class GeneralizedAlpha(Alpha):
    """The generalised-α method: order 2, with numerical damping of high frequencies, down to `radius` (ρ∞, from 0, the
    most, to 1, none) per step at infinite frequency:

        α_m = (2ρ − 1)/(ρ + 1),   α_f = ρ/(ρ + 1),   γ = ½ + α_f − α_m,   β = ¼ (γ + ½)²

    >>> round(GeneralizedAlpha(radius=0.8).gamma, 4)
    0.6111
    """

    radius: float = 0.8

    order = 2
    dissipation = "end"

    def __post_init__(self) -> None:
        if not 0.0 <= number(self.radius, "the spectral radius") <= 1.0:
            raise ModelError(f"the spectral radius must be from 0 to 1, not {self.radius:g}.")

    @property
    def alphas(self) -> tuple[float, float]:
        return (2.0 * self.radius - 1.0) / (self.radius + 1.0), self.radius / (self.radius + 1.0)

    @property
    def gamma(self) -> float:  # type: ignore[override]
        return 0.5 + self.alphas[1] - self.alphas[0]

    @property
    def beta(self) -> float:  # type: ignore[override]
        return 0.25 * (self.gamma + 0.5) ** 2
