"""Simulate a model: compile it, plan the steps, run the loop, return the motion."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from .. import _jit
from ..checks import number
from ..compile.compiled import Compiled
from ..compile.states import as_record, copied
from ..describe.event import Event, named
from ..describe.model import Model
from ..errors import ModelError
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from ..step import Livens, Scheme
from ..step.scheme import Engine
from .auto_step import auto_run
from .checkpoint import INTERVAL, Checkpoints
from .energy_check import warn_of_energy_error
from .event_runs import refuse_auto_step, refuse_between_steps, resume_events, simulate_events
from .follow import begin_state, follow
from .given_state import checked_start
from .loop import Run, room, with_memory
from .plan import Plan, plan
from .progress import Progress

UNCOUNTED = 1e15  # steps; more are too many to count
_asked: set[str] = set()  # kernels of which it has been looked up whether they are compiled


def simulate(
    model: Model,
    scheme: Scheme | None = None,
    *,
    h: float | str,
    until: float,
    every: int = 1,
    start: State | None = None,
    t0: float = 0.0,
    events: Sequence[Event] = (),
    progress: bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = INTERVAL,
    force: bool = False,
) -> Trajectory:
    """Simulate `model` from t = `t0` to t = `until` [s] with steps of length `h` [s] and keep every `every`-th state.

    h="auto" chooses a step for the stiffest vibration and the fastest spin (`lv.stiffness`), and a shorter one if the
    run needs it; for `lv.EnergyMomentum()`, the longest step whose quarter does not change the motion.
    `motion.chosen` holds the reason. If h does not divide the time, the next smaller step that does is
    used; an automatic step divides the period of controllers instead, and the run may end up to one step later.
    `start`: an initial state other than the model's, such as `motion.state`, at the time `t0` [s]. `events`: a list of
    `lv.Event`, which end the run or change the mechanism where a function crosses zero; see `motion.events`.
    `progress`: True, False, or None for a line on stderr if it is a terminal and the run takes longer than two seconds.

    `checkpoint`, such as "out.nc": the motion is saved there at the end, and a checkpoint is written beside it every
    `checkpoint_every` seconds of computing. After the process was killed, `livens resume out.nc` continues the run; the
    result is bitwise identical. A file there that livens did not write is replaced only with force=True. Ctrl-C raises
    `lv.Interrupted`, a KeyboardInterrupt. Whatever ends a run, the motion so far is in `.trajectory` of the exception.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> stone = m.add(lv.Body(lv.Ball(0.1, density=2500), velocity=(1, 0, 0), name="stone"))
    >>> motion = lv.simulate(m, lv.Livens(), h=1e-2, until=1.0)
    >>> motion.position(stone)[-1].round(6).tolist()
    [1.0, 0.0, -4.905]
    """
    if not isinstance(model, Model):
        raise ModelError(f"simulate takes a Model first, not {model!r}.")
    if isinstance(h, str) and h != "auto":
        raise ModelError(f'h must be a number of seconds, or "auto", not {h!r}.')
    t0 = number(t0, "t0")
    span = number(until, "until") - t0
    if t0 != 0.0 and span <= 0.0:
        raise ModelError(f"until = {until:g} s must be later than t0 = {t0:g} s.")
    how = plan(scheme, span if isinstance(h, str) else h, span, every)
    checkpoints = Checkpoints(checkpoint, checkpoint_every, force)
    checkpoints.begin()
    if isinstance(how.scheme, Engine):
        return follow_whole(how.scheme, model, h, how, start, t0, len(events) > 0 or checkpoint is not None)
    say_compiling(model, how.scheme)
    compiled = Compiled.of(model)
    if len(events := named(events)):
        refuse_auto_step(h)
        state = begin_state(how, compiled, start, t0)
        motion = simulate_events(events, how, compiled, state, t0, progress, checkpoints)
        warn_of_energy_error(motion)
        return motion

    def go(how: Plan) -> Trajectory:
        checkpoints.begin()
        return follow(how, compiled, start, progress, checkpoints, t0)

    chosen = isinstance(h, str)
    with checkpoints:
        motion = (
            auto_run(lambda h, end: go(plan(scheme, h, end, every)), compiled, how.scheme, how.h) if chosen else go(how)
        )
        checkpoints.finish(motion)
    warn_of_energy_error(motion)
    return motion


def follow_whole(
    scheme: Engine, model: Model, h: float | str, how: Plan, start: State | None, t0: float, more: bool
) -> Trajectory:
    """The motion of a model by a scheme that follows it as a whole. more: events or checkpoints are asked for."""
    if isinstance(h, str) or more:
        raise ModelError(f"{scheme!r} takes neither events nor checkpoints nor an automatic step: leave them out.")
    motion: Trajectory = scheme.follow(model, how.h, how.steps, how.every, start, t0)
    return motion


def resume(
    motion: Trajectory,
    until: float | None = None,
    progress: bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = INTERVAL,
    force: bool = False,
    events: Sequence[Event] | None = None,
) -> Trajectory:
    """`motion` continued to t = `until` [s] with its scheme, step and interval; bitwise identical to one long run.

    The default of `until` is the planned end of a run that was stopped, `motion.end`. `checkpoint` as in `simulate`; a
    run that had reached its end, but whose file could not be written, is saved there. A run with events continues with
    the same `events`; they must be given again if the motion was read from a file.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> top = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    >>> half = lv.simulate(m, lv.Livens(), h=1e-2, until=1.0)
    >>> whole = lv.simulate(m, lv.Livens(), h=1e-2, until=2.0)
    >>> bool((lv.resume(half, until=2.0).record.L == whole.record.L).all())
    True
    """
    if not isinstance(motion, Trajectory):
        raise ModelError(f"resume takes a motion first, such as that of lv.simulate or lv.load, not {motion!r}.")
    t0, h = float(motion.t[0]), motion.h
    refuse_between_steps(motion)
    end = motion.end if until is None else number(until, "until")
    if not abs(end - t0) / h < UNCOUNTED:
        raise ModelError(f"t = {end:g} s is too late for steps of {h:g} s: give an earlier `until`.")
    steps = round((end - t0) / h)
    checkpoints = Checkpoints(checkpoint, checkpoint_every, force)
    if until is None and checkpoint is not None and steps == motion.steps:  # the disk was full at the end of the run
        checkpoints.continue_from(motion)
        with checkpoints:
            checkpoints.finish(motion)
        return motion
    if steps <= motion.steps or abs(t0 + steps * h - end) > 1e-6 * h:
        raise ModelError(
            f"the motion ends at t = {motion.t[-1]:g} s and continues in steps of {h:g} s: "
            f"t = {end:g} s is not a later step."
        )
    if motion.watched or motion.sides or len(motion.phases) > 1 or events:
        checkpoints = Checkpoints(checkpoint, checkpoint_every, force)
        return resume_events(motion, events, steps, progress, checkpoints)
    state = motion.state
    record = room(state, steps, motion.every)
    kept = motion.steps // motion.every + 1
    for new, old in zip(record, motion.record, strict=True):
        new[:kept] = old[:kept]
    motion.compiled.check_unchanged("change it back, or simulate again from motion.state.")
    run = Run(motion.compiled, motion.scheme, h, t0, motion.every, record)
    run.seconds = motion.seconds
    run.tally += motion.tally
    run.impacts.append(motion.impact_log)
    checkpoints.continue_from(motion)
    with checkpoints:
        run.go(state, motion.steps, steps, Progress(motion.model.name, steps - motion.steps, progress), checkpoints)
        whole = run.trajectory(steps)
        checkpoints.finish(whole)
    return whole


def advance(model: Model, scheme: Scheme, state: State, h: float, steps: int = 1, t0: float = 0.0) -> State:
    """The state `steps` steps of length h after `state`; h may be negative. The step map that `lv.symplecticity` and
    `lv.reversibility` test."""
    compiled = Compiled.of(model, quiet=True)
    after = with_memory(copied(checked_start(state, compiled.state)), scheme.memory(compiled.system))
    run = Run(compiled, scheme, h, t0, steps, room(after, steps, steps))
    run.go(after, 0, steps, Progress(model.name, steps, show=False))
    return after


def dynamics(model: Model, state: State | None = None, t: float = 0.0) -> Trajectory:
    """Accelerations and reactions at a state (None: the model's start) without stepping: a motion of one state.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bar = m.add(lv.Body(lv.ThinRod(1.0, mass=2.0), at=(0.5, 0, 0), name="bar"))
    >>> pin = m.add(lv.Spherical(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), name="pin"))
    >>> now = lv.dynamics(m)
    >>> now.acceleration(bar)[0].round(6).tolist(), now.reaction(pin)[0].round(6).tolist()
    ([0.0, 0.0, -7.3575], [0.0, 0.0, 4.905])
    """
    compiled = Compiled.of(model)
    here = compiled.state if state is None else checked_start(state, compiled.state)
    record = as_record(copied(here))
    return Trajectory(compiled, Livens(), 1.0, 1, np.array([float(t)]), record, 0, 0.0)


def say_compiling(model: Model, scheme: Scheme) -> None:
    """Announce that the first run on a machine compiles the kernels, or that they run as plain Python."""
    jointed = True
    with suppress(Exception):  # wrong attributes are named when the model is compiled
        jointed = bool(model.joints or model.planes) or any(force.rows() for force in model.forces)
    file, seconds = scheme.rollout_file(jointed), scheme.compile_seconds(jointed)
    text = "" if file in _asked else _jit.announcement(f"{file}.rollout", seconds)
    if text:
        print(f"livens: {text}", file=sys.stderr, flush=True)
    _asked.add(file)
