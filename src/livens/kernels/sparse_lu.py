"""Sparse LU by blocks, for matrices whose pattern is symmetric and whose numbers are not.

Such are the exact Newton matrix of the position level, G(q₁) M⁻¹ G(q₀)ᵀ, and that of lv.EnergyMomentum. Blocks as in
sparse.py; A holds the diagonal and lower blocks, U the upper blocks, transposed. With D_J the diagonal block of J,

    L_IJ = A_IJ D_J⁻¹,     A_IK −= L_IJ U_JK,     U_KI −= L_KJ U_JI     for I ≥ K below J.                     (1)

Blocks of 3 and 5 unknowns are the usual ones: the same functions are inlined with this number as a constant, so that
the compiler unrolls their loops. Sums are local numbers: after a store into A the compiler would read all again.
`& PLACE_BITS` shows it that a place is not negative: otherwise it would test the sign of each one, because negative
places count from the end.
"""

from __future__ import annotations

from .._jit import inline, njit
from .sparse import BALL_ROWS, HINGE_ROWS

PLACE_BITS = (1 << 40) - 1  # all bits that a place may have


@inline
def invert_block(A, o, n):
    """The n × n block at o replaced by its inverse (Gauss–Jordan, largest pivot of the column, n ≤ 8)."""
    o = o & PLACE_BITS
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
    o = o & PLACE_BITS
    for y in range(n):
        r = (oA + y * m) & PLACE_BITS
        if m == BALL_ROWS:
            p0, p1, p2 = A[r], A[r + 1], A[r + 2]
            c0 = p0 * A[o] + p1 * A[o + 3] + p2 * A[o + 6]
            c1 = p0 * A[o + 1] + p1 * A[o + 4] + p2 * A[o + 7]
            c2 = p0 * A[o + 2] + p1 * A[o + 5] + p2 * A[o + 8]
            A[r], A[r + 1], A[r + 2] = c0, c1, c2
        elif m == HINGE_ROWS:
            c0 = c1 = c2 = c3 = c4 = 0.0
            for k in range(m):
                p, t = A[r + k], o + k * m
                c0, c1, c2 = c0 + p * A[t], c1 + p * A[t + 1], c2 + p * A[t + 2]
                c3, c4 = c3 + p * A[t + 3], c4 + p * A[t + 4]
            A[r], A[r + 1], A[r + 2], A[r + 3], A[r + 4] = c0, c1, c2, c3, c4
        else:
            for k in range(m):
                row[k] = A[r + k]
            for z in range(m):
                c = 0.0
                for k in range(m):
                    c += row[k] * A[o + k * m + z]
                A[r + z] = c


@inline
def transpose_block(P, o, m, n, T, t):
    """The m × n block at o, transposed to t."""
    for y in range(m):
        e, f = (o + y * n) & PLACE_BITS, (t + y) & PLACE_BITS
        for k in range(n):
            T[f + k * m] = P[e + k]


@inline
def subtract_product(A, t, P, o, m, T, q, w, n):
    """The m × w block at t of A −= P T, for an m × n block at o and an n × w block at q."""
    q = q & PLACE_BITS
    for y in range(m):
        r, e = (t + y * w) & PLACE_BITS, (o + y * n) & PLACE_BITS
        if w == BALL_ROWS:
            c0, c1, c2 = A[r], A[r + 1], A[r + 2]
            for k in range(n):
                p, f = P[e + k], q + k * w
                c0, c1, c2 = c0 - p * T[f], c1 - p * T[f + 1], c2 - p * T[f + 2]
            A[r], A[r + 1], A[r + 2] = c0, c1, c2
        elif w == HINGE_ROWS:
            c0, c1, c2, c3, c4 = A[r], A[r + 1], A[r + 2], A[r + 3], A[r + 4]
            for k in range(n):
                p, f = P[e + k], q + k * w
                c0, c1, c2 = c0 - p * T[f], c1 - p * T[f + 1], c2 - p * T[f + 2]
                c3, c4 = c3 - p * T[f + 3], c4 - p * T[f + 4]
            A[r], A[r + 1], A[r + 2], A[r + 3], A[r + 4] = c0, c1, c2, c3, c4
        else:
            for z in range(w):
                c = 0.0
                for k in range(n):
                    c += P[e + k] * T[q + k * w + z]
                A[r + z] -= c


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
    first = blocks.node[J] & PLACE_BITS
    x0, x1, x2 = x[first], x[first + 1] if n > 1 else 0.0, x[first + 2] if n > 2 else 0.0
    for p in range(blocks.below[J], blocks.below[J + 1]):
        I, oI = blocks.below_block[p], blocks.below_offset[p]
        to = blocks.node[I] & PLACE_BITS
        for i in range(blocks.node[I + 1] - to):
            r = (oI + i * n) & PLACE_BITS
            if n == BALL_ROWS:
                s = A[r] * x0 + A[r + 1] * x1 + A[r + 2] * x2
            else:
                s = 0.0
                for k in range(n):
                    s += A[r + k] * x[first + k]
            x[(to + i) & PLACE_BITS] -= s


@inline
def backward_lu(blocks, A, U, x, y, J, n):
    """The part of block J in x ← U⁻¹x."""
    first, o = blocks.node[J] & PLACE_BITS, blocks.diagonal[J] & PLACE_BITS
    if n == BALL_ROWS:
        y0, y1, y2 = x[first], x[first + 1], x[first + 2]
        for p in range(blocks.below[J], blocks.below[J + 1]):
            I, oI = blocks.below_block[p], blocks.below_offset[p]
            to = blocks.node[I]
            for i in range(blocks.node[I + 1] - to):
                t, r = x[(to + i) & PLACE_BITS], (oI + i * n) & PLACE_BITS
                y0, y1, y2 = y0 - U[r] * t, y1 - U[r + 1] * t, y2 - U[r + 2] * t
        x[first] = A[o] * y0 + A[o + 1] * y1 + A[o + 2] * y2
        x[first + 1] = A[o + 3] * y0 + A[o + 4] * y1 + A[o + 5] * y2
        x[first + 2] = A[o + 6] * y0 + A[o + 7] * y1 + A[o + 8] * y2
    else:
        for p in range(blocks.below[J], blocks.below[J + 1]):
            I, oI = blocks.below_block[p], blocks.below_offset[p]
            to = blocks.node[I]
            for i in range(blocks.node[I + 1] - to):
                t, r = x[(to + i) & PLACE_BITS], (oI + i * n) & PLACE_BITS
                for k in range(n):
                    x[first + k] -= U[r + k] * t
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
