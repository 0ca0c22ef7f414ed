"""Assembly from rough positions: bodies are moved until their joints are satisfied.

With g the violations of the joints, relative to their size, and J their derivative with respect to displacements of the
bodies (relative to the size) and rotations [rad], every round moves the bodies by

    δ = −Jᵀ (J Jᵀ + μ I)⁻¹ g,                                                                                  (1)

the least move that reduces g; μ is raised until |g| decreases (Levenberg, Marquardt). If that ends with joints that are
not satisfied, or turned over, it begins again from positions that are changed at random, each time more.

Rows between coordinates (prescribed motions, threads, gears) take no part: coordinates are `start` at the start,
wherever assembly puts the bodies. Directions of joints turn with the body that carries them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..compile.assembly import Assembly
from ..compile.rows import PRECISION, groups
from ..compile.states import copied
from ..compile.system import compile_model
from ..describe.body import Body
from ..describe.model import Model
from ..describe.pose import Pose, rotation_vectors, turned
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels.arrays import State
from .separate import move_apart

ASSEMBLY_TRIES = 16  # beginnings
ASSEMBLY_ROUNDS = 300  # of (1) for each of them
FITS = 1e-9  # violation relative to the size of the joints, or in rad, below which a joint is satisfied
LARGEST_TURN = 0.5  # rad, or of the size: the largest move of a body in a round


@dataclass(frozen=True)
class Assembled:
    """What `assemble` did: `moved` gives the distance [m] and the angle [rad] of every body that was moved."""

    moved: dict[str, tuple[float, float]]

    def __str__(self) -> str:
        if not self.moved:
            return "no body was moved: the joints are satisfied"
        parts = [f"{name} by {far:.3g} m and {turn:.3g} rad" for name, (far, turn) in self.moved.items()]
        return "moved " + ", ".join(parts)


def assemble(model: Model, hold: Sequence[Body | str] = (), apart: bool = False) -> Assembled:
    """Move the bodies of `model` to where its joints are satisfied, from rough positions; those in `hold` stay.
    apart: also move bodies that overlap apart, by the least move, until they touch (separate.py).

    Bodies, and the directions of their joints, are changed in the model; velocities are as they were given. Coordinates
    of joints are `start` in the new position. Joints that cannot be satisfied are named in an error, and the model
    stays as it was.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> bars = [m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=at, name=n)) for n, at in
    ...         (("crank", (0.5, 0, 0)), ("rod", (2.0, 0.3, 0.2)))]
    >>> _ = m.add(lv.Revolute(m.world.point(0, 0, 0), bars[0].point(-0.5, 0, 0), axis=(0, 1, 0)))
    >>> _ = m.add(lv.Revolute(bars[0].point(0.5, 0, 0), bars[1].point(-0.5, 0, 0), axis=(0, 1, 0)))
    >>> found = lv.assemble(m, hold=["crank"])
    >>> sorted(found.moved), bool(lv.simulate(m, h=1e-2, until=0.1).defect_position.max() < 1e-12)
    (['rod'], True)
    """
    if not isinstance(model, Model):
        raise ModelError(f"assemble takes a Model, not {model!r}.")
    held = [_body(model, x) for x in (hold if isinstance(hold, Sequence) and not isinstance(hold, str) else [hold])]
    search = _Search(model, held)
    state = search.find()
    if apart:
        state = move_apart(search, state)
    moved = dict(search.moves(state))
    if moved:
        _place(model, [search.pose(state, k) for k in range(len(model.bodies))])
    return Assembled(moved)


def _body(model: Model, given: Any) -> Body:
    body = model.find(given) if isinstance(given, str) else given
    if not isinstance(body, Body) or body not in model:
        raise ModelError(f"hold lists bodies of the model or their names, not {given!r}.")
    return body


class _Search:
    """The iteration (1) for a model."""

    def __init__(self, model: Model, held: Sequence[Body]):
        rows = [row for group in groups(model) for row in group.rows]
        tables = compile_model(model, frozenset(r for r, row in enumerate(rows) if row.kind == "COUPLE"))
        owners = [group.owner for group in tables.groups for _ in group.rows]
        self.fit = Assembly(model, tables.system, tables.state, owners)
        self.model, self.start = model, copied(tables.state)
        self.scale = PRECISION * tables.system.rows.weight
        free = np.array([body not in held for body in model.bodies])
        free[0] = False
        turns = free[:, None] & (tables.system.bodies.inverse_inertia > 0.0)
        self.column = np.concatenate([np.repeat(free[:, None], 3, axis=1) * self.fit.size, turns], axis=1).ravel()

    def find(self) -> State:
        """A state that satisfies the joints, or a ModelError."""
        best: tuple[float, Array] = (np.inf, np.zeros(0))
        rng = np.random.default_rng(0)
        flipped: ModelError | None = None
        for k in range(ASSEMBLY_TRIES):
            state, g = self.solve(self.changed(0.15 * k, rng))
            if np.abs(g).max(initial=0.0) > FITS:
                best = min(best, (float(np.linalg.norm(g)), g), key=lambda one: one[0])
                continue
            try:
                self.fit.check_orientations()
            except ModelError as error:
                flipped = error
                continue
            return state
        if flipped is not None:
            raise flipped
        raise self.refusal(best[1])

    def solve(self, state: State) -> tuple[State, Array]:
        """The rounds (1) from a state, and the violations at their end."""
        g, mu = self.violations(state), 1e-3
        for _ in range(ASSEMBLY_ROUNDS):
            if np.abs(g).max(initial=0.0) <= 1e-15:
                break
            J = self.jacobian(state)
            S = J @ J.T
            for _ in range(12):
                move = -J.T @ np.linalg.lstsq(S + mu * np.eye(len(g)), g, rcond=None)[0]
                there = self.moved(state, self.limited(move))
                after = self.violations(there)
                if np.linalg.norm(after) < np.linalg.norm(g):
                    break
                mu = max(10.0 * mu, 1e-12)
            else:
                break
            slow = np.linalg.norm(after) > 0.9999 * np.linalg.norm(g)
            state, g, mu = there, after, 0.1 * mu if np.linalg.norm(after) > 1e-6 else 1e-14
            if slow:
                break
        self.fit.state = state
        return state, self.violations(state)

    def violations(self, state: State) -> Array:
        """g, relative to the size of the joints, or in rad."""
        self.fit.state = state
        g: Array = (self.fit.violations() * self.scale)[self.fit.hard]
        return g

    def jacobian(self, state: State) -> Array:
        """J, scaled as the moves; zero for bodies that are held."""
        self.fit.state = state
        self.fit.evaluate_jacobian()
        J: Array = (self.fit.jacobian() * self.scale[:, None])[self.fit.hard] * self.column
        return J

    def limited(self, move: Array) -> Array:
        """The move, shortened if a body moves too far for one round."""
        far = float(np.linalg.norm(move.reshape(-1, 2, 3), axis=2).max(initial=0.0))
        return move * min(1.0, LARGEST_TURN / max(far, 1e-300))

    def moved(self, state: State, move: Array) -> State:
        u = (self.column * move).reshape(-1, 6)
        return state._replace(a=state.a + u[:, :3], B=turned(state.B, u[:, 3:]))

    def changed(self, size: float, rng: np.random.Generator) -> State:
        """The start with bodies that may move at random places around it."""
        free = (self.column > 0.0).astype(np.float64)
        return self.moved(self.start, size * free * rng.normal(size=len(self.column)))

    # ── what was found ──

    def pose(self, state: State, k: int) -> Pose:
        """The frame of body k; one that did not move keeps its pose."""
        body = self.model.bodies[k]
        if np.array_equal(state.a[k], self.start.a[k]) and np.array_equal(state.B[k], self.start.B[k]):
            return body.pose
        R = Pose.nearest(state.B[k] @ self.fit.system.bodies.axes[k].T).B
        return Pose(state.a[k] - R @ self.fit.system.bodies.center[k], R)

    def moves(self, state: State) -> Iterator[tuple[str, tuple[float, float]]]:
        """Name, distance of the frame's origin and angle of every body that was moved."""
        for k, body in enumerate(self.model.bodies):
            there = self.pose(state, k)
            far = float(np.linalg.norm(there.a - body.pose.a))
            turn = float(np.linalg.norm(rotation_vectors((there.B @ body.pose.B.T)[None])))
            if far > FITS * self.fit.size or turn > FITS:
                yield body.name, (far, turn)

    def refusal(self, g: Array) -> ModelError:
        """An error that names the joints that are left."""
        worst: dict[Thing, float] = {}
        hard: NDArray[np.intp] = np.flatnonzero(self.fit.hard)
        for r, size in zip(hard.tolist(), np.abs(g), strict=True):
            worst[self.fit.owners[r]] = max(worst.get(self.fit.owners[r], 0.0), float(size / self.scale[r]))
        left = sorted((item for item in worst.items() if item[1] > 1e-6 * max(worst.values())), key=lambda x: -x[1])
        names = ", ".join(f"{thing.label} (misses by {size:.3g} in m or rad)" for thing, size in left[:4])
        return ModelError(
            f"no position of the bodies satisfies all joints; at the best position found, these are left: {names}. "
            "Check lengths and points, or hold fewer bodies."
        )


def _place(model: Model, poses: Sequence[Pose]) -> None:
    """Give the bodies new poses, and the joints directions that turned with their bodies."""
    turn = {body: pose.B @ body.pose.B.T for body, pose in zip(model.bodies, poses, strict=True)}
    for body, pose in zip(model.bodies, poses, strict=True):
        body.pose = pose
    for joint in model.joints:
        if not joint.coordinates and not joint.carried:
            continue
        given = {name: vars(joint)[name] for name in inspect.signature(type(joint)).parameters if name in vars(joint)}
        for name, k in joint.carried.items():
            given[name] = turn[joint.points[k].body] @ given[name]
        type(joint).__init__(joint, **given)  # coordinates count from the new position
