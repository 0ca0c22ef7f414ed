"""What joints do in a motion: their coordinates, their reactions, their defects.

Reactions come from the equations of motion at each stored state (kernels/dynamics.py), not from the multipliers of the
step: so they have the order of the scheme, and a single state has them too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array
from ..compile.bodies import Frames
from ..compile.rows import compile_coordinates, groups
from ..compile.signals import Signals
from ..compile.system import scratch
from ..describe.joints.joint import Joint
from ..describe.joints.row import Coordinate, across
from ..errors import ModelError
from ..kernels.dynamics import accelerations_of_record, violations_of_record, wrenches_of_record

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
    """Largest defect in position [m or rad] and in velocity [m/s or rad/s] at each state."""
    rows = len(motion.full.rows.kind)
    g, v = np.zeros((len(motion), rows)), np.zeros((len(motion), rows))
    if rows:
        violations_of_record(motion.full, motion.record, signals_of(motion), scratch(motion.full), g, v)
    return np.abs(g).max(axis=1, initial=0.0), np.abs(v).max(axis=1, initial=0.0)


def reaction(motion: Trajectory, joint: Joint | str, frame: str) -> tuple[Array, Array]:
    """Force [N] and torque [N m] about the joint's second point that the joint exerts on its second body."""
    joint = motion.own(joint)
    if joint in motion.model.joints and not hasattr(joint, "b"):
        raise ModelError(f"{joint!r} has no reaction of its own: it acts through the joints it couples.")
    if frame not in ("world", "joint"):
        raise ModelError(f"reactions come in frame 'world' or 'joint', not {frame!r}.")
    blocks = motion.full.blocks
    for block, group in enumerate(groups(motion.model)):
        if group.owner is joint and not blocks.soft[block]:
            break
    else:
        raise ModelError(f"{joint!r} is not a joint of this motion's model.")
    sides = range(blocks.side[block], blocks.side[block + 1])
    number = {body: k for k, body in enumerate(motion.model.bodies)}
    b, sign = (number[joint.b.body], 1.0) if joint.b.body is not motion.model.world else (number[joint.a.body], -1.0)
    side = next(s for s in sides if blocks.side_body[s] == b)
    out = np.zeros((len(motion), 6))
    wrenches_of_record(
        motion.full, motion.record, signals_of(motion), motion.multipliers, scratch(motion.full), block, side, out
    )
    force = sign * out[:, :3]
    lever = motion.position(joint.b) - motion.record.a[:, b]
    torque = sign * np.einsum("nij,nj->ni", motion.record.B[:, b], out[:, 3:]) - np.cross(lever, force)
    if frame == "world":
        return force, torque
    axes = motion.rotation(joint.a.body) @ _joint_axes(joint)
    return np.einsum("nji,nj->ni", axes, force), np.einsum("nji,nj->ni", axes, torque)


def coordinate(motion: Trajectory, joint: Any) -> tuple[Array, Array]:
    """The coordinates of a joint and their rates, one column for each."""
    joint = motion.own(joint)
    if not getattr(joint, "coordinates", ()):
        raise ModelError(f"{joint!r} has no coordinate; a Revolute, Prismatic, Cylindrical or Screw has.")
    both = [_one(motion, q) for q in joint.coordinates]
    return np.stack([q for q, _ in both], axis=1), np.stack([rate for _, rate in both], axis=1)


def _one(motion: Trajectory, q: Coordinate) -> tuple[Array, Array]:
    Ra, Rb = motion.rotation(q.a.body), motion.rotation(q.b.body)
    U = Ra @ q.axis
    if q.kind == "DISPLACEMENT":
        d = motion.position(q.b) - motion.position(q.a)
        turning = np.cross(motion.angular_velocity(q.a.body), U)
        rate = _dot(U, motion.velocity(q.b) - motion.velocity(q.a)) + _dot(turning, d)
        return _dot(U, d), rate
    rate = _dot(U, motion.angular_velocity(q.b.body) - motion.angular_velocity(q.a.body))
    W = Rb @ q.hand
    angle = np.arctan2(_dot(Ra @ q.dial[1], W), _dot(Ra @ q.dial[0], W))
    return _unwrapped(motion, q, angle, rate), rate


def _unwrapped(motion: Trajectory, q: Coordinate, angle: Array, rate: Array) -> Array:
    """The angle over many turns: as the run kept it, where something acts on it; else counted from its rate, which is
    right while that changes by less than half a turn from one stored state to the next."""
    _, acting = compile_coordinates(motion.model, Frames(motion.model), Signals(motion.model))
    for c, mine in enumerate(acting):
        if mine is q:
            return motion.record.angle[:, c].copy()
    between = 0.5 * (rate[1:] + rate[:-1]) * np.diff(motion.t)
    turns = np.round((between - np.diff(angle)) / (2.0 * np.pi))
    return angle + 2.0 * np.pi * np.concatenate([[0.0], np.cumsum(turns)])


def _joint_axes(joint: Any) -> Array:
    """The joint's frame in the first body's axes, as columns: across the axis, across it, along it."""
    axis = getattr(joint, "axis", getattr(joint, "normal", getattr(joint, "axis_a", None)))
    axes = np.eye(3) if axis is None else np.stack([*across(axis), axis], axis=1)
    return joint.a.body.pose.B.T @ axes


def _dot(u: Array, v: Array) -> Array:
    return np.einsum("ni,ni->n", u, v)


def signals_of(motion: Trajectory) -> Array:
    """What came with time, at each state; controllers held what the state says."""
    signals = Signals(motion.model, motion.h)
    table = signals.table(motion.t)
    for k, motor in enumerate(signals.controlled):
        table[:, signals.column[id(motor)]] = motion.record.effort[:, k]
    return np.ascontiguousarray(table)
