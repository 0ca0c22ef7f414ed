"""Schemes side by side on the double pendulum: variational ones of order 2, 4 and 6, Newmark and generalised-α."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import livens as lv

from ..look.plot.work_precision import order
from .demo import Demo
from .double_pendulum import ends, two_bars

SCHEMES = (lv.Livens(order=2), lv.Livens(order=4), lv.Livens(order=6), lv.Newmark(), lv.GeneralizedAlpha())
STEPS = (25, 50, 100, 200, 400)
TIME = 1.0  # [s], the first swing


class Row(NamedTuple):
    """One run: the scheme, its step [s], its computing time [s], and the error of the final position of the tip [m]."""

    scheme: str
    h: float
    seconds: float
    error: float


def compare() -> lv.Trajectory:
    """The first swing of a double pendulum, computed accurately: the reference of all other runs.

    The figure shows error against cost. A step of a scheme of order 4 or 6 costs 5 or 13 times as much, but these
    schemes are much cheaper for errors of a few digits or less; schemes of the same order differ by a constant factor.

    >>> compare().scheme
    Livens(order=6)
    """
    return lv.simulate(two_bars(), lv.Livens(order=6), h=TIME / 4000, until=TIME, every=20)


@cache
def rows() -> list[Row]:
    """All runs, each the fastest of five."""
    reference = _tip(compare())
    found = []
    for scheme in SCHEMES:
        name = type(scheme).__name__ + (f" {scheme.order}" if isinstance(scheme, lv.Livens) else "")
        for n in STEPS:
            runs = [lv.simulate(two_bars(), scheme, h=TIME / n, until=TIME, every=n) for _ in range(5)]
            error = float(np.linalg.norm(_tip(runs[0]) - reference))
            found.append(Row(name, TIME / n, min(run.seconds for run in runs), error))
    return found


def _tip(motion: lv.Trajectory) -> Any:
    return motion.position(ends(motion.model)[-1])[-1]


def figure(motion: lv.Trajectory) -> Any:
    """Error against step and against time, scheme by scheme."""
    return lv.plot_work_precision(rows(), cost="time [s]", error="error of the tip [m]")


def words(motion: lv.Trajectory) -> str:
    """The table."""
    lines = [f"{motion.model.name} to t = {TIME:g} s, compared with {motion.scheme!r} with h = {motion.h:g} s"]
    rule = "─" * 62
    lines += [rule, f"{'':<18}{'step [s]':>10}{'time [s]':>12}{'error [m]':>12}{'order':>8}", rule]
    for scheme in dict.fromkeys(row.scheme for row in rows()):
        mine = [row for row in rows() if row.scheme == scheme]
        for k, row in enumerate(mine):
            name, pair = scheme if k == 0 else "", mine[max(k - 1, 0) : k + 1]
            slope = f"{order([r.h for r in pair], [r.error for r in pair]):.1f}" if k else ""
            lines.append(f"{name:<18}{row.h:>10.4g}{row.seconds:>12.1e}{row.error:>12.1e}{slope:>8}")
    return "\n".join([*lines, rule])


DEMO = Demo(
    "schemes of order 2, 4 and 6, Newmark and generalised-α: error against cost",
    compare,
    figure,
    "error against step and against time",
    words,
    moment=-1.0,
    position=26,
)
