"""Runge–Kutta steps that end at impacts: a scheme for short, accurate runs in which bodies meet and part.

A step is taken in parts. Each part is a step of the scheme of length τ, at whose end the smallest gap is zero, found as
a root of the step itself; then the impacts of impact.py follow, and the rest of the step. Bodies that stay in contact
need the constraint of contact.py: this step stops there with the status RESTING.
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.contact.arrays import NEAR, SHORTENED
from ..kernels.contact.broad import find_contacts, put_reach
from ..kernels.contact.features import put_contact_frames
from ..kernels.contact.separation import lowest_gap, may_end, put_separations, start_gap
from ..kernels.record import store_state
from ..kernels.status import BOUNCES, CONTACTS, OK, RESTING
from ..kernels.turns import count_half_turns, face_dials
from .contact import CUTS, PARTS, ROOM, ROOTS, SHORTEST_TRIED, close_contacts, smallest_tolerance, some_take_part
from .contact_levels import FINE
from .explicit import step as runge_kutta_step
from .impact import resolve_impacts
from .rattle import prepare as prepare_joints
from .within_step import begin_bracket, inside_bracket, is_narrow, keep_start, narrow_bracket, recall_start


@njit
def stage_time(table, s):
    """The time of stage s as a fraction of the step."""
    stages, c = int(table[0]), 0.0
    for j in range(s):
        c += table[1 + s * stages + j]
    return c


@njit
def row_of_stage(table, s):
    """The row of signals of stage s, counted from the start of the step."""
    stages = int(table[0])
    return int(table[1 + (stages + 1) * stages + s])


@njit
def put_stage_signals(table, signals, before, varies, theta0, theta1, out):
    """The signals of all stages of the part from theta0 to theta1 of a step, as polynomials through those of its
    stages. The last row is that of the end."""
    stages, last = int(table[0]), int(table[table.shape[0] - 1])
    for q in range(stages + 1):
        row = last if q == stages else row_of_stage(table, q)
        theta = theta1 if q == stages else theta0 + (theta1 - theta0) * stage_time(table, q)
        for k in range(out.shape[1]):
            out[row, k] = signals[before, k] if varies == 0 else 0.0
        if varies == 0:
            continue
        for j in range(last + 1):
            factor, x = 1.0, node_time(table, j)
            for i in range(last + 1):
                if i != j:
                    y = node_time(table, i)
                    factor *= (theta - y) / (x - y)
            for k in range(out.shape[1]):
                out[row, k] += factor * signals[before + j, k]


@njit
def node_time(table, row):
    """The time of a row of signals as a fraction of the step."""
    for s in range(int(table[0])):
        if row_of_stage(table, s) == row:
            return stage_time(table, s)
    return 1.0


@inline
def take_part(system, state, work, touch, h, left, cuts, number, table, signals, before, varies):
    """One part of a step of length h, of which `left` is left: (status, its length)."""
    points, bodies = touch.points, system.bodies
    put_stage_signals(table, signals, before, varies, 1.0 - left / h, 1.0, touch.signals)
    prepare_joints(system, state, work, touch.signals, h)
    put_reach(bodies, system.contacts, touch, left, state.p, state.L, work.f, work.tau)
    count = find_contacts(system.contacts, system.coordinates, touch, 0.0, state.a, state.B)
    if count > system.contacts.capacity:
        return CONTACTS, 0.0
    put_contact_frames(
        bodies, system.contacts, system.coordinates, points, count, False, state.a, state.B, state.angle
    )  # fmt: skip
    crowded = cuts >= CUTS
    if resolve_impacts(system, state, work, touch, count, h, number, h - left, crowded) > 0:
        return OK, 0.0
    close_contacts(system.contacts, points, count, h, False, False, touch.g0, touch.v0, touch.closed)
    if crowded or some_take_part(points, count):
        return RESTING, 0.0
    keep_start(state, touch.held)
    part, near, begun, status = left * touch.limit[0], points.number[NEAR], False, OK
    tau, trial = part, 0
    fine, ends = FINE * smallest_tolerance(points, count), may_end(system.contacts, points, count)
    put_separations(
        system.contacts, system.coordinates, points, count, state.a, state.B, state.angle, touch.separation
    )  # fmt: skip
    while True:
        if trial > 0:
            recall_start(touch.held, state)
        end = 1.0 - (left - tau) / h if tau < left else 1.0
        put_stage_signals(table, signals, before, varies, 1.0 - left / h, end, touch.signals)
        status = runge_kutta_step(system, state, work, tau, table, touch.signals, 0, varies)
        if status != OK and tau > SHORTEST_TRIED * h and trial < ROOTS:
            part = 0.5 * tau
            tau, begun, trial = part, False, trial + 1
            continue
        if status != OK or not ends or trial >= ROOTS:
            break
        f, _ = lowest_gap(
            system.contacts, system.coordinates, points, count, touch, near, tau, part, state.a, state.B, state.angle
        )  # fmt: skip
        if not begun:
            begun = True
            if f >= -fine:
                break
            begin_bracket(touch.bracket, start_gap(system.contacts, points, count, touch, near, part), part, f)
            state.memory[SHORTENED] += 1.0
        elif abs(f) <= fine or is_narrow(touch.bracket, h):
            break
        else:
            narrow_bracket(touch.bracket, tau, f)
        tau, trial = inside_bracket(touch.bracket, trial % 6 == 5 or trial > ROOTS // 3), trial + 1
    return status, tau


@inline
def step(system, state, work, touch, h, number, table, signals, before, varies):
    """One step of length h, in parts. Returns a status."""
    left, cut_before, status = h, state.memory[SHORTENED], BOUNCES
    for _ in range(PARTS):
        cuts = state.memory[SHORTENED] - cut_before
        code, tau = take_part(system, state, work, touch, h, left, cuts, number, table, signals, before, varies)
        if code != OK or tau >= left:
            status = code
            break
        left -= tau
    return status


def prepare(system, state, work, signals, h):
    """Nothing: a step begins from its state alone."""


@njit
def rollout(system, state, everything, h, table, signals, first, steps, every, record):
    """As in runge_kutta.py: (status, steps taken); ends early when the log of impacts is nearly full."""
    touch, work = everything.touch, everything.work
    varies, rows = 1 if signals.shape[0] > 1 else 0, int(table[table.shape[0] - 1])
    face_dials(system.dials, state.B, state.L, state.half_turns, work.facing)
    n = 0
    while n < steps and touch.logged[0] + ROOM < touch.log.shape[0]:
        status = step(system, state, work, touch, h, float(first + n), table, signals, varies * n * rows, varies)
        if status != OK:
            return status, n
        count_half_turns(system.dials, h, state.B, state.L, state.half_turns, work.facing)
        n += 1
        if (first + n) % every == 0:
            store_state(record, (first + n) // every, state)
    return OK, n
