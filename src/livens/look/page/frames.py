"""The poses that a page stores, and how many it needs.

Between two stored times the page interpolates: linearly, or, where bodies turn by more than FINE_CHANGE from one to the
next, from poses and velocities (picture/interpolation.py). The change of a motion from state to state is

    max over all bodies of  max(|ω| Δt, |Δv|/max|v|)                                                          (1)

A page stores MOST_TIMES states, or more if the change from one to the next would exceed FINE_CHANGE, as far as the
limit on the size of the page allows. Where it exceeds COARSE_CHANGE, the page says so: fast motions are not shown as
they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.pose import quaternions
from ...record.trajectory import Trajectory
from ..picture.extent import upright
from ..picture.instants import Instant, chosen, upright_instants

MOST_TIMES, LEAST_TIMES = 2000, 100  # at which poses are stored
FINE_CHANGE, COARSE_CHANGE = 0.1, 1.0  # changes (1) from one stored time to the next [rad]
MEASURED = 200_000  # states at which the change is measured, at most
PER_POSE, PER_RATES = 7, 6  # numbers of a pose, and of the velocities of a body


class Frames(NamedTuple):
    """The stored states of a page: their numbers in the motion, poses and, if needed, velocities."""

    number: NDArray[np.int64]
    now: Instant
    poses: Array  # (times, bodies, 7): x y z, w x y z
    rates: Array | None  # (times, bodies, 6): velocity of the frame's origin [m/s], angular velocity [rad/s]
    note: str  # what the page says of its times; empty if it holds all states
    coarse: bool  # fast motions are not shown as they are


def frames_of(motion: Trajectory, most: int) -> Frames:
    """The states that a page of at most `most` poses stores, of all bodies at all times."""
    bodies = len(motion.model.bodies) - 1
    whole = change(motion)
    wanted = max(MOST_TIMES, int(np.ceil(whole / FINE_CHANGE)))
    rough = whole / max(1, min(wanted, len(motion), most // bodies) - 1) > FINE_CHANGE
    room = most * PER_POSE // (PER_POSE + PER_RATES) if rough else most
    wanted = len(motion) if len(motion) < 1.5 * wanted else wanted  # nearly all: then all
    number = chosen(len(motion), int(np.clip(room // bodies, LEAST_TIMES, wanted)))
    now = upright_instants(motion, number)
    q = quaternions(now.R.reshape(-1, 3, 3)).reshape(*now.x.shape[:-1], 4)
    poses = np.concatenate([now.x, q], axis=-1)[:, 1:]
    rates = None
    if rough and len(number) > 1:
        rates = velocities_of(motion, number) @ _both(upright(motion.model.gravity))
    coarse = len(number) < len(motion) and whole / max(1, len(number) - 1) > COARSE_CHANGE
    return Frames(number, now, poses, rates, _note(motion, len(number), coarse), coarse)


def change(motion: Trajectory) -> float:
    """The sum of (1) over all states."""
    k = chosen(len(motion), MEASURED)
    if len(k) < 2:
        return 0.0
    t, bodies, record = motion.t[k], motion.system.bodies, motion.record
    rate = np.linalg.norm(record.L[k, 1:] * bodies.inverse_inertia[1:], axis=2).max(axis=1)
    v = record.p[k, 1:] * bodies.inverse_mass[1:, None]
    fastest = np.maximum(np.linalg.norm(v, axis=2).max(axis=0), 1e-300)
    bend = (np.linalg.norm(np.diff(v, axis=0), axis=2) / fastest).max(axis=1)
    return float(np.maximum(rate[1:] * np.diff(t), bend).sum())


def velocities_of(motion: Trajectory, k: NDArray[np.int64]) -> Array:
    """Velocities of the frames' origins and angular velocities, world axes (times, bodies, 6)."""
    bodies, record = motion.system.bodies, motion.record
    omega = np.einsum("tnij,tnj->tni", record.B[k], record.L[k] * bodies.inverse_inertia)
    R = record.B[k] @ np.swapaxes(bodies.axes, -1, -2)
    off = -np.einsum("tnij,nj->tni", R, bodies.center)  # from the centre of mass to the origin
    v = record.p[k] * bodies.inverse_mass[:, None] + np.cross(omega, off)
    return np.concatenate([v, omega], axis=-1)[:, 1:]


def _both(up: Array) -> Array:
    """The matrix that turns rows of two vectors."""
    out = np.zeros((6, 6))
    out[:3, :3] = out[3:, 3:] = up.T
    return out


def _note(motion: Trajectory, count: int, coarse: bool) -> str:
    if count >= len(motion):
        return ""
    apart = float(motion.t[-1] - motion.t[0]) / max(1, count - 1)
    text = f"This page holds {count:,} of {len(motion):,} states, {apart:.2g} s apart."
    if coarse:
        text += " That is too coarse: bodies move differently between them. Show a part of the motion instead."
    return text
