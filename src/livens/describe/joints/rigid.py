"""Rigid joint: 3 COINCIDE + 3 DOT1."""

from __future__ import annotations

import numpy as np

from ..body import Point
from ..row import Row, coincide, oriented
from ..thing import Freedom
from .joint import Joint


class Rigid(Joint):
    """A weld: the bodies move as one."""

    on_first, on_second = "", "weld"
    shared = tuple(np.eye(3))

    def __init__(self, a: Point, b: Point, name: str = ""):
        super().__init__(a, b, name)

    def rows(self) -> list[Row]:
        return coincide(self.a, self.b) + oriented(self.a, self.b)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return ()
