"""Viscous damper between two points: F = −c d/dt |x_b − x_a| along their line. It has no potential; it dissipates."""

from __future__ import annotations

from ...checks import labelled, positive
from ..body import Point
from ..glyph import Glyph
from ..row import Row
from ..symmetry import Symmetry
from ..term import central_symmetry
from ..thing import Thing
from .two_points import distance_at_start


class Damper(Thing):
    """A viscous damper between two points: it pulls with `rate`, the damping coefficient [N s/m],
    times the speed at which they separate.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ball = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), name="ball"))
    >>> m.add(lv.Damper(m.world.point(0, 0, 0), ball.point(0, 0, 0), rate=2.0)).rate
    2.0
    """

    kind = "force"

    def __init__(self, a: Point, b: Point, rate: float, name: str = ""):
        label = labelled("damper", name)
        distance_at_start(a, b, label)
        self.a, self.b, self.name = a, b, name
        self.rate = positive(rate, f"rate of {label}", "N s/m")

    @property
    def damping(self) -> float:
        """The damping coefficient, `rate`, by the name that springs and joints use [N s/m]."""
        return self.rate

    @damping.setter
    def damping(self, rate: float) -> None:
        self.rate = rate

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.a, self.b)

    def rows(self) -> list[Row]:
        return [Row("SPAN", self.a, self.b, rate=self.rate)] if self.rate > 0.0 else []

    def symmetries(self, acted: bool = False) -> list[Symmetry]:
        return central_symmetry(self.a, self.b)

    def glyphs(self) -> list[Glyph]:
        return [Glyph("damper", (self.a, self.b))]
