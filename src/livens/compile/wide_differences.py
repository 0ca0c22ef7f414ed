"""Rates and accelerations of a function of time by differences over the widest spacing at which it is smooth.

The round-off of a second difference with the spacing s is ε |f|/s², so a spacing that follows the step h of a run makes
accelerations worse as h gets smaller. Here s = 8ᵏ δ, δ a part of h, grows until the function is no longer smooth:

    f′ s = Σ aᵢ (f(t + (i − b) s) − f(t)),    f″ s² = Σ cᵢ (f(t + (i − b) s) − f(t)),    i = 0 … 6             (1)

with b of the seven times before t: three, fewer near t = 0, more where the function ends. The coefficients are those
of the polynomial of degree six. It is smooth there if the polynomials of degree four and two through the nearest five
and three times have almost the same f″: differences of 10⁻⁸ then leave an error of about 10⁻¹² in (1). With b = 0 a
kink at t is not seen; there the polynomial must meet f(0) too.
"""

from __future__ import annotations

from contextlib import suppress
from math import factorial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..describe.row import Drive
from ..describe.signal import sample
from ..describe.thing import Thing
from ..errors import unless_from_outside

POINTS = 7
SMOOTH = 1e-8  # difference of f″ by polynomials of degree four and six, relative to the curvature there
ROUGHLY = np.array(
    [0.3, 0.01, 0.01, 0.01, 0.01, 0.01, 0.3]
)  # the same of degree two and four: a kink can meet one only
LEVELS = 5  # of spacings, each eight times as wide as the one before: up to 512 steps of a run
PROBES = np.array([32.0, 74.0, 114.0])  # times at which a spacing is tried, relative to it
EPS = float(np.finfo(np.float64).eps)


def _weights(nodes: NDArray[np.int64], order: int) -> Array:
    """Coefficients of the derivative of an order at 0 of the polynomial through the values at `nodes`, which are
    integers: multiples of 1/180, rounded to them."""
    powers = nodes[None, :].astype(float) ** np.arange(len(nodes))[:, None]
    exact = np.linalg.solve(powers, factorial(order) * np.eye(len(nodes))[order])
    return np.round(180.0 * exact) / 180.0


def _second(b: int, points: int) -> Array:
    """The coefficients of f″ by the `points` times nearest to t, of seven times with b before t."""
    first = min(max(b - points // 2, 0), POINTS - points)
    found = np.zeros(POINTS)
    found[first : first + points] = _weights(np.arange(first, first + points) - b, 2)
    return found


WIDE_FIRST = np.array([_weights(np.arange(POINTS) - b, 1) for b in range(POINTS)])
WIDE_SECOND = np.array([_second(b, POINTS) for b in range(POINTS)])
WIDE_ROUGH = np.array([_second(b, 5) for b in range(POINTS)])
WIDE_SIMPLE = np.array([_second(b, 3) for b in range(POINTS)])
NOISE = np.abs(WIDE_SECOND).sum(axis=1)  # how the round-off of values grows in f″


class Differences(NamedTuple):
    """f′ and f″ by (1), f″ of degree four and two, and the largest of the second differences of three times."""

    first: Array
    second: Array
    rough: Array
    simple: Array
    curvature: Array
    noise: Array  # of f″: round-off of the values and of the times
    missed: Array  # f(0), by later times alone: the polynomial minus the function, over s²
    roughly: Array  # of ROUGHLY

    def smooth(self) -> NDArray[np.bool_]:
        """Where the function is smooth; False where it is undefined. At a kink, later times alone do not count."""
        fine = np.abs(self.second - self.rough) <= SMOOTH * self.curvature + self.noise
        fine &= np.abs(self.missed) <= 10.0 * SMOOTH * self.curvature + self.noise
        return fine & (np.abs(self.rough - self.simple) <= self.roughly * self.curvature + self.noise)


def differences(owner: Thing, drive: Drive, t: Array, value: Array, spacing: float, before: Any) -> Differences:
    """(1) at the times t, with `before` of the seven times before each."""
    times = np.maximum(t[:, None] + spacing * (np.arange(POINTS) - before[:, None]), 0.0)
    rise = known_values(owner, drive, times) - value[:, None]
    first = np.sum(WIDE_FIRST[before] * rise, axis=1) / spacing
    second, rough, simple = (
        np.sum(W[before] * rise, axis=1) / spacing**2 for W in (WIDE_SECOND, WIDE_ROUGH, WIDE_SIMPLE)
    )
    curvature = np.abs(np.diff(rise, 2, axis=1)).max(axis=1, initial=0.0) / spacing**2
    noise = 2.0 * EPS * NOISE[before] * (np.abs(value) + np.abs(t * first)) / spacing**2
    missed = np.zeros(len(t))
    if len(later := np.flatnonzero((before == 0) & (t > 0.0))):
        begin = known_values(owner, drive, np.zeros(1)) - value[later]
        missed[later] = (np.sum(_polynomial(-t[later] / spacing) * rise[later], axis=1) - begin) / spacing**2
    return Differences(first, second, rough, simple, curvature, noise, missed, ROUGHLY[before])


def _polynomial(x: Array) -> Array:
    """Coefficients of the value at x of the polynomial through the values at 0 … 6: (len(x), 7)."""
    nodes = np.arange(float(POINTS))
    return np.stack(
        [np.prod((x[:, None] - nodes[nodes != i]) / (i - nodes[nodes != i]), axis=1) for i in range(POINTS)], axis=1
    )


def best_spacing(owner: Thing, drive: Drive, step: float, last: float = np.inf) -> float:
    """The widest spacing 8ᵏ `step` at which second differences of a drive agree with those at an eighth of it, up to
    round-off. Times decide that follow from the spacing alone; `wide_table` checks all others."""
    best = step
    with suppress(Exception):  # a function that is defined for the times of a shorter run only may raise anything
        for _ in range(LEVELS - 1):
            t = best * PROBES
            t = t[t <= last - 24.0 * best]
            value = known_values(owner, drive, t)
            t, value = t[np.isfinite(value)], value[np.isfinite(value)]
            middle = np.full(len(t), 3)
            fine, coarse = (differences(owner, drive, t, value, s, middle) for s in (best, 8.0 * best))
            if not len(t) or not (np.abs(fine.second - coarse.second) <= 2.0 * fine.noise).all():
                break
            best *= 8.0
    return best


def wide_table(
    owner: Thing, drive: Drive, t: Array, value: Array, widest: float, step: float, last: float
) -> tuple[Array, NDArray[np.bool_]]:
    """Value, rate and acceleration (len(t), 3) by (1) with the widest spacing, up to `widest`, at which the drive is
    smooth around t, and where there is one above 4 `step`."""
    table, done = np.zeros((len(t), 3)), np.zeros(len(t), dtype=bool)
    table[:, 0] = value
    spacing = widest
    while spacing > 4.0 * step and not done.all():
        past = np.floor(t / spacing * (1.0 + 4.0 * EPS))
        left = np.floor((last - t) / spacing) if np.isfinite(last) else np.full(len(t), float(POINTS))
        for middle in (3.0, 6.0):  # the earlier times alone where the drive is undefined later
            before = np.minimum(np.maximum(middle, POINTS - 1.0 - left), past)
            k = np.flatnonzero(~done & (t >= 0.0) & (before >= POINTS - 1.0 - left))
            k = k[before[k] > 3.0] if middle > 3.0 else k
            if len(k):
                found = differences(owner, drive, t[k], value[k], spacing, before[k].astype(int))
                good = found.smooth()
                table[k[good], 1], table[k[good], 2] = found.first[good], found.second[good]
                done[k[good]] = True
        spacing /= 8.0
    return table, done


def largest_value(owner: Thing, drive: Drive, step: float, last: float = np.inf) -> float:
    """The largest value of a drive at the times of `best_spacing`: the scale of its round-off."""
    times = np.append(0.0, (step * 8.0 ** np.arange(LEVELS - 1)[:, None] * PROBES).ravel())
    return float(np.nanmax(np.abs(np.append(known_values(owner, drive, times[times <= last]), 0.0))))


def known_values(owner: Thing, drive: Drive, times: Array) -> Array:
    """A drive at the given times; NaN where it is undefined."""

    def values() -> Array:
        return sample(drive, times.ravel(), (), owner, "drive").reshape(times.shape)

    try:
        return values()
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # a function of the user may raise any
        unless_from_outside(error, values)
        if times.size == 1:
            return np.full(times.shape, np.nan)
        return np.concatenate([known_values(owner, drive, part) for part in np.array_split(times.ravel(), 2)]).reshape(
            times.shape
        )
