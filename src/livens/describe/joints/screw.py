"""Screw joint: 2 DOT2 + 2 DOT1 + 1 COUPLE."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...checks import number
from ..body import Point
from ..row import Drive, Row, across, aligned, on_plane
from .axial import Axial


class Screw(Axial):
    """The second body turns about `axis` and moves along it by `pitch` [m] a turn. Coordinates: angle, displacement."""

    coordinate_kinds = ("ANGLE", "DISPLACEMENT")

    # The arguments of Axial are repeated: scenes and editors read the keys of a joint from its signature.
    def __init__(
        self,
        a: Point,
        b: Point,
        axis: ArrayLike,
        pitch: float,
        stiffness: float = 0.0,
        rest: float = 0.0,
        damping: float = 0.0,
        limits: ArrayLike | None = None,
        limit_stiffness: float = 1e5,
        drive: Drive | None = None,
        start_rate: float | None = None,
        name: str = "",
    ):
        super().__init__(a, b, axis, stiffness, rest, damping, limits, limit_stiffness, drive, start_rate, name)
        self.pitch = number(pitch, f"pitch of {self.label}")

    def constraints(self) -> list[Row]:
        slide = [on_plane(self.a, self.b, e) for e in across(self.axis)]
        turn, move = self.coordinates
        thread = Row(
            "COUPLE", self.a, self.b, coordinates=(move, turn), ratios=(1.0, -self.pitch / (2.0 * np.pi)),
            value=move.start,
        )  # fmt: skip
        return [*slide, *aligned(self.a, self.b, self.axis), thread]
