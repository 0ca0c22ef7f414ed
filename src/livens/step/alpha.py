"""The step of Newmark's family and of the generalised-α method for rigid bodies, schemes to compare with.

Accelerations are stored as forces: Φ = (f, τ + L × ω) + Gᵀλ, with M (v̇, ω̇) = Φ. One step from
(q₀, p₀) with Φ₀, and φ, the forces in the update,

    q₁ = q₀ exp(M⁻¹(h p₀ + h² ((½ − β) φ₀ + β φ₁))),     p₁ = p₀ + h ((1 − γ) φ₀ + γ φ₁)          p is (p, L)      (1)
    (1 − α_m) φ₁ + α_m φ₀ = (1 − α_f) Φ₁ + α_f Φ₀                                                                  (2)
    Φ₁ at (q₁, p₁),   λ such that g(q₁) = 0                                                                        (3)

(3) is solved by fixed-point iteration: Φ₁ gives q₁ and p₁, these give a new Φ₁, and S(q₁), with the compliance of
dampers, gives the λ that closes the joints. It converges for steps that resolve the stiffest spring, down to the
round-off of positions over h², which long chains amplify: it ends where joints are closed and changes no longer
decrease. Then p₁ is projected onto G v₁ = 0, and Φ₁ follows from the equations of motion there (Lunk & Simeon 2006):
otherwise accelerations in constrained directions would grow. Lie-group form: Brüls, Cardona & Arnold 2012.

The rows exert impulses in a step: those of (1), with ℓ, which belongs to λ as φ to Φ by (2), and those of the
projection. The work of a prescribed motion with the rate r is, also where r jumps,

    W = ½ (r₀ + r₁) (h ((1 − γ) ℓ₀ + γ ℓ₁) + impulse of the projection)                                            (4)
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .._jit import inline, njit
from ..checks import Array
from ..errors import ModelError
from ..kernels.arrays import H_PIVOTS, ITERATIONS, MU, RATE, S_PIVOTS, System, Work
from ..kernels.constrain import apply_multipliers, constraint_rates, largest_coordinates, largest_violation
from ..kernels.coordinates import update_coordinates
from ..kernels.dynamics import (
    REFINE,
    add_gyroscopic_torque,
    move_steadily,
    solve_accelerations,
)
from ..kernels.forces import forces, power, user_forces
from ..kernels.kinds import VELOCITY_ONLY
from ..kernels.potential import add_work
from ..kernels.record import store_state
from ..kernels.row_tapes import all_jacobians, all_rates, all_violations
from ..kernels.sparse import TINY, add_compliance, assemble, factor, remove_dampers, solve
from ..kernels.status import OK, SOLVE
from ..kernels.turns import count_half_turns, face_dials
from .projection import add_damper_loss, add_impulse_work, project_momenta
from .scheme import Prepare, Rollout, phase_per_step
from .start_forces import start_forces

STEP_ITERATIONS = 200
SETTLED = 1e-13  # a relative change of a displacement that counts as none
DISPLACEMENT_ROUND_OFF = 3e-15  # relative round-off of positions and rotations
IDLE, COARSE = 3, 1e4  # after IDLE iterations that do not halve the change, COARSE tolerances count as round-off
PHI, MOVE, MOMENTUM, NEXT = 0, 2, 4, 6  # first slot in work.trial of Φ₁, M δq, p₁ and the next Φ₁: pairs of …
LINEAR, ANGULAR = 0, 1  # … a linear and an angular part
BETA, GAMMA, ALPHA_M, ALPHA_F = 1, 2, 3, 4  # in the table of coefficients


@njit
def extrapolate(h, table, f0, tau0, phi, p0, L0, trial):
    """(2), then (1): displacement times mass, and momentum."""
    beta, gamma, m, f = table[BETA], table[GAMMA], table[ALPHA_M], table[ALPHA_F]
    n = f0.shape[0]
    for b in range(1, n):
        for i in range(6):
            k, side = i % 3, i // 3
            old, now = phi[6 * b + i], f0[b, k] if side == 0 else tau0[b, k]
            p = p0[b, k] if side == 0 else L0[b, k]
            new = ((1.0 - f) * trial[PHI + side, b, k] + f * now - m * old) / (1.0 - m)
            trial[MOVE + side, b, k] = h * (p + h * ((0.5 - beta) * old + beta * new))
            trial[MOMENTUM + side, b, k] = p + h * ((1.0 - gamma) * old + gamma * new)


@njit
def closing_accelerations(rows, c_position, c_velocity, g, y, lam, x):
    """x: the change of row accelerations that closes the joints, from violations g, rates y and the last change x."""
    for r in range(x.shape[0]):
        if rows.rate[r] > 0.0:
            x[r] = -(x[r] + (y[r] + lam[r] / rows.rate[r]) / c_velocity)
        elif rows.kind[r] >= VELOCITY_ONLY:
            x[r] = -(x[r] + y[r] / c_velocity)
        else:
            x[r] = -(x[r] + g[r] / c_position)


@njit
def accept_force(bodies, h, c, far, p0, L0, trial):
    """The new Φ₁ replaces the last one. Returns the displacement that their difference means, in tolerances: constraint
    forces have an error of the round-off of positions over h²."""
    most = 0.0
    for side in range(2):
        size, e = 1e-300, 0.0
        for b in range(1, p0.shape[0]):
            for k in range(3):
                inverse = bodies.inverse_mass[b] if side == 0 else bodies.inverse_inertia[b, k]
                p = p0[b, k] if side == 0 else L0[b, k]
                new = trial[NEXT + side, b, k]
                change = inverse * abs(new - trial[PHI + side, b, k]) * c
                if not change < 1e300:
                    return np.inf
                size, e = max(size, inverse * abs(p) * h, inverse * abs(new) * c), max(e, change)
                trial[PHI + side, b, k] = new
        most = max(most, e / (SETTLED * size + DISPLACEMENT_ROUND_OFF * (far if side == 0 else 1.0)))
    return most


@njit
def force_change(trial, f, tau):
    """The next Φ₁ minus the last one."""
    for b in range(1, f.shape[0]):
        for k in range(3):
            f[b, k] = trial[NEXT + LINEAR, b, k] - trial[PHI + LINEAR, b, k]
            tau[b, k] = trial[NEXT + ANGULAR, b, k] - trial[PHI + ANGULAR, b, k]


@njit
def first_guess(f0, tau0, trial):
    """The first guess: Φ₁ = Φ₀."""
    for b in range(f0.shape[0]):
        for k in range(3):
            trial[PHI + LINEAR, b, k] = f0[b, k]
            trial[PHI + ANGULAR, b, k] = tau0[b, k]


@njit
def accept_trial(h, table, f0, tau0, phi, work_a, work_B, trial, a, B, p, L):
    """q₁, p₁ and φ₁ become the state."""
    m, f = table[ALPHA_M], table[ALPHA_F]
    for b in range(1, a.shape[0]):
        for k in range(3):
            a[b, k] = work_a[b, k]
            for j in range(3):
                B[b, k, j] = work_B[b, k, j]
            p[b, k] = trial[MOMENTUM + LINEAR, b, k]
            L[b, k] = trial[MOMENTUM + ANGULAR, b, k]
            i, j = 6 * b + k, 6 * b + 3 + k
            phi[i] = ((1.0 - f) * trial[PHI + LINEAR, b, k] + f * f0[b, k] - m * phi[i]) / (1.0 - m)
            phi[j] = ((1.0 - f) * trial[PHI + ANGULAR, b, k] + f * tau0[b, k] - m * phi[j]) / (1.0 - m)


@inline
def solve_step(system, state, work, h, table, signals, row):
    """(3): on return `work` holds q₁, and work.trial p₁ and Φ₁."""
    trial, lam = work.trial, state.lam[MU]
    ratio = (1.0 - table[ALPHA_F]) / (1.0 - table[ALPHA_M])
    c_position, c_velocity = h * h * table[BETA] * ratio, h * table[GAMMA] * ratio  # derivatives of q₁, p₁ in M⁻¹Φ₁
    far, turned = largest_coordinates(system.coordinates, state.a, state.angle)
    tolerance = 1.0 + 2.0 * DISPLACEMENT_ROUND_OFF * max(system.finest * far, system.finest_turn * turned)
    first_guess(work.f, work.tau, trial)
    result, least, idle = SOLVE, np.inf, 0
    for i in range(STEP_ITERATIONS):
        extrapolate(h, table, work.f, work.tau, state.memory, state.p, state.L, trial)
        move_steadily(system.bodies, 1.0, state.a, state.B, trial[MOVE + LINEAR], trial[MOVE + ANGULAR], work.a, work.B)
        update_coordinates(system.coordinates, work.a, work.B, state.angle)
        p, L = trial[MOMENTUM + LINEAR], trial[MOMENTUM + ANGULAR]
        forces(
            system, work.a, work.B, p, L, state.angle, signals, row, work, trial[NEXT + LINEAR], trial[NEXT + ANGULAR]
        )
        user_forces(system, work.a, work.B, p, L, signals, row, work, trial[NEXT + LINEAR], trial[NEXT + ANGULAR])
        add_gyroscopic_torque(system.bodies, trial[MOMENTUM + ANGULAR], trial[NEXT + ANGULAR])
        e = 0.0
        if lam.shape[0] > 0:
            all_violations(system, work.a, work.B, state.angle, signals, row, work, work.g)
            all_jacobians(system, work.a, work.B, signals, row, work, work.partial, work.G)
            all_rates(
                system, work.G, trial[MOMENTUM + LINEAR], trial[MOMENTUM + ANGULAR], signals, row, 0.0, work, work.y
            )
            if i == 0:
                assemble(system.bodies, system.blocks, work.G, work.G, True, work.S)
                add_compliance(system.rows, system.blocks, system.shift, 2.0 * c_velocity, work.S, work.diagonal)
                if system.damped:
                    remove_dampers(system.blocks, work.S, work.H)
                    factor(system.blocks, work.H, work.pivot[H_PIVOTS], TINY)
                factor(system.blocks, work.S, work.pivot[S_PIVOTS], TINY)
            apply_multipliers(system.blocks, work.G, 1.0, lam, trial[NEXT + LINEAR], trial[NEXT + ANGULAR])
            force_change(trial, trial[MOVE + LINEAR], trial[MOVE + ANGULAR])
            constraint_rates(system.bodies, system.blocks, work.G, trial[MOVE + LINEAR], trial[MOVE + ANGULAR], work.x)
            closing_accelerations(system.rows, c_position, c_velocity, work.g, work.y, lam, work.x)
            e, which = largest_violation(system.rows, work.g)
            work.fault[0] = which
            solve(system.blocks, work.S, work.pivot[S_PIVOTS], work.x)
            for r in range(lam.shape[0]):
                lam[r] += work.x[r]
            apply_multipliers(system.blocks, work.G, 1.0, work.x, trial[NEXT + LINEAR], trial[NEXT + ANGULAR])
        work.tally[ITERATIONS] += 1
        change = accept_force(system.bodies, h, h * c_velocity, far, state.p, state.L, trial)
        if not change < 1e300:
            break
        idle = 0 if change < 0.5 * least else idle + 1
        least = min(least, change)
        if i > 0 and e <= tolerance and (change <= 1.0 or (idle >= IDLE and change <= COARSE)):
            result = OK
            break
    return result


@inline
def step(system, state, work, h, table, signals, before, row):
    """One step; work.f, work.tau hold Φ at its start and, afterwards, at its end."""
    add_damper_loss(system.rows, 0.5 * h, state.lam[MU], state.account)
    store_start(system.rows, signals, before, state.lam[MU], work.partial, work.lam, work.rates)
    status = solve_step(system, state, work, h, table, signals, row)
    if status == OK:
        accept_trial(
            h, table, work.f, work.tau, state.memory, work.a, work.B, work.trial, state.a, state.B, state.p, state.L
        )
        if state.lam.shape[1] > 0:
            accept_multipliers(h, table, state.lam[MU], state.memory[6 * state.a.shape[0] :], work.lam)
            project_momenta(system, state, work, h, signals, row)
            add_impulse_work(system, work, signals, row, state.account)
        solve_accelerations(
            system, state.a, state.B, state.angle, state.p, state.L, signals, row, REFINE, work, work.f, work.tau,
            state.lam[MU],
        )  # fmt: skip
        if table[ALPHA_M] == 0.0 and table[ALPHA_F] == 0.0:  # Newmark steps with the accelerations themselves
            store_force(work.f, work.tau, state.lam[MU], state.memory)
        add_damper_loss(system.rows, 0.5 * h, state.lam[MU], state.account)
        add_work(h, power(system, state, signals, row, work), work.power, state.account)
    return status


@njit
def store_start(rows, signals, before, lam, partial, start, rates):
    """The multipliers and the prescribed rates of the rows at the start of a step, for (4)."""
    for r in range(lam.shape[0]):
        start[r] = lam[r]
        rates[r] = signals[before, rows.signal[r] + RATE] if rows.signal[r] >= 0 else -partial[r]


@njit
def accept_multipliers(h, table, lam, ell, impulse):
    """(4): ℓ₁ becomes the state, from λ₁ and λ₀, which `impulse` holds on entry; on return, it holds impulses."""
    gamma, m, f = table[GAMMA], table[ALPHA_M], table[ALPHA_F]
    for r in range(lam.shape[0]):
        old = ell[r]
        ell[r] = ((1.0 - f) * lam[r] + f * impulse[r] - m * old) / (1.0 - m)
        impulse[r] = h * ((1.0 - gamma) * old + gamma * ell[r])


@njit
def store_force(f, tau, lam, memory):
    """φ = Φ, ℓ = λ."""
    n = f.shape[0]
    for b in range(n):
        for k in range(3):
            memory[6 * b + k] = f[b, k]
            memory[6 * b + 3 + k] = tau[b, k]
    for r in range(lam.shape[0]):
        memory[6 * n + r] = lam[r]


@njit
def prepare(system, state, work, signals, h):
    """Φ at the start, which `rollout` expects in `work`, and φ, where the state brings none."""
    start_forces(system, state, signals, work)
    for r in range(state.lam.shape[1]):
        state.lam[MU, r] = 0.0
    solve_accelerations(
        system, state.a, state.B, state.angle, state.p, state.L, signals, 0, REFINE, work, work.f, work.tau,
        state.lam[MU],
    )  # fmt: skip
    empty = True
    for i in range(state.memory.shape[0]):
        empty = empty and state.memory[i] == 0.0
    if empty:
        store_force(work.f, work.tau, state.lam[MU], state.memory)


@njit
def rollout(system, state, work, h, table, signals, first, steps, every, record):
    """As in livens.py, with table = (1, β, γ, α_m, α_f): (status, steps taken)."""
    varies = 1 if signals.shape[0] > 1 else 0
    face_dials(system.dials, state.B, state.L, state.half_turns, work.facing)
    for n in range(steps):
        status = step(system, state, work, h, table, signals, varies * n, varies * (n + 1))
        if status != OK:
            return status, n
        count_half_turns(system.dials, h, state.B, state.L, state.half_turns, work.facing)
        if (first + n + 1) % every == 0:
            store_state(record, (first + n + 1) // every, state)
    return OK, steps


class Alpha:
    """The attributes that both families share: a step of one stage, by equations (1) to (3)."""

    orders: ClassVar[tuple[int, ...]] = ()
    variational: ClassVar[bool] = False
    conserves_energy: ClassVar[bool] = False
    exact_energy: ClassVar[bool] = False
    carries: ClassVar[str] = "accelerations"
    turn_limit: ClassVar[float] = np.pi
    adaptive = False
    weights = np.array([1.0])
    stages = 1
    longest_stage = 1.0
    scratch = 8
    beta: float
    gamma: float
    dissipation: str

    @property
    def order(self) -> int:
        """2, if the velocities are of second order."""
        return 2

    @property
    def phase_per_step(self) -> float:
        return phase_per_step(self.order)

    @property
    def alphas(self) -> tuple[float, float]:
        """α_m and α_f."""
        return 0.0, 0.0

    @property
    def table(self) -> Array:
        """Coefficients for the kernel."""
        return np.array([1.0, self.beta, self.gamma, *self.alphas])

    def memory(self, system: System) -> int:
        """Six numbers per body, φ, and one per row, ℓ."""
        return 6 * len(system.bodies.mass) + len(system.rows.kind)

    def workspace(self, system: System, work: Work) -> Work:
        return work

    def rollout_file(self, jointed: bool) -> str:
        return "alpha"

    def compile_seconds(self, jointed: bool) -> int:
        return 60

    def kernels(self, system: System) -> tuple[Prepare, Rollout]:
        """(prepare, rollout) for rigid bodies."""
        if self.beta == 0.0 and len(system.rows.kind):
            raise ModelError("Newmark with β = 0 cannot hold joints: positions do not depend on new accelerations.")
        if self.dissipation != "end":
            raise ModelError("for rigid bodies dissipation acts at the end of a step: dissipation='end'.")
        return prepare, rollout
