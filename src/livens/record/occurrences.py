"""The events of a motion: when each occurred, in which step, and what it changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from ..checks import Array

if TYPE_CHECKING:
    from .trajectory import Trajectory


class Occurrence(NamedTuple):
    """One event that occurred. `before` and `after` are motions of one state, the last before the action and the first
    after it; None if the motion was read from a file."""

    t: float  # [s]
    name: str
    step: int  # the number of the step in which it occurred, from 1
    acted: bool  # an action changed the mechanism or its state
    energy: float  # change of kinetic plus potential energy by the action [J]
    before: Trajectory | None = None
    after: Trajectory | None = None


class Occurrences(Sequence[Occurrence]):
    """The events of a motion in the order in which they occurred: `motion.events`.

    >>> table = Occurrences([Occurrence(0.5, "ground", 5, True, -2.0)])
    >>> table.t.tolist(), table.names, len(table), table[0].step
    ([0.5], ('ground',), 1, 5)
    """

    def __init__(self, entries: Sequence[Occurrence] = ()):
        self.entries = tuple(entries)

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, k: int) -> Occurrence: ...
    @overload
    def __getitem__(self, k: slice) -> Occurrences: ...
    def __getitem__(self, k: int | slice) -> Occurrence | Occurrences:
        return Occurrences(self.entries[k]) if isinstance(k, slice) else self.entries[k]

    def __iter__(self) -> Iterator[Occurrence]:
        return iter(self.entries)

    @property
    def t(self) -> Array:
        """Their times [s] (n,)."""
        return np.array([entry.t for entry in self.entries], dtype=np.float64)

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(entry.name for entry in self.entries)

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of the steps in which they occurred, from 1."""
        return tuple(entry.step for entry in self.entries)

    def of(self, name: str) -> Occurrences:
        """Those of one event."""
        return Occurrences([entry for entry in self.entries if entry.name == name])

    @property
    def acting(self) -> tuple[str, ...]:
        """The names of those that changed something, each once."""
        return tuple(dict.fromkeys(entry.name for entry in self.entries if entry.acted))

    def __repr__(self) -> str:
        if not self.entries:
            return "no events"
        wide = max(len("event"), *(len(name) for name in self.names))
        lines = [f"{'t [s]':>16}  {'event':<{wide}}  {'step':>9}  {'energy [J]':>12}"]
        lines += [f"{e.t:>16.9g}  {e.name:<{wide}}  {e.step:>9,}  {e.energy:>12.6g}" for e in self.entries]
        return "\n".join(lines)
