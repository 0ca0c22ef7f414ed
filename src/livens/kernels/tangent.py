"""Panels of small changes through the parts of a stage: kicks, drift, rows.

With E = h B₀ (I + x̂) K⁻¹ B₀ᵀ, x the Cayley vector of the drift, K the matrix of Newton's method for it (spin.py), and
l = B L⁺ the angular momentum in world axes, the drift is, in the frames of tangent_arrays.py,

    δa₁ = δa₀ + (h/m) δp⁺,     δφ₁ = δφ₀ + E δl⁺,     δp⁻ = δp⁺,     δl⁻ = δl⁺ + l × E δl⁺.                          (1)

Panels are the last axis of every array, so that the loops over it are contiguous.
"""

from __future__ import annotations

from .._jit import njit
from .coordinates import to_world
from .potential import to_body
from .spin import solve_cayley


@njit
def rotate_entries(blocks, B, G, W):
    """W: the Jacobian entries G with torques in world axes."""
    for J in range(blocks.diagonal.shape[0]):
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
    for J in range(blocks.diagonal.shape[0]):
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
    m = x.shape[2]
    for b in range(1, x.shape[0]):
        c, e, l = h * bodies.inverse_mass[b], E[b], spin[b]
        for k in range(m):
            x3, x4, x5 = x[b, 3, k], x[b, 4, k], x[b, 5, k]
            w0 = e[0, 0] * x3 + e[0, 1] * x4 + e[0, 2] * x5
            w1 = e[1, 0] * x3 + e[1, 1] * x4 + e[1, 2] * x5
            w2 = e[2, 0] * x3 + e[2, 1] * x4 + e[2, 2] * x5
            dq[b, 0, k] += c * x[b, 0, k]
            dq[b, 1, k] += c * x[b, 1, k]
            dq[b, 2, k] += c * x[b, 2, k]
            dq[b, 3, k] += w0
            dq[b, 4, k] += w1
            dq[b, 5, k] += w2
            dp[b, 0, k] += x[b, 0, k]
            dp[b, 1, k] += x[b, 1, k]
            dp[b, 2, k] += x[b, 2, k]
            dp[b, 3, k] += x3 + l[1] * w2 - l[2] * w1
            dp[b, 4, k] += x4 + l[2] * w0 - l[0] * w2
            dp[b, 5, k] += x5 + l[0] * w1 - l[1] * w0


@njit
def add_product(body, c, K, x, y):
    """y += c K x, with the blocks K of links."""
    m = x.shape[2]
    for k in range(body.shape[0]):
        to, of = body[k, 0], body[k, 1]
        for i in range(6):
            for j in range(6):
                e = c * K[k, i, j]
                if e != 0.0:
                    for q in range(m):
                        y[to, i, q] += e * x[of, j, q]


@njit
def add_rates(blocks, c, W, x, u):
    """u += c W x: a row for each constraint, with the entries W."""
    m = x.shape[2]
    for J in range(blocks.diagonal.shape[0]):
        first, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            b, e = blocks.side_body[s], blocks.side_entry[s]
            for y in range(n):
                for i in range(6):
                    w = c * W[e + y, i]
                    if w != 0.0:
                        for q in range(m):
                            u[first + y, q] += w * x[b, i, q]


@njit
def add_impulses(blocks, c, W, u, x):
    """x += c Wᵀ u."""
    m = x.shape[2]
    for J in range(blocks.diagonal.shape[0]):
        first, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            b, e = blocks.side_body[s], blocks.side_entry[s]
            for y in range(n):
                for i in range(6):
                    w = c * W[e + y, i]
                    if w != 0.0:
                        for q in range(m):
                            x[b, i, q] += w * u[first + y, q]


@njit
def copy_panel(x, y):
    """y ← x."""
    for b in range(x.shape[0]):
        for i in range(x.shape[1]):
            for q in range(x.shape[2]):
                y[b, i, q] = x[b, i, q]


@njit
def add_sources(source, x):
    """Add the k columns of `source` to the last ones of a panel of bodies."""
    first = x.shape[2] - source.shape[2]
    for b in range(1, source.shape[0]):
        for i in range(6):
            for q in range(source.shape[2]):
                x[b, i, first + q] += source[b, i, q]


@njit
def add_row_sources(source, u):
    """The same for a panel of rows."""
    first = u.shape[1] - source.shape[1]
    for r in range(source.shape[0]):
        for q in range(source.shape[1]):
            u[r, first + q] += source[r, q]


@njit
def assemble_product(blocks, P, Q, A):
    """A = lower blocks of P Qᵀ."""
    for k in range(A.shape[0]):
        A[k] = 0.0
    for k in range(blocks.pair.shape[0]):
        o, n, m = blocks.pair[k, 0], blocks.pair[k, 1], blocks.pair[k, 2]
        e, d = blocks.pair[k, 3], blocks.pair[k, 4]
        for y in range(n):
            for z in range(m):
                s = 0.0
                for i in range(6):
                    s += P[e + y, i] * Q[d + z, i]
                A[o + y * m + z] += s


@njit
def solve_panel(blocks, A, pivot, x):
    """`solve` of sparse.py for the columns of x."""
    last, m = blocks.diagonal.shape[0], x.shape[1]
    for J in range(last):
        first, o = blocks.row[J], blocks.diagonal[J]
        n = blocks.row[J + 1] - first
        for y in range(1, n):
            for z in range(y):
                c = A[o + y * n + z]
                if c != 0.0:
                    for q in range(m):
                        x[first + y, q] -= c * x[first + z, q]
        for p in range(blocks.below[J], blocks.below[J + 1]):
            add_lower(blocks, A, J, p, x)
    for J in range(last - 1, -1, -1):
        first, o = blocks.row[J], blocks.diagonal[J]
        n = blocks.row[J + 1] - first
        for z in range(n):
            c = pivot[first + z]
            for q in range(m):
                x[first + z, q] *= c
        for p in range(blocks.below[J], blocks.below[J + 1]):
            add_upper(blocks, A, J, p, x)
        for y in range(n - 1, 0, -1):
            for z in range(y):
                c = A[o + y * n + z]
                if c != 0.0:
                    for q in range(m):
                        x[first + z, q] -= c * x[first + y, q]


@njit
def add_lower(blocks, A, J, p, x):
    """x_I −= A_IJ x_J for the block p below the diagonal block J."""
    first, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
    I, o = blocks.below_block[p], blocks.below_offset[p]
    for y in range(blocks.row[I + 1] - blocks.row[I]):
        for z in range(n):
            c = A[o + y * n + z]
            if c != 0.0:
                for q in range(x.shape[1]):
                    x[blocks.row[I] + y, q] -= c * x[first + z, q]


@njit
def add_upper(blocks, A, J, p, x):
    """x_J −= A_IJᵀ x_I."""
    first, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
    I, o = blocks.below_block[p], blocks.below_offset[p]
    for y in range(blocks.row[I + 1] - blocks.row[I]):
        for z in range(n):
            c = A[o + y * n + z]
            if c != 0.0:
                for q in range(x.shape[1]):
                    x[first + z, q] -= c * x[blocks.row[I] + y, q]


@njit
def solve_lu_panel(blocks, A, U, x, w):
    """`solve_lu` of sparse.py for the columns of x; w is scratch like x."""
    last, m = blocks.diagonal.shape[0], x.shape[1]
    for J in range(last):
        for p in range(blocks.below[J], blocks.below[J + 1]):
            add_lower(blocks, A, J, p, x)
    for J in range(last - 1, -1, -1):
        first, n, o = blocks.row[J], blocks.row[J + 1] - blocks.row[J], blocks.diagonal[J]
        for p in range(blocks.below[J], blocks.below[J + 1]):
            add_upper(blocks, U, J, p, x)
        for k in range(n):
            for q in range(m):
                w[first + k, q] = x[first + k, q]
                x[first + k, q] = 0.0
        for i in range(n):
            for k in range(n):
                c = A[o + i * n + k]
                for q in range(m):
                    x[first + i, q] += c * w[first + k, q]
