"""Time to accuracy: every program, setting and step size on one problem, in one process, on one thread.

Each setting is refined, with step counts √2 apart or with tolerances, until its error is far below the smallest target,
reaches round-off, or a run takes too long. Then all runs are timed in rounds, one after the other, so that
disturbances of the machine affect all of them; the best round of each run counts. Errors are distances of the probes
from the final reference, relative to the size of the problem. Times are processor times of the process: they exclude
other programs on the machine and include a second thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .peers import Entry, NotPossible
from .references import reference

RUNGS = 60
WHOLE = 3  # rounds in which the whole call of the user is timed too
SETTLED = 8  # refinements without a smaller error, after which none is expected
HOPELESS = 12  # refinements without an error below one


@dataclass(frozen=True)
class Effort:
    """Limits of the cost of a measurement."""

    finest: float  # error below which no finer step is tried
    longest: float  # largest time of a run [s]
    rounds: int  # smallest number of timing rounds
    spend: float  # largest total time of the rounds of one run [s]
    samples: int = 100  # of the energy
    worst: float = 1.0  # errors above this are not shown


@dataclass
class Point:
    """One run: a setting with a number of steps, or a tolerance."""

    rung: int
    steps: int
    h: float  # [s], the mean if steps differ
    error: float
    seconds: float  # from the initial to the final state, without compilation of the model
    whole: float | None = None  # the call of the user, with compilation of the model [s]
    drift: float | None = None  # energy error, relative to the largest kinetic energy


@dataclass
class Curve:
    """A program with one setting on one problem: its points, or the reason why there are none."""

    program: str
    setting: str
    other: bool = False  # another model with the same motion
    points: list[Point] = field(default_factory=list)
    skipped: str = ""


def race(task: Any, entries: Iterable[Entry], effort: Effort) -> Iterator[list[Curve]]:
    """The curves of all entries on one problem, after each new result: first coarse, finally well timed."""
    runs: list[tuple[Entry, Point, Any]] = []
    curves: list[Curve] = []
    for entry in entries:
        curve, runners = climb(task, entry, effort)
        curves.append(curve)
        runs += [(entry, point, runner) for point, runner in zip(curve.points, runners, strict=True)]
        yield curves
    spent = [point.seconds for _, point, _ in runs]
    for round in range(effort.rounds):
        yield curves
        for k, (entry, point, runner) in enumerate(runs):
            if spent[k] > effort.spend:
                continue
            for _ in range(3 if point.seconds < 0.02 else 1):
                seconds = clock(runner.run)
                spent[k] += seconds
                point.seconds = min(point.seconds, seconds)
            if entry.whole is not None and round < WHOLE:
                seconds = clock(entry.whole(task, point.rung))
                spent[k] += seconds
                point.whole = min(point.whole or seconds, seconds)
    yield curves


def climb(task: Any, entry: Entry, effort: Effort) -> tuple[Curve, list[Any]]:
    """The refinements of one setting: a curve with the times of first runs, and its runners."""
    curve, runners = Curve(entry.program, entry.setting, entry.other), []
    exact = reference(task.key)
    for rung in range(RUNGS):
        try:
            runner = entry.make(task, rung)
            if not rung:
                runner.run()  # warm
            seconds = clock(runner.run)
            error = float(np.linalg.norm(task.read(runner.end()) - exact, axis=1).max()) / task.size
        except NotPossible as why:
            curve.skipped = "" if curve.points else str(why)
            break
        except Exception as failed:  # any exception of a program whose step fails: smaller steps may work
            curve.skipped = f"{type(failed).__name__}: {str(failed).partition(':')[0][:60]}"
            if rung > HOPELESS:
                break
            continue
        if error < effort.worst:
            curve.points.append(Point(rung, runner.steps, task.until / max(1, runner.steps), error, seconds))
            runners.append(runner)
            curve.skipped = ""
        done = seconds > effort.longest or error < effort.finest or settled(curve.points)
        if done or (rung > HOPELESS and not curve.points):
            break
    if curve.points:
        curve.skipped = ""
    elif not curve.skipped:
        curve.skipped = f"no error below {effort.worst:g} within {effort.longest:g} s"
    for point, runner in zip(curve.points, runners, strict=True):
        if point.seconds < effort.longest / 3 or point is curve.points[-1]:
            point.drift = task.drift(runner.states(effort.samples))
    return curve, runners


def clock(run: Callable[[], object]) -> float:
    """Processor time of a call in all threads [s]; equal to wall time on an idle machine with one thread."""
    begin = time.process_time()
    run()
    return time.process_time() - begin


def settled(points: list[Point]) -> bool:
    """True if SETTLED more refinements, steps shorter by a factor of 16, did not reduce the error: round-off, or no
    convergence. At long steps an error may be small by chance, as where it changes its sign."""
    errors = [point.error for point in points]
    return len(points) > 2 * SETTLED and min(errors[-SETTLED:]) > 0.8 * min(errors[:-SETTLED])
