"""Distances of ellipsoids from points, lines and each other, in world axes.

An ellipsoid with the semi-axes s, in its own axes, and a point p: with the largest root t of

    Σ (s_k p_k/(t + s_k²))² = 1,      x_k = s_k² p_k/(t + s_k²),      p − x = t p_k/(t + s_k²)                  (1)

x is its nearest point, and t has the sign of the distance. The left side is convex and falls, so that Newton's method
approaches the root from below. Along a line the ellipsoid is an ellipse, with (1) in two dimensions. Two ellipsoids
with the centres at the distance d, A = R S² Rᵀ, have the largest separation along a direction n,

    g = max (n·d − h₁(n) − h₂(n)),      h(n) = √(nᵀA n),                                                        (2)

found by Newton's method on the sphere with steps that do not lower g. A semi-axis of zero makes a disc, whose rim is
met.
"""

from __future__ import annotations

import math

from ..._jit import njit
from ..potential import to_body
from ..powers import square
from ..vectors import cross, dot, length, plus
from .arrays import SIZE

STEPS = 60
SMALLEST = 1e-150
NOT_LOWER = 1e-14  # of the extents: a separation that is lower by less counts as the same


@njit
def nearest_on_round(s0, s1, s2, p0, p1, p2):
    """(1): signed distance of p from the ellipsoid, and the outward normal at its nearest point."""
    t = max(s0 * abs(p0) - s0 * s0, s1 * abs(p1) - s1 * s1, s2 * abs(p2) - s2 * s2)
    for _ in range(STEPS):
        a0, a1, a2 = t + s0 * s0, t + s1 * s1, t + s2 * s2
        q0 = s0 * p0 / a0 if s0 > 0.0 and a0 != 0.0 else 0.0
        q1 = s1 * p1 / a1 if s1 > 0.0 and a1 != 0.0 else 0.0
        q2 = s2 * p2 / a2 if s2 > 0.0 and a2 != 0.0 else 0.0
        f = q0 * q0 + q1 * q1 + q2 * q2 - 1.0
        slope = 0.0
        slope += q0 * q0 / a0 if q0 != 0.0 else 0.0
        slope += q1 * q1 / a1 if q1 != 0.0 else 0.0
        slope += q2 * q2 / a2 if q2 != 0.0 else 0.0
        if f <= 0.0 or slope <= 0.0:
            break
        new = t + 0.5 * f / slope
        if new == t:
            break
        t = new
    n0 = p0 / (t + s0 * s0) if t + s0 * s0 != 0.0 else 0.0
    n1 = p1 / (t + s1 * s1) if t + s1 * s1 != 0.0 else 0.0
    n2 = p2 / (t + s2 * s2) if t + s2 * s2 != 0.0 else 0.0
    l = max(SMALLEST, math.sqrt(n0 * n0 + n1 * n1 + n2 * n2))
    return t * l, n0 / l, n1 / l, n2 / l


@njit
def round_axis(contacts, s, B, b, k):
    """Axis k of shape s of body b, world axes."""
    x, y, z = contacts.axes[s, 0, k], contacts.axes[s, 1, k], contacts.axes[s, 2, k]
    return (
        B[b, 0, 0] * x + B[b, 0, 1] * y + B[b, 0, 2] * z,
        B[b, 1, 0] * x + B[b, 1, 1] * y + B[b, 1, 2] * z,
        B[b, 2, 0] * x + B[b, 2, 1] * y + B[b, 2, 2] * z,
    )


@njit
def round_and_point(contacts, s, B, b, d):
    """Signed distance of the point at d, from the centre of the ellipsoid s of body b, and the outward normal there."""
    size = contacts.vector[SIZE, s]
    e0, e1, e2 = round_axis(contacts, s, B, b, 0), round_axis(contacts, s, B, b, 1), round_axis(contacts, s, B, b, 2)
    g, n0, n1, n2 = nearest_on_round(size[0], size[1], size[2], dot(e0, d), dot(e1, d), dot(e2, d))
    return g, plus(plus((n0 * e0[0], n0 * e0[1], n0 * e0[2]), n1, e1), n2, e2)


@njit
def across_line(U):
    """Two directions across U."""
    k = 0
    if abs(U[1]) < abs(U[k]):
        k = 1
    if abs(U[2]) < abs(U[k]):
        k = 2
    e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
    t = plus(e, -dot(e, U), U)
    l = 1.0 / length(t)
    t = (l * t[0], l * t[1], l * t[2])
    return t, cross(U, t)


@njit
def round_and_line(contacts, s, B, b, d, U):
    """Signed distance of the line through d with the unit direction U from the ellipsoid s of body b, and the outward
    normal of the ellipsoid there."""
    size = contacts.vector[SIZE, s]
    e, f = across_line(U)
    q00 = q01 = q11 = 0.0
    for k in range(3):
        axis = round_axis(contacts, s, B, b, k)
        x, y = size[k] * dot(axis, e), size[k] * dot(axis, f)
        q00, q01, q11 = q00 + x * x, q01 + x * y, q11 + y * y
    mean, half = 0.5 * (q00 + q11), math.sqrt(0.25 * square(q00 - q11) + q01 * q01)
    turn = 0.5 * (q00 - q11) / half if half > 0.0 else 1.0  # cosine of twice the angle of the ellipse
    c, w = math.sqrt(max(0.0, 0.5 * (1.0 + turn))), math.copysign(math.sqrt(max(0.0, 0.5 * (1.0 - turn))), q01)
    e, f = plus((c * e[0], c * e[1], c * e[2]), w, f), plus((-w * e[0], -w * e[1], -w * e[2]), c, f)
    g, n0, n1, _ = nearest_on_round(
        math.sqrt(mean + half), math.sqrt(max(0.0, mean - half)), 0.0, dot(e, d), dot(f, d), 0.0
    )  # fmt: skip
    return g, plus((n0 * e[0], n0 * e[1], n0 * e[2]), n1, f)


@njit
def round_vector(contacts, s, B, b, n):
    """A n and h(n) of the ellipsoid s of body b."""
    size = contacts.vector[SIZE, s]
    u = to_body(B, b, n[0], n[1], n[2])
    total, q = 0.0, (0.0, 0.0, 0.0)
    for k in range(3):
        m = contacts.axes[s, 0, k] * u[0] + contacts.axes[s, 1, k] * u[1] + contacts.axes[s, 2, k] * u[2]
        total += square(size[k] * m)
        q = plus(q, size[k] * size[k] * m, round_axis(contacts, s, B, b, k))
    return q, max(SMALLEST, math.sqrt(total))


@njit
def bends(contacts, s, B, b, x, y, q, h):
    """xᵀ h″ y for directions across n: (xᵀA y − (x·q)(y·q)/h²)/h with q = A n."""
    z, _ = round_vector(contacts, s, B, b, y)
    return (dot(x, z) - dot(x, q) * dot(y, q) / (h * h)) / h


@njit
def between_rounds(contacts, s, t, B, i, j, d, n):
    """(2) for the ellipsoids s of body i and t of body j, from the first guess n of the normal: (g, n, A₁n/h₁,
    A₂n/h₂)."""
    g, q, r, h1, h2 = 0.0, n, n, 1.0, 1.0
    e, f, u, w, far, before, start = n, n, 0.0, 0.0, 1.0, -1e300, n
    for _ in range(STEPS):
        q, h1 = round_vector(contacts, s, B, i, n)
        r, h2 = round_vector(contacts, t, B, j, n)
        g = dot(n, d) - h1 - h2
        if g < before - NOT_LOWER * (h1 + h2) and far > 1e-8:  # too far: half of the way
            u, w, far = 0.5 * u, 0.5 * w, 0.5 * far
        else:
            x = plus(plus(d, -1.0 / h1, q), -1.0 / h2, r)
            e, f = across_line(n)
            ge, gf = dot(e, x), dot(f, x)
            a = bends(contacts, s, B, i, e, e, q, h1) + bends(contacts, t, B, j, e, e, r, h2) + g
            b = bends(contacts, s, B, i, e, f, q, h1) + bends(contacts, t, B, j, e, f, r, h2)
            c = bends(contacts, s, B, i, f, f, q, h1) + bends(contacts, t, B, j, f, f, r, h2) + g
            det = a * c - b * b
            if not (det > 0.0 and a > 0.0):  # far inside: a short way up
                a, b, c = h1 + h2, 0.0, h1 + h2
                det = a * c
            u, w = (c * ge - b * gf) / det, (a * gf - b * ge) / det
            far = math.sqrt(u * u + w * w)
            if far > 0.5:
                u, w, far = 0.5 * u / far, 0.5 * w / far, 0.5
            before, start = g, n
        n = plus(plus(start, u, e), w, f)
        l = 1.0 / length(n)
        n = (l * n[0], l * n[1], l * n[2])
        if far < 1e-15:
            break
    return g, n, (q[0] / h1, q[1] / h1, q[2] / h1), (r[0] / h2, r[1] / h2, r[2] / h2)
