"""A state that a user gives: as a start, or from a function of an event."""

from __future__ import annotations

import numpy as np

from ..checks import finite
from ..describe.pose import rotation_matrix
from ..errors import ModelError
from ..kernels.arrays import State


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
