"""The base of joints between two points: a list of rows.

A joint takes two points and directions in **world axes at the start**; the first point's body carries its axes. The
kinds of its rows are those of kernels/rows.py; equations of any other form are formulas (formula_rows.py).
"""

from __future__ import annotations

from typing import Any, Self

from ...errors import ModelError
from ..body import Point
from ..glyph import Glyph, Symbol, Z
from ..row import local
from ..thing import Thing

ON_COORDINATE = ("start", "stiffness", "rest", "damping", "limits", "limit_stiffness", "drive", "start_rate")


class Joint(Thing):
    """Two points and the rows that join their bodies. Springs, dampers and stops may act on the coordinates of a joint
    (coordinated.py); a joint without coordinates does not take these arguments."""

    kind = "joint"
    on_first, on_second = "", "ball"  # symbols in pictures: at the first point, and at the second
    coordinate_kinds: tuple[str, ...] = ()  # of "ANGLE", "DISPLACEMENT" and "COMPONENT"

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Refuse arguments that act on a coordinate if there is none, before Python calls them unexpected."""
        for option in ON_COORDINATE:
            if option in given and not cls.coordinate_kinds:
                name = given.get("name", "")
                named = f" {name!r}" if isinstance(name, str) and name else ""
                raise ModelError(
                    f"{cls.__name__}{named} has no coordinate for {option!r} to act on: put a "
                    "Spring or Damper between points, or use a Revolute or Prismatic."
                )
        return super().__new__(cls)

    @property
    def parts(self) -> tuple[str, ...]:
        """A word for each coordinate."""
        return tuple(kind.lower() for kind in self.coordinate_kinds)

    def __init__(self, a: Point, b: Point, name: str):
        self.name = name
        for point in (a, b):
            if not isinstance(point, Point):
                raise ModelError(f"{self.label} joins points such as body.point(0, 0, 0), not {point!r}.")
        if a.body is b.body:
            raise ModelError(f"{self.label} joins body {a.body.name!r} with itself.")
        self.a, self.b = a, b

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.a, self.b)

    @property
    def ends(self) -> tuple[Point, Point] | None:
        return self.a, self.b

    def glyphs(self) -> list[Glyph]:
        """A joint at the second point, with its directions at the first."""
        axes = tuple((self.a, local(self.a.body, u)) for u in self.directions)
        return [Glyph("joint", (self.b,), axes, symbols=self.symbols())]

    def symbols(self) -> tuple[Symbol, ...]:
        """Its drawing: `on_first` moves with the first body, `on_second` with the second; both lie along the first of
        its directions."""
        along = next(iter(self.directions), None)
        found = []
        for kind, point in ((self.on_first, self.a), (self.on_second, self.b)):
            if kind:
                found.append(Symbol(kind, point, Z if along is None else local(point.body, along)))
        return tuple(found)
