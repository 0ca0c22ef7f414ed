"""Signals: the numbers that come with time, which are loads, efforts of motors and prescribed coordinates.

Before each chunk of steps they are tabulated at the exact times of all its stages: those of known form by kernels
(signal_forms.py), other functions by calls of Python. A load has six columns (force, torque), a motor one, a drive
three (value, rate, acceleration); the time itself is one more column if a user-written formula depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..describe.controller import Output
from ..describe.model import Model
from ..describe.row import Drive
from ..describe.signal import sample, sample_at
from ..describe.term import CoordinateMotor, FormulaEnergy, FormulaForce, PointLoad
from ..describe.thing import Thing
from ..formula.formula import Formula
from .drive_breaks import Break, find_break
from .drive_rates import SHORT_STEP, STEP_PART, drive_table, refuse_jump
from .signal_forms import SignalForms
from .terms import Terms
from .wide_differences import best_spacing, known_values, largest_value

MOST_EXAMINED = 2000  # intervals in which drives are examined for jumps, in one run


class LoadColumns(NamedTuple):
    """A load, and the first of its six columns."""

    owner: Thing
    term: PointLoad
    first: int

    @property
    def unit(self) -> Array:
        """Its columns per unit of the number of its controller."""
        return np.concatenate([self.term.force, self.term.torque])


class MotorColumn(NamedTuple):
    """A motor, and its column."""

    owner: Thing
    term: CoordinateMotor
    first: int

    @property
    def unit(self) -> Array:
        """Its column per unit of the number of its controller."""
        return np.ones(1)


class DriveColumns(NamedTuple):
    """A thing with a drive, and the first of its three columns."""

    owner: Thing
    drive: Drive
    first: int


class Function(NamedTuple):
    """A constant or function of time, and the first of its columns."""

    owner: Thing
    signal: Any
    shape: tuple[int, ...]
    what: str
    first: int

    @property
    def columns(self) -> int:
        """How many they are: a drive has a rate and an acceleration too."""
        return 3 if self.what == "drive" else int(np.prod(self.shape))


class Signals:
    """The columns of a model, and their table at given times."""

    def __init__(self, model: Model, h: float | None = None, until: float | None = None):
        """h, until: step and end of the run [s], within which drives are evaluated."""
        self.step = SHORT_STEP if h is None else STEP_PART * abs(h)
        self.last = np.inf if until is None else until
        self.spacings: dict[int, tuple[float, float]] = {}
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
        self.controlled: list[MotorColumn | LoadColumns] = [one for one in self.motors if one.term.rate is not None]
        self.controlled += [one for one in self.loads if one.term.rate is not None]
        self.held = np.zeros(len(self.controlled))  # efforts of the controllers
        units = [one.unit for one in self.controlled]
        columns = [one.first + np.arange(len(unit)) for one, unit in zip(self.controlled, units, strict=True)]
        self._columns = np.concatenate([np.zeros(0, dtype=np.intp), *columns])  # of all controllers,
        self._units = np.concatenate([np.zeros(0), *units])  # per unit of their numbers,
        self._which = np.repeat(np.arange(len(units)), [len(unit) for unit in units])  # and whose they are
        functions = any(motor.term.varies for motor in self.motors if motor.term.rate is None)
        self.varies = bool(self.has_clock or self.drives or functions or any(load.term.varies for load in self.loads))
        self.examined = 0  # intervals in which drives were examined
        self.functions = [
            *(Function(owner, load.force, (3,), "force", k) for owner, load, k in self.loads),
            *(Function(owner, load.torque, (3,), "torque", k + 3) for owner, load, k in self.loads),
            *(Function(owner, motor.effort, (), "effort", k) for owner, motor, k in self.motors if not motor.rate),
            *(Function(owner, drive, (), "drive", k) for owner, drive, k in self.drives),
        ]
        self.asked = list(_askings(self.controlled)) if self.controlled else []
        self.forms = SignalForms()
        self.known = {f.first for f in self.functions if self.forms.add(f.signal, f.shape, f.first, f.what == "drive")}

    def _formulas(self, model: Model) -> Iterator[Formula]:
        for _, term in self.terms.every:
            yield from term.formulas
        for thing in model.things:
            if thing.equations is not None:
                yield thing.equations.formula

    def table(self, t: Array) -> Array:
        """All columns at the times t: (len(t), width)."""
        t = np.ascontiguousarray(t, dtype=np.float64)
        constants, changing = self._constants
        table = np.tile(constants, (len(t), 1))
        if self.known:
            self.forms.fill(t, table)
        for function in changing:
            part = table[:, function.first : function.first + function.columns]
            if function.first not in self.known:
                part[:] = self._called(function, t).reshape(part.shape)
            elif len(rows := np.flatnonzero(~np.isfinite(part).all(axis=1))):  # not defined there, or without a rate
                part[rows] = self._called(function, t[rows]).reshape(len(rows), -1)
        self.set_controlled(table, self.held)
        if self.has_clock:
            table[:, self.clock] = t
        return table

    @cached_property
    def _constants(self) -> tuple[Array, list[Function]]:
        """One row of the table with the constants, and the functions that are none."""
        row, changing = np.zeros(self.width), []
        for function in self.functions:
            owner, signal, shape, what, first = function
            if callable(signal) or what == "drive":
                changing.append(function)
            else:
                row[first : first + int(np.prod(shape))] = sample(signal, np.zeros(1), shape, owner, what).ravel()
        return row, changing

    def set_controlled(self, table: Array, efforts: Array) -> None:
        """Set the columns of all controllers to their numbers (controllers,), or (len(table), controllers)."""
        if len(self._columns):
            table[:, self._columns] = efforts[..., self._which] * self._units

    def _called(self, function: Function, t: Array) -> Array:
        """The columns of a function at the times t, by calls of Python."""
        owner, signal, shape, what, _ = function
        if what == "drive":
            return drive_table(owner, signal, t, self.step, self.last, *self.spacing(owner, signal))
        return sample(signal, t, shape, owner, what)

    def drive_breaks(self, t: Array, table: Array) -> Iterator[tuple[Thing, Break]]:
        """Kinks and jumps of drives between consecutive rows of a table: where the change of a drive differs from that
        by its rates, it is examined (drive_breaks.py); so many intervals in all that it takes seconds at most."""
        span = np.diff(t)
        for owner, drive, k in self.drives:
            value, rate, acceleration = table[:, k : k + 3].T
            off = np.abs(np.diff(value) - 0.5 * span * (rate[1:] + rate[:-1]))
            curved = span**2 * (np.abs(acceleration[1:]) + np.abs(acceleration[:-1]))
            moved = np.abs(span) * (np.abs(rate[1:]) + np.abs(rate[:-1]))
            large = np.abs(value[1:]) + np.abs(value[:-1])
            for i in np.flatnonzero(off > 0.05 * moved + curved + 1e-9 * large).tolist():
                if self.examined >= MOST_EXAMINED:
                    return
                self.examined += 1
                low, high = sorted((float(t[i]), float(t[i + 1])))
                found = find_break(partial(_value, owner, drive), low, high, self.spacing(owner, drive)[1])
                if found is not None:
                    yield owner, found

    def refuse_jumps(self, t: Array, table: Array) -> None:
        """A ModelError if a drive jumps between consecutive rows of a table."""
        for owner, found in self.drive_breaks(t, table):
            refuse_jump(owner, found)

    def for_step(self, h: float) -> Signals:
        """The same signals for a run with the step h [s]; controllers hold nothing yet."""
        other = copy(self)
        other.step, other.spacings, other.held = STEP_PART * abs(h), {}, np.zeros(len(self.controlled))
        other.examined = 0
        return other

    def spacing(self, owner: Thing, drive: Drive) -> tuple[float, float]:
        """The spacing of differences of a drive [s], and its largest value, at least a radian if it is an angle."""
        if id(drive) not in self.spacings:
            turn = 1.0 if owner.coordinates and owner.coordinates[0].is_angle else 0.0
            largest = max(turn, largest_value(owner, drive, self.step, self.last))
            self.spacings[id(drive)] = best_spacing(owner, drive, self.step, self.last), largest
        return self.spacings[id(drive)]

    def hold(self, efforts: Array) -> None:
        """Set the efforts that the controllers hold, as they were when a run was stopped."""
        self.held = np.array(efforts, dtype=np.float64)

    def ask(self, t: float, now: Any) -> Array:
        """Call every controller for its efforts at t, which are held until the next call; the efforts of all."""
        self.held = held = np.empty(len(self.controlled))
        for owner, places, numbers, shape, asked in self.asked:
            found = sample_at(lambda time, ask=asked: ask(time, now), t, shape, owner, "effort")
            held[places] = np.asarray(found)[numbers] if shape else found
        return held.copy()


class Asking(NamedTuple):
    """A function that controllers ask once in a tick."""

    owner: Thing  # named in errors
    places: Any  # of its numbers among those of all controllers
    numbers: NDArray[np.intp]  # which of its numbers they are
    shape: tuple[int, ...]  # of what it gives
    ask: Callable[[float, Any], Any]


def _askings(controlled: Sequence[MotorColumn | LoadColumns]) -> Iterator[Asking]:
    """Each controller with several inputs once, for all of them, and every other function."""
    shared: dict[int, list[int]] = {}
    for k, one in enumerate(controlled):
        effort = one.term.effort
        if isinstance(effort, Output):
            shared.setdefault(id(effort.controller), []).append(k)
        else:
            yield Asking(one.owner, k, np.zeros(0, dtype=np.intp), (), effort)
    for places in shared.values():
        outputs = [controlled[k].term.effort for k in places]
        numbers, asked = np.array([one.k for one in outputs], dtype=np.intp), outputs[0].controller
        yield Asking(controlled[places[0]].owner, np.array(places), numbers, (len(asked.motors),), asked.efforts)


def _value(owner: Thing, drive: Drive, t: float) -> float:
    return float(known_values(owner, drive, np.array([t]))[0])
