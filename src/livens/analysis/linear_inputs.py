"""The inputs of a linearisation: efforts along joint coordinates, loads, and prescribed motions.

Motors and loads are added to two copies of the model; their values are `u`. The input of a prescribed motion w(t) is an
acceleration u: from the time t₀ on its coordinate is

    q(t) = w(t) + δq + (t − t₀) δq̇ + ½ (t − t₀)² u,                                                              (1)

so that δq and δq̇ belong to the state of the linear system, and no derivative of an input occurs. In the copy `driven`
the joint follows (1). In the copy `free` it has a motor, with the effort that the prescribed motion needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.signals import Signals
from ..describe.body import Body
from ..describe.forces.load import Load
from ..describe.forces.motor import Motor
from ..describe.forces.one_coordinate import chosen_coordinate
from ..describe.model import Model
from ..describe.row import Coordinate
from ..describe.term import CoordinateMotor, PointLoad
from ..describe.thing import Thing
from ..errors import ModelError
from .linear_system import with_unit

WHAT = 'a motor, a joint with a coordinate, (joint, "angle_b"), a load or the name of a coordinate'
FREE_PARTS = ("x", "y", "z", "turn_x", "turn_y", "turn_z")  # coordinates of a free body


class Prescribed(NamedTuple):
    """A prescribed motion that is an input."""

    number: int  # of the input
    q: Coordinate
    motion: Varied
    motor: Motor  # in its place


class Inputs:
    """`names` of the inputs with units, their values `u`, the efforts `hold` of the motors that stand for prescribed
    motions, and the models `free` and `driven`."""

    def __init__(self, model: Model, given: Sequence[Any] | None):
        if given is not None and (not isinstance(given, Sequence) or isinstance(given, str | tuple)):
            raise ModelError(f"inputs are a list, such as [{given!r}].")
        self.original, self.names = model, list[str]()
        self.sources: list[tuple[Thing, int]] = []  # the motor or load that was added, and which of its components
        self.prescribed: list[Prescribed] = []
        motors = [thing for thing in model.forces if motor_of(thing) is not None]
        for x in motors if given is None else given:
            self._add(x)
        self.u, self.hold = np.zeros(len(self.names)), np.zeros(len(self.prescribed))
        added = list(dict.fromkeys(thing for thing, _ in self.sources))
        stand_ins = [one.motor for one in self.prescribed]
        self.free = self._copy([x for x in model.forces if not _controlled(x)] + added, None)
        self.driven = self.free
        if self.prescribed:
            self.driven = self._copy([x for x in self.free.forces if x not in stand_ins], lambda one: one.motion)

    def begin(self, t: float, motions: Array) -> None:
        """Set t₀ [s], and δq and δq̇ of all prescribed motions (inputs, 2)."""
        for one, change in zip(self.prescribed, motions, strict=True):
            one.motion.t0, one.motion.change[:2] = t, change

    @contextmanager
    def begun(self, motions: Array) -> Iterator[None]:
        """Add to δq and δq̇ of all prescribed motions (inputs, 2), for a while."""
        before = [one.motion.change.copy() for one in self.prescribed]
        for one, change in zip(self.prescribed, motions, strict=True):
            one.motion.change[:2] += change
        yield
        for one, change in zip(self.prescribed, before, strict=True):
            one.motion.change[:] = change

    @contextmanager
    def changed(self, k: int, u: float) -> Iterator[None]:
        """Set input k to u, for a while."""
        motion = next((one.motion for one in self.prescribed if one.number == k), None)
        place = (self.u, k) if motion is None else (motion.change, 2)
        place[0][place[1]] = u
        yield
        place[0][place[1]] = 0.0

    # ── inside ──

    def _add(self, x: Any) -> None:
        thing, part = self._found(x)
        if isinstance(thing, Body):
            self._add_load(Load(thing.point(0, 0, 0), (0, 0, 0), name=thing.name), [FREE_PARTS.index(part or "x")])
            return
        motor, load = motor_of(thing), load_of(thing)
        if motor is not None:
            self._add_effort(thing.joints[0], motor.coordinate, thing.name)
        elif load is not None:
            self._add_load(thing, range(6))
        elif thing.coordinates:
            chosen = thing.coordinates if part is None else [thing.coordinates[chosen_coordinate(thing, part, "input")]]
            for q in chosen:
                if thing.drive is not None and q is thing.coordinates[0]:
                    self._add_motion(thing, q)
                else:
                    self._add_effort(thing, q, q.name)
        else:
            raise ModelError(f"an input is {WHAT}, not {thing!r}.")

    def _found(self, x: Any) -> tuple[Any, str | None]:
        """The thing that is meant, and which of its coordinates."""
        model, part = self.original, None
        if isinstance(x, tuple) and len(x) == 2:
            x, part = x
        if isinstance(x, str) and model.find(x) is None and part is None:
            for joint in model.joints:
                for q in joint.coordinates:
                    if q.name == x:
                        return joint, _part(q)
            body, _, last = x.rpartition(".")
            if last in FREE_PARTS and isinstance(model.find(body), Body) and model[body] in _free(model):
                return model[body], last
        thing = model[x] if isinstance(x, str) else x
        if not isinstance(thing, Thing) or thing not in model:
            raise ModelError(f"an input is {WHAT} of the model, not {x!r}.")
        return thing, part

    def _label(self, name: str) -> str:
        return f"input {len(self.sources)} of the linearisation, {name}"

    def _add_effort(self, joint: Thing, q: Coordinate, name: str) -> None:
        k = len(self.names)
        self.names.append(with_unit(name, "N m" if q.is_angle else "N"))
        made = Motor(joint, lambda t: float(self.u[k]), coordinate=_part(q), name=self._label(name))
        self.sources.append((made, 0))

    def _add_load(self, load: Any, parts: Sequence[int]) -> None:
        k, given = np.full(6, -1), load_of(load)
        assert given is not None
        for part in parts:
            k[part] = len(self.names)
            what, axis = ("f", "xyz"[part]) if part < 3 else ("t", "xyz"[part - 3])
            name = f"{load.name}.{what}{axis}" if len(parts) > 1 else f"{load.name}.{FREE_PARTS[part]}"
            self.names.append(with_unit(name, "N" if part < 3 else "N m"))

        def values(some: Any) -> Array:
            return np.array([self.u[n] if n >= 0 else 0.0 for n in some])

        made = Load(
            given.point, lambda t: values(k[:3]), lambda t: values(k[3:]), axes=given.axes, name=self._label(load.name)
        )
        self.sources += [(made, part) for part in parts]

    def _add_motion(self, joint: Thing, q: Coordinate) -> None:
        if any(one.q is q for one in self.prescribed):
            raise ModelError(f"{joint.label} is twice among the inputs.")
        n = len(self.prescribed)
        self.names.append(with_unit(f"acceleration of {q.name}", f"{q.unit}/s²"))
        motor = Motor(joint, lambda t: float(self.hold[n]), coordinate=_part(q), name=self._label(joint.name))
        self.prescribed.append(Prescribed(len(self.names) - 1, q, Varied(joint, self.original), motor))
        self.sources.append((motor, 0))

    def _copy(self, forces: list[Thing], drive: Callable[[Prescribed], Any] | None) -> Model:
        """The model with other forces, and other motions of the joints whose motions are inputs."""
        other = copy(self.original)
        other.forces = forces
        if not self.prescribed:
            return other
        changed = {}
        for one in self.prescribed:
            joint = changed[one.q.joint.name] = copy(self.original[one.q.joint.name])
            joint.drive = None if drive is None else drive(one)
        other.joints = [changed.get(joint.name, joint) for joint in other.joints]
        other._by_name = {**other._by_name, **changed}
        return other


class Varied:
    """A prescribed motion, changed by (1). `change` has δq, δq̇ and u, `t0` is t₀ [s]."""

    def __init__(self, joint: Thing, model: Model, order: int = 0):
        self.joint, self.model, self.order = joint, model, order
        self.change, self.t0 = np.zeros(3), 0.0
        self._signals: Signals | None = None

    def __call__(self, t: Any) -> Any:
        if self._signals is None:
            self._signals = Compiled.of(self.model, quiet=True).signals(1.0)
        times = np.atleast_1d(np.asarray(t, dtype=np.float64))
        first = self._signals.drive_column[id(self.joint)]
        s, (q, rate, u) = times - self.t0, self.change
        more = (q + s * rate + 0.5 * s**2 * u, rate + s * u, np.full(len(s), u))[self.order]
        found = self._signals.table(times)[:, first + self.order] + more
        return found if np.ndim(t) else float(found[0])

    def derivative(self) -> Varied:
        """Its rate, and the acceleration."""
        other = copy(self)
        other.order += 1
        return other


def motor_of(thing: Thing) -> CoordinateMotor | None:
    """What a motor exerts."""
    return next((term for term in thing.terms() if isinstance(term, CoordinateMotor)), None)


def load_of(thing: Thing) -> PointLoad | None:
    """What a load exerts."""
    return next((term for term in thing.terms() if isinstance(term, PointLoad)), None)


def _controlled(thing: Thing) -> bool:
    """True for the motors and loads of controllers, which exert nothing."""
    return any(x is not None and x.rate is not None for x in (motor_of(thing), load_of(thing)))


def _part(q: Coordinate) -> str:
    """Which of the coordinates of its joint it is."""
    return q.part or ("angle" if q.is_angle else "displacement")


def _free(model: Model) -> list[Body]:
    """The bodies that no joint holds."""
    held = {point.body for joint in model.joints for point in joint.points}
    return [body for body in model.bodies if body not in held]
