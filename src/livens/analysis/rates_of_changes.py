"""The exact derivative of the equations of motion in joint coordinates: δẋ = A δx at a state, x = (q, v).

Unit changes of q and v are changes (δa, δφ, δp, δl) of the bodies (kernels/tangent_arrays.py). Along the motion they
have the rates, with δf and δτ the changes of the total forces (step/tangent_accelerations.py),

    δȧ = δp/m,     δφ̇ = B J⁻¹Bᵀ δl,     δṗ = δf,     δl̇ = Ω × δl + δτ,                                             (1)

which are read from a stage of an explicit scheme (step/tangent_explicit.py (2)). With y(x, δ) the changes of the
coordinates and their rates, (2) of tangent_readings.py,

    A = ẏ = Im y(x + iε ẋ, δ + iε δ̇)/ε,                                                                             (2)

where ε is so small that nothing of higher order is left, and no difference of nearly equal numbers is formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ..checks import Array
from ..compile.states import copied
from ..compile.structure import with_members
from ..compile.system import scratch
from ..describe.body import Point
from ..kernels.arrays import State
from ..kernels.joint_space import BALL
from ..step import tangent as kernel
from ..step import tangent_explicit_run as explicit
from ..step.explicit import EACH, SLOPE_L, SLOPE_P, SLOPES
from ..step.livens import Livens
from ..step.tangent_work import stage_arrays, tangent_arrays
from .joint_space import JointSpace
from .tangent_readings import Moving, coordinate_changes
from .tangent_run import joint_columns, keeping_rates
from .tangent_steps import NONE

IMAGINARY = 1e-100  # ε of (2) [s]
SMALL_ANGLE = 1e-4  # angle [rad] below which κ is that of this angle: it is multiplied by the square of the angle
ONE_STAGE = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0])  # the table of runge_kutta.py for Euler's scheme


class RatesOfChanges:
    """The changes of the bodies for unit changes of (q, v) at a state and time t [s], and A of (2)."""

    def __init__(self, space: JointSpace, state: State, t: float):
        self.space, self.state = space, state
        compiled = space.compiled
        self.system, self.signals = compiled.system, compiled.signals(1.0).table(np.array([t]))
        self.work = scratch(self.system, SLOPES + EACH)
        self.tangent = tangent_arrays(self.system, self.work, 2 * len(space.names))
        self.dq, self.dp = self._columns()

    @cached_property
    def A(self) -> Array:
        """(2m, 2m), by (2)."""
        state, e, chosen = self.state, 1j * IMAGINARY, self.space.space.independent
        dq_rate, dp_rate = self._rates()
        moved = state._replace(
            a=state.a + e * self.velocity,
            B=state.B + e * np.cross(self.omega[:, None, :], state.B.swapaxes(1, 2)).swapaxes(1, 2),
            p=state.p + e * self.work.trial[SLOPES + SLOPE_P],
            L=state.L + e * np.einsum("bji,bj->bi", state.B, self.torque),
        )
        changes = coordinate_changes(self.space.space, moved, self.dq + e * dq_rate, self.dp + e * dp_rate)
        return np.concatenate([x[chosen].imag / IMAGINARY for x in changes])

    @cached_property
    def coordinates(self) -> Array:
        """The changes of all coordinates (coordinates, 2m). A rotation vector ϕ changes with the small rotation δ by
        δ − ½ ϕ × δ + κ ϕ × (ϕ × δ), (1) of kernels/exponential.py."""
        changes = coordinate_changes(self.space.space, self.state, self.dq, self.dp)[0].copy()
        values, _ = self.space.read_all(self.state)
        for k, one in enumerate(self.space.space.every):
            if one.kind == BALL and one.component == 0:
                x, y, z = values[k : k + 3]
                hat = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
                t = max(float(np.linalg.norm(values[k : k + 3])), SMALL_ANGLE)
                curve = (1.0 - 0.5 * t / np.tan(0.5 * t)) / t**2
                changes[k : k + 3] = (np.eye(3) - 0.5 * hat + curve * hat @ hat) @ changes[k : k + 3]
        return changes

    def position(self, point: Point) -> Array:
        """The change of a point (3, 2m)."""
        b, bodies = self.space.compiled.number[point.body], self.system.bodies
        if b == 0:
            return np.zeros((3, self.dq.shape[2]))
        r = bodies.axes[b].T @ (point.r - bodies.center[b])
        return Moving(bodies, b, self.state, self.dq, self.dp).position(r)

    # ── inside ──

    @property
    def velocity(self) -> Array:
        return self.system.bodies.inverse_mass[:, None] * self.state.p

    @property
    def omega(self) -> Array:
        return np.einsum("bij,bj->bi", self.state.B, self.system.bodies.inverse_inertia * self.state.L)

    @property
    def gyroscopic(self) -> Array:
        """L × ω, world axes."""
        return np.cross(np.einsum("bij,bj->bi", self.state.B, self.state.L), self.omega)

    @property
    def torque(self) -> Array:
        """L̇ in world axes."""
        return self.work.trial[SLOPES + SLOPE_L] + self.gyroscopic

    def _columns(self) -> tuple[Array, Array]:
        """Unit changes of the joint coordinates and of their rates, on the joints: (n, 6, 2m) twice."""
        tangent, begin = self.tangent, joint_columns(self.space, self.state)
        work = scratch(self.system, 0)
        prepare, _ = Livens().kernels(self.system._replace(contacts=self.system.contacts._replace(capacity=0)))
        prepare(self.system, copied(self.state), work, self.signals, 1.0)
        dq, dp = begin.dq, begin.dp
        for keep in (False, True):
            tangent.dq[:], tangent.dp[:] = dq.reshape(tangent.dq.shape), dp.reshape(tangent.dp.shape)
            kernel.project_start(self.system, self.state, work, tangent, self.signals)
            dq, dp = (x.reshape(dq.shape).copy() for x in (tangent.dq, tangent.dp))
            if not keep:
                dp = keeping_rates(self.space, self.state, dq, dp)
        return dq, dp

    def _rates(self) -> tuple[Array, Array]:
        """(1): (n, 6, 2m) twice."""
        stages = stage_arrays(self.system, 1, self.dq.shape[2])
        explicit.tangent_rollout(
            self.system, with_members([self.system]), self.signals[None], NONE, NONE, copied(self.state), self.work,
            scratch(self.system, 0), self.tangent, stages, 0.0, ONE_STAGE, 0, 1, 2,
            np.zeros((1, 2, *self.tangent.dq.shape)),
        )  # fmt: skip
        dq, dp = (x[0].reshape(self.dq.shape).copy() for x in (stages.q, stages.p))
        turn, spin = self.dq[:, 3:], self.dp[:, 3:]
        dq[:, 3:] -= _crossed(turn, self.omega)
        dp[:, 3:] -= _crossed(turn, self.work.trial[SLOPES + SLOPE_L])
        dp[:, 3:] += self._gyroscopic_changes(spin) - _crossed(spin, self.omega)
        return dq, dp

    def _gyroscopic_changes(self, spin: Array) -> Array:
        """B δ(L × ω)."""
        B, j = self.state.B, self.system.bodies.inverse_inertia
        local = np.einsum("bji,bjm->bim", B, spin)
        L, omega = self.state.L, j * self.state.L
        change = _crossed(local, omega) - _crossed(j[:, :, None] * local, L)
        return np.einsum("bij,bjm->bim", B, change)


class CoordinateOutput:
    """The changes of some joint coordinates, by their numbers."""

    def __init__(self, numbers: Sequence[int]):
        self.numbers = list(numbers)

    def __call__(self, exact: RatesOfChanges) -> Array:
        return exact.coordinates[self.numbers]


class PointOutput:
    """The change of the place of a point."""

    def __init__(self, point: Point):
        self.point = point

    def __call__(self, exact: RatesOfChanges) -> Array:
        return exact.position(self.point)


ExactOutput = CoordinateOutput | PointOutput


def _crossed(u: Array, w: Array) -> Array:
    """u × w for columns u (n, 3, m) and w (n, 3)."""
    return np.cross(u, w[:, :, None], axis=1)
