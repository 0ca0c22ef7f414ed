"""Time to accuracy: every program, setting and step size on one problem, in one process, on one thread.

Each setting climbs a ladder, of step counts √2 apart or of tolerances, until its error is far below the smallest
target, it has met round-off, or a run takes too long. Then all runs are timed in rounds, one after the other, so that a
busy moment of the machine meets all of them; the best of a run's rounds counts. Errors are distances of the probes from
the reference at the end, relative to the problem's size. Times are processor times of the process: what other programs
on the machine take does not count, and a second thread would.
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
WHOLE = 3  # rounds in which the user's whole call is timed too
HOPELESS = 12  # rungs without an error below one


@dataclass(frozen=True)
class Effort:
    """How much a measurement may cost."""

    finest: float  # error below which no finer step is tried
    longest: float  # a run may take [s]
    rounds: int  # of timing, at least
    spend: float  # on the rounds of one run at most [s]
    samples: int = 100  # of the energy
    worst: float = 1.0  # errors above this are not shown


@dataclass
class Point:
    """One run: a setting with a number of steps, or a tolerance."""

    rung: int
    steps: int
    h: float  # [s], the mean where steps differ
    error: float
    seconds: float  # from the initial state to the final one, the model compiled before
    whole: float | None = None  # the user's call, from a model that is described but not compiled [s]
    drift: float | None = None  # of the energy, relative to the largest kinetic energy


@dataclass
class Curve:
    """A program with one setting on one problem: its points, or why there are none."""

    program: str
    setting: str
    other: bool = False  # another model with the same motion
    points: list[Point] = field(default_factory=list)
    skipped: str = ""


def race(task: Any, entries: Iterable[Entry], effort: Effort) -> Iterator[list[Curve]]:
    """The curves of all entries on one problem, whenever there is more of them: first rough, at last well timed."""
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
    """The ladder of one setting: a curve whose times are of a first run, and its runners."""
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
        except Exception as failed:  # whatever a program raises when a step fails: smaller ones may do
            curve.skipped = f"{type(failed).__name__}: {str(failed).partition(':')[0][:60]}"
            if rung > HOPELESS:
                break
            continue
        if error < effort.worst:
            curve.points.append(Point(rung, runner.steps, task.until / max(1, runner.steps), error, seconds))
            runners.append(runner)
            curve.skipped = ""
        done = seconds > effort.longest or error < effort.finest or _settled(curve.points)
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
    """Seconds of processor time that a call takes, in all threads: the clock's on a quiet machine with one thread."""
    begin = time.process_time()
    run()
    return time.process_time() - begin


def _settled(points: list[Point]) -> bool:
    """True when four more rungs did not make the error smaller: round-off, or an order of nothing."""
    return len(points) > 8 and min(p.error for p in points[-4:]) > 0.8 * min(p.error for p in points[:-4])
