"""DOT2: g = U·d − c, the distance of two points along the direction U = B_i u, with d = x_j − x_i.

γ = Ü·d + 2U̇·ḋ + U·d̈
"""

from __future__ import annotations

from ..._jit import inline
from ..coordinates import to_world
from ..potential import span
from .derivatives import projected_bias
from .jacobian_entries import put_pair


@inline
def violation(rows, r, i, a, B):
    d0, d1, d2 = span(rows.body, rows.point, r, a, B)
    U0, U1, U2 = to_world(B, i, rows.direction[r, 0])
    return U0 * d0 + U1 * d1 + U2 * d2 - rows.value[r]


@inline
def jacobian(rows, r, i, j, ei, ej, a, B, G):
    U0, U1, U2 = to_world(B, i, rows.direction[r, 0])
    put_pair(G, ei, ej, a, B, i, j, rows.point[r, 1], U0, U1, U2)


@inline
def bias(rows, r, bodies, a, B, p, L):
    return projected_bias(bodies, rows.body[r], rows.point[r], rows.direction[r, 0], a, B, p, L)
