"""One member of an ensemble: its model is made and simulated, and the kept values are packed into bytes.

The result is an Outcome: numbers with a layout that gives their names and shapes, or an error message. The bits of an
outcome depend on the parameters of the member only, not on the worker, the time or the other members.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..compile.compiled import Compiled
from ..describe.event import named
from ..describe.model import Model
from ..errors import LivensError, ModelError, require
from ..gpu.members import follow_on_device
from ..record.trajectory import Trajectory
from ..run.event_runs import follow_events
from ..run.follow import begin_state
from ..run.members import compiled_members, follow_members
from ..run.plan import Plan

Layout = tuple[tuple[str, tuple[int, ...]], ...]  # name and shape of each array, by name
TOKEN = secrets.token_hex(8)  # distinguishes processes of different machines


class Outcome(NamedTuple):
    """The result of a member: numbers (little-endian doubles) in the order of the layout, or else a message."""

    member: int
    layout: Layout | None
    data: bytes


class TimedOutcomes(NamedTuple):
    """The outcomes of a batch of members, and the computing time of the batch [s]."""

    outcomes: list[Outcome]
    seconds: float


@dataclass(frozen=True)
class MemberTask:
    """The computation of a member. It is sent to the processes that run members."""

    make_model: Callable[..., Model]
    plan: Plan
    keep: Callable[[Trajectory], Mapping[str, Any]]
    taken: frozenset[str]  # names that kept values must not have
    origin: str  # the process that called `ensemble`
    events: Any = ()  # a list of events, or a function of the model and the parameters that returns one
    card: Any = None  # the graphics card that runs the members, or None

    def __call__(self, members: list[tuple[int, dict[str, Any]]]) -> TimedOutcomes:
        """The outcomes of a batch of members."""
        if process_name() != self.origin:
            _limit_blas_permanently()
        begin = time.perf_counter()
        outcomes = self.outcomes(members)
        return TimedOutcomes(outcomes, time.perf_counter() - begin)

    def outcomes(self, members: list[tuple[int, dict[str, Any]]]) -> list[Outcome]:
        """The outcomes of some members. An error of a user's function is the outcome of its member."""
        found: list[Any] = [self.model(parameters) for _, parameters in members]
        models = {k: model for k, model in enumerate(found) if isinstance(model, Model)}
        if models:
            for k, compiled in zip(models, compiled_members([*models.values()]), strict=True):
                found[k] = compiled
        able = [k for k, compiled in enumerate(found) if isinstance(compiled, Compiled)]
        if callable(self.events) or len(self.events):
            for k in able:
                found[k] = self.kept(self.with_events(found[k], members[k][1]))
            able = []
        some = [found[k] for k in able]
        motions = follow_members(self.plan, some) if self.card is None else follow_on_device(self.card, self.plan, some)
        for n, motion in motions:
            found[able[n]] = self.kept(motion)
        return [
            Outcome(member, None, message_of(one).encode()) if isinstance(one, Exception) else Outcome(member, *one)
            for (member, _), one in zip(members, found, strict=True)
        ]

    def model(self, parameters: dict[str, Any]) -> Model | Exception:
        """The model of a member, or an error."""
        try:
            model = self.make_model(**parameters)
            if not isinstance(model, Model):
                raise ModelError(f"make_model returned {model!r}, which is not a Model.")
        except Exception as error:
            return error
        return model

    def with_events(self, compiled: Compiled, parameters: dict[str, Any]) -> Trajectory | Exception:
        """The motion of a member with events, or an error."""
        try:
            given = self.events(compiled.model, **parameters) if callable(self.events) else self.events
            state = begin_state(self.plan, compiled, None, 0.0)
            return follow_events(named(given), self.plan, compiled, state)
        except Exception as error:
            return error

    def kept(self, motion: Trajectory | Exception) -> tuple[Layout, bytes] | Exception:
        """What is kept of a motion, or an error."""
        if isinstance(motion, Exception):
            return motion
        try:
            return packed(self.keep(motion), self.taken)
        except Exception as error:
            return error


def packed(kept: Any, taken: frozenset[str]) -> tuple[Layout, bytes]:
    """Layout and bytes of the values that `keep` returned, sorted by name."""
    if not isinstance(kept, Mapping):
        raise ModelError(f"keep must return a dictionary of numbers and arrays, not {type(kept).__name__}.")
    for name in kept:
        if not isinstance(name, str) or not name or "/" in name or "\0" in name or name in taken:
            raise ModelError(f"keep returned the name {name!r}, which is not possible or is already used.")
    arrays = {name: np.asarray(kept[name]) for name in sorted(kept)}
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise ModelError(f"keep returned {name!r} = {kept[name]!r}, which does not consist of real numbers.")
        if array.dtype.kind in "iu" and ((array > 2**53) | (array < -(2**53))).any():
            raise ModelError(f"keep returned {name!r} = {kept[name]!r}, which a double cannot represent exactly.")
    layout = tuple((name, array.shape) for name, array in arrays.items())
    return layout, b"".join(array.astype("<f8").tobytes() for array in arrays.values())


def message_of(error: BaseException) -> str:
    """The message of an error that ended a member."""
    return str(error) if isinstance(error, LivensError) else f"{type(error).__name__}: {error}"


def process_name() -> str:
    """A name of this process that is unique on all machines."""
    return f"{TOKEN}-{os.getpid()}"


def one_blas_thread() -> Any:
    """A context in which BLAS uses one thread: other cores run other members, and sums are bitwise reproducible."""
    return require("threadpoolctl", "ensembles need threadpoolctl", "livens[data]").threadpool_limits(1)


@cache
def _limit_blas_permanently() -> None:
    """The same until the end of this process, which was started to run members."""
    one_blas_thread()
