"""One run of a compiled model: its start is checked, its record allocated, its loop run."""

from __future__ import annotations

import numpy as np

from ..compile.compiled import Compiled
from ..compile.states import copied
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from .checkpoint import Checkpoints
from .given_state import checked_start
from .loop import OPEN, Run, keep, room
from .plan import Plan
from .progress import Progress


def follow(
    how: Plan,
    compiled: Compiled,
    start: State | None = None,
    progress: bool | None = False,
    checkpoints: Checkpoints | None = None,
    t0: float = 0.0,
) -> Trajectory:
    """The motion of a compiled model by the plan, from its initial state or from `start` if that is given."""
    scheme, h, steps, every = how
    state = begin_state(how, compiled, start, t0)
    run = Run(compiled, scheme, h, t0, every, room(state, steps, every))
    keep(run.record, 0, state)
    run.go(state, 0, steps, Progress(compiled.model.name, steps, progress), checkpoints)
    return run.trajectory(steps)


def begin_state(how: Plan, compiled: Compiled, start: State | None, t0: float) -> State:
    """The state at the time t0 from which a run begins."""
    state = copied(compiled.state if start is None else checked_start(start, compiled.state))
    state = state._replace(memory=np.zeros(how.scheme.memory(compiled.system)))  # that of another run is dropped
    if start is not None or t0 != 0.0:
        compiled.assembly(state, t0).check_closed(OPEN)
    return state
