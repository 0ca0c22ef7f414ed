"""The dynamics at a state, in the coordinates of the joints.

    M(q) v̇ + b(q, v) = Q,         Q the efforts along the coordinates                                       (1)

M is the mass matrix; the bias b contains Coriolis and centrifugal forces, gravity, springs, dampers, stops and loads,
but no motor and no prescribed motion. compile/joint_space.py says what the coordinates are, kernels/joint_space.py how
(1) is computed. If joints close loops, q contains independent coordinates only; efforts u of the actuated joints, whose
rates are A v, do the same work as Q:

    Aᵀ u = Q,       least |u| if there are more actuators than freedoms.                                     (2)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, finite, number
from ..compile.compiled import Compiled
from ..compile.joint_space import read_state, space_of
from ..compile.states import as_record, copied
from ..compile.system import scratch
from ..describe.body import Body, Point
from ..describe.model import Model
from ..errors import ModelError
from ..kernels import joint_space as kernel
from ..kernels.arrays import ACCELERATION, H_PIVOTS, S_PIVOTS, State
from ..kernels.coordinates import update_coordinates
from ..record.instant import Instant
from ..record.trajectory import Trajectory
from ..step.livens import Livens
from .singular_position import refuse_singular

NO_MATRIX, UNCOUNTED = np.zeros((0, 0)), np.zeros(0)
PASSES = 60  # of placing and closing, for loops; each reduces the error of balls ten times
LOST = 1e13  # diagonal of S over its pivot from which on nothing of a row is left but round-off
LOOP_STEP = 0.2  # rad, or of the model's size: how far loops follow in one step


class JointSpace:
    """A model in the coordinates of its joints, prepared for many evaluations.

    `names` and `units` list the coordinates. Angles [rad] and displacements [m] are those of `motion.coordinate`; a
    ball joint has the three components of a rotation vector, a free body three displacements and a rotation vector. If
    joints close loops, these are independent coordinates; `all_names` lists all. Arguments q and v have one number for
    each name; rates of rotation vectors are components of the angular velocity. A JointSpace is not for several threads
    at once.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> arm = m.add(lv.Body(lv.MassProperties(3.0, (0.01, 0.25, 0.25)), at=(0.5, 0, 0), name="arm"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    >>> space = lv.JointSpace(m)
    >>> space.names, space.mass_matrix([0.3]).round(9).tolist()
    (('hinge',), [[1.0]])
    >>> space.bias([0.0], [0.0]).round(6).tolist()  # the torque that holds it against gravity: 3 kg · 9.81 m/s² · 0.5 m
    [-14.715]
    """

    def __init__(self, model: Model | Compiled, driven: bool = False):
        """driven: prescribed motions hold their coordinates, which are then not among `names`; else they are like any
        other, and `inverse_dynamics` gives their efforts."""
        self.compiled = model if isinstance(model, Compiled) else Compiled.of(model)
        space = self.space = space_of(self.compiled, driven)
        if space.thin:
            raise ModelError(space.thin)
        self.names = tuple(space.every[k].name for k in space.independent)
        self.units = tuple(space.every[k].unit for k in space.independent)
        self.all_names = tuple(one.name for one in space.every)
        self.actuated = tuple(one.name for one in space.every if one.actuated) or self.names
        self._work, m = scratch(space.system), len(self.names)
        start = space.state
        self._a, self._B, self._angle = start.a.copy(), start.B.copy(), start.angle.copy()
        self._p, self._L = np.zeros_like(start.p), np.zeros_like(start.L)
        self._lam, self._M, self._efforts = np.zeros(len(space.system.rows.kind)), np.zeros((m, m)), np.zeros(m)
        self._all = np.array([one.q.start for one in space.every])
        self._tree = len(space.every) == m  # no loops
        self._is_angle = np.array([unit == "rad" for unit in self.units])
        self._signals = np.zeros((1, space.signals.width))
        self._time = np.nan
        self._set_time(0.0)
        self._still = np.zeros(m)
        self._hard = space.system.rows.rate == 0.0
        self._pivots = H_PIVOTS if space.system.damped else S_PIVOTS

    @property
    def has_loops(self) -> bool:
        """True if joints close loops."""
        return not self._tree

    @property
    def start(self) -> Array:
        """The coordinates of the model's start."""
        return self.read(self.compiled.state)[0]

    # ── states ──

    def read(self, state: State) -> tuple[Array, Array]:
        """The coordinates and rates (q, v) of a state of the model."""
        q, v = self.read_all(state)
        return q[self.space.independent], v[self.space.independent]

    def read_all(self, state: State) -> tuple[Array, Array]:
        """The same of all coordinates, dependent ones included, in the order of `all_names`."""
        self.check_bodies(state)
        return read_state(self.space, state)

    def state(self, q: ArrayLike, v: ArrayLike | None = None) -> State:
        """The state of the model at the coordinates q and rates v (None: at rest)."""
        self._place(self._given(q, "q"), self._still if v is None else self._given(v, "v"))
        mine = self.compiled.state
        state = copied(mine._replace(a=self._a, B=self._B, p=self._p, L=self._L))
        for k, one in enumerate(self.space.every):
            c, d = self.space.variables.counted[k], self.space.variables.dial[k]
            if c >= 0:
                state.angle[[n for n, q in enumerate(self.compiled.coordinates) if q is one.q]] = self._all[k]
            if d >= 0:
                state.half_turns[d] = np.floor(self._all[k] / np.pi)
        update_coordinates(self.compiled.system.coordinates, state.a, state.B, state.angle)
        return state

    def damped_state(self, q: ArrayLike, v: ArrayLike | None = None, t: float = 0.0) -> State:
        """The same with the forces that dampers exert there at time t [s], from which steps can begin."""
        state = self.state(q, v)
        if not self.compiled.system.damped:
            return state
        fit = self.compiled.assembly(state, t)
        fit.project_velocities()
        return fit.state

    def forward_kinematics(self, q: ArrayLike, v: ArrayLike | None = None, t: float = 0.0) -> Trajectory:
        """The motion of one state at q and v: its `position(point)`, `rotation(body)`, `velocity(point)`, …"""
        return Instant(self.compiled, Livens(), 1.0, t, as_record(self.state(q, v)))

    # ── dynamics ──

    def mass_matrix(self, q: ArrayLike | State) -> Array:
        """M of (1) (m, m) at the coordinates q, or at a state [kg, kg m or kg m²]."""
        return self.equations(q, None)[0]

    def bias(self, q: ArrayLike | State, v: ArrayLike | None = None, t: float = 0.0) -> Array:
        """b of (1) (m,) at q and v, or at a state [N or N m]; t [s]: the time of loads that vary."""
        return self.equations(q, v, t)[1]

    def equations(self, q: ArrayLike | State, v: ArrayLike | None = None, t: float = 0.0) -> tuple[Array, Array]:
        """M and b of (1), at q and v (None: at rest), or at a state."""
        space = self.space
        if t != self._time:
            self._set_time(t)
        self._signals[0, space.column + ACCELERATION] = 0.0
        if isinstance(q, State):
            self.check_bodies(q)
            kernel.equations_of_state(
                space.system, space.row, q.a, q.B, self._angles(q), q.p, q.L, self._signals, self._work, self._lam,
                self._M, self._efforts,
            )  # fmt: skip
            self._check_regular(q.a, q.B)
        else:
            self._evaluate(self._given(q, "q"), self._still if v is None else self._given(v, "v"), self._M)
        return self._M.copy(), self._efforts.copy()

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, efforts: ArrayLike, t: float = 0.0) -> Array:
        """The accelerations v̇ (m,) under efforts along all coordinates [N or N m]."""
        M, b = self.equations(q, v, t)
        return np.asarray(np.linalg.solve(M, self._given(efforts, "efforts") - b), dtype=np.float64)

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0) -> Array:
        """The efforts [N or N m] of the `actuated` coordinates (all, if the model has neither motors nor prescribed
        motions) that give the accelerations a at q and v; of least norm if there are more than needed.

        >>> import livens as lv
        >>> m = lv.Model(gravity=(0, 0, -10.0))
        >>> cart = m.add(lv.Body(lv.Box(1, 1, 1, density=2.0), name="cart"))
        >>> rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.point(0, 0, 0), axis=(1, 0, 0), name="rail"))
        >>> lv.JointSpace(m).inverse_dynamics([0.0], [0.0], [3.0]).round(9).tolist()
        [6.0]
        """
        efforts = self.generalized_forces(q, v, a, t)
        return efforts if self.actuated == self.names else self._actuator_efforts(q, efforts)

    def generalized_forces(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0) -> Array:
        """M a + b (m,): the efforts along all coordinates."""
        space = self.space
        q, v, a = self._given(q, "q"), self._given(v, "v"), self._given(a, "a")
        if t != self._time:
            self._set_time(t)
        self._signals[0, space.column + ACCELERATION] = a
        self._evaluate(q, v, NO_MATRIX)
        return self._efforts.copy()

    def jacobian(self, what: Point | Body | str, q: ArrayLike | State) -> Array:
        """The velocity per unit rate of each coordinate, world axes: (3, m) of a point; of a body (6, m), the velocity
        of its frame's origin and its angular velocity."""
        space, model = self.space, self.compiled.model
        thing = model[what] if isinstance(what, str) else what
        point = thing if isinstance(thing, Point) else None
        body = thing.body if isinstance(thing, Point) else thing
        if body not in self.compiled.number:
            raise ModelError(f"a Jacobian is that of a point or body of the model, not of {what!r}.")
        b, r = self.compiled.number[body], np.zeros(3) if point is None else point.r
        Z, B = self.velocity_map(q)
        lever = B[b] @ (space.system.bodies.axes[b].T @ (r - space.system.bodies.center[b]))
        turns = Z[:, b, 3:] @ B[b].T
        moves = Z[:, b, :3] + np.cross(turns, lever)
        jacobian: Array = (moves if point is not None else np.concatenate([moves, turns], axis=1)).T
        return jacobian

    def velocity_map(self, q: ArrayLike | State) -> tuple[Array, Array]:
        """Velocity (world axes) and angular velocity (principal axes) of every body's centre of mass per unit rate of
        each coordinate (m, n, 6), and the principal axes in world axes (n, 3, 3)."""
        if isinstance(q, State):
            self.check_bodies(q)
        else:
            self._place(self._given(q, "q"), self._still)
        a, B = (q.a, q.B) if isinstance(q, State) else (self._a, self._B)
        Z = np.zeros((len(self.names), len(a), 6))
        kernel.velocity_map(self.space.system, self.space.row, a, B, self._signals, self._work, Z)
        self._check_regular(a, B)
        return Z, B.copy()

    # ── inside ──

    def _given(self, x: ArrayLike, what: str) -> Array:
        if isinstance(x, np.ndarray) and x.dtype == np.float64 and x.shape == self._still.shape:
            return x if x.flags.c_contiguous else x.copy()
        if np.shape(x) != self._still.shape:
            raise ModelError(
                f"{what} needs one number for each of {', '.join(self.names)} ({len(self.names)}), not {np.shape(x)}."
            )
        return finite(x, self._still.shape, what)

    def check_bodies(self, state: State) -> None:
        """Raise a ModelError for the state of a model with other bodies."""
        if state.a.shape != self._a.shape:
            raise ModelError(
                f"a state for model {self.compiled.model.name!r} has {len(self._a) - 1} bodies, not {len(state.a) - 1}."
            )

    def _angles(self, state: State) -> Array:
        """The compiled coordinates of `space.system` at a state."""
        if len(self._angle):
            update_coordinates(self.space.system.coordinates, state.a, state.B, self._angle)
        return self._angle

    def _place(self, q: Array, v: Array) -> None:
        """Move the bodies to q and v."""
        self._approach(q, v)
        self._check(self._move(v), q)

    def _evaluate(self, q: Array, v: Array, M: Array) -> None:
        """The equations at q and v, for the accelerations among the signals."""
        self._approach(q, v)
        space = self.space
        rounds = kernel.equations(
            space.system, space.tree, space.row, space.entry, space.exact, self._all, v, self._signals, self._work,
            self._a, self._B, self._angle, self._p, self._L, self._lam, M, self._efforts,
        )  # fmt: skip
        self._check(rounds, q)

    def _approach(self, q: Array, v: Array) -> None:
        """Set the coordinates to q. Loops follow from the last configuration in small steps."""
        space = self.space
        if space.system.rolls:
            raise ModelError("joint coordinates do not determine the position of a model that rolls; give a state.")
        if self._tree:
            self._all[:] = q
            self._signals[0, space.column] = q
            return
        begin = self._all[space.independent]
        size = np.where(self._is_angle, 1.0, max(1e-300, float(np.abs(space.system.rows.point).max(initial=0.0))))
        parts = max(1, int(np.ceil(float(np.abs((q - begin) / size).max(initial=0.0)) / LOOP_STEP)))
        before = self._a.copy(), self._B.copy(), self._angle.copy(), self._all.copy()
        for k in range(1, parts + 1):
            now = begin + k / parts * (q - begin)
            self._all[space.independent] = self._signals[0, space.column] = now
            if (rounds := self._move(v)) < 0:
                self._a, self._B, self._angle, self._all = before
                self._check(rounds, q)
            self._follow(now)
        for _ in range(PASSES):  # a step of Newton's method turns balls by a second-order error
            if self._follow(q) <= 1e-14:
                break
            self._check(self._move(v), q)

    def _follow(self, q: Array) -> float:
        """Read the dependent coordinates at the present configuration; the largest error of the independent ones."""
        space = self.space
        near = self._all.copy()
        kernel.read_coordinates(
            space.coordinates, space.variables, UNCOUNTED, UNCOUNTED, near, self._a, self._B, self._all
        )
        error = np.abs(self._all[space.independent] - q).max(initial=0.0)
        self._all[space.independent] = q
        return float(error)

    def _move(self, v: Array) -> int:
        space = self.space
        rounds: int = kernel.state_at(
            space.system, space.tree, space.row, space.entry, space.exact, self._all, v, self._signals, self._work,
            self._a, self._B, self._angle, self._p, self._L,
        )  # fmt: skip
        return rounds

    def _check(self, rounds: int, q: Array) -> None:
        if rounds < 0:
            values = ", ".join(f"{name} = {x:.4g}" for name, x in zip(self.names, q, strict=True))
            raise ModelError(f"the joints cannot be closed at {values}: the mechanism does not reach this position.")
        self._check_regular(self._a, self._B)

    def _check_regular(self, a: Array, B: Array) -> None:
        """Raise a ModelError if the factors of S say that its rows depend on each other: only loops can do that."""
        if self._tree:
            return
        pivot = self._work.pivot[self._pivots][self._hard]  # reciprocals; zero where nothing is left of a row
        if not pivot.all() or (pivot * self._work.diagonal[self._hard]).max() > LOST:
            refuse_singular(self.compiled, self.compiled.state._replace(a=a, B=B))
            raise ModelError(
                f"model {self.compiled.model.name!r} stands at a dead centre of one of its coordinates "
                f"({', '.join(self.names)}), which do not determine its motion there. Move it a little, or let a motor "
                "act on another joint."
            )

    def _set_time(self, t: float) -> None:
        """Loads at time t; motors exert nothing."""
        t = number(t, "the time t")
        kept = self._signals[0, self.space.column].copy()
        self._signals[:] = self.space.signals.table(np.array([t]))
        for motor in self.space.signals.motors:
            self._signals[0, motor.first] = 0.0
        if not np.isnan(self._time):
            self._signals[0, self.space.column] = kept
        self._signals[0, self.space.column + 1] = 0.0
        self._time = t

    def rate_map(self, q: ArrayLike | State) -> Array:
        """The rates of all coordinates, in the order of `all_names`, per unit rate of each independent one (k, m)."""
        Z, B = self.velocity_map(q)
        a = q.a if isinstance(q, State) else self._a
        bodies, rates = self.space.system.bodies, np.zeros((len(self.names), len(self.all_names)))
        for k, one in enumerate(Z):
            p, L = one[:, :3] * bodies.mass[:, None], one[:, 3:] * bodies.inertia
            kernel.read_rates(bodies, self.space.coordinates, a, B, p, L, rates[k])
        return rates.T.copy()

    def _actuator_efforts(self, q: ArrayLike, efforts: Array) -> Array:
        """(2)."""
        A = self.rate_map(q)[[k for k, one in enumerate(self.space.every) if one.actuated]]
        u, *_ = np.linalg.lstsq(A.T, efforts, rcond=1e-12)
        left = efforts - A.T @ u
        k = int(np.abs(left).argmax())
        if abs(left[k]) > 1e-8 * max(float(np.abs(efforts).max()), 1e-300):
            raise ModelError(
                f"the actuators ({', '.join(self.actuated)}) cannot give these accelerations: {self.names[k]} lacks "
                f"{left[k]:.4g} {'N m' if self.units[k] == 'rad' else 'N'}. generalized_forces gives all efforts."
            )
        return np.asarray(u)
