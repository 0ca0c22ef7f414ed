"""Linearisation: small motions about a state, in joint coordinates.

With x = (q, v), inputs u (efforts of motors, loads) and outputs y,

    v̇ = M⁻¹ (Q₀ + B_Q u − b(q, v))            δẋ = A δx + B u,    δy = C δx + D u                              (1)

Small rotations of balls and free bodies are counted from the motion itself, R = exp(δθ) R*(t) in the axes of the first
body, so that steady rotations have constant matrices:

    δq̇ = δv,      δθ̇ = δω + ω* × δθ.                                                                        (2)

A is exact (rates_of_changes.py), and so is C for coordinates and points. Of a step of length h (`h=`), A and B are the
derivatives of that step, with inputs held: exact for `lv.Livens` and `lv.RungeKutta` (segment.py). For other schemes,
and for outputs that are functions, the derivatives are differences of eighth order with three
spacings; of the two neighbouring results that agree best the first is taken: about eleven digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from inspect import isfunction
from itertools import count, pairwise
from typing import Any, TypeGuard

import numpy as np

from ..checks import Array, positive
from ..compile.compiled import Compiled
from ..compile.contact_start import jumping_force
from ..compile.states import copied, empty_record
from ..describe.body import Body, Point
from ..describe.forces.load import Load
from ..describe.forces.motor import Motor
from ..describe.model import Model
from ..describe.term import CoordinateMotor, PointLoad
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels.arrays import State
from ..kernels.coordinates import update_coordinates
from ..record.trajectory import Trajectory
from ..run.loop import Run, with_memory
from ..run.progress import Progress
from ..step import Livens, Scheme
from ..step.runge_kutta import RungeKutta
from .joint_space import JointSpace
from .linear_system import LinearSystem, with_unit
from .rates_of_changes import CoordinateOutput, ExactOutput, PointOutput, RatesOfChanges
from .rotation_coordinates import RotationCoordinates
from .segment import Segment
from .singular_position import refuse_singular

STENCIL = ((1, 4.0 / 5.0), (2, -1.0 / 5.0), (3, 4.0 / 105.0), (4, -1.0 / 280.0))  # first derivative, eighth order
Output = ExactOutput | Callable[[Trajectory], Array]
SPACINGS = (2e-2, 2e-3, 2e-4)  # rad, or of the model's size; rates are scaled with the fastest rate


def linearize(
    model: Model,
    at: Any = None,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
    h: float | None = None,
    scheme: Scheme | None = None,
    t: float = 0.0,
) -> LinearSystem:
    """The small motions of `model` about a state, in joint coordinates.

    at: a state, a motion (its last state), joint coordinates q, or None, the start. inputs: motors, joints (an effort
    along their coordinate) or loads (three forces and three torques), as objects or names; None: all motors. outputs:
    joints (their coordinates), points or bodies (three displacements), or functions of a motion of one state; None: the
    coordinates. With h [s], the derivative of a step of `scheme` (`lv.Livens()`), with inputs held. Controllers exert
    nothing; motors exert what they do at time t.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bob = m.add(lv.Body(lv.MassProperties(2.0, (1e-3, 1e-3, 1e-3)), at=(0, 0, -1), name="bob"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), bob.point(0, 0, 1), axis=(0, 1, 0), name="hinge"))
    >>> lin = lv.linearize(m, inputs=[hinge])
    >>> lin.modes().omega.round(6), lin.B.round(6).tolist()  # √(m g l / (m l² + J))
    (array([3.131309]), [[0.0], [0.49975]])
    """
    if not isinstance(model, Model):
        raise ModelError(f"a linearisation is that of a model, not of {model!r}.")
    if h is not None:
        positive(h, "h", "s")
    given = Inputs(model, inputs)
    space = JointSpace(Compiled.of(given.model, quiet=True), driven=True)
    state = _state(space, model, at)
    if space.has_loops:
        refuse_singular(space.compiled, state, float(t))
    if jump := jumping_force(space.compiled.model, space.compiled.system, state):
        raise ModelError(
            f"model {model.name!r} has no linearisation here: {jump}, where a force jumps. Linearize a model without "
            "it, or with a joint in its place."
        )
    about = Linearisation(space, given, state, float(t))
    return about.system(outputs, h, scheme or Livens())


class Inputs:
    """The inputs of a linearisation: motors and loads that are added to a copy of the model. Their values are `u`."""

    def __init__(self, model: Model, given: Sequence[Any] | None):
        motors = [thing for thing in model.forces if _motor(thing) is not None]
        chosen = motors if given is None else [self._found(model, x) for x in given]
        self.names: list[str] = []
        self.sources: list[tuple[Thing, int]] = []  # the thing added, and which of its components
        added: list[Thing] = []
        for thing in chosen:
            added.append(self._added(thing))
        self.u = np.zeros(len(self.names))
        self.model = copy(model)
        self.model.forces = [*(thing for thing in model.forces if not _controlled(thing)), *added]

    def _found(self, model: Model, x: Any) -> Thing:
        thing = model[x] if isinstance(x, str) else x
        if not isinstance(thing, Thing) or thing not in model:
            raise ModelError(f"an input is a motor, a joint with a coordinate, or a load of the model, not {x!r}.")
        return thing

    def _added(self, thing: Thing) -> Thing:
        first = len(self.names)
        motor, load = _motor(thing), _load(thing)
        if motor is not None or thing.coordinates:
            joint = thing.joints[0] if motor is not None else thing
            q = motor.coordinate if motor is not None else thing.coordinates[0]
            self.names.append(with_unit(thing.name, "N m" if q.unit == "rad" else "N"))
            part = motor.coordinate.part or None if motor is not None else None
            made: Thing = Motor(joint, lambda t: float(self.u[first]), coordinate=part, name=f"input {thing.name}")
        elif load is not None:
            self.names += [with_unit(f"{thing.name}.f{part}", "N") for part in "xyz"]
            self.names += [with_unit(f"{thing.name}.t{part}", "N m") for part in "xyz"]
            force, torque = slice(first, first + 3), slice(first + 3, first + 6)
            made = Load(
                load.point, lambda t: self.u[force], lambda t: self.u[torque], axes=load.axes,
                name=f"input {thing.name}",
            )  # fmt: skip
        else:
            raise ModelError(f"an input is a motor, a joint with a coordinate, or a load, not {thing!r}.")
        self.sources += [(made, k) for k in range(len(self.names) - first)]
        return made


class Linearisation:
    """The derivatives (1) about a state."""

    def __init__(self, space: JointSpace, inputs: Inputs, state: State, t: float):
        self.space, self.inputs, self.t = space, inputs, t
        self.q, self.v = space.read(state)
        self.m, self.x = len(self.q), np.concatenate([self.q, self.v])
        self.rotations, self.state = RotationCoordinates(space), self._moving(state)
        self.number = {id(one.q): k for k, one in enumerate(space.space.every)}
        lengths = float(np.abs(space.space.system.rows.point).max(initial=0.0)) or 1.0
        self.unit = np.where([unit == "rad" for unit in space.units], 1.0, lengths)

    def system(self, outputs: Sequence[Any] | None, h: float | None, scheme: Scheme) -> LinearSystem:
        """The matrices."""
        M, _ = self.space.equations(self.state, t=self.t)
        exact = RatesOfChanges(self.space, self.state, self.t)
        if h is None or not self.m:
            force, A = self.input_forces(), exact.A.copy()
            simple = np.setdiff1d(np.arange(self.m), self.rotations.parts)
            A[simple] = self.kinematics()[simple]
            B = np.concatenate([np.zeros_like(force), np.linalg.solve(M, force)])
        elif self._has_tangent(scheme):
            A, B = self.of_step(scheme, h)
        else:
            end = self.step(self.x, scheme, h)
            A = self.derivative(lambda x: self.rotations.difference(self.step(x, scheme, h), end))
            B = self.derivative_of_inputs(M, scheme, h, end)
        names: list[str] = []
        rows = []
        seen: dict[bytes, Trajectory] = {}  # all outputs are differentiated at the same states

        def now(x: Array) -> Trajectory:
            key = x.tobytes()
            if key not in seen:
                seen[key] = self.now(x)
            return seen[key]

        for known, read in self.outputs(outputs):
            values = read(exact) if isinstance(read, ExactOutput) else self.derivative(_composed(read, now))
            rows.append(values)
            single = len(known) == len(values)
            for name in known if single else [f"{known[0]}.{k}" for k in range(len(values))]:
                names.append(_distinct(name, names))
        C = np.concatenate(rows) if rows else np.zeros((0, 2 * self.m))
        matrices = (A, B, C, np.zeros((len(C), len(self.inputs.names))))
        return LinearSystem(self.space, self.q, M, matrices, self.inputs.names, names, h)

    def _has_tangent(self, scheme: Scheme) -> TypeGuard[Livens | RungeKutta]:
        """True if steps of a scheme have exact derivatives: without contact, and of one length."""
        smooth = not self.space.compiled.system.contacts.capacity and not scheme.adaptive
        return isinstance(scheme, Livens | RungeKutta) and smooth

    def _moving(self, state: State) -> State:
        """The state with velocities that the joints allow, and the forces of its dampers."""
        fit = self.space.compiled.assembly(copied(state), self.t)
        fit.project_velocities()
        return fit.state

    def kinematics(self) -> Array:
        """The upper half of A, by (2)."""
        upper = np.concatenate([np.zeros((self.m, self.m)), np.eye(self.m)], axis=1)
        for k in self.rotations.first:
            x, y, z = self.v[k : k + 3]
            upper[k : k + 3, k : k + 3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
        return upper

    def of_step(self, scheme: Livens | RungeKutta, h: float) -> tuple[Array, Array]:
        """A and B of a step."""
        signals = self.space.compiled.signals(h)
        first = {id(one.owner): one.first for one in signals.motors} | {id(x.owner): x.first for x in signals.loads}
        columns = [first[id(thing)] + part for thing, part in self.inputs.sources]
        mapped = Segment(self.space, scheme, h, 1, columns)(self.state, self.t)
        return mapped.A, mapped.B

    def step(self, x: Array, scheme: Scheme, h: float) -> Array:
        """(q, v) after one step."""
        state = self.space.damped_state(x[: self.m], x[self.m :], self.t)
        state = with_memory(state, scheme.memory(self.space.compiled.system))
        run = Run(self.space.compiled, scheme, h, self.t, 1, empty_record(state, 2))
        run.go(state, 0, 1, Progress("", 1, show=False))
        return np.concatenate(self.space.read(state))

    def input_forces(self) -> Array:
        """Generalised force per unit of each input (m, inputs)."""
        columns = [np.zeros((0, self.m))]
        for thing, part in self.inputs.sources:
            motor, load = _motor(thing), _load(thing)
            if motor is not None:
                columns.append(self.space.rate_map(self.state)[[self.number[id(motor.coordinate)]]])
            elif load is not None:
                b, axes = self.space.compiled.number[load.point.body], self.space.compiled.system.bodies.axes
                R = self.state.B[b] @ axes[b].T
                R = R if load.axes == "body" else np.eye(3)
                moves, turns = (
                    self.space.jacobian(load.point, self.state),
                    self.space.jacobian(load.point.body, self.state)[3:],
                )
                columns.append(np.concatenate([R.T @ moves, R.T @ turns])[[part]])
        return np.concatenate(columns).T

    def outputs(self, given: Sequence[Any] | None) -> Iterator[tuple[list[str], Output]]:
        """The names of the numbers of every output with their units, and its exact derivative or, where that is not
        known, its function of a motion of one state; the unit of a function is not known."""
        space, model = self.space.space, self.space.compiled.model
        if given is None:
            for k in space.independent.tolist():
                yield [with_unit(space.every[k].name, space.every[k].unit)], CoordinateOutput((k,))
            return
        for x in given:
            thing = model.find(x) or x
            if isinstance(thing, Thing) and thing.coordinates:
                some = tuple(self.number.get(id(q), -1) for q in thing.coordinates)
                read: Output = CoordinateOutput(some) if min(some) >= 0 else partial(_coordinate, thing.name)
                yield [with_unit(q.name, q.unit) for q in thing.coordinates], read
            elif isinstance(thing, Point | Body):
                name = thing.name if isinstance(thing, Body) else f"point of {thing.body.name}"
                place = thing if isinstance(thing, Point) else thing.point(0.0, 0.0, 0.0)
                yield [with_unit(f"{name}.{part}", "m") for part in "xyz"], PointOutput(place)
            elif callable(thing):
                name = thing.__name__.replace("<lambda>", "output") if isfunction(thing) else "output"
                yield [name], partial(_value, thing)
            elif isinstance(x, str):
                _ = model[x]  # an error that names the nearest
                raise ModelError(
                    f"{x!r} has no coordinate: an output is a joint with one, a point, a body or a function."
                )
            else:
                raise ModelError(f"an output is a joint with a coordinate, a point, a body or a function, not {x!r}.")

    def now(self, x: Array) -> Trajectory:
        """The motion of one state at (q, v)."""
        return self.space.forward_kinematics(x[: self.m], x[self.m :], self.t)

    def _refuse_parts(self) -> None:
        for k in self.rotations.parts:
            if self.q[k] != 0.0 or self.v[k] != 0.0:
                raise ModelError(
                    f"{self.space.names[k]} is part of a rotation vector that a loop constrains; away from its start "
                    "and from rest such a model can be linearized with outputs that are points, bodies or other "
                    "coordinates only, and for steps of lv.Livens or lv.RungeKutta."
                )

    # ── differences ──

    def derivative(self, f: Callable[[Array], Array]) -> Array:
        """∂f/∂x at the state, column by column."""
        self._refuse_parts()
        fastest = max(float(np.abs(self.v / self.unit).max(initial=0.0)), 1.0)
        scale = np.concatenate([self.unit, self.unit * fastest])

        def along(k: int, e: float) -> Array:
            by = np.zeros(2 * self.m)
            by[k] = 1.0
            return _difference(lambda s: f(self.rotations.moved(self.x, s * by)), e * scale[k])

        return np.stack([_best([along(k, e) for e in SPACINGS]) for k in range(2 * self.m)], axis=1)

    def derivative_of_inputs(self, M: Array, scheme: Scheme, h: float, end: Array) -> Array:
        """The derivative of a step with respect to the inputs (2m, inputs)."""
        force = self.input_forces()
        columns = [np.zeros((0, 2 * self.m))]

        def along(k: int, e: float) -> Array:
            def step(u: float) -> Array:
                self.inputs.u[k] = u
                return self.rotations.difference(self.step(self.x, scheme, h), end)

            return _difference(step, e)

        for k in range(len(self.inputs.u)):
            size = float(np.abs(M).max()) / max(float(np.abs(force[:, k]).max()), 1e-300)
            columns.append(_best([along(k, e * size) for e in SPACINGS])[None])
            self.inputs.u[k] = 0.0
        return np.concatenate(columns).T


def _difference(f: Callable[[float], Array], e: float) -> Array:
    """f′(0) with the spacing e."""
    parts = [weight * (f(n * e) - f(-n * e)) / e for n, weight in STENCIL]
    return np.asarray(sum(parts[1:], parts[0]))


def _best(tries: list[Array]) -> Array:
    """The first of the two neighbouring results that agree best."""
    gaps = [float(np.abs(one - two).max(initial=0.0)) for one, two in pairwise(tries)]
    return tries[int(np.argmin(gaps))]


def _composed(outer: Callable[[Trajectory], Array], inner: Callable[[Array], Trajectory]) -> Callable[[Array], Array]:
    return lambda x: outer(inner(x))


def _coordinate(joint: str, now: Trajectory) -> Array:
    return np.ravel(now.coordinate(joint))


def _value(function: Callable[[Trajectory], Any], now: Trajectory) -> Array:
    return np.ravel(function(now)).astype(np.float64)


def _distinct(name: str, names: Sequence[str]) -> str:
    """A name that is not among others: the same with a number, if it is."""
    free = (f"{name} {k}" for k in count(2))
    return name if name not in names else next(one for one in free if one not in names)


def _motor(thing: Thing) -> CoordinateMotor | None:
    return next((term for term in thing.terms() if isinstance(term, CoordinateMotor)), None)


def _controlled(thing: Thing) -> bool:
    """True for the motors and loads of controllers, which exert nothing."""
    return any(x is not None and x.rate is not None for x in (_motor(thing), _load(thing)))


def _load(thing: Thing) -> PointLoad | None:
    return next((term for term in thing.terms() if isinstance(term, PointLoad)), None)


def _state(space: JointSpace, model: Model, at: Any) -> State:
    """The state of the extended model."""
    mine = space.compiled.state
    if at is None:
        return mine
    if isinstance(at, Trajectory):
        at = at.state
    if not isinstance(at, State):
        return space.state(at)
    if at.a.shape != mine.a.shape:
        raise ModelError(f"a state for model {model.name!r} has {len(mine.a) - 1} bodies, not {len(at.a) - 1}.")
    there = copied(mine._replace(a=at.a, B=at.B, p=at.p, L=at.L))
    known = Compiled.of(model, quiet=True).coordinates if len(at.angle) else ()
    for c, q in enumerate(space.compiled.coordinates):
        there.angle[c] = next((at.angle[k] for k, same in enumerate(known) if same is q), there.angle[c])
    update_coordinates(space.compiled.system.coordinates, there.a, there.B, there.angle)
    if at.half_turns.shape == there.half_turns.shape:
        there.half_turns[:] = at.half_turns
    space.compiled.assembly(there).check_closed(1e-9)
    return there
