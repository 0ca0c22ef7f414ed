"""Runs with events: steps are taken in chunks, every event function is evaluated after every step, and the step in
which one changes its sign is taken again in parts.

With Φ(q, θ) the step map over the part θ of a step, and g an event function, the event is at

    g(Φ(qₙ, θ h)) = 0,      0 ≤ θ ≤ 1,      t = tₙ + θ h,                                                        (1)

found to round-off (crossings.py) by steps of the scheme itself (partial_steps.py). Then the actions of the event are
carried out (event_actions.py), and a step of length (1 − θ) h leads to the planned time tₙ₊₁. Within a step with an
event the functions are also evaluated at STEP_SAMPLES parts of it, and after an event that acted at parts that grow by
GROWTH from SHORTEST, so that a function that returns to zero at once is found again. Without a change of sign between
two of these times a function is not examined further: two crossings between them are not found.

Events at one time occur in the order of the list. If the action of one makes another function jump across zero, that
event occurs at the same time. An event that occurs more than STORM times in one step, or at intervals that become
shorter than STORM_INTERVAL of it, ends the run.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ..checks import Array
from ..compile.rows import PRECISION
from ..compile.states import copied, empty_record, selected
from ..compile.system import scratch
from ..describe.event import Event
from ..errors import ModelError, StepFailed
from ..kernels import status
from ..kernels.arrays import State
from ..record.instant import Instant
from ..record.occurrences import Occurrence, Occurrences
from ..record.phases import joined
from ..record.trajectory import Trajectory
from ..step import Scheme
from .crossings import EPS, Sides, root
from .event_actions import Mechanism, energy, perform
from .failures import sentence
from .loop import Run, keep, room
from .partial_steps import PartialSteps
from .progress import Progress

STEP_SAMPLES = 8  # parts of a step with an event at which all functions are evaluated
SHORTEST, GROWTH = 2.0**-30, 4.0  # parts of the rest of a step after an event that acted
STORM = 20  # occurrences of one event in one step that do not end the run
STORM_INTERVAL = 1e-2  # the same, of the interval between the last two of three or more, in steps
LARGEST_CHUNK = 256  # steps that are taken before the functions are evaluated
NO_STEP = 1e-14  # a part of a step that is too short to be taken
ROUND_OFF = 4.0 * PRECISION  # of positions, relative to the size of the motion
LEAST_NOISE, MOST_NOISE = 1e-10, 1e-3  # round-off of an event function, relative to its change in a step


def noise_of(start: State, end: State) -> float:
    """The round-off of an event function relative to its change in a step: that of positions, which joints satisfy to
    PRECISION, relative to the displacement in the step."""
    size = float(np.ptp(end.a, axis=0).max())
    moved = float(np.abs(end.a - start.a).max() + size * np.abs(end.B - start.B).max())
    return float(np.clip(ROUND_OFF * size / moved if moved > 0.0 else 0.0, LEAST_NOISE, MOST_NOISE))


class Found(NamedTuple):
    """The first events in the rest of a step: their numbers, their place in it, and the size of their functions."""

    due: list[int]
    place: float
    scale: list[float]
    jumped: bool = False  # by the action of another event


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
        self.stopped, self.resting = False, self.sides.resting  # resting: a function has not left zero since its event
        self.begin_phase(mechanism)

    # ── phases ──

    def begin_phase(self, mechanism: Mechanism) -> None:
        """Continue with this mechanism, from the present step."""
        self.structure, self.compiled, self.state = mechanism.structure, mechanism.compiled, mechanism.state
        self.first, self.count, self.times = self.done, 0, list[float]()
        left = self.planned - self.done
        self.record = room(self.state, left, self.every)
        self.run = Run(self.compiled, self.scheme, self.h, self.t0, self.every, self.record)
        self.period = self.run.period()
        self.work = scratch(self.compiled.system, self.scheme.scratch)
        self.partial = PartialSteps(self.compiled, self.scheme, self.run.table)
        self.run.table.hold(self.state.effort)

    def prepare(self) -> None:
        """Forces and factors at the present state, which the next full step needs."""
        self.run.table.hold(self.state.effort)
        self.run.prepare(self.compiled.system, self.state, self.work, self.run.signals(self.done, 0), self.h)

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
        self.run.seconds = last.seconds
        self.run.tally += last.tally

    def end_phase(self) -> None:
        """Close the present phase; the steps of one without stored states count for the next."""
        if (motion := self.phase()) is not None:
            self.phases.append(motion)

    def motion(self, so_far: bool = False) -> Trajectory:
        """The whole motion. so_far: after an error, without the state between two stored ones."""
        last = self.phase()
        whole = joined([*self.phases, *([last] if last else [])], Occurrences(self.entries))
        whole.steps, whole.wanted = self.done - (self.done % self.every if so_far else 0), max(self.steps, self.done)
        whole.sides, whole.structure, whole.watched = self.sides.known(), self.structure, tuple(self.events)
        return whole

    # ── the loop ──

    def go(self, progress: Progress, interrupted: object = None) -> Trajectory:
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
                if callable(interrupted):
                    interrupted(self)
            if self.done % self.every and not self.stopped:
                self.store(self.time(self.done), self.state)
            return self.motion()
        except BaseException as error:
            if not hasattr(error, "trajectory") or error.trajectory is None:  # of the user, or of an action
                with suppress(AttributeError, TypeError):  # a class without attributes
                    error.trajectory = self.motion(so_far=True)  # type: ignore[attr-defined]
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
        chunk = empty_record(self.state, size + 1)
        keep(chunk, 0, self.state)
        signals = self.run.signals(self.done, size)
        begin = time.perf_counter()
        code, taken = self.run.rollout(
            self.compiled.system, self.state, self.work, self.h, self.scheme.table, signals, 0, size, 1, chunk
        )
        self.run.seconds += time.perf_counter() - begin
        self.run.tally += self.work.tally
        self.work.tally[:] = 0
        for k in range(1, taken + 1):
            t = self.time(self.done + k)
            now = Instant(self.compiled, self.scheme, self.h, t, selected(chunk, slice(k, k + 1)), self.run.readers)
            try:
                values = self.values(now)
            except BaseException:
                self.accept(chunk, k - 1)
                raise
            if self.done + k == 1:
                self.sides.first_step(values)
            if resting or self.sides.changed(values):
                self.accept(chunk, k - 1)
                self.take_step_with_events(selected(chunk, k - 1), selected(chunk, k), resting)
                return True
        self.accept(chunk, taken)
        if code != status.OK:
            self.fail(code, int(self.work.fault[0]), self.state, self.work.g)
        self.run.check_left_out(self.state, self.done)
        return False

    def accept(self, chunk: State, steps: int) -> None:
        """So many steps more are done, which end in the states of `chunk` from number 1 on."""
        first = self.every - self.done % self.every  # the first state to keep
        some = range(first, steps + 1, self.every)
        for kept, new in zip(self.record, chunk, strict=True):
            kept[self.count : self.count + len(some)] = new[first : steps + 1 : self.every]
        self.times += [self.time(self.done + k) for k in some]
        self.count += len(some)
        self.done += steps

    def ask_controllers(self) -> None:
        """Call the controllers, as in loop.py."""
        if self.scheme.carries == "accelerations":
            self.state.memory[:] = 0.0
        now = self.now(copied(self.state), self.time(self.done))
        self.state.effort[:] = self.run.table.ask(self.time(self.done), now)
        self.prepare()

    # ── a step with events ──

    def take_step_with_events(self, start: State, end: State, fresh: bool) -> None:
        """Step number done + 1 from `start`, which would end in `end` without events. fresh: an event has acted shortly
        before, so that a function may return to zero at once."""
        here, place, times = copied(start), 0.0, defaultdict[int, list[float]](list)
        known: State | None = end
        lower, n = 0.0, self.done
        ends = (self.values(self.now(x, self.time(n + k))) for k, x in enumerate((start, end)))
        self.change = [abs(a - b) for a, b in zip(*ends, strict=True)]  # of each function in the whole step
        self.noise = noise_of(start, end)
        last: State | None
        while True:
            found, last = self.first_events(here, place, lower, fresh, known)
            if found is None:
                break
            at = self.part(here, place, found.place)
            theta = place + (1.0 - place) * found.place
            t = float(self.time(n) + theta * self.h)
            self.check_storm(found.due, times, theta, t)
            if not any(self.events[i].acts for i in found.due):
                now = self.now(at, t)
                for i in found.due:
                    self.entries.append(Occurrence(t, self.events[i].name, n + 1, False, 0.0, now, now))
                    self.sides.passed(i)
                lower = found.place
                continue
            here, stopped = self.act(found, at, t)
            place, fresh, known, lower = theta, True, None, 0.0
            if stopped:
                self.stop(t, here)
                return
        assert last is not None
        for field, value in zip(self.state, last, strict=True):
            field[...] = value
        self.done += 1
        if self.done % self.every == 0:
            self.store(self.time(self.done), self.state)
        self.resting = place > 0.0 and self.sides.resting
        self.prepare()

    def first_events(
        self, here: State, place: float, lower: float, fresh: bool, known: State | None
    ) -> tuple[Found | None, State | None]:
        """The first events in the rest of the step, from `lower` (a part of the rest) on; the state at the end of the
        step if there is none. known: that state, if the rest has been taken in one step."""
        x0, before = lower, self.values(self.now(here, self.time(self.done) + place * self.h))
        if fresh and (due := self.sides.crossed(before)):  # an action made a function jump across zero
            return Found(due, 0.0, [0.0] * len(due), jumped=True), None
        if fresh:
            self.sides.update(before)
        if lower > 0.0:
            before = self.values_at(here, place, lower)
        state = here
        for x in self.samples(lower, fresh) if place < 1.0 - NO_STEP else ():
            state = known if known is not None and x == 1.0 else self.part(here, place, x)
            after = self.values(self.now(state, self.time(self.done) + (place + (1.0 - place) * x) * self.h))
            if fresh and x == SHORTEST:
                self.sides.widen(after)
            if crossed := self.sides.crossed(after):
                roots = [self.root(i, here, place, (x0, before[i]), (x, after[i])) for i in crossed]
                first = min(roots)
                both = [(i, r) for i, r in zip(crossed, roots, strict=True) if r <= first + self.same_time()]
                due = [i for i, _ in both]
                scale = [max(abs(before[i]), abs(after[i]), self.change[i]) for i in due]
                return Found(due, max(r for _, r in both), scale), None
            self.sides.update(after)
            x0, before = x, after
        return None, state

    def samples(self, lower: float, fresh: bool) -> Array:
        """The parts of the rest of a step at which the functions are evaluated, the whole last."""
        x = np.arange(1, STEP_SAMPLES + 1) / STEP_SAMPLES
        if fresh:
            x = np.union1d(x, np.geomspace(SHORTEST, 1.0, 1 + round(-np.log(SHORTEST) / np.log(GROWTH))))
            x[-1] = 1.0
        return x[x > lower]

    def root(self, i: int, here: State, place: float, a: tuple[float, float], b: tuple[float, float]) -> float:
        """The place of event i between two samples, by (1)."""
        return root(lambda x: self.values_at(here, place, x, (i,))[0], *a, *b)

    def same_time(self) -> float:
        """The difference of places, parts of a step, that counts as none: the round-off of two roots."""
        return 16.0 * EPS

    def values_at(self, here: State, place: float, x: float, which: Sequence[int] | None = None) -> list[float]:
        """The functions at the part x of the rest of the step."""
        t = self.time(self.done) + (place + (1.0 - place) * x) * self.h
        return self.values(self.now(self.part(here, place, x), t), which)

    def part(self, here: State, place: float, x: float) -> State:
        """The state after the part x of the rest of the step."""
        length = x * (1.0 - place) * self.h
        if abs(length) < NO_STEP * abs(self.h):
            return copied(here)
        end, code, fault = self.partial.after(here, self.time(self.done) + place * self.h, length)
        if code != status.OK:
            self.fail(code, fault, end, self.partial.work.g)
        return end

    def act(self, found: Found, at: State, t: float) -> tuple[State, bool]:
        """Carry out the actions of all events that are due, in the order of the list: the state after them, and whether
        the run ends."""
        before = self.values(self.now(at, t), found.due)
        here = Mechanism(self.structure, self.compiled, at)
        stop = False
        for i in found.due:
            event = self.events[i]
            after = perform(event, here, self.scheme, self.h, t)
            gain = self.energy(after, t) - self.energy(here, t)
            one, two = (
                Instant(m.compiled, self.scheme, self.h, t, State(*(x[None].copy() for x in m.state)))
                for m in (here, after)
            )
            self.entries.append(
                Occurrence(t, event.name, self.done + 1, after is not here or event.stop, gain, one, two)
            )
            here, stop = after, stop or event.stop
        if here.compiled is not self.compiled:
            self.end_phase()
            self.begin_phase(here)
        now = self.values(self.now(here.state, t), found.due)
        for i, old, new, scale in zip(found.due, before, now, found.scale, strict=True):
            if found.jumped:
                self.sides.passed(i)
            else:
                self.sides.rest(i, old, new, scale, self.noise * scale)
        return here.state, stop

    def energy(self, here: Mechanism, t: float) -> float:
        return energy(here.compiled, here.state, self.scheme, self.h, t)

    def stop(self, t: float, state: State) -> None:
        """End the run at t, between two steps."""
        for field, value in zip(self.state, state, strict=True):
            field[...] = value
        if self.phases and not self.count and self.phases[-1].t[-1] >= t:  # a time is stored once, after the event
            last = self.phases.pop()
            self.phases += [last.chosen_states(slice(len(last) - 1))] if len(last) > 1 else []
        self.store(t, self.state)
        self.steps, self.stopped = self.done, True

    def check_storm(self, due: list[int], times: dict[int, list[float]], theta: float, t: float) -> None:
        """End the run if an event occurs again and again in one step, or at intervals that tend to zero. times: the
        parts of the step at which each event has occurred."""
        for i in due:
            times[i].append(theta)
            last = np.diff(times[i])[-2:]
            accumulate = len(last) == 2 and last[1] < last[0] and last[1] < STORM_INTERVAL
            if accumulate or len(times[i]) > STORM:
                raise ModelError(
                    f"event {self.events[i].name!r} has occurred {len(times[i])} times in one step, at last at t = "
                    f"{t:.9g} s: its occurrences accumulate. Let its action prevent the next one, for example by "
                    "lv.attach or stop=True, or take a shorter h."
                )

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
        raise StepFailed(sentence(self.run, code, fault, self.done, state, g), self.motion(so_far=True))
