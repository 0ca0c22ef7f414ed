"""Joints and forces that exist in some phases of a motion only: what is drawn of them, and when."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.model import Model
from ...record.trajectory import Trajectory

ALWAYS = 1e300  # [s], earlier and later than any time of a motion


def lasting(motion: Trajectory) -> Model:
    """The model with the joints and forces that all phases have: for pictures that cannot hide one."""
    if len(motion.phases) == 1:
        return motion.model
    return motion.model.with_things([x for x in motion.model.things if all(_has(p, x.name) for p in motion.phases)])


def passing(motion: Trajectory) -> Model:
    """The model with the joints and forces of all phases, each once."""
    if len(motion.phases) == 1:
        return motion.model
    every = {thing.name: thing for phase in reversed(motion.phases) for thing in phase.model.things}
    return motion.model.with_things(list(every.values()))


def intervals(motion: Trajectory, names: Sequence[str]) -> list[list[tuple[float, float]]]:
    """For each name the times [s] between which there is a thing of this name."""
    phases, ends = motion.phases, [-ALWAYS, *_changes(motion), ALWAYS]
    spans = list(pairwise(ends))
    return [[span for span, phase in zip(spans, phases, strict=True) if _has(phase, name)] for name in names]


def exist(motion: Trajectory, names: Sequence[str], t: Array) -> NDArray[np.bool_]:
    """Which of the joints and forces of these names exist at the times t [s] (times, names)."""
    if len(motion.phases) == 1:
        return np.ones((len(t), len(names)), dtype=bool)
    spans = intervals(motion, names)
    found = [np.logical_or.reduce([(begin <= t) & (t < end) for begin, end in some]) for some in spans]
    return np.array(found, dtype=bool).reshape(len(names), len(t)).T


def _changes(motion: Trajectory) -> list[float]:
    """The times of the events between two phases; that of the first state after it where it is not known."""
    found = []
    for one, two in pairwise(motion.phases):
        begin, end = float(one.t[-1]), float(two.t[0])
        found.append(max((e.t for e in motion.events if e.acted and begin <= e.t <= end), default=end))
    return found


def _has(phase: Trajectory, name: str) -> bool:
    return phase.model.find(name) is not None
