"""A segment of a run with its exact derivative, in joint coordinates.

A segment is some steps of `lv.Livens` or `lv.RungeKutta` with inputs u (efforts of motors, loads) that are added to the
signals and held. It maps the joint coordinates and rates x = (q, v) at its start to those at its end,

    x₁ = F(x₀, u),        δx₁ = A δx₀ + B δu,                                                                      (1)

with A and B as the steps have them (step/tangent.py, step/tangent_explicit.py): the columns of A are unit changes of
x₀, those of B sources of the force that an input exerts (step/tangent_sources.py, step/tangent_explicit_sources.py).
Rotations change by small angles about the axes of the first body. All arrays are made once; a call costs a fraction of
a millisecond and the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..checks import Array
from ..compile.states import copied, empty_record
from ..compile.structure import with_members
from ..compile.system import scratch
from ..errors import LivensError
from ..kernels import status
from ..kernels.arrays import State
from ..run.loop import Run, with_memory
from ..step import tangent as kernel
from ..step import tangent_sources as sources
from ..step.livens import Livens
from ..step.runge_kutta import RungeKutta
from .joint_space import JointSpace
from .tangent_readings import coordinate_changes
from .tangent_run import joint_columns, keeping_rates
from .tangent_steps import TangentSteps


class Mapped(NamedTuple):
    """The end of a segment, and (1)."""

    state: State
    A: Array  # (2m, 2m)
    B: Array  # (2m, inputs)


class Segment:
    """The map (1) of `steps` steps; columns: those of the inputs in the table of signals."""

    def __init__(
        self, space: JointSpace, scheme: Livens | RungeKutta, h: float, steps: int, columns: Sequence[int] = ()
    ):
        self.space, self.scheme, self.h, self.steps, self.columns = space, scheme, h, steps, tuple(columns)
        compiled, k = space.compiled, len(self.columns)
        self.system = compiled.system
        record = empty_record(with_memory(compiled.state, scheme.memory(self.system)), 1)
        self.run = Run(compiled, scheme, h, 0.0, steps, record)
        self.first, (self.prepare, _) = scratch(self.system, 0), Livens().kernels(self.system)  # they factor S
        systems = with_members([self.system] * max(1, sources.NODES * k))
        self.taken = TangentSteps(self.run, 2 * len(space.names) + k, k, systems)
        self.tangent = self.taken.tangent
        self.out = np.zeros((2, 2, *self.tangent.dq.shape))

    def __call__(self, start: State, t: float = 0.0, inputs: Array | None = None) -> Mapped:
        """The end and the derivative of the segment that begins at a state and at time t [s]."""
        state = with_memory(copied(start), self.scheme.memory(self.system))
        self.run.t0 = t
        table = self.run.signals(0, self.steps).copy()
        if inputs is not None:
            table[:, list(self.columns)] += inputs
        self.taken.prepare(state, table[:1])
        self._begin(state, table[:1])
        spacing = np.full(len(self.columns), float(np.abs(self.first.f).max(initial=0.0)) or 1.0)
        tables, rate = self._tables(table, spacing), np.zeros(len(self.columns))
        code, _ = self.taken.take(state, tables, 0, self.steps, self.steps, self.out, spacing, rate)
        if code != status.OK:
            raise LivensError(f"the segment that begins at t = {t:.6g} s could not be computed: try a smaller h.")
        return Mapped(state, *self._read(state))

    def _begin(self, state: State, signals: Array) -> None:
        """Unit changes of the joint coordinates and rates; those of the inputs begin at zero."""
        tangent, m = self.tangent, 2 * len(self.space.names)
        begin = joint_columns(self.space, state)
        self.prepare(self.system, copied(state), self.first, signals, self.h)
        tangent.dq[:], tangent.dp[:] = 0.0, 0.0
        for mine, x in ((tangent.dq, begin.dq), (tangent.dp, begin.dp)):
            mine[:, :m] = x.reshape(len(mine), m)
        kernel.project_start(self.system, state, self.first, tangent, signals)
        dq, dp = (x[:, :m].reshape(len(state.a), 6, m).copy() for x in (tangent.dq, tangent.dp))
        tangent.dp[:, :m] = keeping_rates(self.space, state, dq, dp).reshape(-1, m)
        kernel.project_start(self.system, state, self.first, tangent, signals)

    def _tables(self, table: Array, spacing: Array) -> Array:
        """The signals of the nodes of all inputs, and those of the run at the end."""
        tables = np.repeat(table[None], sources.NODES * len(self.columns) + 1, axis=0)
        for k, (column, d) in enumerate(zip(self.columns, spacing.tolist(), strict=True)):
            for n, c in enumerate(sources.NODE_STEPS):
                tables[sources.NODES * k + n, :, column] += c * d
        return tables

    def _read(self, state: State) -> tuple[Array, Array]:
        space, m = self.space.space, 2 * len(self.space.names)
        dq, dp = self.out[1].reshape(2, len(state.a), 6, -1)
        changes = coordinate_changes(space, state, dq, dp)
        both = np.concatenate([x[space.independent] for x in changes])
        return both[:, :m], both[:, m:]
