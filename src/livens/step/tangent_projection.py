"""The exact derivative of the projection at the end of a step of `lv.RungeKutta` (explicit.py).

Bodies move by passes along D = −M⁻¹G_sᵀx with x = S⁻¹g, G_s and S those of the last stage. Each pass changes by, with
the frames of kernels/tangent_arrays.py, K_x the derivative of Gᵀx and Cayley vectors ξ = ½ D in body axes,

    S δx = G δq − δS x,    δS x = R_s(M⁻¹G_sᵀx) δq_s + G_s M⁻¹ K_x δq_s,    δφ ← δφ + B (I + ξ̂) δD/(1 + |ξ|²)        (1)

Where x has become round-off, δx has not: passes of δx alone follow, until G δq = 0. Momenta are constant in body axes
meanwhile. Then p₁ = p⁻ + G₁ᵀν with G₁v₁ + ∂g/∂t = 0:

    δp₁ = δp⁻ + K_ν δq₁ + G₁ᵀδν,            G₁M⁻¹ δp₁ + R₁ δq₁ = 0.                                                 (2)
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.arrays import H_PIVOTS, S_PIVOTS
from ..kernels.constrain import apply_multipliers, largest_coordinates, largest_violation
from ..kernels.coordinates import to_world
from ..kernels.kinds import VELOCITY_ONLY
from ..kernels.potential import to_body
from ..kernels.row_tapes import all_jacobians, all_violations, tape_time
from ..kernels.singular import move_bodies, set_zero
from ..kernels.sparse import solve
from ..kernels.tangent import (
    add_impulses,
    add_product,
    add_rates,
    add_sources,
    divide_by_masses,
    rotate_entries,
    solve_panel,
)
from ..kernels.tangent_arrays import FLAT_G0, FLAT_G1, FLAT_R, FLAT_V0, FLAT_V1
from ..kernels.vectors import cross
from .explicit import zero_velocity_rows
from .projection import CORRECTIONS
from .rattle import POSITION_ROUND_OFF
from .tangent import zero_soft
from .tangent_accelerations import row_terms
from .tangent_explicit_sources import POSITION_LEVEL, VELOCITY_LEVEL, find_sources


@njit
def turn_momenta(B, forth, dp):
    """The angular momenta of dp from world to body axes, or back."""
    for b in range(1, B.shape[0]):
        r = 6 * b + 3
        for q in range(dp.shape[1]):
            l = dp[r, q], dp[r + 1, q], dp[r + 2, q]
            m = to_body(B, b, l[0], l[1], l[2]) if forth else to_world(B, b, l)
            dp[r, q], dp[r + 1, q], dp[r + 2, q] = m[0], m[1], m[2]


@njit
def zero_velocity_changes(rows, u):
    """u = 0 for dampers and nonholonomic rows."""
    for r in range(u.shape[0]):
        if rows.rate[r] > 0.0 or rows.kind[r] >= VELOCITY_ONLY:
            u[r, :] = 0.0


@njit
def move_changes(bodies, Bs, B, L, x, source, dq):
    """(1): dq after a move of the bodies with rotations B by the impulses with torques L; x: the change of the impulses
    in the world axes of the last stage, with rotations Bs; source: that of the last columns of D, body axes."""
    first = x.shape[1] - source.shape[1]
    for b in range(1, B.shape[0]):
        c, j, r = bodies.inverse_mass[b], bodies.inverse_inertia[b], 6 * b
        xi = 0.5 * j[0] * L[b, 0], 0.5 * j[1] * L[b, 1], 0.5 * j[2] * L[b, 2]
        s = 1.0 / (1.0 + xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2])
        for q in range(x.shape[1]):
            m = to_body(Bs, b, x[r + 3, q], x[r + 4, q], x[r + 5, q])
            d0, d1, d2 = j[0] * m[0], j[1] * m[1], j[2] * m[2]
            for i in range(3):
                dq[r + i, q] += c * x[r + i, q]
            if q >= first:
                for i in range(3):
                    dq[r + i, q] += source[r + i, q - first]
                d0 += source[r + 3, q - first]
                d1 += source[r + 4, q - first]
                d2 += source[r + 5, q - first]
            u = cross(xi, (d0, d1, d2))
            w = to_world(B, b, (s * (d0 + u[0]), s * (d1 + u[1]), s * (d2 + u[2])))
            for i in range(3):
                dq[r + 3 + i, q] += w[i]


@njit
def largest_of_columns(dq, u):
    """The largest entry of a panel of rows, relative to the largest change of its column."""
    most = 0.0
    for q in range(u.shape[1]):
        size = e = 0.0
        for i in range(6, dq.shape[0]):
            size = max(size, abs(dq[i, q]))
        for r in range(u.shape[0]):
            e = max(e, abs(u[r, q]))
        if e > most * size:
            most = e / size if size > 0.0 else e
    return most


@inline
def carry_positions(system, systems, tables, spacing, rate, tangent, stages, work, node, signals, row):
    """The position level: the passes of `project` in explicit.py on the poses in tangent.start, with their changes, and
    then passes of the changes alone. On return work.N and tangent.G1 have the Jacobian at the end, body, world axes."""
    s, blocks, rows = tangent.start, system.blocks, system.rows
    far, turned = largest_coordinates(system.coordinates, s.a, s.angle)
    tolerance = 1.0 + POSITION_ROUND_OFF * max(system.finest * far, system.finest_turn * turned)
    rotate_entries(blocks, stages.B, work.G, tangent.G0)
    divide_by_masses(system.bodies, blocks, stages.B, tangent.G0, tangent.V0)
    moving, last = True, 1e300
    for _ in range(2 * CORRECTIONS):
        all_violations(system, s.a, s.B, s.angle, signals, row, work, work.x)
        zero_velocity_rows(rows, work.x)
        e, _ = largest_violation(rows, work.x)
        if moving and (e <= tolerance or (e <= 5.0 * tolerance and e > 0.5 * last)):
            moving, last = False, 1e300
        solve(blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], work.x)
        for r in range(work.x.shape[0]):
            stages.lam[r] = -work.x[r] if moving else 0.0
        set_zero(work.a, work.L)
        apply_multipliers(blocks, work.G, 1.0, stages.lam, work.a, work.L)
        if spacing.shape[0] > 0:
            find_sources(
                POSITION_LEVEL, systems, tables, spacing, rate, tangent, stages, s.a, s.B, s.p, s.L, s.angle,
                work.trial, node, row,
            )  # fmt: skip
        all_jacobians(system, s.a, s.B, signals, row, work, work.partial, work.N)
        rotate_entries(blocks, s.B, work.N, tangent.G1)
        tangent.u[:, :] = 0.0
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_G1], tangent.dq, tangent.u)
        add_sources(tangent.sources.u, tangent.u)
        zero_velocity_changes(rows, tangent.u)
        tangent.x[:, :] = 0.0
        if moving:
            tangent.K[:, :, :] = 0.0
            row_terms(
                rows, system.coordinates, system.tapes, system.bodies, tangent, stages.a, stages.B, stages.lam, work.a,
                work.L, tape_time(system, signals, row), work.registers, False,
            )  # fmt: skip
            add_product(tangent.links.body, 1.0, tangent.flat_K, stages.last, tangent.x)
            add_rates(blocks, 1.0, tangent.flat_entries[FLAT_R], stages.last, tangent.u)
            add_rates(blocks, 1.0, tangent.flat_entries[FLAT_V0], tangent.x, tangent.u)
            add_sources(tangent.sources.w, tangent.u)
        else:
            e = largest_of_columns(tangent.dq, tangent.u)
            if e == 0.0 or e > 0.5 * last:
                break
        last = e
        zero_soft(rows, tangent.u)
        solve_panel(blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], tangent.u)
        zero_soft(rows, tangent.u)
        add_impulses(blocks, -1.0, tangent.flat_entries[FLAT_G0], tangent.u, tangent.x)
        move_changes(system.bodies, stages.B, s.B, work.L, tangent.x, tangent.sources.q, tangent.dq)
        if moving:
            move_bodies(system.bodies, 1.0, work.a, work.L, s.a, s.B)


@inline
def carry_momenta(system, systems, tables, spacing, rate, state, tangent, stages, work, node, signals, row):
    """The velocity level (2) at the end of the step, with the impulses in stages.lam."""
    blocks, rows = system.blocks, system.rows
    divide_by_masses(system.bodies, blocks, state.B, tangent.G1, tangent.V1)
    if spacing.shape[0] > 0:
        find_sources(
            VELOCITY_LEVEL, systems, tables, spacing, rate, tangent, stages, state.a, state.B, state.p, state.L,
            state.angle, work.trial, node, row,
        )  # fmt: skip
    tangent.K[:, :, :] = 0.0
    row_terms(
        rows, system.coordinates, system.tapes, system.bodies, tangent, state.a, state.B, stages.lam, state.p, state.L,
        tape_time(system, signals, row), work.registers, True,
    )  # fmt: skip
    add_product(tangent.links.body, 1.0, tangent.flat_K, tangent.dq, tangent.dp)
    add_sources(tangent.sources.f, tangent.dp)
    last = 1e300
    for _ in range(CORRECTIONS):
        tangent.u[:, :] = 0.0
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_V1], tangent.dp, tangent.u)
        add_rates(blocks, 1.0, tangent.flat_entries[FLAT_R], tangent.dq, tangent.u)
        add_sources(tangent.sources.w, tangent.u)
        zero_soft(rows, tangent.u)
        e = largest_of_columns(tangent.dp, tangent.u)
        if e == 0.0 or e > 0.5 * last:
            break
        last = e
        solve_panel(blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], tangent.u)
        zero_soft(rows, tangent.u)
        add_impulses(blocks, -1.0, tangent.flat_entries[FLAT_G1], tangent.u, tangent.dp)
