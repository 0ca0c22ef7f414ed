"""The result of a run: states at the stored times, and every quantity that follows from them, by name.

The record holds the variables of the kernels: centres of mass a, principal axes B, momenta p and L. Positions and
velocities are converted here to the body frames of the user: with c the centre of mass and Q the principal axes in
the body frame,

    B_user = B Qᵀ,    a_user = a − B_user c,    ω = Q J⁻¹ L,    v(r) = p/m + B_user (ω × (r − c)).     (1)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.states import copied, selected
from ..compile.system import registers
from ..describe.actions import Structure
from ..describe.event import Event
from ..describe.model import Body, Model, Point
from ..describe.pose import quaternions
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels.arrays import DISSIPATED, WORK, State, System
from ..kernels.contact.arrays import LOG_WIDTH
from ..kernels.forces import energies_of_record
from ..step import Scheme
from .contacts import ContactReadings
from .coordinates import Coordinates
from .joints import defects, reaction, total_forces
from .kinematics import positions, rates, rotations, turned, velocities
from .occurrences import Occurrences
from .parts import in_one_line, part
from .showing import Showing

if TYPE_CHECKING:
    from ..analysis.report import Report
    from ..analysis.tangent import Tangent

NO_IMPACTS = np.zeros((0, LOG_WIDTH))


class Trajectory(Coordinates, ContactReadings, Showing):
    """The motion of a model: times `t` [s] and states, and every quantity that follows from them.

    Positions, velocities and momenta come as arrays with one row per stored time; bodies and points are those of
    `model`, their names, or those of another model that has bodies of the same names.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> top = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    >>> motion = lv.simulate(m, lv.Livens(), h=1e-2, until=1.0, every=50)
    >>> motion.t.tolist(), motion.rotation(top).shape
    ([0.0, 0.5, 1.0], (3, 3, 3))
    """

    def __init__(
        self,
        compiled: Compiled,
        scheme: Scheme,
        h: float,
        every: int,
        t: Array,
        record: State,
        steps: int,
        seconds: float,
        tally: tuple[int, int] = (0, 0),
    ):
        """compiled: the model that was simulated; the record has one state for each of the times t [s]."""
        self.compiled, self.model, self.system, self.scheme = compiled, compiled.model, compiled.system, scheme
        self.h, self.every, self.t, self.record = h, every, t, record
        self.steps, self.seconds, self.tally = steps, seconds, tally
        self.wanted = steps  # planned steps: more than `steps` if the run was stopped
        self.chosen = ""  # the step that h="auto" chose, and the reason
        self.impact_log = NO_IMPACTS  # see `impacts`
        self.events = Occurrences()  # the events of the run
        self.sides: dict[str, tuple[float, float]] = {}  # of each event at the end: run/crossings.py
        self.watched: tuple[Event, ...] = ()  # the events with which `lv.resume` continues
        self.structure: Structure | None = None  # the model with the edits of events, for `lv.resume`

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, k: Any) -> Trajectory:
        """The motion at the stored state number k (−1: the last), or at those of a slice or a list of numbers."""
        return part(self, k)

    def __iter__(self) -> Iterator[Trajectory]:
        """The stored states, each as a motion of one state."""
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return in_one_line(self)

    def stored(self, k: int) -> State:
        """A copy of the stored state number k, from which steps can begin."""
        return copied(selected(self.record, k))

    # ── bodies and points ──

    def rotation(self, body: Body | str) -> Array:
        """Rotation matrices of the body frame, body to world (n, 3, 3)."""
        return rotations(self.system.bodies, self.record, self._number(body))

    def quaternion(self, body: Body | str) -> Array:
        """Quaternions (w, x, y, z) of the body frame, continuous in time (n, 4)."""
        q = quaternions(self.rotation(body))
        flips = np.einsum("ij,ij->i", q[1:], q[:-1]) < 0.0
        q[1:] *= np.where(np.cumsum(flips) % 2, -1.0, 1.0)[:, None]
        return q

    def body_rates(self, body: Body | str) -> Array:
        """Angular velocity in body axes [rad/s] (n, 3)."""
        return rates(self.system.bodies, self.record, self._number(body))

    def angular_velocity(self, body: Body | str) -> Array:
        """Angular velocity in world axes [rad/s] (n, 3)."""
        return turned(self.rotation(body), self.body_rates(body))

    def position(self, what: Point | Body | str) -> Array:
        """World position of a point, or of the origin of a body frame [m] (n, 3)."""
        return positions(self.system.bodies, self.record, *self._point(what))

    def velocity(self, what: Point | Body | str) -> Array:
        """World velocity of a point, or of the origin of a body frame [m/s] (n, 3)."""
        return velocities(self.system.bodies, self.record, *self._point(what))

    def acceleration(self, what: Point | Body | str) -> Array:
        """World acceleration of a point or the origin of a body frame [m/s²] (n, 3), from the forces at each state."""
        k, r = self._point(what)
        bodies = self.system.bodies
        f, tau, _ = self._dynamics
        omega, d = rates(bodies, self.record, k), r - bodies.center[k]
        change = (bodies.inverse_inertia[k] * tau[:, k]) @ bodies.axes[k].T
        inside = np.cross(change, d) + np.cross(omega, np.cross(omega, d))
        return f[:, k] * bodies.inverse_mass[k] + turned(rotations(bodies, self.record, k), inside)

    def angular_acceleration(self, body: Body | str) -> Array:
        """Angular acceleration in world axes [rad/s²] (n, 3)."""
        k = self._number(body)
        change = self.system.bodies.inverse_inertia[k] * self._dynamics[1][:, k]
        return turned(self.record.B[:, k], change)

    # ── joints ──

    def reaction(self, joint: Thing | str, frame: str = "world") -> Array:
        """Force [N] that the joint exerts on its second body (n, 3), in frame="world" or frame="joint"."""
        return reaction(self, joint, frame)[0]

    def reaction_torque(self, joint: Thing | str, frame: str = "world") -> Array:
        """Torque [N m] about the joint's second point that the joint exerts on its second body (n, 3)."""
        return reaction(self, joint, frame)[1]

    @property
    def multipliers(self) -> Array:
        """Multipliers of all rows, from the equations of motion at each state (n, rows) [N or N m]."""
        return self._dynamics[2]

    @property
    def iterations(self) -> float:
        """Mean iterations per stage to satisfy the joints; 0 if unknown."""
        return self.tally[0] / max(1, self.steps * self.scheme.stages)

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the mechanism."""
        return self.compiled.freedom

    @property
    def redundant(self) -> dict[str, int]:
        """Joints with redundant constraints, and how many."""
        return self.compiled.redundant

    @property
    def defect_position(self) -> Array:
        """Largest constraint violation at position level [m or rad] (n,)."""
        return self._defects[0]

    @property
    def defect_velocity(self) -> Array:
        """Largest constraint violation at velocity level [m/s or rad/s] (n,)."""
        return self._defects[1]

    # ── the whole system ──

    @property
    def kinetic(self) -> Array:
        """Kinetic energy [J] (n,)."""
        return self._energies[0]

    @property
    def potential(self) -> Array:
        """Potential energy of gravity, attraction, springs, stops and user-written energies [J] (n,)."""
        return self._energies[1]

    @property
    def energy(self) -> Array:
        """Kinetic plus potential energy: the Hamiltonian at each state [J] (n,)."""
        return self.kinetic + self.potential

    @property
    def work(self) -> Array:
        """Work of loads, forces, motors and prescribed motions, and ∂V/∂t of energies, since the start [J] (n,)."""
        return self.record.account[:, WORK]

    @property
    def dissipated(self) -> Array:
        """Energy dissipated in dampers and contacts since the start [J] (n,). Energy − work + dissipated is constant up
        to O(h²)."""
        return self.record.account[:, DISSIPATED]

    @property
    def momentum(self) -> Array:
        """Total linear momentum, world axes [kg m/s] (n, 3)."""
        return self.record.p[:, 1:].sum(axis=1)

    @property
    def angular_momentum(self) -> Array:
        """Total angular momentum about the world's origin, world axes [kg m²/s] (n, 3)."""
        orbit = np.cross(self.record.a[:, 1:], self.record.p[:, 1:])
        return (orbit + turned(self.record.B[:, 1:], self.record.L[:, 1:])).sum(axis=1)

    @property
    def defect_orthogonality(self) -> Array:
        """Largest entry of BᵀB − I over all bodies (n,)."""
        B = self.record.B[:, 1:]
        return np.abs(np.swapaxes(B, -1, -2) @ B - np.eye(3)).max(axis=(1, 2, 3), initial=0.0)

    @property
    def state(self) -> State:
        """The last state: `livens.resume` continues from it."""
        return copied(selected(self.record, -1))

    @property
    def phases(self) -> tuple[Trajectory, ...]:
        """The parts of the motion between which events changed the mechanism; most motions have one."""
        return (self,)

    @property
    def end(self) -> float:
        """The planned end of the run [s]: later than the last time if the run was stopped."""
        return max(float(self.t[0] + self.h * self.wanted), float(self.t[-1]))

    def report(self) -> Report:
        """The conservation report: a table of invariants with drift rate and largest error."""
        from ..analysis.report import report

        return report(self)

    def tangent(self) -> Tangent:
        """The exact derivative of the motion with respect to the state at its start."""
        from ..analysis.tangent import tangent

        return tangent(self)

    # ── inside ──

    def own(self, thing: Any) -> Any:
        """The body, joint or force of this motion's model. A name, or a thing of another model (another member of an
        ensemble, or the model before it was saved), refers to the one here of the same name and kind."""
        if isinstance(thing, str):
            return self.model[thing]
        if thing in self.model:
            return thing
        mine = self.model.find(getattr(thing, "name", None))  # `thing` may be anything
        return mine if type(mine) is type(thing) else thing

    def _number(self, body: Body | str) -> int:
        body = self.own(body)
        if isinstance(body, Body) and body in self.compiled.number:
            return self.compiled.number[body]
        raise ModelError(f"{body!r} is not a body of this motion's model.")

    def _point(self, what: Point | Body | str) -> tuple[int, Array]:
        if isinstance(what, Point):
            return self._number(what.body), what.r
        return self._number(what), np.zeros(3)

    @cached_property
    def _energies(self) -> tuple[Array, Array]:
        T, V = np.empty(len(self)), np.empty(len(self))
        energies_of_record(self.system, self.record, self.t, registers(self.system), T, V)
        return T, V

    @property
    def full(self) -> System:
        """The system with all rows, also the redundant ones that the stepping leaves out."""
        return self.compiled.full

    def with_model(self, model: Model) -> Trajectory:
        """The same states as a motion of `model`, which must describe the same mechanism."""
        compiled = Compiled.restored(model, self.compiled.left_out)
        motion = Trajectory(
            compiled, self.scheme, self.h, self.every, self.t, self.record, self.steps, self.seconds, self.tally
        )
        motion.wanted, motion.chosen, motion.impact_log = self.wanted, self.chosen, self.impact_log
        motion.events, motion.sides, motion.watched = self.events, self.sides, self.watched
        return motion

    def chosen_states(self, k: Any) -> Trajectory:
        """The motion at the stored states number `k` alone: an array of numbers, or a slice."""
        some = selected(self.record, k)
        return Trajectory(
            self.compiled, self.scheme, self.h, self.every, self.t[k], some, self.steps, self.seconds, self.tally
        )

    @cached_property
    def _dynamics(self) -> tuple[Array, Array, Array]:
        return total_forces(self)

    @cached_property
    def _defects(self) -> tuple[Array, Array]:
        return defects(self)
