"""Motions whose stored states are moved along a small change, and how far: by them functions of a motion are
differentiated."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ..checks import Array
from ..compile.compiled import Compiled
from ..kernels.coordinates import update_coordinates
from ..record.trajectory import Trajectory

SMALL = 1e-3  # largest change of a state in differences: rotations [rad], and parts of the sizes of other changes


def moved(motion: Trajectory, compiled: Compiled, c: float, change: Array, longer: Array | float = 0.0) -> Trajectory:
    """The motion of another model with the same structure, its states moved by c times `change` (k, 2, n, 6), and its
    times by `longer` [s], as with longer steps."""
    record = motion.record
    turn = Rotation.from_rotvec(c * change[:, 0, :, 3:].reshape(-1, 3)).as_matrix().reshape(record.B.shape)
    spin = np.einsum("kbji,kbj->kbi", record.B, change[:, 1, :, 3:])
    states = record._replace(
        a=record.a + c * change[:, 0, :, :3],
        B=turn @ record.B,
        p=record.p + c * change[:, 1, :, :3],
        L=record.L + c * spin,
        angle=record.angle.copy(),
    )
    if states.angle.shape[1]:
        for a, B, angle in zip(states.a, states.B, states.angle, strict=True):
            update_coordinates(compiled.system.coordinates, a, B, angle)
    t, h = motion.t + longer, motion.h
    if motion.steps and len(t) > 1:
        h = float(t[-1] - t[0]) / motion.steps if np.any(longer) else h
    return Trajectory(compiled, motion.scheme, h, motion.every, t, states, motion.steps, motion.seconds, motion.tally)


def sizes_of_changes(motion: Trajectory) -> Array:
    """Sizes of the changes of each number of a state: rotations 1 rad, others as in the motion (2, n, 6); 0 where there
    is no inertia."""
    bodies, record = motion.system.bodies, motion.record
    length = float(np.abs(motion.system.rows.point).max(initial=0.0)) or float(np.abs(record.a).max()) or 1.0
    span = float(motion.t[-1] - motion.t[0]) or 1.0
    spin = np.abs(record.L * bodies.inverse_inertia).max()
    fastest = max(1.0 / span, float(spin), float(np.abs(record.p * bodies.inverse_mass[:, None]).max()) / length)
    heavy = np.where(bodies.inverse_mass > 0.0, bodies.mass, 0.0)
    turning = np.where(bodies.inverse_inertia > 0.0, bodies.inertia, 0.0)
    sizes = np.zeros((2, len(heavy), 6))
    sizes[0, :, :3], sizes[0, :, 3:] = length, 1.0
    sizes[1, :, :3] = heavy[:, None] * length * fastest
    sizes[1, :, 3:] = turning.max(axis=1)[:, None] * fastest
    return sizes


def small_part(sizes: Array, change: Array) -> float:
    """The part of a change (k, 2, n, 6) that moves no number of a state by more than SMALL of its size."""
    known = sizes > 0.0
    most = float((np.abs(change)[:, known] / sizes[known]).max(initial=0.0))
    return SMALL / most if most > 0.0 else 1.0
