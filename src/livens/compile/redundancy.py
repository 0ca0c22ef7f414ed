"""Redundant constraints: which constraint equations are left out of the stepping.

The rank of G at a generic position counts the degrees of freedom. Rows that are redundant there are redundant
everywhere. With N a basis of the null space of Gᵀ, the rows that are left out are those that maximise the smallest
singular value of their block of N: 1 at best, 0 if the other rows do not imply them. Positions along a stretch of
the motion decide, because a start may be singular by accident. Reactions are still those of all rows, of minimum norm
(record/joints.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..checks import Array
from ..errors import ModelError
from ..kernels.dynamics import move_steadily
from .assembly import Assembly
from .states import copied
from .system import fastest, inverse_masses

RANK_TOLERANCE = 1e-12  # an eigenvalue of G Gᵀ below this, its diagonal scaled to one: a row is redundant
FEW_ROWS = 200  # up to which both directions of a long stretch of motion are examined
DENSE_ROWS = 1000  # up to which eigenvectors choose the rows that are left out; beyond, pivots choose


class Dependent(NamedTuple):
    """The rows that are redundant at one position."""

    rows: list[int]  # as many as are redundant, the last ones in the order of elimination: where loops close
    null_space: Array | None  # basis of the null space of Gᵀ (rows, redundant); None where there are too many rows


def redundant_rows(start: Assembly) -> frozenset[int]:
    """The rows to leave out of the stepping of a model that is assembled in `start`."""
    seen = [dependent_rows(start)]
    if not seen[0].rows:
        return frozenset()
    few = len(start.hard) <= FEW_ROWS
    stretch = [0.03] + [0.3] * (10 if few else 3)
    for own, sign in itertools.product((True, False), (1.0, -1.0) if few else (1.0,)):
        there = Assembly(start.model, start.system, copied(start.state), start.owners)
        for turn in stretch:
            if not move_along(there, own, sign * turn):
                break
            seen.append(dependent_rows(there))
            if seen[-1].null_space is None:
                break
    least = min(len(place.rows) for place in seen)
    seen = [place for place in seen if len(place.rows) == least]
    bases = [place.null_space for place in seen if place.null_space is not None]
    choices = {tuple(place.rows) for place in seen}
    if bases:
        choices.add(tuple(largest_rows(np.stack(bases if few else bases[:1]))))

    def worst(rows: Iterable[int]) -> float:
        return min((smallest_singular_value(basis, rows) for basis in bases), default=0.0)

    return frozenset(max(sorted(choices), key=worst))


def move_along(there: Assembly, own: bool, turn: float) -> bool:
    """Move by about `turn` [rad] along the motion that the state has (`own`), or along a random one that the joints
    allow; False if there is none or the mechanism cannot be assembled there."""
    rng = np.random.default_rng(1)
    state, bodies = there.state, there.system.bodies
    if not own:
        state.p[1:] = rng.normal(size=state.p[1:].shape) * bodies.mass[1:, None]
        state.L[1:] = rng.normal(size=state.L[1:].shape) * bodies.inertia[1:] * (bodies.inverse_inertia[1:] > 0.0)
    there.project_velocities()
    rate = fastest(bodies, state, there.size)
    if rate < 1e-9:
        return False
    a0, B0 = state.a.copy(), state.B.copy()
    move_steadily(bodies, turn / rate, a0, B0, state.p, state.L, state.a, state.B)
    try:
        there.project_positions()
    except ModelError:
        return False
    return True


def dependent_rows(here: Assembly) -> Dependent:
    """The rows that are redundant at this position. The decision is geometric: all bodies get the same mass, and the
    joints' size as radius of gyration."""
    bodies = here.system.bodies
    same = bodies._replace(
        inverse_mass=(bodies.inverse_mass > 0.0).astype(np.float64),
        inverse_inertia=(bodies.inverse_inertia > 0.0) / here.size**2,
    )
    pivot = here.factorise(shift=0.0, tiny=RANK_TOLERANCE, bodies=same)
    last = np.flatnonzero((pivot == 0.0) & here.hard).tolist()
    rows = np.flatnonzero(here.hard)
    if not last or len(rows) > DENSE_ROWS:
        return Dependent(last, None)
    G = here.jacobian()[rows]
    C = (G * inverse_masses(same)) @ G.T
    scale = 1.0 / np.sqrt(np.maximum(np.diag(C), 1e-300))
    values, vectors = np.linalg.eigh(C * scale[:, None] * scale)
    null = np.zeros((len(pivot), int((values < RANK_TOLERANCE).sum())))
    null[rows] = vectors[:, values < RANK_TOLERANCE]
    return Dependent(last if len(last) == null.shape[1] else largest_rows(null[None]), null)


def largest_rows(bases: Array) -> list[int]:
    """One row for each column, chosen greedily so that they are as independent as possible in every one of `bases`."""
    left, chosen = bases.copy(), []
    for _ in range(left.shape[2]):
        size = np.linalg.norm(left, axis=2)
        k = int(np.argmax(size.min(axis=0)))
        chosen.append(k)
        u = left[:, k] / np.maximum(size[:, k], 1e-300)[:, None]
        left -= (left @ u[:, :, None]) * u[:, None, :]
    return chosen


def smallest_singular_value(null_space: Array, rows: Iterable[int]) -> float:
    """The smallest singular value of the block of `rows` in a basis of the null space."""
    part = null_space[list(rows)]
    return float(np.linalg.svd(part, compute_uv=False)[-1]) if part.size else 1.0
