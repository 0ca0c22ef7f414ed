"""Zero crossings: the side of zero on which each event function is, and the root of a bracketed one.

A side is −1, +1, or 0 where a function has not left zero yet: at the start, and after an event that acted. Values
within a band around zero count as zero; the band is the round-off of the root. An event occurs when the side changes to
the opposite one, not when it is found for the first time:

    side 0, value beyond the band     the side is now known, no event
    side s, value of sign −s          a crossing, which is an event if its direction is wanted

The root of g in [a, b] is found by regula falsi with halved weights (Illinois), secured by bisection, until the bracket
is as narrow as round-off; its end beyond the crossing is the result.

Source: M. Dowell, P. Jarratt, A modified regula falsi method for computing the root of an equation, BIT 11 (1971).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..describe.event import Event

EPS: float = float(np.finfo(np.float64).eps)
NARROW = 4.0 * EPS  # width of a bracket in [0, 1] at which a root is found
ROOT_ITERATIONS = 200
AT_ZERO = 1e-9  # a first value below this part of its change in the first step counts as zero
RESIDUALS = 16.0  # the band after an event, in residuals of its root
MOVED = 1e-2  # a value after an action above this, relative to its change in the step, has been changed by the action
NOISE = 4.0  # the band is at least so many times the value a very short time after the event


class Sides:
    """The side of zero of each event function."""

    def __init__(self, events: Sequence[Event], known: dict[str, tuple[float, float]] | None = None):
        """known: side and band of each event by its name, where a run is continued."""
        self.events = events
        pairs = [(known or {}).get(event.name, (np.nan, 0.0)) for event in events]
        self.side, self.band = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        self.first: list[float | None] = [None] * len(events)  # values at the start, until the first step is done

    def known(self) -> dict[str, tuple[float, float]]:
        """Side and band of each event by its name."""
        return {event.name: (s, b) for event, s, b in zip(self.events, self.side, self.band, strict=True)}

    def start(self, values: Sequence[float]) -> None:
        """The values at the start, for events whose side is not known."""
        for i, value in enumerate(values):
            if np.isnan(self.side[i]):
                self.side[i], self.first[i] = _sign(value), value

    def first_step(self, values: Sequence[float]) -> None:
        """The values after the first step: a function that hardly differs from zero at the start begins at zero."""
        for i, (value, before) in enumerate(zip(values, self.first, strict=True)):
            if before is not None and abs(before) <= AT_ZERO * abs(value - before):
                self.side[i] = 0.0
            self.first[i] = None

    @property
    def resting(self) -> bool:
        """True if a function has not left zero since its event has acted."""
        return any(side == 0.0 and band > 0.0 for side, band in zip(self.side, self.band, strict=True))

    def crossed(self, values: Sequence[float]) -> list[int]:
        """The numbers of the events that occur on the way to `values`."""
        return [i for i, value in enumerate(values) if self._crosses(i, value) and self._wanted(i)]

    def changed(self, values: Sequence[float]) -> bool:
        """True if some event occurs on the way to `values`; otherwise the sides are brought up to date."""
        if all(value * side > 0.0 for value, side in zip(values, self.side, strict=True)):
            return False  # the usual case: no side has changed
        if self.crossed(values):
            return True
        self.update(values)
        return False

    def update(self, values: Sequence[float]) -> None:
        """The sides at `values`, which no event separates from the last ones."""
        for i, value in enumerate(values):
            if s := self._sign(i, value):
                self.side[i], self.band[i] = s, 0.0

    def passed(self, i: int) -> None:
        """Event i, which does not act, has occurred: its function is on the other side."""
        self.side[i] = -self.side[i]

    def rest(self, i: int, before: float, after: float, scale: float, noise: float) -> None:
        """Event i has acted: its function is at zero, up to round-off, unless the action has changed it. before, after:
        its values around the action; scale: its change in the step; noise: the round-off of it."""
        if abs(after) > MOVED * scale:
            self.side[i], self.band[i] = _sign(after), 0.0
        else:
            self.side[i], self.band[i] = 0.0, max(RESIDUALS * abs(before), RESIDUALS * abs(after), noise)

    def widen(self, values: Sequence[float]) -> None:
        """The values a very short time after an event: the bands of the functions at zero are wider than these."""
        for i, value in enumerate(values):
            if self.side[i] == 0.0:
                self.band[i] = max(self.band[i], NOISE * abs(value))

    def _crosses(self, i: int, value: float) -> bool:
        return self._sign(i, value) * self.side[i] < 0.0

    def _wanted(self, i: int) -> bool:
        direction = self.events[i].direction
        return direction == 0 or direction == -self.side[i]

    def _sign(self, i: int, value: float) -> float:
        return 0.0 if abs(value) <= self.band[i] else _sign(value)


def root(f: Callable[[float], float], a: float, fa: float, b: float, fb: float) -> float:
    """The end beyond the crossing of the narrowest bracket of a root of f in [a, b], where fa and fb have different
    signs; a zero of f itself if one is met.

    >>> x = root(lambda x: x**3 - 0.2, 0.0, -0.2, 1.0, 0.8)
    >>> abs(x - 0.2 ** (1 / 3)) < 1e-15
    True
    """
    if fa == 0.0:
        return a
    ya, yb, kept, width = fa, fb, 0, b - a
    for k in range(ROOT_ITERATIONS):
        if b - a <= NARROW or fb == 0.0:
            break
        c = b - yb * (b - a) / (yb - ya)
        if k % 3 == 2:
            c, width = (0.5 * (a + b) if b - a > 0.5 * width else c), b - a
        c = min(max(c, a + 0.5 * NARROW), b - 0.5 * NARROW)
        fc = f(c)
        if (fc > 0.0) == (fa > 0.0) and fc != 0.0:
            yb = 0.5 * yb if kept == 1 else yb
            a, ya, kept = c, fc, 1
        else:
            ya = 0.5 * ya if kept == -1 else ya
            b, fb, yb, kept = c, fc, fc, -1
    return b


def _sign(value: float) -> float:
    return float(value > 0.0) - float(value < 0.0)
