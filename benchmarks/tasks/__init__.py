"""The problems that programs are compared on: what moves, for how long, and where its error is read.

Each family is one small file of data; `ALL` lists the problems, `find` gets one by its key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from .mechanism import Mechanism, Vector


@dataclass(frozen=True)
class Task:
    """A mechanism, how long it moves, the points whose places at the end are compared, and the steps to try."""

    key: str  # name in files
    title: str
    build: Callable[[], Mechanism]
    until: float  # [s]
    probes: Sequence[tuple[int, Vector]]  # (body, place from its centre of mass in principal axes [m])
    size: float  # errors are relative to this [m]
    coarse: int  # the fewest steps that are tried; then twice as many, and so on
    why: str = ""  # what is hard about it, in one sentence

    @cached_property
    def mechanism(self) -> Mechanism:
        return self.build()
