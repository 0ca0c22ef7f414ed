"""Planar joint: 1 DOT2 + 2 DOT1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, direction
from ..body import Point
from ..pose import cross
from ..row import Coordinate, Row, aligned, on_plane
from ..symmetry import Symmetry, line_along, plane_across
from ..thing import Freedom
from .joint import Joint

NEAR_X = 0.9  # cosine of the angle between normal and x axis above which the y axis gives the first direction


class Planar(Joint):
    """The second body slides and turns on the plane through the first point with the given normal.

    Coordinates: two displacements and an angle. The first displacement is along the world's x axis at the start,
    projected onto the plane (the y axis, if the normal is nearer to x than 25°); the second is normal × first.
    """

    def __init__(self, a: Point, b: Point, normal: ArrayLike, name: str = ""):
        super().__init__(a, b, name)
        self.normal = n = direction(normal, f"normal of {self.label}")
        self.shared = (n,)
        first = np.eye(3)[1 if abs(n[0]) > NEAR_X else 0]
        x = first - (first @ n) * n
        x /= np.linalg.norm(x)
        self.along = (x, cross(n, x))
        slides = [Coordinate(self, "DISPLACEMENT", a, b, e, part) for e, part in zip(self.along, "xy", strict=True)]
        self.coordinates = (*slides, Coordinate(self, "ANGLE", a, b, n, "angle"))

    def rows(self) -> list[Row]:
        return [on_plane(self.a, self.b, self.normal), *aligned(self.a, self.b, self.normal)]

    @property
    def directions(self) -> tuple[Array, ...]:
        return (self.normal,)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return (*(Freedom("slide", e) for e in self.along), Freedom("hinge", self.normal))

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        return Symmetry(plane_across(self.normal), line_along(self.normal))
