"""The poses and velocities of all bodies at a time, from the states of the kernels; and between two stored states.

With c the centre of mass and Q the principal axes of a body in its frame,

    R = B Qᵀ,    x = a − R c,    v = p/m,    l = B L                                                          (1)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...compile.states import selected
from ...describe.pose import quaternions
from ...kernels.arrays import State, System
from ...record.trajectory import Trajectory
from .extent import upright


class Instant(NamedTuple):
    """Bodies at one time, the world first; all in world axes."""

    t: float  # [s]
    x: Array  # origins of the body frames [m] (n, 3)
    R: Array  # their rotations (n, 3, 3)
    c: Array  # centres of mass [m] (n, 3)
    v: Array  # their velocities [m/s] (n, 3)
    l: Array  # angular momentum of each about its centre of mass [kg m²/s] (n, 3)


def instant(system: System, state: State, t: float) -> Instant:
    """Equation (1)."""
    bodies = system.bodies
    R = state.B @ np.swapaxes(bodies.axes, -1, -2)
    x = state.a - np.einsum("...ij,...j->...i", R, bodies.center)
    v = state.p * bodies.inverse_mass[:, None]
    return Instant(float(t), x, R, state.a.copy(), v, np.einsum("...ij,...j->...i", state.B, state.L))


def instants(motion: Trajectory, k: NDArray[np.int64]) -> Instant:
    """The instants of the stored states number k: arrays (times, n, …) with the last time as `t`."""
    return instant(motion.system, selected(motion.record, k), motion.t[k[-1]])


def upright_instants(motion: Trajectory, k: NDArray[np.int64]) -> Instant:
    """The same in axes whose z is against gravity: the pose of the world then is that rotation."""
    up, now = upright(motion.model.gravity), instants(motion, k)
    x, c, v, l = (vectors @ up.T for vectors in (now.x, now.c, now.v, now.l))
    return Instant(now.t, x, up @ now.R, c, v, l)


def stored(system: System, record: State, t: Array, k: int) -> Instant:
    """The instant of the stored state number k."""
    return instant(system, selected(record, k), t[k])


def between(system: System, record: State, t: Array, when: float) -> Instant:
    """The motion at the time `when`: positions linearly between two stored states, rotations along the arc.

    At a stored time it is the stored state itself; beyond the ends it is the first or the last.
    """
    k = int(np.clip(np.searchsorted(t, when, side="right") - 1, 0, len(t) - 1))
    first = stored(system, record, t, k)
    if k == len(t) - 1 or when <= t[k]:
        return first
    second = stored(system, record, t, k + 1)
    part = float((when - t[k]) / (t[k + 1] - t[k]))
    x, c, v, l = (
        (1.0 - part) * one + part * two
        for one, two in ((first.x, second.x), (first.c, second.c), (first.v, second.v), (first.l, second.l))
    )
    return Instant(float(when), x, _arc(first.R, second.R, part), c, v, l)


def _arc(R0: Array, R1: Array, part: float) -> Array:
    q0, q1 = quaternions(R0), quaternions(R1)
    q1 = np.where(np.einsum("ij,ij->i", q0, q1)[:, None] < 0.0, -q1, q1)
    return matrices((1.0 - part) * q0 + part * q1)


def matrices(q: Array) -> Array:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4) of any length.

    >>> import numpy as np
    >>> matrices(np.array([[2.0, 0.0, 0.0, 2.0]])).round(12)[0, 0].tolist()
    [0.0, -1.0, 0.0]
    """
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def chosen(count: int, most: int) -> NDArray[np.int64]:
    """At most `most` of the numbers 0 … count − 1, evenly, with the first and the last.

    >>> chosen(10, 4).tolist(), chosen(3, 10).tolist()
    ([0, 3, 6, 9], [0, 1, 2])
    """
    return np.unique(np.linspace(0, count - 1, min(count, max(most, 2))).round().astype(np.int64))
