"""The table of failures: for each status of a kernel, a sentence that names the cause and an advice.

The sentences are templates. `{at.…}` is a fact about the failed step, an attribute of `Place`; facts are computed when
a template uses them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..checks import Array
from ..kernels import status
from ..kernels.arrays import State
from ..kernels.contact.arrays import LOG_FIRST, LOG_SECOND, LOG_TIME

if TYPE_CHECKING:
    from .loop import Run


BEFORE_STEP = 1e-6  # of a step: impacts so little before it belong to it


class Failure(NamedTuple):
    """What a status means."""

    sentence: str
    advice: str


FAILURES = {
    status.POSITION: Failure(
        "the position solve stalled {at.when}: violation {at.violation:.1e} in joint {at.joint}. "
        "Body {at.fastest!r} turns {at.fastest_turn:.2g} rad per step",
        "try h ≤ {at.third} s.",
    ),
    status.SOLVE: Failure(
        "{at.scheme} found no solution of its equations {at.when}: forces change too much within a step",
        "try h ≤ {at.third} s.",
    ),
    status.NOT_FINITE: Failure(
        "the state of body {at.largest!r} is no longer finite {at.when}: forces grow without bound", "try a smaller h."
    ),
    status.STIFF: Failure(
        "the user-written forces on body {at.body!r} do not converge {at.when}: they change too much with velocity "
        "for such a step",
        "try h ≤ {at.third} s, or an lv.Damper, which may be stiff.",
    ),
    status.TOLERANCE: Failure(
        "{at.scheme} cannot satisfy its tolerance {at.when}, however short a part of the step is: forces are not "
        "smooth, or round-off is larger than the tolerance",
        "try a larger tolerance.",
    ),
    status.BOUNCES: Failure(
        "{at.hitting} hit each other too often in one step {at.when}",
        "try h ≤ {at.third} s{at.softer}.",
    ),
    status.RESTING: Failure(
        "bodies stay in contact {at.when}, and {at.scheme} takes impacts only",
        "use lv.Livens(), which has contact that lasts.",
    ),
    status.CONTACTS: Failure(
        "more contact points than there is room for touch at the same time {at.when}",
        "exclude pairs that do not matter (lv.Contacts(exclude=…)), or use simpler shapes (Body(collision=…)).",
    ),
    status.SPIN: Failure(
        "the rotation of body {at.body!r} cannot be solved {at.when}: it turns {at.turn:.2g} rad per {at.part}, "
        "and the limit is about {at.turn_limit:.2g} rad",
        "try h ≤ {at.resolving} s.",
    ),
}


class Place:
    """The facts about a failed step: `done` steps were taken; `fault` is the row or the body that the status names."""

    def __init__(self, run: Run, fault: int, done: int, state: State, g: Array):
        self.run, self.fault, self.done, self.state, self.g = run, fault, done, state, g

    @property
    def when(self) -> str:
        return f"at t = {self.run.t0 + self.done * self.run.h:.6g} s (step {self.done + 1})"

    @property
    def scheme(self) -> str:
        return repr(self.run.scheme)

    @property
    def violation(self) -> float:
        """Of the constraint equation `fault` [m] or [rad]."""
        return abs(float(self.g[self.fault]))

    @property
    def joint(self) -> str:
        """The joint with the constraint equation `fault`, and its class."""
        owner = self.run.compiled.owners[self.fault]
        return f"{owner.name!r} ({type(owner).__name__})"

    @property
    def body(self) -> str:
        """The body `fault`."""
        return self.run.model.bodies[self.fault].name

    @property
    def largest(self) -> str:
        """The body with the largest number in its state; NaN counts as the largest."""
        state = self.state
        most = np.abs(np.hstack([state.a, state.p, state.L])).max(axis=1)
        return self.run.model.bodies[int(np.argmax(most))].name

    @property
    def hitting(self) -> str:
        """The two bodies with most impacts in the step, and how many."""
        begin = self.run.t0 + self.done * self.run.h
        logs = [log[log[:, LOG_TIME] >= begin - BEFORE_STEP * self.run.h] for log in self.run.impacts[-1:]]
        pairs = Counter((int(row[LOG_FIRST]), int(row[LOG_SECOND])) for log in logs for row in log)
        if not pairs:
            return "bodies"
        (pair, count) = pairs.most_common(1)[0]
        one, two = (self.run.model.bodies[k].name for k in pair)
        return f"bodies {one!r} and {two!r} ({count} impacts at contact points)"

    @property
    def softer(self) -> str:
        """The advice to lower the restitution, if it is not zero."""
        return ", or a smaller restitution" if (self.run.system.contacts.law[1] > 0.0).any() else ""

    @property
    def turns(self) -> Array:
        """Rotation of each body in a step [rad]."""
        return np.linalg.norm(self.state.L * self.run.system.bodies.inverse_inertia, axis=1) * self.run.h

    @property
    def fastest(self) -> str:
        return self.run.model.bodies[int(np.argmax(self.turns))].name

    @property
    def fastest_turn(self) -> float:
        return float(self.turns.max())

    @property
    def part(self) -> str:
        """What the scheme takes at once: a step, or a stage of it."""
        return "step" if self.run.scheme.longest_stage == 1.0 else "stage"

    @property
    def turn(self) -> float:
        """Rotation of the body `fault` in the longest stage [rad]."""
        return float(self.turns[self.fault]) * self.run.scheme.longest_stage

    @property
    def turn_limit(self) -> float:
        return self.run.scheme.turn_limit

    @property
    def third(self) -> str:
        """Three tenths of the step, one digit."""
        return f"{_round_down(0.3 * self.run.h):.0e}"

    @property
    def resolving(self) -> str:
        """A step in which the body `fault` turns by half a radian; half the step where its rate is not known."""
        known = np.isfinite(self.turn) and self.turn > 0.0
        return f"{_round_down(0.5 * self.run.h / (self.turn if known else 1.0)):.0e}"


def sentence(run: Run, code: int, fault: int, done: int, state: State, g: Array) -> str:
    """The sentence and the advice for a status `code` after `done` steps; `fault` is the row or body it names."""
    failure = FAILURES[code]
    return f"{failure.sentence}; {failure.advice}".format(at=Place(run, fault, done, state, g))


def _round_down(x: float) -> float:
    """x > 0 with one digit, not larger than x except by round-off.

    >>> [f"{_round_down(x):.0e}" for x in (1e-3, 0.5 * 0.01 / 5.0, 2.99e-5, 9.9e-1)]
    ['1e-03', '1e-03', '2e-05', '9e-01']
    """
    digit = 10.0 ** np.floor(np.log10(x * (1.0 + 1e-12)))
    return float(np.floor(x * (1.0 + 1e-12) / digit) * digit)
