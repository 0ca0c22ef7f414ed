"""Drive a compiled rollout from the start to the end, in chunks; the only place that raises for a step.

A chunk is as many steps as take about a quarter of a second: between chunks progress is shown, Ctrl-C is heard and
what varies with time is tabulated at the exact times of the coming stages. How a run is cut into chunks never
changes a bit of its result.
"""

from __future__ import annotations

import os
import sys
import time
from functools import cached_property
from typing import Any

import numpy as np

from .. import _jit
from ..checks import Array, finite, number
from ..compile.assembly import Fit, Start, consistent_start
from ..compile.rows import PRECISION, groups
from ..compile.signals import Signals
from ..compile.system import compile_model, same, scratch
from ..describe.forces.damper import Damper
from ..describe.forces.force import Force
from ..describe.model import Model
from ..describe.pose import rotation_matrix
from ..errors import ModelError, StepFailed
from ..kernels import status
from ..kernels.arrays import State, System
from ..kernels.constrain import largest_violation
from ..kernels.dynamics import violations_of_record
from ..record.trajectory import Trajectory
from ..step import Livens, Scheme
from .auto_step import auto_run
from .checkpoint import INTERVAL, Watch
from .energy_check import warn_of_energy_error
from .failures import sentence
from .plan import Plan, plan
from .progress import Progress

MEMORY = 4 * 2**30  # largest record that is allocated without being asked twice [bytes]
OPEN = 1e-6  # defect of an equation left out, relative to its size, at which a joint has come apart
PACE = 0.25  # aimed duration of a chunk [s]
FIRST = 4000  # stages times bodies in the first chunk, at least
_loaded: set[Any] = set()  # rollouts that have run
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
) -> Trajectory:
    """Simulate `model` from t = 0 to t = `until` [s] with steps of length `h` [s] and keep every `every`-th state.

    h="auto" chooses a step for the stiffest vibration and the fastest spin (`lv.stiffness`), a shorter one if the run
    needs it, and says so in `motion.chosen`. If h does not divide the time, the next smaller step that does is taken.
    `start` begins from a state other than the model's, such as `motion.state`. `progress`: True, False, or None for a
    line on stderr when it is a terminal and the run takes longer than two seconds.

    `checkpoint`, such as "out.nc", keeps the motion there at the end, and every `checkpoint_every` seconds of computing
    on disk beside it, so that `livens resume out.nc` goes on, bit for bit, after the process was killed. Ctrl-C raises
    `lv.Interrupted`, a KeyboardInterrupt with the motion so far in `.trajectory`.

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
    watch = Watch(checkpoint, checkpoint_every)
    watch.begin_anew()
    say_compiling(model, how.scheme)
    begin = consistent_start(model)

    def go(how: Plan) -> Trajectory:
        watch.begin_anew()
        return follow(how, model, begin, start, progress, watch)

    chosen = isinstance(h, str)
    with watch:
        motion = auto_run(lambda h: go(plan(scheme, h, until, every)), model, how.scheme, how.h) if chosen else go(how)
        watch.finish(motion)
    warn_of_energy_error(motion)
    return motion


def follow(
    how: Plan,
    model: Model,
    begin: Start,
    start: State | None = None,
    progress: bool | None = False,
    watch: Watch | None = None,
) -> Trajectory:
    """The motion of `model`, compiled and assembled in `begin`, by the plan; from `start` if it is given."""
    scheme, h, steps, every = how
    state = begin.state if start is None else checked_start(start, begin.state)
    state = State(*(x.copy() for x in state))
    state = state._replace(memory=np.zeros(scheme.memory(begin.system)))  # what was carried belongs to another run
    if start is not None:
        Fit(model, begin.system, state, begin.skip).refuse_open(OPEN)
    run = Run(begin, model, scheme, h, 0.0, every, _record(state, steps, every))
    _keep(run.record, 0, state)
    run.go(state, 0, steps, Progress(model.name, steps, progress), watch)
    return run.trajectory(steps)


def resume(
    motion: Trajectory,
    until: float | None = None,
    progress: bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = INTERVAL,
) -> Trajectory:
    """`motion` carried on to t = `until` [s] with its own scheme, step and interval: bit for bit what one run gives.

    Left out, `until` is the end of a run that was stopped before it, `motion.end`. `checkpoint` is as in `simulate`.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> top = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    >>> half = lv.simulate(m, lv.Livens(), h=1e-2, until=1.0)
    >>> whole = lv.simulate(m, lv.Livens(), h=1e-2, until=2.0)
    >>> bool((lv.resume(half, until=2.0).record.L == whole.record.L).all())
    True
    """
    t0, h = float(motion.t[0]), motion.h
    end = motion.end if until is None else number(until, "until")
    steps = round((end - t0) / h)
    if steps <= motion.steps or abs(t0 + steps * h - end) > 1e-6 * h:
        raise ModelError(
            f"the motion ends at t = {motion.t[-1]:g} s and goes on in steps of {h:g} s: "
            f"t = {end:g} s is not a later step."
        )
    state = motion.state
    record = _record(state, steps, motion.every)
    kept = motion.steps // motion.every + 1
    for new, old in zip(record, motion.record, strict=True):
        new[:kept] = old[:kept]
    begin = consistent_start(motion.model, quiet=True)
    if not same(begin.system, motion.system):
        raise ModelError(
            f"model {motion.model.name!r} has been changed since this motion was computed: change it back, or simulate "
            "again from motion.state."
        )
    run = Run(begin, motion.model, motion.scheme, h, t0, motion.every, record)
    run.seconds = motion.seconds
    run.tally += motion.tally
    watch = Watch(checkpoint, checkpoint_every)
    watch.go_on(motion)
    with watch:
        run.go(state, motion.steps, steps, Progress(motion.model.name, steps - motion.steps, progress), watch)
        whole = run.trajectory(steps)
        watch.finish(whole)
    return whole


def advance(model: Model, scheme: Scheme, state: State, h: float, steps: int = 1, t0: float = 0.0) -> State:
    """The state `steps` steps of length h after `state`; h may be negative. This is the map the invariants examine."""
    begin = consistent_start(model, quiet=True)
    after = with_memory(State(*(x.copy() for x in state)), scheme.memory(begin.system))
    run = Run(begin, model, scheme, h, t0, steps, _record(after, steps, steps))
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
    begin = consistent_start(model)
    here = begin.state if state is None else checked_start(state, begin.state)
    record = State(*(np.array(x)[None] for x in here))
    return Trajectory(model, begin.system, Livens(), 1.0, 1, np.array([float(t)]), record, 0, 0.0)


class Run:
    """One run: what is constant during it, and how far it has come."""

    def __init__(self, begin: Start, model: Model, scheme: Scheme, h: float, t0: float, every: int, record: State):
        self.model, self.system, self.skip, self.scheme = model, begin.system, begin.skip, scheme
        self.h, self.t0, self.every, self.record = h, t0, every, record
        self.table = Signals(model, abs(h))
        self.prepare, self.rollout = scheme.kernels(self.system)
        self.seconds = 0.0
        self.tally = np.zeros(2, dtype=np.int64)
        self.wanted = 0
        backwards = bool((scheme.weights < 0.0).any())
        if self.system.damped and backwards:
            raise ModelError(
                f"order {scheme.order} takes some steps backwards in time, where dampers would feed energy in: "
                "use lv.Livens(order=2)."
            )
        moving = [force.name for force in model.forces if isinstance(force, Force) and force.moving]
        if moving and backwards:
            raise ModelError(
                f"order {scheme.order} takes some steps backwards in time, where forces of velocity such as "
                f"{moving[0]!r} would feed energy in: use lv.Livens(order=2)."
            )

    def go(self, state: State, first: int, steps: int, progress: Progress, watch: Watch | None = None) -> None:
        """Carry `state` from step `first` to step `steps`, or raise StepFailed with the motion so far."""
        self.wanted = steps
        work = scratch(self.system, self.scheme.scratch)
        self.table.hold(state.effort)
        table, signals = self.scheme.table, self.signals(first, 0)
        self.prepare(self.system, state, work, signals, self.h)
        if self.rollout not in _loaded:  # no steps: compiled or loaded before the clock runs
            self.rollout(self.system, state, work, self.h, table, signals, first, 0, self.every, self.record)
            _loaded.add(self.rollout)
        few = FIRST // (len(state.a) * self.scheme.stages)
        done, chunk, period = first, max(16, few), self.period()
        try:
            while done < steps:
                if period and done % period == 0:  # a controller speaks
                    if self.scheme.carries == "accelerations":
                        state.memory[:] = 0.0  # forces jump: what a scheme carried of them is void
                    state.effort[:] = self.table.ask(self.t0 + done * self.h, self.now(state, done))
                    self.prepare(self.system, state, work, self.signals(done, 0), self.h)
                size = min(chunk, steps - done, period - done % period if period else steps)
                signals = self.signals(done, size)
                begin = time.perf_counter()
                code, taken = self.rollout(
                    self.system, state, work, self.h, table, signals, done, size, self.every, self.record
                )
                spent = time.perf_counter() - begin
                self.seconds += spent
                self.tally += work.tally
                work.tally[:] = 0
                done += taken
                if code != status.OK:
                    raise StepFailed(
                        sentence(self, code, int(work.fault[0]), done, state, work.g),
                        self.trajectory(done - done % self.every),
                    )
                self.check_left_out(state, done)
                progress.update(done - first)
                if watch is not None and done < steps:
                    watch.look(self, state, done)
                chunk = int(np.clip(size * PACE / max(spent, 1e-9), 1, min(4 * max(chunk, size), self.longest())))
        finally:
            progress.close()
        self.so_far(state, steps)

    def check_left_out(self, state: State, done: int) -> None:
        """Equations that repeated others at the start are not solved: stop where they turn out to be real."""
        if not self.skip:
            return
        rows, system = len(self.full.rows.kind), self.full
        g, v = np.zeros((1, rows)), np.zeros((1, rows))
        signals = np.ascontiguousarray(self.table.table(np.array([self.t0 + done * self.h])))
        violations_of_record(system, State(*(x[None] for x in state)), signals, scratch(system), g, v)
        size, which = largest_violation(system.rows, g[0])
        if size > OPEN / PRECISION:
            owner = [group.owner for group in groups(self.model) for _ in group.rows][which]
            raise StepFailed(
                f"joint {owner.name!r} ({type(owner).__name__}) has come apart by {abs(g[0, which]):.2g} at t = "
                f"{self.t0 + done * self.h:.6g} s: some of its equations repeated others where the mechanism started, "
                "but not here. Start it away from a stretched or flat position.",
                self.trajectory(done - done % self.every),
            )

    @cached_property
    def full(self) -> System:
        """The system with all rows."""
        return compile_model(self.model)[0]

    def longest(self) -> int:
        """How many steps a chunk may have, so that the table of signals stays small."""
        return 10**9 if not self.table.varies else max(1, 10**6 // (self.scheme.stages * self.table.width))

    def period(self) -> int:
        """Steps between two times at which controllers are asked, or 0 where there are none."""
        rates = {motor.rate for motor in self.table.controlled if motor.rate is not None}
        if not rates:
            return 0
        if len(rates) > 1:
            raise ModelError(f"controllers must share one rate, got {sorted(rates)} Hz.")
        steps = 1.0 / (rates.pop() * self.h)
        if steps < 0.999 or abs(steps - round(steps)) > 1e-6 * steps:
            raise ModelError(
                f"a controller's period must be a whole number of steps; it is {steps:.4g} steps of {self.h:g} s."
            )
        return round(steps)

    def now(self, state: State, done: int) -> Trajectory:
        """The motion at this moment, for controllers."""
        record = State(*(x[None].copy() for x in state))
        t = np.array([self.t0 + done * self.h])
        return Trajectory(self.model, self.system, self.scheme, self.h, 1, t, record, done, self.seconds)

    def signals(self, first: int, steps: int) -> Array:
        """What comes with time, at the start of step `first` and after every stage of `steps` steps."""
        n = np.array([float(first)])
        if self.table.varies:
            within = np.cumsum(self.scheme.weights)
            within[-1] = 1.0
            n = np.concatenate([n, (first + np.arange(steps)[:, None] + within).ravel()])
        return np.ascontiguousarray(self.table.table(self.t0 + self.h * n))

    def so_far(self, state: State, done: int) -> Trajectory:
        """The motion over the first `done` steps, of which `state` is the last."""
        if done % self.every:
            _keep(self.record, done // self.every + 1, state)
        return self.trajectory(done)

    def trajectory(self, steps: int) -> Trajectory:
        """The motion over the first `steps` steps, the last of which is kept."""
        number = np.arange(0, steps + 1, self.every, dtype=np.float64)
        if steps % self.every:
            number = np.append(number, steps)
        record = State(*(x[: len(number)] for x in self.record))
        motion = Trajectory(
            self.model,
            self.system,
            self.scheme,
            self.h,
            self.every,
            self.t0 + self.h * number,
            record,
            steps,
            self.seconds,
            (int(self.tally[0]), int(self.tally[1])),
        )
        motion.wanted = max(steps, self.wanted)
        return motion


def say_compiling(model: Model, scheme: Scheme) -> None:
    """The first run on a machine compiles, and says so."""
    jointed = bool(model.joints) or any(getattr(f, "damping", 0.0) or isinstance(f, Damper) for f in model.forces)
    file, seconds = scheme.rollout_file(jointed), scheme.compile_seconds(jointed)
    if file not in _asked and _jit.cold(f"{file}.rollout"):
        print(f"livens: compiling for this machine, once (about {seconds} s) …", file=sys.stderr, flush=True)
    _asked.add(file)


def checked_start(state: State, model: State) -> State:
    """A state given from outside: arrays of the model's shapes, with finite numbers and rotations in them."""
    if not isinstance(state, tuple) or len(state) != len(model):
        raise ModelError(f"a start must be a state such as motion.state, not {state!r}.")
    fields = zip(state[:-1], model[:-1], State._fields, strict=False)  # what a scheme carried is checked by the scheme
    checked = State(*(finite(given, mine.shape, f"{name} of the start") for given, mine, name in fields))
    checked = checked._replace(memory=finite(state.memory, np.shape(state.memory), "memory of the start"))
    for B in checked.B:
        rotation_matrix(B, "a rotation of the start")
    return checked


def with_memory(state: State, size: int) -> State:
    """The state with room for what a scheme carries from step to step; another scheme's is forgotten."""
    return state if state.memory.shape == (size,) else state._replace(memory=np.zeros(size))


def _record(state: State, steps: int, every: int) -> State:
    """Room for the states of a run, zeros until they come."""
    slots = steps // every + 1 + (steps % every > 0)
    size = slots * sum(x.nbytes for x in state)
    if size > MEMORY:
        fewer = int(np.ceil(every * size / MEMORY * 10))
        raise ModelError(f"keeping {slots:,} states would take {size / 2**30:.1f} GiB; keep fewer with every={fewer}.")
    return State(*(np.zeros((slots, *x.shape)) for x in state))


def _keep(record: State, slot: int, state: State) -> None:
    for kept, now in zip(record, state, strict=True):
        kept[slot] = now
