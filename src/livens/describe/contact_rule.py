"""A rule of contact: which bodies and planes touch, and how."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from ..checks import not_negative
from ..errors import ModelError
from .body import Body, Plane
from .row import Coordinate

Side: TypeAlias = Body | Plane  # what can touch


class ContactRule(NamedTuple):
    """Contact between the two `sides`, between all bodies and `planes` if there are none, or of a joint's stop."""

    sides: tuple[Side, ...]
    friction: float  # μ
    restitution: float  # e
    sequence: bool  # touching impacts are resolved one after the other
    planes: tuple[Plane, ...] = ()
    exclude: tuple[tuple[Body, Body], ...] = ()  # pairs of bodies that do not touch
    stop: Coordinate | None = None  # the joint coordinate of a hard stop
    limits: tuple[float, float] = (0.0, 0.0)  # its lower and upper limit [rad] or [m]


def check_restitution(value: Any, label: str) -> float:
    """A coefficient of restitution, from 0 to 1."""
    e = not_negative(value, f"restitution of {label}")
    if e > 1.0:
        raise ModelError(f"restitution of {label} must be between 0 and 1, got {e:g}: energy would grow.")
    return e
