"""The exact derivative of the accelerations at a state, (1) of kernels/dynamics.py.

With F = (f, τ + L × ω) + Gᵀλ the total forces and α = M⁻¹F, the frames of tangent_arrays.py and K the derivative of the
applied forces and of Gᵀλ at constant λ, C that with respect to momenta, Γ δl = B δ(L × ω) and R(x) δq = δ(G x),

    δF = K δq + (C + Γ) δp + Gᵀδλ,          R(α) δq + G M⁻¹ δF + δγ = 0        for constraints,                     (1)
                                            δλ = −c (G M⁻¹ δp + R(v) δq)       for a damper with the coefficient c.

δγ = Q δq + T M⁻¹ δp is in kernels/tangent_bias.py. Prescribed accelerations do not depend on the state.

The stages of Runge–Kutta satisfy the joints to a few digits only. There an angle q, that of the direction W of body j
in the plane of two directions C, S of body i, with c = C·W and s = S·W, changes by

    δq = Y·(δφ_j − δφ_i),        Y = (c W × S − s W × C)/(c² + s²),                                                 (2)

and Y is the axis U of the joint only where W is perpendicular to it.
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.arrays import H_PIVOTS, S_PIVOTS
from ..kernels.coordinates import overshoot, to_world
from ..kernels.dynamics import fastest_rate, move_steadily
from ..kernels.kinds import ANGLE, TAPE
from ..kernels.potential import to_body
from ..kernels.row_tapes import tape_time
from ..kernels.tangent import (
    add_impulses,
    add_product,
    add_rates,
    copy_panel,
    divide_by_masses,
    rotate_entries,
    solve_panel,
    velocities,
)
from ..kernels.tangent_arrays import FLAT_G1, FLAT_R, FLAT_R1, FLAT_V0, FLAT_V1
from ..kernels.tangent_bias import row_bias_change, symmetric_contraction, tape_bias_change
from ..kernels.tangent_blocks import add_outer
from ..kernels.tangent_forces import force_blocks
from ..kernels.tangent_formulas import add_tape_row, tape_blocks, tape_rates
from ..kernels.tangent_rows import add_row, contract, row_rates
from ..kernels.vectors import cross, dot
from .tangent import damper_forces, zero_soft


@njit
def gyroscopic_change(bodies, B, b, L, l0, l1, l2):
    """Γ δl of body b, world axes."""
    d = to_body(B, b, l0, l1, l2)
    i0, i1, i2 = bodies.inverse_inertia[b, 0], bodies.inverse_inertia[b, 1], bodies.inverse_inertia[b, 2]
    L0, L1, L2 = L[b, 0], L[b, 1], L[b, 2]
    return to_world(
        B,
        b,
        (
            (i2 - i1) * (d[1] * L2 + L1 * d[2]),
            (i0 - i2) * (d[2] * L0 + L2 * d[0]),
            (i1 - i0) * (d[0] * L1 + L0 * d[1]),
        ),
    )


@njit
def add_gyroscopic_changes(bodies, B, L, dp, x):
    """x += Γ δl."""
    for b in range(1, L.shape[0]):
        r = 6 * b + 3
        for q in range(x.shape[1]):
            t = gyroscopic_change(bodies, B, b, L, dp[r, q], dp[r + 1, q], dp[r + 2, q])
            x[r, q] += t[0]
            x[r + 1, q] += t[1]
            x[r + 2, q] += t[2]


@njit
def add_tilted_stiffness(coordinates, link, angle, B, K):
    """Correct the stiffness of angles by (2), which tangent_forces.py has with Y = U."""
    for c in range(angle.shape[0]):
        if coordinates.kind[c] != ANGLE:
            continue
        slope = -coordinates.stiffness[c]
        if overshoot(coordinates, c, angle[c]) != 0.0:
            slope -= coordinates.stop[c]
        if slope != 0.0:
            i, j = coordinates.body[c, 0], coordinates.body[c, 1]
            U, W = to_world(B, i, coordinates.axis[c]), to_world(B, j, coordinates.hand[c])
            C, S = to_world(B, i, coordinates.dial[c, 0]), to_world(B, i, coordinates.dial[c, 1])
            x, y = dot(C, W), dot(S, W)
            s, WC, WS = 1.0 / (x * x + y * y), cross(W, C), cross(W, S)
            Y = (
                s * (x * WS[0] - y * WC[0]) - U[0],
                s * (x * WS[1] - y * WC[1]) - U[1],
                s * (x * WS[2] - y * WC[2]) - U[2],
            )
            for m in range(2):
                for n in range(2):
                    add_outer(K, link[c, m, n], 3, 3, slope if m == n else -slope, U, Y)


@njit
def bias_changes(rows, coordinates, tapes, bodies, tangent, a, B, p, L, t, registers, rolls, a1, B1):
    """Q into tangent.R1 and T into tangent.P, at a state with its velocities in tangent.start.v; a1, B1: scratch."""
    links, w, v = tangent.links, tangent.start.lever, tangent.start.v
    for r in range(rows.kind.shape[0]):
        if rows.kind[r] == TAPE:
            tape_bias_change(
                tapes, links.tape[r], rows.entry[r], a, B, bodies, p, L, t, registers, tangent.d, tangent.R1, tangent.P
            )
        else:
            tangent.one[:, :, :] = 0.0
            add_row(rows, coordinates, r, 1.0, a, B, links.local, w, tangent.one)
            symmetric_contraction(rows.entry[r], links.slot[r], links.local, tangent.one, v, tangent.P)
            row_bias_change(rows, coordinates, r, a, B, v, tangent.R1)
    if rolls:
        rolling_bias_changes(rows, coordinates, bodies, tangent, a, B, p, L, a1, B1)


@njit
def rolling_bias_changes(rows, coordinates, bodies, tangent, a, B, p, L, a1, B1):
    """Q of all rows that are not tapes by the differences of `bias` in dynamics.py."""
    links, R, Q = tangent.links, tangent.R, tangent.R1
    for r in range(rows.kind.shape[0]):
        if rows.kind[r] != TAPE:
            for k in range(4):
                for m in range(6):
                    Q[rows.entry[r, k], m] = 0.0
    rate = fastest_rate(bodies, rows, p, L)
    t = 1e-3 / rate if rate > 0.0 else 1.0
    for k in range(4):
        step = (-2.0, -1.0, 1.0, 2.0)[k]
        weight = (1.0, -8.0, 8.0, -1.0)[k] / (12.0 * t)
        move_steadily(bodies, step * t, a, B, p, L, a1, B1)
        velocities(bodies, B1, p, L, tangent.start.v)
        for r in range(rows.kind.shape[0]):
            if rows.kind[r] != TAPE:
                row_rates(
                    rows, coordinates, r, links.slot[r], a1, B1, tangent.start.v, links.local, tangent.start.lever,
                    tangent.one, R,
                )  # fmt: skip
                add_once(weight, rows.entry[r], R, Q)


@njit
def add_once(c, entry, R, Q):
    """Q += c R at the entries of a row; two of them may be the same."""
    for k in range(4):
        new = True
        for n in range(k):
            new = new and entry[n] != entry[k]
        if new:
            for m in range(6):
                Q[entry[k], m] += c * R[entry[k], m]


@njit
def row_terms(rows, coordinates, tapes, bodies, tangent, a, B, lam, P, L, t, registers, moving):
    """K += Σ λ_r K_r, and R(M⁻¹(P, L)) into tangent.R; moving: with the change of ∂g/∂t, which is part of the rates. It
    has no argument `system`, a tuple of a hundred arrays that is slow to compile."""
    links, w, v, one = tangent.links, tangent.start.lever, tangent.start.v, tangent.one
    velocities(bodies, B, P, L, v)
    for r in range(rows.kind.shape[0]):
        if rows.kind[r] == TAPE:
            tape_blocks(tapes, links.tape[r], a, B, t, registers, tangent.d, links.local, one[16], one)
            add_tape_row(lam[r], links.local, links.row[r], tapes.bodies[links.tape[r]], one, tangent.K)
            if moving:
                tape_rates(rows.entry[r], links.slot[r], links.local, one, one[16], v, tangent.R)
            else:
                contract(rows.entry[r], links.slot[r], links.local, one, v, tangent.R)
        else:
            if lam[r] != 0.0:
                add_row(rows, coordinates, r, lam[r], a, B, links.row[r], w, tangent.K)
            row_rates(rows, coordinates, r, links.slot[r], a, B, v, links.local, w, one, tangent.R)


@inline
def force_changes(system, tangent, a, B, p, L, angle, signals, row, refine, work, f, tau, lam):
    """δF of (1) into tangent.x for the changes tangent.dq and dp of a state; f, tau, lam, work.G and work.H are those
    of `solve_accelerations` there. On return tangent.G1 and V1 have the Jacobian of the state, world axes."""
    rows, blocks, x = system.rows, system.blocks, tangent.x
    force_blocks(
        system, tangent.links, a, B, p, L, angle, signals, row, tangent.start.lever, work.registers, tangent.d,
        tangent.K, tangent.C,
    )  # fmt: skip
    add_tilted_stiffness(system.coordinates, tangent.links.coordinate, angle, B, tangent.K)
    x[:, :] = 0.0
    add_product(tangent.links.body, 1.0, tangent.flat_K, tangent.dq, x)
    if system.formulas.forces > 0:
        add_product(tangent.links.body, 1.0, tangent.flat_C, tangent.dp, x)
    add_gyroscopic_changes(system.bodies, B, L, tangent.dp, x)
    if rows.kind.shape[0] > 0:
        t = tape_time(system, signals, row)
        rotate_entries(blocks, B, work.G, tangent.G1)
        divide_by_masses(system.bodies, blocks, B, tangent.G1, tangent.V1)
        tangent.K[:, :, :] = 0.0
        if system.damped:
            for r in range(work.x.shape[0]):
                work.x[r] = 0.0
            row_terms(
                rows, system.coordinates, system.tapes, system.bodies, tangent, a, B, work.x, p, L, t, work.registers,
                True,
            )  # fmt: skip
            damper_forces(rows, blocks, tangent)
            add_impulses(blocks, 1.0, tangent.flat_entries[FLAT_G1], tangent.mu, x)
        row_terms(
            rows, system.coordinates, system.tapes, system.bodies, tangent, a, B, lam, f, tau, t, work.registers, False
        )
        add_product(tangent.links.body, 1.0, tangent.flat_K, tangent.dq, x)
        tangent.y[:, :] = 0.0
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_R], tangent.dq, tangent.y)
        velocities(system.bodies, B, p, L, tangent.start.v)
        bias_changes(
            rows, system.coordinates, system.tapes, system.bodies, tangent, a, B, p, L, t, work.registers, system.rolls,
            work.a, work.B,
        )  # fmt: skip
        divide_by_masses(system.bodies, blocks, B, tangent.P, tangent.V0)
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_R1], tangent.dq, tangent.y)
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_V0], tangent.dp, tangent.y)
        for _ in range(refine):
            copy_panel(tangent.y, tangent.u)
            add_rates(blocks, 1.0, tangent.flat_entries[FLAT_V1], x, tangent.u)
            zero_soft(rows, tangent.u)
            solve_panel(blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], tangent.u)
            zero_soft(rows, tangent.u)
            add_impulses(blocks, -1.0, tangent.flat_entries[FLAT_G1], tangent.u, x)
