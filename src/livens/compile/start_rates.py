"""Velocities from rates: one joint of a closed loop says how fast it goes at the start, and the others follow.

The start is that of a blow. Motors in the joints whose rates r are given act for an instant, so hard that those joints
go as asked; with D the gradients of their coordinates and v⁻ the velocities that bodies were given (most often zero),

    M (v − v⁻) = Gᵀλ + Dᵀμ,        G v = 0,        D v = r.                                           (1)

Of all velocities that fit, these have the least kinetic energy of v − v⁻ (Gauss, Kelvin). In a mechanism with as many
rates as freedoms nothing is left open; a free-flying body recoils, and an arm whose elbow has no rate is flung.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

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
    return {joint.name: joint.start_rate for joint in model.joints if joint.start_rate is not None}


def driven(model: Model) -> Model:
    """The model with a drive instead of every rate, for velocities at the start only."""
    asked, other = rates(model), copy(model)
    other.joints = [copy(joint) for joint in model.joints]
    for joint in other.joints:
        if joint.name in asked:
            joint.drive = Line(0.0, asked[joint.name])
    return other
