"""Rope: a distance between two points that cannot exceed a length: 0 ≤ λ ⟂ l − |x_b − x_a| ≥ 0."""

from __future__ import annotations

from ...checks import labelled, positive
from ...errors import ModelError
from ..body import Point
from ..contact_rule import ContactRule, check_restitution
from ..glyph import Glyph
from ..symmetry import Symmetry
from ..term import central_symmetry
from ..thing import Thing
from .two_points import distance_at_start

LONGER = 1e-9  # relative, from which on the points are too far apart at the start


class Rope(Thing):
    """A rope between two points: massless, inextensible, and slack while they are closer than `length` [m] (None: their
    distance at the start). It pulls and does not push.

    restitution: e from 0 to 1 when a slack rope becomes taut. It needs `lv.Livens()`, like contact.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.PointMass(1.0), at=(0, 0, 0.5), name="ball"))
    >>> rope = m.add(lv.Rope(m.world.point(0, 0, 0), ball.point(0, 0, 0), length=1.0, name="rope"))
    >>> motion = lv.simulate(m, h=1e-2, until=2.0)
    >>> round(float(motion.impacts.t[0]), 9), round(float(motion.position(ball)[-1, 2]), 12)  # falls √(2 · 1.5 m / g)
    (0.553001264, -1.0)
    """

    kind = "force"

    def __init__(self, a: Point, b: Point, length: float | None = None, restitution: float = 0.0, name: str = ""):
        label = labelled("rope", name)
        distance = distance_at_start(a, b, label)
        self.a, self.b, self.name = a, b, name
        self.length = positive(distance if length is None else length, f"length of {label}", "m")
        self.restitution = check_restitution(restitution, label)
        if distance > self.length * (1.0 + LONGER):
            raise ModelError(
                f"{label} is {self.length:g} m long, and its points are {distance:g} m apart at the start: move them "
                "together, or make it longer."
            )

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.a, self.b)

    def contacts(self) -> list[ContactRule]:
        return [ContactRule((), 0.0, self.restitution, True, rope=(self.a, self.b, self.length))]

    @property
    def dissipates(self) -> bool:
        return self.restitution < 1.0

    def symmetries(self, acted: bool = False) -> list[Symmetry]:
        return central_symmetry(self.a, self.b)

    def glyphs(self) -> list[Glyph]:
        return [Glyph("rod", (self.a, self.b))]
