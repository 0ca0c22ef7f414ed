"""JointFriction: dry friction along a joint's coordinate.

|F| ≤ static while q̇ = 0,      F = −c sign(q̇) while it moves,  c = dynamic + (static − dynamic) exp(−(q̇/stribeck)²)
"""

from __future__ import annotations

from ...checks import labelled, not_negative, positive
from ...errors import ModelError
from ..body import Point
from ..contact_rule import ContactRule, DryFriction
from ..thing import Thing
from .one_coordinate import chosen_coordinate


class JointFriction(Thing):
    """Dry friction in a joint: `dynamic` [N m] of an angle or [N] of a displacement while it moves, `static` (default:
    the same) while it sticks.

    The joint sticks exactly: there is no creep. With `static` above `dynamic`, friction falls from one to the other
    as the rate grows beyond `stribeck` [rad/s or m/s]. coordinate: which one, if the joint has several, as in
    `lv.Motor`. It needs `lv.Livens()`, like contact.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> wheel = m.add(lv.Body(lv.Cylinder(0.1, 0.02, mass=2.0), angular_velocity=(0, 0, 10), name="wheel"))
    >>> axle = m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=(0, 0, 1), name="axle"))
    >>> friction = m.add(lv.JointFriction(axle, dynamic=0.05))
    >>> motion = lv.simulate(m, h=1e-3, until=3.0)  # I = 0.01 kg m², so the wheel stops after 2 s
    >>> round(float(motion.coordinate(axle)[-1]), 9), float(motion.rate(axle)[-1]) == 0.0
    (10.0, True)
    """

    kind = "force"

    def __init__(
        self,
        joint: Thing,
        dynamic: float,
        static: float | None = None,
        stribeck: float | None = None,
        coordinate: str | None = None,
        name: str = "",
    ):
        label = labelled("friction", name)
        self.number = chosen_coordinate(joint, coordinate, label)
        q = joint.coordinates[self.number]
        if q.kind == "ROTATION":
            raise ModelError(f"{label} acts on a rotation vector: give coordinate=, one of its angles.")
        unit, rate = ("N m", "rad/s") if q.is_angle else ("N", "m/s")
        self.joint, self.name, self.coordinate = joint, name, coordinate
        self.dynamic = not_negative(dynamic, f"dynamic friction of {label}", unit)
        self.static = self.dynamic if static is None else not_negative(static, f"static friction of {label}", unit)
        self.stribeck = None if stribeck is None else positive(stribeck, f"stribeck of {label}", rate)
        if self.static < self.dynamic:
            raise ModelError(f"static friction of {label} must be at least the dynamic one, {self.dynamic:g} {unit}.")
        if self.static > self.dynamic and self.stribeck is None:
            raise ModelError(
                f"{label} has more static than dynamic friction: give stribeck= [{rate}], the rate at which it falls."
            )

    @property
    def joints(self) -> tuple[Thing, ...]:
        return (self.joint,)

    @property
    def points(self) -> tuple[Point, ...]:
        return self.joint.points

    def contacts(self) -> list[ContactRule]:
        law = DryFriction(self.joint.coordinates[self.number], self.dynamic, self.static, self.stribeck or 0.0)
        return [ContactRule((), 0.0, 0.0, True, dry=law)]

    @property
    def dissipates(self) -> bool:
        return self.static > 0.0
