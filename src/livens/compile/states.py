"""States and records. A record is a State whose arrays have one more axis in front, the number of the stored state."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.arrays import State


def copied(state: State) -> State:
    """A copy of all arrays of a state, or of a record."""
    return State(*[x.copy() for x in state])


def as_record(state: State) -> State:
    """The record that holds `state` alone; its arrays are views of those of the state."""
    return State(*(x[None] for x in state))


def repeated(state: State, count: int) -> State:
    """The record that holds `state` `count` times."""
    return State(*(np.repeat(x[None], count, axis=0) for x in state))


def empty_record(state: State, count: int) -> State:
    """A record for `count` states of the shape of `state`, filled with zeros."""
    return State(*(np.zeros((count, *x.shape)) for x in state))


def selected(record: State, k: Any) -> State:
    """State number k of a record; the record of several states if k is a slice or an array of numbers."""
    return State(*(x[k] for x in record))
