"""From names to arrays: compile a Model into a System (constant) and a State (evolves).

Bodies get numbers in the order they were added, the world is 0. Every body is moved to its centre of mass and
principal axes Q: with c the centre in the body frame,

    a_kernel = a + B c,    B_kernel = B Q,    p = m (v + B (ω × c)),    L = Qᵀ J ω.            (1)

A body without inertia about an axis (thin rod, point mass) keeps L = 0 there; whatever could exert a torque about
that axis is refused here by name.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array
from .errors import ModelError
from .forces import Attraction, Load, Spring
from .kernels.bags import Bodies, Loads, Pairs, Springs, State, System, Work
from .model import Body, Model, Point


def compile_model(model: Model) -> tuple[System, State]:
    """The arrays of `model`, about centres of mass and in principal axes, with its state at the start."""
    frames = Frames(model)
    springs = [force for force in model.forces if isinstance(force, Spring)]
    loads = [force for force in model.forces if isinstance(force, Load)]
    for load in loads:
        if callable(load.torque) or np.any(load.torque):
            frames.refuse_torque(load.point, load)
    bodies = Bodies(
        mass=frames.mass,
        inverse_mass=_inverse(frames.mass),
        inertia=np.where(frames.moments > 0.0, frames.moments, 1.0),
        inverse_inertia=_inverse(frames.moments),
        center=frames.center,
        axes=frames.axes,
    )
    system = System(
        bodies=bodies,
        gravity=model.gravity.copy(),
        springs=Springs(
            body=frames.numbers([(s.a.body, s.b.body) for s in springs], 2),
            point=_stack([(frames.local(s.a, s), frames.local(s.b, s)) for s in springs], (2, 3)),
            stiffness=_stack([s.stiffness for s in springs], ()),
            length=_stack([s.length for s in springs], ()),
        ),
        pairs=_attraction(model),
        loads=Loads(
            body=frames.numbers([(load.point.body,) for load in loads], 1)[:, 0],
            point=_stack([frames.local(load.point, load) for load in loads], (3,)),
            axes=_stack([frames.axes[frames.number[load.point.body]].T for load in loads], (3, 3)),
            follows=np.array([load.axes == "body" for load in loads], dtype=np.int64),
        ),
    )
    return system, frames.state(model)


def scratch(system: System) -> Work:
    """Fresh scratch for `system`."""
    n = len(system.bodies.mass)
    return Work(f=np.zeros((n, 3)), tau=np.zeros((n, 3)), fault=np.zeros(1, dtype=np.int64))


class Frames:
    """Numbers, masses and principal frames of a model's bodies, the world first."""

    def __init__(self, model: Model):
        n = len(model.bodies)
        self.number = {body: k for k, body in enumerate(model.bodies)}
        self.mass, self.moments = np.zeros(n), np.zeros((n, 3))
        self.center, self.axes = np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1))
        for k, body in enumerate(model.bodies[1:], start=1):
            matter = body.mass_properties
            self.mass[k], self.center[k] = matter.mass, matter.center
            self.moments[k], self.axes[k] = matter.principal()

    def local(self, point: Point, owner: object) -> Array:
        """The point from its body's centre of mass in principal axes, where `owner` may pull at it."""
        k = self.number[point.body]
        r = self.axes[k].T @ (point.r - self.center[k])
        without = (self.moments[k] == 0.0) & (self.mass[k] > 0.0)
        if not without.any():
            return r
        lever = r.copy() if without.all() else np.where(without, 0.0, r)  # what would turn it about that axis
        if np.abs(lever).max() > 1e-9 * max(1.0, float(np.abs(r).max())):
            self.refuse_torque(point, owner)
        return r - lever

    def refuse_torque(self, point: Point, owner: object) -> None:
        """Refuse `owner` if the body of `point` has an axis without inertia, about which it could turn it."""
        k = self.number[point.body]
        if (self.moments[k] == 0.0).any() and self.mass[k] > 0.0:
            what = "a point mass" if not self.moments[k].any() else "a thin rod"
            remedy = "its centre of mass" if not self.moments[k].any() else "a point on its axis"
            raise ModelError(
                f"{type(owner).__name__} {getattr(owner, 'name', '')!r} can exert a torque on body {point.body.name!r} "
                f"about an axis without inertia (it is {what}): attach it at {remedy}, or give the body inertia."
            )

    def numbers(self, groups: list[tuple[Body, ...]], width: int) -> np.ndarray:
        """Body numbers of groups of bodies, as an integer array (len, width)."""
        return np.array([[self.number[b] for b in group] for group in groups], dtype=np.int64).reshape(-1, width)

    def state(self, model: Model) -> State:
        """The start of `model` by (1)."""
        n = len(model.bodies)
        state = State(np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3)), np.zeros((n, 3)))
        for k, body in enumerate(model.bodies[1:], start=1):
            c, Q, B = self.center[k], self.axes[k], body.pose.B
            state.a[k] = body.pose.point(c)
            state.B[k] = B @ Q
            state.p[k] = self.mass[k] * (body.velocity + B @ np.cross(body.body_rates, c))
            state.L[k] = self.moments[k] * (Q.T @ body.body_rates)
        return state


def _attraction(model: Model) -> Pairs:
    pairs: list[tuple[int, int]] = []
    strength: list[float] = []
    for force in model.forces:
        if not isinstance(force, Attraction):
            continue
        members = [k for k, b in enumerate(model.bodies) if k > 0 and (force.bodies is None or b in force.bodies)]
        for i, ki in enumerate(members):
            for kj in members[i + 1 :]:
                bi, bj = model.bodies[ki], model.bodies[kj]
                if not np.any(bi.center.start - bj.center.start):
                    raise ModelError(f"bodies {bi.name!r} and {bj.name!r} attract each other from the same place.")
                pairs.append((ki, kj))
                strength.append(force.G * bi.mass_properties.mass * bj.mass_properties.mass)
    return Pairs(np.array(pairs, dtype=np.int64).reshape(-1, 2), np.array(strength, dtype=np.float64))


def _inverse(x: Array) -> Array:
    return np.divide(1.0, x, out=np.zeros_like(x), where=x > 0.0)


def _stack(
    rows: list[ArrayLike] | list[float] | list[tuple[Array, Array]] | list[Array], shape: tuple[int, ...]
) -> Array:
    return np.array(rows, dtype=np.float64).reshape(-1, *shape)
