"""The loop of a run: a compiled rollout is called for chunks of steps; a failed step is raised here and nowhere else.

A chunk takes about a quarter of a second. Between chunks progress is shown, signals such as Ctrl-C are handled, and
functions of time are tabulated at the exact times of the coming stages. If one fails, the steps before its failure are
taken first. The division into chunks does not change the result by a single bit.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.contacts import touch_scratch
from ..compile.rows import PRECISION
from ..compile.states import as_record, copied, empty_record, selected
from ..compile.system import scratch
from ..errors import InterruptedAtOnce, ModelError, StepFailed
from ..kernels import status
from ..kernels.arrays import ContactWork, State, System, Work
from ..kernels.constrain import largest_violation
from ..kernels.contact.arrays import LOG_STEP, LOG_TIME, LOG_WIDTH, Touch
from ..kernels.dynamics import violations_of_record
from ..record.instant import Instant, Reader
from ..record.trajectory import Trajectory
from ..step import Scheme, contact, impact_flight
from .checkpoint import Checkpoints
from .failures import sentence
from .progress import Progress

MEMORY = 4 * 2**30  # largest record that is allocated without an explicit request [bytes]
OPEN = 1e-6  # violation of a redundant equation, relative to its size, at which a joint has come apart
CHUNK_SECONDS = 0.25  # aimed duration of a chunk [s]
FIRST_CHUNK = 4000  # stages times bodies in the first chunk, at least
TAKE_CONTACT = (contact.rollout, impact_flight.rollout)
_loaded: set[Any] = set()  # rollouts that have run


class Run:
    """One run: what is constant during it, and its progress."""

    def __init__(self, compiled: Compiled, scheme: Scheme, h: float, t0: float, every: int, record: State):
        self.compiled, self.model, self.system, self.scheme = compiled, compiled.model, compiled.system, scheme
        self.h, self.t0, self.every, self.record = h, t0, every, record
        self.table = compiled.signals(h)
        self.readers: dict[Any, list[Reader]] = {}  # of joint coordinates, shared by all moments that controllers see
        self.prepare, self.rollout = scheme.kernels(self.system)
        self.seconds = 0.0
        self.tally = np.zeros(2, dtype=np.int64)
        self.wanted = 0
        self.failure: BaseException | None = None  # of a function of the user …
        self.failing = 0  # … before this step
        self.latest: Trajectory | None = None  # the motion that was made last
        self.impacts: list[Array] = []
        refuse_backward_stages(compiled, scheme)
        refuse_contact(compiled, scheme)
        if scheme.adaptive and self.table.varies:
            raise ModelError(
                f"{scheme!r} chooses its steps itself, and this model has functions of time (loads, motors, prescribed "
                "motions or formulas), whose values between the steps are not known: leave out the tolerance."
            )

    def go(
        self, state: State, first: int, steps: int, progress: Progress, checkpoints: Checkpoints | None = None
    ) -> None:
        """Advance `state` from step `first` to step `steps`. Every exception that ends the run gets the motion so far
        as its attribute `trajectory`: StepFailed, Interrupted, and what functions of the user raise."""
        self.wanted = steps
        work, touch, everything = scratch_of(self.system, self.scheme, self.table.width)
        self.table.hold(state.effort)
        table, signals = self.scheme.table, self.signals(first, 0)
        self.prepare(self.system, state, everything, signals, self.h)
        take = partial(self.rollout, self.system, state)
        if self.rollout not in _loaded:  # a call without steps compiles or loads the kernel
            take(everything, self.h, table, signals, first, 0, self.every, self.record)
            _loaded.add(self.rollout)
        few = 0 if self.table.varies else FIRST_CHUNK // (len(state.a) * self.scheme.stages)
        done, chunk, period = first, max(16, few), self.period()
        stepping = False  # then the state is not that of a whole step
        try:
            while done < steps:
                if period and done % period == 0:  # controllers are called
                    if self.scheme.carries == "accelerations":
                        state.memory[:] = 0.0  # forces jump: the carried accelerations are invalid
                    state.effort[:] = self.table.ask(self.t0 + done * self.h, self.now(state, done))
                    if self.table.varies:
                        signals = self.signals(done, 0)
                    else:
                        self.table.set_controlled(signals, self.table.held)
                    self.prepare(self.system, state, everything, signals, self.h)
                size = min(chunk, steps - done, period - done % period if period else steps)
                called = time.perf_counter()
                if self.table.varies:
                    signals, size = self.signals_before_failure(done, size)
                before = copied(state) if self.every > 1 else state
                begin = time.perf_counter()
                stepping = True
                code, taken = take(everything, self.h, table, signals, done, size, self.every, self.record)
                self.seconds += time.perf_counter() - begin
                self.tally += work.tally
                work.tally[:] = 0
                done += taken
                self.collect_impacts(touch)
                if code != status.OK:
                    text = sentence(self, code, int(work.fault[0]), done, state, work.g)
                    if done % self.every:  # the failed step has changed the state: take those before it again
                        overwrite(state, before)
                        _, _, everything = scratch_of(
                            self.system, self.scheme, self.table.width
                        )  # a failed step may leave NaN
                        self.prepare(self.system, state, everything, signals, self.h)
                        take(everything, self.h, table, signals, done - taken, taken, self.every, self.record)
                    raise StepFailed(text, self.so_far(state, done))
                stepping = False
                self.check_left_out(state, done)
                progress.update(done - first)
                if checkpoints is not None and done < steps:
                    checkpoints.after_chunk(self, state, done)
                spent = time.perf_counter() - called  # functions of time included
                longest = min(4 * max(chunk, size), self.longest())
                chunk = max(1, min(int(size * CHUNK_SECONDS / max(spent, 1e-9)), longest))
        except BaseException as error:
            # an exception of any class: one with another motion, or none, was raised by a function of the user
            if self.latest is None or getattr(error, "trajectory", None) is not self.latest:
                with suppress(AttributeError, TypeError):  # a class without attributes
                    motion = self.trajectory(done - done % self.every) if stepping else self.so_far(state, done)
                    error.trajectory = motion  # type: ignore[attr-defined]
            raise
        finally:
            progress.close()
        self.keep_last(state, steps)

    def check_left_out(self, state: State, done: int) -> None:
        """Stop if an equation that is left out as redundant is violated."""
        system = self.compiled.full
        if not self.compiled.left_out:
            return
        rows = len(system.rows.kind)
        g, v = np.zeros((1, rows)), np.zeros((1, rows))
        signals = np.ascontiguousarray(self.table.table(np.array([self.t0 + done * self.h])))
        violations_of_record(system, as_record(state), signals, scratch(system), g, v)
        size, which = largest_violation(system.rows, g[0])
        if size > OPEN / PRECISION:
            owner = self.compiled.all_owners[which]
            raise StepFailed(
                f"joint {owner.name!r} ({type(owner).__name__}) has come apart by {abs(g[0, which]):.2g} at t = "
                f"{self.t0 + done * self.h:.6g} s: some of its equations are redundant where the mechanism starts, "
                "but not here. Start it away from a stretched or flat position.",
                self.trajectory(done - done % self.every),
            )

    def longest(self) -> int:
        """The largest number of steps in a chunk, so that the table of signals stays small."""
        return 10**9 if not self.table.varies else max(1, 10**6 // (self.scheme.stages * self.table.width))

    def period(self) -> int:
        """Steps between two calls of the controllers, or 0 if there are none."""
        rates = {motor.term.rate for motor in self.table.controlled if motor.term.rate is not None}
        if not rates:
            return 0
        if len(rates) > 1:
            raise ModelError(f"controllers must share one rate, got {sorted(rates)} Hz.")
        period = 1.0 / rates.pop()
        steps = period / self.h
        if steps < 0.999 or abs(steps - round(steps)) > 1e-6 * steps:
            h = float(period / max(1.0, np.ceil(steps * (1.0 - 1e-6))))
            until = float(h * np.ceil(self.wanted * self.h / h * (1.0 - 1e-9)))
            raise ModelError(
                f"a controller's period must be a whole number of steps; it is {steps:.4g} steps of {self.h:g} s, "
                f'which divide the time of the run. Try h = {h} and until = {until}, or h="auto".'
            )
        return round(steps)

    def now(self, state: State, done: int) -> Instant:
        """The motion at this moment, for controllers."""
        record = State(*[x[None].copy() for x in state])
        return Instant(self.compiled, self.scheme, self.h, self.t0 + done * self.h, record, self.readers)

    def signals(self, first: int, steps: int) -> Array:
        """All functions of time, at the start of step `first` and after every stage of `steps` steps."""
        t = self.times(first, steps)
        table = np.ascontiguousarray(self.table.table(t))
        if self.table.drives:
            self.table.refuse_jumps(t, table)
        return table

    def signals_before_failure(self, first: int, steps: int) -> tuple[Array, int]:
        """The signals of `steps` steps, and their number: fewer if a function of the user fails, or ends the program.
        The steps before its failure are found by bisection, and its error is raised when they are taken."""
        while True:
            if self.failure is not None:
                steps = min(steps, (self.failing - first) // 2)
                if steps == 0:
                    raise self.failure
            try:
                return self.signals(first, steps), steps
            except InterruptedAtOnce:
                raise
            except BaseException as error:  # SystemExit and KeyboardInterrupt, too
                self.failure, self.failing = self.failure or error, first + steps

    def times(self, first: int, steps: int) -> Array:
        """The times of the table rows of `signals` [s]."""
        if not self.table.varies:
            return np.array([self.t0 + self.h * first])
        within = np.cumsum(self.scheme.weights)
        within[-1] = 1.0
        n = np.concatenate([[float(first)], (first + np.arange(steps)[:, None] + within).ravel()])
        return self.t0 + self.h * n

    def so_far(self, state: State, done: int) -> Trajectory:
        """The motion over the first `done` steps, of which `state` is the last."""
        self.keep_last(state, done)
        return self.trajectory(done)

    def keep_last(self, state: State, done: int) -> None:
        """Store the last state, if it is not stored yet."""
        if done % self.every:
            keep(self.record, done // self.every + 1, state)

    def trajectory(self, steps: int) -> Trajectory:
        """The motion over the first `steps` steps, the last of which is kept."""
        number = np.arange(0, steps + 1, self.every, dtype=np.float64)
        if steps % self.every:
            number = np.append(number, steps)
        record = selected(self.record, slice(len(number)))
        motion = Trajectory(
            self.compiled,
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
        if self.impacts:
            log = np.concatenate(self.impacts)
            motion.impact_log = log[log[:, LOG_STEP] < steps]
        self.latest = motion
        return motion

    def collect_impacts(self, touch: Touch | None) -> None:
        """Take the impacts of a chunk from the log, with their times."""
        log = taken_log(touch)
        if len(log):
            log[:, LOG_TIME] += self.t0 + self.h * log[:, LOG_STEP]
            self.impacts.append(log)


def scratch_of(system: System, scheme: Scheme, columns: int) -> tuple[Work, Touch | None, Any]:
    """Scratch for steps with `columns` of signals: that of all systems, that of contacts if there are any (it is half
    of all arrays), and what a rollout takes."""
    work = scratch(system, scheme.scratch)
    if not system.contacts.capacity:
        return work, None, scheme.workspace(system, work)
    touch = touch_scratch(system, columns)
    return work, touch, ContactWork(work, touch)


def taken_log(touch: Touch | None) -> Array:
    """The impacts in the log, which is empty afterwards; steps and times count from the start of the call."""
    if touch is None:
        return np.zeros((0, LOG_WIDTH))
    log = touch.log[: touch.logged[0]].copy()
    touch.logged[0] = 0
    return log


def refuse_contact(compiled: Compiled, scheme: Scheme) -> None:
    """Raise a ModelError if the model has contacts and the scheme does not take them."""
    if compiled.system.contacts.dry.shape[1] and scheme.kernels(compiled.system)[1] is impact_flight.rollout:
        raise ModelError(f"{scheme!r} takes impacts only, and no dry friction in joints: use lv.Livens().")
    if compiled.system.contacts.capacity and scheme.kernels(compiled.system)[1] not in TAKE_CONTACT:
        first = next(thing.label for thing in compiled.model.things if thing.contacts())
        raise ModelError(f"{scheme!r} does not take contact: use lv.Livens(order=2), or leave out {first}.")


def refuse_backward_stages(compiled: Compiled, scheme: Scheme) -> None:
    """Raise a ModelError if a scheme takes stages backwards in time and something dissipates energy."""
    if not (scheme.weights < 0.0).any():
        return
    if compiled.system.damped:
        raise ModelError(
            f"order {scheme.order} takes some steps backwards in time, where dampers would feed energy in: "
            "use lv.Livens(order=2)."
        )
    dependent = [force.name for force in compiled.model.forces if force.velocity_dependent]
    if dependent:
        raise ModelError(
            f"order {scheme.order} takes some steps backwards in time, where velocity-dependent forces such as "
            f"{dependent[0]!r} would feed energy in: use lv.Livens(order=2)."
        )


def with_memory(state: State, size: int) -> State:
    """The state with memory of the size that a scheme needs; the memory of another scheme is dropped."""
    return state if state.memory.shape == (size,) else state._replace(memory=np.zeros(size))


def room(state: State, steps: int, every: int) -> State:
    """An array for the states of a run, filled with zeros."""
    slots = steps // every + 1 + (steps % every > 0)
    size = slots * sum(x.nbytes for x in state)
    if size > MEMORY:
        fewer = int(np.ceil(every * size / MEMORY * 10))
        raise ModelError(f"keeping {slots:,} states would take {size / 2**30:.1f} GiB; keep fewer with every={fewer}.")
    return empty_record(state, slots)


def overwrite(state: State, other: State) -> None:
    """Copy `other` into the arrays of `state`."""
    for mine, theirs in zip(state, other, strict=True):
        mine[...] = theirs


def keep(record: State, slot: int, state: State) -> None:
    """Copy `state` into the record."""
    for kept, now in zip(record, state, strict=True):
        kept[slot] = now
