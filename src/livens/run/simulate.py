"""Simulate a model: compile it, plan the steps, run the loop, return the motion."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import numpy as np

from .. import _jit
from ..checks import finite, number
from ..compile.compiled import Compiled
from ..compile.states import as_record, copied
from ..describe.model import Model
from ..describe.pose import rotation_matrix
from ..errors import ModelError
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from ..step import Livens, Scheme
from .auto_step import auto_run
from .checkpoint import INTERVAL, Checkpoints
from .energy_check import warn_of_energy_error
from .loop import OPEN, Run, keep, room, with_memory
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
    progress: bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = INTERVAL,
    force: bool = False,
) -> Trajectory:
    """Simulate `model` from t = 0 to t = `until` [s] with steps of length `h` [s] and keep every `every`-th state.

    h="auto" chooses a step for the stiffest vibration and the fastest spin (`lv.stiffness`), and a shorter one if the
    run needs it; `motion.chosen` holds the reason. If h does not divide the time, the next smaller step that does is
    used; an automatic step divides the period of controllers instead, and the run may end up to one step later.
    `start`: an initial state other than the model's, such as `motion.state`. `progress`: True, False, or None for a
    line on stderr if it is a terminal and the run takes longer than two seconds.

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
    how = plan(scheme, until if isinstance(h, str) else h, until, every)
    checkpoints = Checkpoints(checkpoint, checkpoint_every, force)
    checkpoints.begin()
    say_compiling(model, how.scheme)
    compiled = Compiled.of(model)

    def go(how: Plan) -> Trajectory:
        checkpoints.begin()
        return follow(how, compiled, start, progress, checkpoints)

    chosen = isinstance(h, str)
    with checkpoints:
        motion = (
            auto_run(lambda h, end: go(plan(scheme, h, end, every)), compiled, how.scheme, how.h) if chosen else go(how)
        )
        checkpoints.finish(motion)
    warn_of_energy_error(motion)
    return motion


def follow(
    how: Plan,
    compiled: Compiled,
    start: State | None = None,
    progress: bool | None = False,
    checkpoints: Checkpoints | None = None,
) -> Trajectory:
    """The motion of a compiled model by the plan, from its initial state or from `start` if that is given."""
    scheme, h, steps, every = how
    state = compiled.state if start is None else checked_start(start, compiled.state)
    state = copied(state)
    state = state._replace(memory=np.zeros(scheme.memory(compiled.system)))  # the memory of another run is dropped
    if start is not None:
        compiled.assembly(state).check_closed(OPEN)
    run = Run(compiled, scheme, h, 0.0, every, room(state, steps, every))
    keep(run.record, 0, state)
    run.go(state, 0, steps, Progress(compiled.model.name, steps, progress), checkpoints)
    return run.trajectory(steps)


def resume(
    motion: Trajectory,
    until: float | None = None,
    progress: bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = INTERVAL,
    force: bool = False,
) -> Trajectory:
    """`motion` continued to t = `until` [s] with its scheme, step and interval; bitwise identical to one long run.

    The default of `until` is the planned end of a run that was stopped, `motion.end`. `checkpoint` as in `simulate`; a
    run that had reached its end, but whose file could not be written, is saved there.

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
    state = motion.state
    record = room(state, steps, motion.every)
    kept = motion.steps // motion.every + 1
    for new, old in zip(record, motion.record, strict=True):
        new[:kept] = old[:kept]
    motion.compiled.check_unchanged("change it back, or simulate again from motion.state.")
    run = Run(motion.compiled, motion.scheme, h, t0, motion.every, record)
    run.seconds = motion.seconds
    run.tally += motion.tally
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
        jointed = bool(model.joints) or any(force.rows() for force in model.forces)
    file, seconds = scheme.rollout_file(jointed), scheme.compile_seconds(jointed)
    text = "" if file in _asked else _jit.announcement(f"{file}.rollout", seconds)
    if text:
        print(f"livens: {text}", file=sys.stderr, flush=True)
    _asked.add(file)


def checked_start(state: State, model: State) -> State:
    """A state given by a user: arrays of the shapes of the model's state, with finite numbers and rotations."""
    if not isinstance(state, tuple) or len(state) != len(model):
        raise ModelError(f"a start must be a state such as motion.state, not {state!r}.")
    state = state._replace(half_turns=np.nan_to_num(state.half_turns))  # not counted: within half a turn of zero
    fields = zip(state[:-1], model[:-1], State._fields, strict=False)  # the memory is checked by its scheme
    checked = State(*(finite(given, mine.shape, f"{name} of the start") for given, mine, name in fields))
    checked = checked._replace(memory=finite(state.memory, np.shape(state.memory), "memory of the start"))
    for B in checked.B:
        rotation_matrix(B, "a rotation of the start")
    return checked
