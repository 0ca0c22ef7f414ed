"""What comes with time: the sizes of loads, the efforts of motors, the values drives prescribe.

They are Python functions, and kernels know none: before each chunk of steps they are tabulated at the exact times of
all its stages. A load has six columns (force, torque), a motor one, a drive three (value, rate, acceleration); the time
itself is one where something that a user wrote asks for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import Array, answers
from ..describe.forces.load import Load
from ..describe.forces.motor import Motor
from ..describe.forces.signal import sample
from ..describe.model import Model
from ..errors import ModelError

PART = 1.0 / 8.0  # of a step of the run: that of the differences, so a drive the run resolves is differentiated well
STEP = PART * 1e-3  # the same where there is no run [s]
SHORTEST = 1e-9  # what is not smooth in so short a time has no rate [s]
BEFORE = np.array([0, 3, 6])  # of seven times, how many lie before t: near t = 0, in between, near the end
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
CUBIC = np.array([-11.0, 18.0, -9.0, 2.0]) / 6.0  # the first derivative at the first of four times


class Signals:
    """The columns of a model, and their table at given times."""

    def __init__(self, model: Model, h: float | None = None, until: float | None = None):
        """h, until: step and end of the run [s], which say where drives are asked."""
        self.step = STEP if h is None else PART * abs(h)
        self.last = np.inf if until is None else until
        self.loads = [force for force in model.forces if isinstance(force, Load)]
        self.motors = [force for force in model.forces if isinstance(force, Motor)]
        self.drives = [joint for joint in model.joints if getattr(joint, "drive", None) is not None]
        self.column: dict[int, int] = {}
        self.width = 0
        for things, width in ((self.loads, 6), (self.motors, 1), (self.drives, 3)):
            for thing in things:
                self.column[id(thing)] = self.width
                self.width += width
        self.clock = self.width  # the time itself, for what users wrote that asks for it
        self.timed = any(getattr(thing, "timed", False) for thing in [*model.joints, *model.forces])
        self.width += int(self.timed)
        self.controlled = [motor for motor in self.motors if motor.rate is not None]
        self.held = {id(motor): 0.0 for motor in self.controlled}
        functions = [motor for motor in self.motors if motor.rate is None and callable(motor.effort)]
        self.varies = bool(self.timed or self.drives or functions or any(load.varies for load in self.loads))

    def table(self, t: Array) -> Array:
        """All columns at the times t: (len(t), width)."""
        table = np.zeros((len(t), self.width))
        for load in self.loads:
            k = self.column[id(load)]
            table[:, k : k + 6] = load.table(t)
        for motor in self.motors:
            effort = self.held.get(id(motor), motor.effort)
            table[:, self.column[id(motor)]] = sample(effort, t, (), motor, "effort")
        for joint in self.drives:
            k = self.column[id(joint)]
            table[:, k : k + 3] = drive_table(joint, t, self.step, self.last)
        if self.timed:
            table[:, self.clock] = t
        return table

    def hold(self, efforts: Array) -> None:
        """Let the controllers hold `efforts`, as they did when a run was cut."""
        self.held = {id(motor): float(effort) for motor, effort in zip(self.controlled, efforts, strict=True)}

    def ask(self, t: float, now: Any) -> Array:
        """Ask every controller for its effort at t, to be held until the next time; all of them."""
        for motor in self.controlled:
            answer = sample(lambda time, ask=motor.effort: ask(time, now), np.array([t]), (), motor, "effort")
            self.held[id(motor)] = float(answer[0])
        return np.array([self.held[id(motor)] for motor in self.controlled])


def drive_table(joint: Any, t: Array, step: float = STEP, last: float = np.inf) -> Array:
    """Value, rate and acceleration of a drive: (len(t), 3); by its own `derivative()` if it has one, as splines do, and
    else by sixth-order differences. For times in [0, last] it is asked at times in [0, last] only; where it begins and
    ends, the step is shortened until it is fine enough. Where it can't be told beyond t, as a table that ends there, or
    bends just there, the times before t say its rate: that depends on the drive alone, not on how far a run goes."""
    step = min(step, last / 9.0)
    slack = 1e-6 * step  # of times that are computed
    within = (t >= -slack) & (t <= last + slack)
    t = np.where(within, np.clip(t, 0.0, last), t)
    value = sample(joint.drive, t, (), joint, "drive")
    if answers(getattr(joint.drive, "derivative", None), 0):
        once = joint.drive.derivative()
        return np.stack([value, np.asarray(once(t)), np.asarray(once.derivative()(t))], axis=1)
    side = 1 - (within & (t < 3.0 * step)) + (within & (t > last - 3.0 * step))
    times = _times(t, within, side, step, last)
    rise = _told(joint, times) - value[:, None]
    late = (np.isnan(rise).any(axis=1) | _bends(t, value, rise, step)) & (side == 1)
    side = np.where(late, 2, side)
    times[late] = _times(t[late], within[late], side[late], step, last)
    again = late | np.isnan(rise).any(axis=1)
    rise[again] = sample(joint.drive, times[again].ravel(), (), joint, "drive").reshape(-1, 7) - value[again, None]
    rate = np.sum(FIRST[side] * rise, axis=1) / (60.0 * step)
    table = np.stack([value, rate, np.sum(SECOND[side] * rise, axis=1) / (180.0 * step**2)], axis=1)
    doubt = np.where(side == 1, 0.0, _doubt(t, value, rise, rate * step, side, step))
    again = doubt > (1e-6 if step > SHORTEST else 0.02)  # a power of t looks the same at every step: 0.005 for t⁵
    if again.any():
        if step <= SHORTEST:
            raise ModelError(
                f"drive of {joint.name!r} has no rate at t = {t[again][0]:g} s: let it begin and end smoothly."
            )
        table[again] = drive_table(joint, t[again], step / 8.0, last)
    return table


def _times(t: Array, within: Any, side: Any, step: float, last: float) -> Array:
    """The seven times of the differences at each t: (len(t), 7)."""
    times = t[:, None] + step * (np.arange(7) - BEFORE[side][:, None])
    return np.where(within[:, None], np.clip(times, 0.0, last), times)


def _told(joint: Any, times: Array) -> Array:
    """A drive at the given times; NaN at those where it can't be told."""
    try:
        return sample(joint.drive, times.ravel(), (), joint, "drive").reshape(times.shape)
    except ModelError:
        if times.size == 1:
            return np.full(times.shape, np.nan)
        return np.concatenate([_told(joint, part) for part in np.array_split(times.ravel(), 2)]).reshape(times.shape)


def _bends(t: Array, value: Array, rise: Array, step: float) -> Any:
    """Whether a drive, smooth before t and smooth after it, changes its rate at t, as a table that is held at its end:
    one-sided differences of order two and three agree on either side, and the sides do not."""
    sides = (rise[:, 3:], -rise[:, 3::-1])
    second = np.stack([side[:, :3] @ np.array([-3.0, 4.0, -1.0]) / 2.0 for side in sides])
    third = np.stack([side @ CUBIC for side in sides])
    noise = _noise(t, value, rise, step)
    largest = np.abs(rise).max(axis=1)
    smooth = (np.abs(second - third) <= 1e-3 * largest + noise).all(axis=0)
    return smooth & (np.abs(third[0] - third[1]) > 0.02 * largest + noise)


def _noise(t: Array, value: Array, rise: Array, step: float) -> Array:
    """Round-off of a drive's values, and of the times at which it was asked."""
    largest = np.abs(rise).max(axis=1)
    return 1e2 * np.finfo(np.float64).eps * (np.abs(value) + largest * (1.0 + np.abs(t) / step))


def _doubt(t: Array, value: Array, rise: Array, change: Array, side: Any, step: float) -> Array:
    """How far one-sided differences of order three and six, which agree on what is smooth, differ beyond round-off, in
    parts of all the change: 0.1 for √t at 0, whatever the step."""
    rise = np.where(side[:, None] == 2, -rise[:, ::-1], rise)
    coarse = rise[:, :4] @ CUBIC
    largest = np.abs(rise).max(axis=1)
    return np.maximum(np.abs(coarse - change) - _noise(t, value, rise, step), 0.0) / np.maximum(largest, 1e-300)
