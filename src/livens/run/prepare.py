"""Prepared runs: a model that is compiled once and run many times, from other states and with other numbers.

A run from another state uses the compiled arrays as they are. Other numbers give arrays of the same structure
(compile/structure.py): the order of elimination, the pattern of S and the redundant rows are those of the prepared
model. A number that changes the structure is refused by name. In both cases the bits are those of `lv.simulate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ..checks import positive
from ..compile.compiled import Compiled
from ..compile.restart import Restart
from ..compile.states import copied
from ..compile.structure import structural_change
from ..describe.model import Model
from ..errors import ModelError
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from ..step import Scheme
from .follow import follow
from .given_state import checked_start
from .loop import OPEN
from .members import Batch, say_compiling_members, together
from .parameters import Numbers
from .plan import Plan, checked_scheme, planned


def prepare(model: Model, scheme: Scheme | None = None, *, h: float) -> Prepared:
    """Compile `model` once for many runs with steps of length `h` [s]: `run = lv.prepare(m, h=1e-3)`, then
    `motion = run(until)`, bitwise that of `lv.simulate`.

    Warnings about the model are given here, once. Runs do not check the energy error: `motion.report()` shows it. Later
    changes of the model have no effect; runs with other numbers refuse a model that was changed.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> stone = m.add(lv.Body(lv.MassProperties(2.0, (0.1, 0.1, 0.1)), velocity=(1, 0, 0), name="stone"))
    >>> cord = m.add(lv.Spring(m.world.point(0, 0, 0), stone.point(0, 0, 0), stiffness=3.0, length=0, name="cord"))
    >>> run = lv.prepare(m, lv.Livens(), h=1e-2)
    >>> motion = run(1.0, parameters={"gravity": (0, 0, -1.62), "forces.cord.stiffness": 0.0})
    >>> motion.position("stone")[-1].round(6).tolist()
    [1.0, 0.0, -0.81]
    """
    if not isinstance(model, Model):
        raise ModelError(f"prepare takes a Model first, not {model!r}.")
    return Prepared(Compiled.of(model), checked_scheme(scheme), positive(h, "h", "s"))


class Prepared:
    """A compiled model, a scheme and a step: what `lv.prepare` returns. Several threads may call it."""

    def __init__(self, compiled: Compiled, scheme: Scheme, h: float):
        self.compiled, self.model, self.scheme, self.h = compiled, compiled.model, scheme, h

    def __call__(
        self,
        until: float,
        *,
        start: State | None = None,
        parameters: Mapping[str, Any] | None = None,
        every: int = 1,
        progress: bool | None = False,
    ) -> Trajectory:
        """The motion from t = 0 to t = `until` [s], with every `every`-th state.

        start: an initial state other than the model's, such as `motion.state`. parameters: numbers that differ from
        those of the model, in SI units, by their names in scenes, such as {"bodies.arm.mass": 2.0 [kg],
        "joints.elbow.stiffness": 5.0, "joints.elbow.b.point": (0, 0, 0.1), "gravity.2": -1.62,
        "bodies.arm.velocity": (1, 0, 0)}. `motion.model` is a copy of the model with these numbers.
        """
        how = planned(self.scheme, self.h, until, every)
        return follow(how, self.compiled_for(parameters), start, progress)

    def keep_arrays(self, until: float, *, every: int = 1) -> Kept:
        """A run to t = `until` [s] whose arrays are allocated once: a function of `start` and `parameters` that writes
        every motion into the same arrays. For many short runs: the call costs a few microseconds. With `lv.Livens`
        and no contacts, controllers or functions of time; other runs allocate their arrays.

        A call overwrites the arrays of the motion before: copy what must stay. It cannot be interrupted by Ctrl-C, and
        each thread needs one of its own.

        >>> import livens as lv
        >>> m = lv.Model(gravity=(0, 0, -9.81))
        >>> stone = m.add(lv.Body(lv.Ball(0.1, mass=2.0), name="stone"))
        >>> again = lv.prepare(m, h=1e-2).keep_arrays(until=1.0)
        >>> for speed in (1.0, 2.0):
        ...     again.start.p[1] = (2.0 * speed, 0, 0)  # momentum [kg m/s] of the first body
        ...     again().position(stone)[-1].round(6).tolist()
        [1.0, 0.0, -4.905]
        [2.0, 0.0, -4.905]
        """
        return Kept(self, planned(self.scheme, self.h, until, every))

    def compiled_for(self, parameters: Mapping[str, Any] | None) -> Compiled:
        """The compiled model with other numbers; it must have the structure of the prepared one."""
        if not parameters:
            return self.compiled
        if not isinstance(parameters, Mapping):
            raise ModelError(f'parameters are a dictionary such as {{"gravity.2": -1.62}}, not {parameters!r}.')
        self.compiled.check_unchanged("prepare it again.")
        made = self._compiled(parameters)
        if change := structural_change(self.compiled, made):
            self._refuse(parameters, change)
        return made

    def _compiled(self, parameters: Mapping[str, Any]) -> Compiled:
        other = self._numbers.changed(parameters)
        made = self._restart.compiled_for([other])[0] if self._restart.matches(other) else None
        return Compiled.of(other, quiet=True, like=self.compiled) if made is None else made

    def _refuse(self, parameters: Mapping[str, Any], change: str) -> None:
        """Name the parameter that changes the structure; all of them if no single one does."""
        guilty = [name for name in parameters if self._changes_structure({name: parameters[name]})]
        names = ", ".join(f"{name!r} = {parameters[name]!r}" for name in guilty or parameters)
        raise ModelError(
            f"{names} changes the structure of model {self.model.name!r}: {change}. A prepared run changes numbers "
            "only; prepare a model that is described with this value, or use lv.simulate."
        )

    def _changes_structure(self, parameters: Mapping[str, Any]) -> bool:
        try:
            return bool(structural_change(self.compiled, self._compiled(parameters)))
        except ModelError:
            return False

    @cached_property
    def _numbers(self) -> Numbers:
        return Numbers(self.model)

    @cached_property
    def _restart(self) -> Restart:
        return Restart(self.compiled)

    def __repr__(self) -> str:
        return f"Prepared({self.model.name!r}, {self.scheme!r}, h={self.h:g})"


class Kept:
    """A prepared run whose motions share their arrays: what `keep_arrays` returns. For one thread at a time.

    `start` are the arrays of the initial state: the next call uses numbers that are written into them, unchecked.
    """

    def __init__(self, prepared: Prepared, how: Plan):
        self.prepared, self.how, self.compiled = prepared, how, prepared.compiled
        self.start = copied(self.compiled.state)
        say_compiling_members(how, self.compiled)
        self._batch = Batch(how, [self.compiled], [self.start]) if together(how, self.compiled) else None

    def __call__(self, start: State | None = None, parameters: Mapping[str, Any] | None = None) -> Trajectory:
        """The motion from `start`, which is checked and stays the start of later calls. parameters: as in a prepared
        run; they stay as well, and the start is then that of the model with these numbers, if none is given."""
        if start is not None or parameters is not None:
            self._set(start, parameters)
        batch = self._batch
        if batch is None:
            return follow(self.how, self.compiled, self.start)
        batch.go()
        if not batch.succeeded(0):
            return follow(self.how, self.compiled, self.start)  # it raises the error of a single run
        return batch.motion(0)

    def _set(self, start: State | None, parameters: Mapping[str, Any] | None) -> None:
        """Another start, and other numbers."""
        if parameters is not None:
            self.compiled = self.prepared.compiled_for(parameters)
        state = self.compiled.state if start is None else checked_start(start, self.compiled.state)
        if start is not None:
            self.compiled.assembly(copied(state)).check_closed(OPEN)
        for mine, given in zip(self.start[:-1], state[:-1], strict=True):  # the memory of another run is dropped
            mine[...] = given
        if parameters is not None and self._batch is not None:
            self._batch.set([self.compiled], [self.start])
