"""The derivatives of a model about a state.

With x = (q, v), inputs u (efforts, loads, accelerations of prescribed motions; linear_inputs.py) and outputs y,

    v̇ = M⁻¹ (Q₀ + B_Q u − b(q, v))            δẋ = A δx + B u,    δy = C δx + D u                              (1)

Small rotations of balls and free bodies are counted from the motion itself, R = exp(δθ) R*(t) in the axes of the first
body, so that steady rotations have constant matrices:

    δq̇ = δv,      δθ̇ = δω + ω* × δθ.                                                                        (2)

A is exact (rates_of_changes.py). A coordinate whose acceleration u is an input has the effort λ that gives it: with S
the columns of M⁻¹ of these coordinates, and d their rows,

    δλ = S_d⁻¹ (u − A_d δx − B_d δu)     in     δẋ = A δx + B δu + S δλ.                                            (3)

Of a step of length h (`h=`), A and B are the derivatives of that step, with inputs held: exact for `lv.Livens` and
`lv.RungeKutta` (segment.py). For other schemes, and where the motion of a joint is an input, they are differences
(linear_steps.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.states import as_record, copied, empty_record
from ..errors import ModelError
from ..kernels.arrays import State
from ..kernels.coordinates import update_coordinates
from ..record.trajectory import Trajectory
from ..run.loop import Run, with_memory
from ..run.progress import Progress
from ..step import Livens, Scheme
from ..step.runge_kutta import RungeKutta
from .joint_space import JointSpace
from .linear_inputs import Inputs, load_of, motor_of
from .linear_outputs import Place, output_matrices
from .linear_steps import step_matrices
from .linear_system import LinearSystem
from .moved_states import size_of
from .rates_of_changes import RatesOfChanges
from .rotation_coordinates import RotationCoordinates
from .segment import Segment

STILL = 1e-9  # a rate that counts as none, in parts of its size


class Linearisation:
    """The derivatives (1) about a state."""

    def __init__(self, space: JointSpace, inputs: Inputs, state: State, t: float, h: float | None):
        self.space, self.inputs, self.t, self.h = space, inputs, t, h
        self.q, self.v = space.read(state)
        self.m, self.x = len(self.q), np.concatenate([self.q, self.v])
        self.number = {id(one.q): k for k, one in enumerate(space.space.every)}
        self.driven = Compiled.of(inputs.driven, quiet=True) if inputs.prescribed else space.compiled
        if inputs.prescribed:
            self._hold(state)
        self.rotations, self.state = RotationCoordinates(space), self._moving(state)
        self.M, _ = space.equations(self.state, t=t)
        self.exact = RatesOfChanges(space, self.state, t)
        force = self.input_forces(self.state)
        self.B = np.concatenate([np.zeros_like(force), np.linalg.solve(self.M, force)])
        self.sizes, self.efforts = self._sizes()
        self._refuse_rolling()

    def system(self, outputs: Sequence[Any] | None, scheme: Scheme) -> LinearSystem:
        """The matrices."""
        h, inputs = self.h, self.inputs
        if h is None or not self.m:
            A, B = self.exact.A.copy(), self.B.copy()
            simple = np.setdiff1d(np.arange(self.m), self.rotations.parts)
            A[simple] = self.kinematics()[simple]
            A, B = self._accelerated(A, B)
        elif self._has_tangent(scheme) and not inputs.prescribed:
            A, B = self.of_step(scheme, h)
        else:
            self._refuse_parts()
            step = partial(self.step, scheme, h)
            A, B = step_matrices(step, self.rotations, self.x, inputs, self.sizes, self.efforts)
        place = Place(self.exact, inputs, self.driven, self._now, self.sizes, self.efforts)
        names, C, D = output_matrices(place, outputs)
        return LinearSystem(self.space, self.q, self.M, (A, B, C, D), inputs.names, names, h)

    def _has_tangent(self, scheme: Scheme) -> TypeGuard[Livens | RungeKutta]:
        """True if steps of a scheme have exact derivatives: without contact, and of one length."""
        smooth = not self.space.compiled.system.contacts.capacity and not scheme.adaptive
        return isinstance(scheme, Livens | RungeKutta) and smooth

    def _moving(self, state: State) -> State:
        """The state with velocities that the joints allow, and the forces of its dampers."""
        fit = self.space.compiled.assembly(copied(state), self.t)
        fit.project_velocities()
        return fit.state

    def _sizes(self) -> tuple[Array, Array]:
        """Sizes of changes of x: 1 rad, or the size of the mechanism, and of rates with the fastest rate of the motion
        and of its small changes (that of the steps if there is none); of inputs: what accelerates as much."""
        m, length = self.m, size_of(self.space.compiled.system, self.state.a)
        unit = np.where([unit == "rad" for unit in self.space.units], 1.0, length)
        A = self.exact.A / np.tile(unit, 2)[:, None] * np.tile(unit, 2)
        stiff, damped = (float(np.abs(part).max(initial=0.0)) for part in (A[m:, :m], A[m:, m:]))
        turning = float(np.abs(self.v / unit).max(initial=0.0))
        fastest = max(turning, np.sqrt(stiff), damped) or (1.0 if self.h is None else 1.0 / self.h)
        acceleration, efforts = unit * fastest**2, np.ones(len(self.inputs.names))
        for k, column in enumerate(np.abs(self.B[m:]).T):
            if column.any():
                efforts[k] = float((acceleration[column > 0.0] / column[column > 0.0]).min())
        for one, d in zip(self.inputs.prescribed, self._prescribed(), strict=True):
            efforts[one.number] = acceleration[d]
        return np.concatenate([unit, unit * fastest]), efforts

    def _refuse_rolling(self) -> None:
        """Raise a ModelError for a model that rolls, in motion: the changes of its positions have more freedoms than
        those of its velocities then. At rest both have those of the coordinates."""
        if self.space.compiled.system.rolls and np.any(np.abs(self.v) > STILL * self.sizes[self.m :]):
            raise ModelError(
                f"model {self.space.compiled.model.name!r} rolls: in motion its small changes have no minimal "
                "coordinates. Linearize it at rest, or take the tangent of its motion, motion.tangent()."
            )

    def _now(self) -> Trajectory:
        """The motion of this state alone."""
        record = as_record(carried(self.state, self.space.compiled, self.driven))
        return Trajectory(self.driven, Livens(), self.h or 1.0, 1, np.array([self.t]), record, 0, 0.0)

    # ── prescribed motions ──

    def _hold(self, state: State) -> None:
        """Set the efforts that give the accelerations of the prescribed motions that are inputs, and these motions to
        the state."""
        space, inputs = self.space, self.inputs
        d = self._prescribed()
        M, b = space.equations(state, t=self.t)
        signals = space.compiled.signals(1.0)
        table, efforts = signals.table(np.array([self.t]))[0], np.zeros(self.m)
        rates = space.rate_map(state)
        for motor in signals.motors:
            efforts += table[motor.first] * rates[self.number[id(motor.term.coordinate)]]
        now = np.array([[f(self.t) for f in self._derivatives(one.motion)] for one in inputs.prescribed])
        S = np.linalg.solve(M, np.eye(self.m)[:, d])
        inputs.hold[:] = np.linalg.solve(S[d], now[:, 2] - np.linalg.solve(M, efforts - b)[d])
        inputs.begin(self.t, np.stack([self.q[d] - now[:, 0], self.v[d] - now[:, 1]], axis=1))

    def _derivatives(self, motion: Any) -> tuple[Any, Any, Any]:
        rate = motion.derivative()
        return motion, rate, rate.derivative()

    def _prescribed(self) -> NDArray[np.intp]:
        """Numbers of the prescribed coordinates that are inputs, among the independent ones."""
        independent = self.space.space.independent.tolist()
        places = [self.number[id(one.q)] for one in self.inputs.prescribed]
        for one, place in zip(self.inputs.prescribed, places, strict=True):
            if place not in independent:
                raise ModelError(
                    f"the prescribed motion of {one.q.name!r} is no independent input: it follows from the other "
                    f"coordinates, {', '.join(self.space.names)}."
                )
        return np.array([independent.index(place) for place in places], dtype=np.intp)

    def _accelerated(self, A: Array, B: Array) -> tuple[Array, Array]:
        """A and B with (3)."""
        if not self.inputs.prescribed:
            return A, B
        d = self.m + self._prescribed()
        mine = [one.number for one in self.inputs.prescribed]
        others = np.setdiff1d(np.arange(B.shape[1]), mine)
        gain = np.linalg.solve(B[d][:, mine].T, B[:, mine].T).T
        A, new = A - gain @ A[d], np.zeros_like(B)
        new[:, mine], new[:, others] = gain, B[:, others] - gain @ B[d][:, others]
        A[d], new[d] = 0.0, 0.0
        new[d, mine] = 1.0
        return A, new

    # ── exact derivatives ──

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

    def input_forces(self, state: State) -> Array:
        """Generalised force per unit of each input (m, inputs); of prescribed motions, per unit of their effort."""
        columns = [np.zeros((0, self.m))]
        for thing, part in self.inputs.sources:
            motor, load = motor_of(thing), load_of(thing)
            if motor is not None:
                columns.append(self.space.rate_map(state)[[self.number[id(motor.coordinate)]]])
            elif load is not None:
                b, axes = self.space.compiled.number[load.point.body], self.space.compiled.system.bodies.axes
                R = state.B[b] @ axes[b].T
                R = R if load.axes == "body" else np.eye(3)
                moves, turns = (
                    self.space.jacobian(load.point, state),
                    self.space.jacobian(load.point.body, state)[3:],
                )
                columns.append(np.concatenate([R.T @ moves, R.T @ turns])[[part]])
        return np.concatenate(columns).T

    def step(self, scheme: Scheme, h: float, x: Array) -> Array:
        """(q, v) after one step from x."""
        space, driven = self.space, self.driven
        state = carried(space.state(x[: self.m], x[self.m :]), space.compiled, driven)
        d = self._prescribed()
        with self.inputs.begun(np.stack([x[d] - self.q[d], (x - self.x)[self.m + d]], axis=1)):
            if driven.system.damped:
                fit = driven.assembly(state, self.t)
                fit.project_velocities()
                state = fit.state
            state = with_memory(state, scheme.memory(driven.system))
            run = Run(driven, scheme, h, self.t, 1, empty_record(state, 2))
            run.go(state, 0, 1, Progress("", 1, show=False))
        return np.concatenate(space.read(carried(state, driven, space.compiled)))

    def _refuse_parts(self) -> None:
        for k in self.rotations.parts:
            if self.q[k] != 0.0 or self.v[k] != 0.0:
                raise ModelError(
                    f"{self.space.names[k]} is part of a rotation vector that a loop constrains; away from its start "
                    "and from rest the steps of such a model can be linearized for lv.Livens or lv.RungeKutta only, "
                    "without prescribed motions as inputs."
                )


def carried(state: State, source: Compiled, target: Compiled) -> State:
    """The state of a model for another one with the same bodies and coordinates."""
    if source is target:
        return state
    mine = target.state
    there = copied(mine._replace(a=state.a, B=state.B, p=state.p, L=state.L))
    for new, theirs, their, ours in (
        (there.angle, state.angle, source.coordinates, target.coordinates),
        (there.half_turns, state.half_turns, source.dials, target.dials),
    ):
        known = {id(q): k for k, q in enumerate(their)}
        for k, q in enumerate(ours):
            new[k] = theirs[known[id(q)]] if id(q) in known else new[k]
    update_coordinates(target.system.coordinates, there.a, there.B, there.angle)
    return there
