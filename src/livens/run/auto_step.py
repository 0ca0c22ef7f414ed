"""h="auto": a step from the stiffest vibration and the fastest spin at the start, and a shorter one if need be.

What a mechanism does later cannot be told at its start: a crank may pass a dead point and spin ten times as fast. So
the run is the judge: where a step does not converge, or the energy wanders, it begins again with a quarter of the step.
A model with controllers is run once, since they may remember what they were asked, and its step divides their period.

The energy says nothing of a load that changes faster than the steps, whose work is booked as it is sampled. So signals
are asked at random times within steps: from the straight line between the ends of a step they should hardly differ.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..checks import Array
from ..compile.assembly import consistent_start
from ..compile.signals import Signals
from ..compile.system import scratch
from ..describe.forces.motor import Motor
from ..describe.model import Model
from ..errors import StepFailed
from ..kernels.arrays import State
from ..kernels.forces import forces_of_record
from ..record.trajectory import Trajectory
from ..step import Scheme
from .energy_check import energy_error, energy_error_text
from .stiffness import stiffness

TRIES = 5
ACCURATE = 0.01  # the relative energy error that is good enough
STRAIGHT = 0.002  # of a signal's range, from a straight line, in the mean: a quarter of a radian of a sine in a step
LOOKS = 400  # steps that are looked into
MOST = 1e6  # steps of a run, beyond which a signal is noise


def auto_run(go: Callable[[float], Trajectory], model: Model, scheme: Scheme, until: float) -> Trajectory:
    """The motion that go(h) gives with a step that suits it; `chosen` says which, and why."""
    found = stiffness(model)
    h = found.resolving(scheme.phase_per_step, until)
    resolved = _resolving(model, h, until)
    signals = f"; signals change too much within h = {h:g} s" if resolved < h else ""
    periods = [1.0 / force.rate for force in model.forces if isinstance(force, Motor) and force.rate]
    h = first = periods[0] / np.ceil(periods[0] / resolved * (1.0 - 1e-9)) if periods else resolved
    tries = 1 if periods else TRIES
    reason = ""
    for left in reversed(range(tries)):
        try:
            motion = go(h)
        except StepFailed:
            if not left:
                raise
            reason = "a step did not converge"
        else:
            error = energy_error(motion) if scheme.conserves_energy else 0.0
            if error <= ACCURATE or not left:
                break
            reason = energy_error_text(error)
        h *= 0.25
    more = f"; with h = {first:g} s {reason}" if reason else ""
    motion.chosen = f"h = {motion.h:g} s was chosen: {found}{signals}{more}."
    return motion


def _resolving(model: Model, h: float, until: float) -> float:
    """The step h, or a shorter one in which all that varies with time is almost straight; h where they are noise."""
    shorter = h
    while until / shorter < MOST:
        if _bend(model, shorter, until) <= STRAIGHT:
            return shorter
        shorter *= 0.5
    return h


def _bend(model: Model, h: float, until: float) -> float:
    """How far signals are from straight within steps of length h, in the mean and in parts of their range."""
    signals = Signals(model, h, until)
    if not signals.varies:
        return 0.0
    begin = consistent_start(model, quiet=True) if signals.timed else None

    def look(t: Array) -> Array:
        """All that varies at the times t: the table, and what user-written forces make of time at the start."""
        table = signals.table(t)
        if begin is None:
            return table
        record = State(*(np.repeat(x[None], len(t), axis=0) for x in begin.state))
        f, tau = np.zeros_like(record.p), np.zeros_like(record.L)
        forces_of_record(begin.system, record, table, scratch(begin.system), f, tau)
        return np.concatenate([table, f.reshape(len(t), -1), tau.reshape(len(t), -1)], axis=1)

    draw, steps = np.random.default_rng(1), max(1, int(until / h))
    t = np.float64(h) * (np.arange(steps) if steps <= LOOKS else np.sort(draw.choice(steps, LOOKS, replace=False)))
    part = draw.uniform(0.2, 0.8, (len(t), 1))
    start, between, end = (look(t + h * x) for x in (0.0, part[:, 0], 1.0))
    off = np.abs(between - start - part * (end - start)).mean(axis=0)
    every = np.concatenate([start, between, end])
    most = np.abs(every).max(axis=0)
    scale = np.maximum(np.ptp(every, axis=0), 1e-3 * most)
    for k in (signals.column[id(joint)] for joint in signals.drives):  # rates by differences have noise
        scale[k + 1 : k + 3] = np.maximum(scale[k + 1 : k + 3], 1e-10 * most[k] / signals.step ** np.array([1, 2]))
    return float(np.divide(off, scale, out=np.zeros_like(off), where=scale > 0.0).max(initial=0.0))
