"""What comes with time: the sizes of loads, the efforts of motors, the values drives prescribe.

They are Python functions, and kernels know none: before each chunk of steps they are tabulated at the exact times of
all its stages. A load has six columns (force, torque), a motor one, a drive three (value, rate, acceleration); the time
itself is one where a user-written constraint asks for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Array
from .forces import Load, Motor, sample
from .model import Model

STEP = 2e-4  # of the differences that differentiate a drive [s]
FIRST = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0  # sixth order
SECOND = np.array([2.0, -27.0, 270.0, -490.0, 270.0, -27.0, 2.0]) / 180.0


class Signals:
    """The columns of a model, and their table at given times."""

    def __init__(self, model: Model):
        self.loads = [force for force in model.forces if isinstance(force, Load)]
        self.motors = [force for force in model.forces if isinstance(force, Motor)]
        self.drives = [joint for joint in model.joints if getattr(joint, "drive", None) is not None]
        self.column: dict[int, int] = {}
        self.width = 0
        for things, width in ((self.loads, 6), (self.motors, 1), (self.drives, 3)):
            for thing in things:
                self.column[id(thing)] = self.width
                self.width += width
        self.clock = self.width  # the time itself, for user-written constraints that ask for it
        self.timed = any(getattr(joint, "timed", False) for joint in model.joints)
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
            table[:, k : k + 3] = drive_table(joint, t)
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


def drive_table(joint: Any, t: Array) -> Array:
    """Value, rate and acceleration of a drive: (len(t), 3); by its own `derivative()` if it has one, as splines do."""
    value = sample(joint.drive, t, (), joint, "drive")
    if hasattr(joint.drive, "derivative"):
        once = joint.drive.derivative()
        return np.stack([value, np.asarray(once(t)), np.asarray(once.derivative()(t))], axis=1)
    around = np.stack([sample(joint.drive, t + k * STEP, (), joint, "drive") for k in range(-3, 4)], axis=1)
    return np.stack([value, around @ FIRST / STEP, around @ SECOND / STEP**2], axis=1)
