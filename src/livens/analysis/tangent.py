"""The tangent of a motion: its exact derivative with respect to the state at its start.

A small change of the start moves every later state; to first order this is a linear map, the tangent. Its columns are
unit changes of the joint coordinates q and their rates v at the start (tangent_run.py), its rows what is read at the
stored times. The map of a variational step is symplectic on the states that the joints allow: two changes 1 and 2 keep

    Σ δ₁a·δ₂p − δ₂a·δ₁p + δ₁θ·δ₂L − δ₂θ·δ₁L + L·(δ₁θ × δ₂θ)          (L, θ in the axes of the body)              (1)

through a run without dampers, user-written forces, loads that follow a body, and rolling.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..checks import Array
from ..compile.joint_space import Space
from ..describe.body import Body, Point
from ..describe.thing import Thing
from ..errors import ModelError
from ..record.trajectory import Trajectory
from .tangent_readings import Moving, coordinate_changes
from .tangent_run import run_tangent


def tangent(motion: Trajectory) -> Tangent:
    """The tangent of a motion: `motion.tangent()`."""
    return Tangent(motion)


class Tangent:
    """The derivative of a motion with respect to its start: what `motion.tangent()` returns.

    `names` lists the m columns: changes of the independent joint coordinates [rad or m], then of their rates [rad/s or
    m/s]; of ball joints and free bodies, small rotations about the axes of the first body and components of the angular
    velocity. Where bodies roll, or a body has no three coordinates of rotation, the columns are a basis of the changes
    that the joints allow, orthonormal in the metric of the masses. Readings have one array per stored time, with the
    columns last.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> cart = m.add(lv.Body(lv.Box(1, 1, 1, mass=2.0), name="cart"))
    >>> rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=(1, 0, 0), stiffness=8.0, name="rail"))
    >>> tangent = lv.simulate(m, lv.Livens(order=6), h=1e-2, until=1.0).tangent()
    >>> tangent.names
    ('rail [m]', 'rate of rail [m/s]')
    >>> tangent.A[-1].round(6)  # ω = 2 rad/s: cos ωt, sin ωt/ω; −ω sin ωt, cos ωt
    array([[-0.416147,  0.454649],
           [-1.818595, -0.416147]])
    """

    def __init__(self, motion: Trajectory):
        self.motion, self.t = motion, motion.t
        begin, self._changes = run_tangent(motion)
        self.names, self._joints = begin.names, begin.space

    @property
    def A(self) -> Array:
        """The map from (δq, δv) at the start to (δq, δv) at every stored time (k, m, m)."""
        space = self._space
        dq, dv = self._coordinates
        return np.concatenate([dq[:, space.independent], dv[:, space.independent]], axis=1)

    @property
    def local(self) -> Array:
        """Changes of every body, the world first, in its own frame (k, n, 12, m): of the centre of mass δa [m] in world
        axes; the small rotation δθ [rad] in principal axes; the momentum δp [kg m/s] in world axes; the angular
        momentum δL [kg m²/s] in principal axes."""
        dq, dp, B = self._changes[:, 0], self._changes[:, 1], self.motion.record.B
        turned = [np.einsum("kbji,kbjm->kbim", B, x[:, :, 3:]) for x in (dq, dp)]
        return np.concatenate([dq[:, :, :3], turned[0], dp[:, :, :3], turned[1]], axis=2)

    def position(self, what: Point | Body | str) -> Array:
        """Changes of the world position of a point, or of the origin of a body frame (k, 3, m)."""
        body, r = self._point(what)
        return body.position(r)

    def velocity(self, what: Point | Body | str) -> Array:
        """Changes of the world velocity of a point, or of the origin of a body frame (k, 3, m)."""
        body, r = self._point(what)
        return body.velocity(r)

    def rotation(self, body: Body | str) -> Array:
        """Small rotations of a body about world axes [rad] (k, 3, m)."""
        return self._point(body)[0].dphi

    def angular_velocity(self, body: Body | str) -> Array:
        """Changes of the angular velocity in world axes (k, 3, m)."""
        return self._point(body)[0].domega

    def coordinate(self, joint: Thing | str) -> Array:
        """Changes of the coordinate of a joint (k, m); (k, parts, m) where it has several."""
        return self._of_joint(joint, self._coordinates[0])

    def rate(self, joint: Thing | str) -> Array:
        """Changes of the rate of a joint (k, m); (k, parts, m) where it has several."""
        return self._of_joint(joint, self._coordinates[1])

    def __repr__(self) -> str:
        return f"Tangent({len(self.t)} times, {len(self.names)} columns)"

    # ── inside ──

    @property
    def _space(self) -> Space:
        if self._joints is None:
            raise ModelError(
                f"model {self.motion.model.name!r} has no independent joint coordinates: bodies roll, a joint has "
                "no coordinate, or a thin rod turns about a point. Read positions, velocities or `local` instead."
            )
        return self._joints.space

    @cached_property
    def _coordinates(self) -> tuple[Array, Array]:
        return coordinate_changes(self._space, self.motion.record, self._changes[:, 0], self._changes[:, 1])

    def _point(self, what: Point | Body | str) -> tuple[Moving, Array]:
        """The changes of a body, and the place of one of its points from the centre of mass, in principal axes."""
        mine, bodies = self.motion.own(what) if not isinstance(what, Point) else what, self.motion.system.bodies
        body = self.motion.own(mine.body) if isinstance(mine, Point) else mine
        if body not in self.motion.compiled.number:
            raise ModelError(f"{what!r} is not a body or point of this motion's model.")
        b = self.motion.compiled.number[body]
        r = mine.r if isinstance(mine, Point) else np.zeros(3)
        moving = Moving(bodies, b, self.motion.record, self._changes[:, 0], self._changes[:, 1])
        return moving, bodies.axes[b].T @ (r - bodies.center[b])

    def _of_joint(self, joint: Thing | str, changes: Array) -> Array:
        mine, space = self.motion.own(joint), self._space
        columns = [k for k, one in enumerate(space.every) if one.q.joint is mine and not one.own]
        if not columns:
            raise ModelError(f"{joint!r} has no coordinate; a Revolute, Prismatic, Universal, Planar or Spherical has.")
        return changes[:, columns[0]] if len(columns) == 1 else changes[:, columns]
