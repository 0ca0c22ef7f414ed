"""Motions whose stored states are moved along a small change, and how far: by them functions of a motion are
differentiated.

Differences have the sixth order, with the nodes and weights of step/tangent_sources.py. Those of fourth order with the
same values tell whether the nodes are close enough: forces of a spring that is much shorter than the mechanism change
within a small part of its size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..checks import Array
from ..compile.compiled import Compiled
from ..errors import ModelError
from ..kernels.arrays import State, System
from ..kernels.coordinates import update_coordinates
from ..record.trajectory import Trajectory
from ..step.tangent_sources import NODE_STEPS, NODE_WEIGHTS

FOURTH = np.array([0.0, 1.0, -8.0, 8.0, -1.0, 0.0]) / 12.0  # weights of fourth order, for the same nodes
ALIKE = 1e-8  # relative difference of both orders that is small enough: the error of the sixth is 1e-11 then
SPACINGS_TRIED = 4  # spacings, each a tenth of the last one, that are tried
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
        account=np.full_like(record.account, np.nan),  # of the whole way, which the states do not show
    )
    if states.angle.shape[1]:
        for a, B, angle in zip(states.a, states.B, states.angle, strict=True):
            update_coordinates(compiled.system.coordinates, a, B, angle)
    t, h = motion.t + longer, motion.h
    if motion.steps and len(t) > 1:
        h = float(t[-1] - t[0]) / motion.steps if np.any(longer) else h
    return Moved(compiled, motion.scheme, h, motion.every, t, states, motion.steps, motion.seconds, motion.tally)


class Moved(Trajectory):
    """A motion whose states were moved."""

    def stored(self, k: int) -> State:
        """State number k, with the multipliers μ = −c G v of dampers there."""
        state, compiled = super().stored(k), self.compiled
        if compiled.system.damped:
            fit = compiled.assembly(state, float(self.t[k]))
            fit.project_velocities()
            state = fit.state
        return state


def sizes_of_changes(motion: Trajectory) -> Array:
    """Sizes of the changes of each number of a state: rotations 1 rad, others as in the motion (2, n, 6); 0 where there
    is no inertia."""
    bodies, record = motion.system.bodies, motion.record
    length = size_of(motion.system, record.a)
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


def size_of(system: System, a: Array) -> float:
    """The size of a mechanism with centres of mass at `a` (…, n, 3) [m], rather too large than too small: the longest
    lever arm of joints and springs, coordinate of a centre of mass, or radius of gyration; 1 m if there is none."""
    bodies = system.bodies
    turning = np.where(bodies.inverse_inertia > 0.0, bodies.inertia, 0.0).max(axis=1)
    gyration = np.sqrt(turning * bodies.inverse_mass)
    lengths = (system.rows.point, system.springs.point, a, gyration)
    return max(float(np.abs(x).max(initial=0.0)) for x in lengths) or 1.0


def small_part(sizes: Array, change: Array) -> float:
    """The part of a change (k, 2, n, 6) that moves no number of a state by more than SMALL of its size."""
    known = sizes > 0.0
    most = float((np.abs(change)[:, known] / sizes[known]).max(initial=0.0))
    return SMALL / most if most > 0.0 else 1.0


def numbers_of(given: Any, what: str = "the function of the motion") -> Array:
    """What a function of a motion gives, as an array of numbers."""
    try:
        if given is None:  # which counts as NaN
            raise TypeError
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must give a number or an array of numbers, not {given!r}.") from None


def refuse_not_numbers(found: Array, value: Callable[[], Any]) -> None:
    """Raise a ModelError for derivatives that are NaN where the function itself is a number."""
    if np.isnan(found).any():
        there = np.isnan(np.asarray(value(), dtype=np.float64))
        if (np.isnan(found) & ~there.reshape(*there.shape, *[1] * (found.ndim - there.ndim))).any():
            raise ModelError(
                "the function of the motion has no derivative here: it is not a number (NaN) for motions near this "
                "one. Work and dissipated energy are sums over all steps, which stored states do not show: use the sum "
                "of effort times rate over stored times, or differences of whole runs."
            )


def derivative(f: Callable[[float], Array], d: float, size: float) -> Array:
    """f′(0) by values at up to three times ±d, a small part of the size of its argument; closer ones if they are too
    far apart."""
    found: list[tuple[float, Array]] = []
    for spacing in d * 0.1 ** np.arange(SPACINGS_TRIED):
        values = np.stack([f(c * float(spacing)) for c in NODE_STEPS])
        six, four = (np.asarray(np.tensordot(w, values, axes=1)) / spacing for w in (NODE_WEIGHTS, FOURTH))
        scale = np.maximum(np.abs(six), np.abs(values).max(axis=0) / size)
        off = float((np.abs(six - four) / np.where(scale > 0.0, scale, 1.0)).max(initial=0.0))
        if not off > ALIKE:
            return six
        found.append((off, six))
    return min(found, key=lambda one: one[0])[1]
