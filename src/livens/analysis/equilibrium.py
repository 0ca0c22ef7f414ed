"""Static equilibrium under gravity, springs, stops, constant loads and motors.

With f(q) the applied forces and G the constraint Jacobian, an equilibrium satisfies the joints and

    f(q) + G(q)ᵀλ = 0,      λ the reactions.                                                                 (1)

Displacements are weighted by mass, δq = M^(−½) y, and those that the joints allow are y = N η with N orthonormal and
G M^(−½) N = 0. The residual force and the stiffness along them (by differences along each column of N) are

    r = Nᵀ M^(−½) f,      K = −Nᵀ M^(−½) ∂(f + Gᵀλ)/∂q M^(−½) N = Q Λ Qᵀ,      λ kept.                       (2)

Each iteration moves by

    η = Q (|Λ| + μ)⁻¹ Qᵀ r,                                                                                  (3)

with μ such that the move stays within a trust radius, and projects back onto the joints (assembly.py). It must lower
the energy, V less the work of loads and motors. With |Λ| the direction is one of descent where K is indefinite, so the
iteration ends at a minimum; at a saddle point (a negative Λ) the state is displaced along that eigenvector. Near the
minimum μ = 0: Newton's method. An equilibrium is stable if all Λ are positive: then a small displacement raises the
energy. equilibrium_near.py finds the one near a given position, of any stability.
Matrices are dense. A rope needs about five iterations a link: 20 links take 1 s, 50 links 10 s, 100 links a minute.
Loads that follow their body may balance without a minimum: load_path.py follows the equilibrium as the loads grow.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.drive_rates import drive_table
from ..compile.states import as_record, copied, repeated
from ..compile.system import inverse_masses
from ..describe.model import Model
from ..describe.pose import turned
from ..errors import ModelError
from ..kernels.arrays import State, System
from ..kernels.constrain import apply_multipliers
from ..kernels.coordinates import update_coordinates
from ..kernels.forces import energies_of_record, forces_of_record
from ..record.trajectory import Trajectory
from ..step import Livens
from .equilibrium_near import FINE_SPACING, NO_MOVE, RADIUS, ROUNDS, STIFFNESS_SPACING, find_near
from .joint_space import JointSpace
from .load_path import LoadPath
from .slack import follow_loads

VAIN = 50  # iterations without a change of the residual
PUSHES = 20  # displacements away from saddle points
NEUTRAL = 1e-8  # a stiffness below this part of the largest counts as zero


class Equilibrium(Trajectory):
    """A motion of one state, at rest where all forces balance; `stability` is "stable", "unstable" or "neutral", and
    `stiffnesses` are the eigenvalues Λ of the stiffness, weighted by mass, ascending [1/s²]."""

    stability: str
    stiffnesses: Array

    @property
    def stable(self) -> bool:
        """True if a small displacement raises the energy."""
        return self.stability == "stable"


def equilibrium(
    model: Model, near: Any = None, stable: bool | None = None, load_steps: int | None = None
) -> Equilibrium:
    """`model` at rest where all forces balance, as a motion of one state: positions, rotations, joint coordinates and
    reactions; its `stability` is "stable", "unstable" or "neutral". Initial velocities are ignored.

    near: a state, a motion (its last state) or joint coordinates; the equilibrium near it is found, of any stability.
    stable: True for a stable one of lower energy than the position it begins from, which is also what is found if
    neither is given; False for one that is not stable, else an error. load_steps: gravity, loads and motors grow from
    zero in this number of steps or more, and the equilibrium that follows from the position at the start (or `near`) is
    found, of any stability, by Newton's method with a sparse matrix: for beams, frames and loads that follow a body.
    Cables that are slack at the start are hung up softer than they are, and then stiffened.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -10))
    >>> bob = m.add(lv.Body(lv.PointMass(2.0), at=(0, 0, -1), name="bob"))
    >>> spring = m.add(lv.Spring(m.world.point(0, 0, 0), bob.point(0, 0, 0), stiffness=100.0, length=1.0))
    >>> lv.equilibrium(m).position(bob)[0].round(9).tolist()
    [0.0, 0.0, -1.2]
    >>> m = lv.Model(gravity=(0, 0, -10))
    >>> bar = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="bar"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    >>> upright = lv.equilibrium(m, near=[-1.4])
    >>> upright.coordinate("hinge").round(9).tolist(), upright.stability
    ([-1.570796327], 'unstable')
    """
    if not (stable is None or isinstance(stable, bool)):
        raise ModelError(f"stable must be True, False or None, not {stable!r}.")
    _refuse_what_moves(model)
    compiled = Compiled.of(model)
    start = _begin(compiled, near)
    if load_steps is None:
        search = Search(compiled, start)
        lowest = stable is True or (stable is None and near is None)
        state = search.find() if lowest else find_near(search)
        stability, values = search.stability(state)
    elif isinstance(load_steps, bool) or not isinstance(load_steps, int) or load_steps < 1:
        raise ModelError(f"load_steps must be a whole number above zero, not {load_steps!r}.")
    else:
        path = LoadPath(compiled, start)
        state = follow_loads(path, model, load_steps, lambda soft: Search(soft, start).find())
        stability, values = path.stability()
    if stable is False and stability == "stable":
        raise ModelError("the equilibrium near this position is stable: begin nearer to the one that is meant.")
    if load_steps is not None and stable is True and stability != "stable":
        raise ModelError(f"the equilibrium that follows from the start as the loads grow is {stability}.")
    found = Equilibrium(compiled, Livens(), 1.0, 1, np.zeros(1), as_record(state), 0, 0.0)
    found.stability, found.stiffnesses = stability, values
    return found


def _begin(compiled: Compiled, near: Any) -> State:
    """The position from which the search begins."""
    mine, near = compiled.state, near.state if isinstance(near, Trajectory) else near
    if near is None:
        return mine
    if not isinstance(near, State):
        return JointSpace(compiled).state(near)
    if near.a.shape != mine.a.shape:
        raise ModelError(f"a state for this model has {len(mine.a) - 1} bodies, not {len(near.a) - 1}.")
    angle = near.angle if near.angle.shape == mine.angle.shape else mine.angle
    return copied(mine._replace(a=near.a, B=near.B, angle=angle))


def _refuse_what_moves(model: Model) -> None:
    if not isinstance(model, Model):
        raise ModelError(f"equilibrium takes a Model, not {model!r}.")
    for force in model.forces:
        if force.varies:
            raise ModelError(f"{force.label} varies with time or state: at rest only constant ones balance.")
    for joint in model.joints:
        if joint.drive is not None:
            _, rate, change = drive_table(joint, joint.drive, np.zeros(1))[0]
            if abs(rate) > 1e-6 or abs(change) > 1e-6:
                raise ModelError(f"drive of {joint.name!r} moves at the start (rate {rate:.2g}): there is no rest.")


class Place(NamedTuple):
    """A configuration that satisfies the joints, and the forces there."""

    state: State
    f: Array  # applied forces, weighted: M^(−½) f (6 n,)
    outer: Array  # the part of loads and motors
    V: float  # potential energy [J]
    lam: Array  # reactions
    N: Array  # motions that the joints allow, weighted, as columns (6 n, freedom)
    r: Array  # residual force along them


class Slope(NamedTuple):
    """The stiffness at a configuration, by (2)."""

    values: Array  # Λ, ascending
    Q: Array
    soft: float  # Λ below this is round-off or negligible


class Search:
    """The iteration (3) from the start of a model."""

    def __init__(self, compiled: Compiled, start: State):
        state = copied(start)
        for x in (state.p, state.L, state.lam):
            x[:] = 0.0
        self.model, self.start, self.compiled = compiled.model, state, compiled
        self.fit = compiled.assembly(state)
        formulas = compiled.system.formulas._replace(forces=0)
        self.alone = compiled.system._replace(formulas=formulas)  # without loads and motors
        self.root = np.sqrt(inverse_masses(self.fit.system.bodies))
        self.size = self.fit.size
        self.pull = 0.0  # the largest force so far, weighted
        self.spacing = STIFFNESS_SPACING

    def find(self) -> State:
        """The state at rest, or a ModelError."""
        here, radius, pushed, vain = self.place(self.start), RADIUS, 0, 0
        for _ in range(ROUNDS + 10 * len(self.model.bodies)):
            if not here.N.shape[1]:
                return here.state
            self.pull = max(self.pull, float(np.abs(here.f).max()))
            slope = self.stiffness(here)
            newton = self.move(here, slope, np.inf)
            near = self.length(newton)
            if near <= NO_MOVE or (vain and near <= 1e3 * NO_MOVE):
                if slope.values[0] >= -10.0 * slope.soft or pushed == PUSHES:
                    return self.place(self.moved(here.state, newton)).state if near <= NO_MOVE else here.state
                off = here.N @ slope.Q[:, 0]  # a saddle point
                here = self.place(self.moved(here.state, 0.1 / self.length(off) * off))
                radius, pushed, vain = RADIUS, pushed + 1, 0
                continue
            there, radius = self.step(here, slope, radius)
            before, after = np.linalg.norm(here.r), np.linalg.norm(there.r)
            vain = vain + 1 if abs(after - before) <= 1e-9 * before else 0  # as in free fall
            if vain > VAIN or (there is here and near > 1e3 * NO_MOVE and self.spacing == FINE_SPACING):
                break
            if there is here:  # differences may reach across a stop
                self.spacing, radius = FINE_SPACING, RADIUS
            here = there
        raise self.refusal(here)

    def stability(self, state: State) -> tuple[str, Array]:
        """Whether an equilibrium is stable, in a word, and Λ."""
        here = self.place(copied(state))
        if not here.N.shape[1]:
            return "stable", np.zeros(0)
        self.pull = max(self.pull, float(np.abs(here.f).max()))
        slope = self.stiffness(here)
        if slope.values[0] < -10.0 * slope.soft:
            return "unstable", slope.values
        return "stable" if slope.values[0] > 10.0 * slope.soft else "neutral", slope.values

    def step(self, here: Place, slope: Slope, radius: float) -> tuple[Place, float]:
        """The next configuration within the radius, which is reduced until the energy is lower; and the next radius."""
        for _ in range(40):
            move = self.move(here, slope, radius)
            try:
                there = self.place(self.moved(here.state, move))
            except ModelError:  # too far for the joints to follow
                there = None
            if there is not None and self.lower(here, there, float(here.f @ move)):
                return there, min(RADIUS, 2.0 * max(radius, self.length(move)))
            radius = 0.4 * min(radius, self.length(move))
        return here, radius

    def move(self, here: Place, slope: Slope, radius: float) -> Array:
        """N Q (|Λ| + μ)⁻¹ Qᵀr with the least μ ≥ 0 that satisfies the radius; zero where there is no force."""
        r, stiff = slope.Q.T @ here.r, np.maximum(np.abs(slope.values), max(slope.soft, 1e-300))
        r = np.where((stiff <= slope.soft) & (np.abs(r) <= 1e-9 * self.pull), 0.0, r)
        along = here.N @ slope.Q
        best = along @ (r / stiff)
        if self.length(best) <= radius:
            return best
        low, high = 0.0, self.length(along @ r) / radius
        for _ in range(60):
            mu = high if low == 0.0 else np.sqrt(low * high)
            best = along @ (r / (stiff + mu))
            if self.length(best) > radius:
                low, high = mu, max(high, 4.0 * mu) if mu == high else high
            elif self.length(best) < 0.8 * radius and mu > 0.0:
                low, high = low if low > 0.0 else 1e-6 * mu, mu
            else:
                break
        return best

    def lower(self, here: Place, there: Place, predicted: float) -> bool:
        """Whether the energy decreased by a part of the prediction, or the residual where that is round-off."""
        R = np.swapaxes(here.state.B, 1, 2) @ there.state.B
        rotated = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
        went = self.weighted(np.concatenate([there.state.a - here.state.a, rotated], axis=1).ravel())
        work = 0.5 * (here.outer + there.outer) @ went
        gain = here.V - there.V + float(work)
        noise = 1e-12 * (abs(here.V) + abs(there.V)) + 1e-9 * abs(predicted)
        if predicted <= 1e3 * noise:
            return bool(np.linalg.norm(there.r) < np.linalg.norm(here.r))
        return gain >= 1e-4 * predicted

    def place(self, state: State) -> Place:
        """`state` projected onto the joints, and the forces there."""
        fit = self.fit
        fit.state = state
        if len(fit.owners):
            fit.project_positions()
            fit.check_orientations()
        update_coordinates(fit.system.coordinates, state.a, state.B, state.angle)
        f, V = self.forces(state, fit.signals, fit.system), np.zeros(1)
        energies_of_record(fit.system, as_record(state), np.zeros(1), fit.work.registers, np.zeros(1), V)
        outer = f - self.forces(state, np.zeros_like(fit.signals), self.alone)
        fit.evaluate_jacobian()
        A = fit.jacobian()[fit.hard] * self.root
        free = np.flatnonzero(self.root)
        U, s, W = np.linalg.svd(A[:, free], full_matrices=True)
        rank = int(np.sum(s > 1e-9 * s.max(initial=0.0)))
        N = np.zeros((len(f), len(free) - rank))
        N[free] = W[rank:].T
        lam = np.zeros(len(fit.owners))
        lam[fit.hard] = -U[:, :rank] @ ((W[:rank] @ f[free]) / s[:rank])
        return Place(state, f, outer, float(V[0]), lam, N, N.T @ f)

    def forces(self, state: State, signals: Array, system: System) -> Array:
        """M^(−½) f."""
        f, tau = np.zeros_like(state.p)[None], np.zeros_like(state.L)[None]
        forces_of_record(system, as_record(state), signals, self.fit.work, f, tau)
        return self.root * np.concatenate([f[0], tau[0]], axis=1).ravel()

    def stiffness(self, here: Place) -> Slope:
        """K by differences, and its eigenvalues."""
        spacing = np.array([self.spacing / self.length(y) for y in here.N.T])
        Y = spacing[:, None] * here.N.T
        K = (self.balance(here, -Y) - self.balance(here, Y)) @ here.N / (2.0 * spacing[:, None])
        values, Q = np.linalg.eigh(0.5 * (K + K.T))
        noise = 1e3 * np.finfo(np.float64).eps * self.pull / float(spacing.min())
        return Slope(values, Q, max(NEUTRAL * float(np.abs(values).max()), noise))

    def balance(self, here: Place, Y: Array) -> Array:
        """M^(−½)(f + Gᵀλ) at the displacements Y from `here` (k, 6 n), with the reactions of `here`."""
        fit, moved = self.fit, self.displaced(here.state, Y)
        f, tau = np.zeros_like(moved.a), np.zeros_like(moved.a)
        forces_of_record(fit.system, moved, np.repeat(fit.signals, len(Y), axis=0), fit.work, f, tau)
        for k in range(len(Y)):
            fit.state = here.state._replace(a=moved.a[k], B=moved.B[k], angle=moved.angle[k])
            fit.evaluate_jacobian()
            apply_multipliers(fit.system.blocks, fit.work.G, 1.0, here.lam, f[k], tau[k])
        return self.root * np.concatenate([f, tau], axis=2).reshape(len(Y), -1)

    def displaced(self, state: State, Y: Array) -> State:
        """`state` moved by M^(−½) y for every row y of Y, with its joint coordinates."""
        u = (self.root * Y).reshape(len(Y), -1, 6)
        angle = np.tile(state.angle, (len(Y), 1))
        many = repeated(state, len(Y))
        moved = many._replace(a=state.a + u[:, :, :3], B=turned(state.B, u[:, :, 3:]), angle=angle)
        for k in range(len(Y)):
            update_coordinates(self.fit.system.coordinates, moved.a[k], moved.B[k], angle[k])
        return moved

    def moved(self, state: State, y: Array) -> State:
        """`state` moved by M^(−½) y."""
        there = self.displaced(state, y[None])
        return state._replace(a=there.a[0], B=there.B[0], angle=there.angle[0])

    def length(self, y: Array) -> float:
        """The largest move of a body in parts of the size, or its turn in rad."""
        u = (self.root * y).reshape(-1, 6)
        moves, turns = np.linalg.norm(u[:, :3], axis=1), np.linalg.norm(u[:, 3:], axis=1)
        return float(max(moves.max() / self.size, turns.max()))

    def weighted(self, u: Array) -> Array:
        """M^½ u, and nothing along axes without inertia."""
        return np.divide(u, self.root, out=np.zeros_like(u), where=self.root > 0.0)

    def refusal(self, here: Place) -> ModelError:
        """An error that names the body with the largest residual force."""
        left = self.weighted(here.N @ here.r).reshape(-1, 6)
        b = int(np.argmax(np.linalg.norm(left[:, :3], axis=1) + np.linalg.norm(left[:, 3:], axis=1) / self.size))
        force, torque = np.linalg.norm(left[b, :3]), np.linalg.norm(left[b, 3:])
        return ModelError(
            f"no equilibrium found: body {self.model.bodies[b].name!r} has a residual force of {force:.3g} N and a "
            f"residual torque of {torque:.3g} N m. Attach it with joints or springs, or balance the loads."
        )
