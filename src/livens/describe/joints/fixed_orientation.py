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
    """Two bodies that do not rotate relative to each other and move freely otherwise."""

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
