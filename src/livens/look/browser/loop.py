"""The thread of the simulation: it takes the steps that are due, applies queued changes, and publishes `latest`.

The page reads `latest` at any time and passes changes to `submit`; neither waits for the other.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from ...compile.compiled import Compiled
from ...compile.states import copied
from ...describe.model import Model
from ...errors import LivensError
from ...kernels.arrays import State
from ...record.trajectory import Trajectory
from ...step import Scheme
from .clock import Pace
from .stepper import Stepper, moment

CHUNK = 0.008  # pause between two chunks of steps of a simulation faster than the clock [s]
IDLE = 0.02  # pause of a stopped simulation between two reads of the queue [s]


class Moment(NamedTuple):
    """What the page shows: a state and the progress of the run."""

    t: float
    state: State
    model: Model
    begin: Compiled
    scheme: Scheme
    h: float
    running: bool
    factor: float  # simulated time per wall time
    possible: float  # the same without pauses
    message: str

    def motion(self) -> Trajectory:
        """A trajectory of this state alone."""
        return moment(self.begin, self.scheme, self.h, self.t, self.state)


class Loop:
    """A stepper that runs by the clock. `start()` gives it a thread; a test calls `cycle` with its own clock."""

    def __init__(self, stepper: Stepper, speed: float = 1.0):
        self.stepper, self.pace = stepper, Pace(stepper.h, speed)
        self.running = False
        self.message = ""
        self._changes: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._end = threading.Event()
        self._thread: threading.Thread | None = None
        self.latest = self._moment(0.0)

    def submit(self, change: Callable[[], None]) -> None:
        """Let the thread call `change` between two chunks; the error of a refused change becomes the message."""
        self._changes.put(change)

    def run(self, on: bool) -> None:
        """Run or stop."""

        def change() -> None:
            self.running = on
            self.pace.rest()

        self.submit(change)

    def cycle(self, wall: float) -> int:
        """Apply queued changes, take the steps that are due, publish a moment; return the number of steps."""
        self._apply_changes()
        steps = self.pace.due(wall) if self.running else 0
        if steps:
            begin = time.perf_counter()
            try:
                self.stepper.step(steps)
                self.pace.took(steps, time.perf_counter() - begin)
            except Exception as error:  # of a failed step, or of a user's function
                self.running, self.message, steps = False, _words(error), 0
                self.pace.rest()
        self.latest = self._moment(self.pace.factor(wall, self.stepper.t) if self.running else 0.0)
        return steps

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._work, name="livens stepping", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._end.set()
        if self._thread is not None:
            self._thread.join(timeout=10.0)

    def _work(self) -> None:
        while not self._end.is_set():
            steps = self.cycle(time.perf_counter())
            if not self.running:
                self._end.wait(IDLE)
            elif not steps:
                self._end.wait(min(IDLE, max(1e-3, 0.5 * self.stepper.h / max(self.pace.speed, 1e-9))))
            elif self.pace.possible > self.pace.speed:
                self._end.wait(CHUNK)  # ahead of the clock

    def _apply_changes(self) -> None:
        while True:
            try:
                change = self._changes.get_nowait()
            except queue.Empty:
                return
            try:
                self.message = ""
                change()
            except Exception as error:  # a refused change, or a step that failed: the thread continues
                self.message = _words(error)
            if self.pace.h != self.stepper.h:
                self.pace = Pace(self.stepper.h, self.pace.speed)

    def _moment(self, factor: float) -> Moment:
        s, possible = self.stepper, self.pace.possible
        state = copied(s.state)
        return Moment(s.t, state, s.model, s.begin, s.scheme, s.h, self.running, factor, possible, self.message)


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, LivensError) else f"{type(error).__name__}: {error}"
