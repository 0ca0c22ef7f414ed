"""The adjoint: the derivative of one number of a motion with respect to many things, backwards in time.

The stored states x_0 … x_K of a motion are checkpoints. From each the steps to the next one are computed again with
their exact derivative Φ_k (tangent_steps.py), for unit changes of the poses and momenta of all bodies. For the number

    J = of(x_K) + Σ_k running(x_k),      λ_K = ∇of + ∇running_K,      λ_k = Φ_kᵀ λ_{k+1} + ∇running_k,               (1)

the adjoint λ_k is the derivative of J with respect to x_k. What acts between two stored states, an input u_k or a
parameter θ, changes x_{k+1} by B_k δu_k + P_k δθ at fixed x_k, so that

    dJ/du_k = B_kᵀ λ_{k+1},        dJ/dθ = ∂J/∂θ + λ_0·∂x_0/∂θ + Σ_k P_kᵀ λ_{k+1}.                                   (2)

Memory is that of the motion and of one interval: store √n of n states (`every`), and it grows as √n. The cost of λ does
not depend on what is differentiated; every input and parameter adds one column, of all intervals together. Gradients of
`of` and `running` are differences of these functions alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.states import copied, empty_record, selected
from ..compile.structure import with_members
from ..describe.thing import Thing
from ..errors import ModelError, StepFailed
from ..kernels import status
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from ..run.loop import Run
from ..step import tangent as kernel
from ..step.livens import Livens
from ..step.tangent_sources import NODE_STEPS, NODES
from .moved_states import SMALL, derivative, moved, numbers_of, refuse_not_numbers, sizes_of_changes
from .parameter_nodes import ParameterNodes, nodes_of
from .tangent_run import placing, refuse, start_changes
from .tangent_steps import TangentSteps

Number = Callable[[Trajectory], Any]


def adjoint(motion: Trajectory, of: Number | None = None, running: Number | None = None) -> Adjoint:
    """The derivative of one number of a motion with respect to its start, inputs and parameters, backwards in time.

    The number is of(now) at the last state plus the sum of running(now) over all stored states; `now` is a motion of
    one state. `motion` must be one of `lv.Livens` or `lv.RungeKutta`, as for `motion.tangent()`.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> cart = m.add(lv.Body(lv.Box(1, 1, 1, mass=2.0), name="cart"))
    >>> rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=(1, 0, 0), name="rail"))
    >>> push = m.add(lv.Motor(rail, 0.0, name="push"))
    >>> motion = lv.simulate(m, h=0.01, until=1.0, every=50)
    >>> back = lv.adjoint(motion, of=lambda now: now.coordinate("rail")[0])
    >>> back.start.round(9), back.inputs(["push"])[:, 0].round(9)  # x + v t; a force for half a second
    (array([1., 1.]), array([0.1875, 0.0625]))
    """
    if not isinstance(motion, Trajectory):
        raise ModelError(f"an adjoint is that of a motion, such as lv.simulate gives, not of {motion!r}.")
    if not (callable(of) or callable(running)):
        raise ModelError("give of, a function of the last state, or running, a function of every stored state.")
    refuse(motion, backwards=True)
    return Adjoint(motion, of, running)


class Adjoint:
    """What `lv.adjoint` returns: derivatives of a number J.

    `changes` (stored times, 2, bodies, 6): the derivative of J with respect to the state at each stored time, per
    change of the position [1/m] and small rotation about world axes [1/rad] of each body, then of its momenta.
    """

    def __init__(self, motion: Trajectory, of: Number | None, running: Number | None):
        self.motion, self.of, self.running = motion, of, running
        last, n = len(motion) - 1, motion.record.a.shape[1]
        unit = np.zeros((2 * n, 6, 12 * (n - 1)))  # the world does not move
        rows = np.r_[6 : 6 * n, 6 * n + 6 : 12 * n]
        unit.reshape(12 * n, -1)[rows] = np.eye(12 * (n - 1))
        unit = unit.reshape(2, 6 * n, -1)
        interval = Interval(motion, unit.shape[2])
        self.changes = np.zeros((last + 1, 2, n, 6))
        self.changes[last] = self._slopes(of, last) + self._slopes(running, last)
        for k in range(last - 1, -1, -1):
            end = interval.carry(k, unit, interval.damper_forces(k, unit))
            back = np.einsum("irm,ir->m", end, self.changes[k + 1].reshape(2, 6 * n))
            flat = np.zeros(12 * n)
            flat[rows] = back
            self.changes[k] = flat.reshape(2, n, 6) + self._slopes(running, k)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of `start` with their units, as those of `motion.tangent()`."""
        return self._start.names

    @property
    def start(self) -> Array:
        """dJ with respect to joint coordinates and rates at the start, in the order of `names` (m,)."""
        begin = self._start
        return np.asarray(np.einsum("bi,bim->m", self.changes[0, 0], begin.dq) + np.einsum(
            "bi,bim->m", self.changes[0, 1], begin.dp
        ))  # fmt: skip

    @cached_property
    def _start(self) -> Any:
        return start_changes(self.motion)[0]

    def inputs(self, inputs: Sequence[Thing | str]) -> Array:
        """dJ per unit of an effort that is added between two stored times, on motors of the model [1/N or 1/N m]; per
        unit of a factor that multiplies a constant load; and, for joints with a prescribed motion, per unit of an
        acceleration that is added to it between two stored times [s²/m or s²/rad], after which it goes on with the rate
        that it has: (stored times − 1, inputs)."""
        if isinstance(inputs, str | Thing) or not isinstance(inputs, Sequence):
            raise ModelError(f"inputs of an adjoint are a list, such as [{inputs!r}].")
        if not inputs:
            return np.zeros((len(self.motion) - 1, 0))
        every = [self._shapes(thing) for thing in inputs]
        shapes = [shape for some in every for shape in some]
        interval = Interval(self.motion, len(shapes), InputNodes(self.motion, shapes))
        still = np.zeros((2, 6 * self.changes.shape[2], len(shapes)))
        found = [
            np.einsum("irm,ir->m", interval.carry(k, still, None), self.changes[k + 1].reshape(2, -1))
            for k in range(len(self.motion) - 1)
        ]
        columns, first = [], 0
        for some in every:
            columns.append(self._total(np.array(found).reshape(-1, len(shapes))[:, first : first + len(some)]))
            first += len(some)
        return np.stack(columns, axis=1)

    def parameters(self, wrt: Sequence[str]) -> Array:
        """dJ with respect to numbers of the model by their names, as for `lv.sensitivity`, or to "h", the length of the
        steps (k,)."""
        found = np.zeros(len(wrt))
        for some, same, nodes in nodes_of(self.motion, wrt):
            found[some] = self._by_parameters(same, nodes)
        return found

    # ── inside ──

    def _by_parameters(self, motion: Trajectory, nodes: ParameterNodes) -> Array:
        """The same for the parameters of some nodes, with the motion in their principal axes."""
        interval = Interval(motion, len(nodes.names), nodes)
        begin = nodes.start(placing(motion.compiled, copied(selected(motion.record, 0))))
        total = np.einsum("bi,bim->m", self.changes[0, 0], begin.dq)
        total += np.einsum("bi,bim->m", self.changes[0, 1], begin.dp)
        still = np.zeros((2, 6 * self.changes.shape[2], len(nodes.names)))
        for k in range(len(motion) - 1):
            mu = interval.damper_slopes(k)
            total += np.einsum("irm,ir->m", interval.carry(k, still, mu), self.changes[k + 1].reshape(2, -1))
        total += nodes.derivative(partial(self._at_fixed_states, motion))
        return np.asarray(total + (nodes.rate * self._later() if nodes.rate.any() else 0.0))

    def _at_fixed_states(self, motion: Trajectory, compiled: Compiled) -> float:
        """J of the stored states of a motion, in another model of the same structure."""
        total = 0.0
        for function, some in ((self.of, [len(motion) - 1]), (self.running, range(len(motion)))):
            if function is not None:
                for k in some:
                    one = motion[k : k + 1]
                    total += _number(function(moved(one, compiled, 0.0, np.zeros((1, *self.changes.shape[1:])))))
        return total

    def _later(self) -> float:
        """The change of J at fixed states if all times grow in proportion, per unit."""
        motion, total, d = self.motion, 0.0, SMALL * self.motion.h
        still = np.zeros((1, *self.changes.shape[1:]))
        for function, some in ((self.of, [len(motion) - 1]), (self.running, range(len(motion)))):
            if function is None:
                continue
            for k in some:
                at = partial(self._value, function, k, still, 0.0)
                total += float(derivative(at, d, motion.h) * (motion.t[k] - motion.t[0]))
        return total

    def _slopes(self, function: Number | None, k: int) -> Array:
        """The gradient of a function of the state k (2, n, 6)."""
        slopes = np.zeros(self.changes.shape[1:])
        if function is None:
            return slopes
        sizes = self._sizes
        for place in np.ndindex(*slopes.shape):
            if place[1] == 0 or sizes[place] == 0.0:
                continue
            change = np.zeros((1, *slopes.shape))
            change[0][place] = sizes[place]
            at = lambda c, change=change: self._value(function, k, change, c)  # noqa: E731
            slopes[place] = derivative(at, SMALL, 1.0) / sizes[place]
        refuse_not_numbers(slopes, lambda: np.full(slopes.shape, _number(function(self.motion[k : k + 1]))))
        return slopes

    def _value(self, function: Number, k: int, change: Array, c: float, longer: float = 0.0) -> Array:
        """A function of the state k, moved by c times a change, at a later time."""
        return np.asarray(_number(function(moved(self.motion[k : k + 1], self.motion.compiled, c, change, longer))))

    @cached_property
    def _sizes(self) -> Array:
        return sizes_of_changes(self.motion)

    def _shapes(self, thing: Thing | str) -> list[Shape]:
        """What an input adds to the signals between two stored times, per unit: one shape; for a prescribed motion,
        those of an acceleration, a rate and a displacement from the first time on."""
        mine, signals = self.motion.own(thing), self.motion.compiled.signals(self.motion.h)
        for motor in signals.motors:
            if motor.owner is mine:
                return [Shape(motor.first, motor.unit)]
        for load in signals.loads:
            if load.owner is mine and not load.term.varies:
                return [Shape(load.first, load.unit)]
        for drive in signals.drives:
            if drive.owner is mine:
                return [Shape(drive.first, np.ones(3), power) for power in (2, 1, 0)]
        raise ModelError(
            f"an input of an adjoint is a motor, a constant load or a joint with a prescribed motion of the model, not "
            f"{thing!r}."
        )

    def _total(self, parts: Array) -> Array:
        """The derivatives for all intervals from those of the shapes of an input. An acceleration in one interval, T
        long, leaves the rate T and, at a later time t, the displacement T (t − its middle)."""
        if parts.shape[1] == 1:
            return parts[:, 0]
        t = self.motion.t
        T, middle, later = np.diff(t), 0.5 * (t[1:] + t[:-1]), np.tril(np.ones((len(parts), len(parts))), -1)
        apart = t[:-1, None] - middle  # from the middle of an interval to the start of another one
        return np.asarray(parts[:, 0] + T * (parts[:, 1] @ later + parts[:, 2] @ (later * apart)))


class Shape(NamedTuple):
    """What an input adds to some columns of the signals, per unit: constants, or, with a power n, sⁿ/n! to a prescribed
    motion and its derivatives to its rate and acceleration, with the time s since the start of the interval."""

    first: int
    unit: Array
    power: int = -1

    def columns(self, t: Array) -> Array:
        """The columns at the times t [s], of which the first is the start (len(t), columns)."""
        if self.power < 0:
            return np.tile(self.unit, (len(t), 1))
        s = t - t[0]
        return np.stack(
            [s**n / max(n, 1) if n >= 0 else 0.0 * s for n in range(self.power, self.power - 3, -1)], axis=1
        )


class InputNodes:
    """Signals with each input changed, as ParameterNodes has them for parameters."""

    def __init__(self, motion: Trajectory, shapes: list[Shape]):
        self.shapes = shapes
        size, span = float(np.abs(motion.record.a).max()) or 1.0, motion.h * motion.every
        weight = float(motion.system.bodies.mass.max()) * size
        self.spacing = np.array([weight or 1.0 if one.power < 0 else size / span**one.power for one in shapes])
        self.systems = with_members([motion.system] * (NODES * len(shapes)))
        self.rate = np.zeros(len(shapes))  # none of them is the length of the steps

    def tables(self, h: float, t: Array, mine: Array) -> Array:
        """The signals of all nodes at the times t, and `mine`, those of the run, at the end."""
        tables = np.repeat(mine[None], NODES * len(self.shapes) + 1, axis=0)
        for k, shape in enumerate(self.shapes):
            columns = self.spacing[k] * shape.columns(t)
            for n, c in enumerate(NODE_STEPS):
                tables[NODES * k + n, :, shape.first : shape.first + columns.shape[1]] += c * columns
        return tables


class Interval:
    """The steps between two stored states with m small changes, the last ones caused by `nodes`."""

    def __init__(self, motion: Trajectory, columns: int, nodes: InputNodes | ParameterNodes | None = None):
        self.motion, self.nodes, self.system = motion, nodes, motion.system
        record = empty_record(selected(motion.record, 0), 1)
        self.run = Run(motion.compiled, motion.scheme, motion.h, float(motion.t[0]), motion.every, record)
        parameters, systems = (0, None) if nodes is None else (columns, nodes.systems)
        self.steps = TangentSteps(self.run, columns, parameters, systems)
        self.tangent = self.steps.tangent
        self.out = np.zeros((2, 2, *self.tangent.dq.shape))
        self.damped = self.system.damped and isinstance(motion.scheme, Livens)  # multipliers of dampers are part of x_k

    def _start(self, k: int) -> tuple[State, int]:
        """State number k, and its step; forces and factors are those there."""
        state, first = copied(selected(self.motion.record, k)), min(k * self.motion.every, self.motion.steps)
        self.steps.prepare(state, self.run.signals(first, 0))
        return state, first

    def damper_forces(self, k: int, changes: Array) -> Array | None:
        """The changes of the multipliers of dampers at the stored state k (rows, m)."""
        if not self.damped:
            return None
        state, first = self._start(k)
        tangent = self.tangent
        tangent.dq[:], tangent.dp[:] = 0.0, 0.0
        signals = self.run.signals(first, 0)
        kernel.project_start(self.system, state, self.steps.work, tangent, signals)  # V1 and R there
        blocks, rates = self.system.blocks, np.zeros((len(self.system.rows.rate), changes.shape[2]))
        for J in range(len(blocks.soft)):
            row, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
            for s in range(blocks.side[J], blocks.side[J + 1]):
                b, e = 6 * blocks.side_body[s], blocks.side_entry[s]
                rates[row : row + n] += tangent.V1[e : e + n] @ changes[1, b : b + 6]
                rates[row : row + n] += tangent.R[e : e + n] @ changes[0, b : b + 6]
        return -self.system.rows.rate[:, None] * rates

    def damper_slopes(self, k: int) -> Array | None:
        """∂μ/∂θ of the multipliers μ = −c G v of dampers at the stored state k, fixed (rows, parameters)."""
        if not self.damped or not isinstance(self.nodes, ParameterNodes):
            return None
        state = copied(selected(self.motion.record, k))

        def multipliers(one: Compiled) -> Array:
            bodies, fit = one.system.bodies, one.assembly(copied(state))
            fit.evaluate_jacobian()
            rates = np.concatenate([bodies.inverse_mass[:, None] * state.p, bodies.inverse_inertia * state.L], axis=1)
            found = -one.system.rows.rate * (fit.jacobian() @ rates.ravel())
            found[one.system.rows.rate == 0.0] = 0.0
            return np.asarray(found)

        return self.nodes.derivative(multipliers)

    def carry(self, k: int, changes: Array, mu: Array | None) -> Array:
        """The changes (2, 6n, m) at the stored state k + 1 from those at k; mu: of the multipliers of dampers at k."""
        motion, tangent, nodes = self.motion, self.tangent, self.nodes
        state, first = self._start(k)
        steps = min(motion.every, motion.steps - first)
        tangent.dq[:], tangent.dp[:] = changes
        tangent.mu[:] = 0.0 if mu is None else mu
        signals = self.run.signals(first, steps)
        if nodes is None:
            code, taken = self.steps.take(state, signals[None], 0, steps, steps, self.out)
        else:
            tables = nodes.tables(motion.h, self.run.times(first, steps), signals)
            code, taken = self.steps.take(state, tables, 0, steps, steps, self.out, nodes.spacing, nodes.rate)
        if code != status.OK:
            t = motion.t[k] + taken * motion.h
            raise StepFailed(f"the adjoint could not be carried beyond t = {t:.6g} s: try a smaller h.", motion)
        if tangent.lost[0]:
            raise ModelError(
                f"after t = {motion.t[k]:.6g} s the mechanism stands in a singular position, where its motion is not a "
                "smooth function of its start: start it elsewhere, or shorten the run."
            )
        return self.out[1]


def _number(given: Any) -> float:
    value = numbers_of(given, "the function of a state")
    if value.size != 1:
        raise ModelError(f"the function of a state must give one number, not an array {value.shape}.")
    return float(value.reshape(()))
