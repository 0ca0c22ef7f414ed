"""The plan of a run: a scheme, a step that divides the time, and the states that are kept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import positive
from ..errors import ModelError
from ..step import Livens, Scheme, is_scheme


class Plan(NamedTuple):
    """A scheme takes `steps` steps of length h."""

    scheme: Scheme
    h: float  # [s]
    steps: int
    every: int  # every `every`-th state is kept


def step_count(span: float, h: float) -> int:
    """The number of equal steps of length h [s] or less in the time `span` [s]; round-off of span / h adds no step.
    0 if h and span have different signs, if h is zero, or if the number is too large.

    >>> step_count(1.0, 0.1), step_count(1.0, 0.3), step_count(1.0, -0.1), step_count(1.0, 0.0)
    (10, 4, 0, 0)
    """
    steps = span / h * (1.0 - 1e-12) if h else 0.0
    return max(1, int(np.ceil(steps))) if 0.0 < steps < 1e15 else 0


def plan(scheme: Scheme | None, h: float, until: float, every: int) -> Plan:
    """The plan of a run to t = `until` [s], or a ModelError if one of its numbers is wrong."""
    return planned(checked_scheme(scheme), h, until, every)


def planned(scheme: Scheme, h: float, until: float, every: int) -> Plan:
    """The plan of a run with a scheme that has been checked."""
    until, h = positive(until, "until", "s"), positive(h, "h", "s")
    steps = step_count(until, h)
    if not steps:
        raise ModelError(f"until / h gives {until / h:.3g} steps: h = {h:g} s is too small for t = {until:g} s.")
    if isinstance(every, bool) or not isinstance(every, (int, np.integer)) or not 1 <= every < 2**62:
        raise ModelError(f"every must be a whole number of steps, at least 1, got {every!r}.")
    return Plan(scheme, until / steps, steps, int(every))


def checked_scheme(scheme: Scheme | None) -> Scheme:
    """The scheme, by default lv.Livens(), or a ModelError if it is none."""
    scheme = Livens() if scheme is None else scheme
    if not is_scheme(scheme):
        raise ModelError(f"the scheme must be one such as lv.Livens(order=2), not {scheme!r}.")
    return scheme
