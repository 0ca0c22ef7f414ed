"""The motion between stored states: motion.at(t).

From the stored state at t_k ≤ t the scheme takes whole steps of length h, as the run did, and one step of the missing
length θ h, 0 ≤ θ < 1:

    q(t) = Φ_{θh} ∘ Φ_h ∘ … ∘ Φ_h (q_k)                                                                      (1)

Φ has the local error O(h^{p+1}), so the result has the order p of the scheme, satisfies the joints to machine
precision, and is the stored state at a stored time. No interpolation of positions or rotations is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import Array
from ..compile.states import as_record, copied
from ..errors import ModelError, StepFailed
from ..kernels import status
from ..kernels.arrays import State
from ..record.phases import PhasedTrajectory
from ..record.trajectory import Trajectory
from .failures import sentence
from .loop import Run, room, scratch_of, with_memory
from .progress import Progress

SAME = 1e-9  # of a step: times this near to a stored one are that time


def at(motion: Trajectory, t: ArrayLike) -> Trajectory:
    """`motion` at the times t [s], a number or several in any order: a motion of as many states, by (1).

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> stone = m.add(lv.Body(lv.Ball(0.1, density=2500), velocity=(1, 0, 0), name="stone"))
    >>> motion = lv.simulate(m, h=0.1, until=1.0, every=5)
    >>> motion.at(0.123).position(stone).round(9).tolist(), motion.at([0.2, 0.7]).t.tolist()
    ([[0.123, 0.0, -0.074207745]], [0.2, 0.7])
    """
    wanted = _times(motion, t)
    phases = motion.phases
    if len(phases) == 1:
        return _of_phase(phases[0], wanted)
    begins = np.array([phase.t[0] for phase in phases])
    owner = np.clip(np.searchsorted(begins, wanted, side="right") - 1, 0, len(phases) - 1)
    if (np.diff(wanted) < 0.0).any():
        raise ModelError("the times of a motion with events must be in increasing order.")
    found = [_of_phase(phase, wanted[owner == k]) for k, phase in enumerate(phases) if (owner == k).any()]
    return found[0] if len(found) == 1 else PhasedTrajectory(found, motion.events)


def _times(motion: Trajectory, t: ArrayLike) -> Array:
    try:
        wanted = np.atleast_1d(np.array(t, dtype=np.float64))
    except (TypeError, ValueError):
        raise ModelError(f"a motion has states at times in seconds, not at {t!r}.") from None
    first, last = float(motion.t[0]), float(motion.t[-1])
    slack = SAME * motion.h
    if wanted.ndim != 1 or not len(wanted) or not np.isfinite(wanted).all():
        raise ModelError(f"a motion has states at times in seconds, not at {t!r}.")
    outside = wanted[(wanted < first - slack) | (wanted > last + slack)]
    if len(outside):
        raise ModelError(
            f"the motion lasts from t = {first:g} s to {last:g} s and has no state at {outside[0]:g} s: "
            "lv.resume(motion, until=…) continues it."
        )
    return np.clip(wanted, first, last)


def _of_phase(motion: Trajectory, wanted: Array) -> Trajectory:
    states = [_state_at(motion, float(one)) for one in wanted]
    record = State(*(np.stack(column) for column in zip(*states, strict=True)))
    return Trajectory(
        motion.compiled,
        motion.scheme,
        motion.h,
        motion.every,
        wanted,
        record,
        motion.steps,
        motion.seconds,
        motion.tally,
    )


def _state_at(motion: Trajectory, t: float) -> State:
    """Equation (1)."""
    h = motion.h
    k = int(np.searchsorted(motion.t, t + SAME * h, side="right")) - 1
    begin = float(motion.t[max(k, 0)])
    state = with_memory(motion.stored(max(k, 0)), motion.scheme.memory(motion.system))
    if t - begin <= SAME * h:
        return state
    whole = int((t - begin) / h + SAME)
    before = round((begin - float(motion.t[0])) / h)  # steps before it: controllers act at whole multiples of theirs
    t0 = begin - before * h
    every = before + whole + 1
    run = Run(motion.compiled, motion.scheme, h, t0, every, room(state, every, every))
    if whole:
        run.go(state, before, before + whole, Progress("", whole, show=False))
    rest = t - begin - whole * h
    return _last_step(run, state, before + whole, begin + whole * h, rest) if rest > SAME * h else state


def _last_step(run: Run, state: State, done: int, t: float, length: float) -> State:
    """A step of `length` [s], shorter than h, from the state at t after `done` steps."""
    period = run.period()
    run.table.hold(state.effort)
    if period and done % period == 0:
        state.effort[:] = run.table.ask(t, run.now(state, done))
    system = run.system
    work, _, everything = scratch_of(system, run.scheme, run.table.width)
    signals = _signals(run, t, length)
    run.prepare(system, state, everything, signals, length)
    code, _ = run.rollout(
        system, state, everything, length, run.scheme.table, signals, 0, 1, 2, as_record(copied(state))
    )
    if code != status.OK:
        raise StepFailed(sentence(run, code, int(work.fault[0]), done, state, work.g), run.trajectory(0))
    return state


def _signals(run: Run, t: float, length: float) -> NDArray[np.float64]:
    """All functions of time at the start of the step and after each of its stages."""
    within = np.cumsum(run.scheme.weights)
    within[-1] = 1.0
    times = t + length * np.concatenate([[0.0], within]) if run.table.varies else np.array([t])
    return np.ascontiguousarray(run.table.table(times))
