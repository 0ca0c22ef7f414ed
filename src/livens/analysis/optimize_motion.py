"""Optimal control: the efforts that bring a mechanism from its start to a goal with the least effort.

The run of `lv.Livens` or `lv.RungeKutta` is divided into N segments, in each of which the efforts u_k are held. With
the map x_{k+1} = F(x_k, u_k) of a segment in joint coordinates and rates (segment.py), direct multiple shooting solves

    minimise  J = ½ Σ T u_kᵀ W u_k,    T = until/N,   with   d_k = F(x_k, u_k) − x_{k+1} = 0,   x_N at the goal      (1)

for all u_k and x_k at once: the discrete equations of motion are the constraints (discrete mechanics and optimal
control, Ober-Blöbaum, Junge & Marsden 2011). Newton's method with the exact derivatives A_k, B_k of the maps solves

    minimise  J(u + δu) + ½ ρ |δx|²     with   A_k δx_k + B_k δu_k − δx_{k+1} = −d_k,                               (2)

a sparse linear system; a step is shortened until the merit function J + μ Σ|d_k| decreases, μ above the multipliers of
(2), and ρ grows where steps are shortened. Bounds of u_k and x_k are those of barrier.py, which is added to J. A
segment may be divided into parts with maps of their own and the same u_k: bounds then hold at the x_k of all parts, and
so at every step. Rotation vectors change by small rotations (rotation_coordinates.py), with exp(d_k) δx_{k+1} in place
of δx_{k+1}. At the end the segments join to round-off, by steps that change the efforts least: no other discretisation
stands between the optimum and `lv.simulate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import block_diag, bmat, diags, lil_matrix
from scipy.sparse.linalg import splu

from ..checks import Array, finite, nearest, number, positive
from ..compile.compiled import Compiled
from ..describe.controller import Controller
from ..describe.model import Model
from ..describe.thing import Thing
from ..errors import LivensError, ModelError
from ..record.trajectory import Trajectory
from ..run.simulate import simulate
from ..step.livens import Livens
from ..step.runge_kutta import RungeKutta
from .barrier import Barrier
from .joint_space import JointSpace
from .rotation_coordinates import RotationCoordinates
from .segment import Segment

MOST_HALVINGS = 12
MOST_MOVE = 3.0  # largest change of a coordinate in one iteration [rad], or of the model's size
CLOSED = 1e-12  # largest defect, relative to the size of the states
NEAR = 1e-3  # largest defect, relative to the size of the states, from which on the cost is compared


@dataclass(frozen=True)
class OptimalMotion:
    """What `lv.optimize_motion` finds."""

    motion: Trajectory  # the motion with the efforts found
    efforts: Array  # in each segment (N, inputs) [N m or N]
    times: Array  # the beginning of each segment [s] (N,)
    cost: float  # J of (1)
    iterations: int
    miss: float  # largest difference of the end of the motion from the goal
    controller: Controller  # exerts the efforts: add it to another model with the same joints

    def __repr__(self) -> str:
        return f"OptimalMotion({len(self.efforts)} segments, {self.iterations} iterations, misses by {self.miss:.1e})"


def optimize_motion(
    model: Model,
    inputs: Sequence[Any],
    goal: Mapping[str, float] | ArrayLike,
    *,
    h: float,
    until: float,
    segments: int = 40,
    rates: ArrayLike = 0.0,
    weights: ArrayLike = 1.0,
    guess: ArrayLike | None = None,
    scheme: Livens | RungeKutta | None = None,
    nodes: int = 1,
    effort_limits: tuple[ArrayLike, ArrayLike] | None = None,
    state_limits: Mapping[str, tuple[float | None, float | None]] | None = None,
    tolerance: float = 1e-6,
    most: int = 200,
) -> OptimalMotion:
    """The efforts with the least ½ ∫ Σ w u² dt that bring the model from its start to a goal at t = until [s].

    inputs: joints on which efforts act or their names, or (joint, "angle_b"), as for `lv.Controller`. goal: joint
    coordinates at the end by name [rad or m], or all of them; coordinates that are not named are free. rates: all rates
    at the end (default: at rest). segments: the efforts are held in each; a segment is a whole number of steps h [s].
    weights: one for each input. guess: efforts (segments, inputs) to begin with. effort_limits: (lowest, highest), each
    a number or one for each input. state_limits: such as {"q.rail": (-1, 1), "v.pole": (None, 3)}, for coordinates and
    rates; they hold at the nodes, the beginnings of equal parts of each segment. nodes: how many a segment has, a
    divisor of its number of steps; as many as steps, and the limits hold at every step. Rotation vectors of ball joints
    and free bodies ("ball.turn_x", …) have a goal for all three numbers or for none, and no limits. scheme: `lv.Livens`
    (default) or `lv.RungeKutta`. tolerance: it ends where an iteration decreases the cost by less than this part. The
    optimum is a local one; a bad start or too little time ends in an error.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> cart = m.add(lv.Body(lv.Box(1, 1, 1, mass=2.0), name="cart"))
    >>> rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=(1, 0, 0), name="rail"))
    >>> found = lv.optimize_motion(m, inputs=[rail], goal={"rail": 1.0}, h=0.01, until=1.0, segments=20)
    >>> found.efforts[:2, 0].round(2), found.miss < 1e-9  # near u = m (6 − 12 t)
    (array([11.43, 10.23]), True)
    """
    if not isinstance(model, Model):
        raise ModelError(f"a motion to optimise is that of a model, not of {model!r}.")
    if isinstance(inputs, str | Thing) or not isinstance(inputs, Sequence) or not inputs:
        raise ModelError(f"inputs are a list of joints or their names, not {inputs!r}.")
    scheme = Livens() if scheme is None else scheme
    if not isinstance(scheme, Livens | RungeKutta):
        raise ModelError(f"a motion is optimised with lv.Livens or lv.RungeKutta, not with {scheme!r}.")
    for what, count, least in (("segments", segments, 2), ("most", most, 1)):
        if isinstance(count, bool) or not isinstance(count, int) or count < least:
            raise ModelError(f"{what} must be a whole number from {least} on, not {count!r}.")
    steps = round(positive(until, "until", "s") / positive(h, "h", "s") / segments)
    if steps < 1 or abs(steps * h * segments - until) > 1e-9 * until:
        raise ModelError(
            f"{segments} segments of {until:g} s are not whole numbers of steps of {h:g} s: try h = "
            f"{until / segments / max(1, round(until / segments / h)):g}."
        )
    if nodes not in range(1, steps + 1) or steps % nodes:
        raise ModelError(f"nodes is a divisor of {steps}, the number of steps of a segment, not {nodes!r}.")
    replay = Replay(segments / until, np.zeros((segments, len(inputs))))
    known = [(_found(model, x[0]), *x[1:]) if isinstance(x, tuple) else _found(model, x) for x in inputs]
    controller = Controller(replay, known, rate=segments / until, name="optimal control")
    driven = model.with_things([*model.joints, *model.forces])
    driven.add(controller)
    problem = Shooting(driven, scheme, float(h), steps, nodes, controller, goal, rates, weights)
    problem.set_limits(effort_limits, state_limits or {})
    efforts, iterations = problem.solve(guess, positive(tolerance, "tolerance"), most)
    replay.efforts[:] = efforts
    motion = simulate(driven, problem.scheme, h=h, until=until, progress=False)
    miss = float(np.abs(problem.missed(np.concatenate(problem.space.read(motion.state)))).max())
    times = np.arange(segments, dtype=np.float64) * (until / segments)
    return OptimalMotion(motion, efforts, times, problem.cost(efforts), iterations, miss, controller)


def _found(model: Model, x: Any) -> Any:
    """The thing of a name, or what is given."""
    return model[x] if isinstance(x, str) else x


class Replay:
    """Efforts of segments as the function of a controller."""

    def __init__(self, rate: float, efforts: Array):
        self.rate, self.efforts = rate, efforts

    def __call__(self, t: float, now: Any) -> Array:
        return np.asarray(self.efforts[min(round(t * self.rate), len(self.efforts) - 1)])


class Shooting:
    """The problem (1) of a model with a controller."""

    def __init__(
        self,
        model: Model,
        scheme: Livens | RungeKutta,
        h: float,
        steps: int,
        nodes: int,
        controller: Controller,
        goal: Mapping[str, float] | ArrayLike,
        rates: ArrayLike,
        weights: ArrayLike,
    ):
        self.space, self.scheme = JointSpace(Compiled.of(model, quiet=True), driven=True), scheme
        compiled, names = self.space.compiled, self.space.names
        self.rotations = RotationCoordinates(self.space)
        if self.rotations.parts:
            name = names[self.rotations.parts[0]]
            raise ModelError(f"{name} is part of a rotation vector that a loop constrains: it cannot be optimised.")
        if compiled.system.contacts.capacity:
            raise ModelError("a motion with contacts cannot be optimised: contacts make its derivative jump.")
        columns = [one.first for one in compiled.signals(h).controlled if one.owner in controller.motors]
        self.segment, self.T, self.k = Segment(self.space, scheme, h, steps // nodes, columns), steps * h, len(columns)
        self.N, self.m = len(controller.fn.efforts), len(names)  # type: ignore[attr-defined]
        self.M, self.nodes = self.N * nodes, nodes  # states x_1 to x_M
        self.weights = np.broadcast_to(finite(weights, (self.k,) if np.ndim(weights) else (), "weights"), (self.k,))
        if self.weights.min() <= 0.0:
            raise ModelError(f"weights must be positive, not {weights!r}: without effort there is no least effort.")
        self.start = np.concatenate(self.space.read(compiled.state))
        self.goal = np.concatenate([self._positions(goal), self._rates(rates)])
        self.fixed = np.flatnonzero(np.isfinite(self.goal))
        self.last = np.setdiff1d(np.arange(2 * self.m), self.fixed)  # free numbers of the last state
        for k in self.rotations.first:
            if 0 < np.isfinite(self.goal[k : k + 3]).sum() < 3:
                whole = ", ".join(names[k : k + 3])
                raise ModelError(f"the goal of a rotation vector is all of {whole}, or none of them.")
        self.set_limits(None, {})

    def set_limits(
        self,
        efforts: tuple[ArrayLike, ArrayLike] | None,
        states: Mapping[str, tuple[float | None, float | None]],
    ) -> None:
        """The bounds of the efforts, and of the states x_1 to x_M."""
        low, high = np.full((self.N, self.k), -np.inf), np.full((self.N, self.k), np.inf)
        if efforts is not None:
            try:
                low[:], high[:] = efforts
            except (TypeError, ValueError):
                low[:], high[:] = np.nan, np.nan
            if not (low < high).all():
                raise ModelError(
                    f"effort_limits is (lowest, highest), each a number or one for each of {self.k} inputs, not "
                    f"{efforts!r}."
                )
        self.of_efforts = Barrier(low, high)
        low, high = np.full((self.M, 2 * self.m), -np.inf), np.full((self.M, 2 * self.m), np.inf)
        if not isinstance(states, Mapping):
            raise ModelError(f'state_limits is a dictionary such as {{"q.rail": (-1, 1)}}, not {states!r}.')
        for name, given in states.items():
            k, (lowest, highest) = self._number(name), _two_limits(name, given)
            for x, where in ((self.start[k], "the start"), (self.goal[k], "the goal")):
                if x < lowest or x > highest:
                    raise ModelError(f"{name} = {x:g} at {where} is beyond its limits {lowest:g} to {highest:g}.")
            low[:, k], high[:, k] = lowest, highest
        low[-1, self.fixed], high[-1, self.fixed] = -np.inf, np.inf
        self.of_states = Barrier(low, high)

    def _number(self, name: str) -> int:
        """The number of a coordinate "q.NAME" or rate "v.NAME" in a state."""
        names = self.space.names
        if not isinstance(name, str) or name[:2] not in ("q.", "v.") or name[2:] not in names:
            known = [f"{x}.{one}" for x in "qv" for one in names]
            raise ModelError(f"state_limits has no {name!r}; {nearest(name, known)}")
        k = names.index(name[2:]) + (self.m if name[0] == "v" else 0)
        if k in self.rotations.whole:
            raise ModelError(f"{name!r} is part of a rotation vector, which has no limits.")
        return k

    def _positions(self, goal: Mapping[str, float] | ArrayLike) -> Array:
        names = self.space.names
        if not isinstance(goal, Mapping):
            return finite(goal, (self.m,), "goal")
        for name in goal:
            if name not in names:
                raise ModelError(f"goal has no coordinate {name!r}; {nearest(name, names)}")
        known = {name: number(x, f"the goal of {name}") for name, x in goal.items()}
        return np.array([known.get(name, np.nan) for name in names])

    def _rates(self, given: ArrayLike) -> Array:
        return np.broadcast_to(finite(given, (self.m,) if np.ndim(given) else (), "rates"), (self.m,))

    def missed(self, x: Array) -> Array:
        """The differences of a state from the goal."""
        goal = np.where(np.isfinite(self.goal), self.goal, x)
        return self.rotations.difference(x, goal)[self.fixed]

    def cost(self, u: Array) -> float:
        """J of (1)."""
        return float(0.5 * self.T * (self.weights * u**2).sum())

    def guessed(self) -> Array:
        """States on the straight way from the start to the goal (M + 1, 2m)."""
        end = np.where(np.isfinite(self.goal), self.goal, self.start)
        way = self.rotations.difference(end, self.start)
        x = self.rotations.moved(np.tile(self.start, (self.M + 1, 1)), np.linspace(0.0, 1.0, self.M + 1)[:, None] * way)
        x[1:, self.m :] = way[: self.m] / (self.N * self.T)
        x[-1] = end
        return x

    def maps(self, x: Array, u: Array) -> tuple[Array, Array, Array]:
        """The defects d (M, 2m), and A, B of all parts."""
        d, A, B = np.zeros((self.M, 2 * self.m)), [], []
        for n in range(self.M):
            t = n * self.T / self.nodes
            end = self.segment(self.space.damped_state(x[n, : self.m], x[n, self.m :], t), t, u[n // self.nodes])
            d[n] = self.rotations.difference(np.concatenate(self.space.read(end.state)), x[n + 1])
            A.append(end.A)
            B.append(end.B)
        return d, np.array(A), np.array(B)

    def solve(self, guess: ArrayLike | None, tolerance: float, most: int) -> tuple[Array, int]:
        """The efforts (N, inputs), and the number of iterations."""
        shape, bounds = (self.N, self.k), self.of_efforts.count + self.of_states.count
        x, u = self.guessed(), np.zeros(shape) if guess is None else finite(guess, shape, "guess").copy()
        size = float(np.abs(x).max()) or 1.0
        x[1:] = self.of_states.inside(x[1:], size)
        d, A, B = self.maps(x, u)
        unit = float(1.0 / (np.abs(B).max() * self.M)) * size  # an effort that moves it that far
        if self.of_efforts.count:
            u = self.of_efforts.inside(u, unit)
            d, A, B = self.maps(x, u)
        rho, mu = 1e-2 * self.T / self.nodes * unit**2 * float(self.weights.max()) / size**2, 0.0
        beta = 0.1 * max(self.cost(u), self.cost(np.full(shape, unit))) / bounds if bounds else 0.0
        self.of_efforts.begin(u, beta)
        self.of_states.begin(x[1:], beta)
        for iteration in range(1, most + 1):
            slopes = self.T * self.weights * u + self.of_efforts.gradient(u, beta), self.of_states.gradient(x[1:], beta)
            dx, du, largest = self._direction(x, u, slopes, d, A, B, rho)
            mu = max(mu if not bounds else 0.7 * mu, 1.1 * largest)  # multipliers shrink with β
            descent = float((slopes[0] * du).sum() + (slopes[1] * dx[1:]).sum())
            before, slope = self._merit(x, u, d, mu, beta), descent - mu * np.abs(d).sum()
            part = min(1.0, MOST_MOVE * size / max(float(np.abs(dx).max()), 1e-300))
            part = min(part, self.of_efforts.part(u, du), self.of_states.part(x[1:], dx[1:]))
            longest = part
            for tries in range(MOST_HALVINGS):
                tried = self.rotations.moved(x, part * dx), u + part * du
                try:
                    new = self.maps(*tried)
                    if tries == 0 and not self._merit(*tried, new[0], mu, beta) <= before + 1e-4 * part * slope:
                        more = self._direction(x, u, self._still, new[0], A, B, rho)  # for the curvature of the maps
                        tried = self.rotations.moved(tried[0], more[0]), tried[1] + more[1]
                        new = self.maps(*tried)
                    if self._merit(*tried, new[0], mu, beta) <= before + 1e-4 * part * slope:
                        break
                except LivensError:  # a mechanism that does not reach this position, or a step that fails
                    pass
                part *= 0.5
            self.of_efforts.follow(u, part * du, tried[1], beta)
            self.of_states.follow(x[1:], part * dx[1:], tried[0][1:], beta)
            (x, u), (d, A, B) = tried, new
            rho *= 4.0 if part < 0.1 * longest else 0.3 if part > 0.4 * longest else 1.0
            near, cost = np.abs(d).max() <= NEAR * size, max(self.cost(u), 1e-300)
            if bounds and beta * bounds > 0.1 * tolerance * cost:
                if near and -slope <= beta * bounds + tolerance * cost:
                    beta *= 0.2
            elif near and -slope <= tolerance * cost:
                for _ in range(MOST_HALVINGS):
                    if np.abs(d).max() <= CLOSED * size:
                        return u, iteration
                    dx, du, _ = self._direction(x, u, self._still, d, A, B, rho)
                    part = min(self.of_efforts.part(u, du), self.of_states.part(x[1:], dx[1:]))
                    x, u = self.rotations.moved(x, part * dx), u + part * du
                    d, A, B = self.maps(x, u)
        raise LivensError(
            f"no optimal motion found in {most} iterations: the states do not join by {np.abs(d).max():.1e}, the "
            f"efforts change by {np.abs(du).max() / max(np.abs(u).max(), 1e-300):.1e} of the largest. Give more time "
            "(until), more segments, wider limits, a guess, or more iterations (most)."
        )

    @property
    def _still(self) -> tuple[Array, Array]:
        """No slopes: a direction that joins the segments only."""
        return np.zeros((self.N, self.k)), np.zeros((self.M, 2 * self.m))

    def _merit(self, x: Array, u: Array, d: Array, mu: float, beta: float) -> float:
        bounds = self.of_efforts.cost(u, beta) + self.of_states.cost(x[1:], beta)
        return float(self.cost(u) + bounds + mu * np.abs(d).sum())

    def _direction(
        self, x: Array, u: Array, slopes: tuple[Array, Array], d: Array, A: Array, B: Array, rho: float
    ) -> tuple[Array, Array, float]:
        """δx (M + 1, 2m) and δu (N, inputs) of (2) for the slopes of the cost, and its largest multiplier."""
        N, M, n, k = self.N, self.M, 2 * self.m, self.k
        free = np.concatenate([np.arange((M - 1) * n), (M - 1) * n + self.last])  # of x_1 to x_M
        J = lil_matrix((M * n, N * k + M * n))
        for i in range(M):
            rows, u0 = slice(i * n, (i + 1) * n), i // self.nodes * k
            J[rows, u0 : u0 + k] = B[i]
            if i:
                J[rows, N * k + (i - 1) * n : N * k + i * n] = A[i]
            J[rows, N * k + i * n : N * k + (i + 1) * n] = -self.rotations.turn(d[i])
        J = J.tocsc()[:, np.concatenate([np.arange(N * k), N * k + free])]
        of_u = np.tile(self.T * self.weights, N) + self.of_efforts.curvature(u).ravel()
        of_x = rho + self.of_states.curvature(x[1:]).ravel()[free]
        H = block_diag([diags(of_u), diags(of_x)])
        right = np.concatenate([-slopes[0].ravel(), -slopes[1].ravel()[free], -d.ravel()])
        try:
            z = splu(bmat([[H, J.T], [J, None]], format="csc")).solve(right)
        except RuntimeError:
            raise LivensError(
                "no optimal motion found: the inputs cannot bring the model to the goal within the limits. Give more "
                "time (until), wider limits, or more inputs."
            ) from None
        dx = np.zeros((M + 1) * n)
        dx[n + free] = z[N * k : N * k + len(free)]
        return dx.reshape(M + 1, n), z[: N * k].reshape(N, k), float(np.abs(z[N * k + len(free) :]).max())


def _two_limits(name: str, given: Any) -> tuple[float, float]:
    """(lowest, highest), infinite where None is given."""
    try:
        low, high = (float(x if x is not None else inf) for x, inf in zip(given, (-np.inf, np.inf), strict=True))
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not low < high:
        raise ModelError(f"the limits of {name!r} are (lowest, highest), with None where there is none, not {given!r}.")
    return low, high
