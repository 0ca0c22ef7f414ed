"""Runs with events: steps are taken in chunks, every event function is evaluated after every step, and the step in
which one changes its sign is taken again in parts (event_step.py).

A phase is the time between two events that change the mechanism. It has a compiled model and a record of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from ..checks import Array
from ..compile.states import copied, empty_record, selected
from ..describe.event import Event
from ..errors import StepFailed
from ..kernels import status
from ..kernels.arrays import State
from ..kernels.contact.arrays import LOG_STEP, LOG_TIME
from ..record.instant import Instant
from ..record.occurrences import Occurrence, Occurrences
from ..record.phases import joined
from ..record.trajectory import Trajectory
from ..step import Scheme
from .crossings import Sides
from .event_actions import Mechanism
from .event_step import EventStep
from .failures import sentence
from .loop import Run, keep, room, scratch_of, taken_log
from .partial_steps import PartialSteps
from .progress import Progress

LARGEST_CHUNK = 256  # steps that are taken before the functions are evaluated


class EventRun:
    """A run with events: the mechanism now, the sides of all functions, and the phases so far."""

    def __init__(
        self,
        events: Sequence[Event],
        mechanism: Mechanism,
        scheme: Scheme,
        h: float,
        t0: float,
        every: int,
        steps: int,
        done: int = 0,
        sides: dict[str, tuple[float, float]] | None = None,
    ):
        """The run to step `steps`, of which `done` are taken already; sides: those at that step, if known."""
        self.events, self.scheme, self.h, self.t0, self.every, self.steps = events, scheme, h, t0, every, steps
        self.done, self.planned = done, steps
        self.sides = Sides(events, sides)
        self.phases: list[Trajectory] = []
        self.entries: list[Occurrence] = []
        self.latest: Trajectory | None = None  # the motion that was made last
        self.stopped, self.resting = False, self.sides.resting  # resting: a function has not left zero since its event
        self.begin_phase(mechanism)

    # ── phases ──

    def begin_phase(self, mechanism: Mechanism) -> None:
        """Continue with this mechanism, from the present step."""
        self.structure, self.compiled, self.state = mechanism.structure, mechanism.compiled, mechanism.state
        self.first, self.count, self.times = self.done, 0, list[float]()
        self.reached = copied(self.state)  # the state at the end of the steps that are done
        left = self.planned - self.done
        self.record = room(self.state, left, self.every)
        self.run = Run(self.compiled, self.scheme, self.h, self.t0, self.every, self.record)
        self.period = self.run.period()
        self.work, self.touch, self.everything = scratch_of(self.compiled.system, self.scheme, self.run.table.width)
        self.partial = PartialSteps(self.compiled, self.scheme, self.run.table)
        self.run.table.hold(self.state.effort)

    def prepare(self) -> None:
        """Forces and factors at the present state, which the next full step needs."""
        self.run.table.hold(self.state.effort)
        self.run.prepare(self.compiled.system, self.state, self.everything, self.run.signals(self.done, 0), self.h)

    def store(self, t: float, state: State) -> None:
        """Keep a state of the present phase; a second one at the same time replaces the first."""
        if self.times and self.times[-1] >= t:
            self.count -= 1
            self.times.pop()
        if self.count == len(self.record.a):  # a state between two steps, where an event ends the run
            self.record = State(*(np.concatenate([x, np.zeros_like(x[:1])]) for x in self.record))
        keep(self.record, self.count, state)
        self.times.append(t)
        self.count += 1

    def phase(self) -> Trajectory | None:
        """The present phase as a motion; None if none of its states is kept."""
        if not self.count:
            return None
        record = copied(selected(self.record, slice(self.count)))
        tally = int(self.run.tally[0]), int(self.run.tally[1])
        steps = self.done - self.first
        t, seconds = np.array(self.times), self.run.seconds
        motion = Trajectory(self.compiled, self.scheme, self.h, self.every, t, record, steps, seconds, tally)
        motion.sides = self.sides.known()
        if self.run.impacts:
            log = np.concatenate(self.run.impacts)
            motion.impact_log = log[log[:, LOG_TIME] <= motion.t[-1]]
        return motion

    def continue_phase(self, motion: Trajectory) -> None:
        """Continue `motion`, whose last phase is the present one, and whose last state may not be one to keep."""
        *self.phases, last = motion.phases
        self.entries = list(motion.events)
        kept = len(last) - (self.done % self.every > 0)
        self.first = self.done - last.steps
        self.record = room(self.state, self.planned - self.first + self.every, self.every)
        for new, old in zip(self.record, last.record, strict=True):
            new[:kept] = old[:kept]
        self.count, self.times = kept, last.t[:kept].tolist()
        self.run.seconds, self.run.impacts = last.seconds, [last.impact_log]
        self.run.tally += last.tally

    def end_phase(self) -> None:
        """Close the present phase; the steps of one without stored states count for the next."""
        if (motion := self.phase()) is not None:
            self.phases.append(motion)

    def motion(self) -> Trajectory:
        """The whole motion, whose last state is the present one."""
        last = self.phase()
        whole = joined([*self.phases, *([last] if last else [])], Occurrences(self.entries))
        whole.steps, whole.wanted, whole.watched = self.done, max(self.steps, self.done), tuple(self.events)
        whole.sides, whole.structure = self.sides.known(), self.structure
        self.latest = whole
        return whole

    def motion_now(self) -> Trajectory:
        """The motion up to the present step, also where its state is not one to keep: a run continues from there."""
        extra = self.done % self.every > 0
        if extra:
            self.store(self.time(self.done), self.state)
        whole = self.motion()
        if extra:
            self.count -= 1
            self.times.pop()
        return whole

    def motion_so_far(self) -> Trajectory:
        """The motion up to the last step that is done, after an error."""
        extra = self.count > 0 and self.done % self.every > 0 and self.times[-1] < self.time(self.done)
        if extra:
            self.store(self.time(self.done), self.reached)
        whole = self.motion()
        end = float(whole.t[-1])
        whole.steps = round((end - self.t0) / self.h)
        whole.events = Occurrences([entry for entry in self.entries if entry.t <= end])
        if whole.steps != self.done or whole.phases[-1].compiled is not self.compiled:
            whole.sides, whole.structure = {}, None  # those of a later step
        return whole

    # ── the loop ──

    def go(self, progress: Progress, between_chunks: Callable[[EventRun], None]) -> Trajectory:
        """Take all steps; every exception that ends the run gets the motion so far as its attribute `trajectory`."""
        begin, chunk = self.done, 1
        try:
            if not self.count and self.done == 0:
                self.store(self.time(0), self.state)
            self.prepare()
            self.sides.start(self.values(self.now(self.state, self.time(self.done))))
            while self.done < self.steps:
                size = min(chunk, self.steps - self.done)
                event = self.take_chunk(size)
                chunk = 1 if event else min(2 * chunk, LARGEST_CHUNK)
                progress.update(self.done - begin)
                between_chunks(self)
            if self.done % self.every and not self.stopped:
                self.store(self.time(self.done), self.state)
            return self.motion()
        except BaseException as error:
            # an exception of any class: one with another motion, or none, was raised by a function of the user
            if self.latest is None or getattr(error, "trajectory", None) is not self.latest:
                with suppress(AttributeError, TypeError):  # a class without attributes
                    error.trajectory = self.motion_so_far()  # type: ignore[attr-defined]
            raise
        finally:
            progress.close()

    def take_chunk(self, size: int) -> bool:
        """Take up to `size` steps, or fewer, to the end of a step with an event: whether there was one."""
        size, resting, self.resting = 1 if self.resting else size, self.resting, False
        if self.period:
            if self.done % self.period == 0:
                self.ask_controllers()
            size = min(size, self.period - self.done % self.period)
        signals, size = self.run.signals_before_failure(self.done, size)
        chunk = empty_record(self.state, size + 1)
        keep(chunk, 0, self.state)
        begin = time.perf_counter()
        code, taken = self.run.rollout(
            self.compiled.system, self.state, self.everything, self.h, self.scheme.table, signals, 0, size, 1, chunk
        )
        log = taken_log(self.touch)
        log[:, LOG_STEP] += self.done
        log[:, LOG_TIME] += self.t0 + self.h * log[:, LOG_STEP]
        self.run.seconds += time.perf_counter() - begin
        self.run.tally += self.work.tally
        self.work.tally[:] = 0
        for k in range(1, taken + 1):
            t = self.time(self.done + k)
            now = Instant(self.compiled, self.scheme, self.h, t, selected(chunk, slice(k, k + 1)), self.run.readers)
            try:
                values = self.values(now)
            except BaseException:
                self.accept(chunk, k - 1, log)
                raise
            if self.done + k == 1:
                self.sides.first_step(values)
            if resting or self.sides.changed(values):
                self.accept(chunk, k - 1, log)
                here = log[log[:, LOG_STEP] == self.done]
                self.take_step_with_events(selected(chunk, k - 1), selected(chunk, k), here, resting)
                return True
        self.accept(chunk, taken, log)
        if code != status.OK:
            self.fail(code, int(self.work.fault[0]), self.state, self.work.g)
        self.check_left_out()
        return False

    def check_left_out(self) -> None:
        """Stop if an equation that is left out as redundant is violated."""
        try:
            self.run.check_left_out(self.state, self.done)
        except StepFailed as error:
            raise StepFailed(str(error), self.motion_so_far()) from None

    def accept(self, chunk: State, steps: int, log: Array) -> None:
        """So many steps more are done, which end in the states of `chunk` from number 1 on; log: impacts."""
        self.run.impacts.append(log[log[:, LOG_STEP] < self.done + steps])
        first = self.every - self.done % self.every  # the first state to keep
        some = range(first, steps + 1, self.every)
        for kept, new in zip(self.record, chunk, strict=True):
            kept[self.count : self.count + len(some)] = new[first : steps + 1 : self.every]
        self.times += [self.time(self.done + k) for k in some]
        self.count += len(some)
        self.done += steps
        self.reached = copied(selected(chunk, steps))

    def ask_controllers(self) -> None:
        """Call the controllers, as in loop.py."""
        if self.scheme.carries == "accelerations":
            self.state.memory[:] = 0.0
        now = self.now(copied(self.state), self.time(self.done))
        self.state.effort[:] = self.run.table.ask(self.time(self.done), now)
        self.prepare()

    # ── a step with events ──

    def take_step_with_events(self, start: State, end: State, log: Array, fresh: bool) -> None:
        """Step number done + 1 from `start`, which would end in `end` without events, with the impacts `log`. fresh: an
        event has acted shortly before, so that a function may return to zero at once."""
        last, stopped = EventStep(self, start, end, log).take(fresh)
        for field, value in zip(self.state, last, strict=True):
            field[...] = value
        if stopped is not None:
            self.stop(stopped)
            return
        self.done += 1
        self.reached = copied(self.state)
        if self.done % self.every == 0:
            self.store(self.time(self.done), self.state)
        self.prepare()

    def change_mechanism(self, here: Mechanism) -> None:
        """Begin a phase if an event has changed the mechanism."""
        if here.compiled is not self.compiled:
            self.end_phase()
            self.begin_phase(here)

    def stop(self, t: float) -> None:
        """End the run at t, between two steps."""
        if self.phases and not self.count and self.phases[-1].t[-1] >= t:  # a time is stored once, after the event
            last = self.phases.pop()
            self.phases += [last.chosen_states(slice(len(last) - 1))] if len(last) > 1 else []
        self.store(t, self.state)
        self.steps, self.stopped = self.done, True

    # ── reading ──

    def time(self, n: int) -> float:
        """The planned time of step n [s]."""
        return self.t0 + n * self.h

    def now(self, state: State, t: float) -> Instant:
        """The motion at one moment."""
        record = State(*(x[None] for x in state))
        return Instant(self.compiled, self.scheme, self.h, t, record, self.run.readers)

    def values(self, now: Instant, which: Sequence[int] | None = None) -> list[float]:
        """The values of the event functions, all or those with these numbers."""
        events = self.events if which is None else [self.events[i] for i in which]
        return [event.value(now) for event in events]

    def fail(self, code: int, fault: int, state: State, g: Array) -> None:
        """Raise the error of a failed step, with the motion so far."""
        raise StepFailed(sentence(self.run, code, fault, self.done, state, g), self.motion_so_far())
