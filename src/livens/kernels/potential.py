"""The global potential V(q₁, q₂, …), and the forces it and the loads exert.

    V = −Σ m g·a + Σ ½ k (|d| − l)² − Σ G m_i m_j / |a_j − a_i|,     d = x_j − x_i,  x = a + B r      (1)

A force F at the point r of a body is the force F (world) and the torque r × BᵀF (body axes) about its centre. (2)
"""

from __future__ import annotations

import math

from .._jit import njit
from .arrays import POWER_BEFORE, WORK
from .powers import square


@njit
def point_component(a, B, b, r, k):
    """World coordinate k of the point r of body b."""
    return a[b, k] + B[b, k, 0] * r[0] + B[b, k, 1] * r[1] + B[b, k, 2] * r[2]


@njit
def to_body(B, b, F0, F1, F2):
    """BᵀF: a world vector in the axes of body b."""
    return (
        B[b, 0, 0] * F0 + B[b, 1, 0] * F1 + B[b, 2, 0] * F2,
        B[b, 0, 1] * F0 + B[b, 1, 1] * F1 + B[b, 2, 1] * F2,
        B[b, 0, 2] * F0 + B[b, 1, 2] * F1 + B[b, 2, 2] * F2,
    )


@njit
def apply_force(B, b, r, F0, F1, F2, f, tau):
    """Apply the world force F at the point r of body b, (2)."""
    f[b, 0] += F0
    f[b, 1] += F1
    f[b, 2] += F2
    u0, u1, u2 = to_body(B, b, F0, F1, F2)
    tau[b, 0] += r[1] * u2 - r[2] * u1
    tau[b, 1] += r[2] * u0 - r[0] * u2
    tau[b, 2] += r[0] * u1 - r[1] * u0


@njit
def gravity_force(bodies, g, f, tau):
    """Set f = m g, τ = 0."""
    for b in range(f.shape[0]):
        for k in range(3):
            f[b, k] = bodies.mass[b] * g[k]
            tau[b, k] = 0.0


@njit
def gravity_potential(bodies, g, a):
    V = 0.0
    for b in range(1, a.shape[0]):
        V -= bodies.mass[b] * (g[0] * a[b, 0] + g[1] * a[b, 1] + g[2] * a[b, 2])
    return V


@njit
def span(body, point, s, a, B):
    """d = x_j − x_i between the two points of spring or row s."""
    i, j = body[s, 0], body[s, 1]
    ri, rj = point[s, 0], point[s, 1]
    return (
        point_component(a, B, j, rj, 0) - point_component(a, B, i, ri, 0),
        point_component(a, B, j, rj, 1) - point_component(a, B, i, ri, 1),
        point_component(a, B, j, rj, 2) - point_component(a, B, i, ri, 2),
    )


@njit
def spring_force(springs, a, B, f, tau):
    for s in range(springs.body.shape[0]):
        d0, d1, d2 = span(springs.body, springs.point, s, a, B)
        c = springs.stiffness[s]
        if springs.length[s] > 0.0:
            d = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
            c *= 1.0 - springs.length[s] / d if d > 0.0 else 0.0
        apply_force(B, springs.body[s, 0], springs.point[s, 0], c * d0, c * d1, c * d2, f, tau)
        apply_force(B, springs.body[s, 1], springs.point[s, 1], -c * d0, -c * d1, -c * d2, f, tau)


@njit
def spring_potential(springs, a, B):
    V = 0.0
    for s in range(springs.body.shape[0]):
        d0, d1, d2 = span(springs.body, springs.point, s, a, B)
        stretch = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2) - springs.length[s]
        V += 0.5 * springs.stiffness[s] * stretch * stretch
    return V


@njit
def pair_force(pairs, a, f):
    for s in range(pairs.body.shape[0]):
        i, j = pairs.body[s, 0], pairs.body[s, 1]
        d0, d1, d2 = a[j, 0] - a[i, 0], a[j, 1] - a[i, 1], a[j, 2] - a[i, 2]
        r2 = d0 * d0 + d1 * d1 + d2 * d2
        c = pairs.strength[s] / (r2 * math.sqrt(r2))
        f[i, 0] += c * d0
        f[i, 1] += c * d1
        f[i, 2] += c * d2
        f[j, 0] -= c * d0
        f[j, 1] -= c * d1
        f[j, 2] -= c * d2


@njit
def pair_potential(pairs, a):
    V = 0.0
    for s in range(pairs.body.shape[0]):
        i, j = pairs.body[s, 0], pairs.body[s, 1]
        d0, d1, d2 = a[j, 0] - a[i, 0], a[j, 1] - a[i, 1], a[j, 2] - a[i, 2]
        V -= pairs.strength[s] / math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    return V


@njit
def load_force(loads, B, signals, row, f, tau):
    """Add the loads; their forces and torques are in `signals[row]`, in world axes or the body's."""
    for s in range(loads.body.shape[0]):
        b = loads.body[s]
        for k in range(2):  # the force, then the torque
            j = loads.signal[s] + 3 * k
            c0, c1, c2 = signals[row, j], signals[row, j + 1], signals[row, j + 2]
            if loads.follows[s] == 1:
                A = loads.axes[s]
                u0 = A[0, 0] * c0 + A[0, 1] * c1 + A[0, 2] * c2
                u1 = A[1, 0] * c0 + A[1, 1] * c1 + A[1, 2] * c2
                u2 = A[2, 0] * c0 + A[2, 1] * c1 + A[2, 2] * c2
                c0 = B[b, 0, 0] * u0 + B[b, 0, 1] * u1 + B[b, 0, 2] * u2
                c1 = B[b, 1, 0] * u0 + B[b, 1, 1] * u1 + B[b, 1, 2] * u2
                c2 = B[b, 2, 0] * u0 + B[b, 2, 1] * u1 + B[b, 2, 2] * u2
            if k == 0:
                apply_force(B, b, loads.point[s], c0, c1, c2, f, tau)
            else:
                u0, u1, u2 = to_body(B, b, c0, c1, c2)
                tau[b, 0] += u0
                tau[b, 1] += u1
                tau[b, 2] += u2


@njit
def load_power(bodies, loads, B, p, L, signals, row):
    """Power of the loads [W]: their forces and torques on a body that moves with p/m and J⁻¹L."""
    P = 0.0
    for s in range(loads.body.shape[0]):
        b, r = loads.body[s], loads.point[s]
        w0 = bodies.inverse_inertia[b, 0] * L[b, 0]
        w1 = bodies.inverse_inertia[b, 1] * L[b, 1]
        w2 = bodies.inverse_inertia[b, 2] * L[b, 2]
        v0, v1, v2 = to_body(B, b, p[b, 0], p[b, 1], p[b, 2])
        im = bodies.inverse_mass[b]
        u = (im * v0 + w1 * r[2] - w2 * r[1], im * v1 + w2 * r[0] - w0 * r[2], im * v2 + w0 * r[1] - w1 * r[0])
        w = (w0, w1, w2)
        for k in range(3):
            F = M = 0.0  # component k of force and torque in body axes
            for m in range(3):
                axis = loads.axes[s, k, m] if loads.follows[s] == 1 else B[b, m, k]
                F += axis * signals[row, loads.signal[s] + m]
                M += axis * signals[row, loads.signal[s] + 3 + m]
            P += F * u[k] + M * w[k]
    return P


@njit
def add_work(h, now, power, account):
    """Add the work of a stage by the trapezoidal rule, with the power at its start in `power` and `now` at its end."""
    account[WORK] += 0.5 * h * (power[POWER_BEFORE] + now)
    power[POWER_BEFORE] = now


@njit
def kinetic(bodies, p, L):
    """T(p, L) = ½ Σ |p|²/m + L·J⁻¹L [J]."""
    T = 0.0
    for b in range(1, p.shape[0]):
        for k in range(3):
            T += 0.5 * (bodies.inverse_mass[b] * square(p[b, k]) + bodies.inverse_inertia[b, k] * square(L[b, k]))
    return T
