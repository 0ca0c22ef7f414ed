"""Time to accuracy: every program, setting and step size on one problem, in one process, on one thread.

Each setting climbs a ladder of step counts, each √2 times the last, until its error is far below the smallest target, it
has met round-off, or a run takes too long. Then all runs are timed in rounds, one after the other, so that a busy
moment of the machine meets all of them; the best of a run's rounds counts. Errors are distances of the probes from the
reference at the end, relative to the problem's size.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from .peers import Entry, NotPossible
from .references import reference
from .tasks import Task
from .tasks.mechanism import drift, points

TARGETS = (1e-4, 1e-6)


@dataclass(frozen=True)
class Effort:
    """How much a measurement may cost."""

    finest: float  # stop below this error
    longest: float  # a run may take [s]
    rounds: int  # of timing
    spend: float  # on the rounds of one run [s]
    samples: int = 100  # of the energy


@dataclass
class Point:
    """One run: a setting with a number of steps."""

    steps: int
    h: float  # [s]
    error: float
    seconds: float  # from the initial state to the final one, the model compiled before
    whole: float | None = None  # the user's call, from a model that is described but not compiled [s]
    drift: float | None = None  # of the energy, relative to the largest kinetic energy


@dataclass
class Curve:
    """A program with one setting on one problem: its points, or why there are none."""

    program: str
    setting: str
    points: list[Point] = field(default_factory=list)
    skipped: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def clock(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def climb(task: Task, entry: Entry, effort: Effort) -> tuple[Curve, list[Any]]:
    """The ladder of one setting: a curve whose times are of a first run, and its runners."""
    curve, runners = Curve(entry.program, entry.setting), []
    exact = reference(task.key)
    for k in range(60):
        steps = round(task.coarse * 2 ** (k / 2))
        try:
            runner = entry.make(task, steps)
            seconds = clock(runner.run)
            places = points(runner.end(), task.probes)
        except NotPossible as why:
            curve.skipped = str(why)
            break
        except Exception as error:  # a step that failed: smaller ones may not
            if curve.points or steps > 64 * task.coarse:
                curve.skipped = type(error).__name__
                break
            continue
        error = float(np.linalg.norm(places - exact, axis=1).max()) / task.size
        if np.isfinite(error) and error < 1.0:
            curve.points.append(Point(steps, task.until / steps, error, seconds))
            runners.append(runner)
        if seconds > effort.longest or error < effort.finest or _settled(curve.points):
            break
    return curve, runners


def _settled(points: list[Point]) -> bool:
    """True when three halvings no longer made the error smaller: round-off."""
    return len(points) > 6 and min(p.error for p in points[-4:]) > 0.7 * min(p.error for p in points[:-4])
