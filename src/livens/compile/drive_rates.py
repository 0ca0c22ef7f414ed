"""Rates and accelerations of prescribed motions, from their values.

An Expression and a drive with a method `derivative()`, as splines have, are differentiated exactly. Any other function
is differentiated by differences at seven times, over the widest spacing at which it is smooth (wide_differences.py).
Where it is not smooth, differences with a part of the step of the run are used, on one side of a kink.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ..checks import Array, accepts
from ..describe.row import Drive
from ..describe.signal import sample
from ..describe.thing import Thing
from ..errors import ModelError
from .drive_breaks import Break, find_break
from .wide_differences import known_values, wide_table

STEP_PART = 1.0 / 8.0  # step of the differences, relative to the step of the run
SHORT_STEP = STEP_PART * 1e-3  # the same if there is no run [s]
SHORTEST = 1e-9  # shortest step of the differences relative to the time, and …
SHORTEST_AT_ZERO = 1e-24  # … at t = 0 [s], in any unit; a drive that is not smooth on it has no rate
BEFORE = np.array([0, 3, 6])  # how many of the seven times are before t: near t = 0, in between, near the end
FIRST = np.array(
    [[-147, 360, -450, 400, -225, 72, -10], [-1, 9, -45, 0, 45, -9, 1], [10, -72, 225, -400, 450, -360, 147]]
)
SECOND = np.array(
    [
        [812, -3132, 5265, -5080, 2970, -972, 137],
        [2, -27, 270, -490, 270, -27, 2],
        [137, -972, 2970, -5080, 5265, -3132, 812],
    ]
)
BENDS = np.array(  # second differences of order two, four and six, in 180ths
    [[0, 0, 180, -360, 180, 0, 0], [0, -15, 240, -450, 240, -15, 0], [2, -27, 270, -490, 270, -27, 2]]
)
CUBIC = np.array([-11.0, 18.0, -9.0, 2.0]) / 6.0  # the first derivative at the first of four times


def drive_table(
    owner: Thing,
    drive: Drive,
    t: Array,
    step: float = SHORT_STEP,
    last: float = np.inf,
    widest: float = 0.0,
    largest: float = 0.0,
) -> Array:
    """Value, rate and acceleration of a drive: (len(t), 3); exactly for an Expression and if the drive has a method
    `derivative()`, as splines do, and otherwise by sixth-order differences. For times in [0, last] it is called at
    times in [0, last] only; at its ends the step is shortened until it is fine enough. If the drive is undefined or not
    smooth after t, backward differences give its rate: this depends on the drive alone, not on the end of a run.
    widest, largest: the widest spacing of differences [s], and the largest value of the drive (wide_differences.py)."""
    step = min(step, last / 9.0)
    slack = 1e-6 * step  # for the round-off of computed times
    within = (t >= -slack) & (t <= last + slack)
    t = np.where(within, np.clip(t, 0.0, last), t)
    value = sample(drive, t, (), owner, "drive")
    rates = _own_rates(drive, t)
    if rates is not None:
        return np.stack([value, *rates], axis=1)
    wide, done = wide_table(owner, drive, t, value, widest, step, last)
    if done.all():
        return wide
    wide[~done] = _near(owner, drive, t[~done], value[~done], within[~done], step, last, largest)
    return wide


def _own_rates(drive: Any, t: Array) -> tuple[Array, Array] | None:
    """Rate and acceleration by the method `derivative()` that splines have; None if it gives no finite numbers."""
    derivative: Any = getattr(drive, "derivative", None)  # any callable may be a drive
    if not accepts(derivative, 0):
        return None
    with suppress(Exception):  # such as the second derivative of a spline of degree one
        once = derivative()
        first, second = (np.asarray(f(t), dtype=np.float64) for f in (once, once.derivative()))
        if first.shape == second.shape == t.shape and np.isfinite(first).all() and np.isfinite(second).all():
            return first, second
    return None


def _near(
    owner: Thing, drive: Drive, t: Array, value: Array, within: Any, step: float, last: float, largest: float
) -> Array:
    """The same by differences of the shortest spacing, one-sided at the ends of a drive and at its kinks."""
    side = 1 - (within & (t < 3.0 * step)) + (within & (t > last - 3.0 * step))
    times = _times(t, within, side, step, last)
    rise = known_values(owner, drive, times) - value[:, None]
    before = side.copy()
    side = np.where(np.isnan(rise).any(axis=1) & (side == 1), 2, side)
    for k in np.flatnonzero((side == 1) & _bent(t, value, rise, step)).tolist():
        side[k] = _smooth_side(owner, drive, float(t[k]), times[k], largest)
    moved = side != before
    times[moved] = _times(t[moved], within[moved], side[moved], step, last)
    again = moved | np.isnan(rise).any(axis=1)
    rise[again] = sample(drive, times[again].ravel(), (), owner, "drive").reshape(-1, 7) - value[again, None]
    rate = np.sum(FIRST[side] * rise, axis=1) / (60.0 * step)
    table = np.stack([value, rate, np.sum(SECOND[side] * rise, axis=1) / (180.0 * step**2)], axis=1)
    doubt = np.where(side == 1, 0.0, _doubt(t, value, rise, rate * step, side, step))
    shortest = step <= np.maximum(SHORTEST * np.abs(t), SHORTEST_AT_ZERO)
    again = doubt > np.where(shortest, 0.02, 1e-6)  # powers of t give the same at every step: 0.005 for t⁵
    if again.any():
        if len(without := t[again & shortest]):
            raise ModelError(
                f"drive of {owner.name!r} has no rate at t = {without[0]:g} s: it must begin and end smoothly."
            )
        table[again] = _near(owner, drive, t[again], value[again], within[again], step / 8.0, last, largest)
    return table


def _bent(t: Array, value: Array, rise: Array, step: float) -> Any:
    """True if second differences of order two, four and six differ by a hundredth, beyond round-off: a drive may have a
    kink there."""
    found = np.stack([rise @ weights for weights in BENDS])
    most = np.abs(found).max(axis=0)
    return np.ptp(found, axis=0) > 0.01 * most + 180.0 * _noise(t, value, rise, step)


def _smooth_side(owner: Thing, drive: Drive, t: float, times: Array, largest: float) -> int:
    """The times that a difference at t uses, as in BEFORE: both sides if the drive has no kink among `times`, and
    otherwise the side away from it; the earlier times if it is at t. A jump is refused."""
    low, high = times[[0, -1]].tolist()
    found = find_break(lambda time: float(known_values(owner, drive, np.array([time]))[0]), low, high, largest)
    if found is None:
        return 1
    refuse_jump(owner, found)
    return 2 if found.t >= t - found.width else 0


def refuse_jump(owner: Thing, found: Break) -> None:
    """A ModelError for a drive that jumps."""
    if found.jump:
        raise ModelError(
            f"drive of {owner.name!r} jumps by {found.jump:.3g} at t = {found.t:.6g} s: a prescribed coordinate must "
            "be continuous. Let it change over a short time, such as that of a few steps."
        )


def _times(t: Array, within: Any, side: Any, step: float, last: float) -> Array:
    """The seven times of the differences at each t: (len(t), 7)."""
    times = t[:, None] + step * (np.arange(7) - BEFORE[side][:, None])
    return np.where(within[:, None], np.clip(times, 0.0, last), times)


def _noise(t: Array, value: Array, rise: Array, step: float) -> Array:
    """Round-off of a drive's values, and of the times at which it was called."""
    largest = np.abs(rise).max(axis=1)
    return 1e2 * np.finfo(np.float64).eps * (np.abs(value) + largest * (1.0 + np.abs(t) / step))


def _doubt(t: Array, value: Array, rise: Array, change: Array, side: Any, step: float) -> Array:
    """The difference of one-sided differences of order three and six beyond round-off, relative to the total change. It
    is small for a smooth drive, and 0.1 for √t at 0, for every step."""
    rise = np.where(side[:, None] == 2, -rise[:, ::-1], rise)
    coarse = rise[:, :4] @ CUBIC
    largest = np.abs(rise).max(axis=1)
    return np.maximum(np.abs(coarse - change) - _noise(t, value, rise, step), 0.0) / np.maximum(largest, 1e-300)
