"""The two levels of a part of a step with contact: (1) and (2) of contact.py, for joints and contacts together.

Each iteration corrects the joints with the factors of S, then the contacts with the matrix from which the joints are
eliminated, and the joints answer (kernels/contact/matrix.py).
"""

from __future__ import annotations

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
    GAP,
    NEAR,
    ON,
    PARENT_OF,
    RESIDUAL,
    ROUGHNESS,
)
from ..kernels.contact.cone import fixed_limits
from ..kernels.contact.features import apply_contact, contact_rate, gap, slip_at
from ..kernels.contact.matrix import solve_contacts
from ..kernels.contact.resistance import has_gap, put_dry_limits, rate_at_end
from ..kernels.row_tapes import all_jacobians, all_rates, all_violations
from ..kernels.sparse import solve
from ..kernels.spin import drift
from ..kernels.status import NOT_FINITE, OK
from .rattle import POSITION_ROUND_OFF, solve_velocities

CONTACT_ITERATIONS = 40
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
            worst = max(worst, abs(over / h) if P1[c, 0] > 0.0 else -over / h)
            limit = points.number[COULOMB, c] * P1[c, 0]
        else:
            v = contact_rate(bodies, points.table, points.G, c, 0, p, L)
            mean = 0.5 * (v + rate_at_end(bodies, contacts, coordinates, points, c, 0, n, a1, B1, p, L1))
            points.vector[BIAS, c, 0] = mean - v
            w = points.matrix[BLOCK, c, 0, 0]
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
            w = 0.5 * (points.matrix[BLOCK, c, 1, 1] + points.matrix[BLOCK, c, 2, 2])
            z1, z2 = P1[c, 1] - y1 / w, P1[c, 2] - y2 / w
            s = (z1 * z1 + z2 * z2) ** 0.5
            if s > limit:
                z1, z2 = z1 * limit / s, z2 * limit / s
            worst = max(worst, w * abs(P1[c, 1] - z1), w * abs(P1[c, 2] - z2))
    return worst


@inline
def solve_contact_positions(system, state, work, touch, h, part, count, signals, row):
    """The position level (1), from p after the kick: on return `work` holds q₁ and L⁻, touch.P1 and work.lam the
    impulses and multipliers, `state` p⁺. Returns (status, error relative to the tolerance)."""
    points = touch.points
    put_dry_limits(system.contacts, points, count, 0.5 * h, touch.v0)
    predict_multipliers(system.rows, h, False, True, state.lam, work.lam)
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
    residual = 0.0
    for i in range(3):
        residual = solve_contacts(
            system.bodies, system.contacts, system.blocks, work.G, work.S, work.pivot[S_PIVOTS], True, points,
            touch.cone, count, i == 0, 1e-13 * most, touch.P, work.y, state.p, state.L,
        )  # fmt: skip
        if work.g.shape[0] == 0:
            break
        all_rates(system, work.G, state.p, state.L, signals, row, 0.0, work, work.g)
        add_damper_compliance(system.rows, h, work.y, work.g)
        for r in range(work.x.shape[0]):
            work.x[r] = work.g[r]
        solve(system.blocks, work.S, work.pivot[S_PIVOTS], work.x)
        add_multiple(-1.0, work.x, work.y)
        apply_multipliers(system.blocks, work.G, -1.0, work.x, state.p, state.L)
    state.memory[ROUGHNESS] = residual if residual > 1e-9 * most else 0.0
    state.memory[RESIDUAL] = max(state.memory[RESIDUAL], state.memory[ROUGHNESS])


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
