"""Universal joint: 3 COINCIDE + 1 DOT1."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ...checks import Array, direction
from ...errors import ModelError
from ..body import Point
from ..glyph import Glyph
from ..row import Coordinate, Row, coincide, local
from ..symmetry import NONE, Symmetry, line_along
from ..thing import Freedom
from .joint import Joint

PERPENDICULAR = 1e-9  # cosine of the angle between perpendicular axes, at most


class Universal(Joint):
    """A universal (Cardan) joint: the points stay together, and so does the angle between `axis_a`, fixed to the
    first body, and `axis_b`, fixed to the second (world axes at the start; usually perpendicular).

    Coordinates, if the axes are perpendicular: the angles about `axis_a` and about `axis_b`."""

    def __init__(self, a: Point, b: Point, axis_a: ArrayLike, axis_b: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.axis_a = direction(axis_a, f"axis_a of {self.label}")
        self.axis_b = direction(axis_b, f"axis_b of {self.label}")
        if abs(self.axis_a @ self.axis_b) > 0.99:
            raise ModelError(f"the axes of {self.label} are parallel: a universal joint needs two directions.")
        if abs(self.axis_a @ self.axis_b) < PERPENDICULAR:
            u, w = self.axis_a, self.axis_b
            first = Coordinate(self, "ANGLE", a, b, u, "angle_a", zero=w)
            self.coordinates = (first, Coordinate(self, "ANGLE", b, a, -w, "angle_b", zero=u))

    def rows(self) -> list[Row]:
        u, w = local(self.a.body, self.axis_a), local(self.b.body, self.axis_b)
        value = float(self.axis_a @ self.axis_b)
        return [*coincide(self.a, self.b), Row("DOT1", self.a, self.b, u, w, value=value)]

    @property
    def directions(self) -> tuple[Array, ...]:
        return self.axis_a, self.axis_b

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return Freedom("hinge", self.axis_a), Freedom("hinge", self.axis_b)

    def glyphs(self) -> list[Glyph]:
        ends = ((self.a, self.axis_a), (self.b, self.axis_b))
        return [Glyph("joint", (self.b,), tuple((point, local(point.body, axis)) for point, axis in ends))]

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        """Rotations about the axis that the world carries."""
        return Symmetry(NONE, line_along(self.axis_a if self.a.body.is_world else self.axis_b), x)
