"""Motor: torque or force along the coordinate of a joint, as a function of time or from a controller."""

from __future__ import annotations

from typing import Any

from ...checks import accepts, labelled, number, positive
from ...errors import ModelError
from ..body import Point
from ..term import CoordinateMotor, Term
from ..thing import Thing
from .one_coordinate import chosen_coordinate


class Motor(Thing):
    """A torque [N m] or force [N] along a coordinate of a joint: an angle, or a displacement.

    coordinate: which one, if the joint has several: "angle" or "displacement" of a Cylindrical or Screw joint,
    "angle_a" or "angle_b" of a Universal joint, "x", "y" or "angle" of a Planar joint, "turn_x", "turn_y" or "turn_z"
    of a Spherical joint (a torque about that axis of its first body); left out: the first.

    effort: a number, a function of time t [s], or, with `rate` [Hz], a controller: a function of t and of the motion
    at that moment, a Trajectory of one state. It is called every 1/rate seconds, and its result is held in between.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 0, 1), name="hinge"))
    >>> servo = m.add(lv.Motor(hinge, lambda t, now: 10.0 * (0.5 - now.coordinate("hinge")[0]), rate=100.0))
    """

    kind = "force"

    def __init__(
        self, joint: Thing, effort: Any, rate: float | None = None, coordinate: str | None = None, name: str = ""
    ):
        label = labelled("motor", name)
        self.number = chosen_coordinate(joint, coordinate, label)
        self.joint, self.name, self.coordinate = joint, name, coordinate
        self.effort = effort if callable(effort) else number(effort, f"effort of {label}")
        self.rate = None if rate is None else positive(rate, f"rate of {label}", "Hz")
        if self.rate is not None and not accepts(effort, 2):
            raise ModelError(f"{label} has a rate, so its effort must be a controller f(t, now), not {effort!r}.")
        if self.rate is None and callable(effort) and not accepts(effort, 1):
            raise ModelError(f"effort of {label} must be a function of time; a controller f(t, now) needs a rate [Hz].")

    @property
    def joints(self) -> tuple[Thing, ...]:
        return (self.joint,)

    @property
    def points(self) -> tuple[Point, ...]:
        return self.joint.points

    def switched(self, value: Any) -> Thing | None:
        """Another effort, too: a number, a function of time, or a controller with the same rate."""
        if isinstance(value, bool):
            return super().switched(value)
        return Motor(self.joint, value, self.rate if accepts(value, 2) else None, self.coordinate, self.name)

    def terms(self) -> list[Term]:
        return [CoordinateMotor(self.joint.coordinates[self.number], self.effort, self.rate)]
