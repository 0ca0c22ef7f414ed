"""DISTANCE: g = ½ (|d|²/l − l), two points at the distance l, with d = x_j − x_i.

    γ = (ḋ·ḋ + d·d̈)/l

SPAN: the rate of |d|, which a damper between two points resists: the same Jacobian with |d| instead of l, and no g.
"""

from __future__ import annotations

import math

from ..._jit import inline
from ..kinds import DISTANCE
from ..potential import span
from ..vectors import dot
from .derivatives import span_derivatives
from .jacobian_entries import put_force


@inline
def violation(rows, r, a, B):
    d0, d1, d2 = span(rows.body, rows.point, r, a, B)
    return 0.5 * ((d0 * d0 + d1 * d1 + d2 * d2) / rows.value[r] - rows.value[r])


@inline
def jacobian(rows, r, i, j, ei, ej, a, B, G):
    d0, d1, d2 = span(rows.body, rows.point, r, a, B)
    length = rows.value[r] if rows.kind[r] == DISTANCE else max(1e-300, math.sqrt(d0 * d0 + d1 * d1 + d2 * d2))
    c = 1.0 / length
    put_force(G, ei, B, i, rows.point[r, 0], -c * d0, -c * d1, -c * d2)
    put_force(G, ej, B, j, rows.point[r, 1], c * d0, c * d1, c * d2)


@inline
def bias(rows, r, bodies, a, B, p, L):
    d, dd, ddd = span_derivatives(bodies, rows.body[r], rows.point[r], a, B, p, L)
    return (dot(dd, dd) + dot(d, ddd)) / rows.value[r]
