"""EnergyMomentum: the step that conserves energy, momentum and angular momentum exactly, of second order, implicit.

Livens' principle with discrete gradients (Gonzalez 1996; Betsch & Steinmann 2001; Kinon, Betsch & Schneider 2023). With
mean velocities v̄ (world axes) and Ω̄ (body axes) of a step of length h,

    a₁ = a₀ + h v̄,                    B₁ = B₀ cay(h Ω̄)                                                             (1)
    p̃₁ − p̃₀ = h F̄,                    p̃₀ + p̃₁ = 2 m v̄                                                              (2)
    B₁L̃₁ − B₀L̃₀ = h M̄,                L̃₀ + L̃₁ = 2 J Ω̄                                                              (3)
    g(q₁) = 0                                                                                                       (4)

F̄ and M̄ are the forces and moments, at mean levers, of energies and joints by their discrete gradients
(kernels/conserving/measures.py). (3) gives T₁ − T₀ = h Ω̄·B̄ᵀM̄ for rotations (Simo & Wong 1991), where B̄ is the mean of
B₀ and B₁; and B₁ − B₀ = h B̄ Ω̄^, so that discrete gradients do the work V₀ − V₁, exactly. Multipliers do none, because
g₀ = g₁ = 0.

Velocities satisfy the joints too. The momenta p̃ differ from p at both ends by impulses in the directions of the joints:

    p̃₀ = p₀ + c G(q₀)ᵀμ,     p₁ = p̃₁ − G(q₁)ᵀμ/c,     G(q₁) v₁ = 0,     c⁴ = μᵀS(q₁)μ / μᵀS(q₀)μ                 (5)

The first adds the kinetic energy ½c² μᵀS(q₀)μ, the second removes ½c⁻² μᵀS(q₁)μ: the choice of c makes them equal. The
step is symmetric: back from q₁, c becomes 1/c. μ is of second order in h.

(1) to (4) are solved by Newton's method with exact derivatives, on the sparse pattern of bodies and rows; the matrix is
kept while corrections decrease tenfold. A correction of μ follows in the same iteration, from the sparse matrix
S(q₁)/c + c G(q₁) M⁻¹ G(q₀)ᵀ: with the joints closed, p̃₁ changes by −c G(q₀)ᵀδμ, to the order of h². The iteration ends
when the next correction would be round-off; two corrections are usual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._jit import inline, njit
from ..checks import Array
from ..compile.conserving import conserving_work
from ..errors import ModelError
from ..kernels.arrays import (
    CONDITION,
    DISSIPATED,
    H_PIVOTS,
    ITERATIONS,
    S_PIVOTS,
    WORK,
    System,
    Work,
)
from ..kernels.conserving.arrays import COORDINATE_LAW
from ..kernels.conserving.balance import (
    END_L,
    END_P,
    MEAN_V,
    MEAN_W,
    VECTORS,
    add_forces,
    body_residuals,
    cayley_increment,
    evaluate,
    keep_remainders,
    move,
    newton_matrix,
    row_residuals,
    work_done,
)
from ..kernels.conserving.energies import add_energy_forces, couple_energies, start_energies
from ..kernels.conserving.impulses import correct_impulses, end_momenta, hard_rates, impulse_residuals, start_momenta
from ..kernels.conserving.measures import value
from ..kernels.conserving.prediction import (
    KNOWN,
    MEMORY,
    MULTIPLIERS,
    predict_multipliers,
    predict_velocities,
    remember,
)
from ..kernels.constrain import (
    RATE_TOLERANCE,
    apply_multipliers,
    largest_coordinates,
    largest_violation,
)
from ..kernels.coordinates import update_coordinates
from ..kernels.kinds import EDGE, RIM, ROLL, ROTATION, TAPE
from ..kernels.potential import to_body
from ..kernels.record import store_state
from ..kernels.rows import jacobians, violations
from ..kernels.sparse import TINY, add_compliance, assemble, factor, remove_dampers, solve
from ..kernels.sparse_lu import factor_lu, solve_lu
from ..kernels.status import OK, SOLVE
from ..kernels.turns import count_half_turns, face_dials
from .scheme import Prepare, Rollout, phase_per_step

MOST_CORRECTIONS = 60
REMAINDERS = 12  # numbers of a body: of its position and rotation
SMALLEST_MOVE = 1e-14  # a relative change of a displacement that counts as none
MOVE_ROUND_OFF = 3e-15  # relative round-off of positions and rotations
POSITION_ROUND_OFF = 2e-15  # of a difference of two positions
CONVERGED_RATE = 1e-3  # a rate over a step, in tolerances of the violation, at which μ has converged
KEPT_IMPULSES = 6  # iterations with one matrix of the impulses
CONVERGED_MOVE = 0.01  # the change of a displacement, in tolerances, that is round-off
KEPT_MATRIX = 0.1  # the matrix is kept while corrections decrease by this factor
SETTLED = 5.0  # a change of displacements, in tolerances, that may be round-off and need not decrease any more
IDLE_CORRECTIONS = 3  # that do not halve the least one: then …
STALLED_MOVE, STALLED_VIOLATION = 1e3, 5.0  # … these tolerances count as met


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
    return max(
        most / (SMALLEST_MOVE * size + MOVE_ROUND_OFF * far + 1e-300), turn / (SMALLEST_MOVE * turned + MOVE_ROUND_OFF)
    )


@njit
def correct(everything, state, h, far):
    """Newton's correction for the residuals in trial.x; returns its largest displacement in tolerances."""
    work, pattern, trial = everything.work, everything.pattern, everything.trial
    solve_lu(pattern.blocks, trial.lower, trial.upper, trial.x, trial.y)
    change = correct_velocities(pattern, h, far, work.B, trial.x, work.trial)
    rest = state.memory[state.memory.shape[0] - REMAINDERS * state.a.shape[0] :]
    move(h, state.a, state.B, work.trial, rest, work.a, work.B)
    for r in range(work.lam.shape[0]):
        work.lam[r] += trial.x[pattern.row[r]]
    return change


@inline
def ratio(x, last):
    return x / last if x < last else 1.0


@inline
def solve_step(system, state, everything, h, signals, before, row, most):
    """(1) to (5): on return `work` holds q₁, F̄, M̄, λ̄ and p̃₀. First guesses are from `most` last steps."""
    work, measures, pattern, trial = everything.work, everything.measures, everything.pattern, everything.trial
    vectors, lam, energies = work.trial, work.lam, everything.energies
    rest = state.memory[state.memory.shape[0] - REMAINDERS * state.a.shape[0] :]
    far, turned = largest_coordinates(system.coordinates, state.a, state.angle)
    tolerance = 1.0 + POSITION_ROUND_OFF * max(system.finest * far, system.finest_turn * turned)
    known = predict_velocities(system.bodies, state.p, state.L, state.memory, most, vectors)
    trial.tilt[0] = predict_multipliers(state.a.shape[0], state.lam, state.memory, known, lam, trial.mu)
    move(h, state.a, state.B, vectors, rest, work.a, work.B)
    change, last, least, best, idle, result = 1e300, 1e300, 1e300, 1e300, 0, SOLVE
    e, last_e, rates, last_rates, quickest, quickest_rates = 0.0, 0.0, 0.0, 0.0, 1.0, 1.0
    for i in range(MOST_CORRECTIONS + 1):
        start_momenta(system.blocks, work.G, trial.tilt[0], trial.mu, state.p, state.L, vectors)
        evaluate(system, measures, pattern, state.a, state.B, work.a, work.B, lam, signals, before, row, trial)
        add_forces(system, measures, state.a, state.B, work.a, work.B, signals, before, row, trial, vectors)
        if system.formulas.energies > 0:
            add_energy_forces(system.formulas, energies, state.a, state.B, work.a, work.B, work.registers, vectors)
        if result == OK:
            break
        violations(system.rows, system.coordinates, work.a, work.B, state.angle, signals, row, work.g)
        last_e = e
        e, which = largest_violation(system.rows, work.g)
        work.fault[0] = which
        work.tally[ITERATIONS] += 1
        body_residuals(system.bodies, pattern, h, state.B, vectors, trial.x)
        row_residuals(system.rows, pattern, h, lam, work.g, trial)
        if i == 0 or not last <= max(SETTLED, KEPT_MATRIX * least) or i > 8:
            newton_matrix(
                system, measures, pattern, h, state.a, state.B, work.a, work.B, signals, before, row, vectors, trial
            )
            if system.formulas.energies > 0:
                couple_energies(
                    system.formulas, energies, h, state.a, state.B, work.a, work.B, work.registers, energies.d,
                    trial.lower, trial.upper,
                )  # fmt: skip
            factor_lu(pattern.blocks, trial.lower, trial.upper, trial.scratch)
        least = min(least, last)
        change = correct(everything, state, h, far)
        if lam.shape[0] > 0:
            last_rates = rates
            rates = correct_impulses(system, state, work, trial, h, i % KEPT_IMPULSES == 0, signals, row)
        if not change < 1e300:
            break
        idle = 0 if change < 0.5 * best else idle + 1
        best = min(best, change)
        decrease, of_rates, of_e = 1.0, 1.0, 1.0  # of this iteration; the next one will have the same
        if i > 0:
            decrease, of_rates, of_e = ratio(change, last), ratio(rates, last_rates), ratio(e, last_e)
            quickest, quickest_rates = min(quickest, decrease), min(quickest_rates, of_rates)
        if change <= SETTLED:
            decrease, of_rates = quickest, quickest_rates
        converged = (
            decrease * change <= CONVERGED_MOVE
            and of_rates * rates <= CONVERGED_RATE * tolerance
            and of_e * e <= tolerance
        )
        last = change
        stalled = e <= STALLED_VIOLATION * tolerance and idle >= IDLE_CORRECTIONS and change <= STALLED_MOVE
        if converged or stalled:
            result = OK  # after what follows the last correction of cμ, F̄ and M̄
            if lam.shape[0] > 0:
                impulse_residuals(
                    pattern, system.blocks, work.G, state.B, work.B, trial.change, work.f, work.tau, trial.x
                )
                correct(everything, state, h, far)
        else:
            for r in range(lam.shape[0]):
                lam[r] -= 2.0 / h * trial.change[r]  # almost cancels the change 2 G(q₀)ᵀδ(cμ) of (2) and (3)
    return result


@inline
def factorise(system, a, B, work):
    """G at (a, B) and the factors of S there, without dampers in H."""
    jacobians(system.rows, system.coordinates, a, B, work.G)
    assemble(system.bodies, system.blocks, work.G, work.G, True, work.S)
    add_compliance(system.rows, system.blocks, system.shift, 1.0, work.S, work.diagonal)
    if system.damped:
        remove_dampers(system.blocks, work.S, work.H)
        factor(system.blocks, work.H, work.pivot[H_PIVOTS], TINY)
    return factor(system.blocks, work.S, work.pivot[S_PIVOTS], TINY)


@inline
def project(system, state, work, h, signals, row):
    """p₁ of (5): the momenta satisfy G(q₁) v₁ = 0 to round-off."""
    last = 1e300
    for i in range(8):
        hard_rates(system.rows, system.bodies, system.blocks, work.G, state.p, state.L, signals, row, work.x)
        e, _ = largest_violation(system.rows, work.x)
        if i > 0 and (abs(h) * e <= RATE_TOLERANCE or e > 0.3 * last):
            break
        last = e
        solve(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], work.x)
        apply_multipliers(system.blocks, work.G, -1.0, work.x, state.p, state.L)


@njit
def accept(work_a, work_B, vectors, a, B, p, L):
    """q₁ and p̃₁ become the state."""
    for b in range(1, a.shape[0]):
        for k in range(3):
            a[b, k] = work_a[b, k]
            for j in range(3):
                B[b, k, j] = work_B[b, k, j]
            p[b, k], L[b, k] = vectors[END_P, b, k], vectors[END_L, b, k]


@inline
def step(system, state, everything, h, signals, before, row):
    """One step; `work` holds the Jacobian and factors at its start and, afterwards, at its end."""
    work, measures, trial = everything.work, everything.measures, everything.trial
    status = SOLVE
    for most in (3.0, 0.0):
        if status != OK:
            status = solve_step(system, state, everything, h, signals, before, row, most)
    if status == OK:
        vectors = work.trial
        end_momenta(h, state.B, vectors)
        state.account[WORK] += work_done(
            system,
            measures,
            h,
            state.B,
            work.B,
            signals,
            before,
            row,
            work.lam,
            trial.mu,
            trial.tilt[0],
            trial,
            vectors,
        )
        for r in range(work.lam.shape[0]):
            if system.rows.rate[r] > 0.0:
                state.account[DISSIPATED] += h * work.lam[r] ** 2 / system.rows.rate[r]
        remember(vectors, work.lam, trial.mu, trial.tilt[0], state.lam, state.memory)
        rest = state.memory[state.memory.shape[0] - REMAINDERS * state.a.shape[0] :]
        keep_remainders(h, state.a, state.B, vectors, work.a, work.B, rest)
        accept(work.a, work.B, vectors, state.a, state.B, state.p, state.L)
        for m in range(trial.s0.shape[0]):
            trial.s0[m] = value(measures, m, state.a, state.B, trial.s1[m])
        if system.formulas.energies > 0:
            start_energies(system.formulas, everything.energies, state.a, state.B, work.registers)
        update_coordinates(system.coordinates, state.a, state.B, state.angle)
        if work.lam.shape[0] > 0:
            state.account[CONDITION] = factorise(system, state.a, state.B, work)
            project(system, state, work, h, signals, row)
    return status


@njit
def prepare(system, state, everything, signals, h):
    """Measures, Jacobian and factors at the start of a run."""
    work, measures, trial = everything.work, everything.measures, everything.trial
    for m in range(len(trial.s0)):
        near = state.angle[measures.law[m, 1]] if measures.law[m, 0] == COORDINATE_LAW else 0.0
        trial.s0[m] = value(measures, m, state.a, state.B, near)
    if state.memory[KNOWN] == 0.0:  # the multipliers, if any, are those of another scheme
        for r in range(len(work.lam)):
            for k in range(3):
                state.lam[k, r] = 0.0
    if system.formulas.energies:
        start_energies(system.formulas, everything.energies, state.a, state.B, work.registers)
    if len(work.lam):
        state.account[CONDITION] = factorise(system, state.a, state.B, work)


@njit
def rollout(system, state, everything, h, table, signals, first, steps, every, record):
    """As in livens.py: (status, steps taken)."""
    varies = 1 if signals.shape[0] > 1 else 0
    face_dials(system.dials, state.B, state.L, state.half_turns, everything.work.facing)
    for n in range(steps):
        status = step(system, state, everything, h, signals, varies * n, varies * (n + 1))
        if status != OK:
            return status, n
        count_half_turns(system.dials, h, state.B, state.L, state.half_turns, everything.work.facing)
        if (first + n + 1) % every == 0:
            store_state(record, (first + n + 1) // every, state)
    return OK, steps


@dataclass(frozen=True)
class EnergyMomentum:
    """The scheme that conserves energy, momentum and angular momentum exactly, for any step at which it converges.

    Implicit, of second order, symmetric. Springs, attraction, stops and joints do exactly the work that their energies
    say, so that stiff springs and long steps (hω of 1 to 100), where the kicks of `lv.Livens` are unstable, are safe;
    vibrations that a step does not resolve get a wrong phase. A step costs 4 to 6 times that of `lv.Livens()`, and
    must not turn a body by more than about 0.2 rad: otherwise the equations of the joints may not converge.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, -1), velocity=(1, 0, 0), name="ball"))
    >>> spring = m.add(lv.Spring(m.world.point(0, 0, 0), ball.center, stiffness=1e6, length=1.0))
    >>> motion = lv.simulate(m, lv.EnergyMomentum(), h=0.02, until=10.0)
    >>> bool(abs(motion.energy - motion.energy[0]).max() < 1e-10)
    True
    """

    orders: ClassVar[tuple[int, ...]] = ()
    variational: ClassVar[bool] = False
    conserves_energy: ClassVar[bool] = True
    exact_energy: ClassVar[bool] = True
    carries: ClassVar[str] = "mean velocities"
    turn_limit: ClassVar[float] = 2.0
    adaptive = False
    order = 2
    stages = 1
    longest_stage = 1.0
    scratch = VECTORS

    def __repr__(self) -> str:
        return "EnergyMomentum()"

    @property
    def weights(self) -> Array:
        return np.array([1.0])

    @property
    def phase_per_step(self) -> float:
        return phase_per_step(self.order)

    @property
    def table(self) -> Array:
        """No coefficients but the length of its one stage."""
        return self.weights

    def memory(self, system: System) -> int:
        """v̄, Ω̄ and multipliers of the last three steps, from which the next are predicted; and the remainders of the
        sums of positions and rotations."""
        return (MEMORY + REMAINDERS) * len(system.bodies.mass) + MULTIPLIERS * len(system.rows.kind)

    def workspace(self, system: System, work: Work) -> Any:
        """Scratch, with the measures and the pattern of Newton's matrix."""
        return conserving_work(system, work)

    def rollout_file(self, jointed: bool) -> str:
        return "energy_momentum"

    def compile_seconds(self, jointed: bool) -> int:
        return 60

    def kernels(self, system: System) -> tuple[Prepare, Rollout]:
        """(prepare, rollout), or a ModelError that names what has no discrete gradient."""
        for kind, words in REFUSED.items():
            if (system.rows.kind == kind).any():
                raise ModelError(f"{self!r} does not take {words}: use lv.Livens().")
        if (system.coordinates.kind == ROTATION).any():
            raise ModelError(f"{self!r} does not take springs or limits of spherical joints: use lv.Livens().")
        if system.formulas.forces:
            raise ModelError(f"{self!r} does not take user-written forces: use lv.Livens().")
        if system.formulas.clock >= 0:
            raise ModelError(f"{self!r} does not take energies that vary with time: use lv.Livens().")
        return prepare, rollout


REFUSED = {
    TAPE: "user-written constraints",
    RIM: "rolling discs",
    ROLL: "rolling without slip",
    EDGE: "knife edges",
}
