"""DOT1: g = U·W − c, a constant angle between the directions U = B_i u and W = B_j w.

γ = Ü·W + 2U̇·Ẇ + U·Ẅ
"""

from __future__ import annotations

from ..._jit import inline
from ..coordinates import to_world
from ..vectors import dot
from .derivatives import direction_derivatives
from .jacobian_entries import put_torque


@inline
def violation(rows, r, i, j, B):
    U0, U1, U2 = to_world(B, i, rows.direction[r, 0])
    W0, W1, W2 = to_world(B, j, rows.direction[r, 1])
    return U0 * W0 + U1 * W1 + U2 * W2 - rows.value[r]


@inline
def jacobian(rows, r, i, j, ei, ej, B, G):
    U0, U1, U2 = to_world(B, i, rows.direction[r, 0])
    W0, W1, W2 = to_world(B, j, rows.direction[r, 1])
    put_torque(G, ei, B, i, rows.direction[r, 0], W0, W1, W2, 1.0)
    put_torque(G, ej, B, j, rows.direction[r, 1], U0, U1, U2, 1.0)


@inline
def bias(rows, r, bodies, B, L):
    U, dU, ddU = direction_derivatives(bodies, B, rows.body[r, 0], rows.direction[r, 0], L)
    W, dW, ddW = direction_derivatives(bodies, B, rows.body[r, 1], rows.direction[r, 1], L)
    return dot(ddU, W) + 2.0 * dot(dU, dW) + dot(U, ddW)
