"""Rigid joint: 3 COINCIDE + 3 DOT1."""

from __future__ import annotations

import numpy as np

from ..body import Point
from ..row import Row, coincide, oriented
from ..thing import Freedom
from .joint import Joint


class Rigid(Joint):
    """A weld: the bodies move as one. It has no coordinate.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> plate = m.add(lv.Body(lv.Box(1, 1, 0.1, density=100), angular_velocity=(0, 0, 1), name="plate"))
    >>> boss = m.add(lv.Body(lv.Box(0.2, 0.2, 0.2, density=100), at=(0.4, 0, 0.15), velocity=(0, 0.4, 0),
    ...                      angular_velocity=(0, 0, 1), name="boss"))
    >>> weld = m.add(lv.Rigid(plate.point(0.4, 0, 0.15), boss.center, name="weld"))
    >>> lv.simulate(m, h=1e-3, until=0.1).freedom
    6
    """

    on_first, on_second = "", "weld"
    shared = tuple(np.eye(3))

    def __init__(self, a: Point, b: Point, name: str = ""):
        super().__init__(a, b, name)

    def rows(self) -> list[Row]:
        return coincide(self.a, self.b) + oriented(self.a, self.b)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return ()
