"""Parts of a step: the step map of a scheme over any part of h, from one state.

A partial step from q(t) of length θ h is a step of the scheme with that length, so a root in θ is a root of the
scheme's own motion, not of an interpolation; compositions with negative stages are scaled as a whole.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.signals import Signals
from ..compile.states import as_record, copied
from ..kernels import status
from ..kernels.arrays import State
from ..kernels.contact.arrays import LOG_TIME
from ..step import Scheme
from .loop import scratch_of, taken_log


class PartialSteps:
    """Steps of any length from any state of a compiled model."""

    def __init__(self, compiled: Compiled, scheme: Scheme, table: Signals):
        """table: the signals of the run, with the efforts that controllers hold."""
        self.system, self.scheme, self.table = compiled.system, scheme, table
        self.prepare, self.rollout = scheme.kernels(compiled.system)
        self.work, self.touch, self.everything = scratch_of(compiled.system, scheme, table.width)
        self.log = taken_log(self.touch)  # impacts of the last part, with their times
        self.within = np.cumsum(scheme.weights)
        self.within[-1] = 1.0

    def signals(self, t: float, length: float) -> Array:
        """All functions of time at the start of a step of this length at t, and after each of its stages."""
        times = np.array([t]) if not self.table.varies else t + length * np.concatenate([[0.0], self.within])
        return np.ascontiguousarray(self.table.table(times))

    def after(self, state: State, t: float, length: float) -> tuple[State, int, int]:
        """The state one step of this length after `state`, the status of the step, and the row or body it names."""
        end, self.log = copied(state), self.log[:0]
        if length == 0.0:
            return end, status.OK, 0
        signals = self.signals(t, length)
        self.prepare(self.system, end, self.everything, signals, length)
        code, _ = self.rollout(
            self.system, end, self.everything, length, self.scheme.table, signals, 0, 1, 2, as_record(end)
        )  # nothing is stored
        self.log = taken_log(self.touch)
        self.log[:, LOG_TIME] += t
        self.work.tally[:] = 0
        return end, code, int(self.work.fault[0])
