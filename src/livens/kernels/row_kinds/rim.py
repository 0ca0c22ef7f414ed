"""RIM: g = n·d − R √(1 − (n·W)²), a thin disc with the axis W that touches a plane with the normal n (rolling.py).

The Jacobian is the force n at the contact. Its bias term is found by differences (`bias` of dynamics.py).
"""

from __future__ import annotations

import math

from ..._jit import inline, njit
from ..coordinates import to_world
from ..potential import span
from .rolling import put_contact_pair


@inline
def violation(rows, r, i, j, a, B):
    d0, d1, d2 = span(rows.body, rows.point, r, a, B)
    n0, n1, n2 = to_world(B, i, rows.direction[r, 0])
    W0, W1, W2 = to_world(B, j, rows.direction[r, 1])
    s = n0 * W0 + n1 * W1 + n2 * W2
    return n0 * d0 + n1 * d1 + n2 * d2 - rows.value[r] * math.sqrt(max(0.0, 1.0 - s * s))


@njit
def jacobian(rows, r, a, B, G):
    i, j = rows.body[r, 0], rows.body[r, 1]
    ei, ej = rows.entry[r, 0], rows.entry[r, 1]
    n0, n1, n2 = to_world(B, i, rows.direction[r, 0])
    put_contact_pair(rows, r, i, j, ei, ej, a, B, n0, n1, n2, G)
