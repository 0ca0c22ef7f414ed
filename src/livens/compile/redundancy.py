"""Redundant constraints: which constraint equations are left out of the stepping.

The rank of the Jacobian G at a generic position counts the degrees of freedom, and rows that are redundant there are
redundant everywhere. It is decided loop by loop (loops.py), by the singular values of the loop's part of G, with

    rows of length one,    translations as they are,    rotations of body b times 1/ℓ_b,                        (1)

ℓ_b the longest lever arm of a row on the body, or the geometric mean of the others where it has none. So it does not
depend on orientation, units, or the size of the rest of the model. A singular value below RANK_TOLERANCE counts as
zero. Positions at which one is neither small nor large are not used if others are clear; of those that are used, the
largest rank counts, because a position may be singular.

With N a basis of the null space of Gᵀ, the rows that are left out are those that maximise the smallest singular value
of their block of N: 1 at best, 0 if the other rows do not imply them. Rows that constrain velocities only come first if
the others imply them well: positions that satisfy the others imply such a row exactly, but no row of positions follows
from velocities within a step. Which of them is left out changes a motion by the error of a step, so that it must not
depend on the orientation of the model: their directions (describe/joints/no_slip.py) and the positions at which N is
computed turn with the model. Reactions are still those of all rows, of minimum norm (record/joints.py).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..checks import Array
from ..errors import ModelError
from ..kernels.arrays import State, System
from ..kernels.dynamics import move_steadily
from ..kernels.kinds import VELOCITY_ONLY
from .assembly import Assembly
from .bodies import size_of_bodies
from .loops import loops, rows_of
from .states import copied
from .system import fastest

RANK_TOLERANCE = 1e-8  # a singular value below this, scaled by (1), counts as zero
DOUBTFUL = (1e-11, 1e-5)  # singular values between these are neither small nor large
ROUND_OFF = 1e-9  # a lever arm below this, relative to the largest or to the size of the bodies, counts as none
REGULAR = 1e-4  # least singular value above which the rows of a large loop are independent without a closer look
FEW_ROWS = 200  # in a loop, up to which both directions of a long stretch of motion are examined
DENSE_ROWS = 2500  # in a loop, up to which singular values decide; beyond, the pivots of G Gᵀ do
IMPLIED = 0.01  # a row that constrains velocities only is implied well if its part of the null space is above this
ATTEMPTS = 6  # random velocities that are tried if no motion leaves the position at the start
PIVOT_TOLERANCE = 1e-12  # a pivot of G Gᵀ below this, its diagonal scaled to one, counts as zero


class NullSpace(NamedTuple):
    """The redundancy of a loop at one position."""

    basis: Array  # of the null space of Gᵀ, scaled by (1), (rows of the loop, redundant)
    clear: bool  # no singular value is doubtful


def redundant_rows(start: Assembly) -> frozenset[int]:
    """The rows to leave out of the stepping of a model that is assembled in `start`."""
    parts = [rows_of(start.system, blocks) for blocks in loops(start.system)]
    small = [rows for rows in parts if len(rows) <= DENSE_ROWS]
    left_out = _by_pivots(start, np.concatenate(large)) if (large := [r for r in parts if len(r) > DENSE_ROWS]) else []
    start.evaluate_jacobian()
    seen = [(rows, [place]) for rows in small if (place := null_space(start, rows)).basis.shape[1]]
    if not seen:
        return frozenset(left_out)
    few = max(len(rows) for rows, _ in seen) <= FEW_ROWS
    for there in _positions(start, few):
        there.evaluate_jacobian()
        for rows, found in seen:
            found.append(null_space(there, rows))
        if all(any(not place.basis.shape[1] for place in found) for _, found in seen):
            break
    rolls = start.system.rows.kind >= VELOCITY_ONLY
    return frozenset([*left_out, *(int(row) for rows, found in seen for row in rows[_chosen(found, rolls[rows])])])


def _positions(start: Assembly, few: bool) -> Iterable[Assembly]:
    """Positions along the motion that the start has, and along a random one that the joints allow."""
    stretch = [0.03] + [0.3] * (10 if few else 3)
    even, state = _even(start.system, start.state)
    found = False
    for own, sign in itertools.product((True, False), (1.0, -1.0) if few else (1.0,)):
        there = Assembly(start.model, even, copied(state), start.owners, start.t)
        for turn in stretch:
            if not move_along(there, own, sign * turn):
                break
            found = True
            yield there
    for seed in range(2, 2 if found else 2 + ATTEMPTS):  # at a singular position, not every velocity begins a motion
        there = Assembly(start.model, even, copied(state), start.owners, start.t)
        if move_along(there, False, 0.03, seed):
            yield there
            if move_along(there, False, 0.3, seed):
                yield there


def _even(system: System, state: State) -> tuple[System, State]:
    """The system with equal masses, whose bodies have their longest lever arm as radius of gyration, and the state with
    the same velocities: positions must not depend on masses, which may differ by many orders of magnitude."""
    bodies, rows = system.bodies, system.rows
    arms = np.zeros(len(bodies.mass))
    for side in range(rows.body.shape[1]):
        np.maximum.at(arms, rows.body[:, side], np.abs(rows.point[:, side]).max(axis=1, initial=0.0))
    moves, turns = (np.sign(inverse) for inverse in (bodies.inverse_mass, bodies.inverse_inertia))
    size = size_of_bodies(bodies.mass, bodies.inertia * turns, np.zeros(3))
    mass = float(bodies.mass.sum()) / max(1, len(bodies.mass) - 1)
    moment = np.repeat(mass * _filled(arms, size)[:, None] ** 2, 3, axis=1)
    even = bodies._replace(mass=mass * moves, inverse_mass=moves / mass, inertia=moment, inverse_inertia=turns / moment)
    p = mass * bodies.inverse_mass[:, None] * state.p
    return system._replace(bodies=even), state._replace(p=p, L=moment * bodies.inverse_inertia * state.L)


def _chosen(found: Sequence[NullSpace], rolls: Array) -> list[int]:
    """The rows of a loop to leave out, from its null spaces at several positions; `rolls`: which of them constrain
    velocities only."""
    clear = [place for place in found if place.clear] or found
    least = min(place.basis.shape[1] for place in clear)
    bases = [place.basis for place in clear if place.basis.shape[1] == least]
    if not least:
        return []
    places = (np.stack(bases), *(basis[None] for basis in bases))
    choices = sorted({tuple(largest_rows(some, rolls)) for some in places})

    def rank(rows: tuple[int, ...]) -> tuple[int, float, float]:
        rolling = [row for row in rows if rolls[row]]
        implied, whole = (min(smallest_singular_value(basis, some) for basis in bases) for some in (rolling, rows))
        return len(rolling), round(implied, 6), whole

    best = max(choices, key=rank)
    return list(best)


def move_along(there: Assembly, own: bool, turn: float, seed: int = 1) -> bool:
    """Move by about `turn` [rad] along the motion that the state has (`own`), or along a random one that the joints
    allow; False if there is none or the mechanism cannot be assembled there."""
    rng = np.random.default_rng(seed)
    state, bodies = there.state, there.system.bodies
    if not own:
        v = np.einsum("bij,bj->bi", state.B[1:], rng.normal(size=state.p[1:].shape))  # random in body axes
        state.p[1:] = v * bodies.mass[1:, None] * there.size
        state.L[1:] = rng.normal(size=state.L[1:].shape) * bodies.inertia[1:] * (bodies.inverse_inertia[1:] > 0.0)
    before = fastest(bodies, state, there.size)
    there.project_velocities()
    rate = fastest(bodies, state, there.size)
    if rate <= 1e-9 * before:
        return False
    a0, B0 = state.a.copy(), state.B.copy()
    move_steadily(bodies, turn / rate, a0, B0, state.p, state.L, state.a, state.B)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # it may diverge, if it is far from all joints
            there.project_positions()
    except ModelError:
        return False
    return True


def null_space(here: Assembly, rows: Array) -> NullSpace:
    """The null space of the part of Gᵀ that belongs to some rows, which form whole blocks; G is in work.G."""
    G = scaled_jacobian(here, rows)
    if not np.isfinite(G).all():
        names = ", ".join(sorted({repr(here.owners[r].name) for r in rows.tolist()}))
        raise ModelError(f"the equations of {names} are too large to compute with: check their numbers and units.")
    if len(rows) > FEW_ROWS and _is_regular(G):
        return NullSpace(np.zeros((len(rows), 0)), True)
    U, s, _ = np.linalg.svd(G, full_matrices=G.shape[0] > G.shape[1])
    size = np.concatenate([s, np.zeros(len(rows) - len(s))]) if len(rows) > len(s) else s
    clear = not ((size > DOUBTFUL[0]) & (size < DOUBTFUL[1])).any()
    return NullSpace(U[:, size < RANK_TOLERANCE], clear)


def _is_regular(G: Array) -> bool:
    """Whether the rows of G are clearly independent: the least eigenvalue of G Gᵀ, by sparse inverse iteration."""
    try:
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import ArpackError, eigsh
    except ImportError:  # in a browser
        return False
    try:
        gram = csc_matrix(G) @ csc_matrix(G).T
        least = eigsh(gram.tocsc(), k=1, sigma=-(REGULAR**2), which="LM", return_eigenvectors=False, v0=np.ones(len(G)))
    except (ArpackError, RuntimeError):  # it did not converge
        return False
    return float(least[0]) > REGULAR**2


def scaled_jacobian(here: Assembly, rows: Array) -> Array:
    """The rows of G for the bodies that they touch, scaled by (1)."""
    system, work = here.system, here.work
    blocks, bodies = system.blocks, system.bodies
    mine = np.unique(np.searchsorted(blocks.row, rows, side="right") - 1)
    sides = [(J, s) for J in mine for s in range(blocks.side[J], blocks.side[J + 1])]
    column = {b: k for k, b in enumerate(sorted({int(blocks.side_body[s]) for _, s in sides}))}
    first = dict(zip(mine, np.searchsorted(rows, blocks.row[mine]), strict=True))
    G = np.zeros((len(rows), len(column), 6))
    for J, s in sides:
        n, e = blocks.row[J + 1] - blocks.row[J], blocks.side_entry[s]
        G[first[J] : first[J] + n, column[int(blocks.side_body[s])]] = work.G[e : e + n]
    size = size_of_bodies(bodies.mass, bodies.inertia * (bodies.inverse_inertia > 0.0), np.zeros(3))
    levers = _filled(np.array([_lever(G[:, k]) for k in column.values()]), size)
    for b, k in column.items():
        G[:, k, :3] *= bodies.inverse_mass[b] > 0.0
        G[:, k, 3:] *= (bodies.inverse_inertia[b] > 0.0) / levers[k]
    flat = G.reshape(len(rows), -1)
    return flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-300)


def _lever(rows: Array) -> float:
    """The longest lever arm of rows on one body: their rotations over their translations; 0 if they have only one."""
    moves, turns = np.linalg.norm(rows[:, :3], axis=1), np.linalg.norm(rows[:, 3:], axis=1)
    both = (moves > 0.0) & (turns > 0.0)
    return float((turns[both] / moves[both]).max()) if both.any() else 0.0


def _filled(levers: Array, size: float) -> Array:
    """The lever arms of bodies, with the geometric mean of the others, or `size`, for those that are none."""
    known = levers > ROUND_OFF * max(size, float(levers.max(initial=0.0)))
    mean = float(np.exp(np.log(levers[known]).mean())) if known.any() else size
    return np.where(known, levers, mean)


def _by_pivots(here: Assembly, rows: Array) -> list[int]:
    """The redundant rows among `rows` by the pivots of G Gᵀ: those that come last in the order of elimination."""
    bodies = here.system.bodies
    same = bodies._replace(
        inverse_mass=(bodies.inverse_mass > 0.0).astype(np.float64),
        inverse_inertia=(bodies.inverse_inertia > 0.0) / here.size**2,
    )
    pivot = here.factorise(shift=0.0, tiny=PIVOT_TOLERANCE, bodies=same)
    return [int(row) for row in rows if pivot[row] == 0.0 and here.hard[row]]


def largest_rows(bases: Array, first: Array) -> list[int]:
    """One row for each column, chosen greedily so that they are as independent as possible in every one of `bases`;
    those of `first` are chosen before others if the rest implies them well."""
    left, chosen = bases.copy(), []
    for _ in range(left.shape[2]):
        size = np.linalg.norm(left, axis=2)
        least = size.min(axis=0)
        k = int(np.argmax(np.where(first & (least > IMPLIED), 1.0 + least.round(6), least)))
        chosen.append(k)
        u = left[:, k] / np.maximum(size[:, k], 1e-300)[:, None]
        left -= (left @ u[:, :, None]) * u[:, None, :]
    return chosen


def smallest_singular_value(null_space: Array, rows: Iterable[int]) -> float:
    """The smallest singular value of the block of `rows` in a basis of the null space."""
    part = null_space[list(rows)]
    return float(np.linalg.svd(part, compute_uv=False)[-1]) if part.size else 1.0
