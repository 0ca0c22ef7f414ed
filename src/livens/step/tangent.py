"""The exact derivative of the stages of `lv.Livens`: m small changes of the state are carried along a run.

A stage of length h solves, for λ, q₁, μ and p₁ (rattle.py),

    p⁺ = p₀ + h/2 (f(q₀) + G₀ᵀλ),   (q₁, p⁻) = drift(q₀, p⁺),   g(q₁) = 0,
    p₁ = p⁻ + h/2 (f(q₁) + G₁ᵀμ),   G₁ v₁ = 0.

By the theorem of implicit functions, with K the derivative of f + Gᵀλ (tangent_forces.py, tangent_rows.py) and D that
of the drift, (1) of kernels/tangent.py,

    δp⁺ = δp₀ + h/2 (K₀ δq₀ + G₀ᵀδλ),       G₁ δq₁ = 0:         (G₁ D G₀ᵀ) (h/2) δλ = −G₁ δq₁ at δλ = 0            (1)
    δp₁ = δp⁻ + h/2 (K₁ δq₁ + G₁ᵀδμ),       G₁ M⁻¹ δp₁ + R₁ δq₁ = 0,  R₁ δq = δ(G) v₁:    S(q₁) as in the step      (2)

A damper has its compliance in (2); the change of its force at the start of a stage is that at the end of the last one.
For nonholonomic rows (1) is the change of (h/2)(G₀v⁺ + G₁v⁻). Velocity-dependent forces of the user change by C δp₁ in
(2): fixed-point passes, which contract as those of the step do. The state itself is advanced by the rollout.
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.arrays import CONDITION, H_PIVOTS, MU, S_PIVOTS
from ..kernels.force_tapes import PASSES
from ..kernels.kinds import TAPE, VELOCITY_ONLY
from ..kernels.row_tapes import tape_time
from ..kernels.singular import copy
from ..kernels.sparse import remove_dampers
from ..kernels.sparse_lu import factor_lu
from ..kernels.spin import kick
from ..kernels.status import OK, STIFF
from ..kernels.tangent import (
    add_impulses,
    add_product,
    add_rates,
    add_sources,
    apply_drift,
    assemble_product,
    copy_panel,
    divide_by_masses,
    drift_derivative,
    rotate_entries,
    solve_lu_panel,
    solve_panel,
    velocities,
)
from ..kernels.tangent_arrays import FLAT_G0, FLAT_G1, FLAT_R, FLAT_R0, FLAT_R1, FLAT_V0, FLAT_V1
from ..kernels.tangent_forces import force_blocks
from ..kernels.tangent_formulas import add_tape_row, tape_blocks, tape_rates
from ..kernels.tangent_rows import add_row, row_rates
from .singular_end import LOST

ILL_CONDITIONED = 1e4  # condition of S from which on the solutions of (1) and (2) are refined
ROUND_OFF = 1e-15  # relative change of a panel that counts as none


@njit
def save_start(system, state, work, tangent):
    """Copy what a stage overwrites."""
    s = tangent.start
    for b in range(state.a.shape[0]):
        for i in range(3):
            s.a[b, i], s.p[b, i], s.L[b, i] = state.a[b, i], state.p[b, i], state.L[b, i]
            s.f[b, i], s.tau[b, i] = work.f[b, i], work.tau[b, i]
            for j in range(3):
                s.B[b, i, j] = state.B[b, i, j]
    copy(state.angle, s.angle)
    rotate_entries(system.blocks, state.B, work.G, tangent.G0)
    divide_by_masses(system.bodies, system.blocks, state.B, tangent.G0, tangent.V0)


@inline
def add_row_blocks(system, tangent, a, B, lam, t, registers):
    """K += Σ λ_r K_r."""
    links, w = tangent.links, tangent.start.lever
    for r in range(system.rows.kind.shape[0]):
        if system.rows.kind[r] == TAPE:
            n = system.tapes.bodies[links.tape[r]]
            tape_blocks(
                system.tapes, links.tape[r], a, B, t, registers, tangent.d, links.local, tangent.one[16], tangent.one
            )
            add_tape_row(lam[r], links.local, links.row[r], n, tangent.one, tangent.K)
        elif lam[r] != 0.0:
            add_row(system.rows, system.coordinates, r, lam[r], a, B, links.row[r], w, tangent.K)


@inline
def rate_changes(system, tangent, a, B, p, L, t, registers, R):
    """R of all rows at a state."""
    links, w, v = tangent.links, tangent.start.lever, tangent.start.v
    velocities(system.bodies, B, p, L, v)
    for r in range(system.rows.kind.shape[0]):
        if system.rows.kind[r] == TAPE:
            tape_blocks(
                system.tapes, links.tape[r], a, B, t, registers, tangent.d, links.local, tangent.one[16], tangent.one
            )
            tape_rates(system.rows.entry[r], links.slot[r], links.local, tangent.one, tangent.one[16], v, R)
        else:
            row_rates(system.rows, system.coordinates, r, links.slot[r], a, B, v, links.local, w, tangent.one, R)


@njit
def position_entries(rows, bodies, blocks, h, tangent):
    """P: the change of the position level per impulse at the start of the drift."""
    E, spin, G1, P = tangent.start.E, tangent.start.spin, tangent.G1, tangent.P
    V0, V1, R1 = tangent.V0, tangent.V1, tangent.R1
    for J in range(blocks.side.shape[0] - 1):
        first, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            b, e = blocks.side_body[s], blocks.side_entry[s]
            c, l = h * bodies.inverse_mass[b], spin[b]
            for y in range(n):
                k = e + y
                rolls = rows.kind[first + y] >= VELOCITY_ONLY
                W = R1[k] if rolls else G1[k]
                x, u, z = W[3], W[4], W[5]
                if rolls:
                    x += V1[k, 4] * l[2] - V1[k, 5] * l[1]
                    u += V1[k, 5] * l[0] - V1[k, 3] * l[2]
                    z += V1[k, 3] * l[1] - V1[k, 4] * l[0]
                for i in range(3):
                    P[k, i] = c * W[i]
                    P[k, 3 + i] = E[b, 0, i] * x + E[b, 1, i] * u + E[b, 2, i] * z
                if rolls:
                    for i in range(6):
                        P[k, i] = 0.5 * h * (P[k, i] + V0[k, i] + V1[k, i])


@njit
def position_residual(rows, blocks, h, tangent):
    """u: the change of the position level with the present dq and dp; 0 for dampers."""
    u, y = tangent.u, tangent.y
    u[:, :] = 0.0
    add_rates(blocks, 1.0, tangent.flat_entries[FLAT_G1], tangent.dq, u)
    for r in range(u.shape[0]):
        copy(tangent.base[r], y[r])
    add_rates(blocks, 1.0, tangent.flat_entries[FLAT_V1], tangent.dp, y)
    add_rates(blocks, 1.0, tangent.flat_entries[FLAT_R1], tangent.dq, y)
    for r in range(u.shape[0]):
        if rows.rate[r] > 0.0:
            u[r, :] = 0.0
        elif rows.kind[r] >= VELOCITY_ONLY:
            for q in range(u.shape[1]):
                u[r, q] = 0.5 * h * y[r, q]


@inline
def solve_positions(system, tangent, h, refine):
    """(1): dq and dp at the end of the drift, from the impulses in tangent.x."""
    bodies, blocks, rows, s = system.bodies, system.blocks, system.rows, tangent.start
    tangent.dp[:, :] = 0.0
    apply_drift(bodies, h, s.E, s.spin, tangent.x, tangent.dq, tangent.dp)
    add_sources(tangent.sources.q, tangent.dq)
    add_sources(tangent.sources.p, tangent.dp)
    if rows.kind.shape[0] > 0:
        position_entries(rows, bodies, blocks, h, tangent)
        assemble_product(blocks, tangent.P, tangent.G0, tangent.A)
        assemble_product(blocks, tangent.G0, tangent.P, tangent.U)
        if system.damped:
            remove_dampers(blocks, tangent.A, tangent.A)
            remove_dampers(blocks, tangent.U, tangent.U)
        factor_lu(blocks, tangent.A, tangent.U, tangent.row)
        for _ in range(refine):
            if system.rolls:
                position_residual(rows, blocks, h, tangent)
            else:
                tangent.u[:, :] = 0.0
                add_rates(blocks, 1.0, tangent.flat_entries[FLAT_G1], tangent.dq, tangent.u)
                zero_soft(rows, tangent.u)
            add_sources(tangent.sources.u, tangent.u)
            solve_lu_panel(blocks, tangent.A, tangent.U, tangent.u, tangent.y)
            tangent.x[:, :] = 0.0
            add_impulses(blocks, -1.0, tangent.flat_entries[FLAT_G0], tangent.u, tangent.x)
            if system.rolls:
                add_rates(blocks, 1.0, tangent.flat_entries[FLAT_V0], tangent.x, tangent.base)
            apply_drift(bodies, h, s.E, s.spin, tangent.x, tangent.dq, tangent.dp)


@njit
def zero_soft(rows, u):
    """u = 0 for dampers."""
    for r in range(u.shape[0]):
        if rows.rate[r] > 0.0:
            u[r, :] = 0.0


@njit
def solve_velocities(rows, blocks, h, S, pivot, refine, tangent, x):
    """(2): the momenta x satisfy the velocity level; the multipliers of dampers go into tangent.mu."""
    u, mu = tangent.u, tangent.mu
    mu[:, :] = 0.0
    for _ in range(refine):
        u[:, :] = 0.0
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_V1], x, u)
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_R], tangent.dq, u)
        add_sources(tangent.sources.w, u)
        for r in range(u.shape[0]):
            if rows.rate[r] > 0.0:
                c = 1.0 / rows.rate[r]
                for q in range(u.shape[1]):
                    u[r, q] += c * mu[r, q]
        solve_panel(blocks, S, pivot, u)
        add_impulses(blocks, -1.0, tangent.flat_entries[FLAT_G1], u, x)
        for r in range(u.shape[0]):
            if rows.rate[r] > 0.0:
                for q in range(u.shape[1]):
                    mu[r, q] -= 2.0 / h * u[r, q]


@njit
def largest_change(x, y, before):
    """The largest difference of two panels, relative to the size of their columns or of those before the multipliers,
    whose round-off remains where joints take up a whole column."""
    most = 0.0
    for q in range(x.shape[1]):
        size = change = 0.0
        for i in range(6, x.shape[0]):
            size = max(size, abs(x[i, q]), abs(before[i, q]))
            change = max(change, abs(x[i, q] - y[i, q]))
        if change > most * size:
            most = change / size
    return most


@njit
def carry(system, state, work, tangent, h, signals, before, row):
    """The changes over the stage from `tangent.start` to `state`."""
    s, half, rows, blocks = tangent.start, 0.5 * h, system.rows, system.blocks
    t0, t1 = tape_time(system, signals, before), tape_time(system, signals, row)
    refine = 1 if state.account[CONDITION] < ILL_CONDITIONED else 3
    if state.account[CONDITION] >= LOST:
        tangent.lost[0] += 1
    force_blocks(
        system, tangent.links, s.a, s.B, s.p, s.L, s.angle, signals, before, s.lever, work.registers, tangent.d,
        tangent.K, tangent.C,
    )  # fmt: skip
    add_row_blocks(system, tangent, s.a, s.B, work.lam, t0, work.registers)
    copy_panel(tangent.dp, tangent.x)
    add_product(tangent.links.body, half, tangent.flat_K, tangent.dq, tangent.x)
    if system.formulas.forces > 0:
        add_product(tangent.links.body, half, tangent.flat_C, tangent.dp, tangent.x)
    if system.damped:
        add_impulses(blocks, half, tangent.flat_entries[FLAT_G0], tangent.mu, tangent.x)
    add_sources(tangent.sources.x, tangent.x)
    kick(half, s.f, s.tau, s.p, s.L)
    add_start_impulses(blocks, half, s.B, tangent.G0, work.lam, s.p, s.L)
    drift_derivative(system.bodies, h, s.B, s.L, s.E, s.spin)
    rotate_entries(blocks, state.B, work.G, tangent.G1)
    divide_by_masses(system.bodies, blocks, state.B, tangent.G1, tangent.V1)
    if system.rolls:
        rate_changes(system, tangent, s.a, s.B, s.p, s.L, t0, work.registers, tangent.R0)
        tangent.base[:, :] = 0.0
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_R0], tangent.dq, tangent.base)
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_V0], tangent.x, tangent.base)
        spin_at_end(state.B, s.spin, s.L)
        rate_changes(system, tangent, state.a, state.B, s.p, s.L, t1, work.registers, tangent.R1)
    solve_positions(system, tangent, h, refine)
    force_blocks(
        system, tangent.links, state.a, state.B, state.p, state.L, state.angle, signals, row, s.lever, work.registers,
        tangent.d, tangent.K, tangent.C,
    )  # fmt: skip
    add_row_blocks(system, tangent, state.a, state.B, state.lam[MU], t1, work.registers)
    rate_changes(system, tangent, state.a, state.B, state.p, state.L, t1, work.registers, tangent.R)
    add_product(tangent.links.body, half, tangent.flat_K, tangent.dq, tangent.dp)
    add_sources(tangent.sources.f, tangent.dp)
    status = OK
    if system.formulas.forces == 0:
        solve_velocities(rows, blocks, h, work.S, work.pivot[S_PIVOTS], refine, tangent, tangent.dp)
    else:
        copy_panel(tangent.dp, tangent.kept)
        last = 1e300
        status = STIFF
        for _ in range(PASSES):
            copy_panel(tangent.kept, tangent.x)
            add_product(tangent.links.body, half, tangent.flat_C, tangent.dp, tangent.x)
            solve_velocities(rows, blocks, h, work.S, work.pivot[S_PIVOTS], refine, tangent, tangent.x)
            change = largest_change(tangent.x, tangent.dp, tangent.kept)
            copy_panel(tangent.x, tangent.dp)
            if change <= ROUND_OFF or (change <= 1e-12 and change > 0.5 * last):
                status = OK
                break
            last = change
    return status


@njit
def add_start_impulses(blocks, c, B, G, lam, p, L):
    """(p, L) += c Gᵀλ with entries G in world axes."""
    for J in range(blocks.side.shape[0] - 1):
        first, n = blocks.row[J], blocks.row[J + 1] - blocks.row[J]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            b, e = blocks.side_body[s], blocks.side_entry[s]
            for y in range(n):
                w = c * lam[first + y]
                for i in range(3):
                    p[b, i] += w * G[e + y, i]
                    for k in range(3):
                        L[b, i] += w * B[b, k, i] * G[e + y, 3 + k]


@njit
def spin_at_end(B, spin, L):
    """L⁻ = B₁ᵀ l."""
    for b in range(1, L.shape[0]):
        for i in range(3):
            L[b, i] = B[b, 0, i] * spin[b, 0] + B[b, 1, i] * spin[b, 1] + B[b, 2, i] * spin[b, 2]


@njit
def damper_forces(rows, blocks, tangent):
    """The change of the multipliers μ = −c G v of dampers at a state, into tangent.mu."""
    tangent.mu[:, :] = 0.0
    add_rates(blocks, 1.0, tangent.flat_entries[FLAT_V1], tangent.dp, tangent.mu)
    add_rates(blocks, 1.0, tangent.flat_entries[FLAT_R], tangent.dq, tangent.mu)
    for r in range(rows.rate.shape[0]):
        for q in range(tangent.mu.shape[1]):
            tangent.mu[r, q] *= -rows.rate[r]


@njit
def project_start(system, state, work, tangent, signals):
    """The changes of the momenta at the start of a run satisfy (2), by the least impulses; those of the multipliers of
    dampers follow."""
    blocks = system.blocks
    rotate_entries(blocks, state.B, work.G, tangent.G1)
    divide_by_masses(system.bodies, blocks, state.B, tangent.G1, tangent.V1)
    rate_changes(
        system, tangent, state.a, state.B, state.p, state.L, tape_time(system, signals, 0), work.registers, tangent.R
    )
    for _ in range(3):
        tangent.u[:, :] = 0.0
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_V1], tangent.dp, tangent.u)
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_R], tangent.dq, tangent.u)
        zero_soft(system.rows, tangent.u)
        solve_panel(blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], tangent.u)
        zero_soft(system.rows, tangent.u)
        add_impulses(blocks, -1.0, tangent.flat_entries[FLAT_G1], tangent.u, tangent.dp)
    damper_forces(system.rows, blocks, tangent)


@njit
def store(tangent, out):
    """Copy the changes into out (2, 6n, m)."""
    copy_panel(tangent.dq, out[0])
    copy_panel(tangent.dp, out[1])
