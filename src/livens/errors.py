"""Errors and warnings. Each message is one sentence with the object, the number and the remedy.

LivensError
├── ModelError      the description is not a valid mechanical system
├── MissingExtra    a feature needs a package that is not installed
├── FileError       a file cannot be read or written
└── StepFailed      a step did not converge; `.trajectory` holds the motion so far

Interrupted, a KeyboardInterrupt: a signal stopped the run; `.trajectory` holds the motion so far
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .record.trajectory import Trajectory


class LivensError(Exception):
    """Base class of all errors of this package. `trajectory`: the motion so far, of an error that ended a run. `path`:
    where in a scene the error is, such as "joints.elbow.axis"."""

    trajectory: Trajectory | None = None
    path: str | None = None


class ModelError(LivensError, ValueError):
    """The description of a model or of a run is wrong; the message names the part, the number and the remedy."""


class MissingExtra(LivensError, ImportError):
    """A feature needs an optional package; the message contains the pip command that installs it."""


class FileError(LivensError, OSError):
    """A file cannot be read or written."""


class StepFailed(LivensError):
    """A step failed. `trajectory` holds the motion up to the last successful step."""

    trajectory: Trajectory

    def __init__(self, message: str, trajectory: Trajectory):
        super().__init__(message)
        self.trajectory = trajectory


class Interrupted(KeyboardInterrupt):
    """`signal` (Ctrl-C or SIGTERM) stopped a run. `trajectory` holds the motion up to the last step."""

    def __init__(self, message: str, trajectory: Trajectory, received: signal.Signals):
        super().__init__(message)
        self.trajectory, self.signal = trajectory, received


class InterruptedAtOnce(KeyboardInterrupt):
    """A second Ctrl-C: it does not wait for the end of a chunk of steps, nor for functions of the user."""


class ModelWarning(UserWarning):
    """The model runs, but not exactly as described: bodies were moved, or constraints are redundant."""


def unless_from_outside(error: BaseException, call: Callable[[], object]) -> None:
    """Nothing, if `error` comes from a function of the user that was tried by `call`. A KeyboardInterrupt that is not
    raised again is Ctrl-C, which goes on."""
    if isinstance(error, InterruptedAtOnce):
        raise error
    if isinstance(error, KeyboardInterrupt):
        try:
            call()
        except KeyboardInterrupt:
            return
        raise error


def require(module: str, need: str, install: str) -> Any:
    """Import an optional module. If it is missing, raise a MissingExtra that begins with `need` and names the packages
    for pip to `install`.

    >>> require("no_such_module", "holograms need no_such_module", "livens[holograms]")
    Traceback (most recent call last):
    livens.errors.MissingExtra: holograms need no_such_module (No module named 'no_such_module'): \
pip install 'livens[holograms]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        packages = f"'{install}'" if "[" in install else install
        raise MissingExtra(f"{need} ({error}): pip install {packages}") from None
