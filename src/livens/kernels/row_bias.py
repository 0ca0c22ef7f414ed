"""How the rates of constraint rows bend: γ = d²g/dt² at constant v and body rates ω, for the rows of rows.py.

A point x = a + B r has ẋ = v + B(ω × r) and ẍ = B(ω × (ω × r)), a direction U = B u the same without v. With
d = x_j − x_i,

    COINCIDE   d̈·e_k
    DOT1       Ü·W + 2U̇·Ẇ + U·Ẅ
    DOT2       Ü·d + 2U̇·ḋ + U·d̈                      and displacements in joints
    DISTANCE   (ḋ·ḋ + d·d̈)/l
    COUPLE     U̇·(Ω_j − Ω_i) for an angle, Ω = B ω                                                             (1)

Rows of rolling (RIM, ROLL, EDGE) are differentiated by `bias` of dynamics.py; TAPE rows bring theirs.
"""

from __future__ import annotations

from .._jit import njit
from .coordinates import spin_world, turned
from .kinds import ANGLE, COINCIDE, COUPLE, DISTANCE, DOT1, DOT2


@njit
def cross(u, v):
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@njit
def dot(u, v):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@njit
def minus(u, v):
    return u[0] - v[0], u[1] - v[1], u[2] - v[2]


@njit
def carried(bodies, B, b, u, L):
    """A direction u of body b, its rate and its bend, world axes."""
    i = bodies.inverse_inertia[b]
    w = i[0] * L[b, 0], i[1] * L[b, 1], i[2] * L[b, 2]
    first = cross(w, u)
    return turned(B, b, u), turned(B, b, first), turned(B, b, cross(w, first))


@njit
def bent(bodies, B, b, u, L):
    """The bend alone."""
    i = bodies.inverse_inertia[b]
    w = i[0] * L[b, 0], i[1] * L[b, 1], i[2] * L[b, 2]
    return turned(B, b, cross(w, cross(w, u)))


@njit
def spans(bodies, body, point, a, B, p, L):
    """d = x_j − x_i, its rate and its bend."""
    i, j = body[0], body[1]
    xi, vi, ai = carried(bodies, B, i, point[0], L)
    xj, vj, aj = carried(bodies, B, j, point[1], L)
    mi, mj = bodies.inverse_mass[i], bodies.inverse_mass[j]
    d = minus(xj, xi)
    v = minus(vj, vi)
    return (
        (d[0] + a[j, 0] - a[i, 0], d[1] + a[j, 1] - a[i, 1], d[2] + a[j, 2] - a[i, 2]),
        (v[0] + mj * p[j, 0] - mi * p[i, 0], v[1] + mj * p[j, 1] - mi * p[i, 1], v[2] + mj * p[j, 2] - mi * p[i, 2]),
        minus(aj, ai),
    )


@njit
def repeats(rows, r):
    """True if row r is about the same two points as the row before it, as those of a ball joint are."""
    same = r > 0 and rows.kind[r - 1] == COINCIDE
    for s in range(2):
        same = same and rows.body[r, s] == rows.body[r - 1, s]
        for k in range(3):
            same = same and rows.point[r, s, k] == rows.point[r - 1, s, k]
    return same


@njit
def bends(rows, coordinates, bodies, a, B, p, L, gamma):
    """γ of every row by (1); zero for rows that are not among them."""
    bend = (0.0, 0.0, 0.0)
    for r in range(rows.kind.shape[0]):
        kind = rows.kind[r]
        i, j = rows.body[r, 0], rows.body[r, 1]
        gamma[r] = 0.0
        if kind == COINCIDE:
            if not repeats(rows, r):
                bend = minus(bent(bodies, B, j, rows.point[r, 1], L), bent(bodies, B, i, rows.point[r, 0], L))
            gamma[r] = bend[rows.component[r]]
        elif kind == DOT1:
            U, dU, ddU = carried(bodies, B, i, rows.direction[r, 0], L)
            W, dW, ddW = carried(bodies, B, j, rows.direction[r, 1], L)
            gamma[r] = dot(ddU, W) + 2.0 * dot(dU, dW) + dot(U, ddW)
        elif kind == DOT2:
            U, dU, ddU = carried(bodies, B, i, rows.direction[r, 0], L)
            d, dd, ddd = spans(bodies, rows.body[r], rows.point[r], a, B, p, L)
            gamma[r] = dot(ddU, d) + 2.0 * dot(dU, dd) + dot(U, ddd)
        elif kind == DISTANCE:
            d, dd, ddd = spans(bodies, rows.body[r], rows.point[r], a, B, p, L)
            gamma[r] = (dot(dd, dd) + dot(d, ddd)) / rows.value[r]
        elif kind == COUPLE:
            for k in range(2):
                c, rho = rows.coordinate[r, k], rows.ratio[r, k]
                if rho != 0.0:
                    i, j = coordinates.body[c, 0], coordinates.body[c, 1]
                    U, dU, ddU = carried(bodies, B, i, coordinates.axis[c], L)
                    if coordinates.kind[c] == ANGLE:
                        turning = minus(spin_world(bodies, B, j, L), spin_world(bodies, B, i, L))
                        gamma[r] += rho * dot(dU, turning)
                    else:
                        d, dd, ddd = spans(bodies, coordinates.body[c], coordinates.point[c], a, B, p, L)
                        gamma[r] += rho * (dot(ddU, d) + 2.0 * dot(dU, dd) + dot(U, ddd))
