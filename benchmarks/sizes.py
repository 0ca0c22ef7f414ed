"""Sizes of the benchmarks: `tiny` for the tests, `small` takes one to two minutes, `full` a quarter of an hour."""

from __future__ import annotations

from dataclasses import dataclass

from .time_to_accuracy import Effort

SLOW = {
    "chain-100": 4.0,
    "chain-1000": 6.0,
    "four-bars-40": 6.0,
    "net-32": 4.0,
}  # factors of the time limit of these problems


@dataclass(frozen=True)
class Size:
    """Measured problems and sizes, and limits of the effort."""

    name: str
    effort: Effort
    tasks: tuple[str, ...]  # keys; none: all
    chains: tuple[int, ...]  # sizes for the measurement of scaling
    trees: tuple[int, ...]
    grids: tuple[int, ...]
    rounds: int  # of the other timings
    patience: float  # time limit of a problem [s]; may include compilation of the kernels

    def effort_of(self, key: str) -> Effort:
        """The effort for a problem; large problems have a longer time limit."""
        e = self.effort
        factor = SLOW.get(key, 1.0) if self.name == "full" else 1.0
        return Effort(e.finest, e.longest * factor, e.rounds, e.spend, e.samples, e.worst)


SIZES = {
    "tiny": Size(
        "tiny", Effort(1e-3, 0.01, 1, 0.01, 10), ("free-body", "chain-1", "kepler"), (2, 8), (2, 8), (2, 3), 1, 600,
    ),
    "small": Size(
        "small", Effort(3e-7, 0.1, 4, 0.1, 50), ("free-body", "heavy-top", "chain-5", "slider-crank", "kepler"),
        (3, 10, 30), (4, 16, 64), (3, 6, 10), 3, 300,
    ),
    "full": Size(
        "full", Effort(3e-8, 0.3, 8, 0.25), (), (1, 3, 10, 30, 100, 300, 1000), (4, 16, 64, 256, 1000),
        (3, 6, 10, 18, 30), 5, 1800,
    ),
}  # fmt: skip
