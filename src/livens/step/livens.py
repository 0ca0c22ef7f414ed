"""The Livens scheme: kick, drift, kick, and its symmetric compositions of order 4 and 6.

Varying position, velocity and momentum independently in the discrete action gives, on one step of length h,

    p⁺ = p₀ + h/2 f(q₀)      L⁺ = L₀ + h/2 τ(q₀)                  kick
    q₁, L⁻ from q₀, p⁺, L⁺                                        drift: kernels/spin.py
    p₁ = p⁺ + h/2 f(q₁)      L₁ = L⁻ + h/2 τ(q₁)                  kick

It is symmetric and symplectic of order 2; forces are explicit, so N bodies cost N times one. Because it is
symmetric, steps of lengths w₁h, w₂h, …, w₁h (some of them negative) compose to order 4 and 6; the sets of weights
were chosen by measured work–precision (benchmarks/compositions.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._jit import inline, njit
from ..checks import Array
from ..errors import ModelError
from ..kernels.arrays import System
from ..kernels.compensated import REMAINDERS, careful_drift, remember
from ..kernels.force_tapes import PASSES, respond
from ..kernels.forces import free_forces, start_forces, time_of
from ..kernels.potential import earn, load_power
from ..kernels.record import keep
from ..kernels.spin import drift, kick
from ..kernels.status import AGAIN, OK
from . import rattle


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
        status = careful_drift(system.bodies, h, a, B, p, L, state.memory, a, B, L, work.trial, work.fault)
        remember(work.trial, state.memory)
    else:
        status = drift(system.bodies, h, a, B, p, L, a, B, L, work.fault)
    free_forces(system, state.a, state.B, state.p, state.L, signals, row, work, work.f, work.tau)
    if system.formulas.pushes > 0 and status == OK:
        t = time_of(system, signals, row)
        status = settle(h, system.formulas, system.bodies, state.a, state.B, t, state.p, state.L, work)
    else:
        kick(0.5 * h, work.f, work.tau, state.p, state.L)
    if system.loads.body.shape[0] + system.formulas.pushes > 0 or system.formulas.clock >= 0:
        P = load_power(system.bodies, system.loads, state.B, state.p, state.L, signals, row)
        earn(h, P + work.power[1] + work.power[2], work.power, state.account)
    return status


@inline
def settle(h, formulas, bodies, a, B, t, p, L, work):
    """The last kick with user-written forces, by (2) of force_tapes.py."""
    status, change = AGAIN, 0.0
    for i in range(PASSES + 1):
        status, change = respond(
            i, change, h, formulas, bodies, a, B, t, p, L, work.f, work.tau, work.held, work.registers, work.power,
            work.fault,
        )  # fmt: skip
        if status != AGAIN:
            break
        kick(0.5 * h, work.f, work.tau, p, L)
    return status


def prepare(system, state, work, signals, h):
    """Forces at the start of a run, which `rollout` expects in `work`; in Python, kernel by kernel, as in rattle.py."""
    start_forces(system, state, signals, work)


@njit
def march(system, state, work, h, weights, signals, steps, end):
    """So many steps of a chunk before step `end`: (status, the step reached)."""
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

    signals: what varies with time, at the start and after each stage (1 + steps·stages, columns), or one row for all.
    """
    n = 0
    while n < steps:
        end = min(steps, n + every - (first + n) % every)
        status, n = march(system, state, work, h, weights, signals, end - n, end)
        if status != OK:
            return status, n
        if (first + n) % every == 0:
            keep(record, (first + n) // every, state)
    return OK, steps


@dataclass(frozen=True)
class Livens:
    """The variational scheme of this package, of order 2, 4 or 6.

    Order 2 costs one force evaluation and one drift per step, order 4 five, order 6 thirteen; at small errors the
    higher orders are far cheaper. All are symmetric and symplectic and keep momentum exactly.

    compensated: positions, rotations and spins are summed by Kahan's method, with remainders that go along in the
    state, for runs of 10⁸ steps and more (docs/endurance.md). It adds a third to a free body's step.

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

    variational = True
    carries = "remainders"
    limit = "one radian is about the limit"  # of how far a body may turn in a stage

    @property
    def stages(self) -> int:
        """Force evaluations per step."""
        return len(self.weights)

    @property
    def longest(self) -> float:
        """The longest stage, as a part of h."""
        return float(np.abs(self.weights).max())

    @property
    def table(self) -> Array:
        """What the kernel is told: the weights."""
        return self.weights

    @property
    def trials(self) -> int:
        """Scratch for the kernel, in vectors per body: new remainders."""
        return REMAINDERS if self.compensated else 0

    def memory(self, system: System) -> int:
        """How many numbers are carried from step to step besides positions and momenta: remainders."""
        return 3 * self.trials * len(system.bodies.mass)

    def kernel(self, jointed: bool) -> str:
        """The file of its rollout."""
        return "rattle" if jointed else "livens"

    def kernels(self, system: System) -> tuple[Any, Any]:
        """(prepare, rollout): how this scheme starts and runs `system`, with joints or without."""
        return (rattle.prepare, rattle.rollout) if len(system.rows.kind) else (prepare, rollout)
