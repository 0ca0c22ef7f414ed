"""Constraint rows: their defects g, and their gradients G with respect to (δa, δθ) of each touched body.

i and j are the row's two bodies, x = a + B r points on them, U = B_i u and W = B_j w directions, d = x_j − x_i:

    COINCIDE   (x_j − x_i)·e_k                        ball joints
    DOT1       U·W − c                                directions that keep their angle
    DOT2       U·d − c                                points on lines and planes
    DISTANCE   (|d|² − l²)/2l                         massless rods
    COUPLE     ρ₁q₁ + ρ₂q₂ − φ(t)                     screws, gears, racks, prescribed motion (coordinates.py)
    RIM        n·d − R √(1 − (n·W)²)                  a thin disc, axis W, that touches a plane, normal n = e_k of it
    TAPE       g(q, t) as a user wrote it             see written.py
    SPAN       |d|                                    what a damper feels; velocity level only
    ROLL       t·(v_j + Ω_j × ρ)                      no slip at the contact, ρ from the centre; velocity level only
    EDGE       W·v_j                                  a knife edge: no motion across it; velocity level only

The first four are polynomials of degree ≤ 2 in q with constant Hessian. A gradient entry is (f, τ): the force
(world) and torque (body axes) that a unit multiplier exerts on that body, so constraint forces are Gᵀλ and rates
are G (v, ω). Entries of the world go to a bin nobody reads. SPAN, ROLL and EDGE have no defect, only a rate.
"""

from __future__ import annotations

import math

from .._jit import njit
from .coordinates import coordinate, turned
from .kinds import ANGLE, COINCIDE, COUPLE, DISTANCE, DOT1, DOT2, RIM, ROLL, SPAN, TAPE
from .potential import place, to_body


@njit
def span(rows, r, a, B):
    """d = x_j − x_i of row r."""
    i, j = rows.body[r, 0], rows.body[r, 1]
    ri, rj = rows.point[r, 0], rows.point[r, 1]
    return (
        place(a, B, j, rj, 0) - place(a, B, i, ri, 0),
        place(a, B, j, rj, 1) - place(a, B, i, ri, 1),
        place(a, B, j, rj, 2) - place(a, B, i, ri, 2),
    )


@njit
def defects(rows, coordinates, a, B, angle, signals, row, g):
    """g of every row that has one, zero for dampers, which give way; TAPE, ROLL and EDGE are left alone."""
    for r in range(rows.kind.shape[0]):
        kind = rows.kind[r]
        i, j = rows.body[r, 0], rows.body[r, 1]
        if kind == COINCIDE:
            k = rows.component[r]
            g[r] = place(a, B, j, rows.point[r, 1], k) - place(a, B, i, rows.point[r, 0], k)
        elif kind == DOT1:
            U0, U1, U2 = turned(B, i, rows.direction[r, 0])
            W0, W1, W2 = turned(B, j, rows.direction[r, 1])
            g[r] = U0 * W0 + U1 * W1 + U2 * W2 - rows.value[r]
        elif kind == DOT2:
            d0, d1, d2 = span(rows, r, a, B)
            U0, U1, U2 = turned(B, i, rows.direction[r, 0])
            g[r] = U0 * d0 + U1 * d1 + U2 * d2 - rows.value[r]
        elif kind == DISTANCE:
            d0, d1, d2 = span(rows, r, a, B)
            g[r] = 0.5 * ((d0 * d0 + d1 * d1 + d2 * d2) / rows.value[r] - rows.value[r])
        elif kind == SPAN or (kind == COUPLE and rows.rate[r] > 0.0):
            g[r] = 0.0
        elif kind == COUPLE:
            g[r] = -rows.value[r]
            if rows.signal[r] >= 0:
                g[r] -= signals[row, rows.signal[r]]
            for k in range(2):
                c = rows.coordinate[r, k]
                if rows.ratio[r, k] != 0.0:
                    g[r] += rows.ratio[r, k] * coordinate(coordinates, c, a, B, angle[c])
        elif kind == RIM:
            d0, d1, d2 = span(rows, r, a, B)
            n0, n1, n2 = turned(B, i, rows.direction[r, 0])
            W0, W1, W2 = turned(B, j, rows.direction[r, 1])
            s = n0 * W0 + n1 * W1 + n2 * W2
            g[r] = n0 * d0 + n1 * d1 + n2 * d2 - rows.value[r] * math.sqrt(max(0.0, 1.0 - s * s))


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
def put_across(G, e, B, i, a, x0, x1, x2, U0, U1, U2):
    """Entry e: the force −U on body i at its point that is at the world place x."""
    u0, u1, u2 = to_body(B, i, x0 - a[i, 0], x1 - a[i, 1], x2 - a[i, 2])
    put_force(G, e, B, i, (u0, u1, u2), -U0, -U1, -U2)


@njit
def contact(rows, r, B):
    """From the centre of a rolling ball (no axis) or disc (axis W) to its contact with the plane, world axes."""
    i, j, R = rows.body[r, 0], rows.body[r, 1], rows.value[r]
    n0, n1, n2 = turned(B, i, rows.direction[r, 0])
    W0, W1, W2 = turned(B, j, rows.direction[r, 1])
    s = n0 * W0 + n1 * W1 + n2 * W2
    c = -R / math.sqrt(max(1e-300, 1.0 - s * s))
    return c * (n0 - s * W0), c * (n1 - s * W1), c * (n2 - s * W2)


@njit
def couple_gradient(rows, coordinates, r, a, B, G):
    for k in range(4):
        e = rows.entry[r, k]
        for m in range(6):
            G[e, m] = 0.0
    for k in range(2):
        rho = rows.ratio[r, k]
        if rho == 0.0:
            continue
        c = rows.coordinate[r, k]
        i, j = coordinates.body[c, 0], coordinates.body[c, 1]
        ei, ej = rows.entry[r, 2 * k], rows.entry[r, 2 * k + 1]
        u = coordinates.axis[c]
        U0, U1, U2 = turned(B, i, u)
        if coordinates.kind[c] == ANGLE:
            w0, w1, w2 = to_body(B, j, U0, U1, U2)
            G[ei, 3] -= rho * u[0]
            G[ei, 4] -= rho * u[1]
            G[ei, 5] -= rho * u[2]
            G[ej, 3] += rho * w0
            G[ej, 4] += rho * w1
            G[ej, 5] += rho * w2
        else:
            rj = coordinates.point[c, 1]
            w0, w1, w2 = to_body(B, j, U0, U1, U2)
            x0, x1, x2 = place(a, B, j, rj, 0), place(a, B, j, rj, 1), place(a, B, j, rj, 2)
            s0, s1, s2 = to_body(B, i, x0 - a[i, 0], x1 - a[i, 1], x2 - a[i, 2])
            G[ei, 0] -= rho * U0
            G[ei, 1] -= rho * U1
            G[ei, 2] -= rho * U2
            G[ei, 3] -= rho * (s1 * u[2] - s2 * u[1])
            G[ei, 4] -= rho * (s2 * u[0] - s0 * u[2])
            G[ei, 5] -= rho * (s0 * u[1] - s1 * u[0])
            G[ej, 0] += rho * U0
            G[ej, 1] += rho * U1
            G[ej, 2] += rho * U2
            G[ej, 3] += rho * (rj[1] * w2 - rj[2] * w1)
            G[ej, 4] += rho * (rj[2] * w0 - rj[0] * w2)
            G[ej, 5] += rho * (rj[0] * w1 - rj[1] * w0)


@njit
def rim_gradient(rows, r, a, B, G):
    """∂(n·d − R√(1 − (n·W)²)): the force n at the centre, and the torque that tilting the disc against it means."""
    i, j = rows.body[r, 0], rows.body[r, 1]
    ei, ej = rows.entry[r, 0], rows.entry[r, 1]
    rho0, rho1, rho2 = contact(rows, r, B)
    n0, n1, n2 = turned(B, i, rows.direction[r, 0])
    rj = rows.point[r, 1]
    c0, c1, c2 = to_body(B, j, rho0, rho1, rho2)
    put_force(G, ej, B, j, (rj[0] + c0, rj[1] + c1, rj[2] + c2), n0, n1, n2)
    x0 = place(a, B, j, rj, 0) + rho0
    x1 = place(a, B, j, rj, 1) + rho1
    x2 = place(a, B, j, rj, 2) + rho2
    put_across(G, ei, B, i, a, x0, x1, x2, n0, n1, n2)


@njit
def gradients(rows, coordinates, a, B, G):
    """Gradient entries at the configuration (a, B) of all rows but TAPE."""
    for r in range(rows.kind.shape[0]):
        kind = rows.kind[r]
        i, j = rows.body[r, 0], rows.body[r, 1]
        ei, ej = rows.entry[r, 0], rows.entry[r, 1]
        if kind == COINCIDE:
            k = rows.component[r]
            for m in range(3):
                G[ei, m] = 0.0
                G[ej, m] = 0.0
            G[ei, k] = -1.0
            G[ej, k] = 1.0
            ri, rj = rows.point[r, 0], rows.point[r, 1]
            G[ei, 3] = ri[2] * B[i, k, 1] - ri[1] * B[i, k, 2]
            G[ei, 4] = ri[0] * B[i, k, 2] - ri[2] * B[i, k, 0]
            G[ei, 5] = ri[1] * B[i, k, 0] - ri[0] * B[i, k, 1]
            G[ej, 3] = rj[1] * B[j, k, 2] - rj[2] * B[j, k, 1]
            G[ej, 4] = rj[2] * B[j, k, 0] - rj[0] * B[j, k, 2]
            G[ej, 5] = rj[0] * B[j, k, 1] - rj[1] * B[j, k, 0]
        elif kind == DOT1:
            U0, U1, U2 = turned(B, i, rows.direction[r, 0])
            W0, W1, W2 = turned(B, j, rows.direction[r, 1])
            put_torque(G, ei, B, i, rows.direction[r, 0], W0, W1, W2, 1.0)
            put_torque(G, ej, B, j, rows.direction[r, 1], U0, U1, U2, 1.0)
        elif kind == DOT2:
            U0, U1, U2 = turned(B, i, rows.direction[r, 0])
            rj = rows.point[r, 1]
            put_force(G, ej, B, j, rj, U0, U1, U2)
            x0, x1, x2 = place(a, B, j, rj, 0), place(a, B, j, rj, 1), place(a, B, j, rj, 2)
            put_across(G, ei, B, i, a, x0, x1, x2, U0, U1, U2)
        elif kind == DISTANCE or kind == SPAN:
            d0, d1, d2 = span(rows, r, a, B)
            c = 1.0 / rows.value[r] if kind == DISTANCE else 1.0 / max(1e-300, math.sqrt(d0 * d0 + d1 * d1 + d2 * d2))
            put_force(G, ei, B, i, rows.point[r, 0], -c * d0, -c * d1, -c * d2)
            put_force(G, ej, B, j, rows.point[r, 1], c * d0, c * d1, c * d2)
        elif kind == COUPLE:
            couple_gradient(rows, coordinates, r, a, B, G)
        elif kind == RIM:
            rim_gradient(rows, r, a, B, G)
        elif kind == ROLL:
            rho0, rho1, rho2 = contact(rows, r, B)
            c0, c1, c2 = to_body(B, j, rho0, rho1, rho2)
            rj, t = rows.point[r, 1], rows.point[r, 0]
            T0, T1, T2 = turned(B, i, t)
            put_force(G, ej, B, j, (rj[0] + c0, rj[1] + c1, rj[2] + c2), T0, T1, T2)
            x0 = place(a, B, j, rj, 0) + rho0
            x1 = place(a, B, j, rj, 1) + rho1
            x2 = place(a, B, j, rj, 2) + rho2
            put_across(G, ei, B, i, a, x0, x1, x2, T0, T1, T2)
        elif kind != TAPE:  # EDGE
            W0, W1, W2 = turned(B, j, rows.direction[r, 1])
            rj = rows.point[r, 1]
            put_force(G, ej, B, j, rj, W0, W1, W2)
            x0, x1, x2 = place(a, B, j, rj, 0), place(a, B, j, rj, 1), place(a, B, j, rj, 2)
            put_across(G, ei, B, i, a, x0, x1, x2, W0, W1, W2)
