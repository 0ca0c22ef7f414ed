"""One explicit Runge–Kutta step of rigid bodies with joints.

Vectors are in world axes, ℓ = B L and Ω = B J⁻¹L, in which those of a fast top change slowly; rotations are
B = exp(Θ̂) B₀ with Θ = 0 at the start of a step (Munthe-Kaas 1998),

    ȧ = p/m     ṗ = f + Gᵀλ     ℓ̇ = B (τ + Gᵀλ)     Θ̇ = Ω − ½ Θ × Ω + (1 − ½|Θ| cot ½|Θ|)/|Θ|² Θ × (Θ × Ω)        (1)

A slender body has a small moment J_k about its long axis e_k. There L_k = (Bᵀℓ)_k turns an error of the direction
of the axis into a rate of roll that is wrong by this error times |ℓ|/J_k. Its L_k is integrated in body axes instead,

    L̇_k = (τ + Gᵀλ)_k + (L × J⁻¹L)_k,                                                                              (2)

where (L × J⁻¹L)_k/J_k = (J_i − J_j)/J_k ω_i ω_j is never larger than |ω_i ω_j|, because |J_i − J_j| ≤ J_k.

λ is such that G (v̇, ω̇) + γ = φ̈ (dynamics.py). At the end of a step bodies are projected onto g(q) = 0 and momenta
onto G v + ∂g/∂t = 0, both by the least mass-weighted change. A body may rotate by half a turn in a step, |Θ| < π: Θ̇
has a pole at 2π, and turns in joints are counted from stage to stage.
"""

from __future__ import annotations

import math

from .._jit import inline, njit
from ..kernels.arrays import H_PIVOTS, ITERATIONS, MU, S_PIVOTS, WORK
from ..kernels.constrain import apply_multipliers, constraint_rates, largest_coordinates, largest_violation
from ..kernels.coordinates import update_coordinates
from ..kernels.dynamics import REFINE, gyroscopic_torque, solve_accelerations
from ..kernels.exponential import rotation_coefficients
from ..kernels.forces import power
from ..kernels.kinds import VELOCITY_ONLY
from ..kernels.powers import square
from ..kernels.row_tapes import all_jacobians, all_violations
from ..kernels.singular import move_bodies, set_zero
from ..kernels.sparse import solve
from ..kernels.status import NOT_FINITE, OK, POSITION, SPIN
from .projection import CORRECTIONS, add_damper_loss, add_impulse_work, add_joint_work, project_momenta
from .rattle import POSITION_ROUND_OFF

# slots of work.trial: the start of the step (B by rows), Θ, numbers, the slopes of the stages
A0, P0, L0, B0, THETA, NUMBERS, SLOPES = 0, 1, 2, 3, 6, 7, 8
CURVE, AXIS, ROLL0 = 0, 1, 2  # numbers: the coefficient in (1); the long axis of a slender body, or −1, and L along it
SLOPE_A, SLOPE_P, SLOPE_L, SLOPE_THETA, SLOPE_ROLL, EACH = 0, 1, 2, 3, 4, 5  # of one stage, and how many slots it has
SLENDER = 0.5  # a body is slender if its least moment is below this part of the next: (2) is more accurate there


@njit
def long_axis(bodies, b):
    """The axis of a slender body with the least moment of inertia, or −1 for other bodies."""
    J0, J1, J2 = bodies.inertia[b, 0], bodies.inertia[b, 1], bodies.inertia[b, 2]
    if J0 < SLENDER * min(J1, J2):
        return 0
    if J1 < SLENDER * min(J2, J0):
        return 1
    return 2 if J2 < SLENDER * min(J0, J1) else -1


@njit
def store_start(bodies, a, B, p, L, trial):
    """Store the start of a step: a, p, ℓ = B L, B, and L along the axis of slender bodies."""
    for b in range(1, a.shape[0]):
        axis = long_axis(bodies, b)
        trial[NUMBERS, b, AXIS], trial[NUMBERS, b, ROLL0] = axis, L[b, axis]
        trial[NUMBERS, b, CURVE] = 0.0  # it is multiplied by Θ = 0, and NaN after a step that failed
        for k in range(3):
            trial[A0, b, k] = a[b, k]
            trial[P0, b, k] = p[b, k]
            trial[L0, b, k] = B[b, k, 0] * L[b, 0] + B[b, k, 1] * L[b, 1] + B[b, k, 2] * L[b, 2]
            trial[THETA, b, k] = 0.0
            for j in range(3):
                trial[B0 + k, b, j] = B[b, k, j]


@njit
def stage_state(bodies, h, table, s, count, trial, a, B, p, L):
    """The state of stage s, from the slopes of the first `count` stages: (a, p, ℓ) = start + h Σ A_sj K_j, B by exp."""
    stages = int(table[0])
    for b in range(1, a.shape[0]):
        a0, a1, a2 = trial[A0, b, 0], trial[A0, b, 1], trial[A0, b, 2]
        p0, p1, p2 = trial[P0, b, 0], trial[P0, b, 1], trial[P0, b, 2]
        l0, l1, l2 = trial[L0, b, 0], trial[L0, b, 1], trial[L0, b, 2]
        roll = trial[NUMBERS, b, ROLL0]
        x = y = z = 0.0
        for j in range(count):
            w = h * table[1 + s * stages + j]
            if w != 0.0:
                i = SLOPES + EACH * j
                a0 += w * trial[i + SLOPE_A, b, 0]
                a1 += w * trial[i + SLOPE_A, b, 1]
                a2 += w * trial[i + SLOPE_A, b, 2]
                p0 += w * trial[i + SLOPE_P, b, 0]
                p1 += w * trial[i + SLOPE_P, b, 1]
                p2 += w * trial[i + SLOPE_P, b, 2]
                l0 += w * trial[i + SLOPE_L, b, 0]
                l1 += w * trial[i + SLOPE_L, b, 1]
                l2 += w * trial[i + SLOPE_L, b, 2]
                x += w * trial[i + SLOPE_THETA, b, 0]
                y += w * trial[i + SLOPE_THETA, b, 1]
                z += w * trial[i + SLOPE_THETA, b, 2]
                roll += w * trial[i + SLOPE_ROLL, b, 0]
        a[b, 0], a[b, 1], a[b, 2] = a0, a1, a2
        p[b, 0], p[b, 1], p[b, 2] = p0, p1, p2
        c, d, curve = rotation_coefficients(x * x + y * y + z * z)
        trial[THETA, b, 0], trial[THETA, b, 1], trial[THETA, b, 2], trial[NUMBERS, b, CURVE] = x, y, z, curve
        for k in range(3):  # exp(Θ̂) = I + c Θ̂ + d Θ̂²
            u0, u1, u2 = trial[B0, b, k], trial[B0 + 1, b, k], trial[B0 + 2, b, k]
            v0, v1, v2 = y * u2 - z * u1, z * u0 - x * u2, x * u1 - y * u0
            u0 += c * v0 + d * (y * v2 - z * v1)
            u1 += c * v1 + d * (z * v0 - x * v2)
            u2 += c * v2 + d * (x * v1 - y * v0)
            B[b, 0, k], B[b, 1, k], B[b, 2, k] = u0, u1, u2
            L[b, k] = u0 * l0 + u1 * l1 + u2 * l2 if bodies.inverse_inertia[b, k] > 0.0 else 0.0
        axis = int(trial[NUMBERS, b, AXIS])
        if axis >= 0:
            L[b, axis] = roll


@njit
def orthonormalise(B):
    """B ← ½ B (3 − BᵀB): the round-off of rotations does not accumulate."""
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
def stage_slope(bodies, s, trial, B, p, L, f, tau):
    """(1) and (2) at the state of stage s, from the total force f and the torque τ + L × ω."""
    i = SLOPES + EACH * s
    for b in range(1, p.shape[0]):
        w0 = bodies.inverse_inertia[b, 0] * L[b, 0]
        w1 = bodies.inverse_inertia[b, 1] * L[b, 1]
        w2 = bodies.inverse_inertia[b, 2] * L[b, 2]
        t0, t1, t2 = gyroscopic_torque(bodies, b, L[b, 0], L[b, 1], L[b, 2])
        t0, t1, t2 = tau[b, 0] - t0, tau[b, 1] - t1, tau[b, 2] - t2
        for k in range(3):
            trial[i + SLOPE_A, b, k] = bodies.inverse_mass[b] * p[b, k]
            trial[i + SLOPE_P, b, k] = f[b, k]
            trial[i + SLOPE_L, b, k] = B[b, k, 0] * t0 + B[b, k, 1] * t1 + B[b, k, 2] * t2
            trial[i + SLOPE_THETA, b, k] = B[b, k, 0] * w0 + B[b, k, 1] * w1 + B[b, k, 2] * w2
        x, y, z = trial[THETA, b, 0], trial[THETA, b, 1], trial[THETA, b, 2]
        w0, w1, w2 = trial[i + SLOPE_THETA, b, 0], trial[i + SLOPE_THETA, b, 1], trial[i + SLOPE_THETA, b, 2]
        v0, v1, v2 = y * w2 - z * w1, z * w0 - x * w2, x * w1 - y * w0
        c = trial[NUMBERS, b, CURVE]
        trial[i + SLOPE_THETA, b, 0] += c * (y * v2 - z * v1) - 0.5 * v0
        trial[i + SLOPE_THETA, b, 1] += c * (z * v0 - x * v2) - 0.5 * v1
        trial[i + SLOPE_THETA, b, 2] += c * (x * v1 - y * v0) - 0.5 * v2
        trial[i + SLOPE_ROLL, b, 0] = tau[b, int(trial[NUMBERS, b, AXIS])]


@njit
def zero_velocity_rows(rows, g):
    """g = 0 for dampers and nonholonomic rows."""
    for r in range(g.shape[0]):
        if rows.rate[r] > 0.0 or rows.kind[r] >= VELOCITY_ONLY:
            g[r] = 0.0


@inline
def project(system, state, work, h, signals, row, varies):
    """Bodies onto g = 0 and momenta onto G v + ∂g/∂t = 0, with the factors of S of the last stage."""
    far, turned = largest_coordinates(system.coordinates, state.a, state.angle)
    tolerance = 1.0 + POSITION_ROUND_OFF * max(system.finest * far, system.finest_turn * turned)
    result, last = POSITION, 1e300
    for _ in range(CORRECTIONS):
        all_violations(system, state.a, state.B, state.angle, signals, row, work, work.x)
        zero_velocity_rows(system.rows, work.x)
        e, which = largest_violation(system.rows, work.x)
        work.fault[0] = which
        work.tally[ITERATIONS] += 1
        if e <= tolerance or (e <= 5.0 * tolerance and e > 0.5 * last):
            result = OK
            break
        if not e < 1e300:
            result = NOT_FINITE
            break
        last = e
        if varies > 0:  # the multipliers act while the rows are displaced by −g
            add_joint_work(system.rows, system.tapes, -1.0, state.lam[MU], work.x, state.account)
        solve(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], work.x)
        set_zero(work.a, work.L)
        apply_multipliers(system.blocks, work.G, -1.0, work.x, work.a, work.L)
        move_bodies(system.bodies, 1.0, work.a, work.L, state.a, state.B)
    if result == OK:
        update_coordinates(system.coordinates, state.a, state.B, state.angle)
        all_jacobians(system, state.a, state.B, signals, row, work, work.partial, work.G)
        constraint_rates(system.bodies, system.blocks, work.G, state.p, state.L, work.rates)
        for r in range(work.lam.shape[0]):
            work.lam[r] = 0.0
        project_momenta(system, state, work, h, signals, row)
        add_impulse_work(system, work, signals, row, state.account)
    return result


@inline
def step(system, state, work, h, table, signals, before, varies):
    """One step; during it the state is that of the current stage."""
    stages = int(table[0])
    nodes = 1 + (stages + 1) * stages
    row = before
    refine = 1 if system.shift == 0.0 else REFINE
    store_start(system.bodies, state.a, state.B, state.p, state.L, work.trial)
    for s in range(stages):
        if s > 0:
            stage_state(system.bodies, h, table, s, s, work.trial, state.a, state.B, state.p, state.L)
            update_coordinates(system.coordinates, state.a, state.B, state.angle)
        row = before + varies * int(table[nodes + s])
        solve_accelerations(
            system, state.a, state.B, state.angle, state.p, state.L, signals, row, refine, work, work.f, work.tau,
            state.lam[MU],
        )  # fmt: skip
        stage_slope(system.bodies, s, work.trial, state.B, state.p, state.L, work.f, work.tau)
        c = h * table[1 + stages * stages + s]
        if c != 0.0:
            add_damper_loss(system.rows, c, state.lam[MU], state.account)
            if varies > 0 and state.lam.shape[1] > 0:
                constraint_rates(system.bodies, system.blocks, work.G, state.p, state.L, work.rates)
                add_joint_work(system.rows, system.tapes, c, state.lam[MU], work.rates, state.account)
            state.account[WORK] += c * power(system, state, signals, row, work)
    stage_state(system.bodies, h, table, stages, stages, work.trial, state.a, state.B, state.p, state.L)
    orthonormalise(state.B)
    update_coordinates(system.coordinates, state.a, state.B, state.angle)
    status = check_state(state.a, state.p, state.L, work.trial, work.fault)
    if status == OK and state.lam.shape[1] > 0:
        status = project(system, state, work, h, signals, row, varies)
    return status


@njit
def check_state(a, p, L, trial, fault):
    """OK if all numbers are finite and no body rotated by more than half a turn."""
    for b in range(1, a.shape[0]):
        size = turn = 0.0
        for k in range(3):
            size += abs(a[b, k]) + abs(p[b, k]) + abs(L[b, k])
            turn += square(trial[THETA, b, k])
        if not size < 1e300:
            fault[0] = b
            return NOT_FINITE
        if turn > square(math.pi):
            fault[0] = b
            return SPIN
    return OK
