"""The contact points of two convex polyhedra: separating axes, then points of one face over another, or two edges.

The axis with the largest separation is the normal of a face, or the common perpendicular of two edges. For a face, the
face of the other hull that looks most against it is clipped by its sides; the corners that remain are points over a
plane. Faces are preferred where both are nearly equal, so that contacts do not flicker.
Source: Ericson, Real-Time Collision Detection, 2005, chapter 5.
"""

from __future__ import annotations

import math

from ..._jit import njit
from ..coordinates import to_world
from ..kinds import BETWEEN_EDGES, OVER_PLANE
from ..potential import to_body
from ..vectors import cross, dot, length, minus
from .arrays import BOUND, FIRST_EDGE, FIRST_FACE, FIRST_VERTEX
from .features import world_point
from .narrow import ZERO, hull_center, put_row
from .shapes import body_of

PARALLEL = 1e-3  # sine below which two edges have no common perpendicular
SNAP = 1e-8  # edges on a side of the face, relative to its size, are not cut


@njit
def lowest_vertex(contacts, t, n, B):
    """The vertex of hull t that is lowest along the world direction n."""
    j = body_of(contacts, t)
    m = to_body(B, j, n[0], n[1], n[2])
    low, which = 1e300, -1
    for v in range(contacts.table[FIRST_VERTEX, t], contacts.table[FIRST_VERTEX, t + 1]):
        if dot(m, contacts.vertex[v]) < low:
            low, which = dot(m, contacts.vertex[v]), v
    return which


@njit
def lowest_along(contacts, t, n, a, B):
    """The least n·x of the vertices of hull t."""
    j = body_of(contacts, t)
    m = to_body(B, j, n[0], n[1], n[2])
    low = 1e300
    for v in range(contacts.table[FIRST_VERTEX, t], contacts.table[FIRST_VERTEX, t + 1]):
        low = min(low, dot(m, contacts.vertex[v]))
    return low + n[0] * a[j, 0] + n[1] * a[j, 1] + n[2] * a[j, 2]


@njit
def face_separation(contacts, s, t, a, B, margin):
    """The face of hull s with the largest separation from hull t, and that separation; stops above the margin."""
    i = body_of(contacts, s)
    best, face = -1e300, -1
    for f in range(contacts.table[FIRST_FACE, s], contacts.table[FIRST_FACE, s + 1]):
        n = to_world(B, i, contacts.face_normal[f])
        x = world_point(a, B, i, contacts.vertex[contacts.corner[contacts.corner_start[f]]])
        apart = lowest_along(contacts, t, n, a, B) - dot(n, x)
        if apart > best:
            best, face = apart, f
            if best > margin:
                break
    return best, face


@njit
def edge_separation(contacts, s, t, a, B, size, least):
    """The pair of edges with the largest separation above `least`: (separation, edge of s, edge of t, sign). The axes
    are those of the body of t, so that one edge of each pair is there as it is stored."""
    i, j = body_of(contacts, s), body_of(contacts, t)
    center, origin = hull_center(contacts, t), world_point(a, B, i, hull_center(contacts, s))
    d = minus(center, to_body(B, j, origin[0] - a[j, 0], origin[1] - a[j, 1], origin[2] - a[j, 2]))
    best, first, second, orientation = least, -1, -1, 1.0
    for e in range(contacts.table[FIRST_EDGE, s], contacts.table[FIRST_EDGE, s + 1]):
        p = contacts.vertex[contacts.edge[e, 0]]
        U, x = to_world(B, i, minus(contacts.vertex[contacts.edge[e, 1]], p)), world_point(a, B, i, p)
        U = to_body(B, j, U[0], U[1], U[2])
        x = to_body(B, j, x[0] - a[j, 0], x[1] - a[j, 1], x[2] - a[j, 2])
        short = PARALLEL * PARALLEL * dot(U, U)
        for f in range(contacts.table[FIRST_EDGE, t], contacts.table[FIRST_EDGE, t + 1]):
            q = contacts.vertex[contacts.edge[f, 0]]
            W = minus(contacts.vertex[contacts.edge[f, 1]], q)
            n = cross(U, W)
            sign = 1.0 if dot(n, d) > 0.0 else -1.0
            up = sign * dot(n, minus(q, x))
            if best >= 0.0 and up <= 0.0:
                continue
            square = dot(n, n)
            if square < short * dot(W, W):
                continue
            l = math.sqrt(square)
            apart = up / l
            if apart > best:  # the edges must support both hulls
                n = to_world(B, j, (sign * n[0] / l, sign * n[1] / l, sign * n[2] / l))
                up = dot(n, world_point(a, B, i, p))
                high = -lowest_along(contacts, s, (-n[0], -n[1], -n[2]), a, B)
                low = lowest_along(contacts, t, n, a, B)
                if high <= up + 1e-9 * size and low >= up + apart - 1e-9 * size:
                    best, first, second, orientation = apart, e, f, sign
    return best, first, second, orientation


@njit
def clip_face(contacts, points, s, face, t, a, B):
    """The face of hull t that looks most against `face` of hull s, clipped by its sides. Returns (layer, corners):
    points.corner[layer, :corners] are the points that remain, world axes."""
    i, j = body_of(contacts, s), body_of(contacts, t)
    n = to_world(B, i, contacts.face_normal[face])
    m = to_body(B, j, n[0], n[1], n[2])
    against, most = -1, 1e300
    for f in range(contacts.table[FIRST_FACE, t], contacts.table[FIRST_FACE, t + 1]):
        e = dot(m, contacts.face_normal[f])
        if e < most:
            against, most = f, e
    count, layer = 0, 0
    for c in range(contacts.corner_start[against], contacts.corner_start[against + 1]):
        x = world_point(a, B, j, contacts.vertex[contacts.corner[c]])
        for k in range(3):
            points.corner[0, count, k] = x[k]
        count += 1
    first, last = contacts.corner_start[face], contacts.corner_start[face + 1]
    for c in range(first, last):
        p = world_point(a, B, i, contacts.vertex[contacts.corner[c]])
        q = world_point(a, B, i, contacts.vertex[contacts.corner[c + 1 if c + 1 < last else first]])
        side = minus(q, p)
        inward = cross(n, side)
        eps = SNAP * dot(side, side)  # inward has the length of the side
        kept, other = 0, 1 - layer
        for v in range(count):
            x, y = points.corner[layer, v], points.corner[layer, v + 1 if v + 1 < count else 0]
            dx, dy = dot(inward, minus(x, p)), dot(inward, minus(y, p))
            if dx >= -eps and kept < points.corner.shape[1]:
                for k in range(3):
                    points.corner[other, kept, k] = x[k]
                kept += 1
            if max(dx, dy) > eps and min(dx, dy) < -eps and kept < points.corner.shape[1]:
                part = dx / (dx - dy)
                for k in range(3):
                    points.corner[other, kept, k] = x[k] + part * (y[k] - x[k])
                kept += 1
        count, layer = kept, other
    return layer, count


@njit
def face_is_met(contacts, points, s, face, t, far, a, B):
    """True if a point of hull t lies over `face` of hull s, at most `far` above or below it: two points of the hulls
    are so near that no axis separates them by more, and edges need not be looked at."""
    layer, count = clip_face(contacts, points, s, face, t, a, B)
    i = body_of(contacts, s)
    n = to_world(B, i, contacts.face_normal[face])
    x0 = world_point(a, B, i, contacts.vertex[contacts.corner[contacts.corner_start[face]]])
    for v in range(count):
        if abs(dot(n, minus(points.corner[layer, v], x0))) <= far:
            return True
    return False


@njit
def two_hulls(contacts, points, k, s, t, a, B, margin):
    """Contact points of the hulls s and t."""
    size = min(contacts.number[BOUND, s], contacts.number[BOUND, t])
    best, face = face_separation(contacts, s, t, a, B, margin)
    if best > margin:
        return k
    other, other_face = face_separation(contacts, t, s, a, B, margin)
    if other > margin:
        return k
    swapped = other > best + 1e-9 * size
    if swapped:
        best, face = other, other_face
    least = best + 1e-6 * size + 0.02 * abs(best)  # faces are preferred
    apart, e, f, sign = -1e300, -1, -1, 1.0
    if not face_is_met(contacts, points, t if swapped else s, face, s if swapped else t, least, a, B):
        apart, e, f, sign = edge_separation(contacts, s, t, a, B, size, least)
    if apart > margin:
        return k
    if e >= 0:
        p, q = contacts.vertex[contacts.edge[e, 0]], contacts.vertex[contacts.edge[f, 0]]
        u, w = minus(contacts.vertex[contacts.edge[e, 1]], p), minus(contacts.vertex[contacts.edge[f, 1]], q)
        lu, lw = length(u), length(w)
        u, w = (u[0] / lu, u[1] / lu, u[2] / lu), (w[0] / lw, w[1] / lw, w[2] / lw)
        return put_row(contacts, points, k, BETWEEN_EDGES, s, t, p, q, u, w, 0.0, 0.0, sign)
    if swapped:
        s, t = t, s
    return points_over_face(contacts, points, k, s, face, t, size, a, B, margin)


@njit
def points_over_face(contacts, points, k, s, face, t, size, a, B, margin):
    """The clipped corners of hull t within the margin over a face of hull s, each once."""
    i, j = body_of(contacts, s), body_of(contacts, t)
    layer, count = clip_face(contacts, points, s, face, t, a, B)
    n = to_world(B, i, contacts.face_normal[face])
    p = contacts.vertex[contacts.corner[contacts.corner_start[face]]]
    x0 = world_point(a, B, i, p)
    found = k
    for v in range(count):
        x = points.corner[layer, v]
        again = dot(n, minus(x, x0)) >= margin
        for w in range(v):
            again = again or length(minus(x, points.corner[layer, w])) < 1e-6 * size
        if not again:
            r = to_body(B, j, x[0] - a[j, 0], x[1] - a[j, 1], x[2] - a[j, 2])
            k = put_row(contacts, points, k, OVER_PLANE, s, t, p, r, contacts.face_normal[face], ZERO, 0.0, 0.0, 1.0)
    if k == found:  # no part of the other face lies over this one: the lowest corner of the other hull
        r = contacts.vertex[lowest_vertex(contacts, t, n, B)]
        k = put_row(contacts, points, k, OVER_PLANE, s, t, p, r, contacts.face_normal[face], ZERO, 0.0, 0.0, 1.0)
    return k
