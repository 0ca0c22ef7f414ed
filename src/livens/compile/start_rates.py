"""Initial velocities from the given rates of some joints.

The rates r are applied as an impulse μ of motors in these joints; with D the gradients of their coordinates and v⁻ the
velocities that were given to the bodies (most often zero),

    M (v − v⁻) = Gᵀλ + Dᵀμ,        G v = 0,        D v = r.                                           (1)

Of all velocities that satisfy the constraints and the rates, these minimise the kinetic energy of v − v⁻ (Gauss,
Kelvin). One rate per degree of freedom determines all velocities; other joints follow from the impulse.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

from ..checks import number
from ..describe.model import Model


@dataclass(frozen=True)
class Line:
    """A drive along a line, with its derivative."""

    value: float
    rate: float

    def __call__(self, t: float) -> float:
        return self.value + self.rate * t

    def derivative(self) -> Line:
        return Line(self.rate, 0.0)


def rates(model: Model) -> dict[str, float]:
    """The rates that joints prescribe at the start [rad/s or m/s]."""
    given = [joint for joint in model.joints if joint.start_rate is not None]
    return {joint.name: number(joint.start_rate, f"start_rate of {joint.label}") for joint in given}


def driven(model: Model) -> Model:
    """The model with a drive instead of every rate, for velocities at the start only."""
    given, other = rates(model), copy(model)
    other.joints = [copy(joint) for joint in model.joints]
    for joint in other.joints:
        if joint.name in given:
            joint.drive = Line(0.0, given[joint.name])
    return other
