"""A start that fits: bodies moved onto their joints, velocities made to agree, and the mechanism counted.

Positions that are slightly off are projected, with the smallest mass-weighted move; with S = G M⁻¹ Gᵀ,

    δq = −M⁻¹ Gᵀ S⁻¹ g(q)   until g = 0,        p ← p − Gᵀ S⁻¹ (G v + ∂g/∂t).                          (1)

Rows that repeat others show as vanishing pivots of S. The mechanism then has 6n − rank degrees of freedom, and S is
regularised by a relative 1e-9: the velocity level, refined, gives multipliers of minimum norm at full accuracy.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from .checks import Array
from .constraints import groups
from .errors import ModelError, ModelWarning
from .kernels.bags import State, System, Work
from .kernels.constrain import drive_rates, push, rates, worst
from .kernels.coordinates import read
from .kernels.kinds import VELOCITY_ONLY
from .kernels.rows import defects, gradients
from .kernels.sparse import assemble, factor, harden, soften, solve
from .model import Model
from .pose import hat
from .signals import Signals
from .system import compile_model, scratch

REPEATED = 1e-9  # a pivot below this part of its diagonal entry: the row repeats others
SHIFT = 1e-9  # relative regularisation of S where rows repeat
REACH = 0.1  # a defect beyond this part of the mechanism's size is a mistake, not an inaccuracy


@dataclass(frozen=True)
class Start:
    """A compiled model at a consistent start."""

    system: System
    state: State
    moved: float  # largest move of a centre of mass that assembly needed [m]
    turned: float  # largest turn [rad]
    adjusted: float  # largest change of a body's velocity that assembly needed [m/s]
    freedom: int  # degrees of freedom
    redundant: dict[str, int]  # joint → number of its rows that repeat others


def consistent_start(model: Model, quiet: bool = False) -> Start:
    """Compile `model` and bring its start onto the constraints; what had to be moved is warned of, unless `quiet`."""
    system, state = compile_model(model)
    inertialess = int((system.bodies.inverse_inertia[1:] == 0.0).sum())
    freedom = 6 * (len(model.bodies) - 1) - inertialess
    if not len(system.rows.kind):
        return Start(system, state, 0.0, 0.0, 0.0, freedom, {})
    fit = _Fit(model, system, state)
    moved, turned = fit.positions()
    rank, redundant = fit.rank()
    if redundant:
        fit.system = system = system._replace(shift=SHIFT)
    adjusted = fit.velocities()
    start = Start(system, state, moved, turned, adjusted, freedom - rank, redundant)
    if not quiet:
        _tell(start, fit.size)
    return start


def _tell(start: Start, size: float) -> None:
    if start.moved > 1e-9 * size or start.turned > 1e-9:
        warnings.warn(
            f"the start did not fit its joints: bodies were moved by up to {start.moved:.2g} m, {start.turned:.2g} rad.",
            ModelWarning, stacklevel=4,
        )  # fmt: skip
    if start.adjusted > 1e-9 * max(1.0, float(np.abs(start.state.p).max())):
        warnings.warn(
            f"the initial velocities did not fit the joints: they were changed by up to {start.adjusted:.2g} m/s.",
            ModelWarning, stacklevel=4,
        )  # fmt: skip
    if start.redundant:
        count = sum(start.redundant.values())
        names = ", ".join(repr(name) for name in start.redundant)
        warnings.warn(
            f"{count} of the joints' equations repeat{'s' if count == 1 else ''} others (in {names}); the mechanism "
            f"has {start.freedom} degree{'s' if start.freedom != 1 else ''} of freedom. It is simulated with reactions of "
            "minimum norm, which is one choice among many.",
            ModelWarning, stacklevel=4,
        )  # fmt: skip


class _Fit:
    """The state of a model being fitted to its joints."""

    def __init__(self, model: Model, system: System, state: State):
        self.model, self.system, self.state = model, system, state
        self.work: Work = scratch(system)
        self.signals = np.ascontiguousarray(Signals(model).table(np.zeros(1)))
        self.names = [group.owner.name for group in groups(model) for _ in group.rows]
        self.hard = system.rows.rate == 0.0
        self.size = max(float(np.abs(system.rows.point).max()), float(system.rows.value.max()), 1e-300)

    def factorise(self, shift: float = SHIFT, tiny: float = 0.0) -> Array:
        """Factors of S without dampers into work.H, and its reciprocal pivots."""
        system, work = self.system, self.work
        gradients(system.rows, system.coordinates, self.state.a, self.state.B, work.G)
        assemble(system.bodies, system.blocks, work.G, work.G, work.S)
        soften(system.rows, system.blocks, shift, 1.0, work.S)
        H = np.empty_like(work.S)
        harden(system.blocks, work.S, H)
        pivot = np.zeros(len(self.names))
        factor(system.blocks, H, pivot, tiny)
        self.H = H
        return pivot

    def defects(self) -> Array:
        g = np.zeros(len(self.names))
        defects(
            self.system.rows, self.system.coordinates, self.state.a, self.state.B, self.state.angle, self.signals, 0, g
        )
        g[(self.system.rows.kind >= VELOCITY_ONLY) | ~self.hard] = 0.0
        return g

    def positions(self) -> tuple[float, float]:
        """Project positions by (1): the largest move [m] and turn [rad], or a refusal that names the joints."""
        state, bodies = self.state, self.system.bodies
        a0, B0 = state.a.copy(), state.B.copy()
        g = self.defects()
        if np.abs(g).max() > REACH * max(self.size, 1.0 if self.size == 0.0 else self.size):
            self.refuse(g, "does not fit at the start")
        for _ in range(100):
            if worst(self.system.rows, g)[0] <= 0.5:
                break
            pivot = self.factorise(tiny=1e-13)
            solve(self.system.blocks, self.H, pivot, g)
            P, L = np.zeros_like(state.p), np.zeros_like(state.L)
            push(self.system.blocks, self.work.G, -1.0, g, P, L)
            state.a[1:] += bodies.inverse_mass[1:, None] * P[1:]
            for b in range(1, len(state.a)):
                state.B[b] = state.B[b] @ _cayley(0.5 * bodies.inverse_inertia[b] * L[b])
            g = self.defects()
        else:
            if worst(self.system.rows, g)[0] > 100.0:
                self.refuse(g, "cannot be assembled")
        read(self.system.coordinates, state.a, state.B, state.angle)
        turn = np.linalg.norm(B0 - state.B, axis=(1, 2)) / np.sqrt(2.0)
        return float(np.linalg.norm(state.a - a0, axis=1).max()), float(turn.max())

    def rank(self) -> tuple[int, dict[str, int]]:
        """The rank of G at the start, and how many rows of which joint repeat others."""
        pivot = self.factorise(shift=0.0, tiny=REPEATED)
        redundant: dict[str, int] = {}
        for r in np.flatnonzero((pivot == 0.0) & self.hard):
            redundant[self.names[r]] = redundant.get(self.names[r], 0) + 1
        return int(self.hard.sum()) - sum(redundant.values()), redundant

    def velocities(self) -> float:
        """Project velocities by (1), set the dampers' first forces; the largest change of a body's velocity [m/s]."""
        state, system, work = self.state, self.system, self.work
        p0 = state.p.copy()
        g = np.zeros(len(self.names))
        pivot = self.factorise(tiny=1e-13)
        for _ in range(6):
            rates(system.bodies, system.blocks, work.G, state.p, state.L, g)
            drive_rates(system.rows, self.signals, 0, g)
            g[~self.hard] = 0.0
            solve(system.blocks, self.H, pivot, g)
            push(system.blocks, work.G, -1.0, g, state.p, state.L)
        rates(system.bodies, system.blocks, work.G, state.p, state.L, g)
        state.lam[0] = -system.rows.rate * g
        change = np.linalg.norm(state.p - p0, axis=1) * system.bodies.inverse_mass
        return float(change.max())

    def refuse(self, g: Array, why: str) -> None:
        worst_of: dict[str, float] = {}
        for name, defect in zip(self.names, np.abs(g), strict=True):
            worst_of[name] = max(worst_of.get(name, 0.0), float(defect))
        bad = sorted(worst_of.items(), key=lambda item: -item[1])[:3]
        text = ", ".join(
            f"{name!r} ({type(self.model[name]).__name__}, defect {defect:.3g})"
            for name, defect in bad
            if defect > 1e-9
        )
        raise ModelError(
            f"the mechanism {why}: joint {text} in m or rad. Points are given in body coordinates, from the body "
            "frame's origin; body.point_at(x, y, z) takes a world place."
        )


def _cayley(x: Array) -> Array:
    X = hat(x)
    return np.eye(3) + 2.0 / (1.0 + x @ x) * (X + X @ X)
