"""Which momenta a model conserves, and why not the others (Noether).

Linear momentum along n is conserved if nothing notices that all bodies are moved along n; angular momentum about a
line if nothing notices that they are turned about it. What acts between bodies never notices. What comes from outside
leaves directions T for moving and R for turning, and may want the line to pass through a point x of the world:

    thing                                        T              R              through x
    gravity g, constant load F in world axes     ⟂ g            ∥ g
    constant torque M in world axes              all            ⟂ M (it adds to the momentum along M alone)
    any other load                               none           none
    Spring, Damper, Rod, Spherical               none           all            yes
    Revolute, Universal (axis of the world)      none           ∥ u            yes
    Cylindrical, PointOnLine                     ∥ u            ∥ u            yes
    Prismatic                                    ∥ u            none
    Planar, PointOnPlane                         ⟂ n            ∥ n
    FixedOrientation                             all            none
    Rigid, Screw, whatever rolls or cuts         none           none
    Constraint, whichever bodies it lists        none           none
    Energy, Force                                what their total force and torque leave at places chosen at random

A coordinate on which a spring, damper, stop, drive, motor or gear acts leaves no freedom. Gravity alone turns nothing
about the centre of mass, so a free system keeps all of its angular momentum about that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array
from ..describe.body_symbols import moving
from ..describe.forces.energy import Energy
from ..describe.forces.force import Force
from ..describe.forces.load import Load
from ..describe.forces.written import Motion, evaluated
from ..describe.model import Body, Model, Point
from ..describe.pose import hat

ALL, NONE = np.eye(3), np.zeros((0, 3))
PARALLEL = 1e-9  # sine of the angle, and distance relative to the size, below which lines count as one


@dataclass(frozen=True, eq=False)
class Kept:
    """Components of a momentum that are conserved.

    directions: orthonormal rows (0 to 3 of them); about: the point of the world for angular momentum [m], None for
    the centre of mass; because: why the other components are not conserved.
    """

    directions: Array
    about: Array | None = field(default_factory=lambda: np.zeros(3))
    because: str = ""


@dataclass(frozen=True, eq=False)
class Conserved:
    """What a model conserves; `energy` is empty if energy is conserved and says why not otherwise."""

    energy: str
    momentum: Kept
    angular_momentum: Kept


class _Freedom(NamedTuple):
    """What one thing leaves: directions for moving and turning, the point a line of turning must meet, its name."""

    move: Array
    turn: Array
    through: Array | None
    because: str


def conserved(model: Model) -> Conserved:
    """What the symmetries of `model` conserve.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, density=1000), at=(0, 0, -1), name="ball"))
    >>> rope = m.add(lv.Spring(m.world.point(1, 0, 0), ball.point(0, 0, 0.1), stiffness=100.0, name="rope"))
    >>> kept = conserved(m)
    >>> kept.momentum.directions.shape, kept.momentum.because
    ((0, 3), "gravity, spring 'rope'")
    >>> kept.angular_momentum.directions.tolist(), kept.angular_momentum.about.tolist()
    ([[0.0, 0.0, 1.0]], [1.0, 0.0, 0.0])
    """
    outside = _outside(model)
    falling = [_uniform(model.gravity, "gravity")] if np.any(model.gravity) else []
    acting = falling + outside
    move = _common([f.move for f in acting])
    momentum = Kept(move, because=_names([f.because for f in acting if len(f.move) < 3]))
    if not outside:
        return Conserved(_energy(model), momentum, Kept(ALL, about=None if falling else np.zeros(3)))
    turn = _common([f.turn for f in acting])
    points = np.array([f.through for f in acting if f.through is not None]).reshape(-1, 3)
    turn = _common([turn, _line(points)])
    about = points[0] if len(points) else np.zeros(3)
    held = [f.because for f in acting if len(f.turn) < 3 or (f.through is not None and len(_line(points)) < 3)]
    return Conserved(_energy(model), momentum, Kept(turn, about, _names(held)))


# ── what acts from outside ──


def _outside(model: Model) -> list[_Freedom]:
    """What the things of a model that push from outside or hold on to the world leave, if not everything."""
    acted = {id(joint) for thing in [*model.joints, *model.forces] for joint in _acts_on(thing)}
    found = []
    for thing in [*model.joints, *model.forces]:
        if isinstance(thing, Load):
            found += _load(thing)
        elif type(thing).__name__ == "Constraint":  # written by a user: nothing is known of it
            found.append(_Freedom(NONE, NONE, None, f"constraint {thing.name!r}"))
        elif isinstance(thing, Energy | Force):
            found.append(_written(thing))
        elif any(point.body is model.world for point in thing.points):
            found.append(_attachment(thing, model, id(thing) in acted))
    return [freedom for freedom in found if len(freedom.move) < 3 or len(freedom.turn) < 3]


def _acts_on(thing: Any) -> list[Any]:
    """The joints on whose coordinate a thing acts: a motor's, a gear's, its own."""
    joints = [getattr(thing, name) for name in ("joint", "first", "second") if hasattr(thing, name)]
    alone = _damps(thing) or getattr(thing, "drive", None) or getattr(thing, "limits", None) is not None
    return [*joints, thing] if alone or getattr(thing, "stiffness", 0.0) else joints


def _damps(thing: Any) -> bool:
    return bool(getattr(thing, "damping", 0.0)) or type(thing).__name__ == "Damper"


def _load(load: Any) -> list[_Freedom]:
    label = f"load {load.name!r}"
    constant = load.axes == "world"
    if callable(load.force) or (np.any(load.force) and not constant):
        return [_Freedom(NONE, NONE, None, label)]
    found = [_uniform(load.force, label)] if np.any(load.force) else []
    if callable(load.torque) or (np.any(load.torque) and not constant):
        found.append(_Freedom(ALL, NONE, None, label))
    elif np.any(load.torque):
        found.append(_Freedom(ALL, _across(load.torque), None, label))
    return found


def _written(thing: Any) -> _Freedom:
    """What a user wrote keeps momentum along n if n·F = 0 everywhere, and angular momentum about the line along n
    through x if n·(M − x × F) = n·M − (n × x)·F = 0, with F its total force and M its total torque about the origin."""
    F, M, length = _wrenches(thing)
    move = _left(F)
    screws = _left(np.concatenate([M, -F], axis=1))  # (n, m) with n·M = m·F
    turns = screws[np.abs(screws[:, :3]).max(axis=1, initial=0.0) > PARALLEL]
    across = np.eye(3) - move.T @ move  # what m may be changed by does not matter
    A = np.array([across @ hat(n) for n in turns[:, :3]]).reshape(-1, 3)
    x = np.linalg.lstsq(A, (turns[:, 3:] @ across).ravel(), rcond=1e-9)[0] if len(turns) else np.zeros(3)
    turn = _left(M - np.cross(x, F))
    anywhere = len(turn) == len(_left(M - np.cross(x + np.array([1.0, np.sqrt(2.0), np.sqrt(3.0)]), F)))
    return _Freedom(move, turn, None if anywhere else length * x, f"{type(thing).__name__.lower()} {thing.name!r}")


def _wrenches(thing: Energy | Force, count: int = 16) -> tuple[Array, Array, float]:
    """The total force F and the total torque M about the world's origin at states chosen at random, in parts of the
    largest force and of that times a length: (k, 3), (k, 3), and the length. Where nothing is finite, anything goes."""
    bodies = moving(thing.bodies)
    if isinstance(thing, Force) and not any(body is thing.point.body for body in bodies):
        bodies = (*bodies, thing.point.body)
    places = [body.pose.a for body in bodies] + [r for formula in thing.formulas for r in formula.places]
    length = float(np.abs(places).max(initial=0.0)) or 1.0
    motions = []
    for slot, body in enumerate(bodies):
        a, B, velocity, omega = _anywhere(slot, count)
        motions.append(Motion(body.pose.a + length * a, B, length * velocity, omega))
    F, M = _exerted(thing, bodies, motions, np.linspace(0.0, 10.0, count))
    good = np.isfinite(F).all(axis=(0, 2)) & np.isfinite(M).all(axis=(0, 2))
    if not good.any():
        return np.eye(3), np.eye(3)[::-1], length
    F, M = F[:, good], M[:, good]
    size = max(float(np.abs(F).max()), float(np.abs(M).max()) / length) or 1.0
    return F.sum(axis=0) / size, M.sum(axis=0) / (size * length), length


def _exerted(thing: Energy | Force, bodies: Sequence[Body], motions: list[Motion], t: Array) -> tuple[Array, Array]:
    """The forces that a thing exerts, and their torques about the origin: each (forces, k, 3)."""
    push = [evaluated(formula, motions, t)[1][:, 1:] for formula in thing.formulas]
    if isinstance(thing, Force):
        at = motions[[body is thing.point.body for body in bodies].index(True)].sees("point", thing.point.r)
        return push[0][None], np.array([np.cross(at, push[0]), *push[1:]])
    forces, torques = [], []
    for k, (slot, kind, r) in enumerate(zip(thing.fn.handles, thing.fn.kinds, thing.fn.places, strict=True)):
        force = push[0][:, 3 * k : 3 * k + 3]
        forces.append(force if kind == "point" else 0.0 * force)
        torques.append(np.cross(motions[slot].sees(kind, r), force))
    return np.array(forces), np.array(torques)


@cache
def _anywhere(slot: int, count: int) -> tuple[Array, Array, Array, Array]:
    """Places, rotations, velocities and body rates by chance, others for every slot."""
    rng = np.random.default_rng(slot)
    Q = np.linalg.qr(rng.normal(size=(count, 3, 3))).Q
    Q = Q * np.linalg.det(Q)[:, None, None]
    return rng.normal(size=(count, 3)), Q, rng.normal(size=(count, 3)), rng.normal(size=(count, 3))


def _left(rows: Array) -> Array:
    """An orthonormal basis of what is across all the rows, which are of size one, as rows; by axes of the world where
    it can be."""
    quiet = np.abs(rows).max(axis=0) <= PARALLEL
    s, Vt = np.linalg.svd(rows)[1:]
    basis = Vt[int((s > PARALLEL).sum()) :]
    return np.eye(rows.shape[1])[quiet] if quiet.sum() == len(basis) else basis


def _uniform(force: ArrayLike, because: str) -> _Freedom:
    return _Freedom(_across(force), _along(force), None, because)


def _attachment(thing: Any, model: Model, acted: bool) -> _Freedom:
    """The table at the head of this file; what is not in it leaves nothing."""
    kind = type(thing).__name__
    points: list[Point] = [point for point in thing.points if point.body is model.world]
    x, ours = points[0].start, thing.points[0].body is model.world
    axis = getattr(thing, "axis", getattr(thing, "normal", None))
    if kind == "Universal":
        axis = thing.axis_a if ours else thing.axis_b
    u, n = (NONE, NONE) if axis is None else (_along(axis), _across(axis))
    free = NONE if acted else u
    because = f"{kind.lower()} {thing.name!r}"
    match kind:
        case "Spring" if not acted:  # neither stiff nor damped
            return _Freedom(ALL, ALL, None, because)
        case "Spring" | "Damper" | "Rod" | "Spherical":
            return _Freedom(NONE, ALL, x, because)
        case "Revolute" | "Universal":
            return _Freedom(NONE, free, x, because)
        case "Cylindrical":
            return _Freedom(u, free, x, because)
        case "Prismatic":
            return _Freedom(free, NONE, None, because)
        case "PointOnLine" | "PointOnPlane" if not ours:  # a body carries it over a point of the world
            return _Freedom(NONE, ALL, x, because)
        case "PointOnLine":
            return _Freedom(u, u, x, because)
        case "Planar" | "PointOnPlane":
            return _Freedom(n, u, None, because)
        case "FixedOrientation":
            return _Freedom(ALL, NONE, None, because)
        case "Coupling" | "Motor":  # what they leave is in the joints they act on
            return _Freedom(ALL, ALL, None, because)
    return _Freedom(NONE, NONE, None, because)


def _energy(model: Model) -> str:
    """Why energy is not conserved: what does work, and what dissipates."""
    things = [*model.joints, *model.forces]
    works = [
        f"{type(thing).__name__.lower()} {thing.name!r}"
        for thing in things
        if type(thing).__name__ in ("Motor", "Force")
        or getattr(thing, "drive", None)
        or getattr(thing, "timed", False)
        or (hasattr(thing, "varies") and (thing.varies or np.any(thing.force) or np.any(thing.torque)))
    ]
    loses = [f"{type(thing).__name__.lower()} {thing.name!r}" for thing in things if _damps(thing)]
    said = [f"work of {_names(works)}"] * bool(works) + [f"dissipation in {_names(loses)}"] * bool(loses)
    return " and ".join(said)


def _names(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more"


# ── subspaces as orthonormal rows ──


def _along(u: ArrayLike) -> Array:
    """The line of u; an axis of the world or its negative is given as the axis itself."""
    v = np.asarray(u, dtype=np.float64)
    v = v / np.linalg.norm(v)
    return np.array([v if v[np.argmax(np.abs(v))] > 0.0 else -v]) + 0.0


def _across(u: ArrayLike) -> Array:
    """The plane across u, by world axes where it can be."""
    v = _along(u)[0]
    if np.count_nonzero(v) == 1:
        return ALL[v == 0.0]
    return np.linalg.svd(v[None])[2][1:]


def _common(spaces: list[Array]) -> Array:
    """What all the subspaces have in common; all of space if there are none."""
    common = ALL
    for space in spaces:
        if len(space) < 3 and len(common):  # keep those combinations of `common` that lie in `space`
            s, Vt = np.linalg.svd((common - common @ space.T @ space).T)[1:]
            common = _tidy(Vt[s <= PARALLEL] @ common, space)
    return common


def _tidy(rows: Array, space: Array) -> Array:
    """`rows`, or the rows of `space` themselves where they span the same."""
    return space if len(rows) == len(space) else _along(rows[0]) if len(rows) == 1 else rows


def _line(points: Array) -> Array:
    """Directions of lines through all the points: all for one point, one for a row of them, else none."""
    spread = points - points[:1]
    size = max(1.0, float(np.abs(points).max(initial=0.0)))
    if np.abs(spread).max(initial=0.0) <= PARALLEL * size:
        return ALL
    s, Vt = np.linalg.svd(spread)[1:]
    return _along(Vt[0]) if len(s) < 2 or s[1] <= PARALLEL * s[0] + PARALLEL * size else NONE
