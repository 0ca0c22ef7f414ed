"""COUPLE: g = ρ₁q₁ + ρ₂q₂ − c − φ(t), of joint coordinates q: screws, gears, racks, prescribed motion, dampers in
joints (coordinates.py).

    γ = Σ ρ U̇·(Ω_j − Ω_i) for an angle, Ω = B ω;      Σ ρ (Ü·d + 2U̇·ḋ + U·d̈) for a displacement
"""

from __future__ import annotations

from ..._jit import inline, njit
from ..coordinates import angular_velocity, coordinate_value, to_world
from ..kinds import ANGLE
from ..potential import point_component, to_body
from ..vectors import dot, minus
from .derivatives import direction_derivatives, projected_bias


@inline
def violation(rows, coordinates, r, a, B, angle, signals, row):
    """g; zero for a damper."""
    g = 0.0
    if not rows.rate[r] > 0.0:
        g = -rows.value[r]
        if rows.signal[r] >= 0:
            g -= signals[row, rows.signal[r]]
        for k in range(2):
            c = rows.coordinate[r, k]
            if rows.ratio[r, k] != 0.0:
                g += rows.ratio[r, k] * coordinate_value(coordinates, c, a, B, angle[c])
    return g


@njit
def jacobian(rows, coordinates, r, a, B, G):
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
        U0, U1, U2 = to_world(B, i, u)
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
            x0 = point_component(a, B, j, rj, 0)
            x1 = point_component(a, B, j, rj, 1)
            x2 = point_component(a, B, j, rj, 2)
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
def bias(rows, coordinates, r, bodies, a, B, p, L):
    gamma = 0.0
    for k in range(2):
        c, rho = rows.coordinate[r, k], rows.ratio[r, k]
        if rho != 0.0:
            gamma += rho * coordinate_bias(bodies, coordinates, c, a, B, p, L)
    return gamma


@njit
def coordinate_bias(bodies, coordinates, c, a, B, p, L):
    """γ of coordinate c."""
    i, j = coordinates.body[c, 0], coordinates.body[c, 1]
    if coordinates.kind[c] == ANGLE:
        _, dU, _ = direction_derivatives(bodies, B, i, coordinates.axis[c], L)
        return dot(dU, minus(angular_velocity(bodies, B, j, L), angular_velocity(bodies, B, i, L)))
    return projected_bias(bodies, coordinates.body[c], coordinates.point[c], coordinates.axis[c], a, B, p, L)
