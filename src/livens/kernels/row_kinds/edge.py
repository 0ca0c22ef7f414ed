"""EDGE: W·v_j = 0, a knife edge: no velocity along W = B_j w at the point of the second body. Velocity level only.

Its bias term is found by differences (`bias` of dynamics.py).
"""

from __future__ import annotations

from ..._jit import inline
from ..coordinates import to_world
from .jacobian_entries import put_pair


@inline
def jacobian(rows, r, i, j, ei, ej, a, B, G):
    W0, W1, W2 = to_world(B, j, rows.direction[r, 1])
    put_pair(G, ei, ej, a, B, i, j, rows.point[r, 1], W0, W1, W2)
