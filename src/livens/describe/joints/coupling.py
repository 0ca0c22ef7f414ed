"""Coupling of the first coordinates of two joints, as by gears or belts: 1 COUPLE, ratio · q₁ − q₂ = constant."""

from __future__ import annotations

from ...checks import number
from ...errors import ModelError
from ..body import Point
from ..glyph import Glyph, Symbol
from ..row import Row, local
from ..symmetry import Symmetry
from ..thing import Thing
from .axial import Axial
from .joint import Joint


class Coupling(Joint):
    """A gear, or a rack and pinion: the change of the second joint's coordinate since the start is `ratio` times that
    of the first's, q₂ − start₂ = ratio · (q₁ − start₁). `ratio` is in rad/rad, m/rad, …

    >>> import livens as lv
    >>> m = lv.Model()
    >>> wheels = [m.add(lv.Body(lv.Cylinder(r, 0.1, density=1000), at=(r, 0, 0), name=f"w{r}")) for r in (1, 2)]
    >>> hinges = [m.add(lv.Revolute(m.world.point_at(*w.pose.a), w.point(0, 0, 0), axis=(0, 0, 1))) for w in wheels]
    >>> gear = m.add(lv.Coupling(*hinges, ratio=-0.5))
    """

    def __init__(self, first: Axial, second: Axial, ratio: float, name: str = ""):
        self.name = name
        for joint in (first, second):
            if not isinstance(joint, Thing) or not joint.coordinates or joint.coordinates[0].kind == "COMPONENT":
                raise ModelError(
                    f"{self.label} needs joints with a coordinate (Revolute, Prismatic, …), not {joint!r}."
                )
        if first is second:
            raise ModelError(f"{self.label} couples joint {first.name!r} with itself.")
        self.first, self.second = first, second
        self.ratio = number(ratio, f"ratio of {self.label}")
        if self.ratio == 0.0:
            raise ModelError(f"ratio of {self.label} is zero: joint {second.name!r} would be locked, not coupled.")

    @property
    def joints(self) -> tuple[Thing, ...]:
        return (self.first, self.second)

    @property
    def points(self) -> tuple[Point, ...]:
        return (*self.first.points, *self.second.points)

    @property
    def ends(self) -> tuple[Point, Point] | None:
        """None: it acts through the joints that it couples."""
        return None

    def rows(self) -> list[Row]:
        pair = (self.first.coordinates[0], self.second.coordinates[0])
        ratios = (self.ratio, -1.0)
        value = sum(rho * q.start for rho, q in zip(ratios, pair, strict=True))
        return [Row("COUPLE", self.first.a, self.first.b, coordinates=pair, ratios=ratios, value=value)]

    def symmetries(self, acted: bool = False) -> list[Symmetry]:
        """None of its own: the joints that it couples have no free coordinate."""
        return []

    def glyphs(self) -> list[Glyph]:
        """A gear on the second body of each joint that turns, a rack on that of each joint that slides."""
        found = []
        for q in (self.first.coordinates[0], self.second.coordinates[0]):
            found.append(Symbol("gear" if q.is_angle else "rack", q.b, local(q.b.body, q.axis)))
        return [Glyph("coupling", (self.first.b,), symbols=tuple(found))]
