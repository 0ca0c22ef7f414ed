"""What can go wrong, each as one sentence that names the thing, the size and the remedy.

LivensError
├── ModelError      what a user described cannot be a mechanical system
├── MissingExtra    a feature needs a package that is not installed
├── FileError       a file cannot be read or written
└── StepFailed      a step did not converge; `.trajectory` holds the motion so far

Interrupted, a KeyboardInterrupt: a run was asked to stop; `.trajectory` holds the motion so far
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .record.trajectory import Trajectory


class LivensError(Exception):
    """Base of every error this package raises on purpose. `trajectory`: the motion so far, of an error that ended a
    run."""

    trajectory: Trajectory | None = None


class ModelError(LivensError, ValueError):
    """The description is wrong: the message names the part, the number and the remedy."""


class MissingExtra(LivensError, ImportError):
    """A feature needs an optional package; the message says what to install."""


class FileError(LivensError, OSError):
    """A file cannot be read or written."""


class StepFailed(LivensError):
    """A step could not be taken. `trajectory` holds everything up to the last good step."""

    trajectory: Trajectory

    def __init__(self, message: str, trajectory: Trajectory):
        super().__init__(message)
        self.trajectory = trajectory


class Interrupted(KeyboardInterrupt):
    """A run was stopped by `signal`, Ctrl-C or SIGTERM. `trajectory` holds the motion so far, up to its last step."""

    def __init__(self, message: str, trajectory: Trajectory, heard: signal.Signals):
        super().__init__(message)
        self.trajectory, self.signal = trajectory, heard


class ModelWarning(UserWarning):
    """The model runs, but not exactly as described: bodies were moved, or constraints are redundant."""
