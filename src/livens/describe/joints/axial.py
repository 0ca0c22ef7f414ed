"""The base of joints with an axis: an angle about it, a displacement along it, or both."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, accepts, direction, number
from ...errors import ModelError
from ..body import Point
from ..row import Coordinate, Drive
from ..symmetry import NONE, line_along
from .coordinated import Coordinated


class Axial(Coordinated):
    """A joint with an axis and a coordinate.

    start [rad or m]: the coordinate at the start; stiffness [N m/rad or N/m] and rest [rad or m]: a spring on the
    coordinate; damping [N m s/rad or N s/m]; limits (lower, upper) with limit_stiffness: one-sided springs beyond them,
    None on a side without a limit; drive: the coordinate as a prescribed function of time; start_rate [rad/s or m/s]:
    the rate of the coordinate at the start (start_rates.py finds the velocities of all bodies).
    """

    coordinate_kinds: tuple[str, ...] = ("ANGLE",)
    carried: ClassVar = {"axis": 0}

    def __init__(
        self,
        a: Point,
        b: Point,
        axis: ArrayLike,
        stiffness: float = 0.0,
        rest: float = 0.0,
        damping: float = 0.0,
        limits: ArrayLike | None = None,
        limit_stiffness: float = 1e5,
        drive: Drive | None = None,
        start_rate: float | None = None,
        start: float = 0.0,
        name: str = "",
    ):
        super().__init__(a, b, start, stiffness, rest, damping, limits, limit_stiffness, name)
        label = self.label
        self.axis = direction(axis, f"axis of {label}")
        if drive is not None and not accepts(drive, 1):
            raise ModelError(f"drive of {label} must be a function of time, not {drive!r}.")
        self.drive = drive
        self.start_rate = None if start_rate is None else number(start_rate, f"start_rate of {label}")
        if drive is not None and start_rate is not None:
            raise ModelError(f"{label} has both drive and start_rate: the drive determines the rate at the start.")
        self.coordinates = tuple(
            Coordinate(self, kind, a, b, self.axis, part if self.several else "", number=k)
            for k, (kind, part) in enumerate(zip(self.coordinate_kinds, self.parts, strict=True))
        )
        self.shared = (self.axis,) if "ANGLE" in self.coordinate_kinds else tuple(np.eye(3))

    @property
    def directions(self) -> tuple[Array, ...]:
        return (self.axis,)

    def free_direction(self, kind: str, acted: bool) -> Array:
        """The axis as a subspace, if nothing acts on the coordinate of that kind; otherwise no direction."""
        k = self.coordinate_kinds.index(kind)
        return NONE if acted or self.acts_on(k) else line_along(self.axis)
