"""The arrays of a model for parameter values near the present ones: the nodes of (1) in step/tangent_sources.py.

Each parameter θ has a spacing d, a small part of its size, and six compiled models with the values θ ± d, ± 2d, ± 3d;
d is so small that derivatives of the start and of accelerations along the motion by four of them are the same.
Derivatives of their arrays, and of their assembled starts, follow by the same weights. The length "h" of the steps is a
parameter of a motion; its nodes are the same model, at the times of longer and shorter steps.

A number of a direction changes it as a unit vector. The direction of an axis that must be perpendicular to another one,
as those of universal joints with angles, changes in the plane across that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.restart import Restart
from ..compile.states import as_record, copied
from ..compile.structure import structural_change, with_members
from ..compile.system import scratch
from ..errors import ModelError
from ..kernels.arrays import MU, State
from ..kernels.dynamics import accelerations_of_record
from ..record.trajectory import Trajectory
from ..run.parameters import Numbers
from ..scene.paths import dotted
from ..scene.values import parts_of
from ..step.tangent_sources import NODE_STEPS, NODE_WEIGHTS, NODES
from .aligned_mass import align
from .moved_states import ALIKE, FOURTH, SPACINGS_TRIED, moved
from .smooth_axes import EQUAL, in_smooth_axes

SPACING = 2e-3  # of the size of a parameter
CORNERS = {"limits"}  # numbers at which a force has a corner: its nodes are close, and the force is linear in them
CORNER_SPACING = 1e-6
LENGTH_SPACING = 0.1  # of the step h: how far the end of a motion moves in time, for its length
CLOSER = 10.0 ** -np.arange(6)  # distances of nodes, in parts of SPACING, that are tried
TURN = 0.5  # rad: turns of principal axes move points, whose forces may have a scale smaller than the body
SMOOTH = 0.05  # mean of the axes of two opposite nodes less those between, in parts of the change, that is smooth
STATES = 12  # of a motion, at which accelerations tell whether nodes are close enough
NO_TURN = 1e-6  # rad: turns of principal axes that are smaller are not examined


class ParameterStart(NamedTuple):
    """The change of the start per unit of each parameter: poses and momenta (n, 6, k), multipliers (r, k)."""

    dq: Array
    dp: Array
    mu: Array


class ParameterNodes:
    """The nodes of some parameters of a compiled model, by their names in scenes, and of a motion, by "h"; numbers:
    those of the model as described, if `compiled` has other principal axes (smooth_axes.py)."""

    def __init__(
        self,
        compiled: Compiled,
        names: Sequence[str],
        motion: Trajectory | None = None,
        numbers: Numbers | None = None,
    ):
        self.compiled, self.names, self.motion = compiled, tuple(names), motion
        check_names(names)
        compiled.check_unchanged("simulate it again.")
        numbers, restart = numbers or Numbers(compiled.model), Restart(compiled)
        lengths = [name == "h" and motion is not None for name in self.names]
        h, steps = (motion.h, motion.steps) if motion is not None else (1.0, 1)
        known = [(h, h) if its else numbers.value(name) for name, its in zip(self.names, lengths, strict=True)]
        self.rate = np.where(lengths, 1.0 / h, 0.0)  # 1/h for the length of the steps
        self.values = np.array([value for value, _ in known])
        part = [CORNER_SPACING if set(parts_of(name)) & CORNERS else SPACING for name in self.names]
        sizes = [
            min(size or self._size_of_zero(numbers, restart, name), self._largest_size(name, value))
            for name, (value, size) in zip(names, known, strict=True)
        ]
        self.spacing = np.array(part) * sizes
        self.spacing[lengths] = LENGTH_SPACING * h / max(steps, 1)
        self.members: list[Compiled] = []
        for k, its in enumerate(lengths):
            if its:
                self.members += [compiled] * NODES
                continue
            self.members += self._nodes(numbers, restart, k)

    def _largest_size(self, name: str, value: float) -> float:
        """The largest change of a number that counts as its size. An entry of an inertia tensor: the least principal
        moment, or difference of two, which turns the axes by about 1 rad. A place: the size of the mechanism, which
        may be far from the origin. Moments of inertia and coefficients of several coordinates: each its own."""
        path = parts_of(name)
        if path[0] == "bodies" and path[2] == "inertia" and len(path) == 5:
            moments, _ = self.compiled.model[path[1]].mass_properties.principal()
            gaps = np.diff(np.sort(moments))
            return TURN * float(min([*moments[moments > 0.0], *gaps[gaps > EQUAL * moments.max()]], default=np.inf))
        if {"stiffness", "stiffnesses", "damping", "inertia"} & set(path):
            return abs(value) or float("inf")
        return self._size if {"at", "point"} & set(path) else float("inf")

    @cached_property
    def _size(self) -> float:
        """The size of the mechanism: the longest lever arm, or distance of a centre of mass from another one or from a
        point of the world."""
        compiled = self.compiled
        places = [*compiled.state.a[1:]]
        for thing in compiled.model.things:
            places += [point.r for point in thing.points if point.body.is_world]
        far = float(np.ptp(np.array(places).reshape(-1, 3), axis=0).max(initial=0.0))
        return max(far, compiled.assembly(copied(compiled.state)).size) or float("inf")

    def _size_of_zero(self, numbers: Numbers, restart: Restart, name: str) -> float:
        """A size for a number that is zero: a small part of it changes poses or forces at the start by this part."""
        size = float(np.abs(self.compiled.state.a).max(initial=0.0)) or 1.0
        for v in (size, min(size, 1.0)):
            try:
                change = _change(self.compiled, self._node(numbers, restart, {name: SPACING * v}))
                better = v * SPACING / change if change > 0.0 else min(size, 1.0)
                self._node(numbers, restart, {name: SPACING * better})
                return better
            except ModelError:
                continue
        return min(size, 1.0)

    def _nodes(self, numbers: Numbers, restart: Restart, k: int) -> list[Compiled]:
        """The nodes of parameter k, closer ones where the model refuses those at their distance, and where starts or
        forces are not smooth enough between them: those of a short spring change within a small part of a mechanism."""
        name, value, first = self.names[k], float(self.values[k]), None
        size, tries = float(self.spacing[k]) / SPACING, list[tuple[float, float, list[Compiled]]]()
        for d in self.spacing[k] * CLOSER:
            try:
                found = [self._node(numbers, restart, self._changed(numbers, name, value + c * d)) for c in NODE_STEPS]
                self._check_axes(found)
            except ModelError as error:
                first = first or error
                continue
            off = 0.0 if set(parts_of(name)) & CORNERS else self._curvature(found, d / size)
            tries.append((off, d, found))
            if off <= ALIKE or len(tries) == SPACINGS_TRIED:
                break
        if not tries:
            raise ModelError(f"no derivative with respect to {str(name)!r} at {value:g}: {first}") from None
        best = int(np.argmin([off for off, _, _ in tries]))
        _, self.spacing[k], found = tries[best]
        return found

    def _curvature(self, some: Sequence[Compiled], part: float) -> float:
        """How far differences of fourth and of sixth order of starts and accelerations are apart, relative to the
        derivative; `part`: the spacing in parts of the size of the parameter."""
        read = [self._smooth_readings(one) for one in some]
        off = 0.0
        for values in (np.stack(one) for one in zip(*read, strict=True)):
            six, four = (np.tensordot(w, values, axes=1) for w in (np.array(NODE_WEIGHTS), FOURTH))
            scale = max(float(np.abs(six).max(initial=0.0)), part * float(np.abs(values).max(initial=0.0)))
            off = max(off, float(np.abs(six - four).max(initial=0.0)) / scale if scale > 0.0 else 0.0)
        return off

    def _smooth_readings(self, one: Compiled) -> tuple[Array, ...]:
        """Poses at the start, and accelerations at some states of the motion; lengths in parts of the size."""
        size = self._size if np.isfinite(self._size) else 1.0
        places = np.concatenate([one.state.a[..., None] / size, one.state.B], axis=-1)
        if self._some is None:
            return (places,)
        still = np.zeros((len(self._some), 2, len(one.state.a), 6))
        motion, system = moved(self._some, one, 0.0, still), one.system
        f, tau = np.zeros_like(motion.record.p), np.zeros_like(motion.record.L)
        lam = np.zeros((len(motion), len(system.rows.kind)))
        signals = np.ascontiguousarray(one.signals(motion.h).table(motion.t))
        accelerations_of_record(system, motion.record, signals, scratch(system), f, tau, lam)
        bodies = system.bodies
        return places, np.stack([f * bodies.inverse_mass[:, None] / size, tau * bodies.inverse_inertia])

    @cached_property
    def _some(self) -> Trajectory | None:
        """Some stored states of the motion."""
        if self.motion is None:
            return None
        return self.motion[np.unique(np.linspace(0, len(self.motion) - 1, STATES).round().astype(int)).tolist()]

    def _changed(self, numbers: Numbers, name: str, value: float) -> dict[str, Any]:
        """The parameters of a node: the number with this name, or the direction that it belongs to."""
        place, thing, *path = (*parts_of(name), "")
        known = self.compiled.model.find(thing)
        if place != "joints" or path[0] not in known.perpendicular or not known.coordinates:
            return {name: value}
        (other,) = set(known.perpendicular) - {path[0]}
        u, w = (np.array(numbers.document[place][thing][key], dtype=np.float64) for key in (path[0], other))
        u[int(path[1])] = value
        u -= (u @ w) / (w @ w) * w
        return {dotted(place, thing, path[0]): u / np.linalg.norm(u)}

    def _node(self, numbers: Numbers, restart: Restart, parameters: dict[str, Any]) -> Compiled:
        model = numbers.changed(parameters)
        made = restart.compiled_for([model])[0] if restart.matches(model) else None
        if made is None:
            align(model, self.compiled.system.bodies.axes)
            made = Compiled.of(model, quiet=True, like=self.compiled)
        if change := structural_change(self.compiled, made):
            raise ModelError(f"it changes the structure of the model: {change}.")
        return made

    def _check_axes(self, some: Sequence[Compiled]) -> None:
        """Raise a ModelError if the principal axes of the nodes do not turn in proportion to the number."""
        axes = self.compiled.system.bodies.axes
        ends = np.stack([one.system.bodies.axes - axes for one in some])
        for plus, minus in zip(ends[NODES // 2 :], ends[: NODES // 2][::-1], strict=True):
            curved, change = (np.abs(x).max(axis=(1, 2)) for x in (plus + minus, plus - minus))
            excess = curved - SMOOTH * change - NO_TURN
            if excess.max() > 0.0:
                body = self.compiled.model.bodies[int(excess.argmax())].name
                raise ModelError(
                    f"the principal axes of body {body!r} are not a smooth function of it, since two of its moments of "
                    "inertia are almost equal; make them equal, or differ more."
                )

    @property
    def systems(self) -> Any:
        """The systems of all nodes with one more axis (kernels/members.py)."""
        return with_members([one.system for one in self.members])

    def tables(self, h: float, t: Array, mine: Array) -> Array:
        """The signals of all nodes at the times t, and `mine`, those of the run, at the end (nodes + 1 or 1, …)."""
        shared: dict[tuple[int, float], Array] = {}
        every = []
        for k, one in enumerate(self.members):
            longer = self.rate[k // NODES] * self.spacing[k // NODES] * NODE_STEPS[k % NODES]
            key = id(one.compiled_signals), longer
            if key not in shared:
                begin = float(self.motion.t[0]) if self.motion is not None else 0.0
                times = t + longer * (t - begin) if longer else t
                shared[key] = np.ascontiguousarray(one.signals(h).table(times))
            every.append(shared[key])
        every.append(mine)
        if all(np.array_equal(one, mine) for one in every):
            return mine[None]
        return np.stack(every)

    def derivative(self, read: Callable[[Compiled], Any]) -> Array:
        """The derivative of what `read` gives for a compiled model, with the parameters as the last axis; zero for the
        length of the steps."""
        values = np.stack([np.asarray(read(one), dtype=np.float64) for one in self.members], axis=-1)
        values = values.reshape(*values.shape[:-1], len(self.names), NODES)
        return np.asarray(np.where(self.rate != 0.0, 0.0, values @ np.array(NODE_WEIGHTS) / self.spacing))

    def start(self, place: Callable[[Compiled], State]) -> ParameterStart:
        """The change of the start, which `place` gives for a compiled model."""
        mine = place(self.compiled)
        states = {id(one): place(one) for one in self.members}

        def poses(one: Compiled) -> Array:
            state = states[id(one)]
            turn = np.einsum("bij,bkj->bik", state.B, mine.B)
            skew = 0.5 * np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0],
                                   turn[:, 1, 0] - turn[:, 0, 1]], axis=1)  # fmt: skip
            return np.concatenate([state.a - mine.a, skew], axis=1)

        def momenta(one: Compiled) -> Array:
            state = states[id(one)]
            turned = np.einsum("bij,bj->bi", mine.B, state.L - mine.L)
            return np.concatenate([state.p - mine.p, turned], axis=1)

        return ParameterStart(
            self.derivative(poses), self.derivative(momenta), self.derivative(lambda one: states[id(one)].lam[MU])
        )


def check_names(wrt: Sequence[str]) -> None:
    """Raise a ModelError if names of numbers are no list of words."""
    if isinstance(wrt, str) or not isinstance(wrt, Sequence) or not wrt or not all(isinstance(x, str) for x in wrt):
        raise ModelError(f'wrt is a list of names of numbers, such as ["bodies.arm.mass"], not {wrt!r}.')


def nodes_of(motion: Trajectory, names: Sequence[str]) -> Iterator[tuple[list[int], Trajectory, ParameterNodes]]:
    """The nodes of some parameters of a motion, in groups: their numbers among the names, and the same motion in
    principal axes that are smooth functions of them."""
    check_names(names)
    motion.compiled.check_unchanged("simulate it again.")
    numbers, common = Numbers(motion.model), list[int]()
    for k, name in enumerate(names):
        mine = motion if name == "h" else in_smooth_axes(motion, numbers, name)
        if mine is motion:
            common.append(k)
        else:
            yield [k], mine, ParameterNodes(mine.compiled, [name], mine, numbers)
    if common:
        yield common, motion, ParameterNodes(motion.compiled, [names[k] for k in common], motion, numbers)


def _change(one: Compiled, other: Compiled) -> float:
    """The largest change of poses and forces at the start from one model to another, relative to their sizes."""
    change = 0.0
    for x, y in zip(_start(one), _start(other), strict=True):
        change = max(change, float(np.abs(y - x).max(initial=0.0) / (np.abs(x).max(initial=0.0) or np.inf)))
    return change


def _start(compiled: Compiled) -> tuple[Array, ...]:
    """Places, rotations, total forces and torques at the start."""
    system, state = compiled.system, compiled.state
    f, tau = np.zeros((1, *state.p.shape)), np.zeros((1, *state.p.shape))
    signals = np.ascontiguousarray(compiled.signals(1.0).table(np.zeros(1)))
    lam = np.zeros((1, len(system.rows.kind)))
    accelerations_of_record(system, as_record(state), signals, scratch(system), f, tau, lam)
    return state.a, state.B, f, tau
