"""A start that fits: bodies moved onto their joints, velocities made to agree, and the mechanism counted.

Positions that are slightly off are projected, with the smallest mass-weighted move; with S = G M⁻¹ Gᵀ,

    δq = −M⁻¹ Gᵀ S⁻¹ g(q)   until g = 0,        p ← p − Gᵀ S⁻¹ (G v + ∂g/∂t).                          (1)

The rank of G at a generic position of the mechanism counts its freedom. Rows that repeat others there repeat them
everywhere: as many as repeat are left out of the stepping, chosen so that the rest stays independent along a stretch of
its motion (redundancy.py). Reactions are still those of all rows, of minimum norm (record/joints.py).
"""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..describe.model import Model
from ..describe.pose import cayley
from ..errors import ModelError, ModelWarning
from ..kernels.arrays import MU, Bodies, State, System, Work
from ..kernels.constrain import add_prescribed_rates, apply_multipliers, constraint_rates, largest_violation
from ..kernels.coordinates import update_coordinates
from ..kernels.dynamics import move_steadily
from ..kernels.kinds import VELOCITY_ONLY
from ..kernels.row_tapes import tape_jacobians, tape_rates, tape_violations
from ..kernels.rows import jacobians, violations
from ..kernels.sparse import add_compliance, assemble, factor, remove_dampers, solve
from . import start_rates
from .redundancy import Dependent, hold, largest_rows
from .rows import PRECISION, groups
from .signals import Signals
from .system import compile_model, fastest, inverse_masses, scratch

REPEATED = 1e-12  # an eigenvalue of G Gᵀ below this, its diagonal scaled to one: a row repeats others
SHIFT = 1e-6  # regularisation of S, relative to the metric, while fitting and for reactions that are not unique
REACH = 0.1  # a defect beyond this part of the mechanism's size, or of a radian, is a mistake, not an inaccuracy
STILL, DRIVEN = 1e-14, 1e-10  # m/s or rad/s: round-off of velocities where nothing moves, and of rates that drives ask
FEW = 200  # rows up to which both ways of a long stretch of motion decide which of them to leave out
DENSE = 1000  # rows up to which eigenvectors decide which to leave out; beyond, pivots do


@dataclass(frozen=True)
class Start:
    """A compiled model at a consistent start."""

    system: System
    state: State
    moved: float  # largest move of a centre of mass that assembly needed [m]
    turned: float  # largest turn [rad]
    adjusted: float  # largest change of a body's velocity that assembly needed [m/s]
    respun: float  # largest change of its rates [rad/s]
    freedom: int  # degrees of freedom
    redundant: dict[str, int]  # joint → number of its rows that are left out because they repeat others
    skip: frozenset[int]  # the numbers of those rows


def consistent_start(model: Model, quiet: bool = False) -> Start:
    """Compile `model` and bring its start onto the constraints; what had to be moved is warned of, unless `quiet`."""
    system, state = compile_model(model)
    inertialess = int((system.bodies.inverse_inertia[1:] == 0.0).sum())
    freedom = 6 * (len(model.bodies) - 1) - inertialess
    if not len(system.rows.kind):
        return Start(system, state, 0.0, 0.0, 0.0, 0.0, freedom, {}, frozenset())
    fit = Fit(model, system, state)
    moved, turned = fit.positions()
    if turned > 0.0:
        fit.refuse_flips()
    skip = fit.repeated()
    freedom -= int(fit.hard.sum()) - len(skip)
    redundant = Counter(fit.names[r] for r in sorted(skip))
    if start_rates.rates(model):
        fit.strike()
    if skip:
        lam = np.delete(state.lam, sorted(skip), axis=1)
        system, state = compile_model(model, skip)[0], state._replace(lam=lam)
    adjusted, respun = (Fit(model, system, state, skip) if skip else fit).velocities(shift=0.0)
    fit.refuse_conflicts()
    start = Start(system, state, moved, turned, adjusted, respun, freedom, dict(redundant), skip)
    if not quiet:
        _tell(start, fit.size)
    return start


def fitted(model: Model, begin: Start, state: State) -> State:
    """`state` brought onto the joints, in position and velocity, by the smallest mass-weighted moves."""
    fit = Fit(model, begin.system, State(*(x.copy() for x in state)), begin.skip)
    if len(fit.hard):
        fit.positions()
        fit.refuse_flips()
        fit.velocities()
    return fit.state


def _tell(start: Start, size: float) -> None:
    if start.moved > 1e-9 * size or start.turned > 1e-9:
        warnings.warn(
            f"the start did not fit its joints: bodies moved by up to {start.moved:.2g} m and {start.turned:.2g} rad.",
            ModelWarning, stacklevel=4,
        )  # fmt: skip
    rate = fastest(start.system.bodies, start.state, size)
    still = _still(start.system)
    if start.adjusted > max(1e-9 * size * rate, still) or start.respun > max(1e-9 * rate, still):
        warnings.warn(
            f"the initial velocities did not fit the joints: they were changed by up to {start.adjusted:.2g} m/s and "
            f"{start.respun:.2g} rad/s.",
            ModelWarning, stacklevel=4,
        )  # fmt: skip
    if start.redundant:
        count = sum(start.redundant.values())
        names = ", ".join([*map(repr, list(start.redundant)[:6]), *(["…"] if len(start.redundant) > 6 else [])])
        warnings.warn(
            f"{count} of the joints' equations repeat{'s' if count == 1 else ''} others (in {names}); the mechanism "
            f"has {start.freedom} degree{'s' if start.freedom != 1 else ''} of freedom. Its reactions are those of "
            "minimum norm, one choice among many.",
            ModelWarning, stacklevel=4,
        )  # fmt: skip


class Fit:
    """The state of a model being fitted to its joints."""

    def __init__(self, model: Model, system: System, state: State, skip: frozenset[int] = frozenset()):
        self.model, self.system, self.state, self.skip = model, system, state, skip
        self.work: Work = scratch(system)
        self.signals = np.ascontiguousarray(Signals(model).table(np.zeros(1)))
        self.hard = system.rows.rate == 0.0
        self.written = len(system.tapes.row) > 0
        self.time = float(self.signals[0, system.tapes.clock]) if system.tapes.clock >= 0 else 0.0
        arms = np.abs(system.rows.point[system.rows.body > 0]).max(initial=0.0)  # the world has no size
        size = max(float(arms), float(system.rows.value.max(initial=0.0)))
        self.size = size if size > 0.0 else max(1.0, float(np.abs(state.a).max()))

    @cached_property
    def names(self) -> list[str]:
        """Whose each row is."""
        return [group.owner.name for group in groups(self.model, self.skip) for _ in group.rows]

    def differentiate(self) -> None:
        """The gradients of all rows into work.G."""
        system, work, state = self.system, self.work, self.state
        jacobians(system.rows, system.coordinates, state.a, state.B, work.G)
        if self.written:
            tape_jacobians(
                system.tapes, system.rows.entry, state.a, state.B, self.time, work.registers, work.partial, work.G
            )

    def factorise(self, shift: float = SHIFT, tiny: float = 0.0, bodies: Bodies | None = None) -> Array:
        """Factors of S without dampers into work.H, and its reciprocal pivots; with other masses, if given."""
        system, work = self.system, self.work
        self.differentiate()
        assemble(bodies or system.bodies, system.blocks, work.G, work.G, True, work.S)
        add_compliance(system.rows, system.blocks, shift, 1.0, work.S, work.diagonal)
        H = np.empty_like(work.S)
        remove_dampers(system.blocks, work.S, H)
        pivot = np.zeros(len(self.hard))
        factor(system.blocks, H, pivot, tiny)
        self.H = H
        return pivot

    def defects(self) -> Array:
        g = np.zeros(len(self.hard))
        violations(
            self.system.rows, self.system.coordinates, self.state.a, self.state.B, self.state.angle, self.signals, 0, g
        )
        if self.written:
            tape_violations(self.system.tapes, self.state.a, self.state.B, self.time, self.work.registers, g)
        g[(self.system.rows.kind >= VELOCITY_ONLY) | ~self.hard] = 0.0
        return g

    def positions(self) -> tuple[float, float]:
        """Project positions by (1): the largest move [m] and turn [rad], or a refusal that names the joints."""
        state, system, bodies = self.state, self.system, self.system.bodies
        a0, B0 = state.a.copy(), state.B.copy()
        g = self.defects()
        far = np.abs(g) > REACH / (PRECISION * system.rows.weight)
        if far.any():
            self.refuse_drives(far)
            self.refuse(g, "does not fit at the start")
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
            g = self.defects()
        else:
            if largest_violation(self.system.rows, g)[0] > 100.0:
                self.refuse(g, "cannot be assembled")
        update_coordinates(self.system.coordinates, state.a, state.B, state.angle)
        turn = np.linalg.norm(B0 - state.B, axis=(1, 2)) / np.sqrt(2.0)
        return float(np.linalg.norm(state.a - a0, axis=1).max()), float(turn.max())

    def refuse_flips(self) -> None:
        """Rows of directions hold after half a turn as well: refuse a joint whose bodies came out turned over."""
        B = self.state.B @ np.swapaxes(self.system.bodies.axes, 1, 2)
        number = {body: k for k, body in enumerate(self.model.bodies)}
        for joint in self.model.joints:
            for u in getattr(joint, "shared", ()):
                one, two = (B[number[body]] @ (body.pose.B.T @ u) for body in (joint.a.body, joint.b.body))
                if one @ two < 0.5:  # 1 as described; −1 or 0 after half or a third of a turn
                    raise ModelError(
                        f"joint {joint.name!r} ({type(joint).__name__}) comes out turned over: bodies "
                        f"{joint.a.body.name!r} and {joint.b.body.name!r} no longer share its directions as described. "
                        "Place them closer to where they fit."
                    )

    def repeated(self) -> frozenset[int]:
        """The rows to leave out. A start may be singular by accident, and rows that others imply with ease here may be
        implied with none elsewhere: so positions along a stretch decide, if the mechanism can be moved there."""
        seen = [self.dependent()]
        if not seen[0].last:
            return frozenset()
        few = len(self.hard) <= FEW
        stretch = [0.03] + [0.3] * (10 if few else 3)
        for own, way in itertools.product((True, False), (1.0, -1.0) if few else (1.0,)):
            there = Fit(self.model, self.system, State(*(x.copy() for x in self.state)))
            for turn in stretch:
                if not there.wander(own, way * turn):
                    break
                seen.append(there.dependent())
                if seen[-1].null is None:
                    break
        least = min(len(place.last) for place in seen)
        seen = [place for place in seen if len(place.last) == least]
        nulls = [place.null for place in seen if place.null is not None]
        choices = {tuple(place.last) for place in seen}
        if nulls:
            choices.add(tuple(largest_rows(np.stack(nulls if few else nulls[:1]))))
        return frozenset(max(sorted(choices), key=lambda rows: min((hold(null, rows) for null in nulls), default=0.0)))

    def wander(self, own: bool, turn: float) -> bool:
        """Move by some `turn` [rad] along the motion it has of its `own`, or a random one that the joints allow; False
        if there is none or it fails."""
        rng = np.random.default_rng(1)
        state, bodies = self.state, self.system.bodies
        if not own:
            state.p[1:] = rng.normal(size=state.p[1:].shape) * bodies.mass[1:, None]
            state.L[1:] = rng.normal(size=state.L[1:].shape) * bodies.inertia[1:] * (bodies.inverse_inertia[1:] > 0.0)
        self.velocities()
        rate = fastest(bodies, state, self.size)
        if rate < 1e-9:
            return False
        a0, B0 = state.a.copy(), state.B.copy()
        move_steadily(bodies, turn / rate, a0, B0, state.p, state.L, state.a, state.B)
        try:
            self.positions()
        except ModelError:
            return False
        return True

    def dependent(self) -> Dependent:
        """The rows that repeat others at this position. Geometry decides, not mass: all bodies weigh the same here,
        with the joints' size for their radius of gyration."""
        bodies = self.system.bodies
        same = bodies._replace(
            inverse_mass=(bodies.inverse_mass > 0.0).astype(np.float64),
            inverse_inertia=(bodies.inverse_inertia > 0.0) / self.size**2,
        )
        pivot = self.factorise(shift=0.0, tiny=REPEATED, bodies=same)
        last = np.flatnonzero((pivot == 0.0) & self.hard).tolist()
        rows = np.flatnonzero(self.hard)
        if not last or len(rows) > DENSE:
            return Dependent(last, None)
        G = self.matrix()[rows]
        C = (G * inverse_masses(same)) @ G.T
        scale = 1.0 / np.sqrt(np.maximum(np.diag(C), 1e-300))
        values, vectors = np.linalg.eigh(C * scale[:, None] * scale)
        null = np.zeros((len(pivot), int((values < REPEATED).sum())))
        null[rows] = vectors[:, values < REPEATED]
        return Dependent(last if len(last) == null.shape[1] else largest_rows(null[None]), null)

    def matrix(self) -> Array:
        """G as a full matrix (rows, 6 n), from work.G; the world's columns are zero."""
        work, blocks, n = self.work, self.system.blocks, len(self.state.a)
        G = np.zeros((len(self.hard), n, 6))
        for J in range(len(blocks.diagonal)):
            first, last = blocks.row[J], blocks.row[J + 1]
            for s in range(blocks.side[J], blocks.side[J + 1]):
                e = blocks.side_entry[s]
                G[first:last, blocks.side_body[s]] = work.G[e : e + last - first]
        return G.reshape(len(self.hard), 6 * n)

    def velocities(self, shift: float = SHIFT, tiny: float = 1e-13) -> tuple[float, float]:
        """Project velocities by (1), set the dampers' first forces; the largest change of a body's velocity [m/s] and
        of its rates [rad/s]."""
        state, system, work = self.state, self.system, self.work
        p0, L0 = state.p.copy(), state.L.copy()
        g = np.zeros(len(self.hard))
        pivot = self.factorise(shift, tiny)
        for _ in range(6):
            constraint_rates(system.bodies, system.blocks, work.G, state.p, state.L, g)
            add_prescribed_rates(system.rows, self.signals, 0, 0.0, g)
            if self.written:
                tape_rates(system.tapes, work.partial, g)
            g[~self.hard] = 0.0
            solve(system.blocks, self.H, pivot, g)
            apply_multipliers(system.blocks, work.G, -1.0, g, state.p, state.L)
        constraint_rates(system.bodies, system.blocks, work.G, state.p, state.L, g)
        state.lam[MU] = -system.rows.rate * g
        change = np.linalg.norm(state.p - p0, axis=1) * system.bodies.inverse_mass
        spin = np.linalg.norm((state.L - L0) * system.bodies.inverse_inertia, axis=1)
        return float(change.max()), float(spin.max())

    def strike(self) -> None:
        """Velocities for the rates that joints ask for, (1) of start_rates.py."""
        model = start_rates.driven(self.model)
        system, still = compile_model(model)
        blow = Fit(model, system, self.state._replace(lam=still.lam))  # which has this state's momenta
        blow.velocities()
        asked = ", ".join(map(repr, start_rates.rates(self.model)))
        blow.refuse_conflicts(f" start_rate is asked of {asked}: ask fewer joints, or let them agree.")

    def refuse_conflicts(self, remedy: str = " Drive fewer joints, or let the drives agree.") -> None:
        """Refuse what no velocity satisfies."""
        system, work = self.system, self.work
        g = np.zeros(len(self.hard))
        self.differentiate()
        constraint_rates(system.bodies, system.blocks, work.G, self.state.p, self.state.L, g)
        left = np.where(self.hard, g, 0.0)
        add_prescribed_rates(system.rows, self.signals, 0, 0.0, left)
        if self.written:
            tape_rates(system.tapes, work.partial, left)
        asked = float(np.abs((left - g * self.hard) * system.rows.weight).max()) * PRECISION  # by drives [1/s]
        open_rates = np.abs(left) * system.rows.weight * PRECISION
        r = int(open_rates.argmax())
        if open_rates[r] > max(1e-6 * max(asked, fastest(system.bodies, self.state, self.size)), _still(system)):
            joint = self.model[self.names[r]]
            remedy = remedy if (system.rows.signal >= 0).any() else ""
            raise ModelError(
                f"the mechanism cannot move as its joints ask: at the start joint {joint.name!r} "
                f"({type(joint).__name__}) is left with {abs(left[r]):.2g} in m/s or rad/s.{remedy}"
            )

    def refuse_drives(self, far: NDArray[np.bool_]) -> None:
        """Refuse a drive that does not begin where its joint is."""
        rows = self.system.rows
        for r in np.flatnonzero(far & (rows.signal >= 0)):
            value, here = self.signals[0, rows.signal[r]], self.state.angle[rows.coordinate[r, 0]]
            raise ModelError(
                f"drive of joint {self.names[r]!r} begins at {value:g}, but the joint is at {here:g} at the start: "
                "let the drive begin there, or place the bodies where it begins."
            )

    def refuse_open(self, size: float) -> None:
        """Refuse a state given from outside whose joints are open by more than `size`, relative to theirs, at t = 0."""
        if len(self.hard) and largest_violation(self.system.rows, self.defects())[0] > size / PRECISION:
            self.refuse(self.defects(), "is not closed in the given start, whose clock begins at t = 0")

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


def _still(system: System) -> float:
    return DRIVEN if (system.rows.signal >= 0).any() else STILL
