"""Motor: torque or force along the coordinate of a joint, as a function of time or from a controller."""

from __future__ import annotations

from typing import Any

from ...checks import accepts, labelled, number, positive
from ...errors import ModelError
from ..body import Point
from ..term import CoordinateMotor, Term
from ..thing import Thing


class Motor(Thing):
    """A torque [N m] or force [N] along the coordinate of a joint: its angle, or its displacement.

    effort: a number, a function of time t [s], or, with `rate` [Hz], a controller: a function of t and of the motion
    at that moment, a Trajectory of one state. It is called every 1/rate seconds, and its result is held in between.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 0, 1), name="hinge"))
    >>> servo = m.add(lv.Motor(hinge, lambda t, now: 10.0 * (0.5 - now.coordinate("hinge")[0]), rate=100.0))
    """

    kind = "force"

    def __init__(self, joint: Thing, effort: Any, rate: float | None = None, name: str = ""):
        label = labelled("motor", name)
        if not isinstance(joint, Thing) or not joint.coordinates:
            raise ModelError(f"{label} needs a joint with a coordinate (Revolute, Prismatic, …), not {joint!r}.")
        self.joint, self.name = joint, name
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

    def terms(self) -> list[Term]:
        return [CoordinateMotor(self.joint.coordinates[0], self.effort, self.rate)]
