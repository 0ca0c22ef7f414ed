"""Where a mechanism comes to rest: static equilibrium under gravity, springs, stops, constant loads and motors.

With f(q) the applied forces and G the gradients of the joints, sought is a configuration q on the joints with

    f(q) + G(q)ᵀλ = 0,      λ the reactions.                                                                 (1)

Displacements are measured by mass, δq = M^(−½) y, and those that the joints allow are y = N η with N orthonormal and
G M^(−½) N = 0. What is left unbalanced there, and how stiff it is (by differences along each column of N), are

    r = Nᵀ M^(−½) f,      K = −Nᵀ M^(−½) ∂(f + Gᵀλ)/∂q M^(−½) N = Q Λ Qᵀ,      λ kept.                       (2)

Each round moves by η = Q (|Λ| + μ)⁻¹ Qᵀ r, with μ such that it stays within a trusted radius, and back onto the joints
(assembly.py); it must lower the energy, V less the work of loads and motors. |Λ| leads downhill where K is not
positive, so the way ends at a minimum; where it stops on a ridge (a negative Λ), it is pushed off. In the end μ = 0:
Newton.  (3) Matrices are full, and a rope falls in some five rounds a link: 20 links take a second, 50 ten, 100 a
minute. Loads that follow their body may balance without a minimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import Array
from ..compile.assembly import Fit, Start, consistent_start
from ..compile.signals import drive_table
from ..compile.system import inverse_masses
from ..describe.forces.load import Load
from ..describe.forces.motor import Motor
from ..describe.model import Model
from ..errors import ModelError
from ..kernels.arrays import State, System
from ..kernels.constrain import apply_multipliers
from ..kernels.coordinates import update_coordinates
from ..kernels.forces import energies_of_record, forces_of_record
from ..record.trajectory import Trajectory
from ..step import Livens

ROUNDS = 500  # before the search has failed, and ten more for each body
VAIN = 50  # rounds in which the imbalance does not change
PUSHES = 20  # off ridges
RADIUS = 0.5  # largest move of a round: rad, or parts of the mechanism's size
SPACING, FINE = 1e-5, 1e-7  # of the differences that give K, as above
NEUTRAL = 1e-8  # a stiffness below this part of the largest is none
SMALL = 1e-12  # a move below this is none


def equilibrium(model: Model) -> Trajectory:
    """`model` at rest where all forces balance, as a motion of one state: positions, rotations, joint coordinates and
    reactions. Of several such places, a stable one downhill of the start; velocities of the model do not matter.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -10))
    >>> bob = m.add(lv.Body(lv.PointMass(2.0), at=(0, 0, -1), name="bob"))
    >>> spring = m.add(lv.Spring(m.world.point(0, 0, 0), bob.point(0, 0, 0), stiffness=100.0, length=1.0))
    >>> lv.equilibrium(m).position(bob)[0].round(9).tolist()
    [0.0, 0.0, -1.2]
    """
    _refuse_what_moves(model)
    begin = consistent_start(model)
    state = _Search(model, begin).find()
    record = State(*(x[None] for x in state))
    return Trajectory(model, begin.system, Livens(), 1.0, 1, np.zeros(1), record, 0, 0.0)


def _refuse_what_moves(model: Model) -> None:
    if not isinstance(model, Model):
        raise ModelError(f"equilibrium takes a Model, not {model!r}.")
    for force in model.forces:
        varies = (isinstance(force, Load) and force.varies) or (isinstance(force, Motor) and callable(force.effort))
        if varies or getattr(force, "timed", False):
            raise ModelError(
                f"{type(force).__name__} {force.name!r} varies with time or state: at rest only constant ones balance."
            )
    for joint in model.joints:
        if getattr(joint, "drive", None) is not None:
            _, rate, change = drive_table(joint, np.zeros(1))[0]
            if abs(rate) > 1e-6 or abs(change) > 1e-6:
                raise ModelError(f"drive of {joint.name!r} moves at the start (rate {rate:.2g}): there is no rest.")


class _Place(NamedTuple):
    """A configuration on the joints and what acts there."""

    state: State
    f: Array  # all that is applied, weighted: M^(−½) f (6 n,)
    outer: Array  # the part of loads and motors
    V: float  # potential energy [J]
    lam: Array  # reactions
    N: Array  # motions that the joints allow, weighted, as columns (6 n, freedom)
    r: Array  # what is unbalanced along them


class _Slope(NamedTuple):
    """How stiff a place is, by (2)."""

    values: Array  # Λ, ascending
    Q: Array
    soft: float  # what of Λ is round-off, or next to nothing


class _Search:
    """The way to a place where everything balances."""

    def __init__(self, model: Model, begin: Start):
        state = State(*(x.copy() for x in begin.state))
        for x in (state.p, state.L, state.lam):
            x[:] = 0.0
        self.model, self.start = model, state
        self.fit = Fit(model, begin.system, state, begin.skip)
        formulas = begin.system.formulas._replace(forces=0)
        self.alone = begin.system._replace(formulas=formulas)  # with nothing from outside
        self.root = np.sqrt(inverse_masses(self.fit.system.bodies))
        self.size = self.fit.size
        self.pull = 0.0  # the largest force so far, weighted
        self.spacing = SPACING

    def find(self) -> State:
        """The state at rest, or a refusal."""
        here, radius, pushed, vain = self.place(self.start), RADIUS, 0, 0
        for _ in range(ROUNDS + 10 * len(self.model.bodies)):
            if not here.N.shape[1]:
                return here.state
            self.pull = max(self.pull, float(np.abs(here.f).max()))
            slope = self.stiffness(here)
            newton = self.move(here, slope, np.inf)
            near = self.length(newton)
            if near <= SMALL or (vain and near <= 1e3 * SMALL):
                if slope.values[0] >= -10.0 * slope.soft or pushed == PUSHES:
                    return self.place(self.moved(here.state, newton)).state if near <= SMALL else here.state
                off = here.N @ slope.Q[:, 0]  # the ridge
                here = self.place(self.moved(here.state, 0.1 / self.length(off) * off))
                radius, pushed, vain = RADIUS, pushed + 1, 0
                continue
            there, radius = self.step(here, slope, radius)
            before, after = np.linalg.norm(here.r), np.linalg.norm(there.r)
            vain = vain + 1 if abs(after - before) <= 1e-9 * before else 0  # as in free fall
            if vain > VAIN or (there is here and near > 1e3 * SMALL and self.spacing == FINE):
                break
            if there is here:  # differences may straddle a stop
                self.spacing, radius = FINE, RADIUS
            here = there
        raise self.refusal(here)

    def step(self, here: _Place, slope: _Slope, radius: float) -> tuple[_Place, float]:
        """The next place, not further than the radius, which shrinks until the energy is lower; and the next radius."""
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

    def move(self, here: _Place, slope: _Slope, radius: float) -> Array:
        """N Q (|Λ| + μ)⁻¹ Qᵀr with the least μ ≥ 0 that keeps to the radius; nothing where nothing pulls."""
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

    def lower(self, here: _Place, there: _Place, predicted: float) -> bool:
        """Has the energy fallen by some part of what was predicted? Where that is lost in round-off: the imbalance."""
        R = np.swapaxes(here.state.B, 1, 2) @ there.state.B
        turned = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
        went = self.weighted(np.concatenate([there.state.a - here.state.a, turned], axis=1).ravel())
        work = 0.5 * (here.outer + there.outer) @ went
        gain = here.V - there.V + float(work)
        noise = 1e-12 * (abs(here.V) + abs(there.V)) + 1e-9 * abs(predicted)
        if predicted <= 1e3 * noise:
            return bool(np.linalg.norm(there.r) < np.linalg.norm(here.r))
        return gain >= 1e-4 * predicted

    def place(self, state: State) -> _Place:
        """`state` brought onto the joints, and what acts there."""
        fit = self.fit
        fit.state = state
        if len(fit.names):
            fit.positions()
            fit.refuse_flips()
        update_coordinates(fit.system.coordinates, state.a, state.B, state.angle)
        f, V = self.forces(state, fit.signals, fit.system), np.zeros(1)
        energies_of_record(
            fit.system, State(*(x[None] for x in state)), np.zeros(1), fit.work.registers, np.zeros(1), V
        )
        outer = f - self.forces(state, np.zeros_like(fit.signals), self.alone)
        fit.differentiate()
        A = fit.matrix()[fit.hard] * self.root
        free = np.flatnonzero(self.root)
        U, s, W = np.linalg.svd(A[:, free], full_matrices=True)
        rank = int(np.sum(s > 1e-9 * s.max(initial=0.0)))
        N = np.zeros((len(f), len(free) - rank))
        N[free] = W[rank:].T
        lam = np.zeros(len(fit.names))
        lam[fit.hard] = -U[:, :rank] @ ((W[:rank] @ f[free]) / s[:rank])
        return _Place(state, f, outer, float(V[0]), lam, N, N.T @ f)

    def forces(self, state: State, signals: Array, system: System) -> Array:
        """M^(−½) f."""
        f, tau = np.zeros_like(state.p)[None], np.zeros_like(state.L)[None]
        forces_of_record(system, State(*(x[None] for x in state)), signals, self.fit.work, f, tau)
        return self.root * np.concatenate([f[0], tau[0]], axis=1).ravel()

    def stiffness(self, here: _Place) -> _Slope:
        """K by differences, and its eigenvalues."""
        spacing = np.array([self.spacing / self.length(y) for y in here.N.T])
        Y = spacing[:, None] * here.N.T
        K = (self.balance(here, -Y) - self.balance(here, Y)) @ here.N / (2.0 * spacing[:, None])
        values, Q = np.linalg.eigh(0.5 * (K + K.T))
        noise = 1e3 * np.finfo(np.float64).eps * self.pull / float(spacing.min())
        return _Slope(values, Q, max(NEUTRAL * float(np.abs(values).max()), noise))

    def balance(self, here: _Place, Y: Array) -> Array:
        """M^(−½)(f + Gᵀλ) at the displacements Y from `here` (k, 6 n), with the reactions of `here`."""
        fit, moved = self.fit, self.displaced(here.state, Y)
        f, tau = np.zeros_like(moved.a), np.zeros_like(moved.a)
        forces_of_record(fit.system, moved, np.repeat(fit.signals, len(Y), axis=0), fit.work, f, tau)
        for k in range(len(Y)):
            fit.state = here.state._replace(a=moved.a[k], B=moved.B[k], angle=moved.angle[k])
            fit.differentiate()
            apply_multipliers(fit.system.blocks, fit.work.G, 1.0, here.lam, f[k], tau[k])
        return self.root * np.concatenate([f, tau], axis=2).reshape(len(Y), -1)

    def displaced(self, state: State, Y: Array) -> State:
        """`state` moved by M^(−½) y for every row y of Y, with its joint coordinates read anew."""
        u = (self.root * Y).reshape(len(Y), -1, 6)
        x = 0.5 * u[:, :, 3:]
        X = np.cross(np.eye(3), x[:, :, None])  # hat(x) of every body
        turn = np.eye(3) + (2.0 / (1.0 + np.sum(x * x, axis=2)))[:, :, None, None] * (X + X @ X)
        angle = np.tile(state.angle, (len(Y), 1))
        many = State(*(np.repeat(z[None], len(Y), axis=0) for z in state))
        moved = many._replace(a=state.a + u[:, :, :3], B=state.B @ turn, angle=angle)
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

    def refusal(self, here: _Place) -> ModelError:
        """What is still unbalanced, and where."""
        left = self.weighted(here.N @ here.r).reshape(-1, 6)
        b = int(np.argmax(np.linalg.norm(left[:, :3], axis=1) + np.linalg.norm(left[:, 3:], axis=1) / self.size))
        force, torque = np.linalg.norm(left[b, :3]), np.linalg.norm(left[b, 3:])
        return ModelError(
            f"no equilibrium found: body {self.model.bodies[b].name!r} is still pulled by {force:.3g} N and "
            f"{torque:.3g} N m, and nothing comes to hold it. Join it or hang it in springs, or balance the loads."
        )
