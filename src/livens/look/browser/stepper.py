"""A simulation whose parameters change while it runs: its state is carried from one compiled model to the next.

Between changes the states are bitwise identical to those of `simulate` with the same step. A change keeps positions,
rotations and momenta of all bodies, and the time; the energy changes with the parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checks import positive
from ...compile.compiled import Compiled
from ...compile.states import as_record, copied, empty_record
from ...describe.model import Model
from ...errors import ModelError, StepFailed
from ...kernels.arrays import State, System
from ...record.instant import Instant
from ...record.trajectory import Trajectory
from ...run.given_state import checked_start
from ...run.loop import Run, with_memory
from ...run.progress import Progress
from ...run.transfer import carry_angles
from ...step import Scheme
from .changed_model import changed_model, parameters

NEVER = 2**40  # steps between two stored states: none is stored


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
        self.model, self.scheme, self.h = changed_model(model, self.wanted), scheme, positive(h, "h", "s")
        self.begin = Compiled.of(self.model)
        state = self.begin.state if start is None else checked_start(start, self.begin.state)
        self.saved = (self.begin, float(t0), copied(state))
        self._continue_from(state, float(t0))

    @property
    def t(self) -> float:
        """The time of the simulation [s]."""
        return self._run.t0 + self._done * self.h

    @property
    def system(self) -> System:
        """The compiled model."""
        return self.begin.system

    def step(self, steps: int = 1) -> None:
        """Take `steps` steps. If one fails, StepFailed gives the reason and the state is that before all of them."""
        before = copied(self.state)
        try:
            self._run.go(self.state, self._done, self._done + steps, Progress(self.model.name, steps, show=False))
        except BaseException as error:
            self._continue_from(before, self.t)
            if isinstance(error, StepFailed):
                raise StepFailed(str(error), self.now()) from None
            raise
        self._done += steps

    def change(self, *, scheme: Scheme | None = None, h: float | None = None, **changes: Any) -> None:
        """Continue with another scheme, step [s], `gravity`, `stiffness={name: k}`, `damping={name: c}` or `pull`.

        After an error the simulation continues as before.
        """
        old = (self.model, self.begin, self.wanted, self.scheme, self.h, self.state, self.t)
        try:
            self.scheme = self.scheme if scheme is None else scheme
            self.h = self.h if h is None else positive(h, "h", "s")
            if changes:
                self.wanted = self.wanted.with_(**changes)
                self._build(changed_model(self.base, self.wanted), old[1], old[5])
            self._continue_from(self.state, old[6])
        except (ModelError, TypeError, ValueError):
            self.model, self.begin, self.wanted, self.scheme, self.h, state, t = old
            self._continue_from(state, t)
            raise

    def pull_to(self, target: tuple[float, float, float]) -> None:
        """Move the far end of the pulling spring, if there is one, without compiling anything [m]."""
        if self.wanted.pull is not None:
            self.wanted = self.wanted.with_(pull=self.wanted.pull._replace(target=target))
            self.system.springs.point[-1, 0] = target

    def reset(self) -> None:
        """Return to the initial state and time, with the present parameters."""
        first, t0, state = self.saved
        self._build(self.model, first, state)
        self._continue_from(self.state, t0)

    def now(self) -> Trajectory:
        """The motion at this moment: a trajectory of one state."""
        return moment(self.begin, self.scheme, self.h, self.t, copied(self.state))

    # ── inside ──

    def _build(self, model: Model, before: Compiled, state: State) -> None:
        begin = Compiled.of(model, quiet=True)
        self.model, self.begin, self.state = model, begin, carried(begin, before, state)

    def _continue_from(self, state: State, t: float) -> None:
        """Begin a run at `state`, which it advances in place, and at t."""
        self.state = with_memory(copied(state), self.scheme.memory(self.begin.system))
        record = empty_record(self.state, 2)
        self._run = Run(self.begin, self.scheme, self.h, t, NEVER, record)
        self._done = 0


def moment(begin: Compiled, scheme: Scheme, h: float, t: float, state: State) -> Trajectory:
    """A motion of one state."""
    return Instant(begin, scheme, h, t, as_record(state))


def carried(begin: Compiled, before: Compiled, state: State) -> State:
    """`state` of the model `before` as a state of `begin`, which has the same bodies and joints."""
    new = copied(begin.state._replace(a=state.a, B=state.B, p=state.p, L=state.L, account=state.account))
    carry_angles(begin, before, state, new)
    effort = state.effort if state.effort.shape == new.effort.shape else new.effort
    lam = state.lam if state.lam.shape == new.lam.shape else np.zeros_like(new.lam)
    return copied(new._replace(lam=lam, effort=effort, memory=np.zeros(0)))
