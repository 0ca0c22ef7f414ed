"""Numbers, masses and principal frames of a model's bodies, the world first; and where forces may act on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import Array
from ..describe.body import Body, Point
from ..describe.model import Model
from ..describe.pose import cross
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels.arrays import Ints, State


class Frames:
    """The frames that kernels use: number, mass, principal moments, centre c and principal axes Q of each body."""

    def __init__(self, model: Model):
        n = len(model.bodies)
        self.number = {body: k for k, body in enumerate(model.bodies)}
        self.places: dict[Point, Array] = {}
        self.mass, self.moments = np.zeros(n), np.zeros((n, 3))
        self.center, self.axes = np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1))
        for k, body in enumerate(model.bodies[1:], start=1):
            matter = body.mass_properties
            self.mass[k], self.center[k] = matter.mass, matter.center
            self.moments[k], self.axes[k] = matter.principal()

    def local(self, point: Point, owner: Thing) -> Array:
        """The point from its body's centre of mass in principal axes; `owner` exerts a force there."""
        if point not in self.places:  # rows of a joint share their points
            self.places[point] = self._place(point, owner)
        return self.places[point]

    def _place(self, point: Point, owner: Thing) -> Array:
        k = self.number[point.body]
        r = self.axes[k].T @ (point.r - self.center[k])
        without = (self.moments[k] == 0.0) & (self.mass[k] > 0.0)
        if not without.any():
            return r
        lever = r.copy() if without.all() else np.where(without, 0.0, r)  # a force there would turn it about that axis
        size = max(float(np.abs(r).max()), float(np.abs(self.center[k]).max()), float(np.abs(point.r).max()))
        if np.abs(lever).max() > 1e-9 * size:
            place = "its centre of mass" if without.all() else "a point on its axis"
            raise ModelError(f"{self._turns(point, owner)}: attach it at {place}, or give the body inertia.")
        return r - lever

    def direction(self, body: Body, u: Array) -> Array:
        """A direction in body axes, in principal axes."""
        return self.axes[self.number[body]].T @ u

    def lacks_inertia(self, body: Body) -> bool:
        """True if the body has mass, and an axis without inertia."""
        k = self.number[body]
        return bool(self.mass[k] > 0.0 and not self.moments[k].all())

    def refuse_torque(self, point: Point, owner: Thing, remedy: str) -> None:
        """Refuse `owner`, which exerts a torque on the body of `point`, if that has an axis without inertia."""
        if self.lacks_inertia(point.body):
            raise ModelError(f"{self._turns(point, owner)}: {remedy}, or give the body inertia.")

    def _turns(self, point: Point, owner: Thing) -> str:
        """The fault, without its remedy."""
        what = "a thin rod" if self.moments[self.number[point.body]].any() else "a point mass"
        return (
            f"{owner.label} can exert a torque on body {point.body.name!r} about an axis without inertia (it is {what})"
        )

    def numbers(self, groups: list[tuple[Body, ...]], width: int) -> Ints:
        """Body numbers of groups of bodies, as an integer array (len, width)."""
        return np.array([[self.number[b] for b in group] for group in groups], dtype=np.int64).reshape(-1, width)

    def state(self, model: Model) -> State:
        """The start of `model`, without its joints: a + B c, B Q, m (v + B (ω × c)), QᵀJω."""
        n = len(model.bodies)
        a, B, p, L = np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3)), np.zeros((n, 3))
        for k, body in enumerate(model.bodies[1:], start=1):
            c, Q, R = self.center[k], self.axes[k], body.pose.B
            a[k] = body.pose.point(c)
            B[k] = R @ Q
            p[k] = self.mass[k] * (body.velocity + R @ cross(body.body_rates, c))
            L[k] = self.moments[k] * (Q.T @ body.body_rates)
        account = np.array([0.0, 0.0, 1.0])
        none = np.zeros(0)
        return State(a, B, p, L, angle=none, lam=np.zeros((3, 0)), account=account, effort=none, half_turns=none)


def size_of_bodies(mass: Array, moments: Array, a: Array) -> float:
    """A length for joints whose points are all at centres of mass [m]: the largest radius of gyration or distance from
    the origin; 1 if nothing has a length."""
    squared = np.divide(moments.max(axis=1), mass, out=np.zeros_like(mass), where=mass > 0.0)
    return max(float(np.sqrt(squared.max())), float(np.abs(a).max())) or 1.0


def stack(rows: Any, shape: tuple[int, ...]) -> Array:
    """A list of numbers or arrays as one array (len, *shape), also when it is empty."""
    return np.array(rows, dtype=np.float64).reshape(len(rows), *shape)
