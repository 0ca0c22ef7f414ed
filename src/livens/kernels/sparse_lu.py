"""Sparse LU by blocks, for matrices whose pattern is symmetric and whose numbers are not.

Such are the exact Newton matrix of the position level, G(q₁) M⁻¹ G(q₀)ᵀ, and that of lv.EnergyMomentum. Blocks as in
sparse.py; A holds the diagonal and lower blocks, U the upper blocks, transposed. With D_J the diagonal block of J,

    L_IJ = A_IJ D_J⁻¹,     A_IK −= L_IJ U_JK,     U_KI −= L_KJ U_JI     for I ≥ K below J.                     (1)

Blocks of 3 and 5 unknowns are the usual ones: the same functions are inlined with this number as a constant, so that
the compiler unrolls their loops.
"""

from __future__ import annotations

from .._jit import inline, njit
from .sparse import BALL_ROWS, HINGE_ROWS


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
def transpose_block(P, o, m, n, T, t):
    """The m × n block at o, transposed to t."""
    for y in range(m):
        for k in range(n):
            T[t + k * m + y] = P[o + y * n + k]


@inline
def subtract_product(A, t, P, o, m, T, q, w, n):
    """The m × w block at t of A −= P T, for an m × n block at o and an n × w block at q."""
    for y in range(m):
        for z in range(0, w - 1, 2):  # two columns at a time, which the compiler joins
            c = 0.0
            d = 0.0
            for k in range(n):
                c += P[o + y * n + k] * T[q + k * w + z]
                d += P[o + y * n + k] * T[q + k * w + z + 1]
            c = A[t + y * w + z] - c
            d = A[t + y * w + z + 1] - d
            A[t + y * w + z] = c
            A[t + y * w + z + 1] = d
        if w % 2 == 1:
            c = 0.0
            for k in range(n):
                c += P[o + y * n + k] * T[q + k * w + w - 1]
            A[t + y * w + w - 1] -= c


@inline
def eliminate_column(blocks, A, U, row, begin, q, end, oK, nK, n, u):
    """(1) for all I, and one K of nK unknowns."""
    transpose_block(U, oK, nK, n, row, 0)
    half = row.shape[0] // 2
    transpose_block(A, oK, nK, n, row, half)
    for p in range(q, end):
        I, oI = blocks.below_block[p], blocks.below_offset[p]
        nI = blocks.node[I + 1] - blocks.node[I]
        t = blocks.update[u + (p - begin) * (p - begin + 1) // 2 + q - begin]
        subtract_product(A, t, A, oI, nI, row, 0, nK, n)
        if p > q:
            subtract_product(U, t, U, oI, nI, row, half, nK, n)


@inline
def eliminate_lu(blocks, A, U, row, J, n):
    """(1) for block J of n unknowns."""
    o, u = blocks.diagonal[J], blocks.update_start[J]
    invert_block(A, o, n)
    begin, end = blocks.below[J], blocks.below[J + 1]
    for p in range(begin, end):
        I = blocks.below_block[p]
        multiply_block(A, blocks.below_offset[p], blocks.node[I + 1] - blocks.node[I], n, o, row)
    for q in range(begin, end):
        K, oK = blocks.below_block[q], blocks.below_offset[q]
        nK = blocks.node[K + 1] - blocks.node[K]
        if nK == HINGE_ROWS:
            eliminate_column(blocks, A, U, row, begin, q, end, oK, HINGE_ROWS, n, u)
        elif nK == BALL_ROWS:
            eliminate_column(blocks, A, U, row, begin, q, end, oK, BALL_ROWS, n, u)
        else:
            eliminate_column(blocks, A, U, row, begin, q, end, oK, nK, n, u)


@njit
def factor_lu(blocks, A, U, row):
    """(1) in place: A holds the inverse diagonal blocks and L; `row` is scratch, of two blocks."""
    for J in range(blocks.diagonal.shape[0]):
        n = blocks.node[J + 1] - blocks.node[J]
        if n == HINGE_ROWS:
            eliminate_lu(blocks, A, U, row, J, HINGE_ROWS)
        elif n == BALL_ROWS:
            eliminate_lu(blocks, A, U, row, J, BALL_ROWS)
        else:
            eliminate_lu(blocks, A, U, row, J, n)


@inline
def forward_lu(blocks, A, x, J, n):
    """The part of block J in x ← L⁻¹x."""
    first = blocks.node[J]
    for p in range(blocks.below[J], blocks.below[J + 1]):
        I, oI = blocks.below_block[p], blocks.below_offset[p]
        for i in range(blocks.node[I + 1] - blocks.node[I]):
            s = 0.0
            for k in range(n):
                s += A[oI + i * n + k] * x[first + k]
            x[blocks.node[I] + i] -= s


@inline
def backward_lu(blocks, A, U, x, y, J, n):
    """The part of block J in x ← U⁻¹x."""
    first, o = blocks.node[J], blocks.diagonal[J]
    for p in range(blocks.below[J], blocks.below[J + 1]):
        I, oI = blocks.below_block[p], blocks.below_offset[p]
        for i in range(blocks.node[I + 1] - blocks.node[I]):
            t = x[blocks.node[I] + i]
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
        n = blocks.node[J + 1] - blocks.node[J]
        if n == HINGE_ROWS:
            forward_lu(blocks, A, x, J, HINGE_ROWS)
        elif n == BALL_ROWS:
            forward_lu(blocks, A, x, J, BALL_ROWS)
        else:
            forward_lu(blocks, A, x, J, n)
    for J in range(last - 1, -1, -1):
        n = blocks.node[J + 1] - blocks.node[J]
        if n == HINGE_ROWS:
            backward_lu(blocks, A, U, x, y, J, HINGE_ROWS)
        elif n == BALL_ROWS:
            backward_lu(blocks, A, U, x, y, J, BALL_ROWS)
        else:
            backward_lu(blocks, A, U, x, y, J, n)
