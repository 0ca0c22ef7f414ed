"""COINCIDE: g = (x_j − x_i)·e_k, one world component of two points that coincide, as in ball joints.

γ = d̈·e_k,     d̈ = B_j(ω_j × (ω_j × r_j)) − B_i(ω_i × (ω_i × r_i))
"""

from __future__ import annotations

from ..._jit import inline, njit
from ..kinds import COINCIDE
from ..potential import point_component
from ..vectors import minus
from .derivatives import direction_acceleration


@inline
def violation(rows, r, i, j, a, B):
    k = rows.component[r]
    return point_component(a, B, j, rows.point[r, 1], k) - point_component(a, B, i, rows.point[r, 0], k)


@inline
def jacobian(rows, r, i, j, ei, ej, B, G):
    k = rows.component[r]
    for m in range(3):
        G[ei, m] = 0.0
        G[ej, m] = 0.0
    G[ei, k] = -1.0
    G[ej, k] = 1.0
    ri, rj = rows.point[r, 0], rows.point[r, 1]
    G[ei, 3] = ri[2] * B[i, k, 1] - ri[1] * B[i, k, 2]
    G[ei, 4] = ri[0] * B[i, k, 2] - ri[2] * B[i, k, 0]
    G[ei, 5] = ri[1] * B[i, k, 0] - ri[0] * B[i, k, 1]
    G[ej, 3] = rj[1] * B[j, k, 2] - rj[2] * B[j, k, 1]
    G[ej, 4] = rj[2] * B[j, k, 0] - rj[0] * B[j, k, 2]
    G[ej, 5] = rj[0] * B[j, k, 1] - rj[1] * B[j, k, 0]


@inline
def bias(rows, r, bodies, B, L, last):
    """All three components of d̈; `last` is the result for the row before, which is used again for the same points."""
    i, j = rows.body[r, 0], rows.body[r, 1]
    found = last
    if not same_points_as_before(rows, r):
        at_j = direction_acceleration(bodies, B, j, rows.point[r, 1], L)
        found = minus(at_j, direction_acceleration(bodies, B, i, rows.point[r, 0], L))
    return found


@njit
def same_points_as_before(rows, r):
    """True if row r is about the same two points as the row before it, as those of a ball joint are."""
    same = r > 0 and rows.kind[r - 1] == COINCIDE
    for s in range(2):
        same = same and rows.body[r, s] == rows.body[r - 1, s]
        for k in range(3):
            same = same and rows.point[r, s, k] == rows.point[r - 1, s, k]
    return same
