"""Springs, dampers and stops on one of several coordinates between two bodies, without armature: energies and forces.

With s_i and w_i the slides and hinges of a chain (chain.py) and n_i, d_i dual to them, n_i·s_j = d_i·w_j = δ_ij,

    slide   q = n·(x_b − x_a),     q̇ = n·(v_b − v_a),      force −c q̇ n on b at its point, the opposite on a      (1)
    hinge   θ by its sine and cosine,   θ̇ = d·(ω_b − ω_a),   torque −c θ̇ d on b, the opposite on a                (2)

where v_a is the velocity of a at b's point. A spring is ½kq², a stop ½k(q − limit)² beyond its limit.
Angles are known up to full turns, so a hinge with a spring or stop must stay within half a turn of its start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array
from ..describe.forces.energy import Energy
from ..describe.forces.force import Force
from ..describe.model import Body, Model
from ..describe.pose import cross as cross3
from ..describe.row import across, local
from ..errors import ModelError
from ..formula.functions import atan2, cross, dot, fmax, fmin, norm
from .armature import unused_name

if TYPE_CHECKING:
    from .chain import Dof


class Pair:
    """Two bodies joined by a chain, as symbols; one of them may be the world."""

    def __init__(self, model: Model, a: Body, b: Body, place: Array, slides: list[Dof], turns: list[Dof]):
        self.model, self.a, self.b, self.place = model, a, b, place
        self.s, self.w = ([f.axis for f in some] for some in (slides, turns))
        self.duals = np.linalg.pinv(np.array(self.s)) if slides else np.zeros((3, 0))
        self.order = {id(f): k for some in (slides, turns) for k, f in enumerate(some)}
        self.bodies = [body for body in (a, b) if body is not model.world]
        self.ra, self.rb = (body.point_at(place).r for body in (a, b))

    def fixed(self, sees: Any, body: Body, u: Array) -> Any:
        """A direction that is fixed to a body and is u at the start."""
        return u if body is self.model.world else sees[body].direction(local(body, u))

    def spin(self, sees: Any, body: Body) -> Any:
        return np.zeros(3) if body is self.model.world else sees[body].angular_velocity

    # ── slides, equation (1) ──

    def separation(self, sees: Any) -> Any:
        """The vector from a's point to b's."""
        return sees[self.b].point(self.rb) - (self.place if self.a is self.model.world else sees[self.a].point(self.ra))

    def along(self, f: Dof) -> Callable[[Any], Any]:
        """The dual of a slide."""
        return lambda sees: self.fixed(sees, self.a, self.duals[:, self.order[id(f)]])

    def speed(self, sees: Any) -> Any:
        """The velocity of b's point relative to a."""
        v = sees[self.b].velocity(self.rb)
        if self.a is self.model.world:
            return v
        return v - sees[self.a].velocity(self.ra) - cross(sees[self.a].angular_velocity, self.separation(sees))

    # ── hinges, equation (2) ──

    def axes(self, sees: Any) -> list[Any]:
        """The current axes of the hinges; of three, the second is perpendicular to the other two."""
        ends = [self.fixed(sees, self.a, self.w[0]), self.fixed(sees, self.b, self.w[-1])]
        if len(self.w) < 3:
            return ends[: len(self.w)]
        middle = cross(ends[1], ends[0])
        sign = 1.0 if float(self.w[1] @ cross3(self.w[2], self.w[0])) > 0.0 else -1.0
        return [ends[0], sign * middle / norm(middle), ends[1]]

    def dual(self, f: Dof) -> Callable[[Any], Any]:
        """The dual of a hinge."""
        k = self.order[id(f)]

        def formula(sees: Any) -> Any:
            w = self.axes(sees)
            if len(w) == 1:
                return w[0]
            w = [*w, cross(w[0], w[1])] if len(w) == 2 else w
            across_ = cross(w[(k + 1) % 3], w[(k + 2) % 3])
            return across_ / dot(w[k], across_)

        return formula

    def angle(self, f: Dof) -> Callable[[Any], Any]:
        """The angle of a hinge since the start."""
        k, w, n = self.order[id(f)], self.w, len(self.w)

        def about(sees: Any, body: Body, axis: Array, u: Array, now: Any) -> Any:
            """The angle by which `now`, u at the start, has rotated about an axis of a body."""
            u = u - float(axis @ u) * axis
            return atan2(dot(now, self.fixed(sees, body, cross3(axis, u))), dot(now, self.fixed(sees, body, u)))

        def formula(sees: Any) -> Any:
            if n == 1:
                e = across(w[0])[0]
                return about(sees, self.a, w[0], e, self.fixed(sees, self.b, e))
            now = self.axes(sees)
            if k == 0:
                return about(sees, self.a, w[0], w[1], now[1])
            if k == n - 1:
                return -about(sees, self.b, w[k], w[k - 1], now[k - 1])
            start = np.arctan2(w[1] @ cross3(w[0], w[2]), w[0] @ w[2])
            return atan2(dot(now[1], cross(now[0], now[2])), dot(now[0], now[2])) - float(start)

        return formula


def add_passive(pair: Pair, f: Dof) -> None:
    """The spring, stop and damper of a degree of freedom."""
    if len(pair.w) == 3 and max(abs(float(pair.w[1] @ u)) for u in (pair.w[0], pair.w[2])) > 1e-9:
        raise ModelError(
            f"joint {f.name!r} is one of three hinges that are not perpendicular and has no armature, for which "
            "there is no joint: give it an armature."
        )
    model, slide = pair.model, f.kind == "slide"
    turned = None if slide else pair.angle(f)

    def coordinate(sees: Any) -> Any:
        return dot(pair.along(f)(sees), pair.separation(sees)) if turned is None else turned(sees)

    def energy(sees: Any) -> Any:
        q = coordinate(sees) + f.position
        total: Any = 0.5 * f.stiffness * (q - f.rest) ** 2
        if f.limits is not None:
            under, over = fmin(q - f.limits[0], 0.0), fmax(q - f.limits[1], 0.0)
            total = total + 0.5 * f.limit_stiffness * (under**2 + over**2)
        return total

    if f.stiffness or f.limits is not None:
        model.add(Energy(energy, pair.bodies, name=unused_name(model, f"{f.name} spring")))
    if f.damping:
        _damp(pair, f)


def _damp(pair: Pair, f: Dof) -> None:
    """The damper of (1) or (2), on both bodies."""
    model, a, b = pair.model, pair.a, pair.b
    direction = pair.along(f) if f.kind == "slide" else pair.dual(f)

    def effort(sees: Any) -> Any:
        n = direction(sees)
        relative = pair.speed(sees) if f.kind == "slide" else pair.spin(sees, b) - pair.spin(sees, a)
        return -f.damping * dot(n, relative) * n

    def nothing(_: Any) -> Array:
        return np.zeros(3)

    name = f"{f.name} damping"
    if f.kind == "slide":
        model.add(Force(b.point(pair.rb), effort, pair.bodies, name=unused_name(model, name)))
        if a is not model.world:
            back = lambda sees: -effort(sees)  # noqa: E731
            turn = lambda sees: -cross(pair.separation(sees), effort(sees))  # noqa: E731
            model.add(Force(a.point(pair.ra), back, pair.bodies, turn, name=unused_name(model, name)))
        return
    for body, sign in ((b, 1.0), (a, -1.0)):
        if body is not model.world:
            torque = lambda sees, sign=sign: sign * effort(sees)  # noqa: E731
            model.add(Force(body.center, nothing, pair.bodies, torque, name=unused_name(model, name)))
