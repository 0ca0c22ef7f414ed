"""Runs of many models with one structure by one compiled call, with the interpreter's lock released.

Models whose signals vary with time, models with controllers, and schemes without such a kernel are run one by one. So
is a run that fails, once more, for the message that a single run gives. Bits are those of single runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np

from .. import _jit
from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.restart import Restart
from ..compile.states import copied
from ..compile.structure import structural_change, with_members
from ..compile.system import scratch
from ..describe.model import Model
from ..errors import LivensError
from ..kernels import status
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from ..step.members import COLUMNS, MEMBERS, STATUS, TAKEN, TALLY
from .follow import follow
from .loop import Run, refuse_backward_stages, refuse_contact, room
from .plan import Plan

_asked: set[object] = set()  # kernels of which it has been looked up whether they are compiled
RECORD_BYTES = 64 * 2**20  # of the states that are kept, in one call of the kernel


def together(how: Plan, compiled: Compiled) -> bool:
    """True if a kernel runs many members with the structure of `compiled`."""
    try:
        refuse_backward_stages(compiled, how.scheme)
        refuse_contact(compiled, how.scheme)
        rollout = how.scheme.kernels(compiled.system)[1]
    except LivensError:  # the run itself reports it
        return False
    return rollout in MEMBERS and not _varies(compiled)


def _varies(compiled: Compiled) -> bool:
    signals = compiled.compiled_signals or compiled.signals(1.0)
    return signals.varies or bool(signals.controlled)


def say_compiling_members(how: Plan, compiled: Compiled) -> None:
    """Announce that the first runs of members on a machine compile a kernel, where the library does not contain it."""
    if together(how, compiled):
        kernel = MEMBERS[how.scheme.kernels(compiled.system)[1]]
        jointed = bool(len(compiled.system.rows.kind))
        text = _jit.announcement(f"members.{kernel.__name__}", how.scheme.compile_seconds(jointed))
        if text and kernel not in _asked:
            sys.stderr.write(f"livens: {text}\n")
        _asked.add(kernel)


def compiled_members(models: Sequence[Model]) -> list[Compiled | Exception]:
    """The compiled models, or the errors that refuse them. Models that differ from the first in gravity and initial
    velocities only share its compilation."""
    found: list[Compiled | Exception | None] = [None] * len(models)
    first = found[0] = _compiled(models[0])
    if len(models) > 1 and isinstance(first, Compiled):
        restart = Restart(first)
        alike = [k for k in range(1, len(models)) if restart.matches(models[k])]
        if alike:
            for k, one in zip(alike, restart.compiled_for([models[k] for k in alike]), strict=True):
                found[k] = one
    return [_compiled(model) if one is None else one for model, one in zip(models, found, strict=True)]


def _compiled(model: Model) -> Compiled | Exception:
    try:
        return Compiled.of(model, quiet=True)
    except Exception as error:  # functions of the user may raise anything
        return error


def follow_members(how: Plan, members: Sequence[Compiled]) -> Iterator[tuple[int, Trajectory | Exception]]:
    """The number of every compiled model with its motion by the plan, or with the error that ended it; in any order.
    Motions are computed in parts, so that not all of them must be kept."""
    todo = [k for k, one in enumerate(members) if not _varies(one)]
    single = sorted(set(range(len(members))) - set(todo))
    while todo:
        first = members[todo[0]]
        alike = [k for k in todo if k == todo[0] or not structural_change(first, members[k])]
        todo = sorted(set(todo) - set(alike))
        if not together(how, first):
            single += alike
            continue
        size = max(1, RECORD_BYTES // max(1, _bytes(how, first)))
        for begin in range(0, len(alike), size):
            some = alike[begin : begin + size]
            for k, motion in zip(some, Batch(how, [members[k] for k in some]).motions(), strict=True):
                yield k, _single(how, members[k]) if motion is None else motion
    for k in single:
        yield k, _single(how, members[k])


def _bytes(how: Plan, compiled: Compiled) -> int:
    slots = how.steps // how.every + 2
    return slots * (8 * how.scheme.memory(compiled.system) + sum(x.nbytes for x in compiled.state))


def _single(how: Plan, compiled: Compiled) -> Trajectory | Exception:
    try:
        return follow(how, compiled)
    except Exception as error:  # functions of the user may raise anything
        return error


class Batch:
    """Runs of some compiled models of one structure by a plan, and the arrays for them."""

    def __init__(self, how: Plan, members: Sequence[Compiled], starts: Sequence[State] | None = None):
        self.how, self.members, one = how, members, members[0]
        memory = np.zeros(how.scheme.memory(one.system))
        self.state = copied(one.state)._replace(memory=memory)
        self.run = Run(one, how.scheme, how.h, 0.0, how.every, room(self.state, how.steps, how.every))
        self.kernel = MEMBERS[self.run.rollout]
        self.work = scratch(one.system, how.scheme.scratch)
        self.table = how.scheme.table
        self.records = State(*(np.zeros((len(members), *x.shape)) for x in self.run.record))
        self.outcome = np.zeros((len(members), COLUMNS), dtype=np.int64)
        self.seconds = 0.0
        self.t = self._times()
        self.set(members, starts)

    def set(self, members: Sequence[Compiled], starts: Sequence[State] | None = None) -> None:
        """Other models of the same structure, and other states at their start, if they are given."""
        self.members = members
        self.systems = with_members([one.system for one in members])
        self.starts = with_members([one.state for one in members] if starts is None else starts)
        self.starts = self.starts._replace(memory=self.state.memory[None] * 0.0)
        known: dict[int, Array] = {}  # models that share their signals share a table
        for one in members:
            if id(one.compiled_signals) not in known:
                known[id(one.compiled_signals)] = one.signals(self.how.h).table(np.zeros(1))
        self.signals = with_members([known[id(one.compiled_signals)] for one in members])

    def go(self) -> None:
        """Run all members."""
        begin = time.perf_counter()
        _, h, steps, every = self.how
        self.kernel(
            self.systems, self.starts, self.state, self.work, h, self.table, self.signals, steps, every, self.records,
            self.outcome,
        )  # fmt: skip
        self.seconds = (time.perf_counter() - begin) / len(self.members)

    def motions(self) -> list[Trajectory | None]:
        """The motions of all members; None for one that failed."""
        self.go()
        return [self.motion(k) if self.succeeded(k) else None for k in range(len(self.members))]

    def succeeded(self, k: int) -> bool:
        """True if member k took all its steps, and no joint whose equations are redundant has come apart."""
        if self.outcome[k, STATUS] != status.OK or self.outcome[k, TAKEN] != self.how.steps:
            return False
        one = self.members[k]
        if not one.left_out:
            return True
        run = Run(one, self.how.scheme, self.how.h, 0.0, self.how.every, self._record(k))
        try:
            run.check_left_out(State(*(x[-1] for x in run.record)), self.how.steps)
        except LivensError:
            return False
        return True

    def motion(self, k: int) -> Trajectory:
        """The motion of member k, in the arrays of this batch."""
        scheme, h, steps, every = self.how
        tally = (int(self.outcome[k, TALLY]), int(self.outcome[k, TALLY + 1]))
        return Trajectory(
            self.members[k], scheme, h, every, self.t, self._record(k), steps, self.seconds, tally
        )  # fmt: skip

    def _record(self, k: int) -> State:
        return State(*(x[k] for x in self.records))

    def _times(self) -> Array:
        _, h, steps, every = self.how
        number = np.arange(0, steps + 1, every, dtype=np.float64)
        if steps % every:
            number = np.append(number, steps)
        return 0.0 + h * number
