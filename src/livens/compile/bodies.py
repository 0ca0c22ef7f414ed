"""Numbers, masses and principal frames of a model's bodies, the world first; and who may pull where."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import Array
from ..describe.forces.force import Force
from ..describe.forces.load import Load
from ..describe.joints.joint import Joint
from ..describe.model import Body, Model, Point
from ..describe.pose import cross
from ..errors import ModelError
from ..kernels.arrays import Ints, State


class Frames:
    """Where the kernels see each body: number, mass, principal moments, centre c and principal axes Q in its frame."""

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

    def local(self, point: Point, owner: object) -> Array:
        """The point from its body's centre of mass in principal axes, where `owner` may pull at it."""
        if point not in self.places:  # rows of a joint share their points
            self.places[point] = self._place(point, owner)
        return self.places[point]

    def _place(self, point: Point, owner: object) -> Array:
        k = self.number[point.body]
        r = self.axes[k].T @ (point.r - self.center[k])
        without = (self.moments[k] == 0.0) & (self.mass[k] > 0.0)
        if not without.any():
            return r
        lever = r.copy() if without.all() else np.where(without, 0.0, r)  # what would turn it about that axis
        size = max(float(np.abs(r).max()), float(np.abs(self.center[k]).max()), float(np.abs(point.r).max()))
        if np.abs(lever).max() > 1e-9 * size:
            place = "its centre of mass" if without.all() else "a point on its axis"
            raise ModelError(f"{self._turns(point, owner)}: attach it at {place}, or give the body inertia.")
        return r - lever

    def direction(self, body: Body, u: Array) -> Array:
        """A direction in body axes, in principal axes."""
        return self.axes[self.number[body]].T @ u

    def refuse_torque(self, point: Point, owner: Any) -> None:
        """Refuse `owner` if the body of `point` has an axis without inertia, about which it could turn it."""
        k = self.number[point.body]
        if self.moments[k].all() or self.mass[k] == 0.0:
            return
        held = {row.kind for row in owner.rows()} if isinstance(owner, Joint) else set()
        if isinstance(owner, Load | Force):
            remedy = "leave its torque out"
        elif not held:  # what a user wrote of directions
            remedy = "write it with points of the body that stay where they are as it turns"
        elif held <= {"DOT2", "EDGE"}:  # the first body carries the line, plane or direction, the second a point
            remedy = f"put the point of {point.body.name!r} second"
        else:
            remedy = "use Spherical or Rod, which leave it free to turn"
        raise ModelError(f"{self._turns(point, owner)}: {remedy}, or give the body inertia.")

    def _turns(self, point: Point, owner: Any) -> str:
        """What is wrong, without its remedy."""
        what = "a thin rod" if self.moments[self.number[point.body]].any() else "a point mass"
        return (
            f"{type(owner).__name__} {owner.name!r} can exert a torque on body {point.body.name!r} "
            f"about an axis without inertia (it is {what})"
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
        return State(
            a, B, p, L, angle=np.zeros(0), lam=np.zeros((3, 0)), account=np.array([0.0, 0.0, 1.0]), effort=np.zeros(0)
        )


def stack(rows: Any, shape: tuple[int, ...]) -> Array:
    """A list of numbers or arrays as one array (len, *shape), also when it is empty."""
    return np.array(rows, dtype=np.float64).reshape(-1, *shape)
