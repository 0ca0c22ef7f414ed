"""The thread that steps: it owes steps to the clock, listens between chunks of them, and leaves a moment to look at.

The page reads `latest` whenever it likes and asks for changes by `ask`; neither waits for the other.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from ...compile.compiled import Compiled
from ...describe.model import Model
from ...errors import LivensError
from ...kernels.arrays import State
from ...record.trajectory import Trajectory
from ...step import Scheme
from .clock import Pace
from .stepper import Stepper, copied, moment

CHUNK = 0.008  # time that passes between two chunks of steps, where there is time [s]
IDLE = 0.02  # how long a standing simulation sleeps before it listens again [s]


class Moment(NamedTuple):
    """What the page shows: a state, and how the run is doing."""

    t: float
    state: State
    model: Model
    begin: Compiled
    scheme: Scheme
    h: float
    running: bool
    factor: float  # simulated time per time that passes
    possible: float  # the same if it did not wait
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
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._end = threading.Event()
        self._thread: threading.Thread | None = None
        self.latest = self._moment(0.0)

    def ask(self, change: Callable[[], None]) -> None:
        """Let the stepping thread call `change` between two chunks; what it refuses becomes the message."""
        self._asked.put(change)

    def run(self, on: bool) -> None:
        """Run or stand still."""

        def change() -> None:
            self.running = on
            self.pace.rest()

        self.ask(change)

    def cycle(self, wall: float) -> int:
        """Listen, take the steps that are due, leave a moment: the number of steps taken."""
        self._listen()
        steps = self.pace.due(wall) if self.running else 0
        if steps:
            begin = time.perf_counter()
            try:
                self.stepper.step(steps)
                self.pace.took(steps, time.perf_counter() - begin)
            except Exception as error:  # a step that failed, or a user's function
                self.running, self.message, steps = False, _words(error), 0
                self.pace.rest()
        self.latest = self._moment(self.pace.factor(wall, self.stepper.t) if self.running else 0.0)
        return steps

    def start(self) -> None:
        """Begin to listen, in a thread of its own."""
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
                self._end.wait(CHUNK)  # ahead of the clock: steps come in chunks, the core rests

    def _listen(self) -> None:
        while True:
            try:
                change = self._asked.get_nowait()
            except queue.Empty:
                return
            try:
                self.message = ""
                change()
            except Exception as error:  # refused, or a step that failed: the thread lives on
                self.message = _words(error)
            if self.pace.h != self.stepper.h:
                self.pace = Pace(self.stepper.h, self.pace.speed)

    def _moment(self, factor: float) -> Moment:
        s, possible = self.stepper, self.pace.possible
        state = copied(s.state)
        return Moment(s.t, state, s.model, s.begin, s.scheme, s.h, self.running, factor, possible, self.message)


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, LivensError) else f"{type(error).__name__}: {error}"
