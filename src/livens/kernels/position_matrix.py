"""The exact Newton matrix of the position level.

With λ the multipliers, Q = (p, L) the momenta before the drift and G₀, G₁ the Jacobians at its ends, in principal axes,

    ∂g(q₁)/∂λ = (h/2) G₁ D G₀ᵀ,    D = ∂q₁/∂Q = (h/m) I for a₁,  h (I − x̂) K⁻¹ for the rotation of the body,     (1)

with the Cayley vector x of (1) in spin.py and the matrix K of Newton's method for it,

    K = J + x̂ J − (J x)^ − h L xᵀ,    cay(x)⁻¹ δcay(x) = 2/(1 + |x|²) (I − x̂) δx,    K δx = (h/2)(1 + |x|²) δL.

The simplified matrix (h²/2) G₀ M⁻¹ G₀ᵀ has G₀ in the place of G₁ and J⁻¹ in that of (I − x̂) K⁻¹. The rows of the exact
one are multiplied by their weights w, 1 over their tolerances: the pivots of its factorisation then depend on no unit.
Source: Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.5.
"""

from __future__ import annotations

import math

from .._jit import njit
from .powers import square


@njit
def largest_turn(cayley):
    """The largest angle by which a body turns in the step [rad], for small ones."""
    most = 0.0
    for b in range(1, cayley.shape[0]):
        most = max(most, square(cayley[b, 0]) + square(cayley[b, 1]) + square(cayley[b, 2]))
    return 2.0 * math.sqrt(most)


@njit
def weigh_rows(blocks, rows, N):
    """N ← w N."""
    for J in range(blocks.side.shape[0] - 1):
        first, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            e = blocks.side_entry[s]
            for r in range(n):
                for k in range(6):
                    N[e + r, k] *= rows.weight[first + r]


@njit
def multiply_by_drift(bodies, blocks, h, L, cayley, N):
    """N ← (1/h) N D M, such that N M⁻¹ Gᵀ is (1/h) N D Gᵀ."""
    for J in range(blocks.side.shape[0] - 1):
        n = blocks.row[J + 1] - blocks.row[J]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            b, e = blocks.side_body[s], blocks.side_entry[s]
            x, y, z = cayley[b, 0], cayley[b, 1], cayley[b, 2]
            J0, J1, J2 = bodies.inertia[b, 0], bodies.inertia[b, 1], bodies.inertia[b, 2]
            d0, d1, d2 = J2 - J1, J0 - J2, J1 - J0
            l0, l1, l2 = h * L[b, 0], h * L[b, 1], h * L[b, 2]
            K00, K01, K02 = J0 - l0 * x, d0 * z - l0 * y, d0 * y - l0 * z
            K10, K11, K12 = d1 * z - l1 * x, J1 - l1 * y, d1 * x - l1 * z
            K20, K21, K22 = d2 * y - l2 * x, d2 * x - l2 * y, J2 - l2 * z
            A00, A10, A20 = K11 * K22 - K12 * K21, K12 * K20 - K10 * K22, K10 * K21 - K11 * K20
            det = 1.0 / (K00 * A00 + K01 * A10 + K02 * A20)
            A01, A11, A21 = K02 * K21 - K01 * K22, K00 * K22 - K02 * K20, K01 * K20 - K00 * K21
            A02, A12, A22 = K01 * K12 - K02 * K11, K02 * K10 - K00 * K12, K00 * K11 - K01 * K10
            c0, c1, c2 = det * J0, det * J1, det * J2
            for r in range(n):
                u0, u1, u2 = N[e + r, 3], N[e + r, 4], N[e + r, 5]
                w0 = u0 - (u1 * z - u2 * y)
                w1 = u1 - (u2 * x - u0 * z)
                w2 = u2 - (u0 * y - u1 * x)
                N[e + r, 3] = c0 * (w0 * A00 + w1 * A10 + w2 * A20)
                N[e + r, 4] = c1 * (w0 * A01 + w1 * A11 + w2 * A21)
                N[e + r, 5] = c2 * (w0 * A02 + w1 * A12 + w2 * A22)
