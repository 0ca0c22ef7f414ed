"""Sweeps of Gauss–Seidel over contact problems, (1) and (2) of cone.py: one contact after the other.

With a matrix they lead Newton's method to another start; without one they solve problems of many free bodies.
"""

from __future__ import annotations

import math

from ..._jit import njit
from ..kinds import DRY_FRICTION
from ..powers import square
from .arrays import (
    BIAS,
    BLOCK,
    COULOMB,
    FIRST_ROW,
    FREE_RATES,
    IMPULSES,
    KIND,
    LEAN,
    LIMIT,
    ON,
    PARENT_OF,
    PLACED,
    RATES,
    SELECT,
    TWIST,
    WIDTH,
)
from .features import apply_contact, contact_rate
from .resistance import has_gap, has_patch, shares_friction

SHIFT = 1e-9  # in Newton's matrix, relative to the row without joints
SWEEPS = 60  # between two attempts of Newton's method


@njit
def fixed_limits(points, c, parent):
    """The largest impulse along the first row of a contact without a gap, and the radius of its disc, for the normal
    impulse `parent` of its contact."""
    if points.table[KIND, c] == DRY_FRICTION:
        return points.number[LIMIT, c], 0.0
    return points.number[TWIST, c] * parent, points.number[COULOMB, c] * parent


@njit
def local_impulse(points, c, W, parent, n, p1, p2, vn, v1, v2):
    """The new impulse of contact c with the 3 × 3 block W: the first row alone; the tangent by stick if that is within
    the disc, otherwise by one step of (2) with a scalar r, which keeps the direction of slip."""
    mu = points.number[COULOMB, c]
    if has_gap(points, c):
        x = max(0.0, n - vn / W[0, 0])
        limit = mu * x
        if has_patch(points, c):  # its resistance does the rest
            s = math.sqrt(p1 * p1 + p2 * p2)
            f = limit / s if s > limit else 1.0
            return x, f * p1, f * p2
    elif shares_friction(points, c):
        x, limit = n, mu * parent
    else:
        most, limit = fixed_limits(points, c, parent)
        x = min(max(n - vn / W[0, 0], -most), most)
    if mu == 0.0:
        return x, 0.0, 0.0
    l1, l2 = points.vector[LEAN, c, 1] * limit, points.vector[LEAN, c, 2] * limit
    limit -= math.sqrt(l1 * l1 + l2 * l2)
    p1, p2 = p1 - l1, p2 - l2
    v1, v2 = v1 + W[1, 0] * (x - n), v2 + W[2, 0] * (x - n)
    det = W[1, 1] * W[2, 2] - W[1, 2] * W[2, 1]
    y1 = p1 - (W[2, 2] * v1 - W[1, 2] * v2) / det
    y2 = p2 - (W[1, 1] * v2 - W[2, 1] * v1) / det
    if y1 * y1 + y2 * y2 > limit * limit:
        r = 2.0 / (W[1, 1] + W[2, 2] + math.sqrt(square(W[1, 1] - W[2, 2]) + 4.0 * W[1, 2] * W[2, 1]))
        y1, y2 = p1 - r * v1, p2 - r * v2
        s = math.sqrt(y1 * y1 + y2 * y2)
        if s > limit:
            y1, y2 = y1 * limit / s, y2 * limit / s
    return x, y1 + l1, y2 + l2


@njit
def ball_impulse(points, own, c, limit, r, z1, z2, z3, v1, v2, v3):
    """One step of (2) for the tangents of contact `own` and the first row of c, which share a ball of this radius."""
    l1, l2, l3 = points.vector[LEAN, own, 1], points.vector[LEAN, own, 2], points.vector[LEAN, c, 0]
    rest = 1.0 - math.sqrt(l1 * l1 + l2 * l2 + l3 * l3)
    l1, l2, l3, limit = l1 * limit, l2 * limit, l3 * limit, rest * limit
    y1, y2, y3 = z1 - r * v1 - l1, z2 - r * v2 - l2, z3 - r * v3 - l3
    s = math.sqrt(y1 * y1 + y2 * y2 + y3 * y3)
    f = limit / s if s > limit else 1.0
    return f * y1 + l1, f * y2 + l2, f * y3 + l3


@njit
def share_dense(points, cone, n, c, M):
    """The friction of a patch, whose spinning is contact c with the first row M."""
    A, z, w, band = cone.A, cone.row[IMPULSES], cone.row[RATES], cone.table[WIDTH, 0]
    own = points.table[PARENT_OF, c]
    N = cone.table[FIRST_ROW, cone.table[PLACED, own]]
    for i in range(N + 1, N + 3):
        s = cone.row[FREE_RATES, i]
        for k in range(max(0, i - band), min(n, i + band + 1)):
            s += A[i * n + k] * z[k]
        w[i] = s
    r = 1.0 / (A[(N + 1) * n + N + 1] + A[(N + 2) * n + N + 2] + A[M * n + M])
    limit = points.number[COULOMB, own] * z[N]
    z[N + 1], z[N + 2], z[M] = ball_impulse(
        points, own, c, limit, r, z[N + 1], z[N + 2], z[M], w[N + 1], w[N + 2], w[M]
    )


@njit
def sweep_dense(points, cone, m, n):
    """Gauss–Seidel sweeps with the matrix A, from cone.row[IMPULSES]."""
    A, z, w, band = cone.A, cone.row[IMPULSES], cone.row[RATES], cone.table[WIDTH, 0]
    for _ in range(SWEEPS):
        for q in range(m):
            N = cone.table[FIRST_ROW, q]
            rows = cone.table[FIRST_ROW, q + 1] - N
            W = cone.local
            for i in range(rows):
                s = cone.row[FREE_RATES, N + i]
                for k in range(max(0, N + i - band), min(n, N + i + band + 1)):
                    s += A[(N + i) * n + k] * z[k]
                w[N + i] = s
                for k in range(rows):
                    W[i, k] = A[(N + i) * n + N + k]
                W[i, i] += SHIFT * points.matrix[BLOCK, cone.table[SELECT, q], i, i]
            c, parent = cone.table[SELECT, q], 0.0
            if points.table[PARENT_OF, c] >= 0:
                parent = z[cone.table[FIRST_ROW, cone.table[PLACED, points.table[PARENT_OF, c]]]]
            if shares_friction(points, c):
                share_dense(points, cone, n, c, N)
            if rows == 1:
                z[N], _, _ = local_impulse(points, c, W, parent, z[N], 0.0, 0.0, w[N], 0.0, 0.0)
            else:
                z[N], z[N + 1], z[N + 2] = local_impulse(
                    points, c, W, parent, z[N], z[N + 1], z[N + 2], w[N], w[N + 1], w[N + 2]
                )


@njit
def share_free(bodies, points, c, P, p, L, v):
    """The friction of a patch, whose spinning is contact c with the rate v. Returns the change as a velocity [m/s]."""
    own = points.table[PARENT_OF, c]
    v1 = contact_rate(bodies, points.table, points.G, own, 1, p, L) + points.vector[BIAS, own, 1]
    v2 = contact_rate(bodies, points.table, points.G, own, 2, p, L) + points.vector[BIAS, own, 2]
    W = points.matrix[BLOCK, own, 1, 1] + points.matrix[BLOCK, own, 2, 2] + points.matrix[BLOCK, c, 0, 0]
    limit = points.number[COULOMB, own] * P[own, 0]
    y1, y2, y3 = ball_impulse(points, own, c, limit, 1.0 / W, P[own, 1], P[own, 2], P[c, 0], v1, v2, v)
    d1, d2, d3 = y1 - P[own, 1], y2 - P[own, 2], y3 - P[c, 0]
    apply_contact(points.table, points.G, own, 0.0, d1, d2, p, L)
    apply_contact(points.table, points.G, c, d3, 0.0, 0.0, p, L)
    P[own, 1], P[own, 2], P[c, 0] = y1, y2, y3
    return max(abs(d1), abs(d2), abs(d3)) * W


@njit
def sweep_free(bodies, points, count, P, p, L, sweeps, tolerance):
    """(3): sweeps forth and back over all contacts that are `on`, of bodies without joints; P, p and L change together.
    Returns (the number of sweeps, the last change as a velocity [m/s])."""
    change = 0.0
    for k in range(sweeps):
        change = 0.0
        for q in range(count):
            c = q if k % 2 == 0 else count - 1 - q
            if points.table[ON, c] == 0:
                continue
            vn = contact_rate(bodies, points.table, points.G, c, 0, p, L) + points.vector[BIAS, c, 0]
            if has_gap(points, c) and P[c, 0] == 0.0 and vn >= 0.0 and P[c, 1] == 0.0 and P[c, 2] == 0.0:
                continue
            parent = P[points.table[PARENT_OF, c], 0] if points.table[PARENT_OF, c] >= 0 else 0.0
            if shares_friction(points, c):
                change = max(change, share_free(bodies, points, c, P, p, L, vn))
                vn = contact_rate(bodies, points.table, points.G, c, 0, p, L) + points.vector[BIAS, c, 0]
            v1, v2 = 0.0, 0.0
            if points.number[COULOMB, c] > 0.0:
                v1 = contact_rate(bodies, points.table, points.G, c, 1, p, L) + points.vector[BIAS, c, 1]
                v2 = contact_rate(bodies, points.table, points.G, c, 2, p, L) + points.vector[BIAS, c, 2]
            x, y1, y2 = local_impulse(points, c, points.matrix[BLOCK, c], parent, P[c, 0], P[c, 1], P[c, 2], vn, v1, v2)
            dx, d1, d2 = x - P[c, 0], y1 - P[c, 1], y2 - P[c, 2]
            apply_contact(points.table, points.G, c, dx, d1, d2, p, L)
            P[c, 0], P[c, 1], P[c, 2] = x, y1, y2
            change = max(
                change,
                abs(dx) * points.matrix[BLOCK, c, 0, 0],
                abs(d1) * points.matrix[BLOCK, c, 1, 1],
                abs(d2) * points.matrix[BLOCK, c, 2, 2],
            )
        if change <= tolerance:
            return k + 1, change
    return sweeps, change
