"""Impacts: contacts that are closed and approach each other, at one instant.

With the rates v⁻ before and v⁺ after, the impulses Q of all contacts that take part and the impulses of the joints obey

    0 ≤ Q_n ⟂ v⁺_n + e v⁻_n ≥ 0,      −v⁺_t ∈ N(Q_t; disc of radius μ Q_n),      joints: G v⁺ = 0           (1)

Touching impacts are resolved one after the other, the fastest first, until no contact approaches: this is what Newton's
cradle does. All points of the two bodies and all contacts without restitution take part in each of them. Rules with
sequence = 0 are solved all at once.

Friction together with restitution can add energy (Kane's paradox); then e is reduced until it does not: with e = 0, (1)
never adds energy. A sequence of shorter and shorter bounces under the acceleration −α ends after 2 e v/(α (1 − e)); if
that is less than a step, e is 0 and the contact comes to rest. The same for two bodies that meet again in one step,
after the time s: their bounces end after s e/(1 − e), whatever accelerates them.                         (2), (3)
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.arrays import DISSIPATED, H_PIVOTS, MU, S_PIVOTS
from ..kernels.constrain import apply_multipliers
from ..kernels.contact.arrays import (
    ANGULAR,
    BIAS,
    BODY,
    FRAME,
    GAP,
    IMPACT,
    IMPACTS,
    INELASTIC,
    LINEAR,
    LOG_FIRST,
    LOG_IMPULSE,
    LOG_NORMAL,
    LOG_PLACE,
    LOG_RULE,
    LOG_SECOND,
    LOG_SPEED,
    LOG_STEP,
    LOG_TIME,
    NEAR,
    ON,
    PLACE_OF,
    RESIDUAL,
    RESTITUTION,
    RULE,
    SEQUENCE,
)
from ..kernels.contact.features import contact_rate
from ..kernels.contact.matrix import solve_contacts
from ..kernels.contact.resistance import follow_parents, has_gap
from ..kernels.potential import kinetic

SEQUENCE_LENGTH = 400  # impacts in a sequence, before all are resolved at once without restitution
GUARDS = 30  # bisections of e where friction would add energy
SMALL = 1e-13  # tolerance of impact velocities, relative to the approach speed


@njit
def fastest_approach(points, count, v):
    """The closed contact that approaches fastest: (its number or −1, its rate)."""
    which, most = -1, 0.0
    for c in range(count):
        if points.table[ON, c] == 1 and v[c, 0] < most:
            which, most = c, v[c, 0]
    return which, most


@njit
def contact_rates(bodies, points, count, p, L, v):
    """v: the rates of all contacts, normal and tangents."""
    for c in range(count):
        for k in range(3):
            v[c, k] = contact_rate(bodies, points.table, points.G, c, k, p, L)


@njit
def copy_momenta(p0, L0, p, L):
    for b in range(p.shape[0]):
        for k in range(3):
            p[b, k], L[b, k] = p0[b, k], L0[b, k]


@njit
def log_impacts(points, P, log, logged, count, v, step, time):
    """Append the impacts with an impulse to the log; returns how many approached."""
    hits = 0
    for c in range(count):
        if points.table[ON, c] == 1 and P[c, 0] > 0.0 and v[c, 0] < 0.0 and has_gap(points, c):
            hits += 1
            k = logged[0]
            if k >= log.shape[0]:
                continue
            row = log[k]
            row[LOG_STEP], row[LOG_TIME], row[LOG_RULE], row[LOG_SPEED] = step, time, points.table[RULE, c], -v[c, 0]
            row[LOG_FIRST], row[LOG_SECOND] = points.table[BODY, c], points.table[BODY + 1, c]
            for i in range(3):
                row[LOG_PLACE + i], row[LOG_NORMAL + i] = points.vector[PLACE_OF, c, i], points.matrix[FRAME, c, 0, i]
                row[LOG_IMPULSE + i] = 0.0
                for d in range(3):
                    row[LOG_IMPULSE + i] += P[c, d] * points.matrix[FRAME, c, d, i]
            logged[0] = k + 1
    return hits


@njit
def ends_in_rest(bodies, blocks, G, multipliers, f, tau, points, change, c, speed, h):
    """(2): True if the bounces after an impact with this approach speed end within a step."""
    e = points.number[RESTITUTION, c]
    for b in range(change.shape[1]):
        for k in range(3):
            change[LINEAR, b, k], change[ANGULAR, b, k] = f[b, k], tau[b, k]
    apply_multipliers(blocks, G, 1.0, multipliers, change[LINEAR], change[ANGULAR])
    alpha = -contact_rate(bodies, points.table, points.G, c, 0, change[LINEAR], change[ANGULAR])
    short = 2.0 * e * speed < h * alpha * (1.0 - e)
    return short or (alpha > 0.0 and speed * speed < 2.0 * alpha * points.number[NEAR, c])


@njit
def returns_at_once(log, logged, step, time, i, j, e, h):
    """(3): True if the bodies i and j have met in this step before, so soon that their bounces end within a step."""
    for k in range(min(logged[0], log.shape[0]) - 1, -1, -1):
        row = log[k]
        if row[LOG_STEP] != step:
            break
        same = row[LOG_FIRST] == i and row[LOG_SECOND] == j
        if same and row[LOG_TIME] < time:
            return (time - row[LOG_TIME]) * e < (1.0 - e) * h
    return False


@njit
def impact_targets(points, count, scale, v, e, P):
    """The terms e v⁻ of (1), with e times `scale`, and zero impulses. Returns the largest rate before."""
    most = 0.0
    for c in range(count):
        most = max(most, abs(v[c, 0]), abs(v[c, 1]), abs(v[c, 2]))
        for k in range(3):
            P[c, k] = 0.0
            points.vector[BIAS, c, k] = 0.0
        points.vector[BIAS, c, 0] = scale * e[c] * min(0.0, v[c, 0])
    return most


@njit
def mark_approaching(points, count, v, h):
    """Switch on the closed contacts that approach, and the others off."""
    for c in range(count):
        near = points.number[NEAR, c]
        approaches = has_gap(points, c) and points.number[GAP, c] <= near and v[c, 0] * h < -near
        points.table[ON, c] = 1 if approaches else 0


@njit
def choose_contacts(
    bodies,
    blocks,
    G,
    multipliers,
    f,
    tau,
    points,
    change,
    log,
    logged,
    count,
    which,
    one,
    last,
    h,
    step,
    time,
    v0,
    v1,
    e,
):
    """Which contacts take part in the impact of contact `which`, with their restitution e: all that touch, or, for
    impacts `one` after the other, those of the same two bodies and those without restitution; v1 gets the rates v0.
    `last`: e = 0 for all. Returns how many contacts come to rest by (2) and (3)."""
    resting = 0
    for c in range(count):
        e[c] = 0.0 if last else points.number[RESTITUTION, c]
        if e[c] > 0.0 and points.table[ON, c] == 1:
            i, j = points.table[BODY, c], points.table[BODY + 1, c]
            rests = ends_in_rest(bodies, blocks, G, multipliers, f, tau, points, change, c, -v0[c, 0], h)
            if rests or returns_at_once(log, logged, step, time, i, j, e[c], h):
                e[c] = 0.0
                resting += 1
        touches = points.number[GAP, c] <= points.number[NEAR, c]
        mate = (
            points.table[BODY, c] == points.table[BODY, which]
            and points.table[BODY + 1, c] == points.table[BODY + 1, which]
        )
        points.table[ON, c] = 1 if touches and (mate or not one or e[c] == 0.0) else 0
        for i in range(3):
            v1[c, i] = v0[c, i]
    follow_parents(points, count, 0)
    return resting


@inline
def resolve_impacts(system, state, work, touch, count, h, step, time, crowded):
    """All impacts at the present configuration, without restitution in a `crowded` step. Which contacts are on is
    overwritten; touch.v0 gets the rates afterwards. Returns the number of impacts."""
    points, bodies = touch.points, system.bodies
    contact_rates(bodies, points, count, state.p, state.L, touch.v0)
    total = 0
    for k in range(SEQUENCE_LENGTH):
        mark_approaching(points, count, touch.v0, h)
        which, _ = fastest_approach(points, count, touch.v0)
        if which < 0:
            break
        last = crowded or k + 1 == SEQUENCE_LENGTH
        one = system.contacts.law[SEQUENCE, points.table[RULE, which]] == 1.0 and not last
        state.memory[INELASTIC] += choose_contacts(
            bodies, system.blocks, work.G, state.lam[MU], work.f, work.tau, points, touch.cone.change, touch.log,
            touch.logged, count, which, one, last, h, step, time, touch.v0, touch.v1, touch.e,
        )  # fmt: skip
        copy_momenta(state.p, state.L, touch.p, touch.L)
        before = kinetic(bodies, state.p, state.L)
        low, high, scale, after = 0.0, 1.0, 1.0, before
        for i in range(GUARDS + 1):
            copy_momenta(touch.p, touch.L, state.p, state.L)
            most = impact_targets(points, count, scale, touch.v1, touch.e, touch.P)
            residual = solve_contacts(
                bodies, system.contacts, system.blocks, work.G, work.H,
                work.pivot[H_PIVOTS if system.damped else S_PIVOTS], False, points, touch.cone,
                count, i == 0, SMALL * most, touch.P, touch.impulse, state.p, state.L,
            )  # fmt: skip
            after = kinetic(bodies, state.p, state.L)
            state.memory[RESIDUAL] = max(state.memory[RESIDUAL], residual)
            if after <= before * (1.0 + 1e-13) and (i == 0 or i >= GUARDS // 2):
                break
            if after > before:
                high = scale
            else:
                low = scale
            scale = 0.5 * (low + high) if i + 1 < GUARDS else low
        state.memory[IMPACT] += before - after
        state.account[DISSIPATED] += before - after
        total += log_impacts(points, touch.P, touch.log, touch.logged, count, touch.v1, step, time)
        contact_rates(bodies, points, count, state.p, state.L, touch.v0)
    state.memory[IMPACTS] += total
    return total
