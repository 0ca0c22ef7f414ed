"""The matrix of the constraints, S = G M⁻¹ Gᵀ, and its sparse LDLᵀ by blocks of one joint each.

Blocks are in the order of elimination. Block J has its diagonal block and the blocks below it (fill included, found
once in ordering.py), row-major. With D_J = ℓ δ ℓᵀ its diagonal block,

    Z_IJ = A_IJ ℓ⁻ᵀ,    A_IK −= Z_IJ δ⁻¹ Z_KJᵀ   for I ≥ K below J,    L_IJ = Z_IJ δ⁻¹                       (1)

Blocks of 3 and of 5 rows, ball joints and hinges, are the usual ones: the same functions are inlined with this number
as a constant, so that the compiler unrolls their loops.
"""

from __future__ import annotations

from .._jit import inline, njit

BALL_ROWS, HINGE_ROWS = 3, 5  # rows of the usual blocks
TINY = 1e-15  # a pivot below this part of its diagonal entry is round-off: the row is redundant


@inline
def add_product(A, P, Q, o, w, n, m, e, d, half, im, i0, i1, i2):
    """The n × m block at o, in rows of w numbers, += P M⁻¹ Qᵀ, for the entries of one body from e in P and d in Q."""
    for y in range(n):
        f0, f1, f2 = im * P[e + y, 0], im * P[e + y, 1], im * P[e + y, 2]
        t0, t1, t2 = i0 * P[e + y, 3], i1 * P[e + y, 4], i2 * P[e + y, 5]
        for z in range(y + 1 if half else m):
            A[o + y * w + z] += (
                f0 * Q[d + z, 0] + f1 * Q[d + z, 1] + f2 * Q[d + z, 2]
                + t0 * Q[d + z, 3] + t1 * Q[d + z, 4] + t2 * Q[d + z, 5]
            )  # fmt: skip


@njit
def assemble(bodies, blocks, P, Q, half, A):
    """A = lower blocks of P M⁻¹ Qᵀ, for Jacobians P and Q; with P = Q = G this is S, and `half` of its diagonal
    blocks is enough."""
    for k in range(A.shape[0]):
        A[k] = 0.0
    for k in range(blocks.pair.shape[0]):
        o, n, m = blocks.pair[k, 0], blocks.pair[k, 1], blocks.pair[k, 2]
        e, d, b, w = blocks.pair[k, 3], blocks.pair[k, 4], blocks.pair[k, 5], blocks.pair[k, 6]
        if half and d > e:
            continue
        im = bodies.inverse_mass[b]
        i0, i1, i2 = bodies.inverse_inertia[b, 0], bodies.inverse_inertia[b, 1], bodies.inverse_inertia[b, 2]
        if n == BALL_ROWS and m == BALL_ROWS:
            add_product(A, P, Q, o, w, BALL_ROWS, BALL_ROWS, e, d, half and e == d, im, i0, i1, i2)
        elif n == HINGE_ROWS and m == HINGE_ROWS:
            add_product(A, P, Q, o, w, HINGE_ROWS, HINGE_ROWS, e, d, half and e == d, im, i0, i1, i2)
        else:
            add_product(A, P, Q, o, w, n, m, e, d, half and e == d, im, i0, i1, i2)


@njit
def add_compliance(rows, blocks, shift, h, S, diagonal):
    """Add the compliance 2/(h c) of dampers and the relative shift of redundant rows to the diagonal of S, and copy the
    diagonal."""
    for J in range(blocks.diagonal.shape[0]):
        n = blocks.node[J + 1] - blocks.node[J]
        for y in range(n):
            k = blocks.diagonal[J] + y * n + y
            S[k] += shift * rows.metric[blocks.node[J] + y]
            c = rows.rate[blocks.node[J] + y]
            if c > 0.0:
                S[k] += 2.0 / (h * c)
            diagonal[blocks.node[J] + y] = S[k]


@njit
def remove_dampers(blocks, S, H):
    """H = S without the dampers: their rows and columns become those of the identity."""
    for k in range(S.shape[0]):
        H[k] = S[k]
    for J in range(blocks.diagonal.shape[0]):
        n = blocks.node[J + 1] - blocks.node[J]
        if blocks.node_soft[J] == 1:
            for y in range(n):
                for z in range(n):
                    H[blocks.diagonal[J] + y * n + z] = 1.0 if y == z else 0.0
        for k in range(blocks.below[J], blocks.below[J + 1]):
            I = blocks.below_block[k]
            if blocks.node_soft[J] == 1 or blocks.node_soft[I] == 1:
                for y in range((blocks.node[I + 1] - blocks.node[I]) * n):
                    H[blocks.below_offset[k] + y] = 0.0


@inline
def factor_block(A, o, n, pivot, first, tiny):
    """ℓ δ ℓᵀ of the n × n block at o, in place; `pivot` has the diagonal of S on entry and 1/δ on return. Returns the
    largest diagonal entry over its pivot."""
    most = 1.0
    for z in range(n):
        d = A[o + z * n + z]
        for k in range(z):
            l = A[o + z * n + k]
            d -= l * l * pivot[first + k]
        whole = pivot[first + z]
        pivot[first + z] = 1.0 / d if d > tiny * whole else 0.0
        most = max(most, whole * pivot[first + z] if d > tiny * whole else 1e300)
        for y in range(z + 1, n):
            s = A[o + y * n + z]
            for k in range(z):
                s -= A[o + y * n + k] * pivot[first + k] * A[o + z * n + k]
            A[o + y * n + z] = s
    for z in range(1, n):
        for k in range(z):
            A[o + z * n + k] *= pivot[first + k]
    return most


@inline
def reduce_block(A, oI, nI, o, n):
    """Z = A ℓ⁻ᵀ for the nI × n block at oI below the diagonal block at o."""
    for y in range(nI):
        r = oI + y * n
        for z in range(1, n):
            s = A[r + z]
            l = o + z * n
            for k in range(z):
                s -= A[r + k] * A[l + k]
            A[r + z] = s


@inline
def update_diagonal(A, t, oI, nI, n, pivot, first):
    """The lower half of A_II −= Z δ⁻¹ Zᵀ at t, and Z becomes L = Z δ⁻¹."""
    for y in range(nI - 1, -1, -1):  # from the last row up, so that the rows it meets are not scaled yet
        r = oI + y * n
        d = 0.0
        for k in range(n):
            l = A[r + k] * pivot[first + k]
            d += l * A[r + k]
            A[r + k] = l
        A[t + y * nI + y] -= d
        for z in range(y):
            s = 0.0
            for k in range(n):
                s += A[r + k] * A[oI + z * n + k]
            A[t + y * nI + z] -= s


@inline
def update_below(A, t, oI, nI, oK, nK, n):
    """A_IK −= Z_I L_Kᵀ at t, with L_K scaled already."""
    for y in range(nI):
        r = oI + y * n
        for z in range(nK):
            q = oK + z * n
            s = 0.0
            for k in range(n):
                s += A[r + k] * A[q + k]
            A[t + y * nK + z] -= s


@inline
def eliminate(blocks, A, pivot, tiny, J, first, n):
    """(1) for block J of n rows, which begin with row `first`."""
    o = blocks.diagonal[J]
    most = factor_block(A, o, n, pivot, first, tiny)
    begin, end = blocks.below[J], blocks.below[J + 1]
    u = blocks.update_start[J]
    for p in range(begin, end):
        I, oI = blocks.below_block[p], blocks.below_offset[p]
        nI = blocks.node[I + 1] - blocks.node[I]
        if nI == n:
            reduce_block(A, oI, n, o, n)
        else:
            reduce_block(A, oI, nI, o, n)
        for q in range(begin, p):
            K, oK = blocks.below_block[q], blocks.below_offset[q]
            nK = blocks.node[K + 1] - blocks.node[K]
            if nK == n:
                update_below(A, blocks.update[u], oI, nI, oK, n, n)
            else:
                update_below(A, blocks.update[u], oI, nI, oK, nK, n)
            u += 1
        if nI == n:
            update_diagonal(A, blocks.update[u], oI, n, n, pivot, first)
        else:
            update_diagonal(A, blocks.update[u], oI, nI, n, pivot, first)
        u += 1
    return most


@njit
def factor(blocks, A, pivot, tiny):
    """LDLᵀ of the blocks in A by (1), in place; `pivot` gets the reciprocal pivots, zero for those below `tiny` of
    their diagonal entry: redundant rows. Returns the largest diagonal entry over its pivot."""
    most = 1.0
    for J in range(blocks.diagonal.shape[0]):
        n = blocks.node[J + 1] - blocks.node[J]
        for z in range(n):
            pivot[blocks.node[J] + z] = A[blocks.diagonal[J] + z * n + z]
    for J in range(blocks.diagonal.shape[0]):
        first = blocks.node[J]
        n = blocks.node[J + 1] - first
        if n == BALL_ROWS:
            ratio = eliminate(blocks, A, pivot, tiny, J, first, BALL_ROWS)
        elif n == HINGE_ROWS:
            ratio = eliminate(blocks, A, pivot, tiny, J, first, HINGE_ROWS)
        else:
            ratio = eliminate(blocks, A, pivot, tiny, J, first, n)
        most = max(most, ratio)
    return most


@inline
def forward(blocks, A, x, J, first, n):
    """The part of block J in x ← L⁻¹x."""
    o = blocks.diagonal[J]
    for y in range(1, n):
        s = x[first + y]
        for z in range(y):
            s -= A[o + y * n + z] * x[first + z]
        x[first + y] = s
    for p in range(blocks.below[J], blocks.below[J + 1]):
        I, oI = blocks.below_block[p], blocks.below_offset[p]
        for y in range(blocks.node[I + 1] - blocks.node[I]):
            s = 0.0
            for z in range(n):
                s += A[oI + y * n + z] * x[first + z]
            x[blocks.node[I] + y] -= s


@inline
def backward(blocks, A, pivot, x, J, first, n):
    """The part of block J in x ← L⁻ᵀ δ⁻¹ x."""
    o = blocks.diagonal[J]
    for z in range(n):
        x[first + z] *= pivot[first + z]
    for p in range(blocks.below[J], blocks.below[J + 1]):
        I, oI = blocks.below_block[p], blocks.below_offset[p]
        for y in range(blocks.node[I + 1] - blocks.node[I]):
            t = x[blocks.node[I] + y]
            for z in range(n):
                x[first + z] -= A[oI + y * n + z] * t
    for y in range(n - 1, 0, -1):
        t = x[first + y]
        for z in range(y):
            x[first + z] -= A[o + y * n + z] * t


@njit
def solve(blocks, A, pivot, x):
    """x ← S⁻¹x with the factors in A and their reciprocal pivots."""
    last = blocks.diagonal.shape[0]
    for J in range(last):
        first = blocks.node[J]
        n = blocks.node[J + 1] - first
        if n == BALL_ROWS:
            forward(blocks, A, x, J, first, BALL_ROWS)
        elif n == HINGE_ROWS:
            forward(blocks, A, x, J, first, HINGE_ROWS)
        else:
            forward(blocks, A, x, J, first, n)
    for J in range(last - 1, -1, -1):
        first = blocks.node[J]
        n = blocks.node[J + 1] - first
        if n == BALL_ROWS:
            backward(blocks, A, pivot, x, J, first, BALL_ROWS)
        elif n == HINGE_ROWS:
            backward(blocks, A, pivot, x, J, first, HINGE_ROWS)
        else:
            backward(blocks, A, pivot, x, J, first, n)
