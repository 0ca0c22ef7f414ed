"""Assembly: bodies are moved onto their joints, and velocities onto the velocity-level constraints.

Positions that violate the joints slightly are projected with the smallest mass-weighted displacement, and momenta are
projected likewise; with S = G M⁻¹ Gᵀ,

    δq = −M⁻¹ Gᵀ S⁻¹ g(q)   until g = 0,        p ← p − Gᵀ S⁻¹ (G v + ∂g/∂t).                          (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..describe.model import Model
from ..describe.pose import cayley
from ..errors import ModelError
from ..kernels.arrays import ACCELERATION, MU, RATE, Bodies, State, System, Work
from ..kernels.constrain import add_prescribed_rates, apply_multipliers, constraint_rates, largest_violation
from ..kernels.coordinates import update_coordinates
from ..kernels.kinds import VELOCITY_ONLY
from ..kernels.projection import project_rates
from ..kernels.row_tapes import tape_jacobians, tape_rates, tape_violations
from ..kernels.rows import jacobians, violations
from ..kernels.sparse import add_compliance, assemble, factor, remove_dampers, solve
from .bodies import size_of_bodies
from .rows import PRECISION
from .signals import Signals
from .system import fastest, scratch

SHIFT = 1e-6  # regularisation of S, relative to the metric, in projections and for reactions that are not unique
LARGEST_VIOLATION = 0.1  # relative to the size of the joints, or in radians; a larger one is an error of the model
STILL = 1e-14  # round-off of velocities at rest, relative to the rate of a pendulum of the size of the model
DRIVEN = 1e-10  # error of the rates of prescribed motions, which are found by differences, relative to their pace


class Assembly:
    """A state of a model that is projected onto the joints."""

    def __init__(
        self,
        model: Model,
        system: System,
        state: State,
        owners: Sequence[Any],
        t: float = 0.0,
        signals: Signals | None = None,
    ):
        """owners: the joint or force of each row of `system`; t: the time of prescribed motions [s]; signals: those of
        the model, if they are known."""
        self.model, self.system, self.state, self.owners, self.t = model, system, state, owners, t
        self.work: Work = scratch(system)
        self.signals = np.ascontiguousarray((signals or Signals(model)).table(np.array([t])))
        self.hard = system.rows.rate == 0.0
        self.taped = len(system.tapes.row) > 0
        self.time = float(self.signals[0, system.tapes.clock]) if system.tapes.clock >= 0 else 0.0
        arms = np.abs(system.rows.point[system.rows.body > 0]).max(initial=0.0)  # the world has no size
        size = max(float(arms), float(system.rows.value.max(initial=0.0)))
        moments = system.bodies.inertia * (system.bodies.inverse_inertia > 0.0)
        self.size = size if size > 0.0 else size_of_bodies(system.bodies.mass, moments, state.a)

    def evaluate_jacobian(self) -> None:
        """The gradients of all rows into work.G."""
        system, work, state = self.system, self.work, self.state
        jacobians(system.rows, system.coordinates, state.a, state.B, work.G)
        if self.taped:
            tape_jacobians(
                system.tapes, system.rows.entry, state.a, state.B, self.time, work.registers, work.partial, work.G
            )

    def factorise(self, shift: float = SHIFT, tiny: float = 0.0, bodies: Bodies | None = None) -> Array:
        """Factors of S without dampers into work.H, and its reciprocal pivots; with other masses, if given."""
        system, work = self.system, self.work
        self.evaluate_jacobian()
        assemble(bodies or system.bodies, system.blocks, work.G, work.G, True, work.S)
        add_compliance(system.rows, system.blocks, shift, 1.0, work.S, work.diagonal)
        H = np.empty_like(work.S)
        remove_dampers(system.blocks, work.S, H)
        pivot = np.zeros(len(self.hard))
        factor(system.blocks, H, pivot, tiny)
        self.H = H
        return pivot

    def violations(self) -> Array:
        """g(q) of all position-level constraints; zero for dampers and velocity-level constraints."""
        g = np.zeros(len(self.hard))
        violations(
            self.system.rows, self.system.coordinates, self.state.a, self.state.B, self.state.angle, self.signals, 0, g
        )
        if self.taped:
            tape_violations(self.system.tapes, self.state.a, self.state.B, self.time, self.work.registers, g)
        g[(self.system.rows.kind >= VELOCITY_ONLY) | ~self.hard] = 0.0
        return g

    def project_positions(self) -> tuple[float, float]:
        """Project positions by (1): the largest displacement [m] and rotation [rad]. A large violation is an error that
        names the joints."""
        state, system, bodies = self.state, self.system, self.system.bodies
        a0, B0 = state.a.copy(), state.B.copy()
        g = self.violations()
        far = np.abs(g) > LARGEST_VIOLATION / (PRECISION * system.rows.weight)
        if far.any():
            self.check_prescribed_motions(far)
            self.raise_violation(g, "does not fit at the start", " lv.assemble(model) finds positions that fit.")
        for _ in range(100):
            if largest_violation(self.system.rows, g)[0] <= 0.5:
                break
            pivot = self.factorise(tiny=1e-13)
            solve(self.system.blocks, self.H, pivot, g)
            P, L = np.zeros_like(state.p), np.zeros_like(state.L)
            apply_multipliers(self.system.blocks, self.work.G, -1.0, g, P, L)
            state.a[1:] += bodies.inverse_mass[1:, None] * P[1:]
            for b in range(1, len(state.a)):
                state.B[b] = state.B[b] @ cayley(0.5 * bodies.inverse_inertia[b] * L[b])
            g = self.violations()
        else:
            if largest_violation(self.system.rows, g)[0] > 100.0:
                self.raise_violation(g, "cannot be assembled")
        if not (np.isfinite(state.a).all() and np.isfinite(state.B).all()):
            raise ModelError(
                "the mechanism cannot be assembled: the search for positions that satisfy all joints diverges. Place "
                "the bodies closer to where they fit."
            )
        update_coordinates(self.system.coordinates, state.a, state.B, state.angle)
        turn = np.linalg.norm(B0 - state.B, axis=(1, 2)) / np.sqrt(2.0)
        return float(np.linalg.norm(state.a - a0, axis=1).max()), float(turn.max())

    def check_orientations(self) -> None:
        """Equations between directions hold after half a turn too: check that no joint is turned over."""
        B = self.state.B @ np.swapaxes(self.system.bodies.axes, 1, 2)
        number = {body: k for k, body in enumerate(self.model.bodies)}
        for joint in [*self.model.joints, *self.model.planes]:
            bodies = [point.body for point in joint.points]
            for u in joint.shared:
                one, two = (B[number[body]] @ (body.pose.B.T @ u) for body in bodies)
                if one @ two < 0.5:  # 1 as described; −1 or 0 after half or a third of a turn
                    raise ModelError(
                        f"joint {joint.name!r} ({type(joint).__name__}) is turned over after assembly: bodies "
                        f"{bodies[0].name!r} and {bodies[1].name!r} no longer share its directions as described. "
                        "Place them closer to where they fit."
                    )

    def jacobian(self) -> Array:
        """G as a full matrix (rows, 6 n), from work.G; the columns of the world are zero."""
        work, blocks, n = self.work, self.system.blocks, len(self.state.a)
        G = np.zeros((len(self.hard), n, 6))
        for J in range(len(blocks.soft)):
            first, last = blocks.row[J], blocks.row[J + 1]
            for s in range(blocks.side[J], blocks.side[J + 1]):
                e = blocks.side_entry[s]
                G[first:last, blocks.side_body[s]] = work.G[e : e + last - first]
        return G.reshape(len(self.hard), 6 * n)

    def project_velocities(self, shift: float = SHIFT, tiny: float = 1e-13) -> tuple[float, float]:
        """Project velocities by (1) and set the first forces of the dampers: the largest change of a velocity [m/s] and
        of an angular velocity [rad/s]."""
        state, system, work = self.state, self.system, self.work
        p0, L0 = state.p.copy(), state.L.copy()
        g = np.zeros((1, len(self.hard)))
        pivot = self.factorise(shift, tiny)
        project_rates(system, work.G, self.H, pivot, work.partial, self.signals, state.p[None], state.L[None], g)
        state.lam[MU] = -system.rows.rate * g[0]
        change = np.linalg.norm(state.p - p0, axis=1) * system.bodies.inverse_mass
        spin = np.linalg.norm((state.L - L0) * system.bodies.inverse_inertia, axis=1)
        return float(change.max()), float(spin.max())

    def check_rates(self, before: float, remedy: str = " Prescribe fewer motions, or consistent ones.") -> None:
        """Check that some velocity satisfies all joints and prescribed motions; `before`: the fastest rate before the
        velocities were projected [1/s]."""
        system, work = self.system, self.work
        g = np.zeros(len(self.hard))
        self.evaluate_jacobian()
        constraint_rates(system.bodies, system.blocks, work.G, self.state.p, self.state.L, g)
        left = np.where(self.hard, g, 0.0)
        add_prescribed_rates(system.rows, self.signals, 0, 0.0, left)
        if self.taped:
            tape_rates(system.tapes, work.partial, left)
        prescribed = float(np.abs((left - g * self.hard) * system.rows.weight).max()) * PRECISION  # [1/s]
        rate_violation = np.abs(left) * system.rows.weight * PRECISION
        r = int(rate_violation.argmax())
        rate = max(prescribed, before, fastest(system.bodies, self.state, self.size))
        if rate_violation[r] > max(1e-6 * rate, self.still()):
            joint = self.owners[r]
            remedy = remedy if (system.rows.signal >= 0).any() else ""
            raise ModelError(
                f"no velocity satisfies all joints at the start: joint {joint.name!r} ({type(joint).__name__}) is "
                f"violated by {abs(left[r]):.2g} in m/s or rad/s.{remedy}"
            )

    def check_prescribed_motions(self, far: NDArray[np.bool_]) -> None:
        """Check that every prescribed motion begins where its joint is."""
        rows = self.system.rows
        for r in np.flatnonzero(far & (rows.signal >= 0)).tolist():
            value, here = self.signals[0, rows.signal[r]], self.state.angle[rows.coordinate[r, 0]]
            raise ModelError(
                f"drive of joint {self.owners[r].name!r} begins at {value:g}, but the joint is at {here:g} at the "
                "start: let the drive begin there, or place the bodies where it begins."
            )

    def check_closed(self, size: float) -> None:
        """Check a state from outside: no joint may be violated by more than `size`, relative to its own."""
        if self.is_open(size):
            self.raise_violation(self.violations(), f"is not closed in the given state (at t = {self.t:g})")

    def is_open(self, size: float) -> bool:
        """True if a joint is violated by more than `size`, relative to its own."""
        return bool(len(self.hard)) and largest_violation(self.system.rows, self.violations())[0] > size / PRECISION

    def raise_violation(self, g: Array, why: str, remedy: str = "") -> None:
        """Raise an error that names the joints with the largest violations."""
        worst_of: dict[Any, tuple[float, float]] = {}  # in tolerances, and in m or rad
        for owner, violation, weight in zip(self.owners, np.abs(g), self.system.rows.weight, strict=True):
            worst_of[owner] = max(worst_of.get(owner, (0.0, 0.0)), (float(violation * weight), violation))
        bad = sorted(worst_of.items(), key=lambda item: -item[1][0])[:3]
        text = ", ".join(
            f"{owner.name!r} ({type(owner).__name__}, violation {violation:.3g})"
            for owner, (tolerances, violation) in bad
            if tolerances > 1e-3 * bad[0][1][0]
        )
        raise ModelError(
            f"the mechanism {why}: joint {text} in m or rad. Points are given in body coordinates, from the body "
            f"frame's origin; body.point_at(x, y, z) takes a world position.{remedy}"
        )

    def still(self, gravity: Array | None = None) -> float:
        """The rate that counts as rest [1/s]: relative to a pendulum of the size of the joints, with another gravity if
        it is given, and, where motions are prescribed, to the largest of |φ̇| and √|φ̈|."""
        rows = self.system.rows
        pendulum = float(np.sqrt(np.linalg.norm(self.system.gravity if gravity is None else gravity) / self.size))
        driven = np.flatnonzero(rows.signal >= 0)
        if not len(driven):
            return STILL * pendulum
        column, scale = rows.signal[driven], rows.weight[driven] * PRECISION
        rate = np.abs(self.signals[0, column + RATE]) * scale
        pace = np.sqrt(np.abs(self.signals[0, column + ACCELERATION]) * scale)
        return DRIVEN * max(pendulum, float(rate.max()), float(pace.max()))
