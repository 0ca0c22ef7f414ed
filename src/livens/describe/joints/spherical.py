"""Spherical joint: 3 COINCIDE.

With φ the rotation vector of the second body in the axes of the first (|φ| ≤ π), and φ_r that of the rest position, the
spring and the stop are

    V = ½ k θ² + ½ k_stop (|φ| − limit)²₊,        θ = |log(exp φ exp(−φ_r))|                                       (1)

θ is the angle of the rotation from the rest position, so that the torque is −k θ about its axis. V is smooth there. At
half a turn from the rest position (θ = π) the axis of the shortest rotation changes sign, and so does the torque: V has
a ridge, which a spring does not cross unless a motion has the energy ½ k π².
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, not_negative, positive, vector
from ...errors import ModelError
from ..body import Point
from ..row import ZERO, Coordinate, Row, coincide
from ..symmetry import ALL, NONE, Symmetry
from ..term import CoordinateSpring, Term
from ..thing import Freedom
from .coordinated import limits_pair
from .joint import Joint


class Spherical(Joint):
    """A ball joint: the two points stay together.

    Coordinates: the rotation vector [rad] of the second body in the axes of the first, `start` at the start, of a
    length up to π; their rates are the components of the relative angular velocity [rad/s]. stiffness [N m/rad]: a
    spring against the rotation from the rest position `rest` (a rotation vector [rad]), with a ridge of its energy at
    half a turn; damping [N m s/rad]: of the relative angular velocity; limits (None, angle) [rad]: the largest angle of
    the rotation vector, beyond which a spring of limit_stiffness [N m/rad] acts.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> bob = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.1, 0.1)), name="bob"))
    >>> ball = m.add(lv.Spherical(m.world.point(0, 0, 0), bob.point(0, 0, 0), stiffness=40.0, start=(0, 0, 0.5)))
    >>> round(float(lv.dynamics(m).potential[0]), 12)  # ½ · 40 N m/rad · (0.5 rad)²
    5.0
    """

    coordinate_kinds = ("COMPONENT", "COMPONENT", "COMPONENT")
    parts = ("turn_x", "turn_y", "turn_z")
    stiffness: float
    damping: float

    def __init__(
        self,
        a: Point,
        b: Point,
        start: ArrayLike = (0.0, 0.0, 0.0),
        stiffness: float = 0.0,
        rest: ArrayLike = (0.0, 0.0, 0.0),
        damping: float = 0.0,
        limits: ArrayLike | None = None,
        limit_stiffness: float = 1e5,
        name: str = "",
    ):
        super().__init__(a, b, name)
        label = self.label
        self.start = tuple(_rotation_vector(start, f"start of {label}").tolist())
        self.stiffness = not_negative(stiffness, f"stiffness of {label}")
        self.rest = _rotation_vector(rest, f"rest of {label}")
        self.damping = not_negative(damping, f"damping of {label}")
        self.limits = None if limits is None else _largest_angle(limits, f"limits of {label}")
        self.limit_stiffness = positive(limit_stiffness, f"limit stiffness of {label}")
        axes = zip(a.body.pose.B.T, self.parts, strict=True)
        self.coordinates = tuple(
            Coordinate(self, "COMPONENT", a, b, axis, part, number=k) for k, (axis, part) in enumerate(axes)
        )

    def rows(self) -> list[Row]:
        found = coincide(self.a, self.b)
        if self.damping:
            found += [
                Row("COUPLE", self.a, self.b, coordinates=(q,), ratios=(1.0,), rate=self.damping)
                for q in self.coordinates
            ]
        return found

    def terms(self) -> list[Term]:
        """The spring and the stop, (1)."""
        found: list[Term] = []
        if self.stiffness:
            found.append(CoordinateSpring(self._angle_from(self.rest), self.stiffness, 0.0))
        if self.limits is not None:
            found.append(CoordinateSpring(self._angle_from(ZERO), 0.0, 0.0, self.limits, self.limit_stiffness))
        return found

    def _angle_from(self, at: Array) -> Coordinate:
        """The angle of the rotation from the rotation vector `at`."""
        return Coordinate(self, "ROTATION", self.a, self.b, self.a.body.pose.B[:, 0], at=at)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        return (Freedom("ball", np.zeros(3)),)

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        held = acted or self.stiffness or self.damping or self.limits is not None
        return Symmetry(NONE, NONE if held else ALL, x)


def _rotation_vector(given: Any, what: str) -> Array:
    x = np.zeros(3) if isinstance(given, int | float) and given == 0.0 else vector(given, what)
    if np.linalg.norm(x) > np.pi * (1.0 + 1e-12):
        raise ModelError(f"{what} is a rotation of {np.linalg.norm(x):.4g} rad: give the shorter one, up to π.")
    return x


def _largest_angle(given: Any, what: str) -> Array:
    pair = limits_pair(given, what)
    if pair[0] > 0.0 or not 0.0 < pair[1] <= np.pi or -np.inf < pair[0] < 0.0:
        raise ModelError(
            f"{what} must be (None, angle) with the largest angle of rotation, up to π, not {pair.tolist()}."
        )
    return np.array([-np.inf, pair[1]])
