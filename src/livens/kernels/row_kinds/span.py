"""SPAN: the rate of |d|, d = x_j − x_i, which a damper between two points resists. Velocity level only."""

from __future__ import annotations

import math

from ..._jit import inline
from ..potential import span
from .jacobian_entries import put_force


@inline
def jacobian(rows, r, a, B, G):
    d0, d1, d2 = span(rows.body, rows.point, r, a, B)
    c = 1.0 / max(1e-300, math.sqrt(d0 * d0 + d1 * d1 + d2 * d2))
    put_force(G, rows.entry[r, 0], B, rows.body[r, 0], rows.point[r, 0], -c * d0, -c * d1, -c * d2)
    put_force(G, rows.entry[r, 1], B, rows.body[r, 1], rows.point[r, 1], c * d0, c * d1, c * d2)
