"""Progress on stderr: rate and remaining time, at most twice a second, nothing in the first two seconds.

The rate is that since the first update: the kernels may have been compiled or loaded before it.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from ..errors import ModelError

PATIENCE = 2.0  # seconds before anything is printed


class Progress:
    """The progress of a run. show: True, False, or None to show it if stderr is a terminal; unit: of the count."""

    def __init__(self, what: str, total: int, show: bool | None = None, unit: str = "steps"):
        self.what, self.total, self.unit = what, total, unit
        if show is not None and not isinstance(show, (bool, int, np.bool_)):
            raise ModelError(f"progress must be True, False or None, not {show!r}.")
        self.show = sys.stderr.isatty() if show is None else bool(show)
        self.begin = self.last = time.perf_counter()
        self.printed = False
        self.first: tuple[int, float] | None = None  # count and time of the first update

    def update(self, done: int) -> None:
        """`done` of the total are finished."""
        now = time.perf_counter()
        if self.first is None:
            self.first = (done, now)
        if not self.show or now - self.begin < PATIENCE or (now - self.last < 0.5 and done < self.total):
            return
        self.last, self.printed = now, True
        text = f"{self.what}: {done / self.total:4.0%}"
        before, since = self.first
        if done > before and now > since:
            rate = (done - before) / (now - since)
            text += f"  {count(rate).strip()} {self.unit}/s  {clock((self.total - done) / rate)} left"
        sys.stderr.write("\r" + text.ljust(72))
        sys.stderr.flush()

    def close(self) -> None:
        """End the line, if there is one."""
        if self.printed:
            sys.stderr.write("\n")
            self.printed = False


def count(x: float) -> str:
    """A number with a metric prefix: 12.3 k, 4.56 M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if x >= size:
            return f"{x / size:.3g} {letter}"
    return f"{x:.3g} "


def clock(seconds: float) -> str:
    """Seconds as 45 s, 3 min 20 s or 2 h 05 min."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min {seconds % 60:02.0f} s"
    return f"{seconds // 3600:.0f} h {seconds % 3600 // 60:02.0f} min" if seconds < 1e7 else "long"
