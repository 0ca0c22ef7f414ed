"""The base of joints with an axis and a coordinate.

The coordinate is the angle [rad] by which the second body has turned about the axis since the start, or the
displacement [m] of the second point from the first along the axis, or both. Springs, dampers, stops, motors and
prescribed motions act on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, accepts, direction, not_negative, number, positive
from ...errors import ModelError
from ..body import Point
from ..row import Coordinate, Drive, Row
from ..symmetry import NONE, line_along
from ..term import CoordinateSpring, Term
from .joint import Joint


class Axial(Joint):
    """A joint with an axis and a coordinate.

    stiffness [N m/rad or N/m] and rest [rad or m]: a spring on the coordinate; damping [N m s/rad or N s/m]; limits
    (lower, upper) with limit_stiffness: one-sided springs beyond them, None on a side without a limit; drive: the
    coordinate as a prescribed function of time; start_rate [rad/s or m/s]: the rate of the coordinate at the start
    (start_rates.py finds the velocities of all bodies). If the joint has an angle and a displacement, they act on the
    angle.
    """

    coordinate_kinds: tuple[str, ...] = ("ANGLE",)
    stiffness: float
    damping: float

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
        label = self.label
        self.axis = direction(axis, f"axis of {label}")
        self.stiffness = not_negative(stiffness, f"stiffness of {label}")
        self.rest = number(rest, f"rest of {label}")
        self.damping = not_negative(damping, f"damping of {label}")
        self.limits = None if limits is None else _limits(limits, f"limits of {label}")
        self.limit_stiffness = positive(limit_stiffness, f"limit stiffness of {label}")
        if drive is not None and not accepts(drive, 1):
            raise ModelError(f"drive of {label} must be a function of time, not {drive!r}.")
        self.drive = drive
        self.start_rate = None if start_rate is None else number(start_rate, f"start_rate of {label}")
        if drive is not None and start_rate is not None:
            raise ModelError(f"{label} has both drive and start_rate: the drive determines the rate at the start.")
        several = len(self.coordinate_kinds) > 1
        self.coordinates = tuple(
            Coordinate(self, kind, a, b, self.axis, kind.lower() if several else "") for kind in self.coordinate_kinds
        )
        self.shared = (self.axis,) if "ANGLE" in self.coordinate_kinds else tuple(np.eye(3))

    @property
    def directions(self) -> tuple[Array, ...]:
        return (self.axis,)

    def constraints(self) -> list[Row]:
        """The constraint equations that leave the coordinates free."""
        raise TypeError(f"{type(self).__name__} has no constraints of its own")

    def rows(self) -> list[Row]:
        """The constraint equations, the prescribed motion of the first coordinate, and its damper."""
        found, q = self.constraints(), self.coordinates[:1]
        if self.drive is not None:
            found.append(Row("COUPLE", self.a, self.b, coordinates=q, ratios=(1.0,), driven=True))
        if self.damping:
            found.append(Row("COUPLE", self.a, self.b, coordinates=q, ratios=(1.0,), rate=self.damping))
        return found

    def terms(self) -> list[Term]:
        """The spring and the stops of the first coordinate."""
        if not self.stiffness and self.limits is None:
            return []
        return [CoordinateSpring(self.coordinates[0], self.stiffness, self.rest, self.limits, self.limit_stiffness)]

    def free_direction(self, acted: bool) -> Array:
        """The axis as a subspace, if nothing acts on the first coordinate; otherwise no direction."""
        own = self.stiffness or self.damping or self.drive is not None or self.limits is not None
        return NONE if acted or own else line_along(self.axis)


def _limits(given: Any, what: str) -> Array:
    """(lower, upper); None or infinity means no limit on that side."""
    try:
        ends = list(given)
        lower, upper = (side if x is None else float(x) for x, side in zip(ends, (-np.inf, np.inf), strict=True))
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what} must be (lower, upper), not {given!r}.") from None
    if not lower < upper:
        raise ModelError(f"{what} must be (lower, upper), got {[lower, upper]}.")
    return np.array([lower, upper])
