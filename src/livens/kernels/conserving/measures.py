"""Measures: numbers s between two bodies i and j, and their discrete gradients.

With u a vector that a body carries, u₀ and u₁ its world components at the start and the end of a step, ū their mean,
x = a + B r points, d = x_j − x_i, U and W directions of i and j:

    ALONG_AXIS      d·e_k                               PRODUCT      U·W
    PROJECTION      U·d                                 SQUARE       |d|²/2l
    LENGTH          |d|                                 HINGE_ANGLE  θ = atan2(S·W, C·W)
    ROTATION_ANGLE  θ, cos θ = ½ (Σ_k U_k·W_k − 1)      STEP_TURN    Ū·(ρ_j − ρ_i) of a step, ρ = h B₀ Ω̄

The discrete gradient is a force F and a moment on each body. It satisfies, for every finite displacement,

    s₁ − s₀ = Σ F·(a₁ − a₀) + Σ moment·turn             so that forces along a measure do the work ∫ F ds,          (1)

and its forces and moments are in equilibrium, at the mean positions: momentum and angular momentum are conserved. For
products it is the gradient at the mean vectors. For the others, s = f(π) of a product π, it is that of π times
(s₁ − s₀)/(π₁ − π₀) (Gonzalez 1996), written without cancellation:

    LENGTH        ∂/∂d:  2 d̄/(l₀ + l₁)
    HINGE_ANGLE   on j:  κ W̄ × E,   E = −s̄ C̄ + c̄ S̄,   c = C·W,   s = S·W,   κ = (θ₁ − θ₀)/(s₁c₀ − c₁s₀)            (2)

Forces along a ROTATION_ANGLE, the angle of the relative rotation of two bodies (U_k the axes of i, W_k those of j that
coincide with them at θ = 0), are those along 1 − cos θ, whose gradient is smooth at θ = 0. A STEP_TURN is the relative
rotation of a step about an axis U of the first body: not the difference of a function of positions, but the turn that
torques about Ū do their work over.

A force F at a point r has the moment r̄ × F, in world axes: B L changes by its impulse (step/energy_momentum.py).
"""

from __future__ import annotations

import math

from ..._jit import inline, njit
from ..coordinates import relative_rotation, to_world
from ..trigonometry import arc_tangent, sine_and_cosine
from ..vectors import cross, dot
from .arrays import ALONG_AXIS, HINGE_ANGLE, LENGTH, NO_LAW, PRODUCT, PROJECTION, ROTATION_ANGLE, SQUARE, STEP_TURN

MOST_TURNS = 1e15  # more is a state that is no longer finite


@inline
def middle(u, v):
    return 0.5 * (u[0] + v[0]), 0.5 * (u[1] + v[1]), 0.5 * (u[2] + v[2])


@inline
def times(c, u):
    return c * u[0], c * u[1], c * u[2]


@inline
def between(a, i, j, ui, uj):
    """x_j − x_i, with the world components of the points from the centres."""
    return a[j, 0] - a[i, 0] + uj[0] - ui[0], a[j, 1] - a[i, 1] + uj[1] - ui[1], a[j, 2] - a[i, 2] + uj[2] - ui[2]


@inline
def put(G, m, side, F, M):
    for k in range(3):
        G[m, side, k] = F[k]
        G[m, side, 3 + k] = M[k]


@inline
def put_opposite_forces(G, m, F, ui, uj):
    """The force F at the second point and −F at the first."""
    put(G, m, 1, F, cross(uj, F))
    put(G, m, 0, times(-1.0, F), cross(F, ui))


@njit
def turn_near(s, c, near):
    """The angle with this sine and cosine that is nearest to `near`."""
    q = arc_tangent(s, c)
    turns = (near - q) / (2.0 * math.pi) + 0.5
    return q + 2.0 * math.pi * math.floor(turns) if abs(turns) < MOST_TURNS else math.nan


@njit
def stretch(delta):
    """δ/sin δ and its derivative."""
    if abs(delta) < 1e-3:
        d2 = delta * delta
        return 1.0 + d2 / 6.0 * (1.0 + 7.0 * d2 / 60.0), delta / 3.0 * (1.0 + 7.0 * d2 / 30.0)
    s, c = sine_and_cosine(delta)
    return delta / s, (s - delta * c) / (s * s)


@njit
def value(measures, m, a, B, near):
    """s of measure m; an angle is the one nearest to `near`."""
    kind, i, j = measures.kind[m], measures.body[m, 0], measures.body[m, 1]
    if kind == HINGE_ANGLE:
        C, S = to_world(B, i, measures.direction[m, 0]), to_world(B, i, measures.direction[m, 1])
        W = to_world(B, j, measures.direction[m, 2])
        return turn_near(dot(S, W), dot(C, W), near)
    if kind == PRODUCT:
        return dot(to_world(B, i, measures.direction[m, 0]), to_world(B, j, measures.direction[m, 1]))
    if kind == ROTATION_ANGLE:
        phi = relative_rotation(measures.body[m], measures.direction[m], B)
        return math.sqrt(dot(phi, phi))
    if kind == STEP_TURN:
        return 0.0
    d = between(a, i, j, to_world(B, i, measures.point[m, 0]), to_world(B, j, measures.point[m, 1]))
    if kind == ALONG_AXIS:
        return d[measures.axis[m]]
    if kind == PROJECTION:
        return dot(to_world(B, i, measures.direction[m, 0]), d)
    if kind == SQUARE:
        return 0.5 * dot(d, d) / measures.length[m]
    return math.sqrt(dot(d, d))


@njit
def begin(measures, a, B, s0, s1):
    """s₀ at the start of a step, of the measures whose difference in a step is used: those of forces and dampers, and
    lengths and angles; angles are near s₁."""
    for m in range(s0.shape[0]):
        kind = measures.kind[m]
        if measures.law[m, 0] != NO_LAW or kind == LENGTH or kind == HINGE_ANGLE:
            s0[m] = value(measures, m, a, B, s1[m])


@njit
def turn_of(B0, B1, b, u):
    """ρ = h B₀ Ω̄ of body b, 1 + |hΩ̄/2|² and B₁ B₀ᵀ u, for a vector u in world axes."""
    if b == 0:
        return (0.0, 0.0, 0.0), 1.0, u
    x = B0[b, 0, 0] * u[0] + B0[b, 1, 0] * u[1] + B0[b, 2, 0] * u[2]
    y = B0[b, 0, 1] * u[0] + B0[b, 1, 1] * u[1] + B0[b, 2, 1] * u[2]
    z = B0[b, 0, 2] * u[0] + B0[b, 1, 2] * u[1] + B0[b, 2, 2] * u[2]
    trace, r0, r1, r2 = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        trace += B1[b, 0, k] * B0[b, 0, k] + B1[b, 1, k] * B0[b, 1, k] + B1[b, 2, k] * B0[b, 2, k]
        r0 += 0.5 * (B1[b, 2, k] * B0[b, 1, k] - B1[b, 1, k] * B0[b, 2, k])
        r1 += 0.5 * (B1[b, 0, k] * B0[b, 2, k] - B1[b, 2, k] * B0[b, 0, k])
        r2 += 0.5 * (B1[b, 1, k] * B0[b, 0, k] - B1[b, 0, k] * B0[b, 1, k])
    s = 4.0 / max(1e-300, 1.0 + trace)
    return (s * r0, s * r1, s * r2), s, to_world(B1, b, (x, y, z))


@njit
def differentiate_turn(measures, m, B0, B1, fresh, D, N):
    """`differentiate` for a STEP_TURN."""
    i, j, none = measures.body[m, 0], measures.body[m, 1], (0.0, 0.0, 0.0)
    U1 = to_world(B1, i, measures.direction[m, 0])
    U = middle(to_world(B0, i, measures.direction[m, 0]), U1)
    one, c, V = turn_of(B0, B1, i, U)
    two, d, W = turn_of(B0, B1, j, U)
    put(D, m, 0, none, times(-1.0, U))
    put(D, m, 1, none, U)
    if fresh:  # δρ = c B̄ B₁ᵀ δφ,  c = 1 + |hΩ̄/2|²
        r = two[0] - one[0], two[1] - one[1], two[2] - one[2]
        M, V, W = cross(U1, r), middle(U, V), middle(U, W)
        put(N, m, 0, none, (0.5 * M[0] - c * V[0], 0.5 * M[1] - c * V[1], 0.5 * M[2] - c * V[2]))
        put(N, m, 1, none, times(d, W))
    return dot(U, two) - dot(U, one)


@njit
def differentiate_rotation(measures, m, B0, B1, fresh, D, N):
    """`differentiate` for a ROTATION_ANGLE: the gradients are those of 1 − cos θ = ½ (3 − Σ_k U_k·W_k)."""
    i, j, none = measures.body[m, 0], measures.body[m, 1], (0.0, 0.0, 0.0)
    M, E = none, none
    for k in range(3):
        e = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
        U1, W1 = to_world(B1, i, e), to_world(B1, j, measures.direction[m, k])
        U, W = middle(to_world(B0, i, e), U1), middle(to_world(B0, j, measures.direction[m, k]), W1)
        x, y = cross(U, W), cross(U1, W1)
        M, E = (M[0] + x[0], M[1] + x[1], M[2] + x[2]), (E[0] + y[0], E[1] + y[1], E[2] + y[2])
    put(D, m, 0, none, times(-0.5, M))
    put(D, m, 1, none, times(0.5, M))
    if fresh:
        put(N, m, 0, none, times(-0.5, E))
        put(N, m, 1, none, times(0.5, E))
    phi = relative_rotation(measures.body[m], measures.direction[m], B1)
    return math.sqrt(dot(phi, phi))


@inline
def put_levers(G, m, side, u, c):
    """The moments about the lever u of c times the unit forces along x, y and z of measures m, m + 1 and m + 2, whose
    forces and zeros are in G already."""
    x, y, z = c * u[0], c * u[1], c * u[2]
    G[m, side, 4], G[m, side, 5] = z, -y
    G[m + 1, side, 3], G[m + 1, side, 5] = -z, x
    G[m + 2, side, 3], G[m + 2, side, 4] = y, -x


@inline
def differentiate_points(measures, m, a0, B0, a1, B1, fresh, s1, D, N):
    """`differentiate` for the three measures ALONG_AXIS from m on, of the same points; compile/conserving.py puts the
    forces, which are constant."""
    i, j = measures.body[m, 0], measures.body[m, 1]
    u1, w1 = to_world(B1, i, measures.point[m, 0]), to_world(B1, j, measures.point[m, 1])
    u, w = middle(to_world(B0, i, measures.point[m, 0]), u1), middle(to_world(B0, j, measures.point[m, 1]), w1)
    d1 = between(a1, i, j, u1, w1)
    s1[m], s1[m + 1], s1[m + 2] = d1
    put_levers(D, m, 0, u, -1.0)
    put_levers(D, m, 1, w, 1.0)
    if fresh:
        put_levers(N, m, 0, u1, -1.0)
        put_levers(N, m, 1, w1, 1.0)


@inline
def differentiate_product(measures, m, B0, B1, fresh, D, N):
    """`differentiate` for a PRODUCT."""
    i, j, none = measures.body[m, 0], measures.body[m, 1], (0.0, 0.0, 0.0)
    U1, W1 = to_world(B1, i, measures.direction[m, 0]), to_world(B1, j, measures.direction[m, 1])
    U, W = middle(to_world(B0, i, measures.direction[m, 0]), U1), middle(to_world(B0, j, measures.direction[m, 1]), W1)
    M = cross(U, W)
    put(D, m, 0, none, M)
    put(D, m, 1, none, times(-1.0, M))
    if fresh:
        M = cross(U1, W1)
        put(N, m, 0, none, M)
        put(N, m, 1, none, times(-1.0, M))
    return dot(U1, W1)


@njit
def differentiate(measures, m, a0, B0, a1, B1, s0, fresh, D, N):
    """s₁ of measure m, which is no PRODUCT; its discrete gradient goes into D, and its gradient at the end of the step,
    if `fresh`, into N."""
    kind, i, j = measures.kind[m], measures.body[m, 0], measures.body[m, 1]
    none = (0.0, 0.0, 0.0)
    if kind == HINGE_ANGLE:
        C0, C1 = to_world(B0, i, measures.direction[m, 0]), to_world(B1, i, measures.direction[m, 0])
        S0, S1 = to_world(B0, i, measures.direction[m, 1]), to_world(B1, i, measures.direction[m, 1])
        W0, W1 = to_world(B0, j, measures.direction[m, 2]), to_world(B1, j, measures.direction[m, 2])
        c0, n0, c1, n1 = dot(C0, W0), dot(S0, W0), dot(C1, W1), dot(S1, W1)
        s1 = turn_near(n1, c1, s0)
        kappa, _ = stretch(s1 - s0)
        kappa /= math.sqrt((c0 * c0 + n0 * n0) * (c1 * c1 + n1 * n1))
        c, n, C, S = 0.5 * (c0 + c1), 0.5 * (n0 + n1), middle(C0, C1), middle(S0, S1)
        E = c * S[0] - n * C[0], c * S[1] - n * C[1], c * S[2] - n * C[2]
        M = times(kappa, cross(middle(W0, W1), E))
        put(D, m, 1, none, M)
        put(D, m, 0, none, times(-1.0, M))
        if fresh:
            E = c1 * S1[0] - n1 * C1[0], c1 * S1[1] - n1 * C1[1], c1 * S1[2] - n1 * C1[2]
            M = times(1.0 / (c1 * c1 + n1 * n1), cross(W1, E))
            put(N, m, 1, none, M)
            put(N, m, 0, none, times(-1.0, M))
        return s1
    if kind == ROTATION_ANGLE:
        return differentiate_rotation(measures, m, B0, B1, fresh, D, N)
    if kind == STEP_TURN:
        return differentiate_turn(measures, m, B0, B1, fresh, D, N)
    u0, u1 = to_world(B0, i, measures.point[m, 0]), to_world(B1, i, measures.point[m, 0])
    w0, w1 = to_world(B0, j, measures.point[m, 1]), to_world(B1, j, measures.point[m, 1])
    u, w = middle(u0, u1), middle(w0, w1)
    d1 = between(a1, i, j, u1, w1)
    if kind == ALONG_AXIS:
        k = measures.axis[m]
        e = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
        put_opposite_forces(D, m, e, u, w)
        if fresh:
            put_opposite_forces(N, m, e, u1, w1)
        return d1[k]
    d = middle(between(a0, i, j, u0, w0), d1)
    if kind == PROJECTION:
        U1 = to_world(B1, i, measures.direction[m, 0])
        U = middle(to_world(B0, i, measures.direction[m, 0]), U1)
        put_opposite_forces(D, m, U, u, w)
        M = cross(U, d)
        for k in range(3):
            D[m, 0, 3 + k] += M[k]
        if fresh:
            put_opposite_forces(N, m, U1, u1, w1)
            M = cross(U1, d1)
            for k in range(3):
                N[m, 0, 3 + k] += M[k]
        return dot(U1, d1)
    if kind == SQUARE:
        put_opposite_forces(D, m, times(1.0 / measures.length[m], d), u, w)
        if fresh:
            put_opposite_forces(N, m, times(1.0 / measures.length[m], d1), u1, w1)
        return 0.5 * dot(d1, d1) / measures.length[m]
    s1 = math.sqrt(dot(d1, d1))
    put_opposite_forces(D, m, times(2.0 / max(1e-300, s0 + s1), d), u, w)
    if fresh:
        put_opposite_forces(N, m, times(1.0 / max(1e-300, s1), d1), u1, w1)
    return s1
