"""A rule of contact: which bodies and planes touch, and how."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from ..checks import not_negative
from ..errors import ModelError
from .body import Body, Plane, Point
from .row import Coordinate

Side: TypeAlias = Body | Plane  # what can touch


class DryFriction(NamedTuple):
    """Dry friction along a joint coordinate (kernels/contact/resistance.py)."""

    coordinate: Coordinate
    dynamic: float  # [N m] or [N]
    static: float
    stribeck: float  # [rad/s] or [m/s]; 0 if `static` is `dynamic`


class ContactRule(NamedTuple):
    """Contact between the two `sides`; a joint's stop, dry friction in a joint, or a rope if there is one; else contact
    between all bodies and `planes`."""

    sides: tuple[Side, ...]
    friction: float  # μ
    restitution: float  # e
    sequence: bool  # touching impacts are resolved one after the other
    planes: tuple[Plane, ...] = ()
    exclude: tuple[tuple[Body, Body], ...] = ()  # pairs of bodies that do not touch
    stop: Coordinate | None = None  # the joint coordinate of a hard stop
    limits: tuple[float, float] = (0.0, 0.0)  # its lower and upper limit [rad] or [m]
    rolling: float = 0.0  # length of the resistance against rolling [m]
    spinning: float = 0.0  # and against spinning about the normal [m]
    patch: float = 0.0  # radius of the area in which they touch [m]
    dry: DryFriction | None = None
    rope: tuple[Point, Point, float] | None = None  # its ends and its length [m]

    @property
    def coordinate(self) -> Coordinate | None:
        """The joint coordinate on which it acts."""
        return self.dry.coordinate if self.dry else self.stop

    @property
    def is_crowd(self) -> bool:
        """True if it is between all bodies."""
        return not self.sides and self.coordinate is None and self.rope is None


def check_restitution(value: Any, label: str) -> float:
    """A coefficient of restitution, from 0 to 1."""
    e = not_negative(value, f"restitution of {label}")
    if e > 1.0:
        raise ModelError(f"restitution of {label} must be between 0 and 1, got {e:g}: energy would grow.")
    return e


def refuse_both(spinning: float, patch: float, label: str) -> None:
    """A patch has resistance against spinning already."""
    if spinning > 0.0 and patch > 0.0:
        raise ModelError(f"{label} has spinning and patch, and a patch resists spinning: give one of them.")
