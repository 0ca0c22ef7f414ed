"""Joints in a motion: coordinates, reactions, constraint violations.

Reactions come from the equations of motion at each stored state (kernels/dynamics.py), not from the multipliers of the
step: so they have the order of the scheme, and a single state has them too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array
from ..compile.joint_frames import CoordinateFrame
from ..compile.system import scratch
from ..describe.pose import rotation_vectors
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels.dynamics import accelerations_of_record, violations_of_record, wrenches_of_record
from .kinematics import positions, rates, rotations, turned, velocities

if TYPE_CHECKING:
    from .trajectory import Trajectory


def total_forces(motion: Trajectory) -> tuple[Array, Array, Array]:
    """Total force and body torque (so that v̇ = f/m, ω̇ = J⁻¹τ) on every body, and all multipliers, at each state."""
    f, tau = np.zeros_like(motion.record.p), np.zeros_like(motion.record.L)
    system = motion.full
    lam = np.zeros((len(motion), len(system.rows.kind)))
    accelerations_of_record(system, motion.record, signals_of(motion), scratch(system), f, tau, lam)
    return f, tau, lam


def defects(motion: Trajectory) -> tuple[Array, Array]:
    """Largest violation at position level [m or rad] and at velocity level [m/s or rad/s] at each state."""
    rows = len(motion.full.rows.kind)
    g, v = np.zeros((len(motion), rows)), np.zeros((len(motion), rows))
    if rows:
        violations_of_record(motion.full, motion.record, signals_of(motion), scratch(motion.full), g, v)
    return np.abs(g).max(axis=1, initial=0.0), np.abs(v).max(axis=1, initial=0.0)


def reaction(motion: Trajectory, joint: Thing | str, frame: str) -> tuple[Array, Array]:
    """Force [N] and torque [N m] about the joint's second point that the joint exerts on its second body."""
    owner = motion.own(joint)
    if not isinstance(owner, Thing) or (frame_of := motion.compiled.frames.get(owner)) is None:
        if any(owner is one for one in motion.model.joints):
            raise ModelError(f"{owner!r} has no reaction of its own: it acts through the joints it couples.")
        raise ModelError(f"{owner!r} is not a joint of this motion's model.")
    if frame not in ("world", "joint"):
        raise ModelError(f"reactions come in frame 'world' or 'joint', not {frame!r}.")
    blocks = motion.full.blocks
    every = enumerate(motion.compiled.groups)
    block = next(k for k, group in every if group.owner is owner and not blocks.soft[k])
    sides = range(blocks.side[block], blocks.side[block + 1])
    b, sign = (frame_of.b, 1.0) if frame_of.b else (frame_of.a, -1.0)
    side = next(s for s in sides if blocks.side_body[s] == b)
    out = np.zeros((len(motion), 6))
    wrenches_of_record(
        motion.full, motion.record, signals_of(motion), motion.multipliers, scratch(motion.full), block, side, out
    )
    force = sign * out[:, :3]
    bodies, record = motion.system.bodies, motion.record
    lever = positions(bodies, record, frame_of.b, frame_of.point_b) - record.a[:, b]
    torque = sign * np.einsum("nij,nj->ni", motion.record.B[:, b], out[:, 3:]) - np.cross(lever, force)
    if frame == "world":
        return force, torque
    axes = rotations(bodies, record, frame_of.a) @ frame_of.axes
    return np.einsum("nji,nj->ni", axes, force), np.einsum("nji,nj->ni", axes, torque)


def coordinate(motion: Trajectory, joint: Any) -> tuple[Array, Array]:
    """The coordinate of a joint and its rate (n,); one column for each (n, k) where the joint has several."""
    mine = motion.own(joint)
    frame = motion.compiled.frames.get(mine) if isinstance(mine, Thing) else None
    if frame is None or not frame.coordinates:
        raise ModelError(f"{mine!r} has no coordinate; a Revolute, Prismatic, Universal, Planar or Spherical has.")
    if frame.coordinates[0].kind == "COMPONENT":
        return _ball(motion, frame.coordinates[0])
    both = [_one(motion, q) for q in frame.coordinates]
    if len(both) == 1:
        return both[0]
    return np.stack([q for q, _ in both], axis=1), np.stack([rate for _, rate in both], axis=1)


def _ball(motion: Trajectory, q: CoordinateFrame) -> tuple[Array, Array]:
    """The rotation vector of a ball joint and the relative angular velocity, in the axes of the first body (n, 3)."""
    bodies, record = motion.system.bodies, motion.record
    Ra, Rb = (rotations(bodies, record, k) for k in (q.a, q.b))
    back = np.swapaxes(Ra, 1, 2)
    omega_a, omega_b = (turned(R, rates(bodies, record, k)) for R, k in ((Ra, q.a), (Rb, q.b)))
    return rotation_vectors(back @ Rb @ q.reference.T), turned(back, omega_b - omega_a)


def _one(motion: Trajectory, q: CoordinateFrame) -> tuple[Array, Array]:
    bodies, record = motion.system.bodies, motion.record
    Ra, Rb = (rotations(bodies, record, k) for k in (q.a, q.b))
    omega_a, omega_b = (turned(R, rates(bodies, record, k)) for R, k in ((Ra, q.a), (Rb, q.b)))
    U = Ra @ q.axis
    if not q.is_angle:
        ends = (q.a, q.point_a), (q.b, q.point_b)
        xa, xb = (positions(bodies, record, *end) for end in ends)
        va, vb = (velocities(bodies, record, *end) for end in ends)
        return _dot(U, xb - xa), _dot(U, vb - va) + _dot(np.cross(omega_a, U), xb - xa)
    rate = _dot(U, omega_b - omega_a)
    W = Rb @ q.hand
    angle = np.arctan2(_dot(Ra @ q.dial[1], W), _dot(Ra @ q.dial[0], W))
    return _unwrapped(motion, q, angle, rate), rate


def _unwrapped(motion: Trajectory, q: CoordinateFrame, angle: Array, rate: Array) -> Array:
    """The angle over many turns, as counted in the run. The motions of release 0.1 have no half turns: there the angle
    is unwrapped by its rate, which is right while its integral over a stored interval is known to half a turn."""
    if q.place >= 0:
        return motion.record.angle[:, q.place].copy()
    half_turns = motion.record.half_turns[:, q.number]
    if not np.isnan(half_turns).any():
        return angle + 2.0 * np.pi * np.round(((half_turns + 0.5) * np.pi - angle) / (2.0 * np.pi))
    between = 0.5 * (rate[1:] + rate[:-1]) * np.diff(motion.t)
    turns = np.round((between - np.diff(angle)) / (2.0 * np.pi))
    return angle + 2.0 * np.pi * np.concatenate([[0.0], np.cumsum(turns)])


def _dot(u: Array, v: Array) -> Array:
    return np.einsum("ni,ni->n", u, v)


def signals_of(motion: Trajectory) -> Array:
    """All functions of time at each state; the efforts of controllers are those of the state."""
    signals = motion.compiled.signals(motion.h)
    table = signals.table(motion.t)
    signals.set_controlled(table, motion.record.effort)
    return np.ascontiguousarray(table)
