"""Spherical joint: 3 COINCIDE."""

from __future__ import annotations

import numpy as np

from ...checks import Array
from ..body import Point
from ..row import Row, coincide
from ..symmetry import ALL, NONE, Symmetry
from ..thing import Freedom
from .joint import Joint


class Spherical(Joint):
    """A ball joint: the two points stay together."""

    def __init__(self, a: Point, b: Point, name: str = ""):
        super().__init__(a, b, name)

    def rows(self) -> list[Row]:
        return coincide(self.a, self.b)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return (Freedom("ball", np.zeros(3)),)

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        return Symmetry(NONE, ALL, x)
