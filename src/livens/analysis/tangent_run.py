"""The run of tangents: a motion is computed again, and small changes of its start are carried along (step/tangent.py).

Columns are m independent changes of the start. At the start they satisfy the joints: G δq = 0, G M⁻¹δp + R δq = 0. In
joint coordinates they are unit changes of q and v (compile/joint_space.py), rotations by small angles about the axes of
the first body. Where the model has no joint coordinates (rolling), they are an orthonormal basis in the metric of the
masses: positions first, then velocities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.states import copied, empty_record, selected
from ..compile.system import inverse_masses, scratch
from ..errors import ModelError, StepFailed
from ..kernels import status
from ..kernels.arrays import State
from ..kernels.kinds import VELOCITY_ONLY
from ..record.trajectory import Trajectory
from ..run.loop import Run
from ..step import tangent as kernel
from ..step.livens import Livens
from ..step.runge_kutta import RungeKutta
from .joint_space import JointSpace
from .parameter_nodes import ParameterNodes
from .tangent_readings import coordinate_changes
from .tangent_steps import TangentSteps

CHUNK = 2e7  # numbers of panels that are advanced in one call: about a quarter of a second


class Start(NamedTuple):
    """The columns at the start: changes of poses and momenta, world axes, and their names with units."""

    dq: Array  # (n, 6, m)
    dp: Array  # (n, 6, m)
    names: tuple[str, ...]
    space: JointSpace | None  # the joint coordinates that they are unit changes of


def refuse(motion: Trajectory, backwards: bool = False) -> None:
    """Raise a ModelError if tangents of this motion, or its adjoint, cannot be computed."""
    name = f"the {'adjoint' if backwards else 'tangent'} of this motion of {motion.model.name!r}"
    if not isinstance(motion.scheme, Livens | RungeKutta):
        raise ModelError(
            f"{name} needs the scheme lv.Livens (order 2, 4 or 6) or lv.RungeKutta (order 4 or 8, or with a "
            f"tolerance), whose steps have exact derivatives, not {motion.scheme!r}: simulate it with lv.Livens."
        )
    if motion.system.contacts.capacity:
        raise ModelError(f"{name} does not exist: contacts make it jump. Remove them, or use finite differences.")
    if len(motion.phases) > 1 or len(motion.events):
        raise ModelError(f"{name} is not computed through events: simulate it without them.")
    if motion.compiled.signals(motion.h).controlled:
        raise ModelError(
            f"{name} is not computed with controllers, whose derivative is unknown: give their efforts as functions of "
            "time, or linearize the model and close the loop with the gain."
        )


def start_columns(compiled: Compiled, state: State) -> Start:
    """A basis of the changes of `state` that the joints allow."""
    try:
        space = JointSpace(compiled, driven=True)
        if compiled.system.rolls:
            raise ModelError("no joint coordinates where bodies roll")
    except ModelError:
        return _basis(compiled, state)
    return joint_columns(space, state)


def joint_columns(space: JointSpace, state: State) -> Start:
    """Unit changes of the joint coordinates and their rates, before the momenta are projected."""
    Z, B = space.velocity_map(state)
    n, m = Z.shape[1], Z.shape[0]
    moves = np.zeros((n, 6, m))
    moves[:, :3] = Z[:, :, :3].transpose(1, 2, 0)
    moves[:, 3:] = np.einsum("bij,kbj->bik", B, Z[:, :, 3:])
    names = tuple(f"{name} [{unit}]" for name, unit in zip(space.names, space.units, strict=True))
    rates = tuple(f"rate of {name} [{unit}/s]" for name, unit in zip(space.names, space.units, strict=True))
    still = np.zeros_like(moves)
    pushes = momentum_of(space.compiled, B, moves)
    return Start(
        np.concatenate([moves, still], axis=2), np.concatenate([still, pushes], axis=2), (*names, *rates), space
    )


def momentum_of(compiled: Compiled, B: Array, moves: Array) -> Array:
    """Momenta of velocities in world axes (n, 6, m)."""
    bodies = compiled.system.bodies
    J = np.where(bodies.inverse_inertia > 0.0, bodies.inertia, 0.0)
    inertia = np.einsum("bij,bj,bkj->bik", B, J, B)
    pushes = np.zeros_like(moves)
    pushes[:, :3] = bodies.mass[:, None, None] * moves[:, :3]
    pushes[:, 3:] = np.einsum("bij,bjm->bim", inertia, moves[:, 3:])
    return pushes


def _basis(compiled: Compiled, state: State) -> Start:
    """An orthonormal basis of the allowed changes of positions, and of velocities."""
    system = compiled.system
    fit = compiled.assembly(copied(state))
    fit.evaluate_jacobian()
    G, kinds = fit.jacobian(), system.rows.kind
    root = np.sqrt(inverse_masses(system.bodies))
    places = _null_space(G[(kinds < VELOCITY_ONLY) & (system.rows.rate == 0.0)] * root, root)
    speeds = _null_space(G[system.rows.rate == 0.0] * root, root)
    n = len(state.a)
    both = []
    for some in (places, speeds):
        moves = (root[:, None] * some).reshape(n, 6, -1)
        moves[:, 3:] = np.einsum("bij,bjm->bim", state.B, moves[:, 3:])
        both.append(moves)
    still = [np.zeros((n, 6, x.shape[2])) for x in both]
    names = [f"position {k}" for k in range(places.shape[1])] + [f"velocity {k}" for k in range(speeds.shape[1])]
    return Start(
        np.concatenate([both[0], still[1]], axis=2),
        np.concatenate([still[0], momentum_of(compiled, state.B, both[1])], axis=2),
        tuple(names),
        None,
    )


def _null_space(A: Array, root: Array) -> Array:
    """An orthonormal basis of the y with A y = 0, without the axes that have no inertia."""
    free = np.flatnonzero(root)
    _, s, W = np.linalg.svd(A[:, free], full_matrices=True)
    rank = int(np.sum(s > 1e-9 * s.max(initial=0.0)))
    N = np.zeros((len(root), len(free) - rank))
    N[free] = W[rank:].T
    return N


def run_tangent(motion: Trajectory) -> tuple[Start, Array]:
    """The columns at the start, and their changes at all stored times (k, 2, n, 6, m): poses, then momenta."""
    begin, course = start_changes(motion)
    return begin, course.go()


def start_changes(motion: Trajectory) -> tuple[Start, Course]:
    """The columns at the start of a motion, and the run that begins with them."""
    refuse(motion)
    state = copied(selected(motion.record, 0))
    begin = start_columns(motion.compiled, state)
    course = Course(motion, state, begin.dq.shape[2])
    course.begin(begin.dq, begin.dp)
    course.project_start()
    if begin.space is not None:
        dq, dp = course.changes
        course.begin(dq, keeping_rates(begin.space, state, dq, dp))
        course.project_start()
    dq, dp = course.changes
    return begin._replace(dq=dq, dp=dp), course


class Course:
    """A motion that is computed again with m small changes, the last ones caused by parameters."""

    def __init__(self, motion: Trajectory, state: State, columns: int, nodes: ParameterNodes | None = None):
        self.motion, self.state, self.nodes, self.system = motion, state, nodes, motion.system
        parameters, systems = (0, None) if nodes is None else (len(nodes.names), nodes.systems)
        record = empty_record(state, 1)
        self.run = Run(motion.compiled, motion.scheme, motion.h, float(motion.t[0]), motion.every, record)
        self.steps = TangentSteps(self.run, columns, parameters, systems)
        self.tangent, self.signals = self.steps.tangent, self.run.signals(0, 0)
        self.steps.prepare(state, self.signals)

    def begin(self, dq: Array, dp: Array) -> None:
        """Set the changes at the start (n, 6, m)."""
        for mine, x in ((self.tangent.dq, dq), (self.tangent.dp, dp)):
            mine[:] = x.reshape(mine.shape)

    @property
    def changes(self) -> tuple[Array, Array]:
        """The present changes of poses and momenta (n, 6, m)."""
        shape = (len(self.state.a), 6, self.tangent.dq.shape[1])
        return self.tangent.dq.reshape(shape).copy(), self.tangent.dp.reshape(shape).copy()

    def project_start(self) -> None:
        """The changes of momenta at the start satisfy the joints."""
        work = scratch(self.system, 0)
        prepare, _ = Livens().kernels(self.system)  # it factors S
        prepare(self.system, copied(self.state), work, self.signals, self.motion.h)
        kernel.project_start(self.system, self.state, work, self.tangent, self.signals)

    def go(self) -> Array:
        """The changes at all stored times (k, 2, n, 6, m)."""
        motion, tangent, nodes = self.motion, self.tangent, self.nodes
        rows, m = tangent.dq.shape
        out = np.zeros((len(motion), 2, rows, m))
        kernel.store(tangent, out[0])
        done, steps, costs = 0, motion.steps, 2 * rows * max(m, 1) * motion.scheme.stages
        chunk = max(1, int(CHUNK / costs))
        while done < steps:
            size = min(chunk, steps - done)
            signals = self.run.signals(done, size)
            if nodes is None:
                code, taken = self.steps.take(self.state, signals[None], done, size, motion.every, out)
            else:
                tables = nodes.tables(motion.h, self.run.times(done, size), signals)
                code, taken = self.steps.take(
                    self.state, tables, done, size, motion.every, out, nodes.spacing, nodes.rate
                )
            done += taken
            if code != status.OK:
                t = motion.t[0] + done * motion.h
                raise StepFailed(f"the tangent could not be carried beyond t = {t:.6g} s: try a smaller h.", motion)
        if steps % motion.every:
            kernel.store(tangent, out[-1])
        if tangent.lost[0]:
            raise ModelError(
                f"in {int(tangent.lost[0])} steps the mechanism stands in a singular position, where its motion is not "
                "a smooth function of its start: start it elsewhere, or shorten the run."
            )
        return out.reshape(len(motion), 2, len(self.state.a), 6, m)


def run_parameters(motion: Trajectory, nodes: ParameterNodes) -> Array:
    """The changes of a motion per unit of each parameter at all stored times (k, 2, n, 6, parameters)."""
    refuse(motion)
    state = copied(selected(motion.record, 0))
    begin = nodes.start(placing(motion.compiled, state))
    course = Course(motion, state, len(nodes.names), nodes)
    course.begin(begin.dq, begin.dp)
    course.tangent.mu[:] = begin.mu
    course.tangent.mu[motion.system.rows.rate == 0.0] = 0.0
    return course.go()


def placing(compiled: Compiled, state: State) -> Callable[[Compiled], State]:
    """The start of a model with other numbers: as described, if `state` is the start of the model as described;
    otherwise at the same joint coordinates and rates."""
    mine = compiled.state
    if all(map(np.array_equal, (state.a, state.B, state.p, state.L), (mine.a, mine.B, mine.p, mine.L))):
        return lambda one: one.state
    try:
        q, v = JointSpace(compiled, driven=True).read(state)
        return lambda one: state_at(one, q, v)
    except ModelError as error:
        raise ModelError(
            f"this motion does not begin at the start of its model, and it has no joint coordinates that could be kept "
            f"({error}) Describe the model at the start of this motion, and simulate it again."
        ) from None


def state_at(compiled: Compiled, q: Array, v: Array) -> State:
    """The state of a model at joint coordinates q and rates v, with the forces of its dampers."""
    return compiled.fitted(JointSpace(compiled, driven=True).state(q, v))


def keeping_rates(space: JointSpace, state: State, dq: Array, dp: Array) -> Array:
    """dp, so that changes of coordinates do not change the rates: the columns of rates are subtracted from them."""
    m = dq.shape[2] // 2
    _, dv = coordinate_changes(space.space, state, dq, dp)
    dp[:, :, :m] -= np.einsum("bim,mk->bik", dp[:, :, m:], dv[space.space.independent, :m])
    return dp
