"""The Livens step with contact: kick, drift, kick, with rows that can only push, and impacts at their exact times.

A part of a step of length h, in which no open contact closes, with P the impulses of contacts in addition to joints:

    kick      p ← p₀ + h/2 f(q₀)
    position  p⁺ = p + G(q₀)ᵀ(h/2 λ, P₁),  q₁ = drift(q₀, p⁺):  joints g(q₁) = 0,  0 ≤ P₁ₙ ⟂ g_n(q₁) ≥ 0,
              −½ (G_t(q₀) v⁺ + G_t(q₁) v⁻) ∈ N(P₁ₜ; disc of radius μ P₁ₙ)                                       (1)
    kick      p ← p⁻ + h/2 f(q₁)
    velocity  p₁ = p + G(q₁)ᵀ(h/2 μ, P₂):  joints G v₁ = 0;  with P = P₁ + P₂ of the contacts that (1) closed
              0 ≤ P_n ⟂ G_n v₁ ≥ 0,   −G_t v₁ ∈ N(P_t; disc of radius μ P_n)                                   (2)

Contacts that are closed at q₀ take part. If another one closes before the end, the part ends there: its length is the
root of the smallest gap, found with (1) itself, and the impacts of impact.py follow. After CUTS impacts in one step,
contacts that would close in the rest of it take part in (1) and close without restitution.
The energy that contacts take out is Σ −P₁·½(G v₀ + G v⁺) − P₂·½(G v⁻ + G v₁), zero at rest.                  (3)
Source: Breuling, Capobianco, Eugster & Leine 2024 (nonsmooth RATTLE), without its restitution at the ends of steps.
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.arrays import CONDITION, DISSIPATED, H_PIVOTS, ITERATIONS, RATE, S_PIVOTS
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
    BODY,
    COULOMB,
    COUNT,
    FIRST_BODY,
    FRAME,
    FRICTION,
    GAP,
    HEAD,
    IMPULSE,
    INELASTIC,
    LAST_STEP,
    NEAR,
    ON,
    PAIR,
    PAIR_OF,
    PLACE,
    PLACE_OF,
    RECORD,
    RESIDUAL,
    SECOND_BODY,
    SHORTENED,
)
from ..kernels.contact.broad import find_contacts, put_reach
from ..kernels.contact.features import apply_contact, contact_rate, gap, put_contact_frames, slip_at
from ..kernels.contact.matrix import solve_contacts
from ..kernels.coordinates import update_coordinates
from ..kernels.force_tapes import PASSES, velocity_force_pass
from ..kernels.forces import forces, power, time_of
from ..kernels.potential import add_work
from ..kernels.record import store_state
from ..kernels.row_tapes import add_tape_impulse_work, all_jacobians, all_rates, all_violations
from ..kernels.sparse import TINY, solve
from ..kernels.spin import drift, kick
from ..kernels.status import AGAIN, CONTACTS, NOT_FINITE, OK
from ..kernels.turns import count_half_turns, face_dials
from .impact import contact_rates, copy_momenta, resolve_impacts
from .rattle import POSITION_ROUND_OFF, accept_trial, solve_velocities, store_multipliers
from .rattle import prepare as prepare_joints
from .singular_end import factorise

CUTS = 24  # impacts in one step that end a part of it
TURN = 0.8  # rotation in a part of a step [rad]
PARTS = 100000  # of one step
ROOTS = 60  # trials for the length of a part
POSITION_ITERATIONS = 40
FINE = 1e-3  # tolerance of a gap, relative to that at which a contact is closed
SEARCH = 64  # records of the last step among which the impulses of a contact are looked for
ROOM = 64  # rows of the log that a step needs at most, usually


@njit
def recall_impulses(memory, points, count, h, warm):
    """The first guess of the impulses: those of the last step at the nearest place of the same pair of shapes."""
    records, ratio = int(memory[COUNT]), 0.0
    if memory[LAST_STEP] > 0.0:
        ratio = h / memory[LAST_STEP]
    at = 0
    for c in range(count):
        best, which = 1e300, -1
        for q in range(max(0, at - SEARCH), min(records, at + SEARCH)):
            o = HEAD + q * RECORD
            if memory[o + PAIR] == points.table[PAIR_OF, c]:
                d = 0.0
                for k in range(3):
                    d += (points.vector[PLACE_OF, c, k] - memory[o + PLACE + k]) ** 2
                if d < best:
                    best, which = d, q
        for k in range(3):
            warm[c, k] = 0.0
        if which >= 0:
            at = which + 1
            o = HEAD + which * RECORD + IMPULSE
            rows = 3 if points.number[COULOMB, c] > 0.0 else 1
            for k in range(rows):
                for i in range(3):
                    warm[c, k] += ratio * points.matrix[FRAME, c, k, i] * memory[o + i]
            if warm[c, 0] <= 0.0:
                warm[c, 0], warm[c, 1], warm[c, 2] = 0.0, 0.0, 0.0


@njit
def remember_impulses(points, count, h, P1, P, memory):
    """Store the impulses P − P₁ of the second half of the part."""
    q = 0
    for c in range(count):
        if points.table[ON, c] == 1:
            o = HEAD + q * RECORD
            memory[o + FIRST_BODY], memory[o + SECOND_BODY] = points.table[BODY, c], points.table[BODY + 1, c]
            memory[o + PAIR] = points.table[PAIR_OF, c]
            for i in range(3):
                memory[o + PLACE + i] = points.vector[PLACE_OF, c, i]
                memory[o + IMPULSE + i] = 0.0
                for k in range(3):
                    memory[o + IMPULSE + i] += (P[c, k] - P1[c, k]) * points.matrix[FRAME, c, k, i]
            q += 1
    for k in range(HEAD + q * RECORD, HEAD + int(memory[COUNT]) * RECORD):
        memory[k] = 0.0
    memory[COUNT], memory[LAST_STEP] = q, h


@njit
def position_rates(bodies, contacts, coordinates, points, count, h, a1, B1, p, L, L1, angle, P1):
    """The terms BIAS such that rate + bias is what (1) asks of each contact. Returns the largest residual [m/s]."""
    worst = 0.0
    for c in range(count):
        if points.table[ON, c] == 0:
            continue
        g, n, x = gap(contacts, coordinates, points, c, a1, B1, angle)
        points.number[GAP, c] = g
        points.vector[BIAS, c, 0] = g / h - contact_rate(bodies, points.table, points.G, c, 0, p, L)
        worst = max(worst, abs(g / h) if P1[c, 0] > 0.0 else -g / h)
        if points.number[COULOMB, c] > 0.0:
            y1, y2, s = 0.0, 0.0, 0.0
            for k in range(1, 3):
                v = contact_rate(bodies, points.table, points.G, c, k, p, L)
                slip = 0.5 * (v + slip_at(bodies, points, c, k, n, x, a1, B1, p, L1))
                points.vector[BIAS, c, k] = slip - v
                if k == 1:
                    y1 = slip
                else:
                    y2 = slip
            w = 0.5 * (points.matrix[BLOCK, c, 1, 1] + points.matrix[BLOCK, c, 2, 2])
            z1, z2, limit = P1[c, 1] - y1 / w, P1[c, 2] - y2 / w, points.number[COULOMB, c] * P1[c, 0]
            s = (z1 * z1 + z2 * z2) ** 0.5
            if s > limit:
                z1, z2 = z1 * limit / s, z2 * limit / s
            worst = max(worst, w * abs(P1[c, 1] - z1), w * abs(P1[c, 2] - z2))
    return worst


@inline
def solve_contact_positions(system, state, work, touch, h, count, signals, row):
    """The position level (1), from p after the kick: on return `work` holds q₁ and L⁻, touch.P1 and work.lam the
    impulses and multipliers, `state` p⁺. Returns a status."""
    points = touch.points
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
    for i in range(POSITION_ITERATIONS):
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
            system.bodies, system.contacts, system.coordinates, points, count, h, work.a, work.B, state.p, state.L,
            work.L, state.angle, touch.P1,
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
            work.pivot[H_PIVOTS if system.damped else S_PIVOTS], points, touch.cone, count, i == 0, 0.1 * fine,
            touch.P1, touch.impulse, state.p, state.L,
        )  # fmt: skip
        add_multiple(2.0 / h, touch.impulse, work.lam)
    if error > 1e3 and result == OK:
        state.memory[RESIDUAL] = max(state.memory[RESIDUAL], error * fine)
    return result


@njit
def lowest_gap(contacts, coordinates, points, count, closed, g0, tau, part, a1, B1, angle):
    """The smallest gap of the contacts that are not closed at the start, over a part of length tau. The gap of one that
    leaves at the start counts times part/tau, so that its start is no root."""
    low = 1e300
    for c in range(count):
        if closed[c] == 0 and points.table[ON, c] == 0:
            g, _, _ = gap(contacts, coordinates, points, c, a1, B1, angle)
            if g0[c] <= points.number[NEAR, c]:
                g *= part / tau
            low = min(low, g)
    return low


@njit
def interpolate_signals(rows, signals, before, row, theta, h, out):
    """The signals at the part theta of a step, in `out`: prescribed motions by a cubic polynomial, others linearly."""
    s = 1.0 - theta
    for k in range(out.shape[0]):
        out[k] = s * signals[before, k] + theta * signals[row, k]
    for r in range(rows.signal.shape[0]):
        k = rows.signal[r]
        if k >= 0:
            x0, x1, v0, v1 = signals[before, k], signals[row, k], signals[before, k + RATE], signals[row, k + RATE]
            rise = x1 - x0
            c2, c3 = 3.0 * rise - h * (2.0 * v0 + v1), h * (v0 + v1) - 2.0 * rise
            out[k] = x0 + theta * (h * v0 + theta * (c2 + theta * c3))
            out[k + RATE] = v0 + theta * (2.0 * c2 + 3.0 * theta * c3) / h


@inline
def solve_contact_velocities(system, state, work, touch, h, count, signals, row):
    """The velocity level (2): work.y becomes the impulses of the joints, touch.P those of the contacts."""
    points = touch.points
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
            system.bodies, system.contacts, system.blocks, work.G, work.S, work.pivot[S_PIVOTS], points, touch.cone,
            count, i == 0, 1e-13 * most, touch.P, work.y, state.p, state.L,
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
    if residual > 1e-9 * most:
        state.memory[RESIDUAL] = max(state.memory[RESIDUAL], residual)


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


@inline
def finish_part(system, state, work, touch, h, count, signals, before, row):
    """The end of a part, after its position level: accept q₁, last kick, velocity level, work and losses."""
    points = touch.points
    for c in range(count):
        touch.P2[c, 0] = touch.P1[c, 0]
    loss = contact_loss(system.bodies, points, count, touch.P1, touch.v0, state.p, state.L)
    if system.tapes.clock >= 0:
        constraint_rates(system.bodies, system.blocks, work.G, state.p, state.L, work.rates)
        add_tape_impulse_work(system.tapes, 0.5 * h, work.lam, work.rates, work.partial, state.account)
    accept_trial(work, state.a, state.B, state.L)
    if work.g.shape[0] > 0:
        state.account[CONDITION] = factorise(system, state, work, h, TINY, signals, row)
    if system.tapes.clock >= 0:
        constraint_rates(system.bodies, system.blocks, work.G, state.p, state.L, work.rates)
    update_coordinates(system.coordinates, state.a, state.B, state.angle)
    put_contact_frames(system.bodies, system.contacts, system.coordinates, points, count, state.a, state.B, state.angle)
    for c in range(count):
        touches = touch.P1[c, 0] > 0.0 or points.number[GAP, c] <= FINE * points.number[NEAR, c]
        points.table[ON, c] = 1 if points.table[ON, c] == 1 and touches else 0
    contact_rates(system.bodies, points, count, state.p, state.L, touch.v1)
    forces(system, state.a, state.B, state.p, state.L, state.angle, signals, row, work, work.f, work.tau)
    change = 0.0
    status = OK
    for i in range(PASSES + 1):  # one, except for user-written forces: (2) of force_tapes.py
        if system.formulas.forces > 0:
            status, change = velocity_force_pass(
                i, change, h, system.formulas, system.bodies, state.a, state.B, time_of(system, signals, row),
                state.p, state.L, work.f, work.tau, work.held, work.registers, work.power, work.fault,
            )  # fmt: skip
            if status != AGAIN:
                break
        kick(0.5 * h, work.f, work.tau, state.p, state.L)
        solve_contact_velocities(system, state, work, touch, h, count, signals, row)
        if system.formulas.forces == 0:
            break
    for c in range(count):
        for k in range(3):
            touch.P2[c, k] = touch.P[c, k] - touch.P1[c, k] if points.table[ON, c] == 1 else 0.0
    loss += contact_loss(system.bodies, points, count, touch.P2, touch.v1, state.p, state.L)
    state.memory[FRICTION] += loss
    state.account[DISSIPATED] += loss
    if system.tapes.clock >= 0:
        add_tape_impulse_work(system.tapes, 1.0, work.y, work.rates, work.partial, state.account)
    store_multipliers(system.rows, h, h, signals, before, row, work.lam, work.y, False, state.lam, state.account)
    add_work(h, power(system, state, signals, row, work), work.power, state.account)
    remember_impulses(points, count, h, touch.P1, touch.P, state.memory)
    return status


@njit
def close_contacts(points, count, h, crowded, g0, v0, closed):
    """Which contacts take part in (1): those that are closed and do not separate; in a `crowded` step all others too.
    g0 gets the gaps. Returns how many contacts take part that are open."""
    opened = 0
    for c in range(count):
        near = points.number[NEAR, c]
        g0[c] = points.number[GAP, c]
        closed[c] = 1 if g0[c] <= near and not v0[c, 0] * h > near else 0
        points.table[ON, c] = closed[c]
        if crowded and closed[c] == 0:
            points.table[ON, c] = 1
            opened += 1
    return opened


@inline
def take_part(system, state, work, touch, h, left, cuts, step, signals, before, row):
    """One part of a step of length h, of which `left` is left: (status, its length)."""
    points, bodies = touch.points, system.bodies
    put_reach(bodies, system.contacts, touch, left, state.p, state.L, work.f, work.tau)
    count = find_contacts(system.contacts, system.coordinates, touch, state.a, state.B)
    status = OK
    if count > points.number.shape[1]:
        status = CONTACTS
        count = 0
    put_contact_frames(bodies, system.contacts, system.coordinates, points, count, state.a, state.B, state.angle)
    struck = resolve_impacts(system, state, work, touch, count, h, step, h - left) > 0
    state.memory[INELASTIC] += close_contacts(points, count, h, cuts >= CUTS, touch.g0, touch.v0, touch.closed)
    copy_momenta(state.p, state.L, touch.p, touch.L)
    part = left * touch.limit[0]  # fast bodies do not pass each other in a part
    part = min(part, left * slow_part(touch.turn))
    tau = part
    low, high, f_low, f_high, worth = 0.0, part, 0.0, 0.0, 0
    for c in range(count):
        worth += 1 if points.table[ON, c] == 0 else 0
    theta0 = 1.0 - left / h
    for i in range(ROOTS):
        if status != OK or struck:
            break
        theta = theta0 + tau / h if tau < left else 1.0
        interpolate_signals(system.rows, signals, before, row, theta, h, touch.signals[1])
        copy_momenta(touch.p, touch.L, state.p, state.L)
        recall_impulses(state.memory, points, count, tau, touch.warm)
        kick(0.5 * tau, work.f, work.tau, state.p, state.L)
        status = solve_contact_positions(system, state, work, touch, tau, count, touch.signals, 1)
        if status != OK or worth == 0:
            break
        f = lowest_gap(
            system.contacts, system.coordinates, points, count, touch.closed, touch.g0, tau, part, work.a, work.B,
            state.angle,
        )  # fmt: skip
        if i == 0:
            if f >= -FINE * smallest_tolerance(points, count):
                break
            f_high = f
            f_low = start_gap(points, count, touch.closed, touch.g0, touch.v0, part)
            state.memory[SHORTENED] += 1.0
        elif abs(f) <= FINE * smallest_tolerance(points, count) or high - low <= 4e-16 * h:
            break
        elif f > 0.0:
            low, f_low, f_high = tau, f, 0.5 * f_high if i % 2 == 0 else f_high
        else:
            high, f_high, f_low = tau, f, 0.5 * f_low if i % 2 == 0 else f_low
        if i % 4 == 3:
            tau = 0.5 * (low + high)
        else:
            tau = low + (high - low) * f_low / (f_low - f_high)
        tau = min(max(tau, low + 1e-3 * (high - low)), high - 1e-3 * (high - low))
    if struck:  # velocities have changed: look again for contacts within reach
        tau = 0.0
    elif status == OK:
        status = finish_part(system, state, work, touch, tau, count, touch.signals, 0, 1)
        for k in range(touch.signals.shape[1]):
            touch.signals[0, k] = touch.signals[1, k]
    return status, tau


@njit
def slow_part(turn):
    """The part of a step in which no body turns by more than TURN: an impact can make a body spin fast."""
    most = 0.0
    for b in range(turn.shape[0]):
        most = max(most, turn[b])
    return 1.0 if most <= TURN else TURN / most


@njit
def smallest_tolerance(points, count):
    low = 1e300
    for c in range(count):
        low = min(low, points.number[NEAR, c])
    return low


@njit
def start_gap(points, count, closed, g0, v0, part):
    """The value of `lowest_gap` at the start of a part."""
    low = 1e300
    for c in range(count):
        if closed[c] == 0 and points.table[ON, c] == 0:
            low = min(low, g0[c] if g0[c] > points.number[NEAR, c] else v0[c, 0] * part)
    return low


@inline
def step(system, state, work, touch, h, number, signals, before, row):
    """One step of length h, in parts. Returns a status."""
    left, status, cut_before = h, OK, state.memory[SHORTENED]
    for k in range(touch.signals.shape[1]):
        touch.signals[0, k] = signals[before, k]
    for _ in range(PARTS):
        cuts = state.memory[SHORTENED] - cut_before
        status, tau = take_part(system, state, work, touch, h, left, cuts, number, signals, before, row)
        if status != OK or tau >= left:
            break
        left -= tau
    return status


def prepare(system, state, work, signals, h):
    """As in rattle.py."""
    prepare_joints(system, state, work.work, signals, h)


@njit
def rollout(system, state, everything, h, weights, signals, first, steps, every, record):
    """As in livens.py: (status, steps taken); ends early when the log of impacts is nearly full."""
    touch = everything.touch
    work = everything.work
    varies = 1 if signals.shape[0] > 1 else 0
    face_dials(system.dials, state.B, state.L, state.half_turns, work.facing)
    n = 0
    while n < steps and touch.logged[0] + ROOM < touch.log.shape[0]:
        status = step(system, state, work, touch, h, float(first + n), signals, varies * n, varies * (n + 1))
        if status != OK:
            return status, n
        count_half_turns(system.dials, h, state.B, state.L, state.half_turns, work.facing)
        n += 1
        if (first + n) % every == 0:
            store_state(record, (first + n) // every, state)
    return OK, n
