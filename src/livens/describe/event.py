"""Events: a function of the motion whose zero crossing is located, and what happens there.

An event occurs where the function `when` changes its sign,

    g(t) = when(now),      g(t₋) g(t₊) < 0,      direction · (g(t₊) − g(t₋)) ≥ 0.                                (1)

A function that touches zero and returns does not cross it. run/events.py locates the crossings; actions (actions.py)
change the mechanism or its velocities.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks import accepts, check_name
from ..errors import LivensError, ModelError
from .actions import Action, actions_of
from .moment_formula import MomentFormula


class Event:
    """A zero crossing of a function of the motion, and what happens there.

    when: a function of the moment that returns a number: when(now), where `now` is a motion of one state, as
    controllers get it; or a formula as text, such as "coordinate('hinge') - 0.7" (docs/how-to/events.md). direction: +1
    for crossings from negative to positive values, −1 for the opposite, 0 for both. do: an action such as
    `lv.release("cord")`, a list of actions, or a function do(now) that returns one, several or None. stop: the run ends
    at the event. name: in `motion.events` and in messages.

    An event without action and stop is only recorded; the motion is then the same to the last bit as without it.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -10.0))
    >>> ball = m.add(lv.Body(lv.PointMass(1.0), at=(0, 0, 5), name="ball"))
    >>> ground = lv.Event(lambda now: now.position("ball")[0, 2], direction=-1, stop=True, name="ground")
    >>> motion = lv.simulate(m, h=0.3, until=10.0, events=[ground])
    >>> motion.events[0].name, round(motion.events[0].t, 12), float(motion.t[-1].round(12))
    ('ground', 1.0, 1.0)
    """

    def __init__(
        self,
        when: Callable[[Any], Any] | str | MomentFormula,
        direction: int = 0,
        do: Action | Sequence[Action] | Callable[[Any], Any] | None = None,
        stop: bool = False,
        name: str = "",
    ):
        check_name(name, "event")
        self.name = name
        label = f"event {name!r}" if name else "an event"
        self.when = MomentFormula(when) if isinstance(when, str) else when
        if not accepts(self.when, 1):
            raise ModelError(f"when of {label} must be a function of the moment, when(now), or a text, not {when!r}.")
        if isinstance(direction, bool) or direction not in (-1, 0, 1):
            raise ModelError(f"direction of {label} must be -1, 0 or 1, not {direction!r}.")
        self.direction = int(direction)
        if not isinstance(stop, bool):
            raise ModelError(f"stop of {label} must be True or False, not {stop!r}.")
        self.stop = stop
        self.do = do
        self.function: Callable[[Any], Any] | None = do if accepts(do, 1) else None  # type: ignore[assignment]
        self.actions: tuple[Action, ...] = () if self.function else actions_of(do, label)

    @property
    def acts(self) -> bool:
        """True if something happens at the event: an action, or the end of the run."""
        return self.stop or bool(self.actions) or self.function is not None

    def value(self, now: Any) -> float:
        """g at the moment `now`; a result that is not one finite number is refused with the time."""
        t = float(now.t[0])
        try:
            answer = self.when(now)
        except LivensError as error:
            raise ModelError(f"event {self.name!r} at t = {t:.6g} s: {error}") from error
        value = number_of(answer)
        if value is None or not np.isfinite(value):
            raise ModelError(
                f"when of event {self.name!r} must return a finite number; at t = {t:.6g} s it returned {answer!r}."
            )
        return value

    def actions_at(self, now: Any) -> tuple[Any, ...]:
        """The actions at the moment `now`, from the function of the user if there is one."""
        if self.function is None:
            return self.actions
        return actions_of(self.function(now), f"event {self.name!r}")

    def __repr__(self) -> str:
        return f"Event({self.name!r})"


def number_of(answer: Any) -> float | None:
    """A number, or an array of one number, as a float; None for anything else.

    >>> import numpy as np
    >>> number_of(np.array([[2.0]])), number_of(1), number_of("1"), number_of([1.0, 2.0])
    (2.0, 1.0, None, None)
    """
    if type(answer) is float:
        return answer
    array = np.asarray(answer)
    if array.dtype.kind not in "biuf" or array.size != 1:
        return None
    return float(array.reshape(()))


def named(events: Any) -> list[Event]:
    """The events of a run as a list in which each has a name; unnamed ones are called event1, event2, …"""
    if isinstance(events, Event):
        events = [events]
    if isinstance(events, str) or not isinstance(events, Sequence):
        raise ModelError(f"events must be a list of lv.Event(…), not {events!r}.")
    for event in events:
        if not isinstance(event, Event):
            raise ModelError(f"events must be a list of lv.Event(…), and {event!r} is none.")
    names = [event.name for event in events if event.name]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ModelError(f"two events are named {sorted(twice)[0]!r}: give each its own name.")
    free = (f"event{k}" for k in range(1, 10**9) if f"event{k}" not in names)
    return [event if event.name else _with_name(event, next(free)) for event in events]


def _with_name(event: Event, name: str) -> Event:
    return Event(event.when, event.direction, event.do, event.stop, name)
