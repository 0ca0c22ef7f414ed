"""Checkpoints and signals: between chunks a run writes checkpoints, and stops on Ctrl-C or SIGTERM.

A signal is noted when it arrives and handled when the chunk is finished: then state and step number belong together,
and a resumed run is bitwise identical. A second Ctrl-C acts at once. Handlers are installed during a run only, in the
main thread only, and only where Python's default handlers are installed; SIGTERM is handled only by runs with a file.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ..checks import file_path, positive
from ..errors import FileError, Interrupted, InterruptedAtOnce, StepFailed
from ..kernels.arrays import State
from ..record.journal import Found, RunJournal, journal_of
from ..record.netcdf import describe, has_functions, read_journal
from ..storage.atomic import check_output

if TYPE_CHECKING:
    from ..record.trajectory import Trajectory
    from .loop import Run

INTERVAL = 60.0  # seconds of wall time between two checkpoints


class Checkpoints:
    """The checkpoints and signals of a run, as a `with` block around it."""

    def __init__(self, path: str | os.PathLike[str] | None = None, every: float = INTERVAL, force: bool = False):
        """path: the file of the finished motion, with its journal beside it, or None; every: seconds; force:
        replace a file at `path` that livens did not write."""
        self.force = force
        self.path = None if path is None else file_path(path)
        self.every = positive(every, "the time between two checkpoints", "s")
        self.journal: RunJournal | None = None
        self.received: signal.Signals | None = None
        self.handlers: dict[signal.Signals, Any] = {}
        self.last = time.monotonic()
        self.safe, self.steps = 0.0, -1  # time [s] and steps of the last checkpoint
        self.running = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number, usual in (
                (signal.SIGINT, signal.default_int_handler),
                (signal.SIGTERM, signal.SIG_DFL if self.path else None),
            ):
                if signal.getsignal(number) is usual:
                    self.handlers[number] = signal.signal(number, self._receive)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self.handlers.items():
            signal.signal(number, handler)
        if self.path is not None and error is not None:
            self._keep(error)
        if self.journal is not None:
            self.journal.close()
        if self.received and error is None:  # it arrived after the last chunk
            signal.raise_signal(self.received)

    def _keep(self, error: BaseException) -> None:
        """Put the motion so far on disk: as a file after a failed step, which would fail again, and else as a last
        checkpoint, from which the run can be resumed."""
        motion: Trajectory | None = getattr(error, "trajectory", None)  # of an exception of any class
        if motion is None or not self.running:
            return
        with suppress(FileError):  # the first error is the one to report; an earlier checkpoint stays
            if isinstance(error, StepFailed):
                self.finish(motion)
            elif motion.steps > self.steps:
                self.write(motion, motion.state)

    def _receive(self, number: int, frame: Any) -> None:
        if self.received == number == signal.SIGINT:
            raise InterruptedAtOnce
        self.received = signal.Signals(number)

    # ── the life of a run ──

    def begin(self) -> None:
        """Before a run from its start: a journal of another run is not overwritten, that of an earlier attempt is."""
        self.running = True
        if self.path is None:
            return
        check_output(self.path, "motion", self.force)
        if self.journal is not None:
            self._discard()
        elif (there := journal_of(self.path)).exists():
            raise FileError(
                f"{there} holds a run that was stopped: continue it with `livens resume {self.path}`, or delete it."
            )

    def continue_from(self, motion: Trajectory) -> None:
        """Before `motion` is continued: checkpoints are appended to its own journal."""
        self.running = True
        if self.path is None or not (there := journal_of(self.path)).exists():
            return

        found: Found = read_journal(there)
        told = describe(motion)
        mine = {key: value for key, value in told.items() if key not in ("source", "model", "axes", "fields")}
        if found.steps != motion.steps or any(found.facts.get(key) != value for key, value in mine.items()):
            raise FileError(f"{there} belongs to another run: delete it, or choose another name.")
        if all(found.facts[key] == told[key] for key in ("axes", "fields")):
            self.journal = RunJournal(there, found.slots, found.end, len(found.impacts))
            self.safe, self.steps = float(motion.t[-1]), motion.steps
        else:  # principal axes of other signs or order, or a journal of an earlier release: states cannot be mixed
            self.write(motion, motion.state)

    def after_chunk(self, run: Run, state: State, done: int) -> None:
        """After a chunk: write a checkpoint if it is due, stop if a signal was received."""
        due = self.path is not None and time.monotonic() - self.last >= self.every
        if due or self.received:
            motion = run.so_far(state, done)
            if self.path is not None:
                self.write(motion, state)
            if self.received:
                raise Interrupted(self._sentence(motion), motion, self.received)

    def write(self, motion: Trajectory, state: State) -> None:
        """Append a checkpoint of `motion`, which ends in `state`; create the journal if there is none."""
        assert self.path is not None
        kept = motion.steps // motion.every + 1
        now = (motion.steps, motion.wanted, motion.seconds, *motion.tally)
        try:
            if self.journal is None:
                self.journal = RunJournal.begin(
                    journal_of(self.path), describe(motion), motion.record, kept, now, state, motion.impact_log
                )
            else:
                self.journal.add(motion.record, kept, now, state, motion.impact_log)
        except FileError as error:
            raise self._stopped(error, motion) from None
        self.safe, self.steps, self.last = float(motion.t[-1]), motion.steps, time.monotonic()

    def finish(self, motion: Trajectory) -> None:
        """Save the finished motion at `path` and delete the journal."""
        if self.path is None:
            return
        if self.journal is not None:
            self.write(motion, motion.state)
        try:
            motion.save(self.path, self.force)
        except FileError as error:
            raise self._stopped(error, motion) from None
        self._discard()

    def _discard(self) -> None:
        if self.journal is not None:
            self.journal.close()
            self.journal.path.unlink(missing_ok=True)
            self.journal = None

    # ── messages ──

    def _sentence(self, motion: Trajectory) -> str:
        kind = "interrupted" if self.received == signal.SIGINT else "terminated"
        where = f"{kind} at t = {motion.t[-1]:.6g} s of {motion.end:.6g} s"
        if self.path is None:
            return f"{where}."

        functions = " --model FILE.py" if has_functions(motion.model) else ""
        return f"{where}: it is in {journal_of(self.path)}; continue with `livens resume {self.path}{functions}`."

    def _stopped(self, error: FileError, motion: Trajectory) -> FileError:
        """The error, with the last checkpoint on disk and the motion so far in `.trajectory`."""
        text = f"{error} The run stopped at t = {motion.t[-1]:.6g} s"
        if self.journal is not None:
            text += f"; `livens resume {self.path}` continues from t = {self.safe:.6g} s once the file can be written"
        stopped = FileError(f"{text}.")
        stopped.trajectory = motion
        return stopped
