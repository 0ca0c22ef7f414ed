"""Measures: numbers s between two bodies i and j, and their discrete gradients.

With u a vector that a body carries, u₀ and u₁ its world components at the start and the end of a step, ū their mean,
x = a + B r points, d = x_j − x_i, U and W directions of i and j:

    ALONG_AXIS   d·e_k                                  PRODUCT    U·W
    PROJECTION   U·d                                    SQUARE     |d|²/2l
    LENGTH       |d|                                    HINGE_ANGLE  θ = atan2(S·W, C·W)

The discrete gradient is a force F and a moment on each body. It satisfies, for every finite displacement,

    s₁ − s₀ = Σ F·(a₁ − a₀) + Σ moment·turn             so that forces along a measure do the work ∫ F ds,          (1)

and its forces and moments are in equilibrium, at the mean positions: momentum and angular momentum are conserved. For
products it is the gradient at the mean vectors. For the others, s = f(π) of a product π, it is that of π times
(s₁ − s₀)/(π₁ − π₀) (Gonzalez 1996), written without cancellation:

    LENGTH        ∂/∂d:  2 d̄/(l₀ + l₁)
    HINGE_ANGLE   on j:  κ W̄ × E,   E = −s̄ C̄ + c̄ S̄,   c = C·W,   s = S·W,   κ = (θ₁ − θ₀)/(s₁c₀ − c₁s₀)            (2)

A force F at a point r has the moment r̄ × F, in world axes: B L changes by its impulse (step/energy_momentum.py).
"""

from __future__ import annotations

import math

from ..._jit import inline, njit
from ..coordinates import to_world
from ..trigonometry import arc_tangent, sine_and_cosine
from ..vectors import cross, dot
from .arrays import ALONG_AXIS, HINGE_ANGLE, PRODUCT, PROJECTION, SQUARE

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
    d = between(a, i, j, to_world(B, i, measures.point[m, 0]), to_world(B, j, measures.point[m, 1]))
    if kind == ALONG_AXIS:
        return d[measures.axis[m]]
    if kind == PROJECTION:
        return dot(to_world(B, i, measures.direction[m, 0]), d)
    if kind == SQUARE:
        return 0.5 * dot(d, d) / measures.length[m]
    return math.sqrt(dot(d, d))


@njit
def differentiate_points(measures, m, a0, B0, a1, B1, s1, D, N):
    """`differentiate` for the three measures ALONG_AXIS from m on, of the same points."""
    i, j = measures.body[m, 0], measures.body[m, 1]
    u1, w1 = to_world(B1, i, measures.point[m, 0]), to_world(B1, j, measures.point[m, 1])
    u, w = middle(to_world(B0, i, measures.point[m, 0]), u1), middle(to_world(B0, j, measures.point[m, 1]), w1)
    d1 = between(a1, i, j, u1, w1)
    for k in range(3):
        s1[m + k] = d1[k]
        e = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
        put_opposite_forces(D, m + k, e, u, w)
        put_opposite_forces(N, m + k, e, u1, w1)


@njit
def differentiate(measures, m, a0, B0, a1, B1, s0, D, N):
    """s₁ of measure m; its discrete gradient goes into D, its gradient at the end of the step into N."""
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
        E = c1 * S1[0] - n1 * C1[0], c1 * S1[1] - n1 * C1[1], c1 * S1[2] - n1 * C1[2]
        M = times(1.0 / (c1 * c1 + n1 * n1), cross(W1, E))
        put(N, m, 1, none, M)
        put(N, m, 0, none, times(-1.0, M))
        return s1
    if kind == PRODUCT:
        U0, U1 = to_world(B0, i, measures.direction[m, 0]), to_world(B1, i, measures.direction[m, 0])
        W0, W1 = to_world(B0, j, measures.direction[m, 1]), to_world(B1, j, measures.direction[m, 1])
        M = cross(middle(U0, U1), middle(W0, W1))
        put(D, m, 0, none, M)
        put(D, m, 1, none, times(-1.0, M))
        M = cross(U1, W1)
        put(N, m, 0, none, M)
        put(N, m, 1, none, times(-1.0, M))
        return dot(U1, W1)
    u0, u1 = to_world(B0, i, measures.point[m, 0]), to_world(B1, i, measures.point[m, 0])
    w0, w1 = to_world(B0, j, measures.point[m, 1]), to_world(B1, j, measures.point[m, 1])
    u, w = middle(u0, u1), middle(w0, w1)
    d1 = between(a1, i, j, u1, w1)
    if kind == ALONG_AXIS:
        k = measures.axis[m]
        e = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
        put_opposite_forces(D, m, e, u, w)
        put_opposite_forces(N, m, e, u1, w1)
        return d1[k]
    d = middle(between(a0, i, j, u0, w0), d1)
    if kind == PROJECTION:
        U1 = to_world(B1, i, measures.direction[m, 0])
        U = middle(to_world(B0, i, measures.direction[m, 0]), U1)
        put_opposite_forces(D, m, U, u, w)
        put_opposite_forces(N, m, U1, u1, w1)
        M, M1 = cross(U, d), cross(U1, d1)
        for k in range(3):
            D[m, 0, 3 + k] += M[k]
            N[m, 0, 3 + k] += M1[k]
        return dot(U1, d1)
    if kind == SQUARE:
        put_opposite_forces(D, m, times(1.0 / measures.length[m], d), u, w)
        put_opposite_forces(N, m, times(1.0 / measures.length[m], d1), u1, w1)
        return 0.5 * dot(d1, d1) / measures.length[m]
    s1 = math.sqrt(dot(d1, d1))
    put_opposite_forces(D, m, times(2.0 / max(1e-300, s0 + s1), d), u, w)
    put_opposite_forces(N, m, times(1.0 / max(1e-300, s1), d1), u1, w1)
    return s1
