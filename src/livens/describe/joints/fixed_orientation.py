"""Fixed relative orientation: 3 DOT1."""

from __future__ import annotations

import numpy as np

from ...checks import Array
from ...errors import ModelError
from ..body import Body
from ..row import Row, oriented
from ..symmetry import ALL, NONE, Symmetry
from .joint import Joint


class FixedOrientation(Joint):
    """Two bodies that do not rotate relative to each other and move freely otherwise. It has no coordinate.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> tray = m.add(lv.Body(lv.Box(0.4, 0.3, 0.02, density=500), name="tray"))
    >>> push = m.add(lv.Load(tray.point(0.2, 0, 0), force=(0, 0, 1.0)))
    >>> level = m.add(lv.FixedOrientation(m.world, tray, name="level"))
    >>> bool(abs(lv.simulate(m, h=1e-3, until=0.1).rotation(tray)[-1] - np.eye(3)).max() < 1e-12)
    True
    """

    on_first, on_second = "frame", "frame"
    shared = tuple(np.eye(3))

    def __init__(self, body_a: Body, body_b: Body, name: str = ""):
        self.name = name
        for body in (body_a, body_b):
            if not isinstance(body, Body):
                raise ModelError(f"{self.label} joins bodies, not {body!r}.")
        super().__init__(body_a.point(0, 0, 0), body_b.point(0, 0, 0), name)
        self.body_a, self.body_b = body_a, body_b

    def rows(self) -> list[Row]:
        return oriented(self.a, self.b)

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        return Symmetry(ALL, NONE)
