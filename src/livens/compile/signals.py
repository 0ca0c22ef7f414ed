"""Signals: the numbers that come with time, which are loads, efforts of motors and prescribed coordinates.

They are Python functions, and kernels see arrays only: before each chunk of steps they are tabulated at the exact times
of all its stages. A load has six columns (force, torque), a motor one, a drive three (value, rate, acceleration); the
time itself is one more column if a user-written formula depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..describe.model import Model
from ..describe.row import Drive
from ..describe.signal import sample
from ..describe.term import CoordinateMotor, FormulaEnergy, FormulaForce, PointLoad
from ..describe.thing import Thing
from ..formula.formula import Formula
from .drive_rates import SHORT_STEP, STEP_PART, best_spacing, drive_table
from .terms import Terms


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
        self.step = SHORT_STEP if h is None else STEP_PART * abs(h)
        self.last = np.inf if until is None else until
        self.spacings: dict[int, float] = {}
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
            table[:, k : k + 3] = drive_table(owner, drive, t, self.step, self.last, self.spacing(owner, drive))
        if self.has_clock:
            table[:, self.clock] = t
        return table

    def for_step(self, h: float) -> Signals:
        """The same signals for a run with the step h [s]; controllers hold nothing yet."""
        other = copy(self)
        other.step, other.spacings, other.held = STEP_PART * abs(h), {}, np.zeros(len(self.controlled))
        return other

    def spacing(self, owner: Thing, drive: Drive) -> float:
        """The spacing of differences of a drive [s], chosen once."""
        if id(drive) not in self.spacings:
            self.spacings[id(drive)] = best_spacing(owner, drive, self.step, self.last)
        return self.spacings[id(drive)]

    def hold(self, efforts: Array) -> None:
        """Set the efforts that the controllers hold, as they were when a run was stopped."""
        self.held = np.array(efforts, dtype=np.float64)

    def ask(self, t: float, now: Any) -> Array:
        """Call every controller for its effort at t, which is held until the next call; the efforts of all."""
        for k, (owner, motor, _) in enumerate(self.controlled):
            answer = sample(lambda time, ask=motor.effort: ask(time, now), np.array([t]), (), owner, "effort")
            self.held[k] = float(answer[0])
        return self.held.copy()
