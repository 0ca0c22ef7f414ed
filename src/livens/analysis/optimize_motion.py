"""Optimal control: the efforts that bring a mechanism from its start to a goal with the least effort.

The run of `lv.Livens` is divided into N segments, in each of which the efforts u_k are held. With the map x_{k+1} =
F(x_k, u_k) of a segment in joint coordinates and rates (segment.py), direct multiple shooting solves

    minimise  J = ½ Σ T u_kᵀ W u_k,    T = until/N,   with   d_k = F(x_k, u_k) − x_{k+1} = 0,   x_N at the goal      (1)

for all u_k and x_k at once: the discrete equations of motion are the constraints (discrete mechanics and optimal
control, Ober-Blöbaum, Junge & Marsden 2011). Newton's method with the exact derivatives A_k, B_k of the maps solves

    minimise  J(u + δu) + ½ ρ |δx|²     with   A_k δx_k + B_k δu_k − δx_{k+1} = −d_k,                               (2)

a sparse linear system; a step is shortened until the merit function J + μ Σ|d_k| decreases, μ above the multipliers of
(2), and ρ grows where steps are shortened. At the end the segments join to round-off, by steps that change the efforts
least: no other discretisation stands between the optimum and `lv.simulate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import block_diag, bmat, diags, lil_matrix
from scipy.sparse.linalg import splu

from ..checks import Array, finite, positive
from ..compile.compiled import Compiled
from ..describe.controller import Controller
from ..describe.model import Model
from ..errors import LivensError, ModelError
from ..kernels.joint_space import BALL
from ..record.trajectory import Trajectory
from ..run.simulate import simulate
from ..step.livens import Livens
from .joint_space import JointSpace
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
    scheme: Livens | None = None,
    tolerance: float = 1e-6,
    most: int = 200,
) -> OptimalMotion:
    """The efforts with the least ½ ∫ Σ w u² dt that bring the model from its start to a goal at t = until [s].

    inputs: joints on which efforts act, or (joint, "angle_b"), as for `lv.Controller`. goal: joint coordinates at the
    end by name [rad or m], or all of them; coordinates that are not named are free. rates: all rates at the end
    (default: at rest). segments: the efforts are held in each; a segment is a whole number of steps h [s]. weights: one
    for each input. guess: efforts (segments, inputs) to begin with. tolerance: it ends where an iteration decreases the
    cost by less than this part. The optimum is a local one; a bad start or too little time ends in an error.

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
    steps = round(positive(until, "until", "s") / positive(h, "h", "s") / segments)
    if segments < 2 or steps < 1 or abs(steps * h * segments - until) > 1e-9 * until:
        raise ModelError(
            f"{segments} segments of {until:g} s are not whole numbers of steps of {h:g} s: try h = "
            f"{until / segments / max(1, round(until / segments / h)):g}."
        )
    replay = Replay(segments / until, np.zeros((segments, len(inputs))))
    controller = Controller(replay, inputs, rate=segments / until, name="optimal control")
    driven = model.with_things([*model.joints, *model.forces])
    driven.add(controller)
    problem = Shooting(driven, scheme or Livens(), float(h), steps, controller, goal, rates, weights)
    efforts, iterations = problem.solve(guess, positive(tolerance, "tolerance"), most)
    replay.efforts[:] = efforts
    motion = simulate(driven, problem.scheme, h=h, until=until, progress=False)
    miss = float(np.abs(problem.missed(np.concatenate(problem.space.read(motion.state)))).max())
    times = np.arange(segments, dtype=np.float64) * (until / segments)
    return OptimalMotion(motion, efforts, times, problem.cost(efforts), iterations, miss, controller)


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
        scheme: Livens,
        h: float,
        steps: int,
        controller: Controller,
        goal: Mapping[str, float] | ArrayLike,
        rates: ArrayLike,
        weights: ArrayLike,
    ):
        self.space, self.scheme = JointSpace(Compiled.of(model, quiet=True), driven=True), scheme
        compiled, names = self.space.compiled, self.space.names
        if any(self.space.space.every[k].kind == BALL for k in self.space.space.independent):
            raise ModelError("a motion with ball joints or free bodies cannot be optimised: rotations have no sum.")
        if compiled.system.contacts.capacity:
            raise ModelError("a motion with contacts cannot be optimised: contacts make its derivative jump.")
        columns = [one.first for one in compiled.signals(h).controlled if one.owner in controller.motors]
        self.segment, self.T, self.k = Segment(self.space, scheme, h, steps, columns), steps * h, len(columns)
        self.N, self.m = len(controller.fn.efforts), len(names)  # type: ignore[attr-defined]
        self.weights = np.broadcast_to(finite(weights, np.shape(weights), "weights"), (self.k,))
        self.start = np.concatenate(self.space.read(compiled.state))
        self.goal = np.concatenate([self._positions(goal), np.broadcast_to(rates, (self.m,))]).astype(np.float64)
        self.fixed = np.flatnonzero(np.isfinite(self.goal))
        self.last = np.setdiff1d(np.arange(2 * self.m), self.fixed)  # free numbers of the last state

    def _positions(self, goal: Mapping[str, float] | ArrayLike) -> Array:
        names = self.space.names
        if not isinstance(goal, Mapping):
            return finite(goal, (self.m,), "goal")
        for name in goal:
            if name not in names:
                raise ModelError(f"goal has no coordinate {name!r}; there are {', '.join(names)}.")
        return np.array([float(goal.get(name, np.nan)) for name in names])

    def missed(self, x: Array) -> Array:
        """The differences of a state from the goal."""
        return np.asarray((x - self.goal)[self.fixed])

    def cost(self, u: Array) -> float:
        """J of (1)."""
        return float(0.5 * self.T * (self.weights * u**2).sum())

    def guessed(self) -> Array:
        """States on the straight way from the start to the goal (N + 1, 2m)."""
        end = np.where(np.isfinite(self.goal), self.goal, self.start)
        x = self.start + np.linspace(0.0, 1.0, self.N + 1)[:, None] * (end - self.start)
        x[1:, self.m :] = (end - self.start)[: self.m] / (self.N * self.T)
        x[-1] = end
        return x

    def maps(self, x: Array, u: Array) -> tuple[Array, Array, Array]:
        """The defects d (N, 2m), and A, B of all segments."""
        d, A, B = np.zeros((self.N, 2 * self.m)), [], []
        for n in range(self.N):
            t = n * self.T
            end = self.segment(self.space.damped_state(x[n, : self.m], x[n, self.m :], t), t, u[n])
            d[n] = np.concatenate(self.space.read(end.state)) - x[n + 1]
            A.append(end.A)
            B.append(end.B)
        return d, np.array(A), np.array(B)

    def solve(self, guess: ArrayLike | None, tolerance: float, most: int) -> tuple[Array, int]:
        """The efforts (N, inputs), and the number of iterations."""
        shape = (self.N, self.k)
        x, u = self.guessed(), np.zeros(shape) if guess is None else finite(guess, shape, "guess").copy()
        d, A, B = self.maps(x, u)
        size = float(np.abs(x).max()) or 1.0
        unit = float(1.0 / (np.abs(B).max() * self.N)) * size  # an effort that moves it that far
        rho, mu = 1e-2 * self.T * unit**2 * float(self.weights.max()) / size**2, 0.0
        for iteration in range(1, most + 1):
            dx, du, largest = self._direction(u, d, A, B, rho)
            mu = max(mu, 1.1 * largest)
            before, slope = self.cost(u) + mu * np.abs(d).sum(), self._slope(u, du) - mu * np.abs(d).sum()
            part = min(1.0, MOST_MOVE * size / max(float(np.abs(dx).max()), 1e-300))
            for tries in range(MOST_HALVINGS):
                tried = x + part * dx, u + part * du
                try:
                    new = self.maps(*tried)
                    if tries == 0 and not self._less(tried[1], new[0], mu, before + 1e-4 * part * slope):
                        more = self._direction(0.0 * u, new[0], A, B, rho)  # corrects the curvature of the maps
                        tried = tried[0] + more[0], tried[1] + more[1]
                        new = self.maps(*tried)
                    if self._less(tried[1], new[0], mu, before + 1e-4 * part * slope):
                        break
                except LivensError:  # a mechanism that does not reach this position, or a step that fails
                    pass
                part *= 0.5
            (x, u), (d, A, B) = tried, new
            rho *= 4.0 if part < 0.1 else 0.3 if part > 0.4 else 1.0
            if np.abs(d).max() <= NEAR * size and -slope <= tolerance * self.cost(u):
                for _ in range(MOST_HALVINGS):
                    if np.abs(d).max() <= CLOSED * size:
                        return u, iteration
                    dx, du, _ = self._direction(0.0 * u, d, A, B, rho)
                    x, u = x + dx, u + du
                    d, A, B = self.maps(x, u)
        raise LivensError(
            f"no optimal motion found in {most} iterations: the states do not join by {np.abs(d).max():.1e}, the "
            f"efforts change by {np.abs(du).max() / max(np.abs(u).max(), 1e-300):.1e} of the largest. Give more time "
            "(until), more segments, a guess, or more iterations (most)."
        )

    def _less(self, u: Array, d: Array, mu: float, limit: float) -> bool:
        return bool(self.cost(u) + mu * np.abs(d).sum() <= limit)

    def _slope(self, u: Array, du: Array) -> float:
        return float(self.T * (self.weights * u * du).sum())

    def _direction(self, u: Array, d: Array, A: Array, B: Array, rho: float) -> tuple[Array, Array, float]:
        """δx (N + 1, 2m) and δu (N, inputs) of (2), and its largest multiplier."""
        N, n, k = self.N, 2 * self.m, self.k
        free = np.concatenate([np.arange((N - 1) * n), (N - 1) * n + self.last])  # of x_1 to x_N
        J = lil_matrix((N * n, N * k + N * n))
        for i in range(N):
            rows = slice(i * n, (i + 1) * n)
            J[rows, i * k : (i + 1) * k] = B[i]
            if i:
                J[rows, N * k + (i - 1) * n : N * k + i * n] = A[i]
            J[rows, N * k + i * n : N * k + (i + 1) * n] = -np.eye(n)
        J = J.tocsc()[:, np.concatenate([np.arange(N * k), N * k + free])]
        H = block_diag([diags(np.tile(self.T * self.weights, N)), diags(np.full(len(free), rho))])
        right = np.concatenate([-(self.T * self.weights * u).ravel(), np.zeros(len(free)), -d.ravel()])
        z = splu(bmat([[H, J.T], [J, None]], format="csc")).solve(right)
        dx = np.zeros((N + 1) * n)
        dx[n + free] = z[N * k : N * k + len(free)]
        return dx.reshape(N + 1, n), z[: N * k].reshape(N, k), float(np.abs(z[N * k + len(free) :]).max())
