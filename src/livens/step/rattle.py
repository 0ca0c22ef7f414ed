"""The Livens step with joints: the same kick, drift, kick, with multipliers at both levels (RATTLE).

One step of length h from (q₀, p₀), with S(q₀) factored from the step before:

    kick     p ← p₀ + h/2 (f(q₀) + damper forces at q₀)
    position p⁺ = p + h/2 G(q₀)ᵀλ,  q₁ = drift(q₀, p⁺),  λ such that g(q₁) = 0        Newton, simplified with S(q₀)
    kick     p ← p⁻ + h/2 f(q₁)
    velocity p₁ = p + h/2 G(q₁)ᵀμ,  μ such that G(q₁) v₁ = 0                          S(q₁) factored here, once

λ starts from the last μ plus the lead λ − μ, extrapolated from three steps. While simplified Newton contracts well, two
drifts a step are usual. Where it does not, the exact matrix G(q₁) D G(q₀)ᵀ of position_matrix.py replaces S(q₀) for the
rest of the step: in long steps, for bodies that spin fast, and at configurations that are singular in passing, where
S(q₀) has the wrong sign in the mode that changes branch. singular_end.py corrects steps that end near one.

An iteration with S(q₀) reduces the violations to about (2θ)² of them, with θ the largest turn of a body in the step;
later ones as much as the last. A new matrix costs about three iterations: it is made if they would not suffice.
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.arrays import (
    CONDITION,
    DISSIPATED,
    EXACT_MATRICES,
    H_PIVOTS,
    ITERATIONS,
    LAST_LEAD,
    LEAD,
    MU,
    OLD_LEAD,
    RATE,
    S_PIVOTS,
    WORK,
)
from ..kernels.compensated import compensated_drift, store_remainders
from ..kernels.constrain import (
    RATE_TOLERANCE,
    add_damper_compliance,
    add_multiple,
    apply_multipliers,
    constraint_rates,
    largest_coordinates,
    largest_displacement,
    largest_violation,
    predict_multipliers,
    rolling_residuals,
    shares_of_leads,
)
from ..kernels.coordinates import update_coordinates
from ..kernels.force_tapes import PASSES, velocity_force_pass
from ..kernels.forces import forces, power, time_of
from ..kernels.position_matrix import largest_turn, multiply_by_drift, weigh_rows
from ..kernels.potential import add_work
from ..kernels.powers import cube, square
from ..kernels.record import store_state
from ..kernels.row_tapes import add_tape_impulse_work, all_jacobians, all_rates, all_violations, tape_jacobians
from ..kernels.rows import jacobians
from ..kernels.singular import (
    copy_configuration,
    move_bodies,
    remove_weak_rates,
)
from ..kernels.sparse import TINY, add_compliance, assemble, factor, remove_dampers, solve
from ..kernels.sparse_lu import factor_lu, solve_lu
from ..kernels.spin import drift_again, kick
from ..kernels.status import AGAIN, NOT_FINITE, OK, POSITION
from ..kernels.turns import count_half_turns, face_dials
from .singular_end import LOST, SINGULAR, factorise_end
from .start_forces import start_forces

POSITION_ROUND_OFF = 2e-15  # relative round-off of a difference of two positions
NEAR = 100.0  # largest displacement that the violations may still mean, in tolerances
ROUGH = 1e8  # condition of S from which on multipliers, which grow with 1/σ, are not extrapolated
GLIMPSE = 1e-5  # where S has lost rows: time after the end of a step at which G shows them again, in steps
SIMPLIFIED = 12  # iterations with S(q₀) of bodies that roll, for which the exact matrix is not exact
SMALLEST_PART = 1e-3  # of a correction that overshoots
POSITION_ITERATIONS = 80  # in all, before the step has failed


@inline
def newton_correction(system, work, h, L, signals, row, exact, fresh):
    """work.x: the change of λ that the violations g require, up to the factor −2/h²; with S(q₀), or with the exact
    matrix of this iteration (`fresh`) or of an earlier one."""
    for r in range(work.g.shape[0]):
        work.x[r] = work.g[r] * (system.rows.weight[r] if exact else 1.0)
    if fresh:
        all_jacobians(system, work.a, work.B, signals, row, work, work.y, work.N)
        weigh_rows(system.blocks, system.rows, work.N)
        if not system.rolls:  # the derivative of their residual has another form
            multiply_by_drift(system.bodies, system.blocks, h, L, work.cayley, work.N)
        assemble(system.bodies, system.blocks, work.N, work.G, False, work.H)
        if system.blocks.below_block.shape[0] > 0:
            assemble(system.bodies, system.blocks, work.G, work.N, False, work.U)
        if system.damped:  # at the position level the force of a damper is known
            remove_dampers(system.blocks, work.H, work.H)
            remove_dampers(system.blocks, work.U, work.U)
        shift_diagonal(system.blocks, 1e-14, work.H)
        factor_lu(system.blocks, work.H, work.U, work.row)
    if exact:
        solve_lu(system.blocks, work.H, work.U, work.x, work.y)
    else:
        solve(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], work.x)


@njit
def shift_diagonal(blocks, shift, A):
    """Move the diagonal of A away from zero."""
    for J in range(blocks.diagonal.shape[0]):
        n = blocks.node[J + 1] - blocks.node[J]
        for y in range(n):
            k = blocks.diagonal[J] + y * n + y
            A[k] += shift * abs(A[k])


@inline
def drop_guess(system, work, h, lam, p, L):
    """Replace the first guess of λ, with which a body turns too far, by zero."""
    predict_multipliers(system.rows, 0.0, (0.0, 0.0, 0.0), False, lam, work.x)
    for r in range(work.lam.shape[0]):
        work.y[r] = work.x[r] - work.lam[r]
        work.lam[r] = work.x[r]
    apply_multipliers(system.blocks, work.G, 0.5 * h, work.y, p, L)


@inline
def correct(system, work, h, c, p, L):
    """λ += c x, and the momenta with it."""
    add_multiple(c, work.x, work.lam)
    apply_multipliers(system.blocks, work.G, 0.5 * h * c, work.x, p, L)


@inline
def solve_positions(system, state, work, h, span, share, signals, row):
    """The position level: on return `work` holds q₁ and L⁻, `work.lam` the multipliers, `state` p⁺."""
    predict_multipliers(system.rows, span, share, state.account[CONDITION] < ROUGH, state.lam, work.lam)
    apply_multipliers(system.blocks, work.G, 0.5 * h, work.lam, state.p, state.L)
    last = 1e300
    amplification = 1.0  # displacement over violation, in the last iteration
    again = False  # a drift of this step has succeeded
    far, turned = largest_coordinates(system.coordinates, state.a, state.angle)
    tolerance = 1.0 + POSITION_ROUND_OFF * max(system.finest * far, system.finest_turn * turned)
    exact = state.account[CONDITION] >= SINGULAR
    fresh = False  # the last correction was by a new exact matrix
    c, part = -2.0 / (h * h), 0.0  # the last correction, times the part of it that was taken
    result = POSITION
    for i in range(POSITION_ITERATIONS):
        a, B, p, L = state.a, state.B, state.p, state.L
        if state.memory.shape[0] > 0:
            status = compensated_drift(
                system.bodies, h, a, B, p, L, state.memory, work.cayley, work.a, work.B, work.L, work.trial, work.fault
            )
        else:
            status = drift_again(
                system.bodies, h, a, B, p, L, again, work.cayley, work.a, work.B, work.L, work.fault
            )  # fmt: skip
        if status != OK and i == 0:
            drop_guess(system, work, h, state.lam, state.p, state.L)
            continue
        if status != OK and part > SMALLEST_PART:
            part *= 0.5
            correct(system, work, h, -part * c, state.p, state.L)
            continue
        if status != OK:
            result = status
            break
        again = True
        all_violations(system, work.a, work.B, state.angle, signals, row, work, work.g)
        if system.rolls:
            all_jacobians(system, work.a, work.B, signals, row, work, work.y, work.N)
            constraint_rates(system.bodies, system.blocks, work.G, state.p, state.L, work.x)
            constraint_rates(system.bodies, system.blocks, work.N, state.p, work.L, work.y)
            rolling_residuals(system.rows, h, work.x, work.y, work.g)
        e, which = largest_violation(system.rows, work.g)
        e /= tolerance
        work.tally[ITERATIONS] += 1
        work.fault[0] = which
        near = e <= 1.0 and e * amplification <= NEAR  # both the violations and the displacements that they mean
        stalled = 5.0 if state.account[CONDITION] < LOST else 1e5  # for lost rows `factorise_end` does the rest
        if near or (fresh and e <= stalled and e > 0.1 * last):  # round-off prevents a smaller violation
            result = OK
            break
        if not e < 1e300:
            result = NOT_FINITE
            break
        if exact and e > 2.0 * last and part > SMALLEST_PART and not system.rolls:  # which have used work.x
            part *= 0.5
            correct(system, work, h, -part * c, state.p, state.L)
            continue
        if system.rolls:
            fresh = exact or e > 0.5 * last or i == SIMPLIFIED
        elif i == 0:  # if bodies turn by more than 0.35 rad, S(q₀) is the safer start: there are several solutions
            rate = square(2.0 * largest_turn(work.cayley))
            fresh = exact or (rate < 0.5 and e * cube(rate) > 1.0)
        else:
            fresh = e > 0.5 * last or e * cube(e / last) > 1.0
        if fresh and not exact:
            exact = True
            work.tally[EXACT_MATRICES] += 1
        last = e
        newton_correction(system, work, h, state.L, signals, row, exact, fresh)
        amplification = largest_displacement(system.rows, work.diagonal, work.x) / (tolerance * e)
        part = 1.0
        correct(system, work, h, c, state.p, state.L)
    return result


@njit
def accept_trial(work, a, B, L):
    """The trial configuration becomes the configuration of the state."""
    for b in range(1, a.shape[0]):
        for i in range(3):
            a[b, i] = work.a[b, i]
            L[b, i] = work.L[b, i]
            for j in range(3):
                B[b, i, j] = work.B[b, i, j]


@inline
def jacobians_ahead(system, state, work, ahead, signals, row):
    """G at the configuration that the bodies reach after the time `ahead`."""
    copy_configuration(state.a, state.B, work.a, work.B)
    move_bodies(system.bodies, ahead, state.p, state.L, work.a, work.B)
    all_jacobians(system, work.a, work.B, signals, row, work, work.partial, work.G)


@inline
def solve_velocities(system, state, work, h, signals, row):
    """The velocity level: `work.y` becomes the impulses x = (h/2) μ. Rows that S has lost are satisfied first, with the
    Jacobian a short time ahead, which shows them; then the others at q₁."""
    for r in range(work.y.shape[0]):
        work.y[r] = 0.0
    moments = 3 if state.account[CONDITION] >= LOST else 1
    for k in range(moments):
        ahead = GLIMPSE * h if k + 1 < moments and system.tapes.clock < 0 else 0.0
        if moments > 1:
            jacobians_ahead(system, state, work, ahead, signals, row)
        start = last = 1e300
        for i in range(12):
            all_rates(system, work.G, state.p, state.L, signals, row, ahead, work, work.g)
            add_damper_compliance(system.rows, h, work.y, work.g)
            e, _ = largest_violation(system.rows, work.g)
            if i == 0:
                start = e
            if i > 0 and (e <= 1e-11 * start or abs(h) * e <= RATE_TOLERANCE or (i > 1 and e > 0.3 * last)):
                break
            last = e
            for r in range(work.x.shape[0]):
                work.x[r] = work.g[r]
            solve(system.blocks, work.S, work.pivot[S_PIVOTS], work.x)
            add_multiple(-1.0, work.x, work.y)
            apply_multipliers(system.blocks, work.G, -1.0, work.x, state.p, state.L)
        if k + 1 < moments:
            remove_weak_rates(system, work, h, signals, row, ahead, state.p, state.L)


@njit
def store_multipliers(rows, h, span, signals, before, row, work_lam, impulse, smooth, lam, account):
    """Store the multipliers for the next prediction, and add the work of prescribed motions and the loss in dampers."""
    for r in range(rows.kind.shape[0]):
        mu = impulse[r] * 2.0 / h
        if rows.rate[r] > 0.0:
            account[DISSIPATED] += 0.5 * h * (square(lam[MU, r]) + square(mu)) / rows.rate[r]
        elif rows.signal[r] >= 0:
            k = rows.signal[r]
            mean = (signals[row, k] - signals[before, k]) / h  # impulses times mean rates: exact where a rate jumps
            first, last = 0.5 * (signals[before, k + RATE] + mean), 0.5 * (mean + signals[row, k + RATE])
            account[WORK] += 0.5 * h * (work_lam[r] * first + mu * last)
        known = smooth and lam[MU, r] != 0.0  # the first step begins without multipliers
        lead = (work_lam[r] - lam[MU, r]) / span if known else 0.0
        lam[OLD_LEAD, r] = lam[LAST_LEAD, r] if lam[LAST_LEAD, r] != 0.0 else lead
        lam[LAST_LEAD, r] = lam[LEAD, r] if lam[LEAD, r] != 0.0 else lead
        lam[LEAD, r] = lead
        lam[MU, r] = mu


@inline
def stage(system, state, work, h, span, share, signals, before, row):
    """One step of order 2 with joints; `work` holds forces and factors at its start and, afterwards, at its end."""
    if state.account[CONDITION] >= LOST and system.tapes.clock < 0:
        jacobians_ahead(system, state, work, GLIMPSE * h, signals, before)
    kick(0.5 * h, work.f, work.tau, state.p, state.L)
    status = solve_positions(system, state, work, h, span, share, signals, row)
    if status == OK:
        if system.tapes.clock >= 0:  # (h/2) λ changes the velocities from v₀ to v⁺
            constraint_rates(system.bodies, system.blocks, work.G, state.p, state.L, work.rates)
            add_tape_impulse_work(system.tapes, 0.5 * h, work.lam, work.rates, work.partial, state.account)
        accept_trial(work, state.a, state.B, state.L)
        if state.memory.shape[0] > 0:
            store_remainders(work.trial, state.memory)
        smooth = state.account[CONDITION] < ROUGH
        factorise_end(system, state, work, h, signals, row)
        if system.tapes.clock >= 0:
            constraint_rates(system.bodies, system.blocks, work.G, state.p, state.L, work.rates)
        update_coordinates(system.coordinates, state.a, state.B, state.angle)
        forces(system, state.a, state.B, state.p, state.L, state.angle, signals, row, work, work.f, work.tau)
        change = 0.0
        for i in range(PASSES + 1):  # one, except for user-written forces: (2) of force_tapes.py
            if system.formulas.forces > 0:
                status, change = velocity_force_pass(
                    i, change, h, system.formulas, system.bodies, state.a, state.B, time_of(system, signals, row),
                    state.p, state.L, work.f, work.tau, work.held, work.registers, work.power, work.fault,
                )  # fmt: skip
                if status != AGAIN:
                    break
            kick(0.5 * h, work.f, work.tau, state.p, state.L)
            solve_velocities(system, state, work, h, signals, row)
            if system.formulas.forces == 0:
                break
        if system.tapes.clock >= 0:  # work.y are the impulses (h/2) μ, from v⁻ to v₁
            add_tape_impulse_work(system.tapes, 1.0, work.y, work.rates, work.partial, state.account)
        store_multipliers(
            system.rows, h, span, signals, before, row, work.lam, work.y, smooth, state.lam, state.account
        )
        add_work(h, power(system, state, signals, row, work), work.power, state.account)
    return status


@njit
def prepare(system, state, work, signals, h):
    """Forces and factors at the start of a run, which `rollout` needs in `work`. It repeats `factorise`, which is
    inlined into its callers: what is called here is compiled for `rollout` anyway."""
    start_forces(system, state, signals, work)
    jacobians(system.rows, system.coordinates, state.a, state.B, work.G)
    tapes = system.tapes
    if len(tapes.row):
        t = signals[0, tapes.clock] if tapes.clock >= 0 else 0.0
        tape_jacobians(tapes, system.rows.entry, state.a, state.B, t, work.registers, work.partial, work.G)
    assemble(system.bodies, system.blocks, work.G, work.G, True, work.S)
    add_compliance(system.rows, system.blocks, system.shift, h, work.S, work.diagonal)
    if system.damped:
        remove_dampers(system.blocks, work.S, work.H)
        factor(system.blocks, work.H, work.pivot[H_PIVOTS], TINY)
    state.account[CONDITION] = factor(system.blocks, work.S, work.pivot[S_PIVOTS], TINY)


@njit
def rollout(system, state, work, h, weights, signals, first, steps, every, record):
    """As in livens.py: (status, steps taken)."""
    stages = len(weights)
    varies = 1 if signals.shape[0] > 1 else 0
    face_dials(system.dials, state.B, state.L, state.half_turns, work.facing)
    for n in range(steps):
        for i in range(stages):
            row = varies * (n * stages + i)
            span = h * (weights[i] + weights[i - 1])  # with the stage before
            share = shares_of_leads(weights, i)
            status = stage(system, state, work, h * weights[i], span, share, signals, row, row + varies)
            if status != OK:
                return status, n
        count_half_turns(system.dials, h, state.B, state.L, state.half_turns, work.facing)
        if (first + n + 1) % every == 0:
            store_state(record, (first + n + 1) // every, state)
    return OK, steps
