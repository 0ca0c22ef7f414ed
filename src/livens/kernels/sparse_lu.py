"""Sparse LU by blocks, for matrices whose pattern is symmetric and whose numbers are not.

Such are the exact Newton matrix of the position level, G(q₁) M⁻¹ G(q₀)ᵀ, and that of lv.EnergyMomentum. Blocks as in
sparse.py; A holds the diagonal and lower blocks, U the upper blocks, transposed. With D_J the diagonal block of J,

    L_IJ = A_IJ D_J⁻¹,     A_IK −= L_IJ U_JK,     U_KI −= L_KJ U_JI     for I ≥ K below J.                     (1)

Blocks of 3, 5 and 6 unknowns, ball joints, hinges and bodies, are the usual ones: the same functions are inlined with
this number as a constant, so that the compiler unrolls their loops.
"""

from __future__ import annotations

from .._jit import inline, njit
from .sparse import BALL_ROWS, HINGE_ROWS

BODY_UNKNOWNS = 6


@inline
def invert_block(A, o, n):
    """The n × n block at o replaced by its inverse (Gauss–Jordan, largest pivot of the column, n ≤ 8)."""
    order = 0  # the row exchanges, four bits each
    for z in range(n):
        best = z
        for y in range(z + 1, n):
            if abs(A[o + y * n + z]) > abs(A[o + best * n + z]):
                best = y
        order |= best << (4 * z)
        if best != z:
            for k in range(n):
                A[o + z * n + k], A[o + best * n + k] = A[o + best * n + k], A[o + z * n + k]
        d = A[o + z * n + z]
        d = 1.0 / d if abs(d) > 1e-300 else 0.0
        A[o + z * n + z] = 1.0
        for k in range(n):
            A[o + z * n + k] *= d
        for y in range(n):
            if y != z:
                c = A[o + y * n + z]
                A[o + y * n + z] = 0.0
                for k in range(n):
                    A[o + y * n + k] -= c * A[o + z * n + k]
    for z in range(n - 1, -1, -1):
        best = (order >> (4 * z)) & 15
        if best != z:
            for y in range(n):
                A[o + y * n + z], A[o + y * n + best] = A[o + y * n + best], A[o + y * n + z]


@inline
def multiply_block(A, oA, n, m, o, row):
    """The n × m block at oA replaced by its product with the m × m block at o; `row` is scratch."""
    for y in range(n):
        for k in range(m):
            row[k] = A[oA + y * m + k]
        for z in range(m):
            s = 0.0
            for k in range(m):
                s += row[k] * A[o + k * m + z]
            A[oA + y * m + z] = s


@inline
def subtract_product(A, t, P, oP, nP, Q, oQ, nQ, n):
    """The nP × nQ block at t of A −= P Qᵀ, for blocks of n columns."""
    for y in range(nP):
        for z in range(nQ):
            s = 0.0
            for k in range(n):
                s += P[oP + y * n + k] * Q[oQ + z * n + k]
            A[t + y * nQ + z] -= s


@inline
def eliminate_lu(blocks, A, U, row, J, n):
    """(1) for block J of n unknowns."""
    o = blocks.diagonal[J]
    invert_block(A, o, n)
    begin, end = blocks.below[J], blocks.below[J + 1]
    u = blocks.update_start[J]
    for p in range(begin, end):
        I, oI = blocks.below_block[p], blocks.below_offset[p]
        nI = blocks.row[I + 1] - blocks.row[I]
        multiply_block(A, oI, nI, n, o, row)
        for q in range(begin, p):
            K, oK = blocks.below_block[q], blocks.below_offset[q]
            nK = blocks.row[K + 1] - blocks.row[K]
            subtract_product(A, blocks.update[u], A, oI, nI, U, oK, nK, n)
            subtract_product(U, blocks.update[u], U, oI, nI, A, oK, nK, n)
            u += 1
        subtract_product(A, blocks.update[u], A, oI, nI, U, oI, nI, n)
        u += 1


@njit
def factor_lu(blocks, A, U, row):
    """(1) in place: A holds the inverse diagonal blocks and L; `row` is scratch."""
    for J in range(blocks.diagonal.shape[0]):
        n = blocks.row[J + 1] - blocks.row[J]
        if n == BODY_UNKNOWNS:
            eliminate_lu(blocks, A, U, row, J, BODY_UNKNOWNS)
        elif n == HINGE_ROWS:
            eliminate_lu(blocks, A, U, row, J, HINGE_ROWS)
        elif n == BALL_ROWS:
            eliminate_lu(blocks, A, U, row, J, BALL_ROWS)
        else:
            eliminate_lu(blocks, A, U, row, J, n)


@inline
def forward_lu(blocks, A, x, J, n):
    """The part of block J in x ← L⁻¹x."""
    first = blocks.row[J]
    for p in range(blocks.below[J], blocks.below[J + 1]):
        I, oI = blocks.below_block[p], blocks.below_offset[p]
        for i in range(blocks.row[I + 1] - blocks.row[I]):
            s = 0.0
            for k in range(n):
                s += A[oI + i * n + k] * x[first + k]
            x[blocks.row[I] + i] -= s


@inline
def backward_lu(blocks, A, U, x, y, J, n):
    """The part of block J in x ← U⁻¹x."""
    first, o = blocks.row[J], blocks.diagonal[J]
    for p in range(blocks.below[J], blocks.below[J + 1]):
        I, oI = blocks.below_block[p], blocks.below_offset[p]
        for i in range(blocks.row[I + 1] - blocks.row[I]):
            t = x[blocks.row[I] + i]
            for k in range(n):
                x[first + k] -= U[oI + i * n + k] * t
    for k in range(n):
        y[first + k] = x[first + k]
    for i in range(n):
        s = 0.0
        for k in range(n):
            s += A[o + i * n + k] * y[first + k]
        x[first + i] = s


@njit
def solve_lu(blocks, A, U, x, y):
    """x ← (L U)⁻¹ x with the factors of `factor_lu`; y is scratch."""
    last = blocks.diagonal.shape[0]
    for J in range(last):
        n = blocks.row[J + 1] - blocks.row[J]
        if n == BODY_UNKNOWNS:
            forward_lu(blocks, A, x, J, BODY_UNKNOWNS)
        elif n == HINGE_ROWS:
            forward_lu(blocks, A, x, J, HINGE_ROWS)
        elif n == BALL_ROWS:
            forward_lu(blocks, A, x, J, BALL_ROWS)
        else:
            forward_lu(blocks, A, x, J, n)
    for J in range(last - 1, -1, -1):
        n = blocks.row[J + 1] - blocks.row[J]
        if n == BODY_UNKNOWNS:
            backward_lu(blocks, A, U, x, y, J, BODY_UNKNOWNS)
        elif n == HINGE_ROWS:
            backward_lu(blocks, A, U, x, y, J, HINGE_ROWS)
        elif n == BALL_ROWS:
            backward_lu(blocks, A, U, x, y, J, BALL_ROWS)
        else:
            backward_lu(blocks, A, U, x, y, J, n)
