"""The equilibrium that follows from the start as gravity and loads grow from zero: Newton's method on the balance.

With the load factor s from 0 to 1, the applied forces f(q, s) and the constraint equations g(q) with the Jacobian G,

    f(q, s) + Gᵀλ = 0,   g(q) = 0          [ K  −Gᵀ ] [δq]   [ f + Gᵀλ ]
                                           [ G   0  ] [δλ] = [   −g    ],      K = −∂(f + Gᵀλ)/∂q,           (1)

in displacements and rotations of all bodies, without weights. K comes from differences of the forces, of bodies
that do not feel each other together; the matrix is sparse (SuperLU). Stiff energies of beams are rows with compliances
(beams/mixed.py), and tensions of cables, which must not push, are multipliers (beams/mixed_link.py). From a state in
balance at s the next begins, and an increment of s that does not converge is halved. Loads that follow their body, and
unstable equilibria, are found as well: beams that are rolled up, frames beyond buckling. Redundant constraints share
their forces by a small compliance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from ..checks import Array
from ..compile.assembly import Assembly
from ..compile.bodies import size_of_bodies
from ..compile.compiled import Compiled
from ..compile.signals import Signals
from ..compile.states import copied, repeated
from ..compile.system import compile_model, inverse_masses
from ..describe.pose import turned
from ..errors import ModelError
from ..kernels.arrays import State
from ..kernels.constrain import apply_multipliers
from ..kernels.coordinates import update_coordinates
from ..kernels.forces import forces_of_record
from ..step.tangent_work import links_of

ITERATIONS = 25  # of Newton's method for one load
HALVINGS = 12  # of an increment of the load
LOAD_SPACING = 1e-6  # of differences: rad, or parts of the size
CONVERGED = 1e-11  # largest move of the last iteration: rad, or parts of the size
NEUTRAL, LEAST_STIFFNESS = 1e-8, 1e-14  # a stiffness below these parts of the largest ones counts as zero
LARGEST = 1.0  # move of one iteration, as above
COMPLIANCE = 1e-9  # of constraints in the matrix, relative to the softest: it does not change the solution


class _Balance(NamedTuple):
    """A configuration and its multipliers."""

    state: State
    lam: Array


class LoadPath:
    """The equilibria of a model at growing loads, from its start."""

    def __init__(self, compiled: Compiled, start: State):
        model = compiled.model
        mixed = model.with_things([part for thing in [*model.joints, *model.forces] for part in thing.mixed()])
        tables = compile_model(mixed)
        owners = [group.owner for group in tables.groups for _ in group.rows]
        self.own = start
        state = copied(tables.state._replace(a=start.a, B=start.B, angle=start.angle))
        for x in (state.p, state.L, state.lam):
            x[:] = 0.0
        self.start, self.model = state, model
        self.fit = Assembly(mixed, tables.system, state, owners)
        self.compliance = np.array(
            [c for group in tables.groups for c in group.owner.compliances or [0.0] * len(group.rows)]
        )[self.fit.hard]
        pulls = [group.owner.pulls_only for group in tables.groups for _ in group.rows]
        self.pulls = np.array(pulls, dtype=bool)
        self.free = np.flatnonzero(inverse_masses(self.fit.system.bodies))  # not the world, nor axes without inertia
        self.colors = self.colored()
        self.size = size_of_bodies(tables.system.bodies.mass, tables.system.bodies.inertia * 0.0, state.a)
        self.gravity = self.fit.system.gravity.copy()
        signals = Signals(mixed)
        self.loaded = np.zeros(self.fit.signals.shape[1], dtype=bool)
        for _, _, k in signals.loads:
            self.loaded[k : k + 6] = True
        for motor in signals.motors:
            self.loaded[motor.first] = True

    def find(self, steps: int) -> State:
        """The equilibrium under all loads, which grow in this number of equal steps at least; or a ModelError."""
        here, s, step = _Balance(self.start, np.zeros(len(self.fit.owners))), 0.0, 1.0 / steps
        least = step / 2.0**HALVINGS
        while s < 1.0:
            there = self.newton(here, min(1.0, s + step))
            if there is None:
                step /= 2.0
                if step < least:
                    raise ModelError(
                        f"no equilibrium found beyond {100.0 * s:.3g} % of the loads: Newton's method does not "
                        "converge there, as where a structure buckles or a body is not held. Give more load_steps, "
                        "attach what is free, or use near= or stable=True."
                    )
            else:
                s, here = min(1.0, s + step), there
                s = 1.0 if s > 1.0 - 1e-9 else s
        self.found = here
        return self.own._replace(a=here.state.a, B=here.state.B, angle=here.state.angle)

    def settle(self, state: State | None = None) -> State:
        """The equilibrium under all loads by Newton's method from the start, or from `state`; or a ModelError."""
        begin = self.start if state is None else self.start._replace(a=state.a, B=state.B, angle=state.angle)
        lam, c = np.zeros(len(self.fit.owners)), self.compliance
        self.fit.state = begin
        g = self.fit.violations()[self.fit.hard]
        lam[self.fit.hard] = np.divide(-g, c, out=np.zeros_like(g), where=c > 0.0)  # elastic forces of this state
        here = self.newton(_Balance(begin, lam), 1.0)
        if here is None:
            raise ModelError("no equilibrium found: Newton's method does not converge from a softer cable. Use near=.")
        self.found = here
        return self.own._replace(a=here.state.a, B=here.state.B, angle=here.state.angle)

    def stability(self) -> tuple[str, Array]:
        """Whether the equilibrium found is stable, in a word, and the eigenvalues of its stiffness, weighted by mass,
        ascending: of M^(−½) (K + G_cᵀ c⁻¹ G_c) M^(−½) along motions that the rigid rows allow."""
        fit, here = self.fit, self.found
        root = np.sqrt(inverse_masses(fit.system.bodies))[self.free]
        K = self.stiffness(here, 1.0)[self.free][:, self.free].toarray() * root * root[:, None]
        fit.state = here.state
        fit.evaluate_jacobian()
        G = fit.jacobian()[fit.hard][:, self.free] * root
        elastic = self.compliance > 0.0
        scaled = G[elastic] / np.sqrt(self.compliance[elastic])[:, None]
        _, size, W = np.linalg.svd(G[~elastic], full_matrices=True)
        N = W[int(np.sum(size > 1e-9 * size.max(initial=0.0))) :].T
        if not N.shape[1]:
            return "stable", np.zeros(0)
        T, S = N.T @ (0.5 * (K + K.T)) @ N, scaled @ N
        values = np.linalg.eigvalsh(T + S.T @ S)
        soft = NEUTRAL * float(np.abs(T).max()) + LEAST_STIFFNESS * float(np.abs(values).max())
        word = "unstable" if values[0] < -soft else "stable" if values[0] > soft else "neutral"
        return word, values

    def newton(self, here: _Balance, s: float) -> _Balance | None:
        """The balance at the load factor s by (1); None if it is not found."""
        last = np.inf
        for k in range(ITERATIONS):
            here, move = self.iterated(here, s)
            if not np.isfinite(move) or (k > 2 and move > 10.0 * last and move > LARGEST):
                return None
            if move <= CONVERGED or (move <= 1e3 * CONVERGED and move >= 0.1 * last):  # the rest is round-off
                return here if here.lam[self.pulls].max(initial=0.0) <= 0.0 else None
            last = move
        return None

    def iterated(self, here: _Balance, s: float) -> tuple[_Balance, float]:
        """One iteration of (1), and the size of its move."""
        fit, free = self.fit, self.free
        f = self.balance(here, np.zeros((1, 6 * len(here.state.a))), s)[0][free]
        K = self.stiffness(here, s)[free][:, free]
        fit.state = here.state
        g = fit.violations()[fit.hard] + self.compliance * here.lam[fit.hard]
        fit.evaluate_jacobian()
        G = sparse.csr_matrix(fit.jacobian()[fit.hard][:, free])
        soft = COMPLIANCE / max(float(np.abs(K.data).max(initial=0.0)), 1e-300)
        A = sparse.bmat([[K, -G.T], [G, sparse.diags(self.compliance + soft)]], format="csc") if len(g) else K.tocsc()
        try:
            solution = splu(A).solve(np.concatenate([f, -g]))
        except RuntimeError:  # singular
            return here, np.inf
        u = np.zeros(6 * len(here.state.a))
        u[free] = solution[: len(free)]
        move = float((np.linalg.norm(u.reshape(-1, 2, 3), axis=2) / [self.size, 1.0]).max())
        if not np.isfinite(move):
            return here, np.inf
        shorter = min(1.0, LARGEST / max(move, 1e-300))
        lam = here.lam.copy()
        lam[fit.hard] += shorter * solution[len(free) :]
        moved = self.displaced(here.state, shorter * u[None])
        state = here.state._replace(a=moved.a[0], B=moved.B[0], angle=moved.angle[0])
        return _Balance(state, lam), move

    def stiffness(self, here: _Balance, s: float) -> sparse.csr_matrix:
        """K (6 n, 6 n): bodies of one color move together, and no body feels two of them."""
        n = len(here.state.a)
        spacing = LOAD_SPACING * np.array([self.size, self.size, self.size, 1.0, 1.0, 1.0])
        moves = np.zeros((len(self.colors), 6, n, 6))
        for k, (together, _) in enumerate(self.colors):
            for i in range(6):
                moves[k, i, together, i] = spacing[i]
        Y: Array = moves.reshape(-1, 6 * n)
        change = (self.balance(here, -Y, s) - self.balance(here, Y, s)).reshape(len(self.colors), 6, n, 6)
        change /= 2.0 * spacing[:, None, None]
        value, row, column = [], [], []
        for k, (_, felt) in enumerate(self.colors):
            for to, of in felt:
                block = change[k, :, to, :].T  # rows: of the force on `to`
                value.append(block.ravel())
                row.append(np.repeat(6 * to + np.arange(6), 6))
                column.append(np.tile(6 * of + np.arange(6), 6))
        where = (np.concatenate(row), np.concatenate(column))
        return sparse.csr_matrix((np.concatenate(value), where), shape=(6 * n, 6 * n))

    def colored(self) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """The bodies by color, and the pairs (acted on, moved) of each color."""
        links = [(to, of) for to, of in links_of(self.fit.system).body.tolist() if to > 0 and of > 0]
        acts: dict[int, set[int]] = {}
        for to, of in links:
            acts.setdefault(of, set()).add(to)
        colors: list[tuple[list[int], set[int]]] = []
        for of, felt in acts.items():
            for bodies, taken in colors:
                if not taken & felt:
                    bodies.append(of)
                    taken |= felt
                    break
            else:
                colors.append(([of], set(felt)))
        return [(bodies, [(to, of) for of in bodies for to in sorted(acts[of])]) for bodies, _ in colors]

    def balance(self, here: _Balance, Y: Array, s: float) -> Array:
        """f + Gᵀλ at the displacements Y (k, 6 n) from `here`, with the load factor s."""
        fit, moved = self.fit, self.displaced(here.state, Y)
        f, tau = np.zeros_like(moved.a), np.zeros_like(moved.a)
        signals = np.where(self.loaded, s, 1.0) * fit.signals
        system = fit.system._replace(gravity=s * self.gravity)
        forces_of_record(system, moved, np.repeat(signals, len(Y), axis=0), fit.work, f, tau)
        if len(fit.owners):
            for k in range(len(Y)):
                fit.state = here.state._replace(a=moved.a[k], B=moved.B[k], angle=moved.angle[k])
                fit.evaluate_jacobian()
                apply_multipliers(fit.system.blocks, fit.work.G, 1.0, here.lam, f[k], tau[k])
        return np.concatenate([f, tau], axis=2).reshape(len(Y), -1)

    def displaced(self, state: State, Y: Array) -> State:
        """`state` moved by every row of Y, with its joint coordinates."""
        u, angle = Y.reshape(len(Y), -1, 6), np.tile(state.angle, (len(Y), 1))
        moved = repeated(state, len(Y))._replace(a=state.a + u[:, :, :3], B=turned(state.B, u[:, :, 3:]), angle=angle)
        for k in range(len(Y)):
            update_coordinates(self.fit.system.coordinates, moved.a[k], moved.B[k], angle[k])
        return moved
