"""DISTANCE: g = ½ (|d|²/l − l), two points at the distance l, with d = x_j − x_i.

γ = (ḋ·ḋ + d·d̈)/l
"""

from __future__ import annotations

from ..._jit import inline
from ..potential import span
from .derivatives import dot, span_derivatives
from .jacobian_entries import put_force


@inline
def violation(rows, r, a, B):
    d0, d1, d2 = span(rows.body, rows.point, r, a, B)
    return 0.5 * ((d0 * d0 + d1 * d1 + d2 * d2) / rows.value[r] - rows.value[r])


@inline
def jacobian(rows, r, a, B, G):
    d0, d1, d2 = span(rows.body, rows.point, r, a, B)
    c = 1.0 / rows.value[r]
    put_force(G, rows.entry[r, 0], B, rows.body[r, 0], rows.point[r, 0], -c * d0, -c * d1, -c * d2)
    put_force(G, rows.entry[r, 1], B, rows.body[r, 1], rows.point[r, 1], c * d0, c * d1, c * d2)


@inline
def bias(rows, r, bodies, a, B, p, L):
    d, dd, ddd = span_derivatives(bodies, rows.body[r], rows.point[r], a, B, p, L)
    return (dot(dd, dd) + dot(d, ddd)) / rows.value[r]
