"""Inverse kinematics: joint coordinates that bring points and bodies to given places.

With e the errors of all targets (distances relative to the model's size, rotation vectors [rad]), and J their
derivative with respect to the coordinates (displacements relative to the size), each round moves by

    δ = −Jᵀ (J Jᵀ + μ I)⁻¹ e        along the coordinates that are not held at a limit,                          (1)

with μ raised until |e| decreases (Levenberg, Marquardt). The least move is taken where several are possible. If the
error does not vanish, it begins again from other positions within the limits, and the least error counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, finite
from ..describe.body import Body, Point
from ..describe.model import Model
from ..describe.pose import Pose, rotation_from, rotation_vectors
from ..describe.term import CoordinateSpring
from ..errors import ModelError
from ..kernels.arrays import State
from ..kernels.joint_space import BALL
from ..record.trajectory import Trajectory
from .joint_space import JointSpace

TARGET_TRIES = 12  # beginnings
TARGET_ROUNDS = 200  # of (1) for each of them
REACHED = 1e-9  # error relative to the size, or in rad, below which a target is reached
LARGEST_MOVE = 0.5  # rad, or of the size: the largest move of a coordinate in a round


def inverse_kinematics(
    model: Model | JointSpace,
    targets: Mapping[Any, Any],
    start: ArrayLike | State | Trajectory | None = None,
    limits: bool = True,
    nearest: bool = False,
) -> Trajectory:
    """The position of `model` in which points and bodies are where `targets` says, as a motion of one state: its
    `coordinate(joint)`, `q`, `state`, … Limits of joints are kept.

    targets: {point: place}, {body: place} (of its frame's origin) or {body: Pose}, places in world axes [m], bodies
    also by name. start: joint coordinates, a state or a motion to begin from (None: the model's start); of several
    solutions, one near it is found. limits: False to ignore the limits of joints. If the targets cannot be reached, an
    error says by how much; with nearest=True, the position with the least squares of the errors is given instead.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    >>> fore = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(1.5, 0, 0), name="fore"))
    >>> _ = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 0, 1), name="shoulder"))
    >>> _ = m.add(lv.Revolute(arm.point(0.5, 0, 0), fore.point(-0.5, 0, 0), axis=(0, 0, 1), limits=(0, 3)))
    >>> found = lv.inverse_kinematics(m, {fore.point(0.5, 0, 0): (1, 1, 0)})
    >>> found.q.round(6).tolist()
    [0.0, 1.570796]
    """
    space = model if isinstance(model, JointSpace) else JointSpace(model)
    search = _Search(space, _targets(space, targets), limits)
    q, error = search.find(search.begin(start))
    if not nearest and float(np.abs(error).max(initial=0.0)) > REACHED:
        raise search.refusal(q, error)
    found = space.forward_kinematics(q)
    if limits and not nearest:
        _check_limits(space, found)
    return found


def _targets(space: JointSpace, given: Mapping[Any, Any]) -> list[tuple[Point | Body, Array, Array | None]]:
    """Each target with its place and, for a Pose, its rotation."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError("targets are a table such as {body.point(0, 0, 0): (1, 0, 0)} with one entry at least.")
    found: list[tuple[Point | Body, Array, Array | None]] = []
    for what, place in given.items():
        thing = space.compiled.model[what] if isinstance(what, str) else what
        body = thing.body if isinstance(thing, Point) else thing
        if not isinstance(body, Body) or body not in space.compiled.number or body.is_world:
            raise ModelError(f"a target is a point or a body of the model that moves, not {what!r}.")
        if isinstance(place, Pose):
            if isinstance(thing, Point):
                raise ModelError(f"the target of {what!r} is a place: a point has no rotation. Give its body a Pose.")
            found.append((thing, place.a, place.B))
        else:
            found.append((thing, finite(place, (3,), f"the target of {what!r}"), None))
    return found


def _check_limits(space: JointSpace, found: Trajectory) -> None:
    """Refuse a position beyond a limit that the search does not know: of a dependent coordinate, or of a ball joint."""
    for thing in space.compiled.model.joints:
        for term in thing.terms():
            if not isinstance(term, CoordinateSpring) or term.limits is None:
                continue
            values = np.ravel(found.coordinate(thing))
            parts = [q is term.coordinate for q in thing.coordinates]
            value = float(values[parts.index(True)] if any(parts) else np.linalg.norm(values))
            if (
                not term.limits[0] - 1e-9 * max(1.0, abs(value))
                <= value
                <= term.limits[1] + 1e-9 * max(1.0, abs(value))
            ):
                raise ModelError(
                    f"the targets are reached only with {thing.label} at {value:.4g}, beyond its limits "
                    f"({term.limits[0]:g}, {term.limits[1]:g}): begin elsewhere with start=…, or use limits=False."
                )


class _Search:
    """The iteration (1) in the coordinates of a JointSpace."""

    def __init__(self, space: JointSpace, targets: Sequence[tuple[Point | Body, Array, Array | None]], limits: bool):
        self.space, self.targets = space, targets
        points = space.space.system.rows.point
        self.size = float(np.abs(points).max(initial=0.0)) or 1.0
        self.every = [space.space.every[k] for k in space.space.independent]
        self.unit = np.where([one.unit == "rad" for one in self.every], 1.0, self.size)
        self.lower, self.upper = self._limits(limits)
        first = [k for k, one in enumerate(self.every) if one.kind == BALL and one.component == 0]
        self.balls = [k for k in first if [one.component for one in self.every[k : k + 3]] == [0, 1, 2]]

    def _limits(self, limits: bool) -> tuple[Array, Array]:
        bounds = {id(one.q): np.array([-np.inf, np.inf]) for one in self.every}
        for thing in self.space.compiled.model.things if limits else ():
            for term in thing.terms():
                if isinstance(term, CoordinateSpring) and term.limits is not None and id(term.coordinate) in bounds:
                    bounds[id(term.coordinate)] = term.limits
        low, high = np.array([bounds[id(one.q)] for one in self.every]).reshape(-1, 2).T
        return low, high

    def begin(self, start: Any) -> Array:
        """The coordinates of the first guess."""
        if isinstance(start, Trajectory):
            start = start.state
        if start is None:
            q = self.space.start
        elif isinstance(start, State):
            q = self.space.read(start)[0]
        else:
            q = finite(start, (len(self.every),), "start")
        return np.clip(q, self.lower, self.upper)

    def find(self, start: Array) -> tuple[Array, Array]:
        """The coordinates with the least error, and the error."""
        rng, best = np.random.default_rng(0), (start, self.error(start))
        for k in range(TARGET_TRIES):
            try:
                q, e = self.solve(start if k == 0 else self.changed(start, min(3.0, 0.4 * k), rng))
            except ModelError:  # the mechanism does not close there
                continue
            if np.linalg.norm(e) < 0.999999 * np.linalg.norm(best[1]):  # the first of equal ones
                best = q, e
            if np.abs(e).max(initial=0.0) <= REACHED:
                break
        return best

    def solve(self, q: Array) -> tuple[Array, Array]:
        """The rounds (1)."""
        e, mu = self.error(q), 1e-3
        for _ in range(TARGET_ROUNDS):
            J = self.jacobian(q)
            slope = J.T @ e
            stuck = ((q <= self.lower) & (slope > 0.0)) | ((q >= self.upper) & (slope < 0.0))
            J = np.where(stuck, 0.0, J)
            there, after = q, e
            for _ in range(14):
                move = -J.T @ np.linalg.lstsq(J @ J.T + mu * np.eye(len(e)), e, rcond=None)[0]
                move *= min(1.0, LARGEST_MOVE / max(float(np.abs(move).max(initial=0.0)), 1e-300))
                try:
                    there = self.moved(q, move)
                    after = self.error(there)
                except ModelError:  # the mechanism does not close there
                    after = np.full_like(e, np.inf)
                if np.linalg.norm(after) < np.linalg.norm(e):
                    break
                mu = max(10.0 * mu, 1e-12)
            else:
                break
            done = np.linalg.norm(after) > (1.0 - 1e-9) * np.linalg.norm(e)
            q, e, mu = there, after, 0.1 * mu if np.linalg.norm(after) > 1e-5 else 1e-15
            if done or np.abs(e).max() <= 1e-15:
                break
        return q, e

    def error(self, q: Array) -> Array:
        """e of (1)."""
        now, found = self.space.forward_kinematics(q), []
        for what, place, rotation in self.targets:
            found.append((now.position(what)[0] - place) / self.size)
            if rotation is not None and isinstance(what, Body):
                found.append(rotation_vectors(now.rotation(what) @ rotation.T)[0])
        return np.concatenate(found)

    def jacobian(self, q: Array) -> Array:
        """J of (1); that of a rotation vector is its angular velocity, which is exact at e = 0."""
        found = []
        for what, _, rotation in self.targets:
            J = self.space.jacobian(what, q)
            found.append(J[:3] / self.size)
            if rotation is not None:
                found.append(J[3:])
        return np.concatenate(found) * self.unit

    def moved(self, q: Array, move: Array) -> Array:
        """q after a move, within the limits; rotation vectors are turned."""
        there = q + self.unit * move
        for k in self.balls:
            part = slice(k, k + 3)
            there[part] = rotation_vectors((rotation_from(move[part]) @ rotation_from(q[part]))[None])[0]
        return np.clip(there, self.lower, self.upper)

    def changed(self, q: Array, size: float, rng: np.random.Generator) -> Array:
        """Another beginning: random within limits that are given on both sides, else around q."""
        both = np.isfinite(self.lower) & np.isfinite(self.upper)
        there = self.moved(q, size * rng.normal(size=len(q)))
        there[both] = rng.uniform(self.lower[both], self.upper[both])
        return there

    def refusal(self, q: Array, error: Array) -> ModelError:
        """An error that names the targets that are missed, and the joints at their limits."""
        parts, k = [], 0
        for what, _, rotation in self.targets:
            far = float(np.linalg.norm(error[k : k + 3])) * self.size
            name = f"body {what.name!r}" if isinstance(what, Body) else f"{what!r}"
            text = f"{name} by {far:.3g} m" if far > REACHED * self.size else ""
            k += 3
            if rotation is not None:
                angle = float(np.linalg.norm(error[k : k + 3]))
                text = f"{text or name} and {angle:.3g} rad" if angle > REACHED else text
                k += 3
            parts += [text] if text else []
        held = [
            one.name for one, x, a, b in zip(self.every, q, self.lower, self.upper, strict=True) if x <= a or x >= b
        ]
        why = f" ({', '.join(held)} at a limit)" if held else ""
        return ModelError(
            f"the targets are not reached; the nearest position found misses {', '.join(parts)}{why}. "
            "nearest=True gives this position."
        )
