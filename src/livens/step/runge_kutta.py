"""Explicit Runge–Kutta schemes for rigid bodies with joints, for short and accurate runs.

They conserve nothing exactly, so that the energy drifts in long runs; for short runs of a given error they are the
cheapest. The step is in explicit.py; with contact it is cut at impacts (impact_flight.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from .._jit import inline, njit
from ..checks import Array
from ..errors import ModelError
from ..kernels.arrays import DISSIPATED, WORK, System, Work
from ..kernels.contact.arrays import HEAD
from ..kernels.record import store_state
from ..kernels.status import OK, TOLERANCE
from ..kernels.turns import count_half_turns, face_dials
from . import impact_flight
from .explicit import EACH, NUMBERS, SLOPES, step
from .scheme import Prepare, Rollout, phase_per_step
from .step_control import (
    ANGLES,
    PART,
    SHORTEST,
    embedded_error,
    extent_and_speed,
    keep_angles,
    length_of_part,
    next_factor,
    restore,
)
from .tableaus import CLASSIC, DOP853, FIFTH, THIRD


def prepare(system, state, work, signals, h):
    """Nothing: a step begins from its state alone."""


@inline
def take_part(system, state, work, h, left, table, signals, before, varies):
    """A part of a step of length h of which `left` is not covered yet: its status, its length, or 0 if it does not
    satisfy the tolerance and the state is that before it, and what is left then."""
    stages = int(table[0])
    limit = 1 + (stages + 1) * stages + stages
    part = length_of_part(h, left, state.memory)
    taken, status = 0.0, TOLERANCE
    if abs(part) >= SHORTEST * abs(h):
        done, lost = state.account[WORK], state.account[DISSIPATED]
        keep_angles(state.angle, state.memory)
        status = step(system, state, work, part, table, signals, before, varies)
        scales = extent_and_speed(system.bodies, part, state.a, state.p, state.L, work.f)
        error = embedded_error(
            system.bodies, part, table[limit + 1 : limit + 1 + 2 * stages], stages, SLOPES, EACH, NUMBERS, state.B,
            scales, work.trial,
        )  # fmt: skip
        error = error if status == OK else math.nan
        status = OK
        if error <= table[limit]:
            count_half_turns(system.dials, part, state.B, state.L, state.half_turns, work.facing)
            taken, left = part, left - part if part != left else 0.0
        else:
            restore(
                system.bodies, work.trial, work.trial[NUMBERS], state.a, state.B, state.p, state.L, state.angle,
                state.memory, state.account, done, lost,
            )  # fmt: skip
        if left != 0.0 or abs(part) >= abs(state.memory[PART]) or not error <= table[limit]:
            state.memory[PART] = abs(part) * next_factor(error, table[limit])
    return status, taken, left


@inline
def covered(system, state, work, h, table, signals, before, varies):
    """One step of length h, in one part or, with a tolerance, in parts that satisfy it (step_control.py)."""
    if state.memory.shape[0] == 0:
        status = step(system, state, work, h, table, signals, before, varies)
    else:
        left, status = h, OK
        while left != 0.0 and status == OK:
            status, _, left = take_part(system, state, work, h, left, table, signals, before, varies)
    return status


@njit
def divide(system, state, work, h, left, table, signals, parts):
    """The parts of a step of length h of which `left` is not covered yet, as the rollout takes them, as many as fit
    into `parts`: (status, their number, what is left)."""
    count, status = 0, OK
    while left != 0.0 and count < parts.shape[0] and status == OK:
        status, part, left = take_part(system, state, work, h, left, table, signals, 0, 0)
        if part != 0.0:
            parts[count] = part
            count += 1
    return status, count, left


@njit
def rollout(system, state, work, h, table, signals, first, steps, every, record):
    """As in livens.py, with table = (stages, A by rows and the weights, the row of signals of each stage, tolerance,
    the estimates of the error, number of rows of signals)."""
    varies = 1 if signals.shape[0] > 1 else 0
    nodes = int(table[table.shape[0] - 1])
    face_dials(system.dials, state.B, state.L, state.half_turns, work.facing)
    for n in range(steps):
        status = covered(system, state, work, h, table, signals, varies * n * nodes, varies)
        if status != OK:
            return status, n
        if state.memory.shape[0] == 0:
            count_half_turns(system.dials, h, state.B, state.L, state.half_turns, work.facing)
        if (first + n + 1) % every == 0:
            store_state(record, (first + n + 1) // every, state)
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
    """The times of the stages as fractions of h, each once, with 0 and 1."""
    return np.unique(np.append(tableau(order)[:-1].sum(axis=1).round(14), (0.0, 1.0)))


@cache
def table(order: int, tolerance: float) -> Array:
    """(stages, A and the weights, the index of the time of each stage, tolerance, estimates, the number of times)."""
    A, times = tableau(order), nodes(order)
    looks = np.searchsorted(times, A[:-1].sum(axis=1) - 1e-9)
    estimates = np.zeros((2, A.shape[1]))
    if tolerance > 0.0:
        for row, formula in zip(estimates, (FIFTH, THIRD), strict=True):
            row[list(formula)] = list(formula.values())
    return np.concatenate([[A.shape[1]], A.ravel(), looks, [tolerance], estimates.ravel(), [len(times) - 1]])


@dataclass(frozen=True, repr=False)
class RungeKutta:
    """Explicit Runge–Kutta of order 4 (the classical one) or 8 (Dormand & Prince), on rotations (Munthe-Kaas), with
    joints satisfied by projection. For short, accurate runs, also with dampers and prescribed motions, and for
    reference solutions: it conserves neither energy nor momenta exactly, and in long runs they drift.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bar = m.add(lv.Body(lv.ThinRod(1.0, mass=2.0), at=(0.5, 0, 0), name="bar"))
    >>> pin = m.add(lv.Spherical(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), name="pin"))
    >>> motion = lv.simulate(m, lv.RungeKutta(), h=0.05, until=2.0)
    >>> bool(abs(motion.energy - motion.energy[0]).max() < 1e-6)
    True

    With `tolerance`, the largest error of a step relative to the extent and the speed of the system, a step of length h
    is divided where this is needed: h is then the time between two states of the motion, and may be long. Order 8, and
    models without functions of time.

    >>> motion = lv.simulate(m, lv.RungeKutta(tolerance=1e-10), h=0.5, until=2.0)
    >>> bool(abs(motion.energy - motion.energy[0]).max() < 1e-6)
    True
    """

    order: int = 8
    tolerance: float = 0.0

    orders: ClassVar[tuple[int, ...]] = (4, 8)
    variational: ClassVar[bool] = False
    conserves_energy: ClassVar[bool] = True
    exact_energy: ClassVar[bool] = False
    carries: ClassVar[str] = "lengths of steps"
    turn_limit: ClassVar[float] = math.pi
    longest_stage = 1.0

    @property
    def adaptive(self) -> bool:
        return self.tolerance > 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.order, int) or self.order not in self.orders:
            raise ModelError(f"Runge–Kutta schemes have order 4 or 8, not {self.order!r}.")
        if not isinstance(self.tolerance, (int, float)) or not 0.0 <= self.tolerance < 1.0:
            raise ModelError(f"the tolerance of a Runge–Kutta scheme is a number from 0 to 1, not {self.tolerance!r}.")
        if self.tolerance > 0.0 and self.order != 8:
            raise ModelError("a Runge–Kutta scheme with a tolerance has order 8: lv.RungeKutta(tolerance=1e-9).")

    def __repr__(self) -> str:
        return f"RungeKutta(order={self.order}{f', tolerance={self.tolerance:g}' if self.adaptive else ''})"

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
        """The times of the stages as fractions of h, each once, with 0 and 1."""
        return nodes(self.order)

    @property
    def weights(self) -> Array:
        """Differences of these times."""
        return np.diff(self.nodes)

    @property
    def phase_per_step(self) -> float:
        return phase_per_step(self.order)

    @property
    def table(self) -> Array:
        """The coefficients of the kernel."""
        return table(self.order, float(self.tolerance))

    @property
    def scratch(self) -> int:
        """Vectors per body: the start of the step and the slopes of its stages."""
        return SLOPES + EACH * self.stages

    def memory(self, system: System) -> int:
        """With contact, sums of losses; with a tolerance, the length of the next part of a step, and room for the joint
        coordinates; otherwise nothing."""
        if system.contacts.capacity:
            return HEAD
        return ANGLES + len(system.coordinates.kind) if self.adaptive else 0

    def workspace(self, system: System, work: Work) -> Work:
        return work

    def rollout_file(self, jointed: bool) -> str:
        return "runge_kutta"

    def compile_seconds(self, jointed: bool) -> int:
        return 60

    def kernels(self, system: System) -> tuple[Prepare, Rollout]:
        """(prepare, rollout) for a system with contact, or without."""
        if system.contacts.capacity:
            if self.adaptive:
                raise ModelError(f"{self!r} does not take contact: leave out the tolerance.")
            return impact_flight.prepare, impact_flight.rollout
        return prepare, rollout
