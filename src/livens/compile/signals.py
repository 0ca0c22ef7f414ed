"""Signals: the numbers that come with time, which are loads, efforts of motors and prescribed coordinates.

They are Python functions, and kernels see arrays only: before each chunk of steps they are tabulated at the exact times
of all its stages. A load has six columns (force, torque), a motor one, a drive three (value, rate, acceleration); the
time itself is one more column if a user-written formula depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array, accepts
from ..describe.model import Model
from ..describe.row import Drive
from ..describe.signal import sample
from ..describe.term import CoordinateMotor, FormulaEnergy, FormulaForce, PointLoad
from ..describe.thing import Thing
from ..errors import ModelError
from ..formula.formula import Formula
from .terms import Terms

PART = 1.0 / 8.0  # step of the differences, relative to the step of the run
STEP = PART * 1e-3  # the same if there is no run [s]
SHORTEST = 1e-9  # shortest step of the differences; a drive that is not smooth on it has no rate [s]
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
CUBIC = np.array([-11.0, 18.0, -9.0, 2.0]) / 6.0  # the first derivative at the first of four times


class LoadColumns(NamedTuple):
    """A load, and the first of its six columns."""

    owner: Thing
    term: PointLoad
    first: int


class MotorColumn(NamedTuple):
    """A motor, and its column."""

    owner: Thing
    term: CoordinateMotor
    first: int


class DriveColumns(NamedTuple):
    """A thing with a drive, and the first of its three columns."""

    owner: Thing
    drive: Drive
    first: int


class Signals:
    """The columns of a model, and their table at given times."""

    def __init__(self, model: Model, h: float | None = None, until: float | None = None):
        """h, until: step and end of the run [s], within which drives are evaluated."""
        self.step = STEP if h is None else PART * abs(h)
        self.last = np.inf if until is None else until
        self.terms = Terms(model)
        loads, motors = self.terms.of(PointLoad), self.terms.of(CoordinateMotor)
        drives = [(thing, thing.drive) for thing in model.things if thing.drive is not None]
        first_motor = 6 * len(loads)
        first_drive = first_motor + len(motors)
        self.loads = [LoadColumns(owner, term, 6 * k) for k, (owner, term) in enumerate(loads)]
        self.motors = [MotorColumn(owner, term, first_motor + k) for k, (owner, term) in enumerate(motors)]
        self.drives = [DriveColumns(owner, drive, first_drive + 3 * k) for k, (owner, drive) in enumerate(drives)]
        self.drive_column = {id(driven.owner): driven.first for driven in self.drives}
        self.clock = first_drive + 3 * len(drives)  # the column of the time, if there is one
        self.written = bool(self.terms.of(FormulaEnergy) or self.terms.of(FormulaForce))  # by users
        self.has_clock = any(formula.varies for formula in self._formulas(model))
        self.width = self.clock + int(self.has_clock)
        self.controlled = [motor for motor in self.motors if motor.term.rate is not None]
        self.held = np.zeros(len(self.controlled))  # efforts of the controllers
        functions = any(motor.term.varies for motor in self.motors if motor.term.rate is None)
        self.varies = bool(self.has_clock or self.drives or functions or any(load.term.varies for load in self.loads))

    def _formulas(self, model: Model) -> Iterator[Formula]:
        for _, term in self.terms.every:
            yield from term.formulas
        for thing in model.things:
            if thing.equations is not None:
                yield thing.equations.formula

    def table(self, t: Array) -> Array:
        """All columns at the times t: (len(t), width)."""
        table = np.zeros((len(t), self.width))
        for owner, load, k in self.loads:
            table[:, k : k + 3] = sample(load.force, t, (3,), owner, "force")
            table[:, k + 3 : k + 6] = sample(load.torque, t, (3,), owner, "torque")
        for owner, motor, k in self.motors:
            if motor.rate is None:
                table[:, k] = sample(motor.effort, t, (), owner, "effort")
        for controller, effort in zip(self.controlled, self.held, strict=True):
            table[:, controller.first] = effort
        for owner, drive, k in self.drives:
            table[:, k : k + 3] = drive_table(owner, drive, t, self.step, self.last)
        if self.has_clock:
            table[:, self.clock] = t
        return table

    def hold(self, efforts: Array) -> None:
        """Set the efforts that the controllers hold, as they were when a run was stopped."""
        self.held = np.array(efforts, dtype=np.float64)

    def ask(self, t: float, now: Any) -> Array:
        """Call every controller for its effort at t, which is held until the next call; the efforts of all."""
        for k, (owner, motor, _) in enumerate(self.controlled):
            answer = sample(lambda time, ask=motor.effort: ask(time, now), np.array([t]), (), owner, "effort")
            self.held[k] = float(answer[0])
        return self.held.copy()


def drive_table(owner: Thing, drive: Drive, t: Array, step: float = STEP, last: float = np.inf) -> Array:
    """Value, rate and acceleration of a drive: (len(t), 3); by its own `derivative()` if it has one, as splines do, and
    otherwise by sixth-order differences. For times in [0, last] it is called at times in [0, last] only; at its ends
    the step is shortened until it is fine enough. If the drive is undefined or not smooth after t, backward differences
    give its rate: this depends on the drive alone, not on the end of a run."""
    step = min(step, last / 9.0)
    slack = 1e-6 * step  # for the round-off of computed times
    within = (t >= -slack) & (t <= last + slack)
    t = np.where(within, np.clip(t, 0.0, last), t)
    value = sample(drive, t, (), owner, "drive")
    derivative: Any = getattr(drive, "derivative", None)  # splines have one
    if accepts(derivative, 0):
        once = derivative()
        return np.stack([value, np.asarray(once(t)), np.asarray(once.derivative()(t))], axis=1)
    side = 1 - (within & (t < 3.0 * step)) + (within & (t > last - 3.0 * step))
    times = _times(t, within, side, step, last)
    rise = _known(owner, drive, times) - value[:, None]
    late = (np.isnan(rise).any(axis=1) | _kinks(t, value, rise, step)) & (side == 1)
    side = np.where(late, 2, side)
    times[late] = _times(t[late], within[late], side[late], step, last)
    again = late | np.isnan(rise).any(axis=1)
    rise[again] = sample(drive, times[again].ravel(), (), owner, "drive").reshape(-1, 7) - value[again, None]
    rate = np.sum(FIRST[side] * rise, axis=1) / (60.0 * step)
    table = np.stack([value, rate, np.sum(SECOND[side] * rise, axis=1) / (180.0 * step**2)], axis=1)
    doubt = np.where(side == 1, 0.0, _doubt(t, value, rise, rate * step, side, step))
    again = doubt > (1e-6 if step > SHORTEST else 0.02)  # powers of t give the same at every step: 0.005 for t⁵
    if again.any():
        if step <= SHORTEST:
            raise ModelError(
                f"drive of {owner.name!r} has no rate at t = {t[again][0]:g} s: it must begin and end smoothly."
            )
        table[again] = drive_table(owner, drive, t[again], step / 8.0, last)
    return table


def _times(t: Array, within: Any, side: Any, step: float, last: float) -> Array:
    """The seven times of the differences at each t: (len(t), 7)."""
    times = t[:, None] + step * (np.arange(7) - BEFORE[side][:, None])
    return np.where(within[:, None], np.clip(times, 0.0, last), times)


def _known(owner: Thing, drive: Drive, times: Array) -> Array:
    """A drive at the given times; NaN where it is undefined."""
    try:
        return sample(drive, times.ravel(), (), owner, "drive").reshape(times.shape)
    except ModelError:
        if times.size == 1:
            return np.full(times.shape, np.nan)
        return np.concatenate([_known(owner, drive, part) for part in np.array_split(times.ravel(), 2)]).reshape(
            times.shape
        )


def _kinks(t: Array, value: Array, rise: Array, step: float) -> Any:
    """True if a drive is smooth before t and after it, but its rate jumps at t, as that of a table that is held at its
    end: one-sided differences of order two and three agree on either side, and the sides differ."""
    sides = (rise[:, 3:], -rise[:, 3::-1])
    second = np.stack([side[:, :3] @ np.array([-3.0, 4.0, -1.0]) / 2.0 for side in sides])
    third = np.stack([side @ CUBIC for side in sides])
    noise = _noise(t, value, rise, step)
    largest = np.abs(rise).max(axis=1)
    smooth = (np.abs(second - third) <= 1e-3 * largest + noise).all(axis=0)
    return smooth & (np.abs(third[0] - third[1]) > 0.02 * largest + noise)


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
