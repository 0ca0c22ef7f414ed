"""The narrow phase of ellipsoids and cylinders with other shapes: one contact point where they are nearest.

An ellipsoid meets a ball or an end of a capsule at a point, the side of a capsule or an edge along a line, a face as a
plane, another ellipsoid by their common normal. A cylinder meets a ball or an ellipsoid with its side, an end or a rim.
"""

from __future__ import annotations

import math

from ..._jit import njit
from ..coordinates import to_world
from ..kinds import BESIDE_LINE, BETWEEN_ROUNDS, OVER_PLANE, ROUND_AND_POINT, ROUND_BESIDE_LINE, ROUND_OVER_PLANE
from ..potential import to_body
from ..vectors import dot, length, minus, plus
from .arrays import FIRST_EDGE, FIRST_FACE, FIRST_VERTEX, HALF
from .features import round_support, world_point
from .narrow import ZERO, axis_of, edge_of, end_of, over_face, put_row
from .rounds import between_rounds, round_and_line, round_and_point
from .shapes import body_of, center_of, radius_of

RIM_STEPS = 6  # of the first guess of a normal between a rim and an ellipsoid


@njit
def point_and_round(contacts, points, k, s, t, ri, radius, a, B, margin):
    """The point ri of shape s, with a radius, and the ellipsoid t."""
    i, j = body_of(contacts, s), body_of(contacts, t)
    d = minus(world_point(a, B, i, ri), world_point(a, B, j, center_of(contacts, t)))
    g, _ = round_and_point(contacts, t, B, j, d)
    if g - radius < margin:
        k = put_row(
            contacts, points, k, ROUND_AND_POINT, s, t, ri, center_of(contacts, t), ZERO, ZERO, radius, 0.0, 1.0
        )
    return k


@njit
def line_and_round(contacts, t, r, u, i, a, B):
    """(Distance of the line through r along u of body i from the ellipsoid t, place of the nearest point along u.)"""
    j = body_of(contacts, t)
    c, U = world_point(a, B, j, center_of(contacts, t)), to_world(B, i, u)
    d = minus(world_point(a, B, i, r), c)
    g, n = round_and_line(contacts, t, B, j, d, U)
    _, rho = round_support(contacts, t, B, j, (-n[0], -n[1], -n[2]))
    return g, dot(U, minus(rho, d))


@njit
def capsule_and_round(contacts, points, k, s, t, a, B, margin):
    """The capsule s and the ellipsoid t: its side, or its nearest end."""
    i, R, half = body_of(contacts, s), radius_of(contacts, s), contacts.number[HALF, s]
    r, u = center_of(contacts, s), axis_of(contacts, s, 2)
    g, along = line_and_round(contacts, t, r, u, i, a, B)
    if abs(along) > half:
        end = end_of(contacts, s, math.copysign(1.0, along))
        return point_and_round(contacts, points, k, s, t, end, R, a, B, margin)
    if g - R < margin:
        k = put_row(contacts, points, k, ROUND_BESIDE_LINE, s, t, r, center_of(contacts, t), u, ZERO, R, 0.0, 1.0)
    return k


@njit
def hull_and_round(contacts, points, k, s, t, a, B, margin):
    """The hull s and the ellipsoid t: the face that it lies over, or the nearest edge or corner."""
    i, j = body_of(contacts, s), body_of(contacts, t)
    c = world_point(a, B, j, center_of(contacts, t))
    best, face = -1e300, -1
    for f in range(contacts.table[FIRST_FACE, s], contacts.table[FIRST_FACE, s + 1]):
        p = world_point(a, B, i, contacts.vertex[contacts.corner[contacts.corner_start[f]]])
        n = to_world(B, i, contacts.face_normal[f])
        support, _ = round_support(contacts, t, B, j, n)
        apart = dot(n, minus(c, p)) - support
        if apart > best:
            best, face = apart, f
            if best > margin:
                return k
    n = to_world(B, i, contacts.face_normal[face])
    _, rho = round_support(contacts, t, B, j, n)
    x = plus(c, 1.0, rho)
    if over_face(contacts, s, face, to_body(B, i, x[0] - a[i, 0], x[1] - a[i, 1], x[2] - a[i, 2])):
        p = contacts.vertex[contacts.corner[contacts.corner_start[face]]]
        return put_row(
            contacts, points, k, ROUND_OVER_PLANE, s, t, p, center_of(contacts, t), contacts.face_normal[face], ZERO,
            0.0, 0.0, 1.0,
        )  # fmt: skip
    low, edge = 1e300, -1
    for e in range(contacts.table[FIRST_EDGE, s], contacts.table[FIRST_EDGE, s + 1]):
        p, u, l = edge_of(contacts, e)
        g, along = line_and_round(contacts, t, p, u, i, a, B)
        if along >= 0.0 and along <= l and g < low:
            low, edge = g, e
    corner = -1
    for v in range(contacts.table[FIRST_VERTEX, s], contacts.table[FIRST_VERTEX, s + 1]):
        g, _ = round_and_point(contacts, t, B, j, minus(world_point(a, B, i, contacts.vertex[v]), c))
        if g < low:
            low, corner = g, v
    if low >= margin:
        return k
    if corner >= 0:
        r = contacts.vertex[corner]
        return put_row(contacts, points, k, ROUND_AND_POINT, s, t, r, center_of(contacts, t), ZERO, ZERO, 0.0, 0.0, 1.0)
    p, u, _ = edge_of(contacts, edge)
    return put_row(contacts, points, k, ROUND_BESIDE_LINE, s, t, p, center_of(contacts, t), u, ZERO, 0.0, 0.0, 1.0)


@njit
def rounds_at(contacts, points, k, s, t, ri, guess, a, B, margin):
    """The ellipsoid or disc s, with its centre at ri, and the ellipsoid t; guess: of the normal."""
    i, j = body_of(contacts, s), body_of(contacts, t)
    d = minus(world_point(a, B, j, center_of(contacts, t)), world_point(a, B, i, ri))
    g, n, _, _ = between_rounds(contacts, s, t, B, i, j, d, guess)
    if g < margin:
        u = to_body(B, i, n[0], n[1], n[2])
        k = put_row(contacts, points, k, BETWEEN_ROUNDS, s, t, ri, center_of(contacts, t), u, ZERO, 0.0, 0.0, 1.0)
    return k


@njit
def two_rounds(contacts, points, k, s, t, a, B, margin):
    i, j, r = body_of(contacts, s), body_of(contacts, t), center_of(contacts, s)
    d = minus(world_point(a, B, j, center_of(contacts, t)), world_point(a, B, i, r))
    l = max(1e-150, length(d))
    return rounds_at(contacts, points, k, s, t, r, (d[0] / l, d[1] / l, d[2] / l), a, B, margin)


@njit
def cylinder_and_ball(contacts, points, k, s, t, a, B, margin):
    """The cylinder s and the ball t: side, end or rim."""
    i, j, R, r = body_of(contacts, s), body_of(contacts, t), radius_of(contacts, s), radius_of(contacts, t)
    c, u, half = center_of(contacts, s), axis_of(contacts, s, 2), contacts.number[HALF, s]
    U = to_world(B, i, u)
    d = minus(world_point(a, B, j, center_of(contacts, t)), world_point(a, B, i, c))
    along = dot(U, d)
    radial = length(plus(d, -along, U))
    over, out = abs(along) - half, radial - R
    if over > 0.0 and out > 0.0:
        if math.sqrt(over * over + out * out) - r < margin:
            end, rj = end_of(contacts, s, math.copysign(1.0, along)), center_of(contacts, t)
            k = put_row(contacts, points, k, ROUND_AND_POINT, t, s, rj, end, ZERO, ZERO, r, 0.0, 1.0)
        return k
    if over > out:
        if over - r < margin:
            sign = math.copysign(1.0, along)
            n = (sign * u[0], sign * u[1], sign * u[2])
            k = put_row(
                contacts, points, k, OVER_PLANE, s, t, end_of(contacts, s, sign), center_of(contacts, t), n, ZERO,
                r, r, 1.0,
            )  # fmt: skip
    elif out - r < margin:
        k = put_row(contacts, points, k, BESIDE_LINE, s, t, c, center_of(contacts, t), u, ZERO, R + r, r, 1.0)
    return k


@njit
def cylinder_and_round(contacts, points, k, s, t, a, B, margin):
    """The cylinder s and the ellipsoid t: the end that it lies over, the side, or the rim."""
    i, j, R = body_of(contacts, s), body_of(contacts, t), radius_of(contacts, s)
    r, u, half = center_of(contacts, s), axis_of(contacts, s, 2), contacts.number[HALF, s]
    U, c = to_world(B, i, u), world_point(a, B, j, center_of(contacts, t))
    sign = math.copysign(1.0, dot(U, minus(c, world_point(a, B, i, r))))
    n, end = (sign * u[0], sign * u[1], sign * u[2]), end_of(contacts, s, sign)
    N, x = to_world(B, i, n), world_point(a, B, i, end)
    support, rho = round_support(contacts, t, B, j, N)
    over = dot(N, minus(c, x)) - support
    y = minus(plus(c, 1.0, rho), x)
    g, along = line_and_round(contacts, t, r, u, i, a, B)
    g -= R
    if max(over, g) >= margin:
        return k
    if over >= g and length(plus(y, -dot(y, N), N)) <= R:
        return put_row(
            contacts, points, k, ROUND_OVER_PLANE, s, t, end, center_of(contacts, t), n, ZERO, 0.0, 0.0, 1.0
        )  # fmt: skip
    if g >= over and abs(along) <= half:
        return put_row(
            contacts, points, k, ROUND_BESIDE_LINE, s, t, r, center_of(contacts, t), u, ZERO, R, 0.0, 1.0
        )  # fmt: skip
    guess = N
    for _ in range(RIM_STEPS):  # the rim point nearest to the ellipsoid, and the ellipsoid's nearest point to it
        across = plus(y, -dot(y, N), N)
        l = max(1e-150, length(across))
        p = (R / l * across[0], R / l * across[1], R / l * across[2])
        g, m = round_and_point(contacts, t, B, j, minus(plus(x, 1.0, p), c))
        y, guess = plus(p, -g, m), (-m[0], -m[1], -m[2])
    return rounds_at(contacts, points, k, s, t, end, guess, a, B, margin)
