"""Runs that survive: between chunks a run is asked to stop by Ctrl-C or SIGTERM, and writes checkpoints.

A signal that arrives is noted, and heard when the chunk is finished: then state and step number belong together, and
the run can go on from there bit for bit. A second Ctrl-C does not wait. Handlers are set for the time of a run only,
in the main thread only, and only where Python's own are in place; SIGTERM is heard only by runs that have a file.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..checks import positive
from ..errors import FileError, Interrupted, StepFailed
from ..kernels.arrays import State
from .journal import Found, RunJournal, journal_of

if TYPE_CHECKING:
    from ..record.trajectory import Trajectory
    from .simulate import Run

INTERVAL = 60.0  # seconds of wall time between two checkpoints


class Watch:
    """What looks after a run between its chunks, in a `with` block around it."""

    def __init__(self, path: str | os.PathLike[str] | None = None, every: float = INTERVAL):
        """path: where the motion is to be kept at the end, with its journal beside it, or None; every: seconds."""
        self.path = None if path is None else Path(path)
        self.every = positive(every, "the time between two checkpoints", "s")
        self.journal: RunJournal | None = None
        self.heard: signal.Signals | None = None
        self.before: dict[signal.Signals, Any] = {}
        self.last = time.monotonic()
        self.safe = 0.0  # the time of the last checkpoint [s]

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number, usual in (
                (signal.SIGINT, signal.default_int_handler),
                (signal.SIGTERM, signal.SIG_DFL if self.path else None),
            ):
                if signal.getsignal(number) is usual:
                    self.before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)
        if isinstance(error, StepFailed):  # it would fail again: error.trajectory is what there is
            self._discard()
        elif self.journal is not None:
            self.journal.close()
        if self.heard and error is None:  # too late for the run, but not for what comes after
            signal.raise_signal(self.heard)

    def _hear(self, number: int, frame: Any) -> None:
        if self.heard == number == signal.SIGINT:
            raise KeyboardInterrupt
        self.heard = signal.Signals(number)

    # ── a run begins, takes chunks, ends ──

    def begin_anew(self) -> None:
        """Before a run from its start: a journal that is there is not overwritten, but that of a shorter try is."""
        if self.path is None:
            return
        if self.journal is not None:
            self._discard()
        elif (there := journal_of(self.path)).exists():
            raise FileError(
                f"{there} holds a run that was stopped: go on with it by `livens resume {self.path}`, or delete it."
            )

    def go_on(self, motion: Trajectory) -> None:
        """Before `motion` is carried on: its own journal is appended to."""
        if self.path is None or not (there := journal_of(self.path)).exists():
            return
        from .netcdf import describe, read_journal

        found: Found = read_journal(there)
        mine = {key: value for key, value in describe(motion).items() if key not in ("source", "model", "axes")}
        if found.steps != motion.steps or any(found.facts.get(key) != value for key, value in mine.items()):
            raise FileError(f"{there} belongs to another run: delete it, or choose another name.")
        if found.facts["axes"] == motion.system.bodies.axes.tolist():
            self.journal, self.safe = RunJournal(there, found.slots, found.end), float(motion.t[-1])
        else:  # an eigensolver elsewhere signed or turned them differently: states of both do not mix
            self.write(motion, motion.state)

    def look(self, run: Run, state: State, done: int) -> None:
        """After a chunk: write a checkpoint if it is time, stop if a signal was heard."""
        due = self.path is not None and time.monotonic() - self.last >= self.every
        if due or self.heard:
            motion = run.so_far(state, done)
            if self.path is not None:
                self.write(motion, state)
            if self.heard:
                raise Interrupted(self._sentence(motion), motion, self.heard)

    def write(self, motion: Trajectory, state: State) -> None:
        """Append a checkpoint, in which `motion` ends in `state`; make the journal if there is none."""
        assert self.path is not None
        kept = motion.steps // motion.every + 1
        now = (motion.steps, motion.wanted, motion.seconds, *motion.tally)
        try:
            if self.journal is None:
                from .netcdf import describe

                self.journal = RunJournal.begin(
                    journal_of(self.path), describe(motion), motion.record, kept, now, state
                )
            else:
                self.journal.add(motion.record, kept, now, state)
        except FileError as error:
            raise self._stopped(error, motion) from None
        self.safe, self.last = float(motion.t[-1]), time.monotonic()

    def finish(self, motion: Trajectory) -> None:
        """Keep the motion at `path`; then its journal is not needed any more."""
        if self.path is None:
            return
        if self.journal is not None:
            self.write(motion, motion.state)
        try:
            motion.save(self.path)
        except FileError as error:
            raise self._stopped(error, motion) from None
        self._discard()

    def _discard(self) -> None:
        if self.journal is not None:
            self.journal.close()
            self.journal.path.unlink(missing_ok=True)
            self.journal = None

    # ── words ──

    def _sentence(self, motion: Trajectory) -> str:
        kind = "interrupted" if self.heard == signal.SIGINT else "terminated"
        where = f"{kind} at t = {motion.t[-1]:.6g} s of {motion.end:.6g} s"
        if self.path is None:
            return f"{where}."
        from .netcdf import has_functions

        functions = " --model FILE.py" if has_functions(motion.model) else ""
        return f"{where}: it is in {journal_of(self.path)}, and `livens resume {self.path}{functions}` goes on."

    def _stopped(self, error: FileError, motion: Trajectory) -> FileError:
        """The error with what is left: the last checkpoint on disk, and the motion so far in memory."""
        text = f"{error} The run stopped at t = {motion.t[-1]:.6g} s"
        if self.journal is not None:
            text += f"; once it can be written, `livens resume {self.path}` goes on from t = {self.safe:.6g} s"
        stopped = FileError(f"{text}.")
        stopped.trajectory = motion
        return stopped
