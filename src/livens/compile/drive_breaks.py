"""Kinks and jumps of a prescribed motion, found by bisection.

On an interval of width w the second difference D = f(a) − 2 f(m) + f(b) of a smooth function is of order w². Where the
rate jumps by Δ it is Δ w/2 at most, and where the value jumps by δ it is δ. So the part of an interval in which D is
largest is halved again and again: D/w then falls for a smooth function, stays at a kink, and grows at a jump.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

HALVINGS = 14  # the interval becomes so many times shorter by a factor 2
EPS = float(np.finfo(np.float64).eps)


class Break(NamedTuple):
    """A place where a function of time is not smooth."""

    t: float  # [s]
    jump: float  # of the value; 0 at a kink
    width: float  # of the interval that holds it [s]


def find_break(f: Callable[[float], float], low: float, high: float, largest: float = 0.0) -> Break | None:
    """The kink or jump of f with the largest second difference between the times `low` and `high` [s]; None if f is
    smooth there, up to the round-off of its values. f may be NaN outside of the interval. largest: the largest value of
    f elsewhere, whose round-off remains where f is a small difference of large numbers.

    >>> found = find_break(lambda t: abs(t - 0.3), 0.0, 1.0)
    >>> round(found.t, 3), found.jump
    (0.3, 0.0)
    >>> find_break(lambda t: t**3, 0.0, 1.0) is None
    True
    """
    a, b = low, high
    t = np.linspace(a, b, 5)
    v = [f(float(x)) for x in t]
    slopes = []
    for _ in range(HALVINGS):
        second = [abs(v[k] - 2.0 * v[k + 1] + v[k + 2]) for k in range(3)]
        best = int(np.argmax(second))
        size = max(largest, *(abs(x) for x in v))
        steepest = max(abs(v[k + 1] - v[k]) for k in range(4)) / (t[1] - t[0])
        noise = 64.0 * EPS * (size + steepest * max(abs(low), abs(high)))
        if not second[best] > noise:
            break
        slopes.append(second[best] / (b - a))
        a, b = float(t[best]), float(t[best + 2])
        t = np.linspace(a, b, 5)
        q = (f(float(t[1])), f(float(t[3])))
        v = [v[best], q[0], v[best + 1], q[1], v[best + 2]]
    if len(slopes) < 5:
        return None
    grown = slopes[-1] / slopes[0]
    if grown < 0.5 ** (0.5 * len(slopes)):  # it falls by 2 with each halving where f is smooth
        return None
    jump = float(v[4] - v[0]) if grown > 2.0 ** (0.5 * len(slopes)) else 0.0
    around = [f(b + (b - a)) - v[4], v[0] - f(a - (b - a))]  # a kink at an end of the interval changes f as much there
    if abs(jump) < 4.0 * sum(abs(x) for x in around if np.isfinite(x)):
        jump = 0.0
    return Break(0.5 * (a + b), jump, b - a)
