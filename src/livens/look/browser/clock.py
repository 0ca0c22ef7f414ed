"""Two clocks: one plays a recorded motion, one counts the steps that a running simulation has to take.

    playing     t = t₁ + speed · (w − w₁)        since it was last touched at the wall time w₁             (1)
    running     steps due = (t₁ + speed · (w − w₁) − t) / h, at most those of a tenth of a second            (2)

Steps above that limit are dropped: a simulation slower than the clock is shown slower, with its real-time factor.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

FIRST_CHUNK = 16  # steps, while their cost is unknown


@dataclass
class Clock:
    """The time line of a recorded motion, (1); every method takes the wall time [s]."""

    start: float
    end: float
    speed: float = 1.0
    loop: bool = True
    playing: bool = False
    t: float = field(init=False)
    _since: float = 0.0

    def __post_init__(self) -> None:
        self.t = self.start

    def tick(self, wall: float) -> float:
        """The time of the motion now.

        >>> clock = Clock(0.0, 2.0)
        >>> clock.play(True, 10.0)
        >>> clock.tick(11.0), clock.tick(12.5)  # past the end, it begins again
        (1.0, 0.5)
        """
        if self.playing:
            t = self.t + self.speed * (wall - self._since)
            if t > self.end and self.loop and self.end > self.start:
                t = self.start + (t - self.start) % (self.end - self.start)
            elif t >= self.end:
                t, self.playing = self.end, False
            self.t = t
        self._since = wall
        return self.t

    def play(self, on: bool, wall: float) -> None:
        """Play or pause; a motion that has ended begins again."""
        self.tick(wall)
        if on and self.t >= self.end:
            self.t = self.start
        self.playing = on

    def seek(self, t: float, wall: float) -> None:
        """Jump to t and stop there."""
        self.tick(wall)
        self.playing = False
        self.t = min(max(t, self.start), self.end)


class Pace:
    """The number of steps due, (2), and the measured speed of the simulation."""

    def __init__(self, h: float, speed: float = 1.0, longest: float = 0.1, window: float = 1.0):
        """h: step [s]; longest: wall time of a chunk of steps [s]; window: over which factors are averaged [s]."""
        self.h, self.speed, self.longest, self.window = h, speed, longest, window
        self.cost = 0.0  # wall time of a step [s]; 0 while unknown
        self._due = 0.0  # simulated time that is due [s]
        self._wall: float | None = None
        self._log: deque[tuple[float, float]] = deque()  # (wall, simulated time) over the window

    def due(self, wall: float) -> int:
        """Steps to take now.

        >>> pace = Pace(h=1e-3)
        >>> pace.due(0.0), pace.due(0.01), pace.due(0.015)
        (0, 10, 5)
        """
        if self._wall is not None:
            self._due += self.speed * (wall - self._wall)
        self._wall = wall
        steps = int(self._due / self.h + 1e-9)
        fits = max(1, int(self.longest / self.cost)) if self.cost > 0.0 else FIRST_CHUNK
        if steps > fits:
            self._due, steps = fits * self.h, fits
        self._due -= steps * self.h
        return steps

    def took(self, steps: int, seconds: float) -> None:
        """`steps` steps took `seconds` of wall time."""
        if steps:
            self.cost = seconds / steps if self.cost == 0.0 else 0.8 * self.cost + 0.2 * seconds / steps

    def rest(self) -> None:
        """The simulation was stopped: no steps are due, and the measurement begins again."""
        self._due, self._wall = 0.0, None
        self._log.clear()

    def factor(self, wall: float, t: float) -> float:
        """Simulated time per wall time over the last window; 0 before the first measurement."""
        self._log.append((wall, t))
        while len(self._log) > 2 and wall - self._log[0][0] > self.window:
            self._log.popleft()
        w0, t0 = self._log[0]
        return (t - t0) / (wall - w0) if wall > w0 else 0.0

    @property
    def possible(self) -> float:
        """Simulated time per wall time without pauses; 0 while unknown."""
        return self.h / self.cost if self.cost > 0.0 else 0.0
