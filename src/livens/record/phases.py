"""A motion of several phases: between them an event changed joints, forces or other properties of the mechanism.

Each phase is an ordinary Trajectory with a model of its own. A quantity of the whole motion is that of its phases, one
after the other; a joint has NaN in the phases without it. The account of work and dissipated energy continues from
phase to phase, so that energy − work + dissipated is constant over the whole motion.

`record` holds the states in the body frames of the first phase, with its masses: for pictures, which need positions,
rotations and velocities only. With c, Q, m and J of the first phase, and R, v, ω of a body in any phase,

    a = x + R c,    B = R Q,    p = m (v + R (ω × c)),    L = J Qᵀ ω.                                                (1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks import Array
from ..compile.states import copied, empty_record, selected
from ..describe.body import Plane
from ..describe.model import Body, Model, Point
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels.arrays import State, System
from .contacts import ContactPoints, Impacts, has_contacts, joined_impacts
from .kinematics import positions, rates, rotations, turned, velocities
from .occurrences import Occurrences
from .trajectory import Trajectory

UNCHANGED = ("a", "B", "p", "L", "account")  # fields of the state that have one shape in all phases


class PhasedTrajectory(Trajectory):
    """A motion of several phases; it is read like any other motion. `phases` are its parts.

    `model` is that of the first phase. `multipliers` and `full` belong to one phase: read them from `phases`.
    """

    def __init__(self, phases: Sequence[Trajectory], events: Occurrences | None = None):
        first, last = phases[0], phases[-1]
        t = np.concatenate([phase.t for phase in phases])
        tally = sum(phase.tally[0] for phase in phases), sum(phase.tally[1] for phase in phases)
        steps, seconds = sum(phase.steps for phase in phases), sum(phase.seconds for phase in phases)
        self.parts = tuple(phases)
        super().__init__(first.compiled, first.scheme, first.h, first.every, t, self._merged(), steps, seconds, tally)
        self.wanted = steps - last.steps + last.wanted
        self.events, self.sides = events or Occurrences(), last.sides

    @property
    def phases(self) -> tuple[Trajectory, ...]:
        """The parts of the motion between which events changed the mechanism."""
        return self.parts

    def _merged(self) -> State:
        """The states of all phases by (1); the fields that differ in shape are empty."""
        first = self.parts[0]
        whole = empty_record(selected(first.record, 0), sum(len(phase) for phase in self.parts))
        begin = 0
        for phase in self.parts:
            part = selected(whole, slice(begin, begin + len(phase)))
            part.account[:] = phase.record.account
            _copy_in_frames(first.system, phase, part)
            begin += len(phase)
        return whole._replace(**{name: x[:, ..., :0] for name, x in whole._asdict().items() if name not in UNCHANGED})

    # ── quantities of the phases, one after the other ──

    def _joined(self, read: Callable[[Trajectory], Array]) -> Array:
        return np.concatenate([read(phase) for phase in self.parts])

    def rotation(self, body: Body | str) -> Array:
        """Rotation matrices of the body frame, body to world (n, 3, 3)."""
        return self._joined(lambda phase: phase.rotation(body))

    def body_rates(self, body: Body | str) -> Array:
        """Angular velocity in body axes [rad/s] (n, 3)."""
        return self._joined(lambda phase: phase.body_rates(body))

    def position(self, what: Point | Body | str) -> Array:
        """World position of a point, or of the origin of a body frame [m] (n, 3)."""
        return self._joined(lambda phase: phase.position(what))

    def velocity(self, what: Point | Body | str) -> Array:
        """World velocity of a point, or of the origin of a body frame [m/s] (n, 3)."""
        return self._joined(lambda phase: phase.velocity(what))

    def acceleration(self, what: Point | Body | str) -> Array:
        """World acceleration of a point or the origin of a body frame [m/s²] (n, 3), from the forces at each state."""
        return self._joined(lambda phase: phase.acceleration(what))

    def angular_acceleration(self, body: Body | str) -> Array:
        """Angular acceleration in world axes [rad/s²] (n, 3)."""
        return self._joined(lambda phase: phase.angular_acceleration(body))

    @property
    def kinetic(self) -> Array:
        """Kinetic energy [J] (n,)."""
        return self._joined(lambda phase: phase.kinetic)

    @property
    def potential(self) -> Array:
        """Potential energy [J] (n,)."""
        return self._joined(lambda phase: phase.potential)

    @property
    def momentum(self) -> Array:
        """Total linear momentum, world axes [kg m/s] (n, 3)."""
        return self._joined(lambda phase: phase.momentum)

    @property
    def angular_momentum(self) -> Array:
        """Total angular momentum about the world's origin, world axes [kg m²/s] (n, 3)."""
        return self._joined(lambda phase: phase.angular_momentum)

    @property
    def defect_position(self) -> Array:
        """Largest constraint violation at position level [m or rad] (n,)."""
        return self._joined(lambda phase: phase.defect_position)

    @property
    def defect_velocity(self) -> Array:
        """Largest constraint violation at velocity level [m/s or rad/s] (n,)."""
        return self._joined(lambda phase: phase.defect_velocity)

    # ── joints, which exist in some of the phases ──

    def _of_joint(self, joint: Thing | str, read: Callable[[Trajectory], Array]) -> Array:
        """A quantity of a joint, NaN in the phases without it."""
        name = joint.name if isinstance(joint, Thing) else joint
        found = [read(phase) if phase.model.find(name) is not None else None for phase in self.parts]
        shapes = [x.shape[1:] for x in found if x is not None]
        if not shapes:
            return read(self.parts[0])  # it is in no phase, which is an error
        pairs = zip(found, self.parts, strict=True)
        return np.concatenate([np.full((len(phase), *shapes[0]), np.nan) if x is None else x for x, phase in pairs])

    def reaction(self, joint: Thing | str, frame: str = "world") -> Array:
        """Force [N] that the joint exerts on its second body (n, 3); NaN where there is no such joint."""
        return self._of_joint(joint, lambda phase: phase.reaction(joint, frame))

    def reaction_torque(self, joint: Thing | str, frame: str = "world") -> Array:
        """Torque [N m] about the joint's second point on its second body (n, 3); NaN where there is no such joint."""
        return self._of_joint(joint, lambda phase: phase.reaction_torque(joint, frame))

    def coordinate(self, joint: Thing | str) -> Array:
        """Angle [rad] or displacement [m] of a joint (n,) or (n, 2); NaN where there is no such joint."""
        return self._of_joint(joint, lambda phase: phase.coordinate(joint))

    def rate(self, joint: Thing | str) -> Array:
        """Rate of the coordinate [rad/s or m/s]: (n,), or (n, 2); NaN where there is no such joint."""
        return self._of_joint(joint, lambda phase: phase.rate(joint))

    def coordinate_acceleration(self, joint: Thing | str) -> Array:
        """Second derivative of the coordinate [rad/s² or m/s²]; NaN where there is no such joint."""
        return self._of_joint(joint, lambda phase: phase.coordinate_acceleration(joint))

    def effort(self, joint: Thing | str) -> Array:
        """The torque [N m] or force [N] of motors and prescribed motion of a joint (n,); NaN where it has none."""

        def read(phase: Trajectory) -> Array:
            try:
                return phase.effort(joint)
            except ModelError:  # in this phase nothing drives it
                return np.full(len(phase), np.nan)

        total = self._of_joint(joint, read)
        return total if not np.isnan(total).all() else self.parts[0].effort(joint)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coordinates in q and v, of all phases."""
        return tuple(dict.fromkeys(name for phase in self.parts for name in phase.names))

    def _vectors(self) -> tuple[Array, Array]:
        """q and v, NaN in the phases without a coordinate."""
        names = self.names
        both = np.full((2, len(self), len(names)), np.nan)
        begin = 0
        for phase in self.parts:
            columns = [names.index(name) for name in phase.names]
            both[0, begin : begin + len(phase), columns] = phase.q.T
            both[1, begin : begin + len(phase), columns] = phase.v.T
            begin += len(phase)
        return both[0], both[1]

    # ── contacts, which exist in some of the phases ──

    @property
    def impacts(self) -> Impacts:
        """The impacts: times, bodies, points, normals, impulses and approach speeds."""
        return joined_impacts([phase.impacts for phase in self.parts])

    def contact_force(self, a: Body | Plane | str, b: Body | Plane | str) -> Array:
        """The force that the first body exerts on the second through all their contact points [N] (n, 3)."""
        if not any(has_contacts(phase) for phase in self.parts):
            return self.parts[0].contact_force(a, b)  # an error that says so

        def read(phase: Trajectory) -> Array:
            return phase.contact_force(a, b) if has_contacts(phase) else np.zeros((len(phase), 3))

        return self._joined(read)

    def gap(self, a: Body | Plane | str, b: Body | Plane | str) -> Array:
        """The distance between the shapes of two bodies that can touch [m] (n,); NaN where they cannot."""

        def read(phase: Trajectory) -> Array:
            try:
                return phase.gap(a, b)
            except ModelError:  # in this phase no contact is declared between them
                return np.full(len(phase), np.nan)

        total = self._joined(read)
        return total if not np.isnan(total).all() else self.parts[0].gap(a, b)

    def contact_points(self, k: int) -> ContactPoints:
        """The contact points at the stored state number k, with their forces."""
        k = range(len(self))[k]
        for phase in self.parts:
            if k < len(phase):
                return phase.contact_points(k)
            k -= len(phase)
        raise IndexError(k)

    @property
    def friction_loss(self) -> Array:
        """Energy lost in contacts between impacts, by friction, since the start [J] (n,): part of `dissipated`."""
        return self._joined(lambda phase: phase.friction_loss)

    @property
    def impact_loss(self) -> Array:
        """Energy lost in impacts since the start [J] (n,): part of `dissipated`."""
        return self._joined(lambda phase: phase.impact_loss)

    @property
    def multipliers(self) -> Array:
        """The rows differ between phases: an error that says so."""
        raise ModelError("multipliers belong to one phase of this motion: read motion.phases[k].multipliers.")

    @property
    def full(self) -> System:
        """The rows differ between phases: an error that says so."""
        raise ModelError("the constraint equations belong to one phase of this motion: see motion.phases[k].")

    # ── the whole ──

    @property
    def state(self) -> State:
        """The last state, of the model of the last phase."""
        return copied(selected(self.parts[-1].record, -1))

    def with_model(self, model: Model) -> Trajectory:
        """The same states with the first phase of `model`, which must describe the same mechanism."""
        motion = PhasedTrajectory([self.parts[0].with_model(model), *self.parts[1:]], self.events)
        motion.steps, motion.wanted, motion.sides, motion.watched = self.steps, self.wanted, self.sides, self.watched
        return motion

    def chosen_states(self, k: Any) -> Trajectory:
        """The motion at the stored states number `k` alone: an array of numbers, or a slice."""
        wanted, begin, parts = np.arange(len(self))[k], 0, []
        for phase in self.parts:
            mine = wanted[(wanted >= begin) & (wanted < begin + len(phase))] - begin
            if len(mine):
                parts.append(phase.chosen_states(mine))
            begin += len(phase)
        return parts[0] if len(parts) == 1 else PhasedTrajectory(parts, self.events)


def _copy_in_frames(system: System, phase: Trajectory, into: State) -> None:
    """The states of `phase` in the body frames of `system`, by (1)."""
    record, mine, theirs = phase.record, system.bodies, phase.system.bodies
    for k in range(len(mine.mass)):
        if all(np.array_equal(x[k], y[k]) for x, y in zip(mine, theirs, strict=True)):
            for name in ("a", "B", "p", "L"):
                into._asdict()[name][:, k] = record._asdict()[name][:, k]
            continue
        R, omega = rotations(theirs, record, k), rates(theirs, record, k)
        into.a[:, k] = positions(theirs, record, k, mine.center[k])
        into.B[:, k] = R @ mine.axes[k]
        into.p[:, k] = mine.mass[k] * velocities(theirs, record, k, mine.center[k])
        into.L[:, k] = turned(np.broadcast_to(np.diag(mine.inertia[k]) @ mine.axes[k].T, R.shape), omega)


def joined(phases: Sequence[Trajectory], events: Occurrences) -> Trajectory:
    """One motion of consecutive phases; a single one stays an ordinary motion."""
    if len(phases) > 1:
        return PhasedTrajectory(phases, events)
    phases[0].events = events
    return phases[0]
