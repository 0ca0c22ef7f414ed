"""The Livens step with contact: kick, drift, kick, with rows that can only push, and impacts at their exact times.

A part of a step of length h, in which no open contact closes, with P the impulses of contacts in addition to joints:

    kick      p ← p₀ + h/2 f(q₀)
    position  p⁺ = p + G(q₀)ᵀ(h/2 λ, P₁),  q₁ = drift(q₀, p⁺):  joints g(q₁) = 0,  0 ≤ P₁ₙ ⟂ g_n(q₁) ≥ 0,
              −½ (G_t(q₀) v⁺ + G_t(q₁) v⁻) ∈ N(P₁ₜ; disc of radius μ P₁ₙ)                                       (1)
    kick      p ← p⁻ + h/2 f(q₁)
    velocity  p₁ = p + G(q₁)ᵀ(h/2 μ, P₂):  joints G v₁ = 0;  with P = P₁ + P₂ of the contacts that (1) closed
              0 ≤ P_n ⟂ G_n v₁ ≥ 0,   −G_t v₁ ∈ N(P_t; disc of radius μ P_n)                                   (2)

Contacts that are closed at q₀ take part. If another one closes before the end, the part ends there: its length is the
root of the smallest gap, found with (1) itself, and the impacts of impact.py follow. After CUTS parts of one step that
end so, the step is crowded: there is no restitution in the rest of it, and bodies that meet planes, or balls, close by
(1) instead of an impact. A part whose position level cannot be solved, in which a body turns too far, or after which
bodies overlap because other features of them touch, is halved.
At orders 4 and 6 a part in which no contact is closed is the composition of stages of the lengths w₁τ, w₂τ, …; the root
τ is found with the whole of it, so that impacts are as accurate as the flight. A part with closed contacts is of
order 2.
The energy that contacts take out is Σ −P₁·½(G v₀ + G v⁺) − P₂·½(G v⁻ + G v₁), zero at rest.                  (3)
Source: Breuling, Capobianco, Eugster & Leine 2024 (nonsmooth RATTLE), without its restitution at the ends of steps.
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.arrays import CONDITION, DISSIPATED
from ..kernels.constrain import (
    constraint_rates,
)
from ..kernels.contact.arrays import (
    FRICTION,
    GAP,
    INELASTIC,
    NEAR,
    ON,
    RESIDUAL,
    ROUGHNESS,
    SHORTENED,
)
from ..kernels.contact.broad import find_contacts, put_reach
from ..kernels.contact.features import put_contact_frames
from ..kernels.contact.memory import recall_impulses, remember_impulses
from ..kernels.contact.resistance import follow_parents, has_gap
from ..kernels.contact.separation import lasting, lowest_gap, may_end, put_separations, start_gap
from ..kernels.coordinates import update_coordinates
from ..kernels.force_tapes import PASSES, velocity_force_pass
from ..kernels.forces import forces, power, time_of
from ..kernels.potential import add_work
from ..kernels.record import store_state
from ..kernels.row_tapes import add_tape_impulse_work
from ..kernels.sparse import TINY
from ..kernels.spin import kick
from ..kernels.status import AGAIN, BOUNCES, CONTACTS, OK
from ..kernels.turns import count_half_turns, face_dials
from .contact_levels import FINE, contact_loss, solve_contact_positions, solve_contact_velocities
from .impact import contact_rates, copy_momenta, resolve_impacts
from .rattle import accept_trial, store_multipliers
from .rattle import prepare as prepare_joints
from .singular_end import factorise
from .within_step import (
    START,
    begin_bracket,
    copy_signals,
    inside_bracket,
    is_narrow,
    keep_start,
    narrow_bracket,
    put_signals,
    recall_start,
)

CUTS = 24  # impacts in one step that end a part of it
TURN = 0.8  # rotation in a part of a step [rad]
PARTS = 5000  # of one step, before it has failed
ROOTS = 60  # trials for the length of a part
UNSOLVED = 1e3  # error of a position level, relative to its tolerance, above which a shorter part is tried
SHORTEST_TRIED = 1e-3  # of a step
SHORT = 1e-9  # a part, relative to a step, in which nothing happens
ROOM = 64  # rows of the log that a step needs at most, usually


@inline
def finish_part(system, state, work, touch, h, count, signals, before, row):
    """The end of a part, after its position level: accept q₁, last kick, velocity level, work and losses."""
    points = touch.points
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
    put_contact_frames(
        system.bodies, system.contacts, system.coordinates, points, count, True, state.a, state.B, state.angle
    )  # fmt: skip
    for c in range(count):
        touches = touch.P1[c, 0] > 0.0 or points.number[GAP, c] <= FINE * points.number[NEAR, c]
        points.table[ON, c] = 1 if points.table[ON, c] == 1 and touches else 0
    follow_parents(points, count, 1)
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
def close_contacts(contacts, points, count, h, crowded, hold, g0, v0, closed):
    """Which contacts take part in (1): those that are closed and do not separate, or, with `hold`, all that are closed;
    in a `crowded` step also open ones whose features are lasting. g0 gets the gaps. Returns how many contacts take part
    that are open."""
    opened = 0
    for c in range(count):
        near = points.number[NEAR, c]
        g0[c] = points.number[GAP, c]
        closed[c] = 1 if g0[c] <= near and (hold or not v0[c, 0] * h > near) else 0
        points.table[ON, c] = closed[c]
        if crowded and closed[c] == 0 and has_gap(points, c) and lasting(contacts, points, c):
            points.table[ON, c] = 1
            opened += 1
    follow_parents(points, count, 1)
    return opened


@inline
def take_part(system, state, work, touch, h, left, cuts, hold, step, weights, signals, before, varies):
    """One part of a step of length h, of which `left` is left: (status, its length, whether there were impacts).
    `hold`: contacts do not leave at its start, because they came back at once."""
    points, bodies = touch.points, system.bodies
    put_reach(bodies, system.contacts, touch, left, state.p, state.L, work.f, work.tau)
    slack = 2.0 * h * state.memory[ROUGHNESS]
    count = find_contacts(system.contacts, system.coordinates, touch, slack, state.a, state.B)
    status = OK
    if count > system.contacts.capacity:
        status = CONTACTS
        count = 0
    put_contact_frames(
        bodies, system.contacts, system.coordinates, points, count, False, state.a, state.B, state.angle
    )  # fmt: skip
    crowded = cuts >= CUTS
    struck = resolve_impacts(system, state, work, touch, count, h, step, h - left, crowded) > 0
    state.memory[INELASTIC] += close_contacts(
        system.contacts, points, count, h, crowded, hold, touch.g0, touch.v0, touch.closed
    )  # fmt: skip
    stages, pushed = weights.shape[0], count  # contact points in the equations of a stage
    if stages > 1 and some_take_part(points, count):
        stages = 1
    elif stages > 1:
        pushed = 0
        keep_start(state, touch.held)
    copy_momenta(state.p, state.L, touch.p, touch.L)
    part = left * touch.limit[0]  # fast bodies do not pass each other in a part
    part = min(part, left * slow_part(touch.turn))
    tau, s, at, trial = part, 0, 0.0, 0
    bracket, begun, error = touch.bracket, False, 0.0
    near = points.number[NEAR]
    fine, ends = FINE * smallest_tolerance(points, count), may_end(system.contacts, points, count)
    put_separations(
        system.contacts, system.coordinates, points, count, state.a, state.B, state.angle, touch.separation
    )  # fmt: skip
    copy_signals(touch.signals, 0, START)
    while status == OK and not struck:
        if s == 0:
            copy_momenta(touch.p, touch.L, state.p, state.L)
            if stages > 1 and trial > 0:
                copy_signals(touch.signals, START, 0)
                recall_start(touch.held, state)
                prepare_joints(system, state, work, touch.signals, h)
        length = tau if stages == 1 else tau * weights[s]
        last = s + 1 == stages
        at = tau if last else at + length
        theta = 1.0 - (left - at) / h if at < left else 1.0
        put_signals(system.rows, weights, signals, before, varies, theta, h, touch.signals[1])
        recall_impulses(state.memory, points, pushed, length, touch.warm)
        kick(0.5 * length, work.f, work.tau, state.p, state.L)
        status, error = solve_contact_positions(
            system, state, work, touch, length, length / h, pushed, touch.signals, 1
        )  # fmt: skip
        f, overlap = 1e300, False
        if last and status == OK and ends:
            f, overlap = lowest_gap(
                system.contacts, system.coordinates, points, count, touch, near, tau, part, work.a, work.B, state.angle
            )  # fmt: skip
        if (status != OK or error > UNSOLVED or overlap) and tau > SHORTEST_TRIED * h and trial < ROOTS:
            part = 0.5 * tau
            tau, begun, status, s, at, trial = part, False, OK, 0, 0.0, trial + 1
            continue
        if status != OK:
            break
        found = not last or not ends or trial >= ROOTS
        if not found and not begun:
            begun, found = True, f >= -fine
            if not found:
                begin_bracket(bracket, start_gap(system.contacts, points, count, touch, near, part), part, f)
                state.memory[SHORTENED] += 1.0
        elif not found:
            found = abs(f) <= fine or is_narrow(bracket, h)
            if not found:
                narrow_bracket(bracket, tau, f)
        if not found:
            tau, s, at, trial = inside_bracket(bracket, trial % 6 == 5 or trial > ROOTS // 3), 0, 0.0, trial + 1
            continue
        if error > UNSOLVED:
            state.memory[RESIDUAL] = max(state.memory[RESIDUAL], error * fine / h)
        status = finish_part(system, state, work, touch, length, pushed, touch.signals, 0, 1)
        copy_signals(touch.signals, 1, 0)
        if last:
            break
        s += 1
    if struck:  # velocities have changed, so power and forces have: look again for contacts within reach
        prepare_joints(system, state, work, touch.signals, h)
        tau = 0.0
    return status, tau, struck


@njit
def some_take_part(points, count):
    """True if a contact point takes part in (1)."""
    for c in range(count):
        if points.table[ON, c] == 1:
            return True
    return False


@njit
def slow_part(turn):
    """The part of a step in which no body turns by more than TURN: an impact can make a body spin fast."""
    most = 0.0
    for b in range(turn.shape[0]):
        most = max(most, turn[b])
    return 1.0 if most <= TURN else TURN / most


@njit
def smallest_tolerance(points, count):
    """The smallest gap at which a contact is closed [m]."""
    low = 1e300
    for c in range(count):
        low = min(low, points.number[NEAR, c])
    return low


@inline
def step(system, state, work, touch, h, number, weights, signals, before, varies):
    """One step of length h, in parts. Returns a status."""
    left, status, cut_before, ended, hold = h, OK, state.memory[SHORTENED], False, False
    for k in range(touch.signals.shape[1]):
        touch.signals[0, k] = signals[before, k]
    for _ in range(PARTS):
        cuts = state.memory[SHORTENED] - cut_before
        status, tau, struck = take_part(
            system, state, work, touch, h, left, cuts, hold, number, weights, signals, before, varies
        )  # fmt: skip
        if status != OK or tau >= left:
            ended = True
            break
        hold = not struck and tau < SHORT * h
        left -= tau
    if not ended:
        status = BOUNCES
    return status


def prepare(system, state, work, signals, h):
    """As in rattle.py."""
    prepare_joints(system, state, work.work, signals, h)


@njit
def rollout(system, state, everything, h, weights, signals, first, steps, every, record):
    """As in livens.py: (status, steps taken); ends early when the log of impacts is nearly full."""
    touch = everything.touch
    work = everything.work
    stages = len(weights)
    varies = 1 if signals.shape[0] > 1 else 0
    face_dials(system.dials, state.B, state.L, state.half_turns, work.facing)
    n = 0
    while n < steps and touch.logged[0] + ROOM < touch.log.shape[0]:
        status = step(system, state, work, touch, h, float(first + n), weights, signals, varies * n * stages, varies)
        if status != OK:
            return status, n
        count_half_turns(system.dials, h, state.B, state.L, state.half_turns, work.facing)
        n += 1
        if (first + n) % every == 0:
            store_state(record, (first + n) // every, state)
    return OK, n
