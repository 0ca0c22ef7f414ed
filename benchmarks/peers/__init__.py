"""Programs that solve the same problems. Each file is one program: how a mechanism becomes its model, and how it runs.

A program offers `NAME`, `version()` and `entries(task)`: the settings that an expert of it would try. An entry makes a
`Runner` for a number of steps; its model is compiled then, which is not timed. What is timed is `run`: from the initial
state, which is set in it, to the final one, in the program's own compiled loop where it has one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

PEERS = ("mujoco", "exudyn", "pinocchio", "scipy", "casadi")


class Runner(Protocol):
    """A compiled model with a scheme and a number of steps or a tolerance."""

    steps: int  # taken, known after `run` at the latest

    def run(self) -> None:
        """From the initial state to the end: this is timed."""

    def end(self) -> Any:
        """The final state of the last `run`: mechanism.States, or an array of q and v for general systems."""

    def states(self, samples: int) -> Any:
        """The states at `samples` equal intervals and at the start, from a run of their own."""


@dataclass(frozen=True)
class Entry:
    """A program with one of its settings."""

    program: str
    setting: str  # the scheme, and what else distinguishes it
    make: Callable[[Any, int], Runner]  # (task, rung of the ladder of steps or tolerances)
    whole: Callable[[Any, int], Callable[[], object]] | None = None  # the call of a user who has a description only
    other: bool = False  # another model with the same motion, such as hinges for ball joints: shown, not ranked


class NotPossible(Exception):
    """This program cannot do this, for the reason given."""


def load(name: str) -> tuple[ModuleType | None, str]:
    """The adapter of a program, or None and why."""
    try:
        return importlib.import_module(f"{__name__}.{name}"), ""
    except ImportError as error:
        return None, f"{error.name or name} is not installed"
