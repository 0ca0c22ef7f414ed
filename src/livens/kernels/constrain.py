"""The two levels of RATTLE on the rows: positions that satisfy g(q₁) = 0, velocities that satisfy G(q₁) v₁ = 0.

    position:  p⁺ = p₀ + h/2 (f(q₀) + G(q₀)ᵀλ),    λ such that g(q₁) = 0                                   (1)
    velocity:  p₁ = p⁻ + h/2 (f(q₁) + G(q₁)ᵀμ),    μ such that G(q₁) v₁ + ∂g/∂t = 0                        (2)

S(q₁) is factored once: it gives μ now and is the simplified Newton matrix for λ in the next step, where the true
matrix is (h²/2) G(q₁) M⁻¹ G(q₀)ᵀ. For nonholonomic rows (no slip) (1) is (h/2)(G(q₀)v⁺ + G(q₁)v⁻) = 0.            (3)
A damper with the coefficient c is a row of (2) with compliance: G v₁ + x·2/(hc) = 0 for its impulse x. The same force
acts explicitly at the start of the next step: symmetric, second order, unconditionally stable.                (4)
"""

from __future__ import annotations

from .._jit import njit
from .arrays import ACCELERATION, LAST_LEAD, LEAD, MU, OLD_LEAD, RATE
from .kinds import DISPLACEMENT, VELOCITY_ONLY


@njit
def apply_multipliers(blocks, G, c, lam, p, L):
    """(p, L) += c Gᵀλ."""
    for J in range(blocks.side.shape[0] - 1):
        first, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            b, e = blocks.side_body[s], blocks.side_entry[s]
            for y in range(n):
                w = c * lam[first + y]
                p[b, 0] += w * G[e + y, 0]
                p[b, 1] += w * G[e + y, 1]
                p[b, 2] += w * G[e + y, 2]
                L[b, 0] += w * G[e + y, 3]
                L[b, 1] += w * G[e + y, 4]
                L[b, 2] += w * G[e + y, 5]


@njit
def constraint_rates(bodies, blocks, G, p, L, x):
    """x = G M⁻¹ (p, L): the rate of every row."""
    for J in range(blocks.side.shape[0] - 1):
        first, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
        for y in range(n):
            x[first + y] = 0.0
        for s in range(blocks.side[J], blocks.side[J + 1]):
            b, e = blocks.side_body[s], blocks.side_entry[s]
            im = bodies.inverse_mass[b]
            v0, v1, v2 = im * p[b, 0], im * p[b, 1], im * p[b, 2]
            w0 = bodies.inverse_inertia[b, 0] * L[b, 0]
            w1 = bodies.inverse_inertia[b, 1] * L[b, 1]
            w2 = bodies.inverse_inertia[b, 2] * L[b, 2]
            for y in range(n):
                x[first + y] += (
                    v0 * G[e + y, 0] + v1 * G[e + y, 1] + v2 * G[e + y, 2]
                    + w0 * G[e + y, 3] + w1 * G[e + y, 4] + w2 * G[e + y, 5]
                )  # fmt: skip


@njit
def add_prescribed_rates(rows, signals, row, ahead, x):
    """x += ∂g/∂t: minus the rate of every prescribed value, after the time `ahead`."""
    for r in range(rows.signal.shape[0]):
        if rows.signal[r] >= 0:
            x[r] -= signals[row, rows.signal[r] + RATE] + ahead * signals[row, rows.signal[r] + ACCELERATION]


@njit
def rolling_residuals(rows, h, before, after, g):
    """(3): the residual of nonholonomic rows from their rates at both ends of the drift; 0 for dampers."""
    for r in range(rows.kind.shape[0]):
        if rows.rate[r] > 0.0:
            g[r] = 0.0
        elif rows.kind[r] >= VELOCITY_ONLY:
            g[r] = 0.5 * h * (before[r] + after[r])


RATE_TOLERANCE = 1e-4  # a rate over a step, in tolerances of the violation, that counts as none


@njit
def largest_violation(rows, g):
    """The largest violation in tolerances, and its row."""
    most, which = 0.0, 0
    for r in range(g.shape[0]):
        e = abs(g[r]) * rows.weight[r]
        if not e <= most:
            most, which = e, r
            if e != e:
                break  # NaN is the largest
    return most, which


NEARLY_EQUAL = 1e-3  # times, in steps, between which a parabola is not drawn


@njit
def shares_of_leads(weights, i):
    """The shares of the last three leads in the next, that of stage i: the parabola through them, one for each of the
    times at which the stages began; the last lead alone where two of the three times are equal."""
    stages = len(weights)
    one = weights[(i - 1) % stages]
    two = one + weights[(i - 2) % stages]
    three = two + weights[(i - 3) % stages]
    if min(abs(one - two), abs(two - three), abs(three - one)) < NEARLY_EQUAL:
        return 1.0, 0.0, 0.0
    return (
        two * three / ((two - one) * (three - one)),
        one * three / ((one - two) * (three - two)),
        one * two / ((one - three) * (two - three)),
    )


@njit
def predict_multipliers(rows, span, share, smooth, lam, start):
    """The first guess of λ: the last multipliers plus the lead that the last three predict, with their shares, or zero
    if the multipliers are not `smooth`; the force of a damper is known.

    With λ(t) the multipliers in continuous time, a step of length k ends with μ = λ − k λ̇/3, and the next, of length h,
    begins with λ + h λ̇/3: the lead is proportional to the span k + h of both.
    """
    one, two, three = share
    for r in range(start.shape[0]):
        if rows.rate[r] > 0.0:
            start[r] = lam[MU, r]
        elif not smooth:
            start[r] = 0.0
        else:
            start[r] = lam[MU, r] + span * (one * lam[LEAD, r] + two * lam[LAST_LEAD, r] + three * lam[OLD_LEAD, r])


@njit
def largest_coordinates(coordinates, a, angle):
    """The largest coordinate of a centre of mass or displacement of a joint [m], and the largest angle of one [rad]."""
    far, turned = 0.0, 0.0
    for b in range(1, a.shape[0]):
        far = max(far, abs(a[b, 0]), abs(a[b, 1]), abs(a[b, 2]))
    for c in range(angle.shape[0]):
        if coordinates.kind[c] != DISPLACEMENT:
            turned = max(turned, abs(angle[c]))
        else:
            far = max(far, abs(angle[c]))
    return far, turned


@njit
def largest_displacement(rows, diagonal, x):
    """The largest displacement of the points of rows by the correction x, in tolerances: much larger than the violation
    if S is nearly singular."""
    most = 0.0
    for r in range(x.shape[0]):
        most = max(most, abs(x[r]) * diagonal[r] * rows.weight[r])
    return most


@njit
def add_multiple(c, x, lam):
    for r in range(x.shape[0]):
        lam[r] += c * x[r]


@njit
def add_damper_compliance(rows, h, x, g):
    """g += x·2/(hc) for dampers, (4)."""
    for r in range(g.shape[0]):
        if rows.rate[r] > 0.0:
            g[r] += x[r] * 2.0 / (h * rows.rate[r])
