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

from .._jit import njit
from ..checks import Array
from ..errors import ModelError
from ..kernels.arrays import System
from ..kernels.contact.arrays import HEAD
from ..kernels.record import store_state
from ..kernels.status import OK
from ..kernels.turns import count_half_turns, face_dials
from . import impact_flight
from .explicit import EACH, SLOPES, step
from .scheme import Prepare, Rollout, phase_per_step
from .tableaus import CLASSIC, DOP853


def prepare(system, state, work, signals, h):
    """Nothing: a step begins from its state alone."""


@njit
def rollout(system, state, work, h, table, signals, first, steps, every, record):
    """As in livens.py, with table = (stages, A by rows and the weights, the row of signals of each stage)."""
    varies = 1 if signals.shape[0] > 1 else 0
    nodes = int(table[table.shape[0] - 1])
    face_dials(system.dials, state.B, state.L, state.half_turns, work.facing)
    for n in range(steps):
        status = step(system, state, work, h, table, signals, varies * n * nodes, varies)
        if status != OK:
            return status, n
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
def table(order: int) -> Array:
    """(stages, A and the weights, the index of the time of each stage, the number of times)."""
    A, times = tableau(order), nodes(order)
    looks = np.searchsorted(times, A[:-1].sum(axis=1) - 1e-9)
    return np.concatenate([[A.shape[1]], A.ravel(), looks, [len(times) - 1]])


@dataclass(frozen=True)
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
    """

    order: int = 8

    orders: ClassVar[tuple[int, ...]] = (4, 8)
    variational: ClassVar[bool] = False
    conserves_energy: ClassVar[bool] = True
    carries: ClassVar[str] = "nothing"
    turn_limit: ClassVar[float] = math.pi
    longest_stage = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.order, int) or self.order not in self.orders:
            raise ModelError(f"Runge–Kutta schemes have order 4 or 8, not {self.order!r}.")

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
        return table(self.order)

    @property
    def scratch(self) -> int:
        """Vectors per body: the start of the step and the slopes of its stages."""
        return SLOPES + EACH * self.stages

    def memory(self, system: System) -> int:
        """Nothing but positions and momenta is carried from step to step; with contact, sums of losses."""
        return HEAD if system.contacts.capacity else 0

    def rollout_file(self, jointed: bool) -> str:
        return "runge_kutta"

    def compile_seconds(self, jointed: bool) -> int:
        return 60

    def kernels(self, system: System) -> tuple[Prepare, Rollout]:
        """(prepare, rollout) for a system with contact, or without."""
        if system.contacts.capacity:
            return impact_flight.prepare, impact_flight.rollout
        return prepare, rollout
