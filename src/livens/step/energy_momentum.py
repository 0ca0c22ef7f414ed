"""EnergyMomentum: the step that conserves energy, momentum and angular momentum exactly, of second order, implicit.

Livens' principle with discrete gradients (Gonzalez 1996; Betsch & Steinmann 2001; Kinon, Betsch & Schneider 2023). With
mean velocities v̄ (world axes) and Ω̄ (body axes) of a step of length h,

    a₁ = a₀ + h v̄,                    B₁ = B₀ cay(h Ω̄)                                                             (1)
    p̃₁ − p̃₀ = h F̄,                    p̃₀ + p̃₁ = 2 m v̄                                                              (2)
    B₁L̃₁ − B₀L̃₀ = h M̄,                L̃₀ + L̃₁ = 2 J Ω̄                                                              (3)
    g(q₁) = 0                                                                                                       (4)

F̄ and M̄ are the forces and moments, at mean levers, of energies and joints by their discrete gradients
(kernels/conserving/measures.py, energies.py), and user-written forces in the middle of the step (pushes.py). (3) gives
T₁ − T₀ = h Ω̄·B̄ᵀM̄ for rotations (Simo & Wong 1991), where B̄ is the mean of B₀ and B₁; and B₁ − B₀ = h B̄ Ω̄^, so that
discrete gradients do the work V₀ − V₁, exactly. Multipliers do none, because g₀ = g₁ = 0.

Velocities satisfy the joints too. The momenta p̃ differ from p at both ends by impulses in the directions of the joints:

    p̃₀ = p₀ + c G(q₀)ᵀμ,     p₁ = p̃₁ − G(q₁)ᵀμ/c,     G(q₁) v₁ = 0,     c⁴ = μᵀS(q₁)μ / μᵀS(q₀)μ                 (5)

The first adds the kinetic energy ½c² μᵀS(q₀)μ, the second removes ½c⁻² μᵀS(q₁)μ: the choice of c makes them equal. The
step is symmetric: back from q₁, c becomes 1/c. μ is of second order in h.

(1) to (4) are solved by Newton's method with exact derivatives, on the sparse pattern of bodies and rows; the matrix is
kept while corrections decrease tenfold. A correction of μ follows in the same iteration, from the sparse matrix
S(q₁)/c + c G(q₁) M⁻¹ G(q₀)ᵀ: with the joints closed, p̃₁ changes by −c G(q₀)ᵀδμ, to the order of h². Then c follows μ;
its changes are summed up where they decrease slowly. The iteration ends when the next correction would be round-off;
two corrections are usual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._jit import inline, njit
from ..checks import Array
from ..compile.conserving import conserving_work
from ..kernels.arrays import (
    CONDITION,
    DISSIPATED,
    H_PIVOTS,
    S_PIVOTS,
    WORK,
    System,
    Work,
)
from ..kernels.conserving.arrays import COORDINATE_LAW
from ..kernels.conserving.balance import (
    END_L,
    END_P,
    VECTORS,
    keep_remainders,
    work_done,
)
from ..kernels.conserving.energies import all_energies, keep_energies, start_energies, work_of_rows
from ..kernels.conserving.impulses import end_momenta, hard_rates
from ..kernels.conserving.iteration import middle_time, solve_step
from ..kernels.conserving.measures import begin, value
from ..kernels.conserving.prediction import (
    KNOWN,
    MEMORY,
    MULTIPLIERS,
    REMAINDERS_OF_BODY,
    remember,
)
from ..kernels.conserving.pushes import add_pushes
from ..kernels.constrain import (
    RATE_TOLERANCE,
    apply_multipliers,
    largest_violation,
)
from ..kernels.coordinates import update_coordinates
from ..kernels.powers import square
from ..kernels.record import store_state
from ..kernels.row_tapes import all_jacobians
from ..kernels.sparse import TINY, add_compliance, assemble, factor, remove_dampers, solve
from ..kernels.status import OK, SOLVE
from ..kernels.turns import count_half_turns, face_dials
from .scheme import Prepare, Rollout, phase_per_step


@inline
def factorise(system, a, B, signals, row, work):
    """G at (a, B) and the factors of S there, without dampers in H."""
    all_jacobians(system, a, B, signals, row, work, work.partial, work.G)
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
        hard_rates(
            system.rows, system.bodies, system.blocks, system.tapes, work.G, state.p, state.L, signals, row,
            work.partial, work.x,
        )  # fmt: skip
        e, _ = largest_violation(system.rows, work.x)
        if i > 0 and (abs(h) * e <= RATE_TOLERANCE or e > 0.3 * last):
            break
        last = e
        solve(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], work.x)
        apply_multipliers(system.blocks, work.G, -1.0, work.x, state.p, state.L)


@njit
def written_work(system, state, everything, h, signals, before, row):
    """The work of user-written forces in a step, of energies that depend on time, and of equations that do."""
    work, formulas, energies, w = everything.work, system.formulas, everything.energies, everything.trial.registers
    total, t = 0.0, middle_time(formulas.clock, signals, before, row)
    if formulas.forces > 0:
        total += h * add_pushes(
            formulas, everything.pushes, state.a, state.B, work.a, work.B, t, w, work.trial
        )  # F̄ and M̄ are not needed any more
    if formulas.energies > 0 and formulas.clock >= 0:
        for i in range(energies.V0.shape[0]):
            total += energies.V0[i] - energies.V1[i]
        total -= all_energies(formulas, energies, state.a, state.B, signals[before, formulas.clock], w)
        total += all_energies(formulas, energies, work.a, work.B, signals[row, formulas.clock], w)
    if system.tapes.clock >= 0:
        total += work_of_rows(everything.rows, work.lam)
    return total


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
            work.partial,
            trial,
            vectors,
        )
        state.account[WORK] += written_work(system, state, everything, h, signals, before, row)
        for r in range(work.lam.shape[0]):
            if system.rows.rate[r] > 0.0:
                state.account[DISSIPATED] += h * square(work.lam[r]) / system.rows.rate[r]
        remember(vectors, work.lam, trial.mu, trial.tilt[0], state.lam, state.memory)
        rest = state.memory[state.memory.shape[0] - REMAINDERS_OF_BODY * state.a.shape[0] :]
        keep_remainders(h, state.a, state.B, vectors, work.a, work.B, rest)
        accept(work.a, work.B, vectors, state.a, state.B, state.p, state.L)
        begin(measures, state.a, state.B, trial.s0, trial.s1)
        keep_energies(everything.energies)
        keep_energies(everything.rows)
        update_coordinates(system.coordinates, state.a, state.B, state.angle)
        if work.lam.shape[0] > 0:
            state.account[CONDITION] = factorise(system, state.a, state.B, signals, row, work)
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
    w = everything.trial.registers
    start_energies(system.formulas, everything.energies, state.a, state.B, 0.0, w)
    start_energies(everything.formulas, everything.rows, state.a, state.B, 0.0, w)
    if len(work.lam):
        state.account[CONDITION] = factorise(system, state.a, state.B, signals, 0, work)


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

    Implicit, of second order, symmetric. Springs, attraction, stops, joints and all that users write do exactly the
    work that is booked, so that stiff springs and long steps (hω of 1 to 100), where the kicks of `lv.Livens` are
    unstable, are safe; vibrations that a step does not resolve get a wrong phase. A step costs four to six times that
    of `lv.Livens()` (four times on long chains, 25 times on beams), and must not turn a body by more than about 0.2
    rad: otherwise the equations of the joints may not converge. It does not take contact, ropes and dry friction.

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
        return (MEMORY + REMAINDERS_OF_BODY) * len(system.bodies.mass) + MULTIPLIERS * len(system.rows.kind)

    def workspace(self, system: System, work: Work) -> Any:
        """Scratch, with the measures and the pattern of Newton's matrix."""
        return conserving_work(system, work)

    def rollout_file(self, jointed: bool) -> str:
        return "energy_momentum"

    def compile_seconds(self, jointed: bool) -> int:
        return 150

    def kernels(self, system: System) -> tuple[Prepare, Rollout]:
        """(prepare, rollout)."""
        return prepare, rollout
