"""What a run leaves: states at chosen times, and everything that follows from them, by name.

The record holds what the kernels know: centres of mass a, principal axes B, momenta p and L. All that a user sees
is derived from it here, in the user's own body frames: with c the centre of mass and Q the principal axes in the
body frame,

    B_user = B Qᵀ,    a_user = a − B_user c,    ω = Q J⁻¹ L,    v(r) = p/m + B_user (ω × (r − c)).     (1)
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .checks import Array
from .errors import ModelError
from .integrators import Livens
from .kernels.bags import State, System
from .kernels.world import all_forces, energies
from .model import Body, Model, Point
from .pose import quaternions
from .signals import Signals

if TYPE_CHECKING:
    import xarray

    from .report import Report


class Trajectory:
    """The motion of a model: times `t` [s] and states, and every quantity that follows from them.

    Positions, velocities and momenta come as arrays with one row per stored time; bodies and points are those of
    `model`, or their names.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> top = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    >>> motion = lv.simulate(m, lv.Livens(), h=1e-2, until=1.0, every=50)
    >>> motion.t.tolist(), motion.rotation(top).shape
    ([0.0, 0.5, 1.0], (3, 3, 3))
    """

    def __init__(
        self,
        model: Model,
        system: System,
        scheme: Livens,
        h: float,
        every: int,
        t: Array,
        record: State,
        steps: int,
        seconds: float,
    ):
        self.model, self.system, self.scheme = model, system, scheme
        self.h, self.every, self.t, self.record = h, every, t, record
        self.steps, self.seconds = steps, seconds

    def __len__(self) -> int:
        return len(self.t)

    # ── bodies and points ──

    def rotation(self, body: Body | str) -> Array:
        """Rotation matrices of the body frame, body to world (n, 3, 3)."""
        k = self._number(body)
        return self.record.B[:, k] @ self.system.bodies.axes[k].T

    def quaternion(self, body: Body | str) -> Array:
        """Quaternions (w, x, y, z) of the body frame, continuous in time (n, 4)."""
        q = quaternions(self.rotation(body))
        flips = np.einsum("ij,ij->i", q[1:], q[:-1]) < 0.0
        q[1:] *= np.where(np.cumsum(flips) % 2, -1.0, 1.0)[:, None]
        return q

    def body_rates(self, body: Body | str) -> Array:
        """Angular velocity in body axes [rad/s] (n, 3)."""
        k = self._number(body)
        return (self.record.L[:, k] * self.system.bodies.inverse_inertia[k]) @ self.system.bodies.axes[k].T

    def angular_velocity(self, body: Body | str) -> Array:
        """Angular velocity in world axes [rad/s] (n, 3)."""
        return _turn(self.rotation(body), self.body_rates(body))

    def position(self, what: Point | Body | str) -> Array:
        """World place of a point, or of a body frame's origin [m] (n, 3)."""
        k, r = self._point(what)
        return self.record.a[:, k] + self.rotation(self.model.bodies[k]) @ (r - self.system.bodies.center[k])

    def velocity(self, what: Point | Body | str) -> Array:
        """World velocity of a point, or of a body frame's origin [m/s] (n, 3)."""
        k, r = self._point(what)
        body = self.model.bodies[k]
        spin = np.cross(self.body_rates(body), r - self.system.bodies.center[k])
        return self.record.p[:, k] * self.system.bodies.inverse_mass[k] + _turn(self.rotation(body), spin)

    def acceleration(self, what: Point | Body | str) -> Array:
        """World acceleration of a point, or of a body frame's origin [m/s²] (n, 3), from the forces at each state."""
        k, r = self._point(what)
        body, bodies = self.model.bodies[k], self.system.bodies
        f, tau = self._forces
        omega, d = self.body_rates(body), r - bodies.center[k]
        L = self.record.L[:, k]
        rates = L * bodies.inverse_inertia[k]
        change = (bodies.inverse_inertia[k] * (tau[:, k] + np.cross(L, rates))) @ bodies.axes[k].T
        inside = np.cross(change, d) + np.cross(omega, np.cross(omega, d))
        return f[:, k] * bodies.inverse_mass[k] + _turn(self.rotation(body), inside)

    # ── the whole system ──

    @property
    def kinetic(self) -> Array:
        """Kinetic energy [J] (n,)."""
        return self._energies[0]

    @property
    def potential(self) -> Array:
        """Potential energy of gravity, springs and attraction [J] (n,)."""
        return self._energies[1]

    @property
    def energy(self) -> Array:
        """Kinetic plus potential energy: the Hamiltonian at each state [J] (n,)."""
        return self.kinetic + self.potential

    @property
    def momentum(self) -> Array:
        """Total linear momentum, world axes [kg m/s] (n, 3)."""
        return self.record.p[:, 1:].sum(axis=1)

    @property
    def angular_momentum(self) -> Array:
        """Total angular momentum about the world's origin, world axes [kg m²/s] (n, 3)."""
        orbit = np.cross(self.record.a[:, 1:], self.record.p[:, 1:])
        return (orbit + _turn(self.record.B[:, 1:], self.record.L[:, 1:])).sum(axis=1)

    @property
    def defect_orthogonality(self) -> Array:
        """Largest entry of BᵀB − I over all bodies (n,)."""
        B = self.record.B[:, 1:]
        return np.abs(np.swapaxes(B, -1, -2) @ B - np.eye(3)).max(axis=(1, 2, 3), initial=0.0)

    @property
    def state(self) -> State:
        """The last state, from which `livens.resume` goes on."""
        return State(*(x[-1].copy() for x in self.record))

    # ── look ──

    def report(self) -> Report:
        """What was kept and what was not: a table of invariants with drift and worst value."""
        from .report import report

        return report(self)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the invariants against time with matplotlib; write the figure to `path` if given, and return it."""
        from .plot import plot_invariants

        return plot_invariants(self, path)

    def to_xarray(self) -> xarray.Dataset:
        """The motion as a labelled xarray Dataset with units."""
        from .files import to_xarray

        return to_xarray(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the motion, with its model inside, as netCDF; the file is either complete or not there."""
        from .files import save

        save(self, path)

    # ── inside ──

    def _number(self, body: Body | str) -> int:
        body = self.model[body] if isinstance(body, str) else body
        for k, mine in enumerate(self.model.bodies):
            if mine is body:
                return k
        raise ModelError(f"{body!r} is not a body of this motion's model.")

    def _point(self, what: Point | Body | str) -> tuple[int, Array]:
        if isinstance(what, Point):
            return self._number(what.body), what.r
        return self._number(what), np.zeros(3)

    @cached_property
    def _energies(self) -> tuple[Array, Array]:
        T, V = np.empty(len(self)), np.empty(len(self))
        energies(self.system, self.record, T, V)
        return T, V

    @cached_property
    def _forces(self) -> tuple[Array, Array]:
        signals = np.ascontiguousarray(Signals(self.model).table(self.t))
        f, tau = np.empty_like(self.record.p), np.empty_like(self.record.L)
        all_forces(self.system, self.record, signals, f, tau)
        return f, tau


def _turn(B: Array, u: Array) -> Array:
    """B u for stacks of matrices and vectors."""
    return np.einsum("...ij,...j->...i", B, u)
