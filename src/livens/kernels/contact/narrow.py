"""The narrow phase: the contact points of two shapes whose distance is less than a margin.

Each pair of kinds has a function here that appends rows of features (features.py). A face has several contact points.
The features stay the same during a step; shapes that move far in a step are handled by shorter steps (step/contact.py).
"""

from __future__ import annotations

import math

from ..._jit import njit
from ..coordinates import to_world
from ..kinds import BESIDE_LINE, BETWEEN_EDGES, BETWEEN_POINTS, OVER_PLANE, ROUND_OVER_PLANE
from ..potential import to_body
from ..vectors import cross, dot, length, minus, plus
from .arrays import (
    ALONG,
    AT,
    BODY,
    FIRST_EDGE,
    FIRST_FACE,
    FIRST_VERTEX,
    HALF,
    KIND,
    MATERIAL,
    OFFSET,
    ORIENTATION,
    PAIR_OF,
    PARENT_OF,
    RADIUS,
    RULE,
    SCALE,
    SHAPE,
)
from .features import world_point
from .shapes import body_of, center_of, radius_of

ZERO = (0.0, 0.0, 0.0)
FLAT = 2e-4  # sine of the angle to a plane, below which the lowest point of a rim is not looked for


@njit
def put_row(contacts, points, k, kind, s, t, ri, rj, ui, uj, off, radius, sign):
    """Append contact k between the shapes s (first body) and t: the new number of contacts; more than the capacity are
    counted and not stored."""
    if k < points.number.shape[1]:
        points.table[KIND, k], points.table[PAIR_OF, k], points.table[SHAPE, k] = (
            kind,
            s * contacts.number.shape[1] + t,
            t,
        )
        points.table[BODY, k], points.table[BODY + 1, k] = body_of(contacts, s), body_of(contacts, t)
        for m in range(3):
            points.vector[AT, k, m], points.vector[AT + 1, k, m] = ri[m], rj[m]
            points.vector[ALONG, k, m], points.vector[ALONG + 1, k, m] = ui[m], uj[m]
        points.number[OFFSET, k], points.number[RADIUS, k], points.number[ORIENTATION, k] = off, radius, sign
        points.number[SCALE, k], points.table[PARENT_OF, k] = 1.0, -1
        points.table[RULE, k] = contacts.rule[contacts.table[MATERIAL, s], contacts.table[MATERIAL, t]]
    return k + 1


@njit
def axis_of(contacts, s, k):
    """Axis k of shape s, principal axes of its body."""
    return contacts.axes[s, 0, k], contacts.axes[s, 1, k], contacts.axes[s, 2, k]


@njit
def end_of(contacts, s, sign):
    """The centre of one end of a capsule or cylinder."""
    return plus(center_of(contacts, s), sign * contacts.number[HALF, s], axis_of(contacts, s, 2))


@njit
def plane_and_point(contacts, points, k, s, t, r, radius, a, B, margin):
    """The plane s and the point r of shape t, with a radius."""
    i, j, u = body_of(contacts, s), body_of(contacts, t), axis_of(contacts, s, 2)
    d = minus(world_point(a, B, j, r), world_point(a, B, i, center_of(contacts, s)))
    if dot(to_world(B, i, u), d) - radius < margin:
        k = put_row(contacts, points, k, OVER_PLANE, s, t, center_of(contacts, s), r, u, ZERO, radius, radius, 1.0)
    return k


@njit
def plane_and_hull(contacts, points, k, s, t, a, B, margin):
    for v in range(contacts.table[FIRST_VERTEX, t], contacts.table[FIRST_VERTEX, t + 1]):
        k = plane_and_point(contacts, points, k, s, t, contacts.vertex[v], 0.0, a, B, margin)
    return k


@njit
def plane_and_capsule(contacts, points, k, s, t, a, B, margin):
    for sign in (-1.0, 1.0):
        k = plane_and_point(contacts, points, k, s, t, end_of(contacts, t, sign), radius_of(contacts, t), a, B, margin)
    return k


@njit
def plane_and_round(contacts, points, k, s, t, a, B, margin):
    u = axis_of(contacts, s, 2)
    return put_row(
        contacts,
        points,
        k,
        ROUND_OVER_PLANE,
        s,
        t,
        center_of(contacts, s),
        center_of(contacts, t),
        u,
        ZERO,
        0.0,
        0.0,
        1.0,
    )


@njit
def plane_and_cylinder(contacts, points, k, s, t, a, B, margin):
    """The lowest point of each rim, and three more points of the rim where an end is nearly flat on the plane. Where it
    is flat, the lowest point can be anywhere in the next moment: eight points of the rim instead."""
    i, j, u, R = (
        body_of(contacts, s),
        body_of(contacts, t),
        axis_of(contacts, s, 2),
        radius_of(contacts, t),
    )
    n = to_world(B, i, u)
    m = to_body(B, j, n[0], n[1], n[2])
    x, y = axis_of(contacts, t, 0), axis_of(contacts, t, 1)
    mx, my = dot(m, x), dot(m, y)
    tilt = math.sqrt(mx * mx + my * my)
    c, d = (-mx / tilt, -my / tilt) if tilt > 1e-12 else (1.0, 0.0)
    for sign in (-1.0, 1.0):
        r = end_of(contacts, t, sign)
        e = minus(world_point(a, B, j, r), world_point(a, B, i, center_of(contacts, s)))
        if dot(n, e) - R * tilt >= margin or (sign > 0.0 and contacts.number[HALF, t] == 0.0):
            continue
        if tilt > FLAT:
            k = put_row(contacts, points, k, ROUND_OVER_PLANE, s, t, center_of(contacts, s), r, u, ZERO, 0.0, 0.0, 1.0)
        eighths = 8 if tilt <= FLAT else 4 if tilt < 0.2 else 0
        for q in range(0 if tilt <= FLAT else 1, eighths):
            C, S = math.cos(2.0 * math.pi * q / eighths), math.sin(2.0 * math.pi * q / eighths)
            f, g = R * (C * c - S * d), R * (S * c + C * d)
            rim = plus(plus(r, f, x), g, y)
            k = plane_and_point(contacts, points, k, s, t, rim, 0.0, a, B, margin)
    return k


@njit
def flat_part(contacts, s, t, tip, a, B, margin):
    """The part of a step in which the lowest point of the cylinder t stays about where it is on its rim: its axis can
    tip by the angle `tip` in the step. 1 if no end can touch the plane s."""
    i, j, u = body_of(contacts, s), body_of(contacts, t), axis_of(contacts, s, 2)
    n = to_world(B, i, u)
    m = to_body(B, j, n[0], n[1], n[2])
    along = dot(m, axis_of(contacts, t, 2))
    tilt = math.sqrt(max(0.0, 1.0 - along * along))
    e = minus(world_point(a, B, j, center_of(contacts, t)), world_point(a, B, i, center_of(contacts, s)))
    low = dot(n, e) - contacts.number[HALF, t] * abs(along) - radius_of(contacts, t) * tilt
    return 1.0 if low >= margin or tip <= 0.5 * max(tilt, FLAT) else 0.5 * max(tilt, FLAT) / tip


@njit
def two_points(contacts, points, k, s, t, ri, rj, a, B, Ri, Rj, margin):
    d = minus(world_point(a, B, body_of(contacts, t), rj), world_point(a, B, body_of(contacts, s), ri))
    if length(d) - Ri - Rj < margin:
        k = put_row(contacts, points, k, BETWEEN_POINTS, s, t, ri, rj, ZERO, ZERO, Ri + Rj, Rj, 1.0)
    return k


@njit
def line_and_point(contacts, points, k, s, t, r0, u, reach, rj, a, B, Ri, Rj, margin):
    """The segment r0 ± reach u of shape s and the point rj of shape t."""
    i, j = body_of(contacts, s), body_of(contacts, t)
    U = to_world(B, i, u)
    d = minus(world_point(a, B, j, rj), world_point(a, B, i, r0))
    along = dot(U, d)
    if abs(along) > reach:
        end = plus(r0, math.copysign(reach, along), u)
        return two_points(contacts, points, k, s, t, end, rj, a, B, Ri, Rj, margin)
    if length(plus(d, -along, U)) - Ri - Rj < margin:
        k = put_row(contacts, points, k, BESIDE_LINE, s, t, r0, rj, u, ZERO, Ri + Rj, Rj, 1.0)
    return k


@njit
def closest_on_lines(d, U, W, hi, hj):
    """Parameters (along i, along j) of the closest points of the segments ±hi U and d ± hj W (unit directions), and
    the sine of their angle squared."""
    UW, dU, dW = dot(U, W), dot(d, U), dot(d, W)
    sine = 1.0 - UW * UW
    x = 0.0
    if sine > 1e-12:
        x = min(hi, max(-hi, (dU - UW * dW) / sine))
    y = min(hj, max(-hj, UW * x - dW))
    x = min(hi, max(-hi, UW * y + dU))
    return x, y, sine


@njit
def two_capsules(contacts, points, k, s, t, a, B, margin):
    """Two segments with radii; nearly parallel ones points at two points."""
    i, j, Ri, Rj = (
        body_of(contacts, s),
        body_of(contacts, t),
        radius_of(contacts, s),
        radius_of(contacts, t),
    )
    u, w = axis_of(contacts, s, 2), axis_of(contacts, t, 2)
    U, W = to_world(B, i, u), to_world(B, j, w)
    ci, cj, hi, hj = (
        center_of(contacts, s),
        center_of(contacts, t),
        contacts.number[HALF, s],
        contacts.number[HALF, t],
    )
    d = minus(world_point(a, B, j, cj), world_point(a, B, i, ci))
    x, y, sine = closest_on_lines(d, U, W, hi, hj)
    if sine > 1e-4:
        apart = plus(plus(d, y, W), -x, U)
        if length(apart) - Ri - Rj >= margin:
            return k
        if abs(x) < hi and abs(y) < hj:
            n = cross(U, W)
            sign = 1.0 if dot(n, apart) >= 0.0 else -1.0
            return put_row(
                contacts, points, k, BETWEEN_EDGES, s, t, plus(ci, x, u), plus(cj, y, w), u, w, Ri + Rj, Rj, sign
            )
        if abs(y) >= hj:
            return line_and_point(contacts, points, k, s, t, ci, u, hi, plus(cj, y, w), a, B, Ri, Rj, margin)
        return line_and_point(contacts, points, k, t, s, cj, w, hj, plus(ci, x, u), a, B, Rj, Ri, margin)
    before = k
    for sign in (-1.0, 1.0):  # parallel: ends that lie beside the other segment
        if abs(dot(plus(d, sign * hj, W), U)) <= hi:
            k = line_and_point(contacts, points, k, s, t, ci, u, hi, plus(cj, sign * hj, w), a, B, Ri, Rj, margin)
        if k - before < 2 and abs(dot(plus(d, -sign * hi, U), W)) <= hj:
            k = line_and_point(contacts, points, k, t, s, cj, w, hj, plus(ci, sign * hi, u), a, B, Rj, Ri, margin)
    if k == before:
        k = two_points(contacts, points, k, s, t, plus(ci, x, u), plus(cj, y, w), a, B, Ri, Rj, margin)
    return k


@njit
def over_face(contacts, s, f, r):
    """True if the point r, in the axes of the body of hull s, is above face f, within its sides."""
    n, first, last = contacts.face_normal[f], contacts.corner_start[f], contacts.corner_start[f + 1]
    for c in range(first, last):
        p = contacts.vertex[contacts.corner[c]]
        q = contacts.vertex[contacts.corner[c + 1 if c + 1 < last else first]]
        if dot(cross(n, minus(q, p)), minus(r, p)) < 0.0:
            return False
    return True


@njit
def hull_and_point(contacts, points, k, s, t, rj, radius, a, B, margin):
    """The hull s and the point rj of shape t with a radius: the nearest face, edge or corner."""
    i, j = body_of(contacts, s), body_of(contacts, t)
    x = world_point(a, B, j, rj)
    r = to_body(B, i, x[0] - a[i, 0], x[1] - a[i, 1], x[2] - a[i, 2])
    best, face = -1e300, -1
    for f in range(contacts.table[FIRST_FACE, s], contacts.table[FIRST_FACE, s + 1]):
        p = contacts.vertex[contacts.corner[contacts.corner_start[f]]]
        e = dot(contacts.face_normal[f], minus(r, p))
        if e > best:
            best, face = e, f
    if best - radius >= margin:
        return k
    if best <= 0.0 or over_face(contacts, s, face, r):
        p = contacts.vertex[contacts.corner[contacts.corner_start[face]]]
        return put_row(
            contacts, points, k, OVER_PLANE, s, t, p, rj, contacts.face_normal[face], ZERO, radius, radius, 1.0
        )
    best, which, part = 1e300, -1, 0.0
    for e in range(contacts.table[FIRST_EDGE, s], contacts.table[FIRST_EDGE, s + 1]):
        p, q = contacts.vertex[contacts.edge[e, 0]], contacts.vertex[contacts.edge[e, 1]]
        u = minus(q, p)
        along = min(1.0, max(0.0, dot(minus(r, p), u) / dot(u, u)))
        apart = length(minus(r, plus(p, along, u)))
        if apart < best:
            best, which, part = apart, e, along
    if best - radius >= margin:
        return k
    p, q = contacts.vertex[contacts.edge[which, 0]], contacts.vertex[contacts.edge[which, 1]]
    if part == 0.0 or part == 1.0:
        return put_row(
            contacts, points, k, BETWEEN_POINTS, s, t, p if part == 0.0 else q, rj, ZERO, ZERO, radius, radius, 1.0
        )
    u = minus(q, p)
    l = length(u)
    u = (u[0] / l, u[1] / l, u[2] / l)
    return put_row(contacts, points, k, BESIDE_LINE, s, t, p, rj, u, ZERO, radius, radius, 1.0)


@njit
def nearest_edge(contacts, s, c, W, h, a, B):
    """The edge of hull s that is nearest to the segment c ± h W (world axes): (distance, edge, position along the edge
    from its first corner [m], position along the segment); edges that are parallel to it are left out."""
    i = body_of(contacts, s)
    best, which, along, other = 1e300, -1, 0.0, 0.0
    for e in range(contacts.table[FIRST_EDGE, s], contacts.table[FIRST_EDGE, s + 1]):
        p, u, l = edge_of(contacts, e)
        U = to_world(B, i, u)
        d = minus(c, world_point(a, B, i, plus(p, 0.5 * l, u)))
        x, y, sine = closest_on_lines(d, U, W, 0.5 * l, h)
        apart = length(plus(plus(d, y, W), -x, U))
        if sine > 1e-4 and apart < best:
            best, which, along, other = apart, e, x + 0.5 * l, y
    return best, which, along, other


@njit
def edge_of(contacts, e):
    """The first corner, direction and length of an edge."""
    p = contacts.vertex[contacts.edge[e, 0]]
    u = minus(contacts.vertex[contacts.edge[e, 1]], p)
    l = length(u)
    return (p[0], p[1], p[2]), (u[0] / l, u[1] / l, u[2] / l), l


@njit
def hull_and_capsule(contacts, points, k, s, t, a, B, margin):
    """The hull s and the capsule t: both ends of the capsule, and its side over the nearest edge or corner."""
    i, j, R = body_of(contacts, s), body_of(contacts, t), radius_of(contacts, t)
    for sign in (-1.0, 1.0):
        k = hull_and_point(contacts, points, k, s, t, end_of(contacts, t, sign), R, a, B, margin)
    w, h = axis_of(contacts, t, 2), contacts.number[HALF, t]
    W, c = to_world(B, j, w), world_point(a, B, j, center_of(contacts, t))
    best, e, along, other = nearest_edge(contacts, s, c, W, h, a, B)
    if e < 0 or best - R >= margin or abs(other) >= h:
        return k
    p, u, l = edge_of(contacts, e)
    ri, rj = plus(p, along, u), plus(center_of(contacts, t), other, w)
    x = world_point(a, B, i, ri)
    outward, apart = minus(x, world_point(a, B, i, hull_center(contacts, s))), minus(world_point(a, B, j, rj), x)
    if dot(outward, apart) < 0.0:  # the axis of the capsule is inside: its ends or faces decide
        return k
    if along <= 0.0 or along >= l:
        return line_and_point(contacts, points, k, t, s, center_of(contacts, t), w, h, ri, a, B, R, 0.0, margin)
    n = cross(to_world(B, i, u), W)
    sign = 1.0 if dot(n, outward) >= 0.0 else -1.0
    return put_row(contacts, points, k, BETWEEN_EDGES, s, t, ri, rj, u, w, R, R, sign)


@njit
def hull_center(contacts, s):
    """The mean of the vertices of a hull, in the axes of its body."""
    x, n = (0.0, 0.0, 0.0), contacts.table[FIRST_VERTEX, s + 1] - contacts.table[FIRST_VERTEX, s]
    for v in range(contacts.table[FIRST_VERTEX, s], contacts.table[FIRST_VERTEX, s + 1]):
        x = plus(x, 1.0 / n, contacts.vertex[v])
    return x
