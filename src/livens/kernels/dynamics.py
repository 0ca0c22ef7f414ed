"""Accelerations and reactions at a state, without stepping.

    M (v̇, ω̇) = (f, τ + L × ω) + Gᵀλ,      G (v̇, ω̇) + γ = φ̈,      γ = d/dt (G (v, ω)) at constant v and ω           (1)

so S λ = φ̈ − γ − G M⁻¹(f, τ + L × ω). γ is exact (rows.py, and row_tapes.py for user-written rows), except with
rolling: there the rates are differentiated along the free motion, by differences of fourth order. The force of a damper
follows from its rate.

Where rows are redundant, S + ε D is solved instead of S, and the residual is corrected until it is round-off, which
remains in the null space of S, divided by ε. With y = lim Pᵏ λ, P = ε (S + ε D)⁻¹ D, the projection of λ onto it,

    λ ← λ − y        has the minimum norm in the metric D.                                                          (2)
"""

from __future__ import annotations

import math

from .._jit import inline, njit
from .arrays import ACCELERATION, H_PIVOTS, S_PIVOTS
from .constrain import apply_multipliers, constraint_rates, largest_violation
from .contact.forces import add_contact_forces
from .forces import forces, user_forces
from .kinds import VELOCITY_ONLY
from .row_tapes import all_jacobians, all_rates, tape_bias_terms, tape_time
from .row_tapes import all_violations as rows_defects
from .rows import bias_terms, jacobians
from .sparse import TINY, add_compliance, assemble, factor, remove_dampers, solve
from .trigonometry import LARGEST_ANGLE, sine_and_cosine

REFINE = 12  # corrections of multipliers, at most
POWERS = 40  # of P in (2), at most
STEADY = 1e-6  # a change of |y|² below this, relative to it, ends (2): the round-off of S over ε is less
GONE = 1e-30  # |y|² below this, relative to |λ|², is round-off
REMOVALS = 3  # of y from λ, at most: each leaves the round-off of S over ε of it


@njit
def move_steadily(bodies, t, a0, B0, p, L, a1, B1):
    """The configuration after time t at constant velocity p/m and constant angular velocity J⁻¹L in the body frame."""
    for b in range(a0.shape[0]):
        w0 = bodies.inverse_inertia[b, 0] * L[b, 0]
        w1 = bodies.inverse_inertia[b, 1] * L[b, 1]
        w2 = bodies.inverse_inertia[b, 2] * L[b, 2]
        w = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
        half = 0.5 * t * w
        c = 0.0
        if w > 0.0:
            c = math.nan
            if abs(half) < LARGEST_ANGLE:
                sine, cosine = sine_and_cosine(half)
                c = sine / (cosine * w)
        x, y, z = c * w0, c * w1, c * w2
        s = 2.0 / (1.0 + x * x + y * y + z * z)
        for k in range(3):
            a1[b, k] = a0[b, k] + t * bodies.inverse_mass[b] * p[b, k]
            b0, b1, b2 = B0[b, k, 0], B0[b, k, 1], B0[b, k, 2]
            c0, c1, c2 = b1 * z - b2 * y, b2 * x - b0 * z, b0 * y - b1 * x  # row of B x̂
            B1[b, k, 0] = b0 + s * (c0 + c1 * z - c2 * y)
            B1[b, k, 1] = b1 + s * (c1 + c2 * x - c0 * z)
            B1[b, k, 2] = b2 + s * (c2 + c0 * y - c1 * x)


@njit
def fastest_rate(bodies, rows, p, L):
    """The fastest rate of change in the system [1/s], for the step of the differences."""
    most = 0.0
    size = 0.0
    for r in range(rows.kind.shape[0]):
        for k in range(3):
            size = max(size, abs(rows.point[r, 0, k]), abs(rows.point[r, 1, k]))
    for b in range(1, p.shape[0]):
        for k in range(3):
            most = max(most, abs(bodies.inverse_inertia[b, k] * L[b, k]))
            if size > 0.0:
                most = max(most, abs(bodies.inverse_mass[b] * p[b, k]) / size)
    return most


@inline
def bias(system, a, B, p, L, signals, row, work):
    """γ of (1) into work.lam."""
    if system.rolls:
        for r in range(work.lam.shape[0]):
            work.lam[r] = 0.0
        rate = fastest_rate(system.bodies, system.rows, p, L)
        t = 1e-3 / rate if rate > 0.0 else 1.0
        for k in range(4):
            step = (-2.0, -1.0, 1.0, 2.0)[k]
            weight = (1.0, -8.0, 8.0, -1.0)[k] / (12.0 * t)
            move_steadily(system.bodies, step * t, a, B, p, L, work.a, work.B)
            jacobians(system.rows, system.coordinates, work.a, work.B, work.N)
            constraint_rates(system.bodies, system.blocks, work.N, p, L, work.x)
            for r in range(work.lam.shape[0]):
                work.lam[r] += weight * work.x[r]
    else:
        bias_terms(system.rows, system.coordinates, system.bodies, a, B, p, L, work.lam)
    if system.tapes.row.shape[0] > 0:
        t = tape_time(system, signals, row)
        tape_bias_terms(system.tapes, system.bodies, a, B, p, L, t, work.registers, work.lam)


@njit
def gyroscopic_torque(bodies, b, L0, L1, L2):
    """L × ω of body b. Differences of the inverse moments come first: they vanish exactly for equal moments, and
    rounding errors of the products would be divided by the small third moment of a slender body."""
    i0, i1, i2 = bodies.inverse_inertia[b, 0], bodies.inverse_inertia[b, 1], bodies.inverse_inertia[b, 2]
    return (i2 - i1) * L1 * L2, (i0 - i2) * L2 * L0, (i1 - i0) * L0 * L1


@njit
def add_gyroscopic_torque(bodies, L, tau):
    """τ += L × ω, the gyroscopic torque."""
    for b in range(1, L.shape[0]):
        t0, t1, t2 = gyroscopic_torque(bodies, b, L[b, 0], L[b, 1], L[b, 2])
        tau[b, 0] += t0
        tau[b, 1] += t1
        tau[b, 2] += t2


@njit
def damper_forces(rows, x, y):
    """y = −c x for dampers, 0 for constraints."""
    for r in range(y.shape[0]):
        y[r] = -rows.rate[r] * x[r]


@njit
def acceleration_residual(rows, signals, i, gamma, g):
    """g += γ − φ̈ for constraints, 0 for dampers."""
    for r in range(g.shape[0]):
        g[r] += gamma[r]
        if rows.signal[r] >= 0:
            g[r] -= signals[i, rows.signal[r] + ACCELERATION]
        if rows.rate[r] > 0.0:
            g[r] = 0.0


@inline
def factorise_rows(system, work):
    """The factors of S without dampers, for the gradients in work.G, into work.H."""
    assemble(system.bodies, system.blocks, work.G, work.G, True, work.S)
    add_compliance(system.rows, system.blocks, system.shift, 1.0, work.S, work.diagonal)
    if system.damped:
        remove_dampers(system.blocks, work.S, work.H)
    factor(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], TINY)


@inline
def factorise(system, a, B, signals, row, work):
    """The gradients of all rows at (a, B) into work.G, and the factors of S without dampers into work.H."""
    all_jacobians(system, a, B, signals, row, work, work.partial, work.G)
    factorise_rows(system, work)


@inline
def applied_forces(system, a, B, angle, p, L, signals, row, work, f, tau):
    """All forces and torques except those of the rows, gyroscopic torques included."""
    forces(system, a, B, p, L, angle, signals, row, work, f, tau)
    user_forces(system, a, B, p, L, signals, row, work, f, tau)
    add_gyroscopic_torque(system.bodies, L, tau)


@inline
def solve_multipliers(system, p, L, signals, row, refine, work, f, tau, lam):
    """λ of (1), from `factorise`, `bias` and `applied_forces`, with at most `refine` corrections; its forces are added
    to f and τ."""
    for r in range(lam.shape[0]):
        lam[r] = 0.0
    if system.damped:
        constraint_rates(system.bodies, system.blocks, work.G, p, L, work.x)
        damper_forces(system.rows, work.x, lam)
        apply_multipliers(system.blocks, work.G, 1.0, lam, f, tau)
    start = last = 1e300
    for k in range(refine):
        constraint_rates(system.bodies, system.blocks, work.G, f, tau, work.x)
        acceleration_residual(system.rows, signals, row, work.lam, work.x)
        if refine > 1:
            e, _ = largest_violation(system.rows, work.x)
            if k == 0:
                start = e
            if e <= 1e-14 * start or (k > 1 and e > 0.3 * last):
                break
            last = e
        solve(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], work.x)
        for r in range(work.x.shape[0]):
            lam[r] -= work.x[r]
        apply_multipliers(system.blocks, work.G, -1.0, work.x, f, tau)


@njit
def remove_null_space(system, work, lam):
    """(2), with the factors of S + ε D in work.H; dampers keep their forces."""
    rows, x = system.rows, work.x
    pivot = work.pivot[H_PIVOTS if system.damped else S_PIVOTS]
    for _ in range(REMOVALS):
        for r in range(lam.shape[0]):
            x[r] = lam[r] if rows.rate[r] == 0.0 else 0.0
        whole = part = squared(rows, x)
        before = math.inf
        for _ in range(POWERS):
            if before - part <= STEADY * part or part <= GONE * whole:
                break
            before = part
            for r in range(lam.shape[0]):
                x[r] *= system.shift * rows.metric[r]
            solve(system.blocks, work.H, pivot, x)
            part = squared(rows, x)
        else:
            break  # rows are nearly redundant: P is not precise enough to tell them apart
        for r in range(lam.shape[0]):
            lam[r] -= x[r]
        if part <= GONE * whole:
            break


@njit
def squared(rows, x):
    """|x|² in the metric of the multipliers."""
    found = 0.0
    for r in range(x.shape[0]):
        found += rows.metric[r] * x[r] * x[r]
    return found


@inline
def solve_accelerations(system, a, B, angle, p, L, signals, row, refine, work, f, tau, lam):
    """Total forces f, torques τ (so that v̇ = f/m, ω̇ = J⁻¹τ) and multipliers λ at a state, by (1), with at most `refine`
    corrections; on return work.H has the factors of S without dampers."""
    applied_forces(system, a, B, angle, p, L, signals, row, work, f, tau)
    if lam.shape[0] > 0:
        bias(system, a, B, p, L, signals, row, work)
        factorise(system, a, B, signals, row, work)
        solve_multipliers(system, p, L, signals, row, refine, work, f, tau, lam)


@njit
def accelerations_of_record(system, record, signals, work, f, tau, lam):
    """Total forces, torques and multipliers at every state of a record, with the contact forces of its steps."""
    for i in range(f.shape[0]):
        a, B, p, L = record.a[i], record.B[i], record.p[i], record.L[i]
        applied_forces(system, a, B, record.angle[i], p, L, signals, i, work, f[i], tau[i])
        if system.contacts.capacity > 0 and record.memory.shape[1] > 0:
            add_contact_forces(system.contacts, system.coordinates, record.memory[i], a, B, f[i], tau[i])
        if lam.shape[1] > 0:
            bias(system, a, B, p, L, signals, i, work)
            factorise(system, a, B, signals, i, work)
            solve_multipliers(system, p, L, signals, i, REFINE, work, f[i], tau[i], lam[i])
            if system.shift > 0.0:
                remove_null_space(system, work, lam[i])


@njit
def violations_of_record(system, record, signals, work, position, velocity):
    """Violations in position and velocity of every row at every state of a record; 0 for dampers."""
    for i in range(position.shape[0]):
        a, B = record.a[i], record.B[i]
        rows_defects(system, a, B, record.angle[i], signals, i, work, position[i])
        all_jacobians(system, a, B, signals, i, work, work.partial, work.G)
        all_rates(system, work.G, record.p[i], record.L[i], signals, i, 0.0, work, velocity[i])
        for r in range(position.shape[1]):
            if system.rows.kind[r] >= VELOCITY_ONLY or system.rows.rate[r] > 0.0:
                position[i, r] = 0.0
            if system.rows.rate[r] > 0.0:
                velocity[i, r] = 0.0


@njit
def wrenches_of_record(system, record, signals, lam, work, block, side, out):
    """Force (world) and body torque about the centre that one block exerts on the body of one of its sides."""
    e, first = system.blocks.side_entry[side], system.blocks.row[block]
    for i in range(out.shape[0]):
        all_jacobians(system, record.a[i], record.B[i], signals, i, work, work.partial, work.G)
        for k in range(6):
            s = 0.0
            for y in range(system.blocks.row[block + 1] - first):
                s += lam[i, first + y] * work.G[e + y, k]
            out[i, k] = s
