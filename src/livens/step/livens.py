"""The Livens scheme: kick, drift, kick, and its symmetric compositions of order 4 and 6.

Varying position, velocity and momentum independently in the discrete action gives, on one step of length h,

    p⁺ = p₀ + h/2 f(q₀)      L⁺ = L₀ + h/2 τ(q₀)                  kick
    q₁, L⁻ from q₀, p⁺, L⁺                                        drift: kernels/spin.py
    p₁ = p⁺ + h/2 f(q₁)      L₁ = L⁻ + h/2 τ(q₁)                  kick

It is symmetric and symplectic of order 2; forces are explicit, so the cost is proportional to the number of bodies.
Because it is symmetric, steps of lengths w₁h, w₂h, …, w₁h (some of them negative) compose to order 4 and 6; the weights
were chosen by measured work and precision (benchmarks/compositions.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._jit import inline, njit
from ..checks import Array
from ..errors import ModelError
from ..kernels.arrays import POWER_OF_ENERGIES, POWER_OF_FORCES, System, Work
from ..kernels.compensated import REMAINDERS, compensated_drift, store_remainders
from ..kernels.contact.arrays import HEAD, RECORD, has_friction
from ..kernels.force_tapes import PASSES, velocity_force_pass
from ..kernels.forces import free_forces, time_of
from ..kernels.potential import add_work, load_power
from ..kernels.record import store_state
from ..kernels.spin import drift, kick
from ..kernels.status import AGAIN, OK
from . import contact, rattle
from .scheme import Prepare, Rollout, phase_per_step
from .start_forces import start_forces


def _palindrome(*half: float) -> Array:
    """The symmetric weights that begin with `half` and sum to one."""
    middle = 1.0 - 2.0 * sum(half)
    return np.array([*half, middle, *reversed(half)])


_S = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
WEIGHTS = {
    2: np.array([1.0]),
    4: _palindrome(_S, _S),  # Suzuki 1990
    6: _palindrome(  # Sofroniou & Spaletta 2005, thirteen stages
        0.13861930854051695245808013042625,
        0.13346562851074760407046858832209,
        0.13070531011449225190542755785015,
        0.12961893756907034772505366537091,
        -0.35000324893920896516170830911323,
        0.11805530653002387170273438954049,
    ),
}


@inline
def stage(system, state, work, h, signals, row):
    """One step of order 2; `work` holds the forces at its start and, afterwards, at its end."""
    kick(0.5 * h, work.f, work.tau, state.p, state.L)
    a, B, p, L = state.a, state.B, state.p, state.L
    if state.memory.shape[0] > 0:
        status = compensated_drift(
            system.bodies, h, a, B, p, L, state.memory, work.cayley, a, B, L, work.trial, work.fault
        )
        store_remainders(work.trial, state.memory)
    else:
        status = drift(system.bodies, h, a, B, p, L, a, B, L, work.fault)
    free_forces(system, state.a, state.B, state.p, state.L, signals, row, work, work.f, work.tau)
    if system.formulas.forces > 0 and status == OK:
        t = time_of(system, signals, row)
        status = last_kick(h, system.formulas, system.bodies, state.a, state.B, t, state.p, state.L, work)
    else:
        kick(0.5 * h, work.f, work.tau, state.p, state.L)
    if system.loads.body.shape[0] + system.formulas.forces > 0 or system.formulas.clock >= 0:
        P = load_power(system.bodies, system.loads, state.B, state.p, state.L, signals, row)
        add_work(h, P + work.power[POWER_OF_ENERGIES] + work.power[POWER_OF_FORCES], work.power, state.account)
    return status


@inline
def last_kick(h, formulas, bodies, a, B, t, p, L, work):
    """The last kick with user-written forces, by (2) of force_tapes.py."""
    status, change = AGAIN, 0.0
    for i in range(PASSES + 1):
        status, change = velocity_force_pass(
            i, change, h, formulas, bodies, a, B, t, p, L, work.f, work.tau, work.held, work.registers, work.power,
            work.fault,
        )  # fmt: skip
        if status != AGAIN:
            break
        kick(0.5 * h, work.f, work.tau, p, L)
    return status


@njit
def prepare(system, state, work, signals, h):
    """Forces at the start of a run, which `rollout` needs in `work`."""
    start_forces(system, state, signals, work)


@njit
def take_steps(system, state, work, h, weights, signals, steps, end):
    """The last `steps` steps before step `end` of a chunk: (status, the step reached)."""
    stages = len(weights)
    varies = 1 if signals.shape[0] > 1 else 0
    for n in range(end - steps, end):
        for i in range(stages):
            status = stage(system, state, work, h * weights[i], signals, varies * (n * stages + i + 1))
            if status != OK:
                return status, n
    return OK, end


@njit
def rollout(system, state, work, h, weights, signals, first, steps, every, record):
    """Take `steps` steps from step number `first`, copying every `every`-th state into `record`: (status, steps taken).

    signals: numbers that depend on time, at the start and after each stage (1 + steps·stages, columns), or one row if
    all are constant.
    """
    n = 0
    while n < steps:
        end = min(steps, n + every - (first + n) % every)
        status, n = take_steps(system, state, work, h, weights, signals, end - n, end)
        if status != OK:
            return status, n
        if (first + n) % every == 0:
            store_state(record, (first + n) // every, state)
    return OK, steps


@dataclass(frozen=True)
class Livens:
    """The variational scheme of this package, of order 2, 4 or 6.

    Order 2 costs one force evaluation and one drift per step, order 4 five, order 6 thirteen; at small errors the
    higher orders are far cheaper. All are symmetric and symplectic and conserve momentum exactly.

    compensated: positions, rotations and spins are summed by Kahan's method, with remainders in the state,
    for runs of 10⁸ steps and more (docs/endurance.md). A step of a free body takes a third longer.

    >>> Livens(order=4).stages
    5
    """

    order: int = 2
    compensated: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.order, int) or self.order not in WEIGHTS:
            raise ModelError(f"the Livens scheme has order 2, 4 or 6, not {self.order!r}.")
        if not isinstance(self.compensated, bool):
            raise ModelError(f"sums are compensated=True or False, not {self.compensated!r}.")

    def __repr__(self) -> str:
        return f"Livens(order={self.order}{', compensated=True' if self.compensated else ''})"

    @property
    def weights(self) -> Array:
        """Lengths of the stages as fractions of h."""
        return WEIGHTS[self.order]

    orders: ClassVar[tuple[int, ...]] = tuple(WEIGHTS)
    variational: ClassVar[bool] = True
    conserves_energy: ClassVar[bool] = True
    exact_energy: ClassVar[bool] = False
    carries: ClassVar[str] = "remainders"
    turn_limit: ClassVar[float] = 1.0
    adaptive = False

    @property
    def stages(self) -> int:
        """Evaluations of the forces per step."""
        return len(self.weights)

    @property
    def longest_stage(self) -> float:
        """The longest stage as a fraction of h."""
        return float(np.abs(self.weights).max())

    @property
    def phase_per_step(self) -> float:
        return phase_per_step(self.order)

    @property
    def table(self) -> Array:
        """The coefficients of the kernel: the weights."""
        return self.weights

    @property
    def scratch(self) -> int:
        """Vectors per body: the new remainders."""
        return REMAINDERS if self.compensated else 0

    def memory(self, system: System) -> int:
        """Three numbers for each remainder of each body, or the contact points of the last step."""
        if system.contacts.capacity:
            return HEAD + RECORD * system.contacts.capacity
        return 3 * self.scratch * len(system.bodies.mass)

    def workspace(self, system: System, work: Work) -> Work:
        return work

    def rollout_file(self, jointed: bool) -> str:
        return "rattle" if jointed else "livens"

    def compile_seconds(self, jointed: bool) -> int:
        return 60 if jointed else 15

    def kernels(self, system: System) -> tuple[Prepare, Rollout]:
        """(prepare, rollout) for a system with contact, with joints or without."""
        if system.contacts.capacity:
            self.refuse_contact(system)
            return contact.prepare, contact.rollout
        return (rattle.prepare, rattle.rollout) if len(system.rows.kind) else (prepare, rollout)

    def refuse_contact(self, system: System) -> None:
        """Raise a ModelError if the scheme does not take the contacts of a system."""
        if self.compensated:
            raise ModelError(f"{self!r} does not take contact: use lv.Livens(order=2).")
        if self.order != 2 and has_friction(system.contacts):
            raise ModelError(
                f"order {self.order} takes some steps backwards in time, where friction would feed energy in: "
                "use lv.Livens(order=2), or contacts without friction."
            )
