"""What RIM and ROLL share: the point at which a ball or a thin disc touches a plane, and a force there.

The first body has the plane with the normal n, the second is a ball (no axis) or a disc with the axis W. The vector
from the centre to the contact is

    ρ = −R (n − s W)/√(1 − s²),     s = n·W.
"""

from __future__ import annotations

import math

from ..._jit import inline, njit
from ..coordinates import to_world
from ..potential import point_component, to_body
from .jacobian_entries import put_force, put_opposite


@njit
def contact_point(rows, r, B):
    """ρ, world axes."""
    i, j, R = rows.body[r, 0], rows.body[r, 1], rows.value[r]
    n0, n1, n2 = to_world(B, i, rows.direction[r, 0])
    W0, W1, W2 = to_world(B, j, rows.direction[r, 1])
    s = n0 * W0 + n1 * W1 + n2 * W2
    c = -R / math.sqrt(max(1e-300, 1.0 - s * s))
    return c * (n0 - s * W0), c * (n1 - s * W1), c * (n2 - s * W2)


@inline
def put_contact_pair(rows, r, i, j, ei, ej, a, B, U0, U1, U2, G):
    """Both entries of row r: the force U on the second body at the contact, −U on the first body there."""
    rho0, rho1, rho2 = contact_point(rows, r, B)
    rj = rows.point[r, 1]
    c0, c1, c2 = to_body(B, j, rho0, rho1, rho2)
    put_force(G, ej, B, j, (rj[0] + c0, rj[1] + c1, rj[2] + c2), U0, U1, U2)
    x0 = point_component(a, B, j, rj, 0) + rho0
    x1 = point_component(a, B, j, rj, 1) + rho1
    x2 = point_component(a, B, j, rj, 2) + rho2
    put_opposite(G, ei, B, i, a, x0, x1, x2, U0, U1, U2)
