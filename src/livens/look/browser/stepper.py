"""A simulation that goes on while its numbers change: one state, carried from one compiled model to the next.

Between changes the states are, bit for bit, those of `simulate` with the same step. A change keeps places, rotations
and momenta of all bodies, and the time; the energy changes by what the change means.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...checks import positive
from ...compile.compiled import Compiled
from ...describe.model import Model
from ...errors import ModelError, StepFailed
from ...kernels.arrays import State, System
from ...kernels.coordinates import update_coordinates
from ...record.instant import Instant
from ...record.trajectory import Trajectory
from ...run.loop import Run, with_memory
from ...run.progress import Progress
from ...run.simulate import checked_start
from ...step import Scheme
from .changed_model import parameters, variant

NEVER = 2**40  # a run that goes on keeps no states


class Stepper:
    """`model` being simulated with steps of h [s] from `start` (None: the model's) at t0 [s].

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -10.0))
    >>> stone = m.add(lv.Body(lv.Ball(0.1, density=2500), name="stone"))
    >>> run = Stepper(m, lv.Livens(), h=0.01)
    >>> run.step(100)
    >>> run.change(gravity=(0, 0, 10.0))
    >>> run.step(100)
    >>> round(run.t, 9), run.now().velocity("stone").round(9).tolist()
    (2.0, [[0.0, 0.0, 0.0]])
    """

    def __init__(self, model: Model, scheme: Scheme, h: float, start: State | None = None, t0: float = 0.0):
        self.base = model
        self.wanted = parameters(model)
        self.model, self.scheme, self.h = variant(model, self.wanted), scheme, positive(h, "h", "s")
        self.begin = Compiled.of(self.model)
        state = self.begin.state if start is None else checked_start(start, self.begin.state)
        self.saved = (self.begin, float(t0), copied(state))
        self._go_on(state, float(t0))

    @property
    def t(self) -> float:
        """The time of the simulation [s]."""
        return self._run.t0 + self._done * self.h

    @property
    def system(self) -> System:
        """The compiled model."""
        return self.begin.system

    def step(self, steps: int = 1) -> None:
        """Take `steps` steps; where one fails, StepFailed says why and the state is what it was before all of them."""
        before = copied(self.state)
        try:
            self._run.go(self.state, self._done, self._done + steps, Progress(self.model.name, steps, show=False))
        except BaseException as error:
            self._go_on(before, self.t)
            if isinstance(error, StepFailed):
                raise StepFailed(str(error), self.now()) from None
            raise
        self._done += steps

    def change(self, *, scheme: Scheme | None = None, h: float | None = None, **changes: Any) -> None:
        """Go on with another scheme, step [s], `gravity`, `stiffness={name: k}`, `damping={name: c}` or `pull`.

        What cannot be is refused, and the simulation goes on as it was.
        """
        old = (self.model, self.begin, self.wanted, self.scheme, self.h, self.state, self.t)
        try:
            self.scheme = self.scheme if scheme is None else scheme
            self.h = self.h if h is None else positive(h, "h", "s")
            if changes:
                self.wanted = self.wanted.with_(**changes)
                self._build(variant(self.base, self.wanted), old[1], old[5])
            self._go_on(self.state, old[6])
        except (ModelError, TypeError, ValueError):
            self.model, self.begin, self.wanted, self.scheme, self.h, state, t = old
            self._go_on(state, t)
            raise

    def pull_to(self, target: tuple[float, float, float]) -> None:
        """Move the far end of the pulling spring, if there is one, without compiling anything [m]."""
        if self.wanted.pull is not None:
            self.wanted = self.wanted.with_(pull=self.wanted.pull._replace(target=target))
            self.system.springs.point[-1, 0] = target

    def reset(self) -> None:
        """Back to the state and time of the beginning, with the parameters of now."""
        first, t0, state = self.saved
        self._build(self.model, first, state)
        self._go_on(self.state, t0)

    def now(self) -> Trajectory:
        """The motion at this moment: a trajectory of one state."""
        return moment(self.begin, self.scheme, self.h, self.t, copied(self.state))

    # ── inside ──

    def _build(self, model: Model, before: Compiled, state: State) -> None:
        begin = Compiled.of(model, quiet=True)
        self.model, self.begin, self.state = model, begin, carried(begin, before, state)

    def _go_on(self, state: State, t: float) -> None:
        """Begin a run at `state`, which it takes along, and at t."""
        self.state = with_memory(copied(state), self.scheme.memory(self.begin.system))
        record = State(*(np.zeros((2, *x.shape)) for x in self.state))
        self._run = Run(self.begin, self.scheme, self.h, t, NEVER, record)
        self._done = 0


def moment(begin: Compiled, scheme: Scheme, h: float, t: float, state: State) -> Trajectory:
    """A motion of one state."""
    return Instant(begin, scheme, h, t, State(*(x[None] for x in state)))


def carried(begin: Compiled, before: Compiled, state: State) -> State:
    """`state` of the model `before` as a state of `model`, which has the same bodies; coordinates on which something
    acts in one of the two only are read off the bodies, within half a turn of the start."""
    new = begin.state._replace(a=state.a, B=state.B, p=state.p, L=state.L, account=state.account)
    known = dict(zip(_coordinates(before), state.angle.tolist(), strict=True))
    angle = begin.state.angle.copy()
    for c, key in enumerate(_coordinates(begin)):
        if key in known:
            angle[c] = known[key]
    if len(angle):
        update_coordinates(begin.system.coordinates, state.a, state.B, angle)
    effort = state.effort if state.effort.shape == new.effort.shape else new.effort
    lam = state.lam if state.lam.shape == new.lam.shape else np.zeros_like(new.lam)
    return copied(new._replace(angle=angle, lam=lam, effort=effort, memory=np.zeros(0)))


def _coordinates(compiled: Compiled) -> list[tuple[str, str, int]]:
    """What names each coordinate on which something acts: its joint, its kind, and which of several motors."""

    def keys() -> Iterator[tuple[str, str, int]]:
        seen: dict[tuple[str, str], int] = {}
        for q in compiled.coordinates:
            key = (q.joint.name, q.kind)
            seen[key] = seen.get(key, -1) + 1
            yield (*key, seen[key])

    return list(keys())


def copied(state: State) -> State:
    """The same numbers in arrays of their own."""
    return State(*(np.array(x) for x in state))
