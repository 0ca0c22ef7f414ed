"""Did the energy stay? A look at some states of a finished run, and one warning if the step was too long.

What forces, motors, drives and dampers have done is booked, so E = T + V − work + dissipated should stay (README). Its
band, largest minus smallest, is measured by what is exchanged: the largest of T, of the changes of V, of the work and
of what was dissipated. Schemes that damp on purpose are not judged. Where all is at rest nothing is exchanged, and what
wanders is the round-off of places, which gravity weighs: m |g| times the size of the model.
"""

from __future__ import annotations

import warnings

import numpy as np

from ..compile.system import registers
from ..errors import ModelWarning
from ..kernels.arrays import State
from ..kernels.forces import energies
from ..record.trajectory import Trajectory
from ..step import Livens, RungeKutta

JUDGED = (Livens, RungeKutta)  # schemes that should keep it
WIDE = 0.05  # a band that says: the step is too long
LOOKS = 400  # states that are looked at
FEW = 20  # states that tell too little: what is exchanged may be nothing just there
ROUND_OFF = 1e-9  # of the energies themselves: no band at all


def energy_band(motion: Trajectory) -> float:
    """The relative width of the band in which the energy stayed, by some of the stored states."""
    every = max(1, -(-len(motion) // LOOKS))
    record, t = State(*(np.ascontiguousarray(x[::every]) for x in motion.record)), motion.t[::every]
    T, V = np.empty(len(t)), np.empty(len(t))
    energies(motion.system, record, np.ascontiguousarray(t), registers(motion.system), T, V)
    work, lost = record.account[:, 0], record.account[:, 1]
    if not (np.isfinite(T).all() and np.isfinite(V).all() and np.isfinite(record.account).all()):
        return np.inf
    scale = max(float(T.max()), float(np.ptp(V)), float(np.abs(work).max()), float(lost.max()))
    width = float(np.ptp(T + V - work + lost))
    system = motion.system
    size = max(float(np.abs(record.a).max(initial=0.0)), float(np.abs(system.rows.point).max(initial=0.0)))
    weight = float(system.bodies.mass.sum() * np.linalg.norm(system.gravity))
    return width / scale if width > ROUND_OFF * max(scale, float(np.abs(V).max()), weight * size) else 0.0


def warn_of_band(motion: Trajectory) -> None:
    """Warn, once, if the energy of a finished run did not stay."""
    if not isinstance(motion.scheme, JUDGED) or len(motion) < FEW:
        return
    band = energy_band(motion)
    if band > WIDE:
        warnings.warn(
            f"the energy of {motion.model.name!r} wandered by {band:.2g} of what is exchanged: h = {motion.h:g} s is "
            f'too long for this motion; try h = {motion.h / 4:.1g}, or h="auto".',
            ModelWarning,
            stacklevel=3,
        )
