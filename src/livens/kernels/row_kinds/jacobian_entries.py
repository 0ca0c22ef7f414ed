"""What several kinds share: the span between two points, and entries of the Jacobian.

An entry (f, τ) is the force (world axes) and the torque about the centre of mass (body axes) that a unit multiplier
exerts on a body.
"""

from __future__ import annotations

from ..._jit import inline, njit
from ..potential import point_component, to_body


@njit
def put_force(G, e, B, b, r, F0, F1, F2):
    """Entry e: the world force F at the point r of body b."""
    u0, u1, u2 = to_body(B, b, F0, F1, F2)
    G[e, 0], G[e, 1], G[e, 2] = F0, F1, F2
    G[e, 3] = r[1] * u2 - r[2] * u1
    G[e, 4] = r[2] * u0 - r[0] * u2
    G[e, 5] = r[0] * u1 - r[1] * u0


@njit
def put_torque(G, e, B, b, u, Y0, Y1, Y2, c):
    """Entry e: the body torque c u × BᵀY."""
    y0, y1, y2 = to_body(B, b, Y0, Y1, Y2)
    G[e, 0], G[e, 1], G[e, 2] = 0.0, 0.0, 0.0
    G[e, 3] = c * (u[1] * y2 - u[2] * y1)
    G[e, 4] = c * (u[2] * y0 - u[0] * y2)
    G[e, 5] = c * (u[0] * y1 - u[1] * y0)


@njit
def put_opposite(G, e, B, i, a, x0, x1, x2, U0, U1, U2):
    """Entry e: the force −U on body i at its point that is at the world position x."""
    u0, u1, u2 = to_body(B, i, x0 - a[i, 0], x1 - a[i, 1], x2 - a[i, 2])
    put_force(G, e, B, i, (u0, u1, u2), -U0, -U1, -U2)


@inline
def put_pair(G, ei, ej, a, B, i, j, rj, U0, U1, U2):
    """Both entries of a row: the force U at the point rj of body j, −U on body i at the same position."""
    put_force(G, ej, B, j, rj, U0, U1, U2)
    x0, x1, x2 = point_component(a, B, j, rj, 0), point_component(a, B, j, rj, 1), point_component(a, B, j, rj, 2)
    put_opposite(G, ei, B, i, a, x0, x1, x2, U0, U1, U2)
