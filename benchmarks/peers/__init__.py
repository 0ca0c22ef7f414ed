"""Other programs that solve the same problems. Each file is one program: conversion of a mechanism, and its run.

A program has `NAME`, `version()` and `entries(task)`: the settings that an expert would try. An entry makes a `Runner`
for a number of steps and compiles its model, which is not timed. `run` is timed: from the initial state (including
setting it) to the final state, in the compiled loop of the program if it has one.
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

    steps: int  # number of steps, known after `run`

    def run(self) -> None:
        """Run from the initial state to the end; this is timed."""

    def end(self) -> Any:
        """The final state of the last `run`: mechanism.States, or an array of q and v for general systems."""

    def states(self, samples: int) -> Any:
        """The states at `samples` equal intervals and at the initial time, from a separate run."""


@dataclass(frozen=True)
class Entry:
    """A program with one of its settings."""

    program: str
    setting: str  # the scheme and other distinguishing options
    make: Callable[[Any, int], Runner]  # (task, refinement of steps or tolerances)
    whole: Callable[[Any, int], Callable[[], object]] | None = None  # the call of a user, including compilation
    other: bool = False  # another model with the same motion, such as hinges for ball joints: shown, not ranked


class NotPossible(Exception):
    """This program cannot solve the problem, for the given reason."""


def load(name: str) -> tuple[ModuleType | None, str]:
    """The adapter of a program, or None and the reason."""
    try:
        return importlib.import_module(f"{__name__}.{name}"), ""
    except ImportError as error:
        return None, f"{error.name or name} is not installed"
