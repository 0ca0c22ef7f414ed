"""Newton's iteration of the step that conserves energy: (1) to (5) of step/energy_momentum.py, with corrections of the
unknowns (δa, δφ, λ) by the sparse matrix and of the impulses μ in the same iteration.

Corrections decrease by a ratio θ from one iteration to the next while the matrix is kept. The iteration ends when the
next correction, θ times the last one, would be round-off. The ratio of the first two says how good the guess was, not
the matrix, whose error is in proportion to the first correction. Corrections that decrease slowly are continued; those
that do not decrease any more are round-off. The last change of cμ is followed by the linear change of the other
unknowns.
"""

from __future__ import annotations

import numpy as np

from ..._jit import inline, njit
from ..arrays import ITERATIONS
from ..constrain import largest_coordinates, largest_violation
from ..potential import to_body
from ..row_tapes import all_violations
from ..sparse_lu import factor_lu, solve_lu
from ..status import OK, SOLVE
from .balance import (
    MEAN_V,
    MEAN_W,
    add_forces,
    body_residuals,
    cayley_increment,
    evaluate,
    move,
    newton_matrix,
    row_residuals,
)
from .energies import add_energy_forces, evaluate_ends, start_energies, take_multipliers
from .energy_couplings import couple_energies
from .impulses import correct_impulses, impulse_residuals, start_momenta
from .prediction import REMAINDERS_OF_BODY, predict_multipliers, predict_velocities
from .pushes import add_pushes, couple_pushes, slip_residuals

MOST_CORRECTIONS = 120
SMALLEST_MOVE = 1e-14  # a relative change of a displacement that counts as none
MOVE_ROUND_OFF = 3e-15  # relative round-off of positions and rotations
POSITION_ROUND_OFF = 2e-15  # of a difference of two positions
CONVERGED_RATE = 1e-3  # a rate over a step, in tolerances of the violation, at which μ has converged
RATE_ROUND_OFF = 0.5  # likewise, that may be the round-off of displacements, whose decrease says nothing
KEPT_IMPULSES = 6  # iterations with one matrix of the impulses
CONVERGED_MOVE = 0.01  # the change of a displacement, in tolerances, that is round-off
KEPT_MATRIX = 0.1  # the matrix is kept while corrections decrease by this factor
MATRIX_ERROR = 2e-13  # relative error of the first matrix, for each tolerance by which the first correction moves
SETTLED = 5.0  # a change of displacements, in tolerances, that may be round-off and need not decrease any more
HOPELESS_MOVE, HOPELESS_TURN = 1e30, 1e9  # in tolerances, and h Ω̄: what they give are still numbers
IDLE_CORRECTIONS, NEAR_ERROR = 4, 10.0  # corrections in a row that do not halve the error, if it is so small, …
LONG_IDLE_CORRECTIONS = 12  # … and if it is larger, up to …
STALLED_ERROR, STALLED_VIOLATION = 1e3, 5.0  # … these tolerances: then it is round-off and counts as met


@njit
def correct_velocities(pattern, h, far, B1, x, vectors):
    """Apply the corrections (δa, δφ); returns the largest one in tolerances."""
    most, size = 0.0, 0.0
    turn, turned = 0.0, 0.0
    for b in range(1, B1.shape[0]):
        o = pattern.body[b]
        D0, D1, D2, s = cayley_increment(h, vectors[MEAN_W], b)
        w = to_body(B1, b, x[o + 3], x[o + 4], x[o + 5])
        for k in range(3):
            if not abs(x[o + k]) + abs(x[o + 3 + k]) < 1e300:
                return np.inf
            vectors[MEAN_V, b, k] += x[o + k] / h
            most, size = max(most, abs(x[o + k])), max(size, abs(h * vectors[MEAN_V, b, k]))
            row = D0 if k == 0 else (D1 if k == 1 else D2)
            vectors[MEAN_W, b, k] += s / h * (w[k] + 0.5 * (row[0] * w[0] + row[1] * w[1] + row[2] * w[2]))
            turn, turned = max(turn, abs(x[o + 3 + k])), max(turned, abs(h * vectors[MEAN_W, b, k]))
    if not turned < HOPELESS_TURN:
        return np.inf
    return max(
        most / (SMALLEST_MOVE * size + MOVE_ROUND_OFF * far + 1e-300), turn / (SMALLEST_MOVE * turned + MOVE_ROUND_OFF)
    )


@njit
def correct(everything, state, h, far):
    """Newton's correction for the residuals in trial.x; returns its largest displacement in tolerances."""
    work, pattern, trial = everything.work, everything.pattern, everything.trial
    solve_lu(pattern.blocks, trial.lower, trial.upper, trial.x, trial.y)
    change = correct_velocities(pattern, h, far, work.B, trial.x, work.trial)
    rest = state.memory[state.memory.shape[0] - REMAINDERS_OF_BODY * state.a.shape[0] :]
    move(h, state.a, state.B, work.trial, rest, work.a, work.B)
    for r in range(work.lam.shape[0]):
        work.lam[r] += trial.x[pattern.row[r]]
    return change


@inline
def ratio(x, last):
    return x / last if x < last else 1.0


@inline
def middle_time(clock, signals, before, row):
    """t̄, the middle of the step; 0 if nothing depends on the time."""
    return 0.5 * (signals[before, clock] + signals[row, clock]) if clock >= 0 else 0.0


@inline
def add_written(system, state, everything, of_formulas, of_rows, vectors):
    """Add user-written forces, and those of user-written energies and rows, to F̄ and M̄."""
    work, trial, formulas, energies = everything.work, everything.trial, system.formulas, everything.energies
    if formulas.energies > 0:
        evaluate_ends(formulas, energies, work.a, work.B, of_formulas, trial.registers)
        add_energy_forces(formulas, energies, state.a, state.B, work.a, work.B, of_formulas, trial.registers, vectors)
    if formulas.forces > 0:
        add_pushes(formulas, everything.pushes, state.a, state.B, work.a, work.B, of_formulas, trial.registers, vectors)
    if everything.formulas.energies > 0:
        take_multipliers(everything.rows, work.lam)
        evaluate_ends(everything.formulas, everything.rows, work.a, work.B, of_rows, trial.registers)
        add_energy_forces(
            everything.formulas, everything.rows, state.a, state.B, work.a, work.B, of_rows, trial.registers, vectors
        )
    if system.rolls:
        take_multipliers(everything.rolls, work.lam)
        add_pushes(
            everything.rolling, everything.rolls, state.a, state.B, work.a, work.B, 0.0, trial.registers, vectors
        )


@inline
def couple_written(system, state, everything, h, of_formulas, of_rows, vectors):
    """Add their derivatives to Newton's matrix."""
    work, trial, formulas, energies = everything.work, everything.trial, system.formulas, everything.energies
    if formulas.energies > 0:
        couple_energies(
            formulas, energies, h, state.a, state.B, work.a, work.B, of_formulas, trial.registers,
            trial.lower, trial.upper,
        )  # fmt: skip
    if formulas.forces > 0:
        couple_pushes(
            formulas, everything.pushes, h, state.a, state.B, work.a, work.B, of_formulas, trial.registers, vectors,
            trial.lower, trial.upper,
        )  # fmt: skip
    if everything.formulas.energies > 0:
        couple_energies(
            everything.formulas, everything.rows, h, state.a, state.B, work.a, work.B, of_rows, trial.registers,
            trial.lower, trial.upper,
        )  # fmt: skip
    if system.rolls:
        couple_pushes(
            everything.rolling, everything.rolls, h, state.a, state.B, work.a, work.B, 0.0, trial.registers, vectors,
            trial.lower, trial.upper,
        )  # fmt: skip


@inline
def solve_step(system, state, everything, h, signals, before, row, most):
    """(1) to (5): on return `work` holds q₁, F̄, M̄, λ̄ and p̃₀. First guesses are from `most` last steps."""
    work, measures, pattern, trial = everything.work, everything.measures, everything.pattern, everything.trial
    vectors, lam = work.trial, work.lam
    of_formulas = middle_time(system.formulas.clock, signals, before, row)
    of_rows = middle_time(system.tapes.clock, signals, before, row)
    if system.formulas.clock >= 0:
        start_energies(system.formulas, everything.energies, state.a, state.B, of_formulas, trial.registers)
    if system.tapes.clock >= 0:
        start_energies(everything.formulas, everything.rows, state.a, state.B, of_rows, trial.registers)
    rest = state.memory[state.memory.shape[0] - REMAINDERS_OF_BODY * state.a.shape[0] :]
    far, turned = largest_coordinates(system.coordinates, state.a, state.angle)
    tolerance = 1.0 + POSITION_ROUND_OFF * max(system.finest * far, system.finest_turn * turned)
    known = predict_velocities(system.bodies, state.p, state.L, state.memory, most, vectors)
    trial.tilt[1] = 0.0
    trial.tilt[0] = predict_multipliers(state.a.shape[0], state.lam, state.memory, known, lam, trial.mu)
    move(h, state.a, state.B, vectors, rest, work.a, work.B)
    change, last, least, best, idle, result = 1e300, 1e300, 1e300, 1e300, 0, SOLVE
    e, last_e, rates, last_rates, quickest, quickest_rates = 0.0, 0.0, 0.0, 0.0, 1.0, 1.0
    for i in range(MOST_CORRECTIONS + 1):
        fresh = result != OK and (i == 0 or not last <= max(SETTLED, KEPT_MATRIX * least) or i > 8)
        start_momenta(system.blocks, work.G, trial.tilt[0], trial.mu, state.p, state.L, vectors)
        evaluate(system, measures, pattern, state.a, state.B, work.a, work.B, lam, fresh, signals, before, row, trial)
        add_forces(system, measures, state.a, state.B, work.a, work.B, signals, before, row, trial, vectors)
        add_written(system, state, everything, of_formulas, of_rows, vectors)
        if result == OK:
            break
        all_violations(system, work.a, work.B, state.angle, signals, row, work, work.g)
        if system.rolls:
            slip_residuals(h, everything.rolls, work.g)
        last_e = e
        e, which = largest_violation(system.rows, work.g)
        work.fault[0] = which
        work.tally[ITERATIONS] += 1
        body_residuals(system.bodies, pattern, h, state.B, vectors, trial.x)
        row_residuals(system.rows, pattern, h, lam, work.g, trial)
        if fresh:
            newton_matrix(
                system, measures, pattern, h, state.a, state.B, work.a, work.B, signals, before, row, vectors, trial
            )
            couple_written(system, state, everything, h, of_formulas, of_rows, vectors)
            factor_lu(pattern.blocks, trial.lower, trial.upper, trial.scratch)
        least = min(least, last)
        change = correct(everything, state, h, far)
        if not change < HOPELESS_MOVE:
            break
        if lam.shape[0] > 0:
            last_rates = rates
            rates = correct_impulses(system, state, work, trial, h, i % KEPT_IMPULSES == 0, signals, row)
        error = max(change, rates)
        idle = 0 if error < 0.5 * best else idle + 1
        best = error if idle == 0 else best
        decrease, of_rates, of_e = 1.0, 1.0, 1.0  # of this iteration; the next one will have the same
        if i > 0:
            decrease, of_rates, of_e = ratio(change, last), ratio(rates, last_rates), ratio(e, last_e)
            if i == 1:
                decrease = max(decrease, MATRIX_ERROR * last)
            quickest, quickest_rates = min(quickest, decrease), min(quickest_rates, of_rates)
        if change <= SETTLED:
            decrease, of_rates = quickest, quickest_rates
        if rates <= RATE_ROUND_OFF * tolerance:
            of_rates = min(of_rates, decrease)
        converged = (
            decrease * change <= CONVERGED_MOVE
            and of_rates * rates <= CONVERGED_RATE * tolerance
            and of_e * e <= tolerance
        )
        last = change
        most_idle = IDLE_CORRECTIONS if error <= NEAR_ERROR else LONG_IDLE_CORRECTIONS
        stalled = e <= STALLED_VIOLATION * tolerance and idle >= most_idle and error <= STALLED_ERROR
        if converged or stalled:
            result = OK  # F̄ and M̄ still have to be those of the last correction
        if i == 0 and result != OK:
            for r in range(lam.shape[0]):
                lam[r] -= 2.0 / h * trial.change[r]  # almost cancels the change 2 G(q₀)ᵀδ(cμ) of (2) and (3)
        elif lam.shape[0] > 0:
            impulse_residuals(pattern, system.blocks, work.G, state.B, work.B, trial.change, work.f, work.tau, trial.x)
            if not correct(everything, state, h, far) < HOPELESS_MOVE:
                return SOLVE
    return result
