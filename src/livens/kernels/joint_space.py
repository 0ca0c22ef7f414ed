"""The dynamics in joint coordinates q with rates v, from the equations of motion of all bodies.

Every freedom has a coordinate, and every coordinate a row: its gradient is C, that of the joints G. The rows [G; C] are
square and regular, so with S = [G; C] M⁻¹ [G; C]ᵀ and the index c of the rows of C

    (v, ω) = M⁻¹ [G; C]ᵀ S⁻¹ (0, v)          velocities of all bodies                                      (1)
    mass matrix = (S⁻¹)_cc                    because [G; C]⁻¹ = [·, Z] and the mass matrix is Zᵀ M Z         (2)
    efforts = λ_c  of  S λ = (0, v̇) − γ − [G; C] M⁻¹ f      the reactions of prescribed coordinates           (3)

with f all forces and gyroscopic torques. Inverse dynamics is (3), the bias is (3) with v̇ = 0. S is sparse: the cost is
linear in the number of bodies, for (2) times the number of coordinates.

Bodies are placed along a tree: with T₀ the pose of a body relative to its neighbour at the start and E_k the slides and
turns of their joint, in the axes of the joint's first body,

    T = E₁(q₁) E₂(q₂) … T₀,                                                                                 (4)

and joints that are not in the tree are closed by Newton's method on all rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .._jit import njit
from .arrays import H_PIVOTS, S_PIVOTS, Floats, Ints
from .constrain import apply_multipliers, constraint_rates, largest_violation
from .coordinates import coordinate_rate, coordinate_value, relative_rotation, to_world, update_coordinates
from .dynamics import REFINE, applied_forces, bias, factorise, solve_multipliers
from .exponential import rotation_coefficients
from .row_kinds.couple import coordinate_bias
from .row_tapes import all_violations
from .sparse import solve

SLIDE, TURN, BALL = 0, 1, 2  # elementary motions
MOST_ROUNDS = 30  # of Newton's method on positions


class Tree(NamedTuple):
    """The tree along which bodies are placed."""

    body: Ints  # in the order of placing (n − 1,)
    neighbour: Ints  # the body from which each is placed (n − 1,)
    reversed: Ints  # 1: the neighbour is the second body of the joint (n − 1,)
    place: Floats  # T₀: centre of mass of the second body from that of the first, its axes [m] (n − 1, 3)
    turn: Floats  # T₀: rotation (n − 1, 3, 3)
    first: Ints  # first motion of each (n,)
    kind: Ints  # SLIDE, TURN or BALL (k,)
    axis: Floats  # in the principal axes of the first body (k, 3)
    center: Floats  # a point of the axis, from the centre of mass of the first body [m] (k, 3)
    frame: Floats  # of BALL: the directions of its three coordinates, in the same axes, as columns (k, 3, 3)
    coordinate: Ints  # number of the coordinate, the first of three for BALL (k,)
    start: Floats  # the coordinates at the start (m,)


class Variables(NamedTuple):
    """How each coordinate is read from a state."""

    kind: Ints  # SLIDE, TURN or BALL (m,)
    component: Ints  # of the rotation vector of a BALL (m,)
    counted: Ints  # its place in State.angle, or −1 (m,)
    dial: Ints  # its place in State.half_turns, or −1 (m,)
    relative: Floats  # of a BALL: rotation of the second body in the axes of the first at the start (m, 3, 3)
    frame: Floats  # of a BALL: directions of its coordinates in the axes of the first body, as columns (m, 3, 3)


@njit
def rotation_of(x, y, z):
    """exp of the rotation vector (x, y, z) [rad], as rows."""
    s, c, _ = rotation_coefficients(x * x + y * y + z * z)
    return (
        (1.0 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y),
        (c * x * y + s * z, 1.0 - c * (x * x + z * z), c * y * z - s * x),
        (c * x * z - s * y, c * y * z + s * x, 1.0 - c * (x * x + y * y)),
    )


@njit
def rotate(R, x):
    return (
        R[0][0] * x[0] + R[0][1] * x[1] + R[0][2] * x[2],
        R[1][0] * x[0] + R[1][1] * x[1] + R[1][2] * x[2],
        R[2][0] * x[0] + R[2][1] * x[1] + R[2][2] * x[2],
    )


@njit
def place_bodies(tree, q, a, B):
    """The poses (a, B) of all bodies of the tree at the coordinates q, by (4)."""
    for k in range(tree.body.shape[0]):
        b, n = tree.body[k], tree.neighbour[k]
        x = (tree.place[k, 0], tree.place[k, 1], tree.place[k, 2])
        c0 = (tree.turn[k, 0, 0], tree.turn[k, 1, 0], tree.turn[k, 2, 0])  # columns of the rotation
        c1 = (tree.turn[k, 0, 1], tree.turn[k, 1, 1], tree.turn[k, 2, 1])
        c2 = (tree.turn[k, 0, 2], tree.turn[k, 1, 2], tree.turn[k, 2, 2])
        for m in range(tree.first[k + 1] - 1, tree.first[k] - 1, -1):
            u, i = tree.axis[m], tree.coordinate[m]
            z = q[i] - tree.start[i]
            if tree.kind[m] == SLIDE:
                x = (x[0] + z * u[0], x[1] + z * u[1], x[2] + z * u[2])
                continue
            if tree.kind[m] == TURN:
                R = rotation_of(z * u[0], z * u[1], z * u[2])
            else:
                F = tree.frame[m]
                R = rotation_of(
                    F[0, 0] * q[i] + F[0, 1] * q[i + 1] + F[0, 2] * q[i + 2],
                    F[1, 0] * q[i] + F[1, 1] * q[i + 1] + F[1, 2] * q[i + 2],
                    F[2, 0] * q[i] + F[2, 1] * q[i + 1] + F[2, 2] * q[i + 2],
                )
            o = tree.center[m]
            y = rotate(R, (x[0] - o[0], x[1] - o[1], x[2] - o[2]))
            x = (o[0] + y[0], o[1] + y[1], o[2] + y[2])
            c0, c1, c2 = rotate(R, c0), rotate(R, c1), rotate(R, c2)
        if tree.reversed[k] == 0:
            y = to_world(B, n, x)
            d0, d1, d2 = to_world(B, n, c0), to_world(B, n, c1), to_world(B, n, c2)
        else:  # the inverse pose: −Rᵀx, Rᵀ
            y = to_world(B, n, (-dot(c0, x), -dot(c1, x), -dot(c2, x)))
            d0 = to_world(B, n, (c0[0], c1[0], c2[0]))
            d1 = to_world(B, n, (c0[1], c1[1], c2[1]))
            d2 = to_world(B, n, (c0[2], c1[2], c2[2]))
        for e in range(3):
            a[b, e] = a[n, e] + y[e]
            B[b, e, 0], B[b, e, 1], B[b, e, 2] = d0[e], d1[e], d2[e]


@njit
def dot(u, v):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@njit
def close_loops(system, exact, a, B, angle, signals, work):
    """Move the bodies until all rows are satisfied: rounds of Newton's method, or −1 if it does not converge. exact:
    1 for rows that count; the coordinates of balls are satisfied by placing."""
    last = 1e300
    for k in range(MOST_ROUNDS):
        all_violations(system, a, B, angle, signals, 0, work, work.g)
        for r in range(work.g.shape[0]):
            if exact[r] == 0:
                work.g[r] = 0.0
        e, _ = largest_violation(system.rows, work.g)
        if e <= 0.5 or (e <= 100.0 and e > 0.5 * last):
            update_coordinates(system.coordinates, a, B, angle)
            return k
        if not e < 1e300:
            return -1
        last = e
        factorise(system, a, B, signals, 0, work)
        back_solve(system, work, work.g)
        for b in range(a.shape[0]):
            for m in range(3):
                work.f[b, m] = 0.0
                work.tau[b, m] = 0.0
        apply_multipliers(system.blocks, work.G, -1.0, work.g, work.f, work.tau)
        for b in range(1, a.shape[0]):
            i = system.bodies.inverse_inertia[b]
            R = rotation_of(i[0] * work.tau[b, 0], i[1] * work.tau[b, 1], i[2] * work.tau[b, 2])
            for m in range(3):
                a[b, m] += system.bodies.inverse_mass[b] * work.f[b, m]
                x, y, z = B[b, m, 0], B[b, m, 1], B[b, m, 2]
                B[b, m, 0] = x * R[0][0] + y * R[1][0] + z * R[2][0]
                B[b, m, 1] = x * R[0][1] + y * R[1][1] + z * R[2][1]
                B[b, m, 2] = x * R[0][2] + y * R[1][2] + z * R[2][2]
    return -1


@njit
def momenta(system, rows, v, work, p, L):
    """The momenta of all bodies at the rates v, by (1), with the factors of work.H; corrected once."""
    for b in range(p.shape[0]):
        for m in range(3):
            p[b, m] = 0.0
            L[b, m] = 0.0
    for _ in range(2):
        constraint_rates(system.bodies, system.blocks, work.G, p, L, work.x)
        for r in range(work.x.shape[0]):
            work.x[r] = 0.0 if system.rows.rate[r] > 0.0 else -work.x[r]
        for k in range(rows.shape[0]):
            work.x[rows[k]] += v[k]
        back_solve(system, work, work.x)
        apply_multipliers(system.blocks, work.G, 1.0, work.x, p, L)


@njit
def mass_matrix(system, rows, work, M):
    """(2), with the factors of work.H."""
    for k in range(rows.shape[0]):
        for r in range(work.x.shape[0]):
            work.x[r] = 0.0
        work.x[rows[k]] = 1.0
        back_solve(system, work, work.x)
        for m in range(rows.shape[0]):
            M[m, k] = work.x[rows[m]]
    for k in range(rows.shape[0]):
        for m in range(k):
            M[k, m] = 0.5 * (M[k, m] + M[m, k])
            M[m, k] = M[k, m]


@njit
def state_at(system, tree, rows, entry, exact, q, v, signals, work, a, B, angle, p, L):
    """The state at the coordinates q and the rates v, from the configuration (a, B), which is near for mechanisms with
    loops, with the factors of S there: rounds of Newton's method, or −1. entry: of each compiled coordinate, its number
    among the independent ones, or −1."""
    place_bodies(tree, q, a, B)
    for c in range(angle.shape[0]):
        if entry[c] >= 0:  # angles over many turns
            angle[c] = signals[0, system.rows.signal[rows[entry[c]]]]
    rounds = close_loops(system, exact, a, B, angle, signals, work)
    factorise(system, a, B, signals, 0, work)
    momenta(system, rows, v, work, p, L)
    return rounds


@njit
def efforts_at(system, rows, a, B, angle, p, L, signals, work, lam, efforts):
    """The efforts (3) at a state, with the factors of S there, for the accelerations that are in `signals`."""
    applied_forces(system, a, B, angle, p, L, signals, 0, work, work.f, work.tau)
    bias(system, a, B, p, L, signals, 0, work)
    solve_multipliers(system, p, L, signals, 0, REFINE, work, work.f, work.tau, lam)
    for k in range(rows.shape[0]):
        efforts[k] = lam[rows[k]]


@njit
def equations_of_state(system, rows, a, B, angle, p, L, signals, work, lam, M, efforts):
    """At a state: the mass matrix (2) and the efforts (3)."""
    factorise(system, a, B, signals, 0, work)
    efforts_at(system, rows, a, B, angle, p, L, signals, work, lam, efforts)
    mass_matrix(system, rows, work, M)


@njit
def equations(system, tree, rows, entry, exact, q, v, signals, work, a, B, angle, p, L, lam, M, efforts):
    """At q and v: the mass matrix (2), unless M is empty, and the efforts (3); as `state_at`."""
    rounds = state_at(system, tree, rows, entry, exact, q, v, signals, work, a, B, angle, p, L)
    efforts_at(system, rows, a, B, angle, p, L, signals, work, lam, efforts)
    if M.shape[0] > 0:
        mass_matrix(system, rows, work, M)
    return rounds


@njit
def back_solve(system, work, x):
    """x ← S⁻¹ x, without dampers."""
    solve(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], x)


@njit
def velocity_map(system, rows, a, B, signals, work, out):
    """Z: (v, ω) of all bodies, world axes and principal axes, per unit rate of each coordinate (m, n, 6)."""
    factorise(system, a, B, signals, 0, work)
    for k in range(rows.shape[0]):
        for r in range(work.x.shape[0]):
            work.x[r] = 0.0
        work.x[rows[k]] = 1.0
        back_solve(system, work, work.x)
        for b in range(out.shape[1]):
            for m in range(3):
                work.f[b, m] = 0.0
                work.tau[b, m] = 0.0
        apply_multipliers(system.blocks, work.G, 1.0, work.x, work.f, work.tau)
        for b in range(out.shape[1]):
            for m in range(3):
                out[k, b, m] = system.bodies.inverse_mass[b] * work.f[b, m]
                out[k, b, 3 + m] = system.bodies.inverse_inertia[b, m] * work.tau[b, m]


@njit
def read_coordinates(coordinates, variables, angle, half_turns, near, a, B, q):
    """The coordinates q at a configuration. Angles over many turns are in `angle` or follow from `half_turns`, where
    these are not empty; others are those nearest to `near`, rotation vectors below half a turn."""
    for k in range(q.shape[0]):
        if variables.counted[k] >= 0 and angle.shape[0] > 0:
            q[k] = angle[variables.counted[k]]
        elif variables.kind[k] != BALL:
            about = near[k]
            if variables.dial[k] >= 0 and half_turns.shape[0] > 0 and not math.isnan(half_turns[variables.dial[k]]):
                about = (half_turns[variables.dial[k]] + 0.5) * math.pi
            q[k] = coordinate_value(coordinates, k, a, B, about)
        elif variables.component[k] == 0:
            x, y, z = relative_rotation(coordinates.body[k], variables.relative[k], B)
            F = variables.frame[k]
            q[k] = F[0, 0] * x + F[1, 0] * y + F[2, 0] * z
            q[k + 1] = F[0, 1] * x + F[1, 1] * y + F[2, 1] * z
            q[k + 2] = F[0, 2] * x + F[1, 2] * y + F[2, 2] * z


@njit
def read_rates(bodies, coordinates, a, B, p, L, v):
    """The rates v at a state; those of a BALL are the relative angular velocity, as those of an angle."""
    for k in range(v.shape[0]):
        v[k] = coordinate_rate(bodies, coordinates, k, a, B, p, L)


@njit
def read_record(bodies, coordinates, variables, record, near, q, v):
    """The coordinates and rates at every state of a record."""
    for i in range(q.shape[0]):
        read_rates(bodies, coordinates, record.a[i], record.B[i], record.p[i], record.L[i], v[i])
        read_coordinates(
            coordinates, variables, record.angle[i], record.half_turns[i], near, record.a[i], record.B[i], q[i]
        )


@njit
def read_accelerations(bodies, coordinates, record, f, tau, out):
    """The second derivatives of the coordinates at every state of a record, with the total forces f and torques τ."""
    for i in range(out.shape[0]):
        a, B, p, L = record.a[i], record.B[i], record.p[i], record.L[i]
        for k in range(out.shape[1]):
            out[i, k] = coordinate_rate(bodies, coordinates, k, a, B, f[i], tau[i])
            out[i, k] += coordinate_bias(bodies, coordinates, k, a, B, p, L)
