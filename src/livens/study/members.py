"""One member of an ensemble: made from its parameters, simulated, and what is kept of it packed into bytes.

What a member leaves is an Outcome: numbers, with a layout that says what they are, or the sentence why there are none.
The bits of an outcome depend on the member's parameters alone: not on who runs it, nor when, nor what runs beside it.
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
from ..describe.model import Model
from ..errors import LivensError, ModelError, require
from ..record.trajectory import Trajectory
from ..run.plan import Plan
from ..run.simulate import follow

Layout = tuple[tuple[str, tuple[int, ...]], ...]  # name and shape of each array, by name
TOKEN = secrets.token_hex(8)  # tells this machine's processes from another's


class Outcome(NamedTuple):
    """What a member leaves: numbers (little-endian doubles) as its layout says, or a text where there is no layout."""

    member: int
    layout: Layout | None
    data: bytes


class Elapsed(NamedTuple):
    """Some members' outcomes, and how long they took together [s]."""

    outcomes: list[Outcome]
    seconds: float


@dataclass(frozen=True)
class Job:
    """What is done for every member. It travels to wherever members are run."""

    make: Callable[..., Model]
    plan: Plan
    keep: Callable[[Trajectory], Mapping[str, Any]]
    taken: frozenset[str]  # names that what is kept must not have
    home: str  # the process that asked

    def __call__(self, members: list[tuple[int, dict[str, Any]]]) -> Elapsed:
        """The outcomes of some members."""
        if here() != self.home:
            _stay_on_one_core()
        begin = time.perf_counter()
        outcomes = [self.outcome(member, parameters) for member, parameters in members]
        return Elapsed(outcomes, time.perf_counter() - begin)

    def outcome(self, member: int, parameters: dict[str, Any]) -> Outcome:
        """What one member leaves."""
        try:
            model = self.make(**parameters)
            if not isinstance(model, Model):
                raise ModelError(f"the function that makes models gave {model!r}, not a Model.")
            motion = follow(self.plan, Compiled.of(model, quiet=True))
            return Outcome(member, *packed(self.keep(motion), self.taken))
        except Exception as error:  # whatever a user's function raises belongs to this member alone
            return Outcome(member, None, sentence(error).encode())


def packed(kept: Any, taken: frozenset[str]) -> tuple[Layout, bytes]:
    """What `keep` returned, in the order of the names."""
    if not isinstance(kept, Mapping):
        raise ModelError(f"keep must return a dictionary of numbers and arrays, not {type(kept).__name__}.")
    for name in kept:
        if not isinstance(name, str) or not name or "/" in name or "\0" in name or name in taken:
            raise ModelError(f"keep returned {name!r}, which cannot be a name or is taken.")
    arrays = {name: np.asarray(kept[name]) for name in sorted(kept)}
    for name, array in arrays.items():
        if array.dtype.kind not in "biuf":
            raise ModelError(f"keep returned {name!r} = {kept[name]!r}, which is not made of real numbers.")
        if array.dtype.kind in "iu" and ((array > 2**53) | (array < -(2**53))).any():
            raise ModelError(f"keep returned {name!r} = {kept[name]!r}, and doubles count no further than 2**53.")
    layout = tuple((name, array.shape) for name, array in arrays.items())
    return layout, b"".join(array.astype("<f8").tobytes() for array in arrays.values())


def sentence(error: BaseException) -> str:
    """Why a member failed."""
    return str(error) if isinstance(error, LivensError) else f"{type(error).__name__}: {error}"


def here() -> str:
    """This process."""
    return f"{TOKEN}-{os.getpid()}"


def one_core() -> Any:
    """A context in which BLAS uses one core: members have the others, and sums come out the same everywhere."""
    return require("threadpoolctl", "ensembles need threadpoolctl", "livens[data]").threadpool_limits(1)


@cache
def _stay_on_one_core() -> None:
    """The same for as long as this process lives, which was started to run members."""
    one_core()
