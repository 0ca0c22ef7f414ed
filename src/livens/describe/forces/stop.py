"""Stop: hard limits of a joint's coordinate, with an impact law.

0 ≤ λ ⟂ q − lower ≥ 0,   0 ≤ λ ⟂ upper − q ≥ 0,      q̇⁺ = −e q̇⁻ at an impact
"""

from __future__ import annotations

import numpy as np

from ...checks import labelled, number
from ...errors import ModelError
from ..body import Point
from ..contact_rule import ContactRule, check_restitution
from ..thing import Thing
from .one_coordinate import chosen_coordinate


class Stop(Thing):
    """Hard stops of a joint's coordinate at `lower` and `upper` [rad or m]; None on a side without a stop.

    restitution: e from 0 (the joint stays at the stop) to 1 (no loss). A stop has no stiffness: it costs no shorter
    step and does not let the coordinate pass. coordinate: which one, if the joint has several, as in `lv.Motor`.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    >>> stop = m.add(lv.Stop(hinge, upper=1.0, restitution=0.5))
    >>> motion = lv.simulate(m, h=1e-2, until=5.0)
    >>> bool(abs(motion.coordinate(hinge)[-1] - 1.0) < 1e-12), len(motion.impacts) > 3
    (True, True)
    """

    kind = "force"

    def __init__(
        self,
        joint: Thing,
        lower: float | None = None,
        upper: float | None = None,
        restitution: float = 0.0,
        coordinate: str | None = None,
        name: str = "",
    ):
        label = labelled("stop", name)
        self.number = chosen_coordinate(joint, coordinate, label)
        if lower is None and upper is None:
            raise ModelError(f"{label} of {joint.name!r} needs lower=, upper=, or both.")
        self.joint, self.name, self.coordinate = joint, name, coordinate
        self.lower = None if lower is None else number(lower, f"lower of {label}")
        self.upper = None if upper is None else number(upper, f"upper of {label}")
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise ModelError(f"{label} of {joint.name!r} needs lower < upper, got {self.lower:g} and {self.upper:g}.")
        self.restitution = check_restitution(restitution, label)

    @property
    def joints(self) -> tuple[Thing, ...]:
        return (self.joint,)

    @property
    def points(self) -> tuple[Point, ...]:
        return self.joint.points

    def contacts(self) -> list[ContactRule]:
        low = -np.inf if self.lower is None else self.lower
        high = np.inf if self.upper is None else self.upper
        return [
            ContactRule((), 0.0, self.restitution, True, stop=self.joint.coordinates[self.number], limits=(low, high))
        ]

    @property
    def dissipates(self) -> bool:
        return self.restitution < 1.0
