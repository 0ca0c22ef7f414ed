"""One run of a compiled model: its start is checked, its record allocated, its loop run."""

from __future__ import annotations

import numpy as np

from ..checks import finite
from ..compile.compiled import Compiled
from ..compile.states import copied
from ..describe.pose import rotation_matrix
from ..errors import ModelError
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from .checkpoint import Checkpoints
from .loop import OPEN, Run, keep, room
from .plan import Plan
from .progress import Progress


def follow(
    how: Plan,
    compiled: Compiled,
    start: State | None = None,
    progress: bool | None = False,
    checkpoints: Checkpoints | None = None,
) -> Trajectory:
    """The motion of a compiled model by the plan, from its initial state or from `start` if that is given."""
    scheme, h, steps, every = how
    state = compiled.state if start is None else checked_start(start, compiled.state)
    state = copied(state)
    state = state._replace(memory=np.zeros(scheme.memory(compiled.system)))  # the memory of another run is dropped
    if start is not None:
        compiled.assembly(state).check_closed(OPEN)
    run = Run(compiled, scheme, h, 0.0, every, room(state, steps, every))
    keep(run.record, 0, state)
    run.go(state, 0, steps, Progress(compiled.model.name, steps, progress), checkpoints)
    return run.trajectory(steps)


def checked_start(state: State, model: State) -> State:
    """A state given by a user: arrays of the shapes of the model's state, with finite numbers and rotations."""
    if not isinstance(state, tuple) or len(state) != len(model):
        raise ModelError(f"a start must be a state such as motion.state, not {state!r}.")
    state = state._replace(half_turns=np.nan_to_num(state.half_turns))  # not counted: within half a turn of zero
    fields = zip(state[:-1], model[:-1], State._fields, strict=False)  # the memory is checked by its scheme
    checked = State(*(finite(given, mine.shape, f"{name} of the start") for given, mine, name in fields))
    checked = checked._replace(memory=finite(state.memory, np.shape(state.memory), "memory of the start"))
    for B in checked.B:
        rotation_matrix(B, "a rotation of the start")
    return checked
