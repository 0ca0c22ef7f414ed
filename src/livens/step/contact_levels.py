"""The two levels of a part of a step with contact: (1) and (2) of contact.py, for joints and contacts together.

Each iteration corrects the joints with the factors of S, then the contacts with the matrix from which the joints are
eliminated, and the joints answer (kernels/contact/matrix.py).
"""

from __future__ import annotations

import math

from .._jit import inline, njit
from ..kernels.arrays import H_PIVOTS, ITERATIONS, S_PIVOTS
from ..kernels.constrain import (
    add_damper_compliance,
    add_multiple,
    apply_multipliers,
    constraint_rates,
    largest_coordinates,
    largest_violation,
    predict_multipliers,
    rolling_residuals,
)
from ..kernels.contact.arrays import (
    BIAS,
    BLOCK,
    COULOMB,
    FIRST_ROW,
    GAP,
    LEAN,
    NEAR,
    ON,
    PARADOX,
    PARENT_OF,
    PLACED,
    RESIDUAL,
    ROUGHNESS,
)
from ..kernels.contact.features import apply_contact, contact_rate, gap, slip_at
from ..kernels.contact.matrix import solve_contacts
from ..kernels.contact.resistance import has_gap, has_patch, put_dry_limits, rate_at_end, shares_friction
from ..kernels.contact.sweeps import ball_impulse, fixed_limits
from ..kernels.powers import square
from ..kernels.row_tapes import all_jacobians, all_rates, all_violations
from ..kernels.sparse import solve
from ..kernels.spin import drift
from ..kernels.status import NOT_FINITE, OK
from .rattle import POSITION_ROUND_OFF, solve_velocities

CONTACT_ITERATIONS = 40
SLIPS = 1e-7  # slip, relative to the largest velocity of the problem, below which a contact sticks
STRAIGHT = 1e-14  # 1 − cosine of the angle by which slip turns in a part, below which it does not
FINE = 1e-3  # tolerance of a gap, relative to that at which a contact is closed


@njit
def position_rates(bodies, contacts, coordinates, points, count, h, part, a1, B1, p, L, L1, angle, P1, g0):
    """The terms BIAS such that rate + bias is what (1) asks of each contact. Returns the largest residual [m/s]. A gap
    that is negative at the start, g0, is closed in a whole step, of which this is a `part`: not faster."""
    worst = 0.0
    for c in range(count):
        if points.table[ON, c] == 0:
            continue
        g, n, x = gap(contacts, coordinates, points, c, a1, B1, angle)
        parent = points.table[PARENT_OF, c]
        most, limit = fixed_limits(points, c, P1[parent, 0] if parent >= 0 else 0.0)
        if has_gap(points, c):
            points.number[GAP, c] = g
            over = g - (1.0 - part) * min(0.0, g0[c])
            points.vector[BIAS, c, 0] = over / h - contact_rate(bodies, points.table, points.G, c, 0, p, L)
            worst = max(worst, abs(min(points.matrix[BLOCK, c, 0, 0] * P1[c, 0], over / h)))  # (2) of cone.py
            limit = points.number[COULOMB, c] * P1[c, 0]
        else:
            v = contact_rate(bodies, points.table, points.G, c, 0, p, L)
            mean = 0.5 * (v + rate_at_end(bodies, contacts, coordinates, points, c, 0, n, a1, B1, p, L1))
            points.vector[BIAS, c, 0] = mean - v
            w = points.matrix[BLOCK, c, 0, 0]
            if shares_friction(points, c):
                worst = max(worst, patch_residual(bodies, points, c, p, L, P1, mean))
            else:
                worst = max(worst, w * abs(P1[c, 0] - min(max(P1[c, 0] - mean / w, -most), most)))
        if points.number[COULOMB, c] > 0.0:
            y1, y2, s = 0.0, 0.0, 0.0
            for k in range(1, 3):
                v = contact_rate(bodies, points.table, points.G, c, k, p, L)
                if has_gap(points, c):
                    slip = 0.5 * (v + slip_at(bodies, points, c, k, n, x, a1, B1, p, L1))
                else:
                    slip = 0.5 * (v + rate_at_end(bodies, contacts, coordinates, points, c, k, n, a1, B1, p, L1))
                points.vector[BIAS, c, k] = slip - v
                if k == 1:
                    y1 = slip
                else:
                    y2 = slip
            if has_patch(points, c):
                continue
            w = 0.5 * (points.matrix[BLOCK, c, 1, 1] + points.matrix[BLOCK, c, 2, 2])
            z1, z2 = P1[c, 1] - y1 / w, P1[c, 2] - y2 / w
            s = math.sqrt(z1 * z1 + z2 * z2)
            if s > limit:
                z1, z2 = z1 * limit / s, z2 * limit / s
            worst = max(worst, w * abs(P1[c, 1] - z1), w * abs(P1[c, 2] - z2))
    return worst


@njit
def patch_residual(bodies, points, c, p, L, P1, mean):
    """The residual of a patch [m/s], whose spinning is contact c with the mean rate of both ends."""
    own = points.table[PARENT_OF, c]
    v1 = contact_rate(bodies, points.table, points.G, own, 1, p, L) + points.vector[BIAS, own, 1]
    v2 = contact_rate(bodies, points.table, points.G, own, 2, p, L) + points.vector[BIAS, own, 2]
    w = (points.matrix[BLOCK, own, 1, 1] + points.matrix[BLOCK, own, 2, 2] + points.matrix[BLOCK, c, 0, 0]) / 3.0
    limit = points.number[COULOMB, own] * P1[own, 0]
    y1, y2, y3 = ball_impulse(points, own, c, limit, 1.0 / w, P1[own, 1], P1[own, 2], P1[c, 0], v1, v2, mean)
    return w * max(abs(y1 - P1[own, 1]), abs(y2 - P1[own, 2]), abs(y3 - P1[c, 0]))


@inline
def solve_contact_positions(system, state, work, touch, h, part, count, signals, row):
    """The position level (1), from p after the kick: on return `work` holds q₁ and L⁻, touch.P1 and work.lam the
    impulses and multipliers, `state` p⁺. Returns (status, error relative to the tolerance)."""
    points = touch.points
    put_dry_limits(system.contacts, points, count, 0.5 * h, touch.v0)
    predict_multipliers(system.rows, h, (1.0, 0.0, 0.0), True, state.lam, work.lam)
    apply_multipliers(system.blocks, work.G, 0.5 * h, work.lam, state.p, state.L)
    for c in range(count):
        for k in range(3):
            touch.P1[c, k] = touch.warm[c, k] if points.table[ON, c] == 1 else 0.0
        apply_contact(points.table, points.G, c, touch.P1[c, 0], touch.P1[c, 1], touch.P1[c, 2], state.p, state.L)
    far, turned = largest_coordinates(system.coordinates, state.a, state.angle)
    tolerance = 1.0 + POSITION_ROUND_OFF * max(system.finest * far, system.finest_turn * turned)
    fine = 1e300
    for c in range(count):
        fine = min(fine, FINE * points.number[NEAR, c] / h)
    result, last, error = OK, 1e300, 0.0
    for i in range(CONTACT_ITERATIONS):
        status = drift(system.bodies, h, state.a, state.B, state.p, state.L, work.a, work.B, work.L, work.fault)
        if status != OK:
            result = status
            break
        all_violations(system, work.a, work.B, state.angle, signals, row, work, work.g)
        if system.rolls:
            all_jacobians(system, work.a, work.B, signals, row, work, work.y, work.N)
            constraint_rates(system.bodies, system.blocks, work.G, state.p, state.L, work.x)
            constraint_rates(system.bodies, system.blocks, work.N, state.p, work.L, work.y)
            rolling_residuals(system.rows, h, work.x, work.y, work.g)
        e, which = largest_violation(system.rows, work.g)
        e /= tolerance
        work.fault[0] = which
        work.tally[ITERATIONS] += 1
        worst = position_rates(
            system.bodies, system.contacts, system.coordinates, points, count, h, part, work.a, work.B,
            state.p, state.L, work.L, state.angle, touch.P1, touch.g0,
        )  # fmt: skip
        error = max(e, worst / fine)
        if error <= 1.0:
            break
        if not error < 1e300:
            result = NOT_FINITE
            break
        if i > 3 and error > 0.5 * last and error < 1e3:  # round-off
            break
        last = error
        for r in range(work.x.shape[0]):
            work.x[r] = work.g[r]
        solve(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], work.x)
        add_multiple(-2.0 / (h * h), work.x, work.lam)
        apply_multipliers(system.blocks, work.G, -1.0 / h, work.x, state.p, state.L)
        for r in range(touch.impulse.shape[0]):
            touch.impulse[r] = 0.0
        solve_contacts(
            system.bodies, system.contacts, system.blocks, work.G, work.H,
            work.pivot[H_PIVOTS if system.damped else S_PIVOTS], False, points, touch.cone, count, i == 0, 0.1 * fine,
            touch.P1, touch.impulse, state.p, state.L,
        )  # fmt: skip
        add_multiple(2.0 / h, touch.impulse, work.lam)
    return result, error


@inline
def solve_contact_velocities(system, state, work, touch, h, count, signals, row):
    """The velocity level (2): work.y becomes the impulses of the joints, touch.P those of the contacts."""
    points = touch.points
    put_dry_limits(system.contacts, points, count, h, touch.v0)
    most = 0.0
    for c in range(count):
        for k in range(3):
            touch.P2[c, k] = touch.warm[c, k] if points.table[ON, c] == 1 else 0.0
            touch.P[c, k] = touch.P1[c, k] + touch.P2[c, k]
            points.vector[BIAS, c, k] = 0.0
            most = max(most, abs(touch.v1[c, k]), points.matrix[BLOCK, c, k, k] * abs(touch.P[c, k]))
        most = max(most, 1e-3 * points.number[NEAR, c] / h)
        apply_contact(points.table, points.G, c, touch.P2[c, 0], touch.P2[c, 1], touch.P2[c, 2], state.p, state.L)
    solve_velocities(system, state, work, h, signals, row)
    lean_back(points, count)
    residual, leans = 0.0, False
    paradox = False
    for i in range(6):
        residual = solve_contacts(
            system.bodies, system.contacts, system.blocks, work.G, work.S, work.pivot[S_PIVOTS], True, points,
            touch.cone, count, i == 0, 1e-13 * most, touch.P, work.y, state.p, state.L,
        )  # fmt: skip
        if work.g.shape[0] > 0:
            all_rates(system, work.G, state.p, state.L, signals, row, 0.0, work, work.g)
            add_damper_compliance(system.rows, h, work.y, work.g)
            for r in range(work.x.shape[0]):
                work.x[r] = work.g[r]
            solve(system.blocks, work.S, work.pivot[S_PIVOTS], work.x)
            add_multiple(-1.0, work.x, work.y)
            apply_multipliers(system.blocks, work.G, -1.0, work.x, state.p, state.L)
        if work.g.shape[0] > 0 and i != 2 and i != 5:
            continue
        if i < 3:
            paradox = has_paradox(points, touch.cone, count, touch.v0, most)
        if leans or not lean_to_start(system.bodies, points, count, touch.v0, most, state.p, state.L):
            break
        leans = True
    lean_back(points, count)
    state.memory[PARADOX] += 1.0 if paradox else 0.0
    state.memory[ROUGHNESS] = residual if residual > 1e-9 * most else 0.0
    state.memory[RESIDUAL] = max(state.memory[RESIDUAL], state.memory[ROUGHNESS])


@njit
def has_paradox(points, cone, count, v0, most):
    """True if a contact slides at the start so that its normal impulse, with the friction that belongs to it, would
    press it together: A_nn ≤ μ A_nt·d, with the direction d of the slip. Then no force is consistent with sliding, or
    several are (Painlevé 1895): the solution is a stop, as in a tangential impact."""
    jointed, rows, m = cone.answer.shape[2] > 0, 0, 0
    for c in range(count):
        m += points.table[ON, c]
    rows = cone.table[FIRST_ROW, m]
    for c in range(count):
        mu, slip = points.number[COULOMB, c], math.sqrt(square(v0[c, 1]) + square(v0[c, 2]))
        if points.table[ON, c] == 0 or not has_gap(points, c) or mu == 0.0 or slip <= SLIPS * most:
            continue
        a0, a1, a2 = points.matrix[BLOCK, c, 0, 0], points.matrix[BLOCK, c, 0, 1], points.matrix[BLOCK, c, 0, 2]
        if jointed:
            k = cone.table[FIRST_ROW, cone.table[PLACED, c]]
            a0, a1, a2 = cone.A[k * rows + k], cone.A[k * rows + k + 1], cone.A[k * rows + k + 2]
        if a0 <= mu * (a1 * v0[c, 1] + a2 * v0[c, 2]) / slip and a0 > 1e-9 * points.matrix[BLOCK, c, 0, 0]:
            return True
    return False


@njit
def lean_back(points, count):
    for c in range(count):
        for k in range(3):
            points.vector[LEAN, c, k] = 0.0


@njit
def lean_to_start(bodies, points, count, v0, most, p, L):
    """(4) of cone.py: friction of contacts that slip at both ends of a part, in directions that differ, leans towards
    the slip v0 at the start. True if there are any."""
    some = False
    for c in range(count):
        if points.table[ON, c] == 0:
            continue
        if points.number[COULOMB, c] > 0.0 and not has_patch(points, c):
            some = lean(bodies, points, c, c, False, v0, most, p, L) or some
        if shares_friction(points, c):
            some = lean(bodies, points, points.table[PARENT_OF, c], c, True, v0, most, p, L) or some
    return some


@njit
def lean(bodies, points, own, c, spins, v0, most, p, L):
    """Lean the friction of the tangents of contact `own` and, if it spins, of the first row of c. True if it does."""
    a1, a2, a3 = v0[own, 1], v0[own, 2], v0[c, 0] if spins else 0.0
    b1 = contact_rate(bodies, points.table, points.G, own, 1, p, L)
    b2 = contact_rate(bodies, points.table, points.G, own, 2, p, L)
    b3 = contact_rate(bodies, points.table, points.G, c, 0, p, L) if spins else 0.0
    a, b = math.sqrt(a1 * a1 + a2 * a2 + a3 * a3), math.sqrt(b1 * b1 + b2 * b2 + b3 * b3)
    if a <= SLIPS * most or b <= SLIPS * most:
        return False
    cosine = (a1 * b1 + a2 * b2 + a3 * b3) / (a * b)
    if cosine <= 0.5 or cosine >= 1.0 - STRAIGHT:
        return False
    points.vector[LEAN, own, 1], points.vector[LEAN, own, 2] = -0.5 * a1 / a, -0.5 * a2 / a
    if spins:
        points.vector[LEAN, c, 0] = -0.5 * a3 / a
    return True


@njit
def contact_loss(bodies, points, count, P, v, p, L):
    """Σ −P·½(v + G M⁻¹(p, L)) over the contacts: the energy that the impulses P take out, with the rates v before."""
    loss = 0.0
    for c in range(count):
        if points.table[ON, c] == 1:
            for k in range(3):
                if P[c, k] != 0.0:
                    loss -= 0.5 * P[c, k] * (v[c, k] + contact_rate(bodies, points.table, points.G, c, k, p, L))
    return loss
