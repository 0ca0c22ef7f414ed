"""Contact problems with Coulomb friction, w = A z + w₀ for the impulses z and the rates w of the contacts:

    0 ≤ z_n ⟂ w_n ≥ 0,      −w_t ∈ N(z_t; disc of radius μ z_n)                                            (1)

that is: a contact pushes only while it is closed; it sticks, or it slips against the friction μ z_n. With r > 0, (1) is

    z_n = max(0, z_n − r w_n),      z_t = projection of z_t − r w_t onto the disc of radius μ z_n           (2)

which Newton's method solves in a few iterations (Alart & Curnier 1991), exactly: there is no regularisation. A has the
joints eliminated (matrix.py). Redundant rows, and those that the joints hold, get a `SHIFT` in Newton's matrix,
relative to G M⁻¹ Gᵀ; it changes the path to the solution and not the solution. Where Newton cycles, sweeps of
Gauss–Seidel lead to another start. More contacts of free bodies than there is room for are solved by Gauss–Seidel
alone, without a matrix.                                                                                    (3)

While the direction of slip turns, friction over a step is the mean of both ends (contact_levels.py). With the direction
d₀ of the slip at the start, l = −½ d₀, the second line of (1) becomes

    −w_t ∈ N(z_t; disc of radius (1 − |l|) μ z_n about l μ z_n)                                              (4)

Resistance (resistance.py) has a disc too, and an interval instead of the normal; both have the size of the normal
impulse of another contact, its parent. The interval of dry friction in a joint has a fixed size.
Both matrices are zero outside a band: A[i, j] = 0 for |i − j| > table[WIDTH, 0], D for |i − j| > table[WIDTH, 1].
"""

from __future__ import annotations

import math

from ..._jit import njit
from ..dense import factor_band, factor_positive_band, solve_band, solve_positive_band
from ..kinds import DRY_FRICTION
from .arrays import (
    BEST,
    BLOCK,
    COULOMB,
    FIRST_ROW,
    FREE_RATES,
    HELD,
    IMPULSES,
    KIND,
    LEAN,
    LIMIT,
    PARENT_OF,
    PLACED,
    RATES,
    RESIDUALS,
    SELECT,
    SWEPT,
    TWIST,
    WIDTH,
)
from .resistance import has_gap, has_patch, shares_friction
from .sweeps import SHIFT, sweep_dense

CONE_ITERATIONS = 25  # iterations before Gauss–Seidel sweeps
CYCLES = 8  # iterations without a smaller residual, after which Newton's method cycles
ATTEMPTS = 6
OPEN, STUCK, SLIPS = 0, 1, 2  # states of a row


@njit
def friction_rows(mu):
    """Rows of a contact: a frictionless one has its normal only."""
    return 3 if mu > 0.0 else 1


@njit
def add_product(A, n, band, f, z, w):
    """w ← w + f A z with the symmetric matrix A: rows as columns, so that the inner loop is one of vectors."""
    for k in range(n):
        y = f * z[k]
        if y != 0.0:
            first, end = max(0, k - band), min(n, k + band + 1)
            column, rates = A[k * n + first : k * n + end], w[first:end]
            for i in range(end - first):
                rates[i] += y * column[i]


@njit
def rates_of_impulses(A, n, band, z, w0, w):
    """w = A z + w₀."""
    for i in range(n):
        w[i] = w0[i]
    add_product(A, n, band, 1.0, z, w)


@njit
def open_rows(points, c, D, z, F, state, n, first, last):
    """Rows whose impulses are zero. Returns the largest residual."""
    worst = 0.0
    for k in range(first, last):
        w = points.matrix[BLOCK, c, k - first, k - first]
        F[k] = z[k] * w
        D[k * n + k] = w
        state[k] = OPEN
        worst = max(worst, abs(F[k]))
    return worst


@njit
def stick_row(A, D, w, F, state, n, band, N, shift):
    """A row whose rate is zero."""
    F[N], state[N] = w[N], STUCK
    first, end = N * n + max(0, N - band), N * n + min(n, N + band + 1)
    row, given = D[first:end], A[first:end]
    for k in range(end - first):
        row[k] = given[k]
    D[N * n + N] += shift
    return abs(F[N])


@njit
def interval_row(A, D, z, w, F, state, n, band, N, shift, mu, source, b, y):
    """Row N with the interval |z| ≤ μ y, where y = z − w/b is that of the row `source`; a fixed interval if that is −1.
    Returns the residual."""
    a = A[N * n + N] + shift
    x, limit = z[N] - w[N] / a, mu * y
    if abs(x) <= limit:
        return stick_row(A, D, w, F, state, n, band, N, shift)
    sign = 1.0 if x > 0.0 else -1.0
    F[N], state[N] = (z[N] - sign * limit) * a, SLIPS
    if source >= 0:
        c = mu * sign * a
        for k in range(max(0, source - band), min(n, source + band + 1)):
            D[N * n + k] = c / b * A[source * n + k]
        D[N * n + source] -= c
    D[N * n + N] += a
    return abs(F[N])


@njit
def disc_rows(A, D, z, w, F, state, n, band, T, shift1, shift2, mu, l1, l2, source, b, y):
    """Rows T and T + 1 with the disc |z − l μ y| ≤ (1 − |l|) μ y of (4), where y = z − w/b is that of the row `source`.
    Returns the residual."""
    U = T + 1
    rest = 1.0 - math.sqrt(l1 * l1 + l2 * l2)
    r = 2.0 / (A[T * n + T] + A[U * n + U] + shift1 + shift2)
    y1, y2, limit = z[T] - r * w[T] - l1 * mu * y, z[U] - r * w[U] - l2 * mu * y, rest * mu * y
    s = math.sqrt(y1 * y1 + y2 * y2)
    if s <= limit:
        return max(stick_row(A, D, w, F, state, n, band, T, shift1), stick_row(A, D, w, F, state, n, band, U, shift2))
    e1, e2, f = y1 / s, y2 / s, limit / s
    state[T], state[U] = SLIPS, SLIPS
    F[T], F[U] = (z[T] - l1 * mu * y - limit * e1) / r, (z[U] - l2 * mu * y - limit * e2) / r
    p11, p12, p22 = f * (1.0 - e1 * e1), -f * e1 * e2, f * (1.0 - e2 * e2)
    c = mu / (b * r)
    g1, g2 = l1 + rest * e1, l2 + rest * e2
    g1, g2 = g1 - (p11 * l1 + p12 * l2), g2 - (p12 * l1 + p22 * l2)  # the centre moves with y, too
    first, end = max(0, T - band), min(n, U + band + 1)
    DT, DU = D[T * n + first : T * n + end], D[U * n + first : U * n + end]
    AT, AU = A[T * n + first : T * n + end], A[U * n + first : U * n + end]
    for k in range(end - first):
        DT[k] = p11 * AT[k] + p12 * AU[k]
        DU[k] = p12 * AT[k] + p22 * AU[k]
    first, end = max(0, source - band), min(n, source + band + 1)
    DT, DU = D[T * n + first : T * n + end], D[U * n + first : U * n + end]
    AS = A[source * n + first : source * n + end]
    for k in range(end - first):
        DT[k] += c * g1 * AS[k]
        DU[k] += c * g2 * AS[k]
    D[T * n + T] += (1.0 - p11) / r
    D[U * n + U] += (1.0 - p22) / r
    D[T * n + U] -= p12 / r
    D[U * n + T] -= p12 / r
    D[T * n + source] -= mu * g1 / r
    D[U * n + source] -= mu * g2 / r
    return max(abs(F[T]), abs(F[U]))


@njit
def ball_rows(A, D, z, w, F, state, n, band, T, M, shift, mu, l1, l2, l3, source, b, y):
    """Rows T, T + 1 and M with the ball |z − l μ y| ≤ (1 − |l|) μ y, where y = z − w/b is that of the row `source`: (3)
    of resistance.py. Returns the residual."""
    U = T + 1
    rest = 1.0 - math.sqrt(l1 * l1 + l2 * l2 + l3 * l3)
    r = 3.0 / (A[T * n + T] + A[U * n + U] + A[M * n + M] + 3.0 * shift)
    y1, y2, y3 = z[T] - r * w[T] - l1 * mu * y, z[U] - r * w[U] - l2 * mu * y, z[M] - r * w[M] - l3 * mu * y
    s, limit = math.sqrt(y1 * y1 + y2 * y2 + y3 * y3), rest * mu * y
    along = (l1 * y1 + l2 * y2 + l3 * y3) / s if s > 0.0 else 0.0
    worst = 0.0
    for i in range(3):
        I = T if i == 0 else U if i == 1 else M
        if s <= limit:
            worst = max(worst, stick_row(A, D, w, F, state, n, band, I, shift))
            continue
        state[I] = SLIPS
        e, l = (y1 if i == 0 else y2 if i == 1 else y3) / s, l1 if i == 0 else l2 if i == 1 else l3
        F[I] = (z[I] - l * mu * y - limit * e) / r
        g = l + rest * e - limit / s * (l - e * along)
        worst = max(worst, abs(F[I]))
        for j in range(3):
            J = T if j == 0 else U if j == 1 else M
            p = -limit / s * e * (y1 if j == 0 else y2 if j == 1 else y3) / s
            if i == j:
                p += limit / s
                D[I * n + I] += 1.0 / r
            D[I * n + J] -= p / r
            for k in range(max(0, J - band), min(n, J + band + 1)):
                D[I * n + k] += p * A[J * n + k]
        for k in range(max(0, source - band), min(n, source + band + 1)):
            D[I * n + k] += mu * g / (b * r) * A[source * n + k]
        D[I * n + source] -= mu * g / r
    return worst


@njit
def newton_matrix(points, cone, m, n):
    """Residuals F of (2) as velocities, and Newton's matrix D; cone.order gets the states of the rows. Returns the
    largest residual."""
    A, D, z, w, F, state = cone.A, cone.D, cone.row[IMPULSES], cone.row[RATES], cone.row[RESIDUALS], cone.order
    worst, band, wide = 0.0, cone.table[WIDTH, 0], 2 * cone.table[WIDTH, 1]
    for i in range(n):
        row = D[i * n + max(0, i - wide) : i * n + min(n, i + wide + 1)]
        for k in range(row.shape[0]):
            row[k] = 0.0
    for q in range(m):
        c, N, last = cone.table[SELECT, q], cone.table[FIRST_ROW, q], cone.table[FIRST_ROW, q + 1]
        W = points.matrix[BLOCK, c]
        if points.table[KIND, c] == DRY_FRICTION:
            limit = points.number[LIMIT, c]
            worst = max(worst, interval_row(A, D, z, w, F, state, n, band, N, SHIFT * W[0, 0], limit, -1, 1.0, 1.0))
            continue
        source, own = N, c
        if not has_gap(points, c):
            own = points.table[PARENT_OF, c]
            source = cone.table[FIRST_ROW, cone.table[PLACED, own]]
        b = A[source * n + source] + SHIFT * points.matrix[BLOCK, own, 0, 0]
        y = z[source] - w[source] / b
        if y <= 0.0:
            worst = max(worst, open_rows(points, c, D, z, F, state, n, N, last))
            continue
        if source == N:
            worst = max(worst, stick_row(A, D, w, F, state, n, band, N, SHIFT * W[0, 0]))
        elif shares_friction(points, c):
            mu = points.number[COULOMB, own]
            l1, l2, l3 = points.vector[LEAN, own, 1], points.vector[LEAN, own, 2], points.vector[LEAN, c, 0]
            shift = SHIFT * W[0, 0]
            residual = ball_rows(A, D, z, w, F, state, n, band, source + 1, N, shift, mu, l1, l2, l3, source, b, y)
            worst = max(worst, residual)
        else:
            twist = points.number[TWIST, c]
            worst = max(worst, interval_row(A, D, z, w, F, state, n, band, N, SHIFT * W[0, 0], twist, source, b, y))
        if last > N + 1 and not has_patch(points, c):
            mu, s1, s2 = points.number[COULOMB, c], SHIFT * W[1, 1], SHIFT * W[2, 2]
            l1, l2 = points.vector[LEAN, c, 1], points.vector[LEAN, c, 2]
            worst = max(worst, disc_rows(A, D, z, w, F, state, n, band, N + 1, s1, s2, mu, l1, l2, source, b, y))
    return worst


@njit
def solve_newton(cone, n):
    """The residuals become the change of the impulses. Rows that are open or stick have a symmetric positive matrix,
    once the open ones, whose impulses become zero, are eliminated. False if the matrix is singular."""
    A, D, x, state, band = cone.A, cone.D, cone.row[RESIDUALS], cone.order, cone.table[WIDTH, 0]
    slips = False
    for k in range(n):
        slips = slips or state[k] == SLIPS
    if slips:
        if not factor_band(D, n, cone.table[WIDTH, 1], cone.order):
            return False
        solve_band(D, n, cone.table[WIDTH, 1], cone.order, x)
        return True
    for k in range(n):
        if state[k] == OPEN:
            x[k] /= D[k * n + k]
            D[k * n + k] = 1.0
            for i in range(max(0, k - band), min(n, k + band + 1)):
                if state[i] == STUCK:
                    x[i] -= A[i * n + k] * x[k]
                    D[i * n + k] = 0.0
    if not factor_positive_band(D, n, band):
        return False
    solve_positive_band(D, n, band, x)
    return True


@njit
def newton(points, cone, m, n, tolerance):
    """Newton's method for (2) from the impulses in `cone`, which become the best ones found. Returns
    the residual [m/s]."""
    best, since = 1e300, 0
    for _ in range(CONE_ITERATIONS):
        rates_of_impulses(
            cone.A, n, cone.table[WIDTH, 0], cone.row[IMPULSES], cone.row[FREE_RATES], cone.row[RATES]
        )  # fmt: skip
        worst = newton_matrix(points, cone, m, n)
        since += 1
        if worst < best:
            best, since = worst, 0
            copy_row(cone.row, IMPULSES, BEST, n)
        if worst <= tolerance or not worst < 1e300 or since == CYCLES:
            break
        if not solve_newton(cone, n):
            break
        for i in range(n):
            cone.row[IMPULSES, i] -= cone.row[RESIDUALS, i]
    copy_row(cone.row, BEST, IMPULSES, n)
    return best


@njit
def copy_row(rows, source, target, n):
    for i in range(n):
        rows[target, i] = rows[source, i]


@njit
def solve_dense_cone(points, cone, m, n, tolerance):
    """Solve (1) for the impulses of the m selected contacts with n rows. Returns the residual [m/s]."""
    best = newton(points, cone, m, n, tolerance)
    if best > tolerance:
        copy_row(cone.row, IMPULSES, SWEPT, n)
    for _ in range(ATTEMPTS):
        if best <= tolerance:
            break
        copy_row(cone.row, IMPULSES, HELD, n)
        copy_row(cone.row, SWEPT, IMPULSES, n)
        sweep_dense(points, cone, m, n)
        copy_row(cone.row, IMPULSES, SWEPT, n)  # the sweeps go on where they ended, whatever Newton's method finds
        found = newton(points, cone, m, n, tolerance)
        if found < best:
            best = found
        else:
            copy_row(cone.row, HELD, IMPULSES, n)
    return best
