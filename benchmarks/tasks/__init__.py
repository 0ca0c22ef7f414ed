"""The problems of the comparison: mechanisms, durations and probes.

Each family is one small file of data: free.py, chains.py, loops.py, nets.py, general.py. `tasks()` lists all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .mechanism import Mechanism, States, Vector, drift, points

if TYPE_CHECKING:
    from .general import General


@dataclass(frozen=True)
class Task:
    """A mechanism, its duration, the probes whose final positions are compared, and the steps."""

    key: str  # name of its files
    title: str
    build: Callable[[], Mechanism]
    until: float  # [s]
    probes: Sequence[tuple[int, Vector]]  # (body, position from its centre of mass in principal axes [m])
    size: float  # errors are relative to this [m]
    coarse: int  # the smallest number of steps

    @cached_property
    def mechanism(self) -> Mechanism:
        return self.build()

    def steps(self, rung: int) -> int:
        """Number of steps of a refinement: √2 times that of the one before."""
        return round(self.coarse * 2 ** (rung / 2))

    def read(self, end: States) -> np.ndarray:
        """Final positions of the probes, for comparison with the reference (probes, 3)."""
        return points(end, self.probes)

    def drift(self, states: States) -> float:
        return drift(self.mechanism, states)


def tasks() -> list[Task | General]:
    """All problems, in the order of the tables."""
    from . import chains, free, general, loops, nets

    return [*free.TASKS, *chains.TASKS, *loops.TASKS, *nets.TASKS, *general.TASKS]


def find(key: str) -> Task | General:
    """The problem of that name."""
    return next(task for task in tasks() if task.key == key)
