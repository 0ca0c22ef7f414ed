"""One step with events, taken in parts.

With Φ(q, θ) the step map over the part θ of a step, and g an event function, the event is at

    g(Φ(qₙ, θ h)) = 0,      0 ≤ θ ≤ 1,      t = tₙ + θ h,                                                        (1)

found to round-off (crossings.py) by steps of the scheme itself (partial_steps.py). Then the actions of the event are
carried out (event_actions.py), and a step of length (1 − θ) h leads to the planned time tₙ₊₁. The functions are also
evaluated at STEP_SAMPLES parts of the step, and after an event that acted at parts that grow by GROWTH from SHORTEST,
so that a function that returns to zero at once is found again. Without a change of sign between two of these times a
function is not examined further: two crossings between them are not found.

Events at one time occur in the order of the list. If the action of one makes another function jump across zero, that
event occurs at the same time. An event that occurs more than STORM times in one step, or at intervals that become
shorter than STORM_INTERVAL of it, ends the run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..checks import Array
from ..compile.rows import PRECISION
from ..compile.states import copied
from ..errors import ModelError
from ..kernels import status
from ..kernels.arrays import State
from ..kernels.contact.arrays import LOG_STEP
from ..record.instant import Instant
from ..record.occurrences import Occurrence
from .crossings import EPS, root
from .event_actions import Mechanism, energy, perform

if TYPE_CHECKING:
    from .events import EventRun

STEP_SAMPLES = 8  # parts of a step with an event at which all functions are evaluated
SHORTEST, GROWTH = 2.0**-30, 4.0  # parts of the rest of a step after an event that acted
STORM = 20  # occurrences of one event in one step that do not end the run
STORM_INTERVAL = 1e-2  # the same, of the interval between the last two of three or more, in steps
NO_STEP = 1e-14  # a part of a step that is too short to be taken
POSITION_NOISE = 4.0 * PRECISION  # of positions, relative to the size of the motion
LEAST_NOISE, MOST_NOISE = 1e-10, 1e-3  # round-off of an event function, relative to its change in a step
SAME_TIME: float = 16.0 * EPS  # difference of two places in a step that counts as none: the round-off of two roots


def noise_of(start: State, end: State) -> float:
    """The round-off of an event function relative to its change in a step: that of positions, which joints satisfy to
    PRECISION, relative to the displacement in the step."""
    size = float(np.ptp(end.a, axis=0).max())
    moved = float(np.abs(end.a - start.a).max() + size * np.abs(end.B - start.B).max())
    return float(np.clip(POSITION_NOISE * size / moved if moved > 0.0 else 0.0, LEAST_NOISE, MOST_NOISE))


class Found(NamedTuple):
    """The first events in the rest of a step: their numbers, their place in it, and the size of their functions."""

    due: list[int]
    place: float
    scale: list[float]
    jumped: bool = False  # by the action of another event


class EventStep:
    """Step number run.done + 1 of a run, from `start`; without events it would end in `end`.

    here, place: the state from which the rest of the step is taken, and its part of the step that is done.
    """

    def __init__(self, run: EventRun, start: State, end: State, log: Array):
        self.run, self.events, self.sides, self.h = run, run.events, run.sides, run.h
        self.number, self.t = run.done + 1, run.time(run.done)
        self.here, self.place = copied(start), 0.0
        self.known: State | None = end  # the state at the end of the step, as long as no event has acted
        self.known_log = log  # the impacts on the way to it
        ends = (run.values(run.now(x, run.time(run.done + k))) for k, x in enumerate((start, end)))
        self.change = [abs(a - b) for a, b in zip(*ends, strict=True)]  # of each function in the whole step
        self.noise = noise_of(start, end)
        self.times = defaultdict[int, list[float]](list)  # parts of the step at which each event has occurred

    def take(self, fresh: bool) -> tuple[State, float | None]:
        """The state at the end of the step, or at the time of an event that ends the run, and that time. fresh: an
        event has acted shortly before."""
        lower = 0.0
        while True:
            found, last = self.first_events(lower, fresh)
            if found is None:
                self.keep_impacts(self.known_log if last is self.known else self.run.partial.log)
                self.run.resting = self.place > 0.0 and self.sides.resting
                return last, None
            at = self.part(found.place)
            log = self.run.partial.log
            theta = self.place + (1.0 - self.place) * found.place
            t = float(self.t + theta * self.h)
            self.check_storm(found.due, theta, t)
            if any(self.events[i].acts for i in found.due):
                self.keep_impacts(log)
                stop = self.act(found, at, t)
                self.place, self.known, fresh, lower = theta, None, True, 0.0
                if stop:
                    return self.here, t
                continue
            now = self.run.now(at, t)
            for i in found.due:
                self.run.entries.append(Occurrence(t, self.events[i].name, self.number, False, 0.0, now, now))
                self.sides.passed(i)
            lower = found.place

    def first_events(self, lower: float, fresh: bool) -> tuple[Found | None, State]:
        """The first events in the rest of the step, from `lower` (a part of the rest) on; None, and the state at the
        end of the step, if there is none."""
        x0, before, state = lower, self.values_at(lower, self.here if lower == 0.0 else None), self.here
        if fresh and lower == 0.0:
            if due := self.sides.crossed(before):  # an action made a function jump across zero
                return Found(due, 0.0, [0.0] * len(due), jumped=True), state
            self.sides.update(before)
        for x in self.samples(lower, fresh) if self.place < 1.0 - NO_STEP else ():
            state = self.known if self.known is not None and x == 1.0 else self.part(x)
            after = self.values_at(x, state)
            if fresh and x == SHORTEST:
                self.sides.widen(after)
            if crossed := self.sides.crossed(after):
                return self.first_of(crossed, (x0, before), (x, after)), state
            self.sides.update(after)
            x0, before = x, after
        return None, state

    def first_of(self, crossed: list[int], a: tuple[float, list[float]], b: tuple[float, list[float]]) -> Found:
        """The first of the events between the places of two samples, with all that occur at the same time, by (1)."""

        def place(i: int) -> float:
            return root(lambda x: self.values_at(x, None, (i,))[0], a[0], a[1][i], b[0], b[1][i])

        roots = {i: place(i) for i in crossed}
        due = [i for i in crossed if roots[i] <= min(roots.values()) + SAME_TIME]
        scale = [max(abs(a[1][i]), abs(b[1][i]), self.change[i]) for i in due]
        return Found(due, max(roots[i] for i in due), scale)

    def samples(self, lower: float, fresh: bool) -> Array:
        """The parts of the rest of a step at which the functions are evaluated, the whole last."""
        x = np.arange(1, STEP_SAMPLES + 1) / STEP_SAMPLES
        if fresh:
            x = np.union1d(x, SHORTEST * GROWTH ** np.arange(round(-np.log(SHORTEST) / np.log(GROWTH))))
        return x[x > lower]

    def values_at(self, x: float, state: State | None = None, which: Sequence[int] | None = None) -> list[float]:
        """The functions at the part x of the rest of the step, where `state` is."""
        t = self.t + (self.place + (1.0 - self.place) * x) * self.h
        return self.run.values(self.run.now(self.part(x) if state is None else state, t), which)

    def keep_impacts(self, log: Array) -> None:
        """Add the impacts of a part of the step to those of the run."""
        log[:, LOG_STEP] = self.run.done
        self.run.run.impacts.append(log)

    def part(self, x: float) -> State:
        """The state after the part x of the rest of the step."""
        length = x * (1.0 - self.place) * self.h
        if abs(length) < NO_STEP * abs(self.h):
            length = 0.0
        end, code, fault = self.run.partial.after(self.here, self.t + self.place * self.h, length)
        if code != status.OK:
            self.run.fail(code, fault, end, self.run.partial.work.g)
        return end

    def act(self, found: Found, at: State, t: float) -> bool:
        """Carry out the actions of all events that are due, in the order of the list: whether the run ends."""
        run, stop = self.run, False
        before = run.values(run.now(at, t), found.due)
        here = Mechanism(run.structure, run.compiled, at)
        for i in found.due:
            event = self.events[i]
            after = perform(event, here, run.scheme, self.h, t)
            acted, gain = after is not here, self.energy(after, t) - self.energy(here, t)
            one, two = (
                Instant(m.compiled, run.scheme, self.h, t, State(*(x[None].copy() for x in m.state)))
                for m in (here, after)
            )
            run.entries.append(Occurrence(t, event.name, self.number, acted, gain, one, two))
            here, stop = after, stop or event.stop
        run.change_mechanism(here)
        self.here = here.state
        now = run.values(run.now(here.state, t), found.due)
        for i, old, new, scale in zip(found.due, before, now, found.scale, strict=True):
            if found.jumped:
                self.sides.passed(i)
            else:
                self.sides.rest(i, old, new, scale, self.noise * scale)
        return stop

    def energy(self, here: Mechanism, t: float) -> float:
        """Kinetic plus potential energy [J]."""
        return energy(here.compiled, here.state, self.run.scheme, self.h, t)

    def check_storm(self, due: list[int], theta: float, t: float) -> None:
        """End the run if an event occurs again and again in one step, or at intervals that tend to zero."""
        for i in due:
            times = self.times[i]
            times.append(theta)
            last = np.diff(times)[-2:]
            accumulate = len(last) == 2 and last[1] < last[0] and last[1] < STORM_INTERVAL
            if accumulate or len(times) > STORM:
                raise ModelError(
                    f"event {self.events[i].name!r} has occurred {len(times)} times in one step, at last at t = "
                    f"{t:.9g} s: its occurrences accumulate. Let its action prevent the next one, for example by "
                    "lv.attach or stop=True, or take a shorter h."
                )
