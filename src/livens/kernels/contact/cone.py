"""Contact problems with Coulomb friction, w = A z + w₀ for the impulses z and the rates w of the contacts:

    0 ≤ z_n ⟂ w_n ≥ 0,      −w_t ∈ N(z_t; disc of radius μ z_n)                                            (1)

that is: a contact pushes only while it is closed; it sticks, or it slips against the friction μ z_n. With r > 0, (1) is

    z_n = max(0, z_n − r w_n),      z_t = projection of z_t − r w_t onto the disc of radius μ z_n           (2)

which Newton's method solves in a few iterations (Alart & Curnier 1991), exactly: there is no regularisation. A has the
joints eliminated (matrix.py). Redundant rows, and those that the joints hold, get a `SHIFT` in Newton's matrix,
relative to G M⁻¹ Gᵀ; it changes the path to the solution and not the solution. Where Newton cycles, sweeps of
Gauss–Seidel lead to another start. More contacts of free bodies than there is room for are solved by Gauss–Seidel
alone, without a matrix.                                                                                    (3)

Resistance (resistance.py) has a disc too, and an interval instead of the normal; both have the size of the normal
impulse of another contact, its parent. The interval of dry friction in a joint has a fixed size.
Both matrices are zero outside a band: A[i, j] = 0 for |i − j| > table[WIDTH, 0], D for |i − j| > table[WIDTH, 1].
"""

from __future__ import annotations

import math

from ..._jit import njit
from ..dense import factor_band, solve_band
from ..kinds import DRY_FRICTION
from .arrays import (
    BEST,
    BIAS,
    BLOCK,
    COULOMB,
    FIRST_ROW,
    FREE_RATES,
    HELD,
    IMPULSES,
    KIND,
    LIMIT,
    ON,
    PARENT_OF,
    PLACED,
    RATES,
    RESIDUALS,
    SELECT,
    TWIST,
    WIDTH,
)
from .features import apply_contact, contact_rate
from .resistance import has_gap

SHIFT = 1e-9  # in Newton's matrix, relative to the row without joints
CONE_ITERATIONS = 25  # iterations before Gauss–Seidel sweeps
SWEEPS = 60  # between two attempts of Newton's method
ATTEMPTS = 4


@njit
def friction_rows(mu):
    """Rows of a contact: a frictionless one has its normal only."""
    return 3 if mu > 0.0 else 1


@njit
def fixed_limits(points, c, parent):
    """The largest impulse along the first row of a contact without a gap, and the radius of its disc, for the normal
    impulse `parent` of its contact."""
    if points.table[KIND, c] == DRY_FRICTION:
        return points.number[LIMIT, c], 0.0
    return points.number[TWIST, c] * parent, points.number[COULOMB, c] * parent


@njit
def local_impulse(points, c, W, parent, n, p1, p2, vn, v1, v2):
    """The new impulse of contact c with the 3 × 3 block W: the first row alone; the tangent by stick if that is within
    the disc, otherwise by one step of (2) with a scalar r, which keeps the direction of slip."""
    mu = points.number[COULOMB, c]
    if has_gap(points, c):
        x = max(0.0, n - vn / W[0, 0])
        limit = mu * x
    else:
        most, limit = fixed_limits(points, c, parent)
        x = min(max(n - vn / W[0, 0], -most), most)
    if mu == 0.0:
        return x, 0.0, 0.0
    v1, v2 = v1 + W[1, 0] * (x - n), v2 + W[2, 0] * (x - n)
    det = W[1, 1] * W[2, 2] - W[1, 2] * W[2, 1]
    y1 = p1 - (W[2, 2] * v1 - W[1, 2] * v2) / det
    y2 = p2 - (W[1, 1] * v2 - W[2, 1] * v1) / det
    if y1 * y1 + y2 * y2 > limit * limit:
        r = 2.0 / (W[1, 1] + W[2, 2] + math.sqrt((W[1, 1] - W[2, 2]) ** 2 + 4.0 * W[1, 2] * W[2, 1]))
        y1, y2 = p1 - r * v1, p2 - r * v2
        s = math.sqrt(y1 * y1 + y2 * y2)
        if s > limit:
            y1, y2 = y1 * limit / s, y2 * limit / s
    return x, y1, y2


@njit
def rates_of_impulses(A, n, band, z, w0, w):
    """w = A z + w₀."""
    for i in range(n):
        s = w0[i]
        for k in range(max(0, i - band), min(n, i + band + 1)):
            s += A[i * n + k] * z[k]
        w[i] = s


@njit
def open_rows(points, c, D, z, F, n, first, last):
    """Rows whose impulses are zero. Returns the largest residual."""
    worst = 0.0
    for k in range(first, last):
        w = points.matrix[BLOCK, c, k - first, k - first]
        F[k] = z[k] * w
        D[k * n + k] = w
        worst = max(worst, abs(F[k]))
    return worst


@njit
def stick_row(A, D, w, F, n, band, N, shift):
    """A row whose rate is zero."""
    F[N] = w[N]
    for k in range(max(0, N - band), min(n, N + band + 1)):
        D[N * n + k] = A[N * n + k]
    D[N * n + N] += shift
    return abs(F[N])


@njit
def interval_row(A, D, z, w, F, n, band, N, shift, mu, source, b, y):
    """Row N with the interval |z| ≤ μ y, where y = z − w/b is that of the row `source`; a fixed interval if that is −1.
    Returns the residual."""
    a = A[N * n + N] + shift
    x, limit = z[N] - w[N] / a, mu * y
    if abs(x) <= limit:
        return stick_row(A, D, w, F, n, band, N, shift)
    sign = 1.0 if x > 0.0 else -1.0
    F[N] = (z[N] - sign * limit) * a
    if source >= 0:
        c = mu * sign * a
        for k in range(max(0, source - band), min(n, source + band + 1)):
            D[N * n + k] = c / b * A[source * n + k]
        D[N * n + source] -= c
    D[N * n + N] += a
    return abs(F[N])


@njit
def disc_rows(A, D, z, w, F, n, band, T, shift1, shift2, mu, source, b, y):
    """Rows T and T + 1 with the disc |z| ≤ μ y, where y = z − w/b is that of the row `source`. Returns the residual."""
    U = T + 1
    r = 2.0 / (A[T * n + T] + A[U * n + U] + shift1 + shift2)
    y1, y2, limit = z[T] - r * w[T], z[U] - r * w[U], mu * y
    s = math.sqrt(y1 * y1 + y2 * y2)
    if s <= limit:
        return max(stick_row(A, D, w, F, n, band, T, shift1), stick_row(A, D, w, F, n, band, U, shift2))
    e1, e2, f = y1 / s, y2 / s, limit / s
    F[T], F[U] = (z[T] - limit * e1) / r, (z[U] - limit * e2) / r
    p11, p12, p22 = f * (1.0 - e1 * e1), -f * e1 * e2, f * (1.0 - e2 * e2)
    c = mu / (b * r)
    for k in range(max(0, T - band), min(n, U + band + 1)):
        D[T * n + k] = p11 * A[T * n + k] + p12 * A[U * n + k]
        D[U * n + k] = p12 * A[T * n + k] + p22 * A[U * n + k]
    for k in range(max(0, source - band), min(n, source + band + 1)):
        D[T * n + k] += c * e1 * A[source * n + k]
        D[U * n + k] += c * e2 * A[source * n + k]
    D[T * n + T] += (1.0 - p11) / r
    D[U * n + U] += (1.0 - p22) / r
    D[T * n + U] -= p12 / r
    D[U * n + T] -= p12 / r
    D[T * n + source] -= mu * e1 / r
    D[U * n + source] -= mu * e2 / r
    return max(abs(F[T]), abs(F[U]))


@njit
def newton_matrix(points, cone, m, n):
    """Residuals F of (2) as velocities, and Newton's matrix D. Returns the largest residual."""
    A, D, z, w, F = cone.A, cone.D, cone.row[IMPULSES], cone.row[RATES], cone.row[RESIDUALS]
    worst, band, wide = 0.0, cone.table[WIDTH, 0], 2 * cone.table[WIDTH, 1]
    for i in range(n):
        for k in range(max(0, i - wide), min(n, i + wide + 1)):
            D[i * n + k] = 0.0
    for q in range(m):
        c, N, last = cone.table[SELECT, q], cone.table[FIRST_ROW, q], cone.table[FIRST_ROW, q + 1]
        W = points.matrix[BLOCK, c]
        if points.table[KIND, c] == DRY_FRICTION:
            limit = points.number[LIMIT, c]
            worst = max(worst, interval_row(A, D, z, w, F, n, band, N, SHIFT * W[0, 0], limit, -1, 1.0, 1.0))
            continue
        source, own = N, c
        if not has_gap(points, c):
            own = points.table[PARENT_OF, c]
            source = cone.table[FIRST_ROW, cone.table[PLACED, own]]
        b = A[source * n + source] + SHIFT * points.matrix[BLOCK, own, 0, 0]
        y = z[source] - w[source] / b
        if y <= 0.0:
            worst = max(worst, open_rows(points, c, D, z, F, n, N, last))
            continue
        if source == N:
            worst = max(worst, stick_row(A, D, w, F, n, band, N, SHIFT * W[0, 0]))
        else:
            twist = points.number[TWIST, c]
            worst = max(worst, interval_row(A, D, z, w, F, n, band, N, SHIFT * W[0, 0], twist, source, b, y))
        if last > N + 1:
            mu, s1, s2 = points.number[COULOMB, c], SHIFT * W[1, 1], SHIFT * W[2, 2]
            worst = max(worst, disc_rows(A, D, z, w, F, n, band, N + 1, s1, s2, mu, source, b, y))
    return worst


@njit
def newton(points, cone, m, n, tolerance):
    """Newton's method for (2) from the impulses in `cone`, which become the best ones found. Returns
    the residual [m/s]."""
    best = 1e300
    for _ in range(CONE_ITERATIONS):
        rates_of_impulses(
            cone.A, n, cone.table[WIDTH, 0], cone.row[IMPULSES], cone.row[FREE_RATES], cone.row[RATES]
        )  # fmt: skip
        worst = newton_matrix(points, cone, m, n)
        if worst < best:
            best = worst
            for i in range(n):
                cone.row[BEST, i] = cone.row[IMPULSES, i]
        if worst <= tolerance or not worst < 1e300:
            break
        if not factor_band(cone.D, n, cone.table[WIDTH, 1], cone.order):
            break
        solve_band(cone.D, n, cone.table[WIDTH, 1], cone.order, cone.row[RESIDUALS])
        for i in range(n):
            cone.row[IMPULSES, i] -= cone.row[RESIDUALS, i]
    for i in range(n):
        cone.row[IMPULSES, i] = cone.row[BEST, i]
    return best


@njit
def sweep_dense(points, cone, m, n):
    """Gauss–Seidel sweeps with the matrix A, from cone.row[IMPULSES]."""
    A, z, w, band = cone.A, cone.row[IMPULSES], cone.row[RATES], cone.table[WIDTH, 0]
    for _ in range(SWEEPS):
        for q in range(m):
            N = cone.table[FIRST_ROW, q]
            rows = cone.table[FIRST_ROW, q + 1] - N
            W = cone.local
            for i in range(rows):
                s = cone.row[FREE_RATES, N + i]
                for k in range(max(0, N + i - band), min(n, N + i + band + 1)):
                    s += A[(N + i) * n + k] * z[k]
                w[N + i] = s
                for k in range(rows):
                    W[i, k] = A[(N + i) * n + N + k]
                W[i, i] += SHIFT * points.matrix[BLOCK, cone.table[SELECT, q], i, i]
            c, parent = cone.table[SELECT, q], 0.0
            if points.table[PARENT_OF, c] >= 0:
                parent = z[cone.table[FIRST_ROW, cone.table[PLACED, points.table[PARENT_OF, c]]]]
            if rows == 1:
                z[N], _, _ = local_impulse(points, c, W, parent, z[N], 0.0, 0.0, w[N], 0.0, 0.0)
            else:
                z[N], z[N + 1], z[N + 2] = local_impulse(
                    points, c, W, parent, z[N], z[N + 1], z[N + 2], w[N], w[N + 1], w[N + 2]
                )


@njit
def solve_dense_cone(points, cone, m, n, tolerance):
    """Solve (1) for the impulses of the m selected contacts with n rows. Returns the residual [m/s]."""
    best = newton(points, cone, m, n, tolerance)
    for _ in range(ATTEMPTS):
        if best <= tolerance:
            break
        for i in range(n):
            cone.row[HELD, i] = cone.row[IMPULSES, i]
        sweep_dense(points, cone, m, n)
        found = newton(points, cone, m, n, tolerance)
        if found < best:
            best = found
        else:
            for i in range(n):
                cone.row[IMPULSES, i] = cone.row[HELD, i]
    return best


@njit
def sweep_free(bodies, points, count, P, p, L, sweeps, tolerance):
    """(3): sweeps forth and back over all contacts that are `on`, of bodies without joints; P, p and L change together.
    Returns (the number of sweeps, the last change as a velocity [m/s])."""
    change = 0.0
    for k in range(sweeps):
        change = 0.0
        for q in range(count):
            c = q if k % 2 == 0 else count - 1 - q
            if points.table[ON, c] == 0:
                continue
            vn = contact_rate(bodies, points.table, points.G, c, 0, p, L) + points.vector[BIAS, c, 0]
            if has_gap(points, c) and P[c, 0] == 0.0 and vn >= 0.0 and P[c, 1] == 0.0 and P[c, 2] == 0.0:
                continue
            parent = P[points.table[PARENT_OF, c], 0] if points.table[PARENT_OF, c] >= 0 else 0.0
            v1, v2 = 0.0, 0.0
            if points.number[COULOMB, c] > 0.0:
                v1 = contact_rate(bodies, points.table, points.G, c, 1, p, L) + points.vector[BIAS, c, 1]
                v2 = contact_rate(bodies, points.table, points.G, c, 2, p, L) + points.vector[BIAS, c, 2]
            x, y1, y2 = local_impulse(points, c, points.matrix[BLOCK, c], parent, P[c, 0], P[c, 1], P[c, 2], vn, v1, v2)
            dx, d1, d2 = x - P[c, 0], y1 - P[c, 1], y2 - P[c, 2]
            apply_contact(points.table, points.G, c, dx, d1, d2, p, L)
            P[c, 0], P[c, 1], P[c, 2] = x, y1, y2
            change = max(
                change,
                abs(dx) * points.matrix[BLOCK, c, 0, 0],
                abs(d1) * points.matrix[BLOCK, c, 1, 1],
                abs(d2) * points.matrix[BLOCK, c, 2, 2],
            )
        if change <= tolerance:
            return k + 1, change
    return sweeps, change
