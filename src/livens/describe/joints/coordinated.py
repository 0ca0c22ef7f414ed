"""The base of joints with coordinates, on which springs, dampers, stops, motors and prescribed motions act.

Every coordinate has the value `start` at the start and counts from there, an angle [rad] and a displacement [m] alike:

    V = ½ k (q − rest)² + ½ k_stop (overshoot beyond a limit)²,        Q = −c q̇                                     (1)

A joint with several coordinates takes a sequence, with one entry for each. A single number is that of the coordinates
in `single`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...checks import Array, not_negative, number, positive
from ...errors import ModelError
from ..body import Point
from ..row import Row
from ..term import CoordinateSpring, Term
from .joint import Joint

Numbers = float | Sequence[float]  # one number, or one for each coordinate
Limits = Array | tuple[Array | None, ...] | None  # of one coordinate, or of each


class Coordinated(Joint):
    """A joint with coordinates."""

    single: tuple[int, ...] = (0,)  # the coordinates that a single number is meant for
    stiffness: Any
    damping: Any

    def __init__(
        self,
        a: Point,
        b: Point,
        start: Any,
        stiffness: Any,
        rest: Any,
        damping: Any,
        limits: Any,
        limit_stiffness: Any,
        name: str,
    ):
        super().__init__(a, b, name)
        self.start = self._of_each(start, "start", number)
        if self.several and not isinstance(self.start, tuple):
            self.start = tuple(self._spread(self.start))
        self.stiffness = self._of_each(stiffness, "stiffness", not_negative)
        self.rest = self._of_each(rest, "rest", number)
        self.damping = self._of_each(damping, "damping", not_negative)
        self.limits: Limits = self._limits_of_each(limits)
        every = tuple(range(len(self.coordinate_kinds)))
        self.limit_stiffness = self._of_each(limit_stiffness, "limit_stiffness", positive, every)

    @property
    def several(self) -> bool:
        """True if it has more than one coordinate."""
        return len(self.coordinate_kinds) > 1

    def constraints(self) -> list[Row]:
        """The constraint equations that leave the coordinates free."""
        raise TypeError(f"{type(self).__name__} has no constraints of its own")

    def rows(self) -> list[Row]:
        """The constraint equations, the prescribed motion of the first coordinate, and the dampers."""
        found = self.constraints()
        if self.drive is not None:
            found.append(Row("COUPLE", self.a, self.b, coordinates=self.coordinates[:1], ratios=(1.0,), driven=True))
        for q, rate in zip(self.coordinates, self._spread(self.damping), strict=False) if _some(self.damping) else ():
            if rate:
                found.append(Row("COUPLE", self.a, self.b, coordinates=(q,), ratios=(1.0,), rate=rate))
        return found

    def terms(self) -> list[Term]:
        """The springs and the stops, (1)."""
        if self.limits is None and not _some(self.stiffness):
            return []
        parts = zip(
            self.coordinates,
            self._spread(self.stiffness),
            self._spread(self.rest),
            self._spread_limits(),
            self._spread(self.limit_stiffness, tuple(range(len(self.coordinate_kinds)))),
            strict=False,
        )
        return [CoordinateSpring(*part) for part in parts if part[1] or part[3] is not None]

    def acts_on(self, k: int) -> bool:
        """True if a spring, damper, stop or prescribed motion of its own acts on coordinate k."""
        own = self._spread(self.stiffness)[k] or self._spread(self.damping)[k] or self._spread_limits()[k] is not None
        return bool(own or (k == 0 and self.drive is not None))

    def count_from_points(self) -> None:
        """Let displacements count from the first point, as in scenes of format 1."""
        found = [q.from_points() for q in self.coordinates]
        self.start = tuple(found) if self.several else found[0]

    # ── one number for each coordinate ──

    def _of_each(
        self, value: Any, what: str, check: Callable[[Any, str], float], single: tuple[int, ...] | None = None
    ) -> Any:
        """A number, or a tuple of one number for each coordinate."""
        label = f"{what.replace('_', ' ') if what == 'limit_stiffness' else what} of {self.label}"
        if not self.several or not _is_list(value):
            x = check(value, label)
            if self.single if single is None else single:
                return x
            if x:
                raise ModelError(f"{label} needs one number for each coordinate: {', '.join(self.parts)}.")
            return (0.0,) * len(self.coordinate_kinds)
        entries = list(value)
        if len(entries) != len(self.coordinate_kinds):
            raise ModelError(
                f"{label} needs one number for each coordinate ({', '.join(self.parts)}), not {len(entries)}."
            )
        return tuple(check(x, f"{part} of {label}") for part, x in zip(self.parts, entries, strict=True))

    def _spread(self, value: Any, single: tuple[int, ...] | None = None) -> list[float]:
        """One number for each coordinate."""
        if isinstance(value, tuple | list):
            return list(value)
        meant = self.single if single is None else single
        return [float(value) if k in meant else 0.0 for k in range(len(self.coordinate_kinds))]

    def _limits_of_each(self, given: Any) -> Limits:
        """(lower, upper) of one coordinate, or a tuple with such a pair or None for each."""
        label = f"limits of {self.label}"
        if given is None:
            return None
        if not self.several or not _holds_pairs(given):
            if not self.single:
                raise ModelError(f"{label} needs a pair or None for each coordinate: {', '.join(self.parts)}.")
            return limits_pair(given, label)
        entries = list(given)
        if len(entries) != len(self.coordinate_kinds):
            raise ModelError(f"{label} needs a pair or None for each coordinate: {', '.join(self.parts)}.")
        pairs = [None if x is None else limits_pair(x, label) for x in entries]
        return tuple(None if x is None or np.isinf(x).all() else x for x in pairs)

    def _spread_limits(self) -> list[Array | None]:
        if isinstance(self.limits, tuple):
            return list(self.limits)
        return [self.limits if k in self.single else None for k in range(len(self.coordinate_kinds))]


def _some(value: float | tuple[float, ...]) -> bool:
    """True if a number, or one of several, is not zero."""
    return any(value) if isinstance(value, tuple | list) else bool(value)


def _is_list(value: Any) -> bool:
    """True for several values: a list, a tuple or an array."""
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _holds_pairs(given: Any) -> bool:
    """True if an entry is itself a sequence."""
    try:
        return any(_is_list(x) for x in given if x is not None)
    except (TypeError, ValueError):
        return False


def limits_pair(given: Any, what: str) -> Array:
    """(lower, upper); None or infinity means no limit on that side."""
    try:
        ends = list(given)
        lower, upper = (side if x is None else float(x) for x, side in zip(ends, (-np.inf, np.inf), strict=True))
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what} must be (lower, upper), not {given!r}.") from None
    if not lower < upper:
        raise ModelError(f"{what} must be (lower, upper), got {[lower, upper]}.")
    return np.array([lower, upper])
