"""Events and phases of a motion in its file.

A motion of several phases has the variables of a motion for each: those of the first under their own names, those of
the second as time_phase2, a_phase2, …, model_phase2. The variable `events` is JSON:

    steps, wanted    of the whole motion
    entries          (t, name, step, acted, energy) of each event that occurred
    sides            side and band of each event function at the end (run/crossings.py)
    phases           the attributes of the second phase and of those after it
    watched          the events themselves, as in scenes; null if one of them is a Python function
"""

from __future__ import annotations

import math
import re
from typing import Any

from ..errors import ModelError
from ..scene.build import Build
from ..scene.events import describe_events, read_events
from .occurrences import Occurrence, Occurrences
from .phases import joined
from .trajectory import Trajectory

PHASE = re.compile(r"(\w+)_phase(\d+)")


def has_events(motion: Trajectory) -> bool:
    """True if the file needs more than one phase without events."""
    return bool(motion.events) or bool(motion.sides) or len(motion.phases) > 1


def in_phase(name: str, k: int) -> str:
    """The name of a variable in phase k, from 2 on."""
    return f"{name}_phase{k}"


def without_phase(name: str) -> str:
    """The name of a variable without its phase.

    >>> without_phase("half_turns_phase12"), without_phase("a")
    ('half_turns', 'a')
    """
    found = PHASE.fullmatch(name)
    return found[1] if found else name


def arrays_of_phase(arrays: dict[str, Any], k: int) -> dict[str, Any]:
    """The variables of phase k, from 2 on, under their own names."""
    return {without_phase(name): x for name, x in arrays.items() if name == in_phase(without_phase(name), k)}


def events_of(motion: Trajectory, phases: list[dict[str, Any]]) -> dict[str, Any]:
    """The variable `events`; phases: the attributes of the second phase and of those after it."""
    return {
        "steps": motion.steps,
        "wanted": motion.wanted,
        "entries": [list(entry[:5]) for entry in motion.events],
        "sides": {name: [_or_none(side), band] for name, (side, band) in motion.sides.items()},
        "phases": phases,
        "watched": _described(motion),
    }


def _described(motion: Trajectory) -> list[dict[str, Any]] | None:
    try:
        return describe_events(motion.watched, motion.model)
    except ModelError:  # a function, which a file cannot contain
        return None


def with_events(phases: list[Trajectory], told: dict[str, Any]) -> Trajectory:
    """The motion of the phases with the events of its file."""
    entries = [
        Occurrence(float(t), str(name), int(step), bool(acted), float(energy))
        for t, name, step, acted, energy in told["entries"]
    ]
    motion = joined(phases, Occurrences(entries))
    motion.sides = {
        str(name): (math.nan if side is None else float(side), float(band))
        for name, (side, band) in told["sides"].items()
    }
    motion.steps, motion.wanted = int(told["steps"]), int(told["wanted"])
    if not 0 <= motion.steps <= motion.wanted:
        raise ValueError("its counts contradict each other")
    if told["watched"]:
        motion.watched = tuple(read_events({"events": told["watched"]}, Build({}, None), phases[-1].model))
    return motion


def _or_none(side: float) -> float | None:
    return None if math.isnan(side) else side
