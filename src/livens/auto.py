"""h="auto": a step from the stiffest vibration and the fastest spin at the start, and a shorter one if need be.

What a mechanism does later cannot be told at its start: a crank may pass a dead point and spin ten times as fast. So
the run is the judge: where a step does not converge, or the energy wanders, it begins again with a quarter of the step.
A model with controllers is run once, since they may remember what they were asked.
"""

from __future__ import annotations

from collections.abc import Callable

from .band import energy_band
from .errors import StepFailed
from .forces import Motor
from .frequency import stiffness
from .integrators import Livens, Scheme
from .model import Model
from .trajectory import Trajectory

TRIES = 5
NARROW = 0.01  # the band that is good enough


def auto_run(go: Callable[[float], Trajectory], model: Model, scheme: Scheme, until: float) -> Trajectory:
    """The motion that go(h) gives with a step that suits it; `chosen` says which, and why."""
    found = stiffness(model)
    h = first = found.step(scheme.order, until)
    tries = 1 if any(isinstance(force, Motor) and force.rate for force in model.forces) else TRIES
    reason = ""
    for left in reversed(range(tries)):
        try:
            motion = go(h)
        except StepFailed:
            if not left:
                raise
            reason = "a step did not converge"
        else:
            band = energy_band(motion) if isinstance(scheme, Livens) else 0.0
            if band <= NARROW or not left:
                break
            reason = f"the energy wandered by {band:.1g} of what is exchanged"
        h *= 0.25
    more = f"; with h = {first:g} s {reason}" if reason else ""
    motion.chosen = f"h = {motion.h:g} s was chosen: {found}{more}."
    return motion
