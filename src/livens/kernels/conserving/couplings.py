"""Newton's matrix of a measure: how its forces change with the ends of the step of its two bodies.

The forces F D of measures.py change with (δa, δφ) of both bodies at the end of the step, through s₁, through the mean
vectors, and through the levers. For a vector u that a body carries and a force P at it, û w = u × w,

    δu₁ = δφ × u₁,     δū = ½ δφ × u₁,     δ(ū × P) = ū × δP + ½ P̂ û₁ δφ.                                          (1)
"""

from __future__ import annotations

import math

from ..._jit import njit
from ..coordinates import to_world
from ..tangent_blocks import add_hat, add_hat_hat
from ..vectors import cross, dot
from .arrays import ALONG_AXIS, HINGE_ANGLE, LENGTH, NOWHERE, PROJECTION, ROTATION_ANGLE, STEP_TURN
from .measures import between, middle, stretch, times

II, IJ, JI, JJ = 0, 1, 2, 3  # blocks: the change of the forces on the first or second body with the first or second


@njit
def couple(measures, m, a0, B0, a1, B1, s0, s1, F, slope, D, N, K):
    """K = ∂(F D)/∂(δa, δφ) of measure m, which is no PRODUCT, for a force F along it with ∂F/∂s₁ = slope."""
    kind, i, j = measures.kind[m], measures.body[m, 0], measures.body[m, 1]
    K[:, :, :] = 0.0
    c = slope
    if kind == LENGTH:
        c -= F / max(1e-300, s0 + s1)
    elif kind == HINGE_ANGLE:
        kappa, change = stretch(s1 - s0)
        c += F * change / kappa
    if c != 0.0:
        for s in range(2):
            for t in range(2):
                for y in range(6):
                    for z in range(6):
                        K[2 * s + t, y, z] += c * D[m, s, y] * N[m, t, z]
    if F == 0.0:
        return
    if kind == HINGE_ANGLE:
        couple_turn(measures, m, i, j, B0, B1, s1 - s0, F, K)
        return
    if kind == ROTATION_ANGLE:
        for k in range(3):
            e = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
            couple_product(B0, B1, i, j, e, measures.direction[m, k], -0.5 * F, K)
        return
    if kind == STEP_TURN:
        U1 = to_world(B1, i, measures.direction[m, 0])
        add_hat(K, II, 3, 3, 0.5 * F, U1)
        add_hat(K, JI, 3, 3, -0.5 * F, U1)
        return
    u1, w1 = to_world(B1, i, measures.point[m, 0]), to_world(B1, j, measures.point[m, 1])
    P = F * D[m, 1, 0], F * D[m, 1, 1], F * D[m, 1, 2]  # the force on the second body
    add_hat_hat(K, JJ, 3, 3, 0.5, P, w1)
    add_hat_hat(K, II, 3, 3, -0.5, P, u1)
    if kind == ALONG_AXIS:
        return
    u0, w0 = to_world(B0, i, measures.point[m, 0]), to_world(B0, j, measures.point[m, 1])
    u, w = middle(u0, u1), middle(w0, w1)
    if kind == PROJECTION:
        d = middle(between(a0, i, j, u0, w0), between(a1, i, j, u1, w1))
        U1 = to_world(B1, i, measures.direction[m, 0])
        add_hat(K, JI, 0, 3, -0.5 * F, U1)
        add_hat_hat(K, JI, 3, 3, -0.5 * F, w, U1)
        add_hat(K, II, 0, 3, 0.5 * F, U1)
        add_hat_hat(K, II, 3, 3, 0.5 * F, u, U1)
        add_hat_hat(K, II, 3, 3, 0.5 * F, d, U1)
        add_hat(K, II, 3, 0, -0.5, P)
        add_hat_hat(K, II, 3, 3, 0.5, P, u1)
        add_hat(K, IJ, 3, 0, 0.5, P)
        add_hat_hat(K, IJ, 3, 3, -0.5, P, w1)
        return
    alpha = F / max(1e-300, s0 + s1) if kind == LENGTH else 0.5 * F / measures.length[m]
    add_span(K, II, alpha, u, u1)
    add_span(K, IJ, -alpha, u, w1)
    add_span(K, JI, -alpha, w, u1)
    add_span(K, JJ, alpha, w, w1)


@njit
def couple_product(B0, B1, i, j, u, w, F, K):
    """The change of F Ū × W̄ on i, and of its opposite on j."""
    U0, U1 = to_world(B0, i, u), to_world(B1, i, u)
    W0, W1 = to_world(B0, j, w), to_world(B1, j, w)
    U, W = middle(U0, U1), middle(W0, W1)
    add_hat_hat(K, II, 3, 3, 0.5 * F, W, U1)
    add_hat_hat(K, IJ, 3, 3, -0.5 * F, U, W1)
    add_hat_hat(K, JI, 3, 3, -0.5 * F, W, U1)
    add_hat_hat(K, JJ, 3, 3, 0.5 * F, U, W1)


@njit
def add_span(K, k, c, lever, end):
    """A force c δx at `lever`, where x is the point `end` of a body."""
    for y in range(3):
        K[k, y, y] += c
    add_hat(K, k, 0, 3, -c, end)
    add_hat(K, k, 3, 0, c, lever)
    add_hat_hat(K, k, 3, 3, -c, lever, end)


@njit
def couple_turn(measures, m, i, j, B0, B1, delta, F, K):
    """The part of a HINGE_ANGLE at constant κ."""
    C0, C1 = to_world(B0, i, measures.direction[m, 0]), to_world(B1, i, measures.direction[m, 0])
    S0, S1 = to_world(B0, i, measures.direction[m, 1]), to_world(B1, i, measures.direction[m, 1])
    W0, W1 = to_world(B0, j, measures.direction[m, 2]), to_world(B1, j, measures.direction[m, 2])
    c0, n0, c1, n1 = dot(C0, W0), dot(S0, W0), dot(C1, W1), dot(S1, W1)
    kappa, _ = stretch(delta)
    f = F * kappa / math.sqrt((c0 * c0 + n0 * n0) * (c1 * c1 + n1 * n1))
    c, n, C, S, W = 0.5 * (c0 + c1), 0.5 * (n0 + n1), middle(C0, C1), middle(S0, S1), middle(W0, W1)
    E = c * S[0] - n * C[0], c * S[1] - n * C[1], c * S[2] - n * C[2]
    E1 = c * S1[0] - n * C1[0], c * S1[1] - n * C1[1], c * S1[2] - n * C1[2]
    add_hat_hat(K, JJ, 3, 3, 0.5 * f, E, W1)
    add_hat_hat(K, JI, 3, 3, -0.5 * f, W, E1)
    of_sine, of_cosine = times(-0.5 * f, cross(W, C)), times(0.5 * f, cross(W, S))
    sine, cosine = cross(S1, W1), cross(C1, W1)  # gradients with δφ_i; opposite with δφ_j
    for y in range(3):
        for z in range(3):
            r = of_sine[y] * sine[z] + of_cosine[y] * cosine[z]
            K[JI, 3 + y, 3 + z] += r
            K[JJ, 3 + y, 3 + z] -= r
    for y in range(3):
        for z in range(3):
            K[II, 3 + y, 3 + z] -= K[JI, 3 + y, 3 + z]
            K[IJ, 3 + y, 3 + z] -= K[JJ, 3 + y, 3 + z]


@njit
def scatter(measures, pattern, m, c, K, lower, upper):
    """Add c K to the matrix."""
    i, j = measures.body[m, 0], measures.body[m, 1]
    if i > 0:
        add_block(lower, upper, pattern.block[i], c, K[II])
    if j > 0:
        add_block(lower, upper, pattern.block[j], c, K[JJ])
    if i > 0 and j > 0:
        add_block(lower, upper, measures.pair[m, 0], c, K[IJ])
        add_block(lower, upper, measures.pair[m, 1], c, K[JI])


@njit
def add_block(lower, upper, place, c, K):
    """Add c K, 6 × 6, to the matrix."""
    for s in range(2):
        for t in range(2):
            o = place[s, t]
            if o >= 0:
                for y in range(3):
                    for z in range(3):
                        lower[o + 3 * y + z] += c * K[3 * s + y, 3 * t + z]
            elif o != NOWHERE:
                for y in range(3):
                    for z in range(3):
                        upper[-1 - o + 3 * z + y] += c * K[3 * s + y, 3 * t + z]
