"""Symmetries of a thing's action (Noether), and the subspaces that describe them.

Linear momentum along n is conserved if no action changes when all bodies are moved along n; angular momentum about a
line is conserved if no action changes when all bodies are rotated about that line. A thing that acts between bodies
only has all of these symmetries. A thing that acts from outside leaves directions `move` and `turn`, and its axes of
rotation may have to pass through a point of the world. Subspaces are matrices with orthonormal rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array

ALL, NONE = np.eye(3), np.zeros((0, 3))
PARALLEL = 1e-9  # sine of the angle, and distance relative to the size, below which lines count as one


class Symmetry(NamedTuple):
    """Translations and rotations of all bodies that do not change an action."""

    move: Array  # directions of the translations, orthonormal rows (0 to 3 of them)
    turn: Array  # directions of the axes of rotation, the same
    through: Array | None = None  # the point of the world that these axes pass through [m]; None: they may be anywhere

    @property
    def complete(self) -> bool:
        """True if every translation and rotation is left."""
        return len(self.move) == len(self.turn) == 3


def line_along(u: ArrayLike) -> Array:
    """The line of u; for an axis of the world or its negative it is the axis itself."""
    v = np.asarray(u, dtype=np.float64)
    v = v / np.linalg.norm(v)
    return np.array([v if v[np.argmax(np.abs(v))] > 0.0 else -v]) + 0.0


def plane_across(u: ArrayLike) -> Array:
    """The plane perpendicular to u, spanned by world axes if possible."""
    v = line_along(u)[0]
    if np.count_nonzero(v) == 1:
        return ALL[v == 0.0]
    return np.linalg.svd(v[None])[2][1:]


def intersection(spaces: list[Array]) -> Array:
    """The intersection of the subspaces; all of space if there are none."""
    common = ALL
    for space in spaces:
        if len(space) < 3 and len(common):  # keep the combinations of `common` that lie in `space`
            s, Vt = np.linalg.svd((common - common @ space.T @ space).T)[1:]
            common = _tidy(Vt[s <= PARALLEL] @ common, space)
    return common


def lines_through(points: Array) -> Array:
    """Directions of the lines through all the points: every direction for one point, one for points on a line."""
    spread = points - points[:1]
    size = max(1.0, float(np.abs(points).max(initial=0.0)))
    if np.abs(spread).max(initial=0.0) <= PARALLEL * size:
        return ALL
    s, Vt = np.linalg.svd(spread)[1:]
    return line_along(Vt[0]) if len(s) < 2 or s[1] <= PARALLEL * s[0] + PARALLEL * size else NONE


def orthogonal_complement(rows: Array) -> Array:
    """The directions perpendicular to all `rows`, which are of size one, spanned by coordinate axes if possible."""
    quiet = np.abs(rows).max(axis=0) <= PARALLEL
    s, Vt = np.linalg.svd(rows)[1:]
    basis = Vt[int((s > PARALLEL).sum()) :]
    return np.eye(rows.shape[1])[quiet] if quiet.sum() == len(basis) else basis


def _tidy(rows: Array, space: Array) -> Array:
    """`rows`, or the rows of `space` themselves if they span the same."""
    return space if len(rows) == len(space) else line_along(rows[0]) if len(rows) == 1 else rows
