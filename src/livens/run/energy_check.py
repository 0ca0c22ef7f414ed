"""The energy check: one warning after a run whose energy error shows that the step was too long.

The work of forces, motors and prescribed motions and the energy lost in dampers are recorded, so that
E = T + V − work + dissipated is constant up to the error of the scheme. The energy error is max E − min E, relative to
the largest energy exchanged: the largest of T, of the changes of V, of the work and of the energy dissipated. Schemes
that dissipate on purpose are not checked (`conserves_energy` of a scheme). In a model at rest no energy is exchanged,
and E shows only the round-off of positions times the weight: m |g| times the size of the model.
"""

from __future__ import annotations

import warnings
from itertools import chain
from typing import Any

import numpy as np

from ..compile.system import registers
from ..errors import ModelWarning
from ..kernels.arrays import DISSIPATED, WORK, State
from ..kernels.forces import energies_of_record
from ..record.joints import signals_of
from ..record.trajectory import Trajectory

ENERGY_TOLERANCE = 0.05  # relative energy error above which the step is too long
STATES = 400  # states at equal distances that are examined, at most, and as many fast ones
FEWEST_STATES = 20  # states in which the largest energy exchanged can be seen
ROUND_OFF = 1e-9  # relative to the energies: smaller errors count as none


def energy_error(motion: Trajectory) -> float:
    """max E − min E relative to the largest energy exchanged, from some of the stored states."""
    chosen = _examined(motion)
    record, t = State(*(np.ascontiguousarray(x[chosen]) for x in motion.record)), motion.t[chosen]
    T, V = np.empty(len(t)), np.empty(len(t))
    if len(motion.phases) > 1:  # each with a system of its own
        T, V = motion.kinetic[chosen], motion.potential[chosen]
    else:
        energies_of_record(motion.system, record, np.ascontiguousarray(t), registers(motion.system), T, V)
    work, lost = record.account[:, WORK], record.account[:, DISSIPATED]
    if not (np.isfinite(T).all() and np.isfinite(V).all() and np.isfinite(record.account).all()):
        return np.inf
    scale = max(float(T.max()), float(np.ptp(V)), float(np.abs(work).max()), float(lost.max()))
    width = float(np.ptp(T + V - work + lost))
    system = motion.system
    size = max(float(np.abs(record.a).max(initial=0.0)), float(np.abs(system.rows.point).max(initial=0.0)))
    weight = float(system.bodies.mass.sum() * np.linalg.norm(system.gravity))
    return width / scale if width > ROUND_OFF * max(scale, float(np.abs(V).max()), weight * size) else 0.0


def _examined(motion: Trajectory) -> Any:
    """The numbers of the states that are examined: all, or STATES at equal distances and as many with the largest
    kinetic energy. Errors are largest where the motion is fastest, and that may be a short time."""
    n = len(motion)
    if n <= 2 * STATES:
        return np.arange(n)
    bodies, record = motion.system.bodies, motion.record
    twice = np.einsum("tbi,tbi,b->t", record.p, record.p, bodies.inverse_mass)
    twice += np.einsum("tbi,tbi,bi->t", record.L, record.L, bodies.inverse_inertia)
    fastest = np.argpartition(np.nan_to_num(twice, nan=np.inf), n - STATES)[n - STATES :]
    return np.union1d(np.arange(0, n, -(-n // STATES)), fastest)


def energy_error_text(error: float) -> str:
    """The error in words."""
    return f"the energy error is {100.0 * error:.2g} % of the largest energy exchanged"


def warn_of_energy_error(motion: Trajectory) -> None:
    """Warn, once, if the energy error of a finished run is above the tolerance."""
    if not motion.scheme.conserves_energy or len(motion) < FEWEST_STATES:
        return
    error = energy_error(motion)
    if error > ENERGY_TOLERANCE:
        warnings.warn(
            f"model {motion.model.name!r}: {energy_error_text(error)}; {_cause(motion)}",
            ModelWarning,
            stacklevel=3,
        )


def _cause(motion: Trajectory) -> str:
    """Why the energy error is large, and a remedy: prescribed motions with kinks, or else the step."""
    shorter = f"h = {motion.h / 4:.1g}"
    phases = [(phase, phase.compiled.signals(phase.h)) for phase in motion.phases]
    breaks = (signals.drive_breaks(x.t, signals_of(x)) for x, signals in phases if signals.drives)
    for owner, found in chain.from_iterable(breaks):
        return (
            f"the rate of the drive of {owner.name!r} jumps at t = {found.t:.4g} s, where errors are of first order in "
            f"h: use a smooth drive, such as a cubic spline, or try {shorter}."
        )
    return f'h = {motion.h:g} s is too long for this motion: try {shorter}, or h="auto".'
