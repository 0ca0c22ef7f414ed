"""The base of joints with an axis and a coordinate.

The coordinate is the angle [rad] by which the second body has turned about the axis since the start, or the
displacement [m] of the second point from the first along the axis, or both. Springs, dampers, limits, motors and
prescribed motions act on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, answers, direction, not_negative, number, positive
from ...errors import ModelError
from ..model import Point
from .joint import Joint
from .row import Coordinate, Drive, Row


class Axial(Joint):
    """A joint with an axis and a coordinate.

    stiffness [N m/rad or N/m] and rest [rad or m]: a spring on the coordinate; damping [N m s/rad or N s/m]; limits
    (lower, upper) with limit_stiffness: one-sided springs beyond them, None where there is no limit; drive: the
    coordinate as a function of time; start_rate [rad/s or m/s]: how fast it goes at the start (start_rates.py finds
    what the other bodies do then). Where the joint has an angle and a displacement, they act on the angle.
    """

    has: tuple[str, ...] = ("ANGLE",)

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
        name: str = "",
    ):
        super().__init__(a, b, name)
        label = self._label(name)
        self.axis = direction(axis, f"axis of {label}")
        self.stiffness = not_negative(stiffness, f"stiffness of {label}")
        self.rest = number(rest, f"rest of {label}")
        self.damping = not_negative(damping, f"damping of {label}")
        self.limits = None if limits is None else _limits(limits, f"limits of {label}")
        self.limit_stiffness = positive(limit_stiffness, f"limit stiffness of {label}")
        if drive is not None and not answers(drive, 1):
            raise ModelError(f"drive of {label} must be a function of time, not {drive!r}.")
        self.drive = drive
        self.start_rate = None if start_rate is None else number(start_rate, f"start_rate of {label}")
        if drive is not None and start_rate is not None:
            raise ModelError(f"{label} has both drive and start_rate: the drive says how fast it goes at the start.")
        self.coordinates = tuple(Coordinate(self, kind, a, b, self.axis) for kind in self.has)
        self.shared = (self.axis,) if "ANGLE" in self.has else tuple(np.eye(3))

    def extras(self) -> list[Row]:
        q = self.coordinates[0]
        driven = (
            [Row("COUPLE", self.a, self.b, coordinates=(q,), ratios=(1.0,), drive=self.drive)] if self.drive else []
        )
        damped = (
            [Row("COUPLE", self.a, self.b, coordinates=(q,), ratios=(1.0,), rate=self.damping)] if self.damping else []
        )
        return driven + damped


def _limits(given: Any, what: str) -> Array:
    """(lower, upper); None or infinity leaves a side open."""
    ends = list(given) if np.ndim(given) == 1 and len(given) == 2 else [given]
    ends = [side if x is None else x for x, side in zip(ends, (-np.inf, np.inf), strict=False)]
    try:
        lower, upper = (float(x) for x in ends)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be (lower, upper), not {given!r}.") from None
    if not lower < upper:
        raise ModelError(f"{what} must be (lower, upper), got {[lower, upper]}.")
    return np.array([lower, upper])
