"""Time derivatives of points and directions at constant v and ω, for bias terms γ = d²g/dt² − G (v̇, ω̇).

A point x = a + B r has ẋ = v + B(ω × r) and ẍ = B(ω × (ω × r)), a direction U = B u the same without v.
"""

from __future__ import annotations

from ..._jit import njit
from ..coordinates import to_world
from ..vectors import cross, dot, minus


@njit
def direction_derivatives(bodies, B, b, u, L):
    """A direction u of body b and its first and second derivative, world axes."""
    i = bodies.inverse_inertia[b]
    w = i[0] * L[b, 0], i[1] * L[b, 1], i[2] * L[b, 2]
    first = cross(w, u)
    return to_world(B, b, u), to_world(B, b, first), to_world(B, b, cross(w, first))


@njit
def direction_acceleration(bodies, B, b, u, L):
    """The second derivative alone."""
    i = bodies.inverse_inertia[b]
    w = i[0] * L[b, 0], i[1] * L[b, 1], i[2] * L[b, 2]
    return to_world(B, b, cross(w, cross(w, u)))


@njit
def span_derivatives(bodies, body, point, a, B, p, L):
    """d = x_j − x_i and its first and second derivative."""
    i, j = body[0], body[1]
    xi, vi, ai = direction_derivatives(bodies, B, i, point[0], L)
    xj, vj, aj = direction_derivatives(bodies, B, j, point[1], L)
    mi, mj = bodies.inverse_mass[i], bodies.inverse_mass[j]
    d = minus(xj, xi)
    v = minus(vj, vi)
    return (
        (d[0] + a[j, 0] - a[i, 0], d[1] + a[j, 1] - a[i, 1], d[2] + a[j, 2] - a[i, 2]),
        (v[0] + mj * p[j, 0] - mi * p[i, 0], v[1] + mj * p[j, 1] - mi * p[i, 1], v[2] + mj * p[j, 2] - mi * p[i, 2]),
        minus(aj, ai),
    )


@njit
def projected_bias(bodies, body, point, u, a, B, p, L):
    """γ of U·d with U = B_i u: Ü·d + 2U̇·ḋ + U·d̈."""
    U, dU, ddU = direction_derivatives(bodies, B, body[0], u, L)
    d, dd, ddd = span_derivatives(bodies, body, point, a, B, p, L)
    return dot(ddU, d) + 2.0 * dot(dU, dd) + dot(U, ddd)
