"""The stiffest vibration and the fastest spin of a model at its start, and the steps that they allow.

Displacements are weighted by mass, δq = M^(−½) y, and those that the joints allow are y = P y, with

    P = I − M^(−½) Gᵀ S⁻¹ G M^(−½),      S = G M⁻¹ Gᵀ,      λ = −S⁻¹ G M⁻¹ f.                                   (1)

Products with the stiffness matrix come from differences of all forces, with constant multipliers:

    K y = −P M^(−½) [f(q + δ) + G(q + δ)ᵀλ − f(q − δ) − G(q − δ)ᵀλ] / 2ε,      δ = ε M^(−½) P y.                    (2)

The largest eigenvalue of K, ω², is the square of the stiffest frequency [rad/s] (Lanczos' method, SciPy). Stops count
as if they were touched. A step of order 2 is stable for h < 2/ω; for accuracy hω, and h times the rate at which bodies
turn or soon will under the forces at the start, stay below the phase that the scheme allows per step.          (3)

The fastest vibrations of a beam or cable are those of one section against the next. They have half of a wave between
two sections, so that their error is that of the sections, whatever the step: there hω stays below INNER_PHASE, which is
stable, and (3) holds for ω of all other motions: the largest eigenvalue of K among displacements of other bodies, and
of sections on which springs or other forces act.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..compile.assembly import SHIFT, Assembly
from ..compile.compiled import Compiled
from ..compile.signals import Signals
from ..compile.states import as_record, copied
from ..compile.system import inverse_masses
from ..compile.wide_differences import known_values
from ..describe.model import Model
from ..describe.pose import turned
from ..describe.row import Drive
from ..describe.thing import Thing
from ..errors import ModelError, unless_from_outside
from ..kernels.arrays import State, System
from ..kernels.constrain import apply_multipliers, constraint_rates
from ..kernels.coordinates import update_coordinates
from ..kernels.forces import forces_of_record
from ..kernels.sparse import solve
from ..step.scheme import phase_per_step

ROUNDS = 60  # restarts of Lanczos' method at most
EIGENVALUE_TOLERANCE = 1e-6  # relative accuracy of the eigenvalue
SPACING = 1e-6  # of the differences, in rad or parts of the model's size
INNER_PHASE = 0.5  # [rad] of vibrations between the sections of a beam in a step
FEWEST_STEPS = 100  # steps of a run whose model gives no reason for more
PRESCRIBED = 10.0  # the time over which prescribed motions are examined, relative to their pace, at SAMPLES times
SAMPLES = 200
TIMES = 2.0 ** np.arange(-80, 81)  # at which the pace is looked for, in any unit of time


@dataclass(frozen=True)
class Stiffness:
    """What limits the step. `frequency`: of the stiffest vibration [rad/s], 0 if nothing vibrates; `body`: the one that
    moves most in it; `spin`: the fastest rate of a body, now or soon [rad/s]; `spinning`: that body; `outside`: the
    stiffest vibration that is not one between the sections of a beam or cable [rad/s]."""

    frequency: float
    body: str
    spin: float
    spinning: str
    outside: float

    @property
    def largest(self) -> float:
        """The largest stable step of order 2, 2/ω [s]; a body may turn by about a radian in a step."""
        return min(2.0 / self.frequency if self.frequency else np.inf, 1.0 / self.spin if self.spin else np.inf)

    def step(self, order: int = 2, until: float = np.inf) -> float:
        """A step that resolves both [s], with one or two digits, by (3)."""
        return self.resolving(phase_per_step(order), until)

    def resolving(self, phase: float, until: float = np.inf) -> float:
        """A step in which the phase of the stiffest vibration and of the fastest rotation is at most `phase` [rad];
        that of vibrations between the sections of a beam may be INNER_PHASE."""
        fastest = max(self.outside, self.spin)
        h = phase / fastest if fastest else np.inf
        h = min(h, max(phase, INNER_PHASE) / self.frequency if self.frequency else np.inf, until / FEWEST_STEPS)
        return _rounded(h) if np.isfinite(h) else np.inf

    def __str__(self) -> str:
        parts = []
        if self.frequency:
            where = f"most of it in body {self.body!r}"
            if self.outside < self.frequency:
                where = f"between sections of a beam or cable at body {self.body!r}"
            parts.append(f"the stiffest vibration has {self.frequency:.3g} rad/s, {where}")
        if self.spin:
            parts.append(f"body {self.spinning!r} turns at up to {self.spin:.3g} rad/s")
        return ", ".join(parts) if parts else "nothing vibrates or turns at the start"


def stiffness(model: Model) -> Stiffness:
    """The stiffest vibration and the fastest spin of `model` at its start.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ball = m.add(lv.Body(lv.PointMass(2.0), at=(1, 0, 0), name="ball"))
    >>> spring = m.add(lv.Spring(m.world.point(0, 0, 0), ball.point(0, 0, 0), stiffness=800.0))
    >>> found = lv.stiffness(m)
    >>> round(found.frequency, 4), found.body, round(found.largest, 4)
    (20.0, 'ball', 0.1)
    """
    return stiffness_of(Compiled.of(model, quiet=True))


def stiffness_of(compiled: Compiled, stops: bool = True, until: float = np.inf) -> Stiffness:
    """The same of a compiled model. stops: count stops as if they were touched, also those that are not; until: the end
    of the run [s]."""
    found, (rate, body) = _Linear(compiled, stops).found(), _prescribed(compiled, until)
    return replace(found, spin=rate, spinning=body) if rate > found.spin else found


def _prescribed(compiled: Compiled, until: float) -> tuple[float, str]:
    """The fastest of |φ̇| and √|φ̈| of prescribed angles φ, or of displacements over the joints' size [rad/s], and the
    body that they move."""
    fastest, body = 0.0, ""
    drives = Signals(compiled.model).drives
    size = compiled.assembly(compiled.state).size if drives else 1.0
    for owner, drive, k in drives:
        unit = 1.0 if owner.coordinates and owner.coordinates[0].is_angle else size
        sampled = partial(_sampled, compiled, owner, drive, unit, until)
        try:
            table = sampled()
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # of the user, perhaps not defined for so long
            unless_from_outside(error, sampled)
            continue
        _, rate, acceleration = table[:, k : k + 3].T
        now = max(float(np.abs(rate).max()) / unit, float(np.sqrt(np.abs(acceleration).max() / unit)))
        fastest, body = max((fastest, body), (now, owner.points[-1].body.name))
    return fastest, body


def _sampled(compiled: Compiled, owner: Thing, drive: Drive, unit: float, until: float) -> Array:
    """The table of all signals, over a time in which one prescribed motion changes by some radians or units."""
    end = min(until, PRESCRIBED * _pace(owner, drive, unit, until))
    return Signals(compiled.model, end / SAMPLES).table(np.linspace(0.0, end, SAMPLES))


def _pace(owner: Thing, drive: Drive, unit: float, until: float) -> float:
    """The time [s] in which a prescribed motion first changes by a radian or by `unit`, or by a tenth of its largest
    change if that is less; up to the end of the run. 1 if it does not change."""
    times = TIMES[until >= TIMES]
    value = known_values(owner, drive, np.append(0.0, times))
    change = np.nan_to_num(np.abs(value[1:] - value[0]), nan=0.0, posinf=0.0)
    least = min(unit, 0.1 * float(change.max(initial=0.0)))
    return float(times[np.flatnonzero(change >= least)[0]]) if least > 0.0 else 1.0


class _Linear:
    """A model at its start, and products with its stiffness."""

    def __init__(self, compiled: Compiled, stops: bool = True):
        coordinates = _touching(compiled.system, compiled.state) if stops else compiled.system.coordinates
        system = compiled.system._replace(coordinates=coordinates)
        self.model, self.compiled, self.state = compiled.model, compiled, compiled.state
        start = copied(compiled.state)
        self.fit = Assembly(compiled.model, system, start, compiled.owners)
        self.root = np.sqrt(inverse_masses(system.bodies))
        self.rows = len(self.fit.owners)
        self.lam = np.zeros(self.rows)
        if self.rows:
            self.pivot = self.fit.factorise(SHIFT, 1e-13)
            self.G = self.fit.work.G.copy()
        f = self.forces(self.state, np.zeros(self.rows))
        if self.rows:
            self.lam = -self.multipliers(self.root * f)
        self.pull = f

    def found(self) -> Stiffness:
        value, mode = self.largest(np.ones_like(self.root))
        inner = _inner_sections(self.model)
        outside = value
        if inner.any() and value > 0.0:
            outside, _ = self.largest(np.repeat(np.where(inner, 0.0, 1.0), 6))
        moves = np.linalg.norm((self.root * mode).reshape(-1, 6)[:, :3], axis=1)
        turns = np.linalg.norm((self.root * mode).reshape(-1, 6)[:, 3:], axis=1) * self.fit.size
        gained, bodies = self.gained(), self.model.bodies
        now = np.linalg.norm(self.state.L * self.compiled.system.bodies.inverse_inertia, axis=1)
        spins = np.sqrt(now**2 + 2.0 * gained)  # a radian later
        least = gained.max()  # K has no meaning below it
        return Stiffness(
            frequency=float(np.sqrt(value)) if value > least else 0.0,
            outside=float(np.sqrt(min(outside, value))) if min(outside, value) > least else 0.0,
            body=bodies[int(np.argmax(moves + turns))].name,
            spin=float(spins.max(initial=0.0)),
            spinning=bodies[int(np.argmax(spins))].name,
        )

    def gained(self) -> Array:
        """The angular acceleration of each body [rad/s²] by the forces at the start."""
        y = self.allowed(self.root * self.pull)
        return np.linalg.norm((self.root * y).reshape(-1, 6)[:, 3:], axis=1)

    def largest(self, some: Array) -> tuple[float, Array]:
        """The largest eigenvalue of K among displacements where `some` is one, not zero, and its vector."""
        n = len(self.root)
        y = some * self.allowed(np.random.default_rng(1).normal(size=n) * (self.root > 0.0))
        if np.linalg.norm(y) <= 1e-9 * np.sqrt(n) or not self.product(y).any():
            return 0.0, np.zeros(n)
        value, mode = _eigenpair(lambda y: some * self.product(some * y), y)
        return (value, mode) if value > self.soft() else (0.0, mode)

    def soft(self) -> float:
        """An eigenvalue below this is round-off of the differences, in any unit of length."""
        eps = np.finfo(np.float64).eps
        lengths = np.array([self.fit.size] * 3 + [1.0] * 3)
        loosest = float((self.root.reshape(-1, 6) / lengths).max())  # a displacement in sizes of the model, or in rad
        return 1e2 * eps * float(np.linalg.norm(self.root * self.pull)) / SPACING * loosest

    def product(self, y: Array) -> Array:
        """K y by (2)."""
        y = self.allowed(y)
        u = (self.root * y).reshape(-1, 6)
        far = max(np.abs(u[:, :3]).max() / self.fit.size, np.abs(u[:, 3:]).max(), 1e-300)
        step = SPACING / far
        ahead, behind = (self.forces(self.moved(side * step * u), self.lam) for side in (1.0, -1.0))
        z = self.allowed(self.root * (behind - ahead)) / (2.0 * step)
        if not np.isfinite(z).all():
            raise ModelError(f"the forces on {self.model.name!r} at the start are too large to compute with.")
        return z

    def moved(self, u: Array) -> State:
        """The state displaced by u (n, 6)."""
        B = turned(self.state.B, u[:, 3:])
        there = self.state._replace(a=self.state.a + u[:, :3], B=B, angle=self.state.angle.copy())
        update_coordinates(self.fit.system.coordinates, there.a, there.B, there.angle)
        return there

    def forces(self, state: State, lam: Array) -> Array:
        """f + Gᵀλ (6 n,)."""
        fit = self.fit
        f, tau = np.zeros_like(state.p)[None], np.zeros_like(state.L)[None]
        forces_of_record(fit.system, as_record(state), fit.signals, fit.work, f, tau)
        if self.rows:
            fit.state = state
            fit.evaluate_jacobian()
            apply_multipliers(fit.system.blocks, fit.work.G, 1.0, lam, f[0], tau[0])
        return np.concatenate([f[0], tau[0]], axis=1).ravel()

    def multipliers(self, y: Array) -> Array:
        """S⁻¹ G M^(−½) y, of constraints alone."""
        z = np.divide(y, self.root, out=np.zeros_like(y), where=self.root > 0.0).reshape(-1, 6)
        g = np.zeros(self.rows)
        blocks = self.fit.system.blocks
        constraint_rates(
            self.fit.system.bodies, blocks, self.G, np.ascontiguousarray(z[:, :3]), np.ascontiguousarray(z[:, 3:]), g
        )
        g[~self.fit.hard] = 0.0
        solve(blocks, self.fit.H, self.pivot, g)
        return g

    def allowed(self, y: Array) -> Array:
        """P y; three times, because S is slightly regularised."""
        y = y * (self.root > 0.0)
        for _ in range(3 if self.rows else 0):
            p, L = np.zeros_like(self.state.p), np.zeros_like(self.state.L)
            apply_multipliers(self.fit.system.blocks, self.G, -1.0, self.multipliers(y), p, L)
            y = y + self.root * np.concatenate([p, L], axis=1).ravel()
        return y


def _inner_sections(model: Model) -> NDArray[np.bool_]:
    """(bodies,) True for the sections of beams and cables on which no other force acts."""
    sweeps = {thing.name: [g.sweep for g in thing.glyphs() if g.sweep is not None] for thing in model.forces}
    inner = {body.name for some in sweeps.values() for sweep in some for body in sweep.bodies}
    for thing in model.forces:
        if not sweeps[thing.name] and not any(glyph.kind == "load" for glyph in thing.glyphs()):
            inner -= {point.body.name for point in thing.points}
    return np.array([body.name in inner for body in model.bodies])


def _eigenpair(product: Callable[[Array], Array], y: Array) -> tuple[float, Array]:
    """The largest eigenvalue of a symmetric matrix, given by its products, and its vector; `y` is the first guess."""
    try:
        from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
    except ImportError:  # in the browser, where models are small
        K = np.stack([product(e) for e in np.eye(len(y))], axis=1)
        values, vectors = np.linalg.eigh(0.5 * (K + K.T))
        return float(values[-1]), vectors[:, -1]
    K = LinearOperator((len(y), len(y)), matvec=product, dtype=np.float64)
    try:
        values, vectors = eigsh(K, k=1, which="LA", v0=y, tol=EIGENVALUE_TOLERANCE, maxiter=ROUNDS)
    except ArpackNoConvergence:
        y = y / np.linalg.norm(y)
        z = product(y)  # the Rayleigh quotient and the residual bound some eigenvalue from above
        return float(z @ y) + float(np.linalg.norm(z - float(z @ y) * y)), y
    return float(values[0]), vectors[:, 0]


def _touching(system: System, state: State) -> Any:
    """The joint coordinates with their stops touched: as springs at rest where they are."""
    q = system.coordinates
    stopped = np.isfinite(q.limit).any(axis=1)
    stiff = q.stiffness + np.where(stopped, q.stop, 0.0)
    pull = q.stiffness * (state.angle - q.rest)
    rest = np.where(stopped, state.angle - np.divide(pull, stiff, out=np.zeros_like(pull), where=stiff > 0.0), q.rest)
    open_ended = np.where(np.reshape(stopped, (-1, 1)), np.array([-np.inf, np.inf]), q.limit)
    return q._replace(stiffness=stiff, rest=rest, limit=open_ended)


def _rounded(x: float) -> float:
    """Down to 1, 2 or 5 times a power of ten."""
    digit = 10.0 ** np.floor(np.log10(x))
    return float(f"{max(k for k in (1.0, 2.0, 5.0) if k * digit <= x * (1 + 1e-9)) * digit:.1e}")
