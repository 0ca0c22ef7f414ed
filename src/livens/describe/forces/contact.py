"""Contact: two bodies, or a body and a plane, that cannot pass through each other.

    0 ≤ λ ⟂ g ≥ 0,      v⁺ = −e v⁻ at an impact,      |friction| ≤ μ λ, against the slip

The step is in step/contact.py, the geometry in kernels/contact.
"""

from __future__ import annotations

from ...checks import labelled, not_negative
from ...errors import ModelError
from ..body import Body, Plane, Point
from ..contact_rule import ContactRule, Side, check_restitution, refuse_both
from ..symmetry import NONE, Symmetry, line_along, plane_across
from ..thing import Thing


class Contact(Thing):
    """Contact between two bodies, or between a body and a plane such as `m.world.plane((0, 0, 0), normal=(0, 0, 1))`.

    friction: Coulomb's coefficient μ ≥ 0; restitution: e from 0 (no bounce) to 1 (no loss): approach speed times e is
    the speed of separation. impacts: "sequence", impacts of touching bodies are resolved pair by pair, the fastest
    first, or "together", all at once. rolling, spinning: lengths [m]; a torque up to `rolling` times the normal force
    resists rolling, and one up to `spinning` times it resists spinning about the normal. patch: the radius [m] of a
    small disc in which the bodies touch; sliding and spinning share its friction, and pure spinning is resisted by a
    torque of 2/3 μ patch times the normal force. The shapes of the bodies touch; `Body(collision=…)` gives another
    shape for contact.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 1.1), name="ball"))
    >>> floor = m.add(lv.Contact(m.world.plane((0, 0, 0)), ball, restitution=0.8))
    >>> motion = lv.simulate(m, h=1e-3, until=1.0)
    >>> round(float(motion.impacts.t[0]), 9)  # √(2 · 1 m / g)
    0.451523641
    """

    kind = "force"

    def __init__(
        self,
        a: Side,
        b: Side,
        friction: float = 0.0,
        restitution: float = 0.0,
        impacts: str = "sequence",
        rolling: float = 0.0,
        spinning: float = 0.0,
        patch: float = 0.0,
        name: str = "",
    ):
        label = labelled("contact", name)
        for side in (a, b):
            if not isinstance(side, Body | Plane):
                raise ModelError(
                    f"{label} is between bodies, or a body and a plane such as m.world.plane((0, 0, 0)), not {side!r}."
                )
            if isinstance(side, Body) and side.is_world:
                raise ModelError(
                    f"{label} touches the world: give one of its planes, such as m.world.plane((0, 0, 0))."
                )
        if isinstance(a, Plane) and isinstance(b, Plane):
            raise ModelError(f"{label} is between two planes: give a body.")
        if a is b or (a.body if isinstance(a, Plane) else a) is (b.body if isinstance(b, Plane) else b):
            raise ModelError(f"{label} is between a body and itself.")
        if impacts not in ("sequence", "together"):
            raise ModelError(f"{label} resolves impacts in 'sequence' or 'together', not {impacts!r}.")
        self.a, self.b, self.name, self.impacts = a, b, name, impacts
        self.friction = not_negative(friction, f"friction of {label}")
        self.restitution = check_restitution(restitution, label)
        self.rolling = not_negative(rolling, f"rolling of {label}", "m")
        self.spinning = not_negative(spinning, f"spinning of {label}", "m")
        self.patch = not_negative(patch, f"patch of {label}", "m")
        refuse_both(self.spinning, self.patch, label)

    @property
    def points(self) -> tuple[Point, ...]:
        return tuple(side.point if isinstance(side, Plane) else side.center for side in (self.a, self.b))

    def contacts(self) -> list[ContactRule]:
        sequence = self.impacts == "sequence"
        return [
            ContactRule(
                (self.a, self.b),
                self.friction,
                self.restitution,
                sequence,
                rolling=self.rolling,
                spinning=self.spinning,
                patch=self.patch,
            )
        ]

    @property
    def dissipates(self) -> bool:
        return self.friction + self.rolling + self.spinning > 0.0 or self.restitution < 1.0

    def symmetries(self, acted: bool = False) -> list[Symmetry]:
        """A plane of the world leaves translations along it, and rotations about its normal."""
        for side in (self.a, self.b):
            if isinstance(side, Plane) and side.body.is_world:
                return [Symmetry(NONE, NONE) if self.friction + self.rolling + self.spinning else plane_symmetry(side)]
        return []


def plane_symmetry(plane: Plane) -> Symmetry:
    """The motions that leave a plane of the world where it is."""
    n = plane.start_normal
    return Symmetry(plane_across(n), line_along(n))
