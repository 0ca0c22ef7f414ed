"""Panels of small changes through the parts of a stage: kicks, drift, rows.

With E = h B₀ (I + x̂) K⁻¹ B₀ᵀ, x the Cayley vector of the drift, K the matrix of Newton's method for it (spin.py), and
l = B L⁺ the angular momentum in world axes, the drift is, in the frames of tangent_arrays.py,

    δa₁ = δa₀ + (h/m) δp⁺,     δφ₁ = δφ₀ + E δl⁺,     δp⁻ = δp⁺,     δl⁻ = δl⁺ + l × E δl⁺.                          (1)

A panel has a row for each number of each body (6n, m), or for each constraint (r, m), and a column for each change, so
that the loops over columns are contiguous.
"""

from __future__ import annotations

from .._jit import njit
from .coordinates import to_world
from .potential import to_body
from .spin import solve_cayley


@njit
def rotate_entries(blocks, B, G, W):
    """W: the Jacobian entries G with torques in world axes."""
    for J in range(blocks.side.shape[0] - 1):
        n = blocks.row[J + 1] - blocks.row[J]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            b, e = blocks.side_body[s], blocks.side_entry[s]
            for k in range(e, e + n):
                for m in range(3):
                    W[k, m] = G[k, m]
                W[k, 3], W[k, 4], W[k, 5] = to_world(B, b, (G[k, 3], G[k, 4], G[k, 5]))


@njit
def divide_by_masses(bodies, blocks, B, W, V):
    """V = W M⁻¹, entries in world axes."""
    for J in range(blocks.side.shape[0] - 1):
        n = blocks.row[J + 1] - blocks.row[J]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            b, e = blocks.side_body[s], blocks.side_entry[s]
            i = bodies.inverse_inertia[b]
            for k in range(e, e + n):
                for m in range(3):
                    V[k, m] = bodies.inverse_mass[b] * W[k, m]
                t = to_body(B, b, W[k, 3], W[k, 4], W[k, 5])
                V[k, 3], V[k, 4], V[k, 5] = to_world(B, b, (i[0] * t[0], i[1] * t[1], i[2] * t[2]))


@njit
def velocities(bodies, B, p, L, v):
    """v, Ω of all bodies, world axes (n, 6)."""
    for b in range(1, p.shape[0]):
        i = bodies.inverse_inertia[b]
        for m in range(3):
            v[b, m] = bodies.inverse_mass[b] * p[b, m]
        v[b, 3], v[b, 4], v[b, 5] = to_world(B, b, (i[0] * L[b, 0], i[1] * L[b, 1], i[2] * L[b, 2]))


@njit
def drift_derivative(bodies, h, B, L, E, spin):
    """E and l of (1) from the momenta at the start of the drift."""
    for b in range(1, L.shape[0]):
        J, i = bodies.inertia[b], bodies.inverse_inertia[b]
        L0, L1, L2 = L[b, 0], L[b, 1], L[b, 2]
        x, y, z, _ = solve_cayley(J[0], J[1], J[2], i[0], i[1], i[2], L0, L1, L2, h)
        d0, d1, d2 = J[2] - J[1], J[0] - J[2], J[1] - J[0]
        K00, K01, K02 = J[0] - h * L0 * x, d0 * z - h * L0 * y, d0 * y - h * L0 * z
        K10, K11, K12 = d1 * z - h * L1 * x, J[1] - h * L1 * y, d1 * x - h * L1 * z
        K20, K21, K22 = d2 * y - h * L2 * x, d2 * x - h * L2 * y, J[2] - h * L2 * z
        A00, A10, A20 = K11 * K22 - K12 * K21, K12 * K20 - K10 * K22, K10 * K21 - K11 * K20
        c = h / (K00 * A00 + K01 * A10 + K02 * A20)
        rows = (  # h K⁻¹
            (c * A00, c * (K02 * K21 - K01 * K22), c * (K01 * K12 - K02 * K11)),
            (c * A10, c * (K00 * K22 - K02 * K20), c * (K02 * K10 - K00 * K12)),
            (c * A20, c * (K01 * K20 - K00 * K21), c * (K00 * K11 - K01 * K10)),
        )
        for j in range(3):  # column j of E: B (I + x̂) h K⁻¹ Bᵀ e_j
            u = B[b, j, 0], B[b, j, 1], B[b, j, 2]
            w0 = rows[0][0] * u[0] + rows[0][1] * u[1] + rows[0][2] * u[2]
            w1 = rows[1][0] * u[0] + rows[1][1] * u[1] + rows[1][2] * u[2]
            w2 = rows[2][0] * u[0] + rows[2][1] * u[1] + rows[2][2] * u[2]
            w = w0 + y * w2 - z * w1, w1 + z * w0 - x * w2, w2 + x * w1 - y * w0
            E[b, 0, j], E[b, 1, j], E[b, 2, j] = to_world(B, b, w)
        for j in range(3):
            if i[j] == 0.0:  # no inertia about this axis: no torque acts about it
                remove_axis(E[b], B, b, j)
        spin[b, 0], spin[b, 1], spin[b, 2] = to_world(B, b, (L0, L1, L2))


@njit
def remove_axis(E, B, b, j):
    """E without the changes of the angular momentum about the principal axis j."""
    for i in range(3):
        s = E[i, 0] * B[b, 0, j] + E[i, 1] * B[b, 1, j] + E[i, 2] * B[b, 2, j]
        for k in range(3):
            E[i, k] -= s * B[b, k, j]


@njit
def apply_drift(bodies, h, E, spin, x, dq, dp):
    """(1): the impulses x at the start of the drift change dq and dp at its end; dp does not contain x yet."""
    for b in range(1, spin.shape[0]):
        c, e, l = h * bodies.inverse_mass[b], E[b], spin[b]
        e00, e01, e02, e10, e11, e12 = e[0, 0], e[0, 1], e[0, 2], e[1, 0], e[1, 1], e[1, 2]
        e20, e21, e22, l0, l1, l2 = e[2, 0], e[2, 1], e[2, 2], l[0], l[1], l[2]
        r = 6 * b
        for i in range(r, r + 3):
            for k in range(x.shape[1]):
                dq[i, k] += c * x[i, k]
                dp[i, k] += x[i, k]
        for k in range(x.shape[1]):
            x3, x4, x5 = x[r + 3, k], x[r + 4, k], x[r + 5, k]
            w0 = e00 * x3 + e01 * x4 + e02 * x5
            w1 = e10 * x3 + e11 * x4 + e12 * x5
            w2 = e20 * x3 + e21 * x4 + e22 * x5
            dq[r + 3, k] += w0
            dq[r + 4, k] += w1
            dq[r + 5, k] += w2
            dp[r + 3, k] += x3 + l1 * w2 - l2 * w1
            dp[r + 4, k] += x4 + l2 * w0 - l0 * w2
            dp[r + 5, k] += x5 + l0 * w1 - l1 * w0


@njit
def add_rows(y, r, c, A, o, step, count, x, first):
    """y[r] += c Σ_j A[o + step·j] x[first + j], j < count, on the rows of panels: the inner loop of all that follows.
    Six, five and three terms, the usual numbers, share one pass over y."""
    m = y.shape[1]
    if count == 6:
        c0, c1, c2 = c * A[o], c * A[o + step], c * A[o + 2 * step]
        c3, c4, c5 = c * A[o + 3 * step], c * A[o + 4 * step], c * A[o + 5 * step]
        for q in range(m):
            y[r, q] += (
                c0 * x[first, q] + c1 * x[first + 1, q] + c2 * x[first + 2, q]
                + c3 * x[first + 3, q] + c4 * x[first + 4, q] + c5 * x[first + 5, q]
            )  # fmt: skip
    elif count == 5:
        c0, c1, c2 = c * A[o], c * A[o + step], c * A[o + 2 * step]
        c3, c4 = c * A[o + 3 * step], c * A[o + 4 * step]
        for q in range(m):
            y[r, q] += (
                c0 * x[first, q] + c1 * x[first + 1, q] + c2 * x[first + 2, q]
                + c3 * x[first + 3, q] + c4 * x[first + 4, q]
            )  # fmt: skip
    elif count == 3:
        c0, c1, c2 = c * A[o], c * A[o + step], c * A[o + 2 * step]
        for q in range(m):
            y[r, q] += c0 * x[first, q] + c1 * x[first + 1, q] + c2 * x[first + 2, q]
    else:
        for j in range(count):
            c0 = c * A[o + step * j]
            for q in range(m):
                y[r, q] += c0 * x[first + j, q]


@njit
def add_product(body, c, K, x, y):
    """y += c K x, with the blocks K of links in one row (36·links,); panels of bodies (6n, m)."""
    for k in range(body.shape[0]):
        to, of = 6 * body[k, 0], 6 * body[k, 1]
        for i in range(6):
            o = 36 * k + 6 * i
            place = K[o] != 0.0 or K[o + 1] != 0.0 or K[o + 2] != 0.0
            turn = K[o + 3] != 0.0 or K[o + 4] != 0.0 or K[o + 5] != 0.0
            if place:
                add_rows(y, to + i, c, K, o, 1, 6, x, of)
            elif turn:
                add_rows(y, to + i, c, K, o + 3, 1, 3, x, of + 3)


@njit
def add_rates(blocks, c, W, x, u):
    """u += c W x: a row for each constraint, with the entries W in one row (6·entries,)."""
    for J in range(blocks.side.shape[0] - 1):
        first, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            b, e = blocks.side_body[s], blocks.side_entry[s]
            for y in range(n):
                o = 6 * (e + y)
                if W[o] != 0.0 or W[o + 1] != 0.0 or W[o + 2] != 0.0:
                    add_rows(u, first + y, c, W, o, 1, 6, x, 6 * b)
                else:  # rotations only, as all second derivatives of hinges
                    add_rows(u, first + y, c, W, o + 3, 1, 3, x, 6 * b + 3)


@njit
def add_impulses(blocks, c, W, u, x):
    """x += c Wᵀ u."""
    for J in range(blocks.side.shape[0] - 1):
        first, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            b, e = blocks.side_body[s], blocks.side_entry[s]
            for i in range(6):
                add_rows(x, 6 * b + i, c, W, 6 * e + i, 6, n, u, first)


@njit
def copy_panel(x, y):
    """y ← x."""
    for i in range(x.shape[0]):
        for q in range(x.shape[1]):
            y[i, q] = x[i, q]


@njit
def add_sources(source, x):
    """Add the k columns of `source` to the last ones of a panel."""
    first = x.shape[1] - source.shape[1]
    for r in range(source.shape[0]):
        for q in range(source.shape[1]):
            x[r, first + q] += source[r, q]


@njit
def assemble_product(blocks, P, Q, A):
    """A = lower blocks of P Qᵀ."""
    for k in range(A.shape[0]):
        A[k] = 0.0
    for k in range(blocks.pair.shape[0]):
        o, n, m = blocks.pair[k, 0], blocks.pair[k, 1], blocks.pair[k, 2]
        e, d, w = blocks.pair[k, 3], blocks.pair[k, 4], blocks.pair[k, 6]
        for y in range(n):
            for z in range(m):
                s = 0.0
                for i in range(6):
                    s += P[e + y, i] * Q[d + z, i]
                A[o + y * w + z] += s


@njit
def solve_panel(blocks, A, pivot, x):
    """`solve` of sparse.py for the columns of x."""
    last = blocks.diagonal.shape[0]
    for J in range(last):
        first, o = blocks.node[J], blocks.diagonal[J]
        n = blocks.node[J + 1] - first
        for y in range(1, n):
            add_rows(x, first + y, -1.0, A, o + y * n, 1, y, x, first)
        add_below(blocks, A, J, x)
    for J in range(last - 1, -1, -1):
        first, o = blocks.node[J], blocks.diagonal[J]
        n = blocks.node[J + 1] - first
        for z in range(n):
            c = pivot[first + z]
            for q in range(x.shape[1]):
                x[first + z, q] *= c
        add_above(blocks, A, J, x)
        for z in range(n - 2, -1, -1):
            add_rows(x, first + z, -1.0, A, o + (z + 1) * n + z, n, n - 1 - z, x, first + z + 1)


@njit
def add_below(blocks, A, J, x):
    """x_I −= A_IJ x_J for the blocks below the diagonal block J."""
    first, n = blocks.node[J], blocks.node[J + 1] - blocks.node[J]
    for p in range(blocks.below[J], blocks.below[J + 1]):
        I, o = blocks.below_block[p], blocks.below_offset[p]
        for y in range(blocks.node[I + 1] - blocks.node[I]):
            add_rows(x, blocks.node[I] + y, -1.0, A, o + y * n, 1, n, x, first)


@njit
def add_above(blocks, A, J, x):
    """x_J −= A_IJᵀ x_I."""
    first, n = blocks.node[J], blocks.node[J + 1] - blocks.node[J]
    for p in range(blocks.below[J], blocks.below[J + 1]):
        I, o = blocks.below_block[p], blocks.below_offset[p]
        for z in range(n):
            add_rows(x, first + z, -1.0, A, o + z, n, blocks.node[I + 1] - blocks.node[I], x, blocks.node[I])


@njit
def solve_lu_panel(blocks, A, U, x, w):
    """`solve_lu` of sparse_lu.py for the columns of x; w is scratch like x."""
    last = blocks.diagonal.shape[0]
    for J in range(last):
        add_below(blocks, A, J, x)
    for J in range(last - 1, -1, -1):
        first, n, o = blocks.node[J], blocks.node[J + 1] - blocks.node[J], blocks.diagonal[J]
        add_above(blocks, U, J, x)
        for k in range(first, first + n):
            for q in range(x.shape[1]):
                w[k, q] = x[k, q]
                x[k, q] = 0.0
        for i in range(n):
            add_rows(x, first + i, 1.0, A, o + i * n, 1, n, w, first)
