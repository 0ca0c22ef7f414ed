"""The derivative of a stage with respect to parameters at fixed states: what the last columns of a tangent add.

The residual of a stage (tangent.py) has forces, multipliers, drift, rows and their rates. Each is evaluated with the
arrays of the systems for the parameter values θ ± d, ± 2d, ± 3d, at the states and multipliers of the run, and

    ∂r/∂θ ≈ Σ w_s r(θ + c_s d),      c = ±1, ±2, ±3,      w = ±45, ∓9, ±1 over 60 d.                                 (1)

The error of (1) is d⁶/140 times the seventh derivative: below 1e-11 relative for d = θ/200 and residuals that depend
on θ as 1/θ does; most are polynomials of low degree, for which (1) is exact up to round-off. No run is repeated.

The length h of the steps is a parameter, too. The impulses of a stage are proportional to it, and the drift (1) of
kernels/tangent.py depends on h L only, so that with the momenta p⁺, l⁺ = B₀L⁺ of the drift

    h ∂/∂h:   impulses p⁺ − p₀ and p₁ − p⁺,    δa₁ = h p⁺/m,    δφ₁ = E l⁺,    δl⁻ = l⁺ × E l⁺,                      (2)

exactly. Functions of time are evaluated by (1), at the times that the stages have with steps of other lengths.
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.arrays import MU
from ..kernels.constrain import apply_multipliers, constraint_rates
from ..kernels.coordinates import to_world, update_coordinates
from ..kernels.force_tapes import add_written_forces
from ..kernels.forces import forces, time_of
from ..kernels.kinds import VELOCITY_ONLY
from ..kernels.members import own, own_system
from ..kernels.potential import to_body
from ..kernels.row_tapes import all_jacobians, all_rates, all_violations
from ..kernels.singular import copy
from ..kernels.spin import drift
from ..kernels.status import OK
from ..kernels.tangent import drift_derivative
from ..kernels.vectors import cross
from . import livens, rattle
from .tangent import carry, save_start, store

NODE_STEPS = (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0)  # c of (1)
NODE_WEIGHTS = (
    -1.0 / 60.0,
    9.0 / 60.0,
    -45.0 / 60.0,
    45.0 / 60.0,
    -9.0 / 60.0,
    1.0 / 60.0,
)  # w of (1), times the spacing
NODES = 6  # of (1), for each parameter
START_P, START_L, DRIFT_P, DRIFT_L, SCRATCH = 0, 1, 2, 3, 4  # Work.trial: momenta at the start, in the drift; how many


@njit
def add_impulse(c, B, f, tau, k, x):
    """Column k of x += c (f, τ), torques in world axes."""
    for b in range(1, f.shape[0]):
        t = to_world(B, b, tau[b])
        for i in range(3):
            x[6 * b + i, k] += c * f[b, i]
            x[6 * b + 3 + i, k] += c * t[i]


@njit
def add_pose(c, a, B, a1, B1, k, x):
    """Column k of x += c times the difference of the pose (a, B) from (a1, B1): δφ is the skew part of B B₁ᵀ."""
    for b in range(1, a.shape[0]):
        for i in range(3):
            x[6 * b + i, k] += c * (a[b, i] - a1[b, i])
            m, n = (i + 1) % 3, (i + 2) % 3
            s = 0.0
            for j in range(3):
                s += B[b, n, j] * B1[b, m, j] - B[b, m, j] * B1[b, n, j]
            x[6 * b + 3 + i, k] += 0.5 * c * s


@inline
def forces_at(system, a, B, p, L, angle, lam, G, signals, row, work):
    """All forces and those of the multipliers λ, user-written ones included, into work.f and work.tau."""
    forces(system, a, B, p, L, angle, signals, row, work, work.f, work.tau)
    if system.formulas.forces > 0:
        pushes, end = system.formulas.forces, system.formulas.energies + system.formulas.forces
        add_written_forces(
            system.formulas, pushes, end, system.bodies, a, B, p, L, time_of(system, signals, row), work.registers,
            work.f, work.tau,
        )  # fmt: skip
    if lam.shape[0] > 0:
        apply_multipliers(system.blocks, G, 1.0, lam, work.f, work.tau)


@inline
def add_node(system, state, lam, tangent, work, h, c, k, signals, row):
    """The residuals of one node with the weight c; tangent.start has the state at the start of the stage with the
    momenta of the drift in `spin` and `work.trial`."""
    s, sources = tangent.start, tangent.sources
    p0, L0, p, L = work.trial[START_P], work.trial[START_L], work.trial[DRIFT_P], work.trial[DRIFT_L]
    rows, angle = system.rows, s.node_angle
    copy(s.angle, angle)
    update_coordinates(system.coordinates, s.a, s.B, angle)
    all_jacobians(system, s.a, s.B, signals, 0, work, work.partial, work.G)
    forces_at(system, s.a, s.B, p0, L0, angle, lam, work.G, signals, 0, work)
    add_impulse(0.5 * h * c, s.B, work.f, work.tau, k, sources.x)
    drift(system.bodies, h, s.a, s.B, p, L, work.a, work.B, work.L, work.fault)
    add_pose(c, work.a, work.B, state.a, state.B, k, sources.q)
    for b in range(1, p.shape[0]):
        l = to_world(state.B, b, work.L[b])
        for i in range(3):
            sources.p[6 * b + 3 + i, k] += c * l[i]
    copy(state.angle, angle)
    update_coordinates(system.coordinates, state.a, state.B, angle)
    if rows.kind.shape[0] > 0:
        if system.rolls:
            constraint_rates(system.bodies, system.blocks, work.G, p, L, work.x)
        all_jacobians(system, state.a, state.B, signals, row, work, work.partial, work.G)
        all_violations(system, state.a, state.B, angle, signals, row, work, work.g)
        if system.rolls:
            for b in range(1, p.shape[0]):  # the momenta of the run at the end of the drift, whose changes are in `p`
                l = to_world(s.B, b, L[b])
                work.L[b, 0], work.L[b, 1], work.L[b, 2] = to_body(state.B, b, l[0], l[1], l[2])
            constraint_rates(system.bodies, system.blocks, work.G, p, work.L, work.y)
            for r in range(rows.kind.shape[0]):
                if rows.kind[r] >= VELOCITY_ONLY:
                    work.g[r] = 0.5 * h * (work.x[r] + work.y[r])
        for r in range(rows.kind.shape[0]):
            sources.u[r, k] += c * work.g[r] if rows.rate[r] == 0.0 else 0.0
    forces_at(system, state.a, state.B, state.p, state.L, angle, state.lam[MU], work.G, signals, row, work)
    add_impulse(0.5 * h * c, state.B, work.f, work.tau, k, sources.f)
    if rows.kind.shape[0] > 0:
        all_rates(system, work.G, state.p, state.L, signals, row, 0.0, work, work.g)
        for r in range(rows.kind.shape[0]):
            if rows.rate[r] > 0.0:
                work.g[r] += state.lam[MU, r] / rows.rate[r]
            sources.w[r, k] += c * work.g[r]


@njit
def add_length(bodies, h, c, k, state, tangent, work):
    """(2) into column k of the sources; c: 1/h of the step to which the stage belongs."""
    s, sources = tangent.start, tangent.sources
    p0, L0, p, L = work.trial[START_P], work.trial[START_L], work.trial[DRIFT_P], work.trial[DRIFT_L]
    drift_derivative(bodies, h, s.B, L, s.E, s.spin)
    for b in range(1, p.shape[0]):
        r, l, E = 6 * b, s.spin[b], s.E[b]
        l0, l1 = to_world(s.B, b, L0[b]), to_world(state.B, b, state.L[b])
        turn = (
            E[0, 0] * l[0] + E[0, 1] * l[1] + E[0, 2] * l[2],
            E[1, 0] * l[0] + E[1, 1] * l[1] + E[1, 2] * l[2],
            E[2, 0] * l[0] + E[2, 1] * l[1] + E[2, 2] * l[2],
        )
        spin = cross(l, turn)
        for i in range(3):
            sources.x[r + i, k] += c * (p[b, i] - p0[b, i])
            sources.x[r + 3 + i, k] += c * (l[i] - l0[i])
            sources.q[r + i, k] += c * h * bodies.inverse_mass[b] * p[b, i]
            sources.q[r + 3 + i, k] += c * turn[i]
            sources.p[r + 3 + i, k] += c * spin[i]
            sources.f[r + i, k] += c * (state.p[b, i] - p[b, i])
            sources.f[r + 3 + i, k] += c * (l1[i] - l[i])


@njit
def find_sources(system, systems, tables, spacing, rate, state, lam, tangent, work, h, first, varies):
    """All sources of a stage; tables: the signals of each node (nodes or 1, table rows, columns); rate: 1/h for the
    length of the steps, 0 for other parameters."""
    s, half = tangent.start, 0.5 * h
    for x in tangent.sources:
        x[:, :] = 0.0
    p0, L0, p, L = work.trial[START_P], work.trial[START_L], work.trial[DRIFT_P], work.trial[DRIFT_L]
    for b in range(s.p.shape[0]):
        for i in range(3):
            p0[b, i], L0[b, i] = s.p[b, i], s.L[b, i]
            p[b, i], L[b, i] = s.p[b, i] + half * s.f[b, i], s.L[b, i] + half * s.tau[b, i]
            work.f[b, i] = work.tau[b, i] = 0.0
    if lam.shape[0] > 0:
        mine = own(tables, tables.shape[0] - 1)[first : first + 1 + varies]
        all_jacobians(system, s.a, s.B, mine, 0, work, work.partial, work.G)
        apply_multipliers(system.blocks, work.G, half, lam, p, L)
    for k in range(tangent.sources.x.shape[1]):
        if rate[k] != 0.0:
            add_length(system.bodies, h, rate[k], k, state, tangent, work)
            if varies == 0:
                continue
        for n in range(NODES):
            node = NODES * k + n
            mine = own(tables, node)[first : first + 1 + varies]
            add_node(
                own_system(systems, node), state, lam, tangent, work, h, NODE_WEIGHTS[n] / spacing[k], k, mine, varies
            )


@inline
def take_stage(system, state, work, h, one, signals, record):
    """The state after a stage, by the rollout of a system with joints or without: its status."""
    if system.rows.kind.shape[0] > 0:
        status, _ = rattle.rollout(system, state, work, h, one, signals, 0, 1, 2, record)
    else:
        status, _ = livens.rollout(system, state, work, h, one, signals, 0, 1, 2, record)
    return status


@njit
def tangent_rollout(
    system, systems, tables, spacing, rate, state, work, other, tangent, h, weights, one, first, steps, every, record,
    out,
):  # fmt: skip
    """Take `steps` steps from step number `first` with the changes in `tangent`, which go into out (stored, 2, 6n, m)
    after every `every`-th one: (status, steps taken).

    systems: those of the nodes of all parameters; tables: their signals, as those of a rollout, and in the last member
    those of the run; spacing: d of (1); rate: as in `find_sources`; other: scratch with SCRATCH vectors; one: the
    weights of one stage.
    """
    varies = 1 if tables.shape[1] > 1 else 0
    for n in range(steps):
        for i in range(len(weights)):
            k = varies * (n * len(weights) + i)
            mine = own(tables, tables.shape[0] - 1)[k : k + 1 + varies]
            save_start(system, state, work, tangent)
            status = take_stage(system, state, work, h * weights[i], one, mine, record)
            if status == OK:
                if spacing.shape[0] > 0:
                    find_sources(
                        system, systems, tables, spacing, rate, state, work.lam, tangent, other, h * weights[i], k,
                        varies,
                    )  # fmt: skip
                status = carry(system, state, work, tangent, h * weights[i], mine, 0, varies)
            if status != OK:
                return status, n
        if (first + n + 1) % every == 0:
            store(tangent, out[(first + n + 1) // every])
    return OK, steps
