"""Spring between two points: V = ½ k (|x_b − x_a| − l)²."""

from __future__ import annotations

from ...checks import labelled, not_negative
from ..body import Point
from ..glyph import Glyph
from ..row import Row
from ..symmetry import Symmetry
from ..term import PointSpring, Term, central_symmetry
from ..thing import Thing
from .two_points import distance_at_start


class Spring(Thing):
    """A spring between two points: stiffness k [N/m], rest length l ≥ 0 [m] (None: their distance at the start), and a
    damper beside it, damping [N s/m].

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ball = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), name="ball"))
    >>> m.add(lv.Spring(m.world.point(0, 0, 0), ball.point(0, 0, 0), stiffness=10.0, length=0.0)).length
    0.0
    """

    kind = "force"
    stiffness: float
    damping: float

    def __init__(
        self, a: Point, b: Point, stiffness: float, length: float | None = None, damping: float = 0.0, name: str = ""
    ):
        label = labelled("spring", name)
        distance = distance_at_start(a, b, label)
        self.a, self.b, self.name = a, b, name
        self.stiffness = not_negative(stiffness, f"stiffness of {label}", "N/m")
        self.length = distance if length is None else not_negative(length, f"length of {label}", "m")
        self.damping = not_negative(damping, f"damping of {label}", "N s/m")

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.a, self.b)

    def terms(self) -> list[Term]:
        return [PointSpring(self.a, self.b, self.stiffness, self.length)]

    def rows(self) -> list[Row]:
        """The damper beside it."""
        return [Row("SPAN", self.a, self.b, rate=self.damping)] if self.damping > 0.0 else []

    def symmetries(self, acted: bool = False) -> list[Symmetry]:
        return central_symmetry(self.a, self.b) if self.stiffness or self.damping else []

    def glyphs(self) -> list[Glyph]:
        return [Glyph("spring", (self.a, self.b), length=self.length)]
