"""Universal joint: 3 COINCIDE + 1 DOT1."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from ...checks import Array, direction
from ...errors import ModelError
from ..body import Point
from ..glyph import Glyph, Symbol
from ..row import Coordinate, Row, coincide, local
from ..symmetry import NONE, Symmetry, line_along
from ..thing import Freedom
from .coordinated import Coordinated, Numbers

PERPENDICULAR = 1e-9  # cosine of the angle between perpendicular axes, at most


class Universal(Coordinated):
    """A universal (Cardan) joint: the points stay together, and so does the angle between `axis_a`, fixed to the
    first body, and `axis_b`, fixed to the second (world axes at the start; usually perpendicular).

    Coordinates, if the axes are perpendicular: the angles [rad] of the second body about `axis_a` and about `axis_b`,
    `start` at the start. stiffness [N m/rad], rest [rad], damping [N m s/rad], limits [rad] and start take a number for
    both angles, or a pair; limits a pair (lower, upper) for both, or two pairs, beyond which springs of limit_stiffness
    [N m/rad] act.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> rotor = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.2, 0.25)), name="rotor"))
    >>> cross = m.add(lv.Universal(m.world.point(0, 0, 0), rotor.point(0, 0, 0), (1, 0, 0), (0, 1, 0),
    ...                            stiffness=(20.0, 5.0), start=(0.1, 0.0), name="cross"))
    >>> lv.dynamics(m).coordinate("cross").round(12).tolist(), round(float(lv.dynamics(m).potential[0]), 12)
    ([[0.1, 0.0]], 0.1)
    """

    coordinate_kinds = ("ANGLE", "ANGLE")
    parts = ("angle_a", "angle_b")
    single = (0, 1)
    carried: ClassVar = {"axis_a": 0, "axis_b": 1}
    perpendicular: ClassVar = ("axis_a", "axis_b")

    def __init__(
        self,
        a: Point,
        b: Point,
        axis_a: ArrayLike,
        axis_b: ArrayLike,
        start: Numbers = 0.0,
        stiffness: Numbers = 0.0,
        rest: Numbers = 0.0,
        damping: Numbers = 0.0,
        limits: ArrayLike | None = None,
        limit_stiffness: Numbers = 1e5,
        name: str = "",
    ):
        super().__init__(a, b, start, stiffness, rest, damping, limits, limit_stiffness, name)
        self.axis_a = direction(axis_a, f"axis_a of {self.label}")
        self.axis_b = direction(axis_b, f"axis_b of {self.label}")
        if abs(self.axis_a @ self.axis_b) > 0.99:
            raise ModelError(f"the axes of {self.label} are parallel: a universal joint needs two directions.")
        if abs(self.axis_a @ self.axis_b) < PERPENDICULAR:
            u, w = self.axis_a, self.axis_b
            first = Coordinate(self, "ANGLE", a, b, u, "angle_a", zero=w)
            self.coordinates = (first, Coordinate(self, "ANGLE", b, a, -w, "angle_b", zero=u, number=1))
        elif any(self.start) or self.acts_on(0) or self.acts_on(1):
            raise ModelError(
                f"{self.label} has no angles, because its axes are not perpendicular (cosine "
                f"{self.axis_a @ self.axis_b:.3g}): a start, spring, damper or limit needs them."
            )

    def constraints(self) -> list[Row]:
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
        axes = tuple((point, local(point.body, axis)) for point, axis in ends)
        return [Glyph("joint", (self.b,), axes, symbols=tuple(Symbol("fork", *end) for end in axes))]

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        """Rotations about the axis that the world carries, if nothing acts on the angle about it."""
        k = 0 if self.a.body.is_world else 1
        held = acted or self.acts_on(k)
        return Symmetry(NONE, NONE if held else line_along((self.axis_a, self.axis_b)[k]), x)
