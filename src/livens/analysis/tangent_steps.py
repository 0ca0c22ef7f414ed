"""Steps of `lv.Livens` or `lv.RungeKutta` with small changes: the arrays are made once, the kernels are called here.

With a tolerance, a step is divided into the parts that the run has, and the changes are carried through them: the
lengths of the parts count as constant. They are chosen for the motion, not for its changes: a mechanism that stands in
equilibrium is not divided.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..checks import Array
from ..compile.states import copied
from ..compile.structure import with_members
from ..compile.system import scratch
from ..kernels import status
from ..kernels.arrays import State, Work
from ..kernels.tangent_arrays import StageWork
from ..run.loop import Run
from ..step import tangent as kernel
from ..step import tangent_explicit_run as explicit
from ..step import tangent_sources as sources
from ..step.livens import Livens
from ..step.runge_kutta import divide
from ..step.tangent_work import stage_arrays, tangent_arrays

NONE = np.zeros(0)  # spacings and rates where there are no parameters
PARTS = 64  # of a step, found in one call


class TangentSteps:
    """The steps of a run with `columns` changes, the last ones caused by `parameters`; systems: those of their nodes
    (parameter_nodes.py)."""

    def __init__(self, run: Run, columns: int, parameters: int = 0, systems: Any = None):
        self.run, self.system, self.scheme = run, run.system, run.scheme
        self.columns, self.parameters = columns, parameters
        self.systems = with_members([self.system]) if systems is None else systems
        self.work = scratch(self.system, self.scheme.scratch)
        self.tangent = tangent_arrays(self.system, self.work, columns, parameters)

    def prepare(self, state: State, signals: Array) -> None:
        """Forces and factors at a state."""
        self.run.prepare(self.system, state, self.work, signals, self.run.h)

    def take(
        self,
        state: State,
        tables: Array,
        first: int,
        steps: int,
        every: int,
        out: Array,
        spacing: Array = NONE,
        rate: Array = NONE,
    ) -> tuple[int, int]:
        """Take `steps` steps from step number `first`; the changes go into out (stored, 2, 6n, m) after every
        `every`-th one: (status, steps taken)."""
        if isinstance(self.scheme, Livens):
            code, taken = sources.tangent_rollout(
                self.system, self.systems, tables, spacing, rate, state, self.work, self._other, self.tangent,
                self.run.h, self.scheme.table, np.ones(1), first, steps, every, self.run.record, out,
            )  # fmt: skip
        elif self.scheme.adaptive:
            return self._take_parts(state, tables, first, steps, every, out, spacing, rate)
        else:
            return self._explicit(state, tables, self.run.h, first, steps, every, out, spacing, rate)
        return int(code), int(taken)

    def _explicit(
        self, state: State, tables: Array, h: float, first: int, steps: int, every: int, out: Array, *nodes: Array
    ) -> tuple[int, int]:
        code, taken = explicit.tangent_rollout(
            self.system, self.systems, tables, *nodes, state, self.work, self._other, self.tangent, self._stages, h,
            self.scheme.table, first, steps, every, out,
        )  # fmt: skip
        return int(code), int(taken)

    def _take_parts(
        self, state: State, tables: Array, first: int, steps: int, every: int, out: Array, *nodes: Array
    ) -> tuple[int, int]:
        """`take` with a tolerance."""
        table, h, parts = self.scheme.table, self.run.h, np.zeros(PARTS)
        for n in range(steps):
            ahead, left, code = copied(state), h, status.OK
            while left != 0.0 and code == status.OK:
                code, count, left = divide(
                    self.system, ahead, self._first, h, left, table, tables[-1], parts
                )  # fmt: skip
                for part in parts[:count].tolist():
                    self._explicit(state, tables, part, 0, 1, 2, out, *nodes)
            if code != status.OK:
                return int(code), n
            state.memory[:] = ahead.memory
            if (first + n + 1) % every == 0:
                kernel.store(self.tangent, out[(first + n + 1) // every])
        return status.OK, steps

    @cached_property
    def _first(self) -> Work:
        """Scratch of the steps by which parts are found."""
        return scratch(self.system, self.scheme.scratch)

    @cached_property
    def _other(self) -> Work:
        """Scratch of the nodes of parameters."""
        return scratch(self.system, sources.SCRATCH)

    @cached_property
    def _stages(self) -> StageWork:
        return stage_arrays(self.system, self.scheme.stages, self.columns, self.parameters)
