"""Joint coordinates: angles, displacements and rotations of joints, their rates, and the forces that act along them.

With U = B_i u the joint's axis, carried by the first body, and d = x_j − x_i,

    ANGLE          q = atan2((B_i e₂)·(B_j w), (B_i e₁)·(B_j w)),  unwrapped;     q̇ = U·(Ω_j − Ω_i)       (1)
    DISPLACEMENT   q = U·d;                                                     q̇ = U·ḋ + U̇·d           (2)
    ROTATION       q = |φ|,  exp φ = B_iᵀ B_j R_refᵀ,  0 ≤ q ≤ π;                 q̇ = n·(Ω_j − Ω_i),  n = B_i φ/|φ|  (3)

    V(q) = ½ k (q − q₀)² + ½ k_stop (overshoot beyond the stops)²                                          (4)

A ROTATION has no direction n at q = 0. Springs and stops act on it, whose forces are zero there; a motor, a row or a
prescribed motion does not.
"""

from __future__ import annotations

import math

from .._jit import njit
from .kinds import DISPLACEMENT, ROTATION
from .potential import apply_force, point_component, to_body
from .powers import square
from .trigonometry import arc_tangent

MOST_TURNS = 1e15  # more is a state that is no longer finite


@njit
def to_world(B, b, u):
    """World direction of the body direction u."""
    return (
        B[b, 0, 0] * u[0] + B[b, 0, 1] * u[1] + B[b, 0, 2] * u[2],
        B[b, 1, 0] * u[0] + B[b, 1, 1] * u[1] + B[b, 1, 2] * u[2],
        B[b, 2, 0] * u[0] + B[b, 2, 1] * u[1] + B[b, 2, 2] * u[2],
    )


@njit
def coordinate_value(coordinates, c, a, B, near):
    """The value of coordinate c; an angle is the one nearest to `near`."""
    i, j = coordinates.body[c, 0], coordinates.body[c, 1]
    if coordinates.kind[c] == DISPLACEMENT:
        U0, U1, U2 = to_world(B, i, coordinates.axis[c])
        ri, rj = coordinates.point[c, 0], coordinates.point[c, 1]
        d0 = point_component(a, B, j, rj, 0) - point_component(a, B, i, ri, 0)
        d1 = point_component(a, B, j, rj, 1) - point_component(a, B, i, ri, 1)
        d2 = point_component(a, B, j, rj, 2) - point_component(a, B, i, ri, 2)
        return U0 * d0 + U1 * d1 + U2 * d2
    if coordinates.kind[c] == ROTATION:
        x, y, z = relative_rotation(coordinates.body[c], coordinates.reference[c], B)
        return math.sqrt(x * x + y * y + z * z)
    W0, W1, W2 = to_world(B, j, coordinates.hand[c])
    C0, C1, C2 = to_world(B, i, coordinates.dial[c, 0])
    S0, S1, S2 = to_world(B, i, coordinates.dial[c, 1])
    q = arc_tangent(S0 * W0 + S1 * W1 + S2 * W2, C0 * W0 + C1 * W1 + C2 * W2)
    turns = (near - q) / (2.0 * math.pi) + 0.5
    return q + 2.0 * math.pi * math.floor(turns) if abs(turns) < MOST_TURNS else math.nan


@njit
def update_coordinates(coordinates, a, B, angle):
    """The coordinates at the configuration (a, B); angles are unwrapped from their last values."""
    for c in range(angle.shape[0]):
        angle[c] = coordinate_value(coordinates, c, a, B, angle[c])


@njit
def coordinate_axis(coordinates, c, B):
    """The axis of coordinate c in the axes of the first body; of a ROTATION, n of (3), and zero where that is zero."""
    if coordinates.kind[c] != ROTATION:
        u = coordinates.axis[c]
        return u[0], u[1], u[2]
    x, y, z = relative_rotation(coordinates.body[c], coordinates.reference[c], B)
    q = math.sqrt(x * x + y * y + z * z)
    return (x / q, y / q, z / q) if q > 0.0 else (0.0, 0.0, 0.0)


@njit
def apply_coordinate_force(coordinates, c, a, B, Q, f, tau):
    """Apply the generalised force Q [N m] or [N] along coordinate c."""
    i, j = coordinates.body[c, 0], coordinates.body[c, 1]
    u = coordinate_axis(coordinates, c, B)
    U0, U1, U2 = to_world(B, i, u)
    if coordinates.kind[c] == DISPLACEMENT:
        rj = coordinates.point[c, 1]
        x0, x1, x2 = point_component(a, B, j, rj, 0), point_component(a, B, j, rj, 1), point_component(a, B, j, rj, 2)
        u0, u1, u2 = to_body(B, i, x0 - a[i, 0], x1 - a[i, 1], x2 - a[i, 2])  # the point of body i at the same position
        apply_force(B, j, rj, Q * U0, Q * U1, Q * U2, f, tau)
        apply_force(B, i, (u0, u1, u2), -Q * U0, -Q * U1, -Q * U2, f, tau)
    else:
        w0, w1, w2 = to_body(B, j, U0, U1, U2)
        tau[j, 0] += Q * w0
        tau[j, 1] += Q * w1
        tau[j, 2] += Q * w2
        tau[i, 0] -= Q * u[0]
        tau[i, 1] -= Q * u[1]
        tau[i, 2] -= Q * u[2]


@njit
def overshoot(coordinates, c, q):
    """How far q is beyond a stop, with its sign; zero between the stops."""
    if q < coordinates.limit[c, 0]:
        return q - coordinates.limit[c, 0]
    if q > coordinates.limit[c, 1]:
        return q - coordinates.limit[c, 1]
    return 0.0


@njit
def coordinate_force(coordinates, a, B, angle, f, tau):
    for c in range(angle.shape[0]):
        Q = -coordinates.stiffness[c] * (angle[c] - coordinates.rest[c])
        Q -= coordinates.stop[c] * overshoot(coordinates, c, angle[c])
        if Q != 0.0:
            apply_coordinate_force(coordinates, c, a, B, Q, f, tau)


@njit
def coordinate_potential(coordinates, angle):
    V = 0.0
    for c in range(angle.shape[0]):
        V += 0.5 * coordinates.stiffness[c] * square(angle[c] - coordinates.rest[c])
        V += 0.5 * coordinates.stop[c] * square(overshoot(coordinates, c, angle[c]))
    return V


@njit
def motor_force(coordinates, a, B, signals, row, f, tau):
    for c in range(coordinates.signal.shape[0]):
        if coordinates.signal[c] >= 0:
            apply_coordinate_force(coordinates, c, a, B, signals[row, coordinates.signal[c]], f, tau)


@njit
def coordinate_rate(bodies, coordinates, c, a, B, p, L):
    """q̇ of coordinate c, by (1) and (2)."""
    i, j = coordinates.body[c, 0], coordinates.body[c, 1]
    U = to_world(B, i, coordinate_axis(coordinates, c, B))
    Wi = angular_velocity(bodies, B, i, L)
    Wj = angular_velocity(bodies, B, j, L)
    if coordinates.kind[c] != DISPLACEMENT:
        return U[0] * (Wj[0] - Wi[0]) + U[1] * (Wj[1] - Wi[1]) + U[2] * (Wj[2] - Wi[2])
    rate = 0.0
    rj = to_world(B, j, coordinates.point[c, 1])
    # velocities of both bodies at the position of the second point, rotation included
    s = (a[j, 0] + rj[0] - a[i, 0], a[j, 1] + rj[1] - a[i, 1], a[j, 2] + rj[2] - a[i, 2])
    for k in range(3):
        m, n = (k + 1) % 3, (k + 2) % 3
        vj = bodies.inverse_mass[j] * p[j, k] + Wj[m] * rj[n] - Wj[n] * rj[m]
        vi = bodies.inverse_mass[i] * p[i, k] + Wi[m] * s[n] - Wi[n] * s[m]
        rate += U[k] * (vj - vi)
    return rate


@njit
def angular_velocity(bodies, B, b, L):
    """Angular velocity of body b in world axes."""
    i = bodies.inverse_inertia[b]
    return to_world(B, b, (i[0] * L[b, 0], i[1] * L[b, 1], i[2] * L[b, 2]))


@njit
def motor_power(bodies, coordinates, a, B, p, L, signals, row):
    """Power of the motors [W]."""
    P = 0.0
    for c in range(coordinates.signal.shape[0]):
        if coordinates.signal[c] >= 0:
            P += signals[row, coordinates.signal[c]] * coordinate_rate(bodies, coordinates, c, a, B, p, L)
    return P


@njit
def relative_rotation(body, start, B):
    """The rotation vector of B_iᵀ B_j times the inverse of its value at the start."""
    i, j = body[0], body[1]
    k0 = to_body(B, i, B[j, 0, 0], B[j, 1, 0], B[j, 2, 0])  # columns of B_iᵀ B_j
    k1 = to_body(B, i, B[j, 0, 1], B[j, 1, 1], B[j, 2, 1])
    k2 = to_body(B, i, B[j, 0, 2], B[j, 1, 2], B[j, 2, 2])
    R = (
        (product(k0, k1, k2, start, 0, 0), product(k0, k1, k2, start, 0, 1), product(k0, k1, k2, start, 0, 2)),
        (product(k0, k1, k2, start, 1, 0), product(k0, k1, k2, start, 1, 1), product(k0, k1, k2, start, 1, 2)),
        (product(k0, k1, k2, start, 2, 0), product(k0, k1, k2, start, 2, 1), product(k0, k1, k2, start, 2, 2)),
    )
    x, y, z = 0.5 * (R[2][1] - R[1][2]), 0.5 * (R[0][2] - R[2][0]), 0.5 * (R[1][0] - R[0][1])
    s, c = math.sqrt(x * x + y * y + z * z), 0.5 * (R[0][0] + R[1][1] + R[2][2] - 1.0)
    t = arc_tangent(s, c)
    if s > 1e-8:
        return t / s * x, t / s * y, t / s * z
    if c > 0.0:
        return x, y, z
    u = math.sqrt(max(0.0, 0.5 * (R[0][0] + 1.0)))  # half a turn: R = 2 u uᵀ − I
    v, w = math.sqrt(max(0.0, 0.5 * (R[1][1] + 1.0))), math.sqrt(max(0.0, 0.5 * (R[2][2] + 1.0)))
    if u >= v and u >= w:
        return t * u, t * R[0][1] / (2.0 * u), t * R[0][2] / (2.0 * u)
    if v >= w:
        return t * R[0][1] / (2.0 * v), t * v, t * R[1][2] / (2.0 * v)
    return t * R[0][2] / (2.0 * w), t * R[1][2] / (2.0 * w), t * w


@njit
def product(k0, k1, k2, start, r, c):
    """Entry (r, c) of [k0 k1 k2] startᵀ."""
    return k0[r] * start[c, 0] + k1[r] * start[c, 1] + k2[r] * start[c, 2]
