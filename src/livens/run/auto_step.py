"""h="auto": a step from the stiffest vibration and the fastest spin at the start, and a shorter one where needed.

The motion later in the run is not known at its start: a crank may pass a dead point and spin ten times as fast.
Therefore the run itself is checked: if a step does not converge, or the energy error is too large, it is restarted with
h/4. Stops count only once one is touched. A model with controllers is run once, because controllers may have memory.
There h divides their period, and the end of the run too if FINER times as many steps are enough for that; otherwise
the run ends with the first whole step after the time that is asked for.

The energy balance does not show a load that changes faster than the steps, because its work is computed from the same
samples. Therefore signals are evaluated at random times within steps: they must be close to the straight line between
the ends of a step. The error of schemes that conserve energy exactly does not show in the energy balance either: their
motions with two steps are compared (compared_step.py).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.signals import Signals
from ..compile.states import repeated
from ..compile.system import scratch
from ..errors import ModelWarning, StepFailed, unless_from_outside
from ..kernels.forces import forces_of_record
from ..record.trajectory import Trajectory
from ..step import Scheme
from .compared_step import compared_run
from .energy_check import energy_error, energy_error_text
from .plan import step_count
from .stiffness import stiffness_of

TRIES = 5
ACCEPTED = 0.01  # relative energy error that is accepted
STRAIGHT = 0.002  # mean deviation from a straight line, relative to a signal's range: 0.25 rad of a sine in a step
SAMPLED_STEPS = 400  # steps in which signals are sampled
FINER = 10  # times as many steps are taken at most, so that they end where they should
CANDIDATES = 1000  # steps that are tried for that
MOST_STEPS = 1e6  # of a run; a signal that needs more is noise


def auto_run(go: Callable[..., Trajectory], compiled: Compiled, scheme: Scheme, until: float) -> Trajectory:
    """The motion go(h, end) with a suitable step; `chosen` holds the step and the reason."""
    model, found = compiled.model, stiffness_of(compiled, stops=False, until=until)
    h = found.resolving(scheme.phase_per_step, until)
    stopped = stiffness_of(compiled, until=until).resolving(scheme.phase_per_step, until)  # once a stop is touched
    resolved = _resolving(compiled, h, until)
    signals = f"; signals change too much within h = {h:g} s" if resolved < h else ""
    periods = [1.0 / motor.term.rate for motor in Signals(model).controlled if motor.term.rate]
    if scheme.exact_energy and not periods:

        def touching(motion: Trajectory) -> float:
            """The step that resolves everything that a motion meets."""
            return stopped if _touched(motion) else np.inf

        resolving = partial(_resolving, compiled, until=until)
        return compared_run(partial(go, end=until), compiled, scheme, until, found, resolving, touching)
    h, end = _dividing(periods[0], resolved, until) if periods else (resolved, until)
    tries = 1 if periods else TRIES
    reason = ""
    for left in reversed(range(tries)):
        try:
            motion = go(h, end)
        except StepFailed:
            if not left:
                raise
            reason = f"; with h = {h:g} s a step did not converge"
        else:
            error = energy_error(motion) if scheme.conserves_energy else 0.0
            struck = _touched(motion) and motion.h > stopped * (1.0 + 1e-9)
            if (error <= ACCEPTED and not struck) or not left:
                break
            reason = f"; with h = {motion.h:g} s {'a stop is touched' if struck else energy_error_text(error)}"
            if struck and periods:
                break
            h = 4.0 * min(h, stopped) if struck else h
        h *= 0.25
    motion.chosen = f"h = {motion.h:g} s was chosen: {found}{signals}{reason}."
    if end > until:
        motion.chosen += f" It divides the period of the controllers; the run ends with a whole step, at {end:g} s."
    if error > ACCEPTED:
        attempts = f"after {tries} attempts" if tries > 1 else "and a model with controllers is run once"
        motion.chosen += f" It is not short enough: {energy_error_text(error)}, {attempts}; give a shorter h."
        warnings.warn(f"model {model.name!r}: {motion.chosen}", ModelWarning, stacklevel=4)
    return motion


def _dividing(period: float, h: float, until: float) -> tuple[float, float]:
    """The longest step up to h that divides `period` and, if possible, `until`; and the end of the last step [s]."""
    least = int(np.ceil(period / h * (1.0 - 1e-9)))
    for parts in range(least, min(FINER * least, least + CANDIDATES) + 1):
        steps = until * parts / period
        if abs(steps - round(steps)) <= 1e-9 * steps and round(steps) > 0:
            return period / parts, until
    h = period / least
    return h, step_count(until, h) * h


def _touched(motion: Trajectory) -> bool:
    """Whether a joint coordinate is beyond a stop at a stored state."""
    low, high = motion.system.coordinates.limit.T
    return bool(((motion.record.angle < low) | (motion.record.angle > high)).any())


def _resolving(compiled: Compiled, h: float, until: float) -> float:
    """The step h, or a shorter one within which all signals are almost straight; h if they are noise. If a function of
    the user fails in the run, the time before decides."""
    shorter = h
    while h <= until and until / shorter < MOST_STEPS:
        try:
            if _bend(compiled, shorter, until) <= STRAIGHT:
                return shorter
            shorter *= 0.5
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # the run raises it again, with the motion so far
            unless_from_outside(error, partial(_bend, compiled, shorter, until))
            until *= 0.5
    return h


def _bend(compiled: Compiled, h: float, until: float) -> float:
    """The mean deviation of signals from straight lines within steps of length h, relative to their range."""
    signals = Signals(compiled.model, h, until)
    if not signals.varies:
        return 0.0

    def sampled(t: Array) -> Array:
        """All signals at the times t, and the user-written forces of those times in the initial state."""
        table = signals.table(t)
        if not signals.has_clock:
            return table
        record = repeated(compiled.state, len(t))
        f, tau = np.zeros_like(record.p), np.zeros_like(record.L)
        forces_of_record(compiled.system, record, table, scratch(compiled.system), f, tau)
        return np.concatenate([table, f.reshape(len(t), -1), tau.reshape(len(t), -1)], axis=1)

    draw, steps = np.random.default_rng(1), max(1, int(until / h))
    t = np.float64(h) * (
        np.arange(steps) if steps <= SAMPLED_STEPS else np.sort(draw.choice(steps, SAMPLED_STEPS, replace=False))
    )
    part = draw.uniform(0.2, 0.8, (len(t), 1))
    start, between, end = (sampled(t + h * x) for x in (0.0, part[:, 0], 1.0))
    off = np.abs(between - start - part * (end - start)).mean(axis=0)
    every = np.concatenate([start, between, end])
    most = np.abs(every).max(axis=0)
    scale = np.maximum(np.ptp(every, axis=0), 1e-3 * most)
    for k in (driven.first for driven in signals.drives):  # rates by differences have noise
        scale[k + 1 : k + 3] = np.maximum(scale[k + 1 : k + 3], 1e-10 * most[k] / signals.step ** np.array([1, 2]))
    return float(np.divide(off, scale, out=np.zeros_like(off), where=scale > 0.0).max(initial=0.0))
