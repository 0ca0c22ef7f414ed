"""A compiled model: arrays and a consistent initial state, made once and shared by all that use the model.

Compilation turns names into arrays (system.py), moves the bodies onto their joints (assembly.py), finds the redundant
constraints (redundancy.py) and leaves them out of the stepping. With n bodies, i axes without inertia and r independent
constraint equations the mechanism has 6 n − i − r degrees of freedom.
"""

from __future__ import annotations

import gc
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..describe.model import Body, Model, Point
from ..describe.row import Coordinate
from ..describe.thing import Thing
from ..errors import ModelError, ModelWarning
from ..kernels.arrays import MULTIPLIERS_KEPT, State, System
from . import start_rates
from .assembly import SHIFT, Assembly
from .contact_start import refuse_overlaps
from .contents import naming_wrong_attributes
from .joint_frames import JointFrames
from .planar_rows import flat_rows
from .reaction_metric import reaction_metric
from .redundancy import redundant_rows
from .rows import Group
from .signals import Signals
from .states import copied
from .system import Tables, compile_model, fastest

REGULAR_PIVOT = 1e-10  # a pivot of S below this part of its diagonal belongs to a dependent row
COPIES: dict[type, Callable[[Any], Any]] = {  # of attributes that can be changed in place
    np.ndarray: np.ndarray.copy,
    Point: lambda point: Point(point.body, point.r.copy()),
    list: list.copy,
    dict: dict.copy,
}


class Adjustment(NamedTuple):
    """The largest changes of a body that assembly made."""

    moved: float = 0.0  # displacement of a centre of mass [m]
    turned: float = 0.0  # rotation [rad]
    adjusted: float = 0.0  # change of velocity [m/s]
    respun: float = 0.0  # change of angular velocity [rad/s]
    before: float = 0.0  # the fastest rate before these changes [1/s]


@dataclass(frozen=True, eq=False)
class Compiled:
    """A model as arrays, with a consistent initial state.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> bar = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), name="bar"))
    >>> pin = m.add(lv.Spherical(m.world.point(0.5, 0, 0), bar.point(0.5, 0, 0), name="pin"))
    >>> compiled = Compiled.of(m)
    >>> compiled.freedom, compiled.redundant, compiled.system is compiled.full
    (3, {}, True)
    """

    model: Model
    system: System  # for stepping: without the redundant rows
    full: System  # with all rows, for reactions and violations
    state: State  # the initial state
    groups: tuple[Group, ...]  # all rows in blocks, with their owners, in the order of elimination
    coordinates: tuple[Coordinate, ...]  # of the joints, as in system.coordinates
    dials: tuple[Coordinate, ...]  # angles of the joints on which nothing acts, as in system.dials
    compiled_signals: Signals | None  # loads, motors, prescribed motions when it was compiled; None if it was restored
    left_out: frozenset[int]  # numbers of the redundant rows among all rows
    adjustment: Adjustment
    number: dict[Body, int]  # of each body when it was compiled; the world is 0
    snapshot: tuple[tuple[Any, dict[str, Any]], ...]  # the model's objects and their attributes when it was compiled

    @classmethod
    def of(cls, model: Model, quiet: bool = False, like: Compiled | None = None) -> Compiled:
        """Compile `model` and assemble its initial state; adjustments and redundant constraints are reported as
        warnings, unless `quiet`. Of redundant rows those are left out that `like`, a model with other numbers, leaves
        out, if the others are independent."""
        with collection_paused():
            tables = compile_model(model)
            if not len(tables.system.rows.kind):
                refuse_overlaps(model, tables.system, tables.state)
                return cls._made(model, tables, tables.system, tables.state, frozenset(), Adjustment())
            fit = Assembly(model, tables.system, tables.state, _owners(tables.groups), signals=tables.signals)
            moved, turned = fit.project_positions()
            if turned > 0.0:
                fit.check_orientations()
            left_out = _left_out(model, fit) if model.planar else redundant_rows(fit)
            if like is not None and left_out != like.left_out and _may_leave_out(model, fit, left_out, like):
                left_out = like.left_out
            if any(joint.start_rate is not None for joint in model.joints):
                _impose_rates(model, fit)
            system, state, last = tables.system, tables.state, fit
            if left_out:
                reduced = compile_model(model, left_out)
                lam = np.delete(state.lam, sorted(left_out), axis=1)
                system, state = reduced.system, state._replace(lam=lam)
                last = Assembly(model, system, state, _owners(reduced.groups), signals=tables.signals)
            before = fastest(system.bodies, state, fit.size)
            adjustment = Adjustment(moved, turned, *last.project_velocities(shift=0.0), before)
            fit.check_rates(before)
            refuse_overlaps(model, system, state)
            compiled = cls._made(model, tables, system, state, left_out, adjustment)
            if not quiet:
                compiled.warn(fit.size, fit.still())
            return compiled

    @classmethod
    def restored(cls, model: Model, left_out: frozenset[int]) -> Compiled:
        """The compiled model of a motion that was computed before: its redundant rows are known, and nothing moves."""
        tables = compile_model(model)
        if not left_out:
            return cls._made(model, tables._replace(signals=None), tables.system, tables.state, left_out, Adjustment())
        reduced = compile_model(model, left_out)
        all_rows = tables._replace(signals=None)
        return cls._made(model, all_rows, reduced.system, reduced.state, left_out, Adjustment())

    @classmethod
    def _made(
        cls, model: Model, all_rows: Tables, system: System, state: State, left_out: frozenset[int], by: Adjustment
    ) -> Compiled:
        full = system
        if left_out:
            rows = all_rows.system.rows._replace(metric=reaction_metric(all_rows.system, all_rows.angular))
            full = all_rows.system._replace(shift=SHIFT, rows=rows)
        groups, coordinates, dials = tuple(all_rows.groups), tuple(all_rows.coordinates), tuple(all_rows.dials)
        number = {body: k for k, body in enumerate(model.bodies)}
        made = cls(
            model, system, full, state, groups, coordinates, dials, all_rows.signals, left_out, by, number,
            tuple(attributes(model)),
        )  # fmt: skip
        with naming_wrong_attributes(model):
            _ = made.frames  # points of joints can be changed in place afterwards
        return made

    # ── questions ──

    def signals(self, h: float) -> Signals:
        """Its loads, motors and prescribed motions for the step h [s]. A motion that was read from a file takes them
        from the model as it is now: functions that the file could not hold are given back there."""
        return (self.compiled_signals or Signals(self.model)).for_step(h)

    @cached_property
    def all_owners(self) -> list[Any]:
        """The joint or force of each row of `full`."""
        return _owners(self.groups)

    @cached_property
    def owners(self) -> list[Any]:
        """The joint or force of each row of `system`."""
        return [owner for r, owner in enumerate(self.all_owners) if r not in self.left_out]

    @cached_property
    def frames(self) -> JointFrames:
        """Points, axes and coordinates of the joints when it was compiled."""
        poses = {thing: before["pose"] for thing, before in self.snapshot if thing in self.number}
        joints = ((thing, past) for thing, past in self.snapshot if isinstance(thing, Thing) and thing.kind == "joint")
        return JointFrames(joints, poses, self.number, self.coordinates, self.dials)

    @property
    def redundant(self) -> dict[str, int]:
        """Joints with redundant constraints, and how many; those that the planes of a planar model imply do not
        count."""
        if not self.left_out or not self.model.planar:
            return dict(Counter(self.all_owners[r].name for r in sorted(self.left_out)))
        state = self.state._replace(lam=np.zeros((MULTIPLIERS_KEPT, len(self.all_owners))))
        flat = flat_rows(Assembly(self.model, self.full, state, self.all_owners))
        return dict(Counter(self.all_owners[r].name for r in sorted(self.left_out - flat)))

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the mechanism."""
        inertialess = int((self.system.bodies.inverse_inertia[1:] == 0.0).sum())
        return 6 * (len(self.number) - 1) - inertialess - int((self.system.rows.rate == 0.0).sum())

    def assembly(self, state: State, t: float = 0.0) -> Assembly:
        """`state`, which is changed, on the way to the joints at the time t [s]."""
        return Assembly(self.model, self.system, state, self.owners, t)

    def fitted(self, state: State) -> State:
        """A copy of `state` projected onto the joints, in position and velocity."""
        fit = self.assembly(copied(state))
        if len(fit.hard):
            fit.project_positions()
            fit.check_orientations()
            fit.project_velocities()
        return fit.state

    def changed(self) -> str:
        """The object of the model that was changed, added or removed since it was compiled, in words; "" if none."""
        now = list(_objects(self.model))
        if len(now) != len(self.snapshot):
            return "its bodies, joints or forces"
        for thing, (known, before) in zip(now, self.snapshot, strict=True):
            if thing is not known:
                return "its bodies, joints or forces"
            for name, value in vars(thing).items():
                if name not in before or not _equal(value, before[name]):
                    return f"{name.lstrip('_')} of {thing.name!r}"
        return ""

    def check_unchanged(self, remedy: str) -> None:
        """Raise a ModelError if the model was changed since it was compiled."""
        if what := self.changed():
            raise ModelError(
                f"model {self.model.name!r} has been changed since this motion was computed ({what}): {remedy}"
            )

    def warn(self, size: float, still: float) -> None:
        """Warn of what assembly changed and of redundant constraints; `size`: of the joints [m]; `still`: the rate that
        counts as rest [1/s]."""
        moved, turned, adjusted, respun, before = self.adjustment
        if moved > 1e-9 * size or turned > 1e-9:
            _warn(
                f"the initial positions did not satisfy the joints: bodies were moved by up to {moved:.2g} m and "
                f"{turned:.2g} rad."
            )
        rate = max(before, fastest(self.system.bodies, self.state, size))
        least = max(1e-9 * rate, still)
        if adjusted > size * least or respun > least:
            _warn(
                f"the initial velocities did not satisfy the joints: they were changed by up to {adjusted:.2g} m/s and "
                f"{respun:.2g} rad/s."
            )
        if redundant := self.redundant:
            count = sum(redundant.values())
            names = ", ".join([*map(repr, list(redundant)[:6]), *(["…"] if len(redundant) > 6 else [])])
            _warn(
                f"{count} constraint equation{'s are' if count > 1 else ' is'} redundant (in {names}); the mechanism "
                f"has {self.freedom} degree{'s' if self.freedom != 1 else ''} of freedom. Reactions are not unique; "
                "those of minimum norm are given."
            )


def _warn(text: str) -> None:
    warnings.warn(text, ModelWarning, stacklevel=5)


def _owners(groups: list[Group] | tuple[Group, ...]) -> list[Any]:
    return [group.owner for group in groups for _ in group.rows]


def _left_out(model: Model, fit: Assembly) -> frozenset[int]:
    """The rows that the planes of a planar model imply, and the redundant ones among the others."""
    flat = flat_rows(fit)
    tables = compile_model(model, flat)
    state = fit.state._replace(lam=np.delete(fit.state.lam, sorted(flat), axis=1))
    kept = [r for r in range(len(fit.owners)) if r not in flat]
    more = redundant_rows(Assembly(model, tables.system, state, _owners(tables.groups)))
    return flat | {kept[r] for r in more}


def _may_leave_out(model: Model, fit: Assembly, rows: frozenset[int], like: Compiled) -> bool:
    """True if the rows that `like` leaves out can be left out of `model` in place of `rows`: the others determine the
    same freedoms."""
    if len(rows) != len(like.left_out) or not np.array_equal(fit.system.rows.kind, like.full.rows.kind):
        return False
    reduced = compile_model(model, like.left_out)
    state = fit.state._replace(lam=np.delete(fit.state.lam, sorted(like.left_out), axis=1))
    rest = Assembly(model, reduced.system, state, _owners(reduced.groups), signals=reduced.signals)
    return bool((rest.factorise(shift=0.0, tiny=REGULAR_PIVOT)[rest.hard] != 0.0).all())


def _impose_rates(model: Model, fit: Assembly) -> None:
    """Initial velocities for the rates that joints give, (1) of start_rates.py."""
    driven = start_rates.driven(model)
    tables = compile_model(driven)
    blow = Assembly(driven, tables.system, fit.state._replace(lam=tables.state.lam), _owners(tables.groups))
    before = fastest(tables.system.bodies, fit.state, fit.size)
    blow.project_velocities()
    names = ", ".join(map(repr, start_rates.rates(model)))
    blow.check_rates(before, f" start_rate is given for {names}: give fewer of them, or consistent ones.")


@contextmanager
def collection_paused() -> Iterator[None]:
    """Without Python's search for cyclic garbage: compilation makes many objects and no such garbage, and half of the
    time of a large model would go into searching."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# ── has the model changed? ──


def _objects(model: Model) -> Iterator[Any]:
    yield model
    yield from model.bodies
    yield from model.joints
    yield from model.forces


def attributes(model: Model) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Every object of the model, with a copy of its attributes."""
    for thing in _objects(model):
        here = dict(vars(thing))
        for name, value in here.items():
            if (copied_as := COPIES.get(type(value))) is not None:
                here[name] = copied_as(value)
        yield thing, here


def _equal(one: Any, other: Any) -> bool:
    if one is other or (callable(one) and callable(other)):
        return True  # functions are not compiled: one that a file could not hold may be given back
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, Point):
        return one.body is other.body and np.array_equal(one.r, other.r)
    if isinstance(one, list):
        return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
    return bool(one == other)
