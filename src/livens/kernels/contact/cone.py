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
    LEAN,
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
from .resistance import has_gap, has_patch, shares_friction

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
        if has_patch(points, c):  # its resistance does the rest
            s = math.sqrt(p1 * p1 + p2 * p2)
            f = limit / s if s > limit else 1.0
            return x, f * p1, f * p2
    elif shares_friction(points, c):
        x, limit = n, mu * parent
    else:
        most, limit = fixed_limits(points, c, parent)
        x = min(max(n - vn / W[0, 0], -most), most)
    if mu == 0.0:
        return x, 0.0, 0.0
    l1, l2 = points.vector[LEAN, c, 1] * limit, points.vector[LEAN, c, 2] * limit
    limit -= math.sqrt(l1 * l1 + l2 * l2)
    p1, p2 = p1 - l1, p2 - l2
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
    return x, y1 + l1, y2 + l2


@njit
def ball_impulse(points, own, c, limit, r, z1, z2, z3, v1, v2, v3):
    """One step of (2) for the tangents of contact `own` and the first row of c, which share a ball of this radius."""
    l1, l2, l3 = points.vector[LEAN, own, 1], points.vector[LEAN, own, 2], points.vector[LEAN, c, 0]
    rest = 1.0 - math.sqrt(l1 * l1 + l2 * l2 + l3 * l3)
    l1, l2, l3, limit = l1 * limit, l2 * limit, l3 * limit, rest * limit
    y1, y2, y3 = z1 - r * v1 - l1, z2 - r * v2 - l2, z3 - r * v3 - l3
    s = math.sqrt(y1 * y1 + y2 * y2 + y3 * y3)
    f = limit / s if s > limit else 1.0
    return f * y1 + l1, f * y2 + l2, f * y3 + l3


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
def disc_rows(A, D, z, w, F, n, band, T, shift1, shift2, mu, l1, l2, source, b, y):
    """Rows T and T + 1 with the disc |z − l μ y| ≤ (1 − |l|) μ y of (4), where y = z − w/b is that of the row `source`.
    Returns the residual."""
    U = T + 1
    rest = 1.0 - math.sqrt(l1 * l1 + l2 * l2)
    r = 2.0 / (A[T * n + T] + A[U * n + U] + shift1 + shift2)
    y1, y2, limit = z[T] - r * w[T] - l1 * mu * y, z[U] - r * w[U] - l2 * mu * y, rest * mu * y
    s = math.sqrt(y1 * y1 + y2 * y2)
    if s <= limit:
        return max(stick_row(A, D, w, F, n, band, T, shift1), stick_row(A, D, w, F, n, band, U, shift2))
    e1, e2, f = y1 / s, y2 / s, limit / s
    F[T], F[U] = (z[T] - l1 * mu * y - limit * e1) / r, (z[U] - l2 * mu * y - limit * e2) / r
    p11, p12, p22 = f * (1.0 - e1 * e1), -f * e1 * e2, f * (1.0 - e2 * e2)
    c = mu / (b * r)
    g1, g2 = l1 + rest * e1, l2 + rest * e2
    g1, g2 = g1 - (p11 * l1 + p12 * l2), g2 - (p12 * l1 + p22 * l2)  # the centre moves with y, too
    for k in range(max(0, T - band), min(n, U + band + 1)):
        D[T * n + k] = p11 * A[T * n + k] + p12 * A[U * n + k]
        D[U * n + k] = p12 * A[T * n + k] + p22 * A[U * n + k]
    for k in range(max(0, source - band), min(n, source + band + 1)):
        D[T * n + k] += c * g1 * A[source * n + k]
        D[U * n + k] += c * g2 * A[source * n + k]
    D[T * n + T] += (1.0 - p11) / r
    D[U * n + U] += (1.0 - p22) / r
    D[T * n + U] -= p12 / r
    D[U * n + T] -= p12 / r
    D[T * n + source] -= mu * g1 / r
    D[U * n + source] -= mu * g2 / r
    return max(abs(F[T]), abs(F[U]))


@njit
def ball_rows(A, D, z, w, F, n, band, T, M, shift, mu, l1, l2, l3, source, b, y):
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
            worst = max(worst, stick_row(A, D, w, F, n, band, I, shift))
            continue
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
        elif shares_friction(points, c):
            mu = points.number[COULOMB, own]
            l1, l2, l3 = points.vector[LEAN, own, 1], points.vector[LEAN, own, 2], points.vector[LEAN, c, 0]
            worst = max(
                worst, ball_rows(A, D, z, w, F, n, band, source + 1, N, SHIFT * W[0, 0], mu, l1, l2, l3, source, b, y)
            )
        else:
            twist = points.number[TWIST, c]
            worst = max(worst, interval_row(A, D, z, w, F, n, band, N, SHIFT * W[0, 0], twist, source, b, y))
        if last > N + 1 and not has_patch(points, c):
            mu, s1, s2 = points.number[COULOMB, c], SHIFT * W[1, 1], SHIFT * W[2, 2]
            lean = points.vector[LEAN, c]
            worst = max(worst, disc_rows(A, D, z, w, F, n, band, N + 1, s1, s2, mu, lean[1], lean[2], source, b, y))
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
def share_dense(points, cone, n, c, M):
    """The friction of a patch, whose spinning is contact c with the first row M."""
    A, z, w, band = cone.A, cone.row[IMPULSES], cone.row[RATES], cone.table[WIDTH, 0]
    own = points.table[PARENT_OF, c]
    N = cone.table[FIRST_ROW, cone.table[PLACED, own]]
    for i in range(N + 1, N + 3):
        s = cone.row[FREE_RATES, i]
        for k in range(max(0, i - band), min(n, i + band + 1)):
            s += A[i * n + k] * z[k]
        w[i] = s
    r = 1.0 / (A[(N + 1) * n + N + 1] + A[(N + 2) * n + N + 2] + A[M * n + M])
    limit = points.number[COULOMB, own] * z[N]
    z[N + 1], z[N + 2], z[M] = ball_impulse(
        points, own, c, limit, r, z[N + 1], z[N + 2], z[M], w[N + 1], w[N + 2], w[M]
    )


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
            if shares_friction(points, c):
                share_dense(points, cone, n, c, N)
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
def share_free(bodies, points, c, P, p, L, v):
    """The friction of a patch, whose spinning is contact c with the rate v. Returns the change as a velocity [m/s]."""
    own = points.table[PARENT_OF, c]
    v1 = contact_rate(bodies, points.table, points.G, own, 1, p, L) + points.vector[BIAS, own, 1]
    v2 = contact_rate(bodies, points.table, points.G, own, 2, p, L) + points.vector[BIAS, own, 2]
    W = points.matrix[BLOCK, own, 1, 1] + points.matrix[BLOCK, own, 2, 2] + points.matrix[BLOCK, c, 0, 0]
    limit = points.number[COULOMB, own] * P[own, 0]
    y1, y2, y3 = ball_impulse(points, own, c, limit, 1.0 / W, P[own, 1], P[own, 2], P[c, 0], v1, v2, v)
    d1, d2, d3 = y1 - P[own, 1], y2 - P[own, 2], y3 - P[c, 0]
    apply_contact(points.table, points.G, own, 0.0, d1, d2, p, L)
    apply_contact(points.table, points.G, c, d3, 0.0, 0.0, p, L)
    P[own, 1], P[own, 2], P[c, 0] = y1, y2, y3
    return max(abs(d1), abs(d2), abs(d3)) * W


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
            if shares_friction(points, c):
                change = max(change, share_free(bodies, points, c, P, p, L, vn))
                vn = contact_rate(bodies, points.table, points.G, c, 0, p, L) + points.vector[BIAS, c, 0]
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
