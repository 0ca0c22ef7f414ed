"""h="auto" for schemes that conserve energy exactly: the longest step whose quarter does not change the motion.

Such a scheme takes steps that do not resolve the stiffest vibrations, and its energy does not show the error. The first
step resolves the rotations, functions of time, and a hundredth of the run. It is quartered until

    max |Δx| ≤ CHANGE max |x − x₀|         over all bodies and times,     |Δx|² = |Δa|² + ρ² |ΔB|²,                 (1)

with Δ the difference of the motions of two steps and ρ the radius of gyration of a body; the motion of the shorter step
is the answer, with an error of about a fifteenth of Δ. A step that resolves everything, as that of other schemes does,
is not questioned: in a chaotic motion (1) never holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..compile.compiled import Compiled
from ..errors import StepFailed
from ..record.trajectory import Trajectory
from ..step import Scheme
from .stiffness import Stiffness

CHANGE = 0.02  # of the largest displacement
QUARTERS = 5  # of the first step, before the resolved one is taken
TIME_TOLERANCE = 1e-6  # of a step


def compared_run(
    go: Callable[[float], Trajectory],
    compiled: Compiled,
    scheme: Scheme,
    until: float,
    found: Stiffness,
    resolving: Callable[[float], float],
    resolved: Callable[[Trajectory], float],
) -> Trajectory:
    """The motion go(h) with a suitable step. resolving: a step that resolves signals too; resolved: the step that
    resolves everything that a motion meets."""
    least = resolving(found.resolving(scheme.phase_per_step, until))
    slow = replace(found, frequency=0.0, outside=0.0).resolving(scheme.phase_per_step, until)
    h, last, change, quarters = max(least, resolving(slow)), None, np.inf, 0
    while True:
        try:
            motion = go(h)
        except StepFailed:
            if h <= least:
                raise
        else:
            least = min(least, resolved(motion))
            change = np.inf if last is None else _change(last, motion)
            if change <= CHANGE or h <= least:
                break
            last = motion
        quarters += 1
        h = max(least, 0.25 * h) if quarters < QUARTERS else least
    motion.chosen = f"h = {motion.h:g} s was chosen: {found}"
    if motion.h > 1.001 * least:
        motion.chosen += f"; with {last.h:g} s the motion differs by {100.0 * change:.2g} %" if last else ""
    motion.chosen += "."
    return motion


def _change(one: Trajectory, other: Trajectory) -> float:
    """The largest difference of two motions at the times that both have, relative to the largest displacement."""
    at = np.minimum(np.searchsorted(other.t, one.t - TIME_TOLERANCE * other.h), len(other.t) - 1)
    both = np.flatnonzero(np.abs(other.t[at] - one.t) <= TIME_TOLERANCE * other.h)
    bodies = one.system.bodies
    turns = np.where(bodies.inverse_inertia > 0.0, bodies.inertia, 0.0).max(axis=1)
    rho = np.sqrt(turns * bodies.inverse_mass)

    def far(a: np.ndarray, B: np.ndarray) -> float:
        """The largest |Δx| of differences of positions and rotations."""
        square = (a**2).sum(axis=-1) + rho**2 * (B**2).sum(axis=(-1, -2))
        return float(np.sqrt(np.nan_to_num(square[:, 1:], nan=np.inf).max(initial=0.0)))

    x, y = one.record, other.record
    moved = far(y.a - y.a[:1], y.B - y.B[:1])
    apart = far(x.a[both] - y.a[at[both]], x.B[both] - y.B[at[both]])
    return apart / moved if moved > 0.0 else 0.0
