"""One contact point: its gap, its normal and its place, from features that are fixed to two bodies.

i and j are the bodies, x = a + B r points on them, d = x_j − x_i, U = B_i u and W = B_j w directions, c the sum of the
radii of both shapes at their points:

    OVER_PLANE         g = U·d − c                           a point or ball of j over a plane of i
    BETWEEN_POINTS     g = |d| − c                           two balls, corners, ends of capsules
    BESIDE_LINE        g = |d − (U·d) U| − c                 a point or ball of j beside an edge or capsule of i
    BETWEEN_EDGES      g = n·d − c,  n = ± U × W/|U × W|     two edges or capsules
    ROUND_OVER_PLANE   g = U·d − √Σ (s_k m_k)² − c           an ellipsoid of j with semi-axes s; m: U in its axes
    ROUND_AND_POINT    g = distance − c                      a point or ball of i and an ellipsoid of j (rounds.py)
    ROUND_BESIDE_LINE  g = distance − c                      an edge or capsule of i and an ellipsoid of j
    BETWEEN_ROUNDS     g = max n·d − h_i(n) − h_j(n)         two ellipsoids or rims, with their supports h
    STOP               g = ±(q − limit)                      a joint coordinate
    ROPE               g = c − |d|                           a rope of length c: it pulls and does not push

The normal n = ∂g/∂x_j points from i to j. A contact has three rows: n and two tangents, with the Jacobian entries of a
force at its place. The derivative of g is n·(v_j − v_i) there for all kinds.
"""

from __future__ import annotations

import math

from ..._jit import inline, njit
from ..coordinates import coordinate_axis, coordinate_value, to_world
from ..kinds import (
    BESIDE_LINE,
    BETWEEN_EDGES,
    BETWEEN_POINTS,
    BETWEEN_ROUNDS,
    DISPLACEMENT,
    DRY_FRICTION,
    OVER_PLANE,
    RESISTANCE,
    ROPE,
    ROUND_AND_POINT,
    ROUND_BESIDE_LINE,
    STOP,
)
from ..potential import point_component, to_body
from ..powers import square
from ..vectors import cross, dot, length, minus, plus
from .arrays import (
    ALONG,
    AT,
    BLOCK,
    BODY,
    COORDINATE,
    FRAME,
    GAP,
    KIND,
    OFFSET,
    ORIENTATION,
    PAIR_OF,
    PARENT_OF,
    PLACE_OF,
    RADIUS,
    SCALE,
    SHAPE,
    SIZE,
)
from .resistance import put_resistance_entries
from .rounds import between_rounds, round_and_line, round_and_point


@njit
def world_point(a, B, b, r):
    return point_component(a, B, b, r, 0), point_component(a, B, b, r, 1), point_component(a, B, b, r, 2)


@njit
def round_support(contacts, s, B, j, n):
    """The support √Σ (s_k m_k)² of an ellipsoid s of body j along the world direction n, and the vector from its centre
    to the point of support against n (world axes)."""
    axes, size = contacts.axes[s], contacts.vector[SIZE, s]
    u = to_body(B, j, n[0], n[1], n[2])
    total, q = 0.0, (0.0, 0.0, 0.0)
    for k in range(3):
        m = axes[0, k] * u[0] + axes[1, k] * u[1] + axes[2, k] * u[2]
        total += square(size[k] * m)
        q = plus(q, size[k] * size[k] * m, (axes[0, k], axes[1, k], axes[2, k]))
    support = math.sqrt(total)
    scale = -1.0 / support if support > 0.0 else 0.0
    return support, to_world(B, j, (scale * q[0], scale * q[1], scale * q[2]))


@njit
def gap(contacts, coordinates, points, c, a, B, angle):
    """(gap, normal, place) of contact c at the configuration (a, B); of resistance, those of its contact point."""
    if points.table[KIND, c] == RESISTANCE:
        c = points.table[PARENT_OF, c]
    i, j, kind, off = points.table[BODY, c], points.table[BODY + 1, c], points.table[KIND, c], points.number[OFFSET, c]
    if kind == STOP or kind == DRY_FRICTION:
        q = points.table[SHAPE, c] if kind == STOP else int(contacts.dry[COORDINATE, points.table[SHAPE, c]])
        sign = points.number[ORIENTATION, c] if kind == STOP else 1.0
        u = to_world(B, i, coordinate_axis(coordinates, q, B))
        value = sign * (coordinate_value(coordinates, q, a, B, angle[q]) - off) if kind == STOP else 0.0
        return value, (sign * u[0], sign * u[1], sign * u[2]), world_point(a, B, j, coordinates.point[q, 1])
    xi, xj = world_point(a, B, i, points.vector[AT, c]), world_point(a, B, j, points.vector[AT + 1, c])
    d = minus(xj, xi)
    if kind == BETWEEN_POINTS:
        s = length(d)
        n = (d[0] / s, d[1] / s, d[2] / s)
        return s - off, n, plus(xj, -points.number[RADIUS, c] - 0.5 * (s - off), n)
    if kind == ROPE:
        s = length(d)
        n = (-d[0] / s, -d[1] / s, -d[2] / s) if s > 0.0 else (0.0, 0.0, -1.0)
        return off - s, n, xj
    if kind == ROUND_AND_POINT:
        e = minus(xi, xj)
        g, n = round_and_point(contacts, points.table[SHAPE, c], B, j, e)
        n = (-n[0], -n[1], -n[2])
        return g - off, n, plus(xi, off + 0.5 * (g - off), n)
    U = to_world(B, i, points.vector[ALONG, c])
    if kind == ROUND_BESIDE_LINE:
        e = minus(xi, xj)
        g, n = round_and_line(contacts, points.table[SHAPE, c], B, j, e, U)
        n = (-n[0], -n[1], -n[2])
        _, rho = round_support(contacts, points.table[SHAPE, c], B, j, n)
        return g - off, n, plus(plus(xj, 1.0, rho), -0.5 * (g - off), n)
    if kind == BETWEEN_ROUNDS:
        s = points.table[PAIR_OF, c] // contacts.number.shape[1]
        g, n, q, _ = between_rounds(contacts, s, points.table[SHAPE, c], B, i, j, d, U)
        return g, n, plus(plus(xi, 1.0, q), 0.5 * g, n)
    if kind == OVER_PLANE:
        g = dot(U, d) - off
        return g, U, plus(xj, -points.number[RADIUS, c] - 0.5 * g, U)
    if kind == BESIDE_LINE:
        d = plus(d, -dot(U, d), U)
        s = length(d)
        n = (d[0] / s, d[1] / s, d[2] / s)
        return s - off, n, plus(xj, -points.number[RADIUS, c] - 0.5 * (s - off), n)
    if kind == BETWEEN_EDGES:
        W = to_world(B, j, points.vector[ALONG + 1, c])
        n = cross(U, W)
        s = points.number[ORIENTATION, c] / length(n)
        n = (s * n[0], s * n[1], s * n[2])
        g, UW = dot(n, d) - off, dot(U, W)
        along = (UW * dot(d, U) - dot(d, W)) / (1.0 - UW * UW)  # from x_j to the common perpendicular
        return g, n, plus(plus(xj, along, W), -points.number[RADIUS, c] - 0.5 * g, n)
    support, rho = round_support(contacts, points.table[SHAPE, c], B, j, U)
    g = dot(U, d) - support - off
    return g, U, plus(plus(xj, 1.0, rho), -points.number[RADIUS, c] - 0.5 * g, U)


@njit
def put_frame(points, c, n, carry):
    """The normal n and two tangents of contact c; `carry`: those that it has, turned into the plane across n."""
    f = points.matrix[FRAME, c, 1]
    if carry:
        e = (f[0], f[1], f[2])
    else:
        k = 0
        if abs(n[1]) < abs(n[k]):
            k = 1
        if abs(n[2]) < abs(n[k]):
            k = 2
        e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
    t = plus(e, -dot(e, n), n)
    s = 1.0 / max(1e-150, length(t))
    t = (s * t[0], s * t[1], s * t[2])
    o = cross(n, t)
    for m in range(3):
        points.matrix[FRAME, c, 0, m], points.matrix[FRAME, c, 1, m], points.matrix[FRAME, c, 2, m] = n[m], t[m], o[m]


@njit
def put_entries(points, c, a, B, x):
    """Jacobian entries of a force at x along the three directions of the frame, on both bodies."""
    for s in range(2):
        b, sign = points.table[BODY + s, c], 2.0 * s - 1.0
        r = to_body(B, b, x[0] - a[b, 0], x[1] - a[b, 1], x[2] - a[b, 2])
        for k in range(3):
            F = points.matrix[FRAME, c, k]
            u = to_body(B, b, F[0], F[1], F[2])
            t = cross(r, u)
            for m in range(3):
                points.G[c, s, k, m] = sign * F[m]
                points.G[c, s, k, 3 + m] = sign * t[m]


@njit
def put_coordinate_entries(coordinates, q, sign, points, c, a, B):
    """Jacobian entries of joint coordinate q times `sign`."""
    i, j = points.table[BODY, c], points.table[BODY + 1, c]
    u = coordinate_axis(coordinates, q, B)
    U = to_world(B, i, u)
    for s in range(2):
        for k in range(3):
            for m in range(6):
                points.G[c, s, k, m] = 0.0
    w = to_body(B, j, U[0], U[1], U[2])
    if coordinates.kind[q] != DISPLACEMENT:
        for m in range(3):
            points.G[c, 0, 0, 3 + m], points.G[c, 1, 0, 3 + m] = -sign * u[m], sign * w[m]
    else:
        rj = coordinates.point[q, 1]
        x = world_point(a, B, j, rj)
        ti = cross(to_body(B, i, x[0] - a[i, 0], x[1] - a[i, 1], x[2] - a[i, 2]), u)
        tj = cross(rj, w)
        for m in range(3):
            points.G[c, 0, 0, m], points.G[c, 1, 0, m] = -sign * U[m], sign * U[m]
            points.G[c, 0, 0, 3 + m], points.G[c, 1, 0, 3 + m] = -sign * ti[m], sign * tj[m]


@njit
def put_block(bodies, points, c):
    """W = G M⁻¹ Gᵀ of contact c alone."""
    for k in range(3):
        for l in range(3):
            w = 0.0
            for s in range(2):
                b = points.table[BODY + s, c]
                for m in range(3):
                    w += bodies.inverse_mass[b] * points.G[c, s, k, m] * points.G[c, s, l, m]
                    w += bodies.inverse_inertia[b, m] * points.G[c, s, k, 3 + m] * points.G[c, s, l, 3 + m]
            points.matrix[BLOCK, c, k, l] = w


@njit
def put_contact_frames(bodies, contacts, coordinates, points, count, carry, a, B, angle):
    """Gaps, frames, Jacobian entries and blocks of all contacts at the configuration (a, B). `carry`: the frames follow
    those of the start of the part, so that impulses of both can be added."""
    for c in range(count):
        points.number[GAP, c], n, x = gap(contacts, coordinates, points, c, a, B, angle)
        for m in range(3):
            points.vector[PLACE_OF, c, m] = x[m]
        put_frame(points, c, n, carry)
        if points.table[KIND, c] == STOP:
            put_coordinate_entries(
                coordinates, points.table[SHAPE, c], points.number[ORIENTATION, c], points, c, a, B
            )  # fmt: skip
        elif points.table[KIND, c] == DRY_FRICTION:
            q = int(contacts.dry[COORDINATE, points.table[SHAPE, c]])
            put_coordinate_entries(coordinates, q, points.number[SCALE, c], points, c, a, B)
        elif points.table[KIND, c] == RESISTANCE:
            put_resistance_entries(points, c, B)
        else:
            put_entries(points, c, a, B, x)
        put_block(bodies, points, c)


@inline
def contact_rate(bodies, index, G, c, k, p, L):
    """The rate of direction k of contact c: G M⁻¹ (p, L)."""
    rate = 0.0
    for s in range(2):
        b = index[BODY + s, c]
        for m in range(3):
            rate += G[c, s, k, m] * bodies.inverse_mass[b] * p[b, m]
            rate += G[c, s, k, 3 + m] * bodies.inverse_inertia[b, m] * L[b, m]
    return rate


@inline
def apply_contact(index, G, c, x, y, z, p, L):
    """(p, L) += Gᵀ(x, y, z) of contact c."""
    for s in range(2):
        b = index[BODY + s, c]
        if b > 0:
            for m in range(3):
                p[b, m] += G[c, s, 0, m] * x + G[c, s, 1, m] * y + G[c, s, 2, m] * z
                L[b, m] += G[c, s, 0, 3 + m] * x + G[c, s, 1, 3 + m] * y + G[c, s, 2, 3 + m] * z


@njit
def slip_at(bodies, points, c, k, n, x, a, B, p, L):
    """The relative velocity at the place x along tangent k of contact c, turned into the plane across the normal n:
    friction acts along the mean of both ends of a step."""
    f = points.matrix[FRAME, c, k]
    t = plus((f[0], f[1], f[2]), -dot(f, n), n)
    total = 0.0
    for s in range(2):
        b, sign = points.table[BODY + s, c], 2.0 * s - 1.0
        i = bodies.inverse_inertia[b]
        r = to_body(B, b, x[0] - a[b, 0], x[1] - a[b, 1], x[2] - a[b, 2])
        v = to_world(B, b, cross((i[0] * L[b, 0], i[1] * L[b, 1], i[2] * L[b, 2]), r))
        im = bodies.inverse_mass[b]
        total += sign * (t[0] * (v[0] + im * p[b, 0]) + t[1] * (v[1] + im * p[b, 1]) + t[2] * (v[2] + im * p[b, 2]))
    return total / length(t)
