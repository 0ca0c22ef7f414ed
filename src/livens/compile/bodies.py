"""Numbers, masses and principal frames of a model's bodies, the world first; and where forces may act on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..describe.body import Body, Point
from ..describe.model import Model
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels.arrays import MULTIPLIERS_KEPT, Ints, State


class Frames:
    """The frames that kernels use: number, mass, principal moments, centre c and principal axes Q of each body."""

    def __init__(self, model: Model, read_only: bool = False):
        """read_only: rows and coordinates may belong to axes without inertia, which they do not turn."""
        n = len(model.bodies)
        self.number = {body: k for k, body in enumerate(model.bodies)}
        self.places: dict[Point, Array] = {}
        self.mass, self.moments = np.zeros(n), np.zeros((n, 3))
        self.center, self.axes = np.zeros((n, 3)), identities(n)
        matter = [body.mass_properties for body in model.bodies[1:]]
        principal = [one.principal() for one in matter]
        self.mass[1:], self.center[1:] = [one.mass for one in matter], stack([one.center for one in matter], (3,))
        self.moments[1:] = stack([moments for moments, _ in principal], (3,))
        self.axes[1:] = stack([axes for _, axes in principal], (3, 3))
        self.lacking = (self.mass > 0.0) & (self.moments == 0.0).any(axis=1)  # bodies with an axis without inertia
        self.lacking &= not read_only
        self.some_lack_inertia = bool(self.lacking.any())

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

    def all_local(self, k: NDArray[np.intp], points: Sequence[Point], owners: Sequence[Thing]) -> Array:
        """`local` of many points, which are on the bodies number k: (points, 3)."""
        found = turned_back(self.axes[k], stack([point.r for point in points], (3,)) - self.center[k])
        if self.some_lack_inertia:
            for i in np.flatnonzero(self.lacking[k]).tolist():
                found[i] = self.local(points[i], owners[i])
        return found

    def direction(self, body: Body, u: Array) -> Array:
        """A direction in body axes, in principal axes."""
        return self.axes[self.number[body]].T @ u

    def all_directions(self, k: NDArray[np.intp], u: Sequence[Array] | Array) -> Array:
        """`direction` of many directions, of the bodies number k: (directions, 3)."""
        return turned_back(self.axes[k], stack(u, (3,)))

    def numbers_of(self, points: Sequence[Point]) -> NDArray[np.intp]:
        """The numbers of the bodies of points."""
        number = self.number
        return np.array([number[point.body] for point in points], dtype=np.intp)

    def relative(self, a: Body, b: Body, R: Array) -> Array:
        """Axes R of body b in those of body a, both as body axes, for the principal axes of both."""
        turned: Array = self.axes[self.number[a]].T @ R @ self.axes[self.number[b]]
        return turned

    def lacks_inertia(self, body: Body) -> bool:
        """True if the body has mass, and an axis without inertia."""
        return bool(self.lacking[self.number[body]])

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
        n, moving = len(model.bodies), model.bodies[1:]
        a, B, p, L = np.zeros((n, 3)), identities(n), np.zeros((n, 3)), np.zeros((n, 3))
        R = stack([body.pose.B for body in moving], (3, 3))
        v, omega = stack([body.velocity for body in moving], (3,)), stack([body.body_rates for body in moving], (3,))
        a[1:] = stack([body.pose.a for body in moving], (3,)) + turned(R, self.center[1:])
        B[1:] = R @ self.axes[1:]
        p[1:], L[1:] = momenta(self, R, v, omega)
        account = np.array([0.0, 0.0, 1.0])
        none = np.zeros(0)
        lam = np.zeros((MULTIPLIERS_KEPT, 0))
        return State(a, B, p, L, angle=none, lam=lam, account=account, effort=none, half_turns=none)


def size_of_bodies(mass: Array, moments: Array, a: Array) -> float:
    """A length for joints whose points are all at centres of mass [m]: the largest radius of gyration or distance from
    the origin; 1 if nothing has a length."""
    squared = np.divide(moments.max(axis=1), mass, out=np.zeros_like(mass), where=mass > 0.0)
    return max(float(np.sqrt(squared.max())), float(np.abs(a).max())) or 1.0


def momenta(frames: Frames, R: Array, v: Array, omega: Array) -> tuple[Array, Array]:
    """m (v + R (ω × c)) and Qᵀ J ω of the bodies besides the world, with rotations R (n, 3, 3), velocities v and body
    rates ω (…, n, 3) of their frames."""
    c = frames.center[1:]
    p = frames.mass[1:, None] * (v + turned(R, crossed(omega, c)))
    return p, frames.moments[1:] * turned_back(frames.axes[1:], omega)


def identities(n: int) -> Array:
    """n unit matrices (n, 3, 3)."""
    found = np.zeros((n, 3, 3))
    found[:, (0, 1, 2), (0, 1, 2)] = 1.0
    return found


def crossed(u: Array, v: Array) -> Array:
    """u × v (…, 3)."""
    x, y, z = u[..., 0], u[..., 1], u[..., 2]
    a, b, c = v[..., 0], v[..., 1], v[..., 2]
    return np.stack([y * c - z * b, z * a - x * c, x * b - y * a], axis=-1)


def turned(B: Array, u: Array) -> Array:
    """B u, row by row (…, n, 3)."""
    return np.matmul(B, u[..., None])[..., 0]


def turned_back(B: Array, u: Array) -> Array:
    """Bᵀ u, row by row (…, n, 3)."""
    return np.matmul(B.swapaxes(-1, -2), u[..., None])[..., 0]


def stack(rows: Any, shape: tuple[int, ...]) -> Array:
    """A list of numbers or arrays as one array (len, *shape), also when it is empty."""
    return np.array(rows, dtype=np.float64).reshape(len(rows), *shape)
