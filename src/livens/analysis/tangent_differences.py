"""Tangents of `lv.RungeKutta`, by differences of the steps between two stored states.

A small change δ of the state, or a parameter θ, is carried from one stored state to the next. With the flow F of these
steps, exp a motion along δ, and the projection onto the joints, which changes it to second order only,

    δ₁ = Σ w_c log F(exp(c d δ₀), θ + c d)/d,      c = ±1, ±2, ±3,      w = ±45, ∓9, ±1 over 60,                     (1)

of sixth order in d: about ten digits, because the steps are explicit, smooth and computed to round-off. Changes of
states are those of tangent_arrays.py. Six runs of each interval are needed for each column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.states import copied, empty_record, selected
from ..errors import StepFailed
from ..kernels.arrays import State
from ..kernels.coordinates import update_coordinates
from ..record.trajectory import Trajectory
from ..run.loop import Run
from ..run.progress import Progress
from ..step.tangent_sources import NODE_STEPS, NODE_WEIGHTS, NODES

CHANGE_SPACING = (
    2e-3  # largest rotation of a body, and largest other change, relative to its size, between neighbouring nodes
)


def carry_differences(
    motion: Trajectory, dq: Array, dp: Array, members: Sequence[Compiled] | None = None, spacing: Array | None = None
) -> Array:
    """The changes (k, 2, n, 6, m) at all stored times from those at the start (n, 6, m). members: the models of the
    nodes of the parameters that cause the columns, and their spacing (parameter_nodes.py)."""
    differences = Differences(motion)
    out = np.zeros((len(motion), 2, *dq.shape))
    out[0] = dq, dp
    for j in range(dq.shape[2]):
        some = [motion.compiled] * NODES if members is None else members[NODES * j : NODES * (j + 1)]
        for k in range(len(motion) - 1):
            d = differences.spacing(out[k, ..., j]) if spacing is None else float(spacing[j])
            out[k + 1, ..., j] = differences.carried(k, out[k, ..., j], some, d)
    return out


class Differences:
    """(1) for a motion."""

    def __init__(self, motion: Trajectory):
        self.motion, system = motion, motion.system
        bodies, record = system.bodies, motion.record
        self.length = float(np.abs(system.rows.point).max(initial=0.0)) or float(np.abs(record.a).max()) or 1.0
        span = float(motion.t[-1] - motion.t[0]) or 1.0
        speed = float(np.abs(record.p * bodies.inverse_mass[:, None]).max()) / self.length
        self.fastest = max(1.0 / span, speed, float(np.abs(record.L * bodies.inverse_inertia).max()))
        self.inverse_mass = bodies.inverse_mass[:, None]
        self.inverse_inertia = bodies.inverse_inertia.max(axis=1)[:, None]
        self.runs: dict[int, Run] = {}

    def spacing(self, change: Array) -> float:
        """d of (1) for a change (2, n, 6)."""
        (place, turn), (push, spin) = ((x[:, :3], x[:, 3:]) for x in change)
        rate = self.fastest
        largest = max(
            np.abs(place).max() / self.length,
            np.abs(turn).max(),
            np.abs(self.inverse_mass * push).max() / (self.length * rate),
            np.abs(self.inverse_inertia * spin).max() / rate,
        )
        return CHANGE_SPACING / max(float(largest), 1e-300)

    def carried(self, k: int, change: Array, members: Sequence[Compiled], d: float) -> Array:
        """δ₁ of (1) at the stored state k + 1 (2, n, 6)."""
        begin, end = selected(self.motion.record, k), selected(self.motion.record, k + 1)
        ends = [
            difference(self._after(k, moved_state(one, begin, c * d * change, float(self.motion.t[k])), one), end)
            for one, c in zip(members, NODE_STEPS, strict=True)
        ]
        return np.asarray(np.tensordot(NODE_WEIGHTS, np.array(ends), axes=1) / d)

    def _after(self, k: int, state: State, compiled: Compiled) -> State:
        """The state at the stored time k + 1 from a state at k."""
        motion = self.motion
        if id(compiled) not in self.runs:
            never, record = motion.steps + 1, empty_record(state, 2)  # it stores nothing on the way
            self.runs[id(compiled)] = Run(compiled, motion.scheme, motion.h, float(motion.t[0]), never, record)
        first = k * motion.every
        last = min(first + motion.every, motion.steps)
        try:
            self.runs[id(compiled)].go(state, first, last, Progress("", last - first, show=False))
        except StepFailed:
            t = float(motion.t[k])
            raise StepFailed(
                f"the tangent could not be carried beyond t = {t:.6g} s: try a smaller h.", motion
            ) from None
        return state


def moved_state(compiled: Compiled, state: State, change: Array, t: float) -> State:
    """The state moved along a change (2, n, 6) in world axes, and projected onto the joints of a model at time t."""
    turn = Rotation.from_rotvec(change[0, :, 3:]).as_matrix()
    new = copied(state)._replace(
        a=state.a + change[0, :, :3],
        B=turn @ state.B,
        p=state.p + change[1, :, :3],
        L=state.L + np.einsum("bji,bj->bi", state.B, change[1, :, 3:]),
    )
    update_coordinates(compiled.system.coordinates, new.a, new.B, new.angle)
    fit = compiled.assembly(new, t)
    if len(fit.hard):
        fit.project_positions()
        fit.project_velocities()
    update_coordinates(compiled.system.coordinates, fit.state.a, fit.state.B, fit.state.angle)
    return fit.state


def difference(state: State, reference: State) -> Array:
    """The change (2, n, 6) from a reference to a state: the inverse of a motion along it."""
    turn = Rotation.from_matrix(np.einsum("bij,bkj->bik", state.B, reference.B)).as_rotvec()
    spin = np.einsum("bij,bj->bi", reference.B, state.L - reference.L)
    return np.array([
        np.concatenate([state.a - reference.a, turn], axis=1), np.concatenate([state.p - reference.p, spin], axis=1)
    ])  # fmt: skip
