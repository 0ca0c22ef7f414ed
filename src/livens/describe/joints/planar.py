"""Planar joint: 1 DOT2 + 2 DOT1."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, direction
from ..body import Point
from ..pose import cross
from ..row import Coordinate, Row, aligned, on_plane
from ..symmetry import NONE, Symmetry, line_along, plane_across
from ..thing import Freedom
from .coordinated import Coordinated, Numbers

NEAR_X = 0.9  # cosine of the angle between normal and x axis above which the y axis gives the first direction


class Planar(Coordinated):
    """The second body slides and turns on the plane through the first point with the given normal.

    Coordinates: two displacements [m] and an angle [rad], `start` at the start. The first displacement is along the
    world's x axis at the start, projected onto the plane (the y axis, if the normal is nearer to x than 25°); the
    second is normal × first. stiffness [N/m, N/m, N m/rad] and rest [m, m, rad]: springs without force at `rest`;
    damping [N s/m, N s/m, N m s/rad]; these and start take three numbers, in this order. limits take three pairs
    (lower, upper) or None, beyond which springs of limit_stiffness [N/m, N/m, N m/rad] act. It takes no drive and no
    start_rate: the velocities of its bodies are given to them.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> puck = m.add(lv.Body(lv.Cylinder(0.04, 0.02, density=1000), velocity=(2.0, 1.0, 0.0), name="puck"))
    >>> table = m.add(lv.Planar(m.world.point(0, 0, 0), puck.point(0, 0, 0), normal=(0, 0, 1), name="table"))
    >>> lv.simulate(m, h=0.01, until=0.5).coordinate("table")[-1].round(9).tolist()
    [1.0, 0.5, 0.0]
    """

    on_first, on_second = "plate", "block"
    coordinate_kinds = ("DISPLACEMENT", "DISPLACEMENT", "ANGLE")
    parts = ("x", "y", "angle")
    single = ()
    carried: ClassVar = {"normal": 0}

    def __init__(
        self,
        a: Point,
        b: Point,
        normal: ArrayLike,
        start: Numbers = 0.0,
        stiffness: Numbers = 0.0,
        rest: Numbers = 0.0,
        damping: Numbers = 0.0,
        limits: ArrayLike | None = None,
        limit_stiffness: Numbers = 1e5,
        name: str = "",
    ):
        super().__init__(a, b, start, stiffness, rest, damping, limits, limit_stiffness, name)
        self.normal = n = direction(normal, f"normal of {self.label}")
        self.shared = (n,)
        first = np.eye(3)[1 if abs(n[0]) > NEAR_X else 0]
        x = first - (first @ n) * n
        x /= np.linalg.norm(x)
        self.along = (x, cross(n, x))
        self.coordinates = tuple(
            Coordinate(self, kind, a, b, e, part, number=k)
            for k, (kind, e, part) in enumerate(zip(self.coordinate_kinds, (*self.along, n), self.parts, strict=True))
        )

    def constraints(self) -> list[Row]:
        return [on_plane(self.a, self.b, self.normal), *aligned(self.a, self.b, self.normal)]

    @property
    def directions(self) -> tuple[Array, ...]:
        return (self.normal,)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return (*(Freedom("slide", e) for e in self.along), Freedom("hinge", self.normal))

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        """Translations in the plane and rotations about its normal, of those on which nothing acts."""
        fixed = [acted or self.acts_on(k) for k in range(3)]
        move = plane_across(self.normal) if not any(fixed[:2]) else NONE
        if fixed[0] != fixed[1]:
            move = line_along(self.along[int(fixed[0])])
        return Symmetry(move, NONE if any(fixed) else line_along(self.normal))
