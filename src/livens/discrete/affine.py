"""Rigid bodies as a general system: twelve coordinates (a, B) each, constant mass, and constraints.

With a the centre of mass, the principal axes as columns of B, and the Euler tensor E_k = ½ (J_i + J_j − J_k),

    L = Σ ½ m |ȧ|² + ½ Σ_k E_k |Ḃ_k|² + m g·a − V,        BᵀB = 1,      joints: rows of kernels/rows.py           (1)
    D = Σ ½ c (d/dt |x_b − x_a|)²                                      dampers                                   (2)

`stiffness` replaces BᵀB = 1 by the energy ¼ κ |BᵀB − 1|²: affine bodies, nearly rigid. For a body without inertia
about an axis nothing can turn it there, and any number will do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..checks import Array, positive
from ..compile.compiled import Compiled
from ..describe.model import Model
from ..describe.pose import hat
from ..errors import ModelError
from ..formula.functions import casadi, dot, norm
from ..kernels import kinds
from ..kernels.arrays import State, System
from .lagrangian import Lagrangian
from .terms import Elements


def affine(model: Model, stiffness: float | None = None) -> tuple[Lagrangian, Array, Array]:
    """`model` in twelve coordinates for each body, as a system with its q and v at the start: all schemes of this
    module can step it. stiffness: κ [J] of the energy that keeps bodies nearly rigid; None: they are rigid, exactly.

    Bodies, gravity, springs, dampers, attraction and joints are taken over; what acts on joint coordinates, loads and
    what users wrote are refused. Body k (the first is 1) has a in q[12k − 12 : 12k − 9] and B, row by row, in the nine
    numbers behind.

    >>> import livens as lv, livens.discrete as ld
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bar = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="bar"))
    >>> pin = m.add(lv.Spherical(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), name="pin"))
    >>> system, q, v = ld.affine(m)
    >>> system
    Lagrangian(12 coordinates, 9 constraints)
    """
    if not isinstance(model, Model):
        raise ModelError(f"affine takes a Model, not {model!r}.")
    compiled = Compiled.of(model)
    system, state = compiled.system, compiled.state
    _refuse(model, system)
    n = len(system.bodies.mass) - 1
    if n < 1:
        raise ModelError(f"model {model.name!r} has no bodies.")
    parts = [Elements(_kinetic, np.arange(n)[:, None], _inertia(system), dim=12, name="bodies"), *_springs(system)]
    if len(system.pairs.body):
        parts.append(
            Elements(
                lambda q, v, p: p[0] / norm(q[1][:3] - q[0][:3]),
                system.pairs.body - 1,
                system.pairs.strength,
                dim=12,
                name="attraction",
            )
        )
    held = _rows(system)
    if stiffness is None:
        held.append(Elements(_orthogonality, np.arange(n)[:, None], dim=12, name="rigid bodies"))
    else:
        kappa = np.full(n, positive(stiffness, "the stiffness of bodies", "J"))
        parts.append(Elements(_strain, np.arange(n)[:, None], kappa, dim=12, name="nearly rigid bodies"))
    return Lagrangian(parts, 12 * n, held or None, _dampers(system) or None), *_start(system, state)


def _refuse(model: Model, system: System) -> None:
    """What is not taken over, in one sentence."""
    others = {
        "rolling": system.rolls,
        "loads": len(system.loads.body) > 0,
        "springs, dampers, stops or motors in joints, screws, gears and drives": len(system.coordinates.kind) > 0,
        "user-written energies or forces": system.formulas.energies + system.formulas.forces > 0,
        "discs or user-written constraints": bool({kinds.RIM, kinds.TAPE} & set(system.rows.kind.tolist())),
    }
    if found := [what for what, there in others.items() if there]:
        raise ModelError(
            f"model {model.name!r} has {' and '.join(found)}, which ld.affine does not take over: simulate it with "
            "lv.simulate."
        )


def _inertia(system: System) -> Array:
    """m, E and the weight of each body (n, 7)."""
    bodies = system.bodies
    most = bodies.inertia.max(1, where=bodies.inverse_inertia > 0.0, initial=0.0)
    moments = np.where(bodies.inverse_inertia > 0.0, bodies.inertia, np.where(most > 0.0, most, bodies.mass)[:, None])
    euler = 0.5 * (moments.sum(1)[:, None] - 2.0 * moments)
    return np.column_stack([bodies.mass, euler, bodies.mass[:, None] * system.gravity])[1:]


def _kinetic(q: Any, v: Any, p: Any) -> Any:
    adot, Bdot = v[0][:3], v[0][3:]
    turning = sum(p[1 + k] * (Bdot[k] ** 2 + Bdot[3 + k] ** 2 + Bdot[6 + k] ** 2) for k in range(3))
    return 0.5 * p[0] * dot(adot, adot) + 0.5 * turning + dot(p[4:7], q[0][:3])


def _columns(x: Any) -> list[Any]:
    """The columns of B."""
    return [casadi().vertcat(x[3 + k], x[6 + k], x[9 + k]) for k in range(3)]


def _orthogonality(x: Any) -> list[Any]:
    e = _columns(x[0])
    return [dot(e[i], e[j]) - (1.0 if i == j else 0.0) for i in range(3) for j in range(i, 3)]


def _strain(q: Any, v: Any, p: Any) -> Any:
    e = _columns(q[0])
    return -0.25 * p[0] * sum((dot(e[i], e[j]) - (1.0 if i == j else 0.0)) ** 2 for i in range(3) for j in range(3))


def _turned(x: Any, r: Any) -> Any:
    """B r."""
    e = _columns(x)
    return e[0] * r[0] + e[1] * r[1] + e[2] * r[2]


def _sides(moving: tuple[bool, bool]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """How to find a point and a direction of the first or second body of a pair, of which the world may be one."""
    slot = {k: sum(moving[:k]) for k in range(2)}

    def point(x: Any, k: int, r: Any) -> Any:
        return x[slot[k]][:3] + _turned(x[slot[k]], r) if moving[k] else r

    def direction(x: Any, k: int, u: Any) -> Any:
        return _turned(x[slot[k]], u) if moving[k] else u

    return point, direction


def _by_sides(body: Any) -> list[tuple[tuple[bool, bool], Any]]:
    """Pairs of bodies by which of them move: (which, numbers of the pairs)."""
    moves = body > 0
    kinds_of = [(a, b) for a in (False, True) for b in (False, True) if a or b]
    found = [(kind, np.flatnonzero((moves == kind).all(1))) for kind in kinds_of]
    return [(kind, which) for kind, which in found if len(which)]


def _nodes(body: Any, moving: tuple[bool, bool]) -> Any:
    return body[:, list(moving)] - 1


def _springs(system: System) -> list[Elements]:
    found = []
    for moving, which in _by_sides(system.springs.body):
        s, (point, _) = system.springs, _sides(moving)
        table = np.column_stack([s.point[which].reshape(-1, 6), s.stiffness[which], s.length[which]])
        found.append(Elements(_spring(point), _nodes(s.body[which], moving), table, dim=12, name="springs"))
    return found


def _spring(point: Any) -> Callable[[Any, Any, Any], Any]:
    """−V of a spring, (q, v, p) with p = (r_i, r_j, k, l)."""
    return lambda q, v, p: -0.5 * p[6] * (norm(point(q, 1, p[3:6]) - point(q, 0, p[:3])) - p[7]) ** 2


def _dampers(system: System) -> list[Elements]:
    rows, found = system.rows, []
    mine = np.flatnonzero(rows.kind == kinds.SPAN)
    for moving, which in _by_sides(rows.body[mine]):
        w = mine[which]
        table = np.column_stack([rows.point[w].reshape(-1, 6), rows.rate[w]])
        found.append(Elements(_damper(moving), _nodes(rows.body[w], moving), table, dim=12, name="dampers"))
    return found


def _damper(moving: tuple[bool, bool]) -> Callable[[Any, Any, Any], Any]:
    """D of (2), (q, v, p) with p = (r_i, r_j, c): positions are linear in q, rates the same in v."""
    point, _ = _sides(moving)

    def D(q: Any, v: Any, p: Any) -> Any:
        d = point(q, 1, p[3:6]) - point(q, 0, p[:3])
        speeds = [point(v, k, p[3 * k : 3 * k + 3]) if moving[k] else 0.0 * d for k in range(2)]
        return 0.5 * p[6] * dot(d, speeds[1] - speeds[0]) ** 2 / dot(d, d)

    return D


def _rows(system: System) -> list[Elements]:
    """Joints: polynomial rows, grouped by kind and by which bodies move."""
    rows, found = system.rows, []
    for kind in sorted(set(rows.kind.tolist()) - {kinds.SPAN}):
        for component in sorted(set(rows.component[rows.kind == kind].tolist())):
            mine = np.flatnonzero((rows.kind == kind) & (rows.component == component))
            for moving, which in _by_sides(rows.body[mine]):
                w = mine[which]
                table = np.column_stack([rows.point[w].reshape(-1, 6), rows.direction[w].reshape(-1, 6), rows.value[w]])
                row = _row(kind, component, *_sides(moving))
                found.append(Elements(row, _nodes(rows.body[w], moving), table, dim=12, name="joints"))
    return found


def _row(kind: int, component: int, point: Any, direction: Any) -> Callable[[Any, Any], Any]:
    """One kind of row, (x, p) ↦ g, with p = (r_i, r_j, u, w, value)."""

    def row(x: Any, p: Any) -> Any:
        d = point(x, 1, p[3:6]) - point(x, 0, p[:3])
        if kind == kinds.COINCIDE:
            return d[component]
        if kind == kinds.DOT1:
            return dot(direction(x, 0, p[6:9]), direction(x, 1, p[9:12])) - p[12]
        if kind == kinds.DOT2:
            return dot(direction(x, 0, p[6:9]), d) - p[12]
        return 0.5 * (dot(d, d) / p[12] - p[12])  # DISTANCE

    return row


def _start(system: System, state: State) -> tuple[Array, Array]:
    """q and v: Ḃ = B ω̂."""
    w = state.L * system.bodies.inverse_inertia
    Bdot = state.B @ np.array([hat(x) for x in w])
    v = state.p * system.bodies.inverse_mass[:, None]
    n = len(w)
    return (
        np.hstack([state.a, state.B.reshape(n, 9)])[1:].ravel(),
        np.hstack([v, Bdot.reshape(n, 9)])[1:].ravel(),
    )
