"""Steps of `lv.RungeKutta` with small changes of the state and of parameters.

A step is computed stage by stage as in explicit.py, to the same bits, and its changes with it (tangent_explicit.py,
tangent_projection.py).
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.coordinates import update_coordinates
from ..kernels.dynamics import REFINE, solve_accelerations
from ..kernels.members import own
from ..kernels.singular import copy, copy_configuration
from ..kernels.status import OK
from ..kernels.tangent import copy_panel
from .explicit import orthonormalise, stage_slope, stage_state, store_start
from .projection import project_momenta
from .tangent import store
from .tangent_explicit import begin_step, carry_stage, stage_changes
from .tangent_explicit_sources import SLOPES_LEVEL, add_lengths, find_sources
from .tangent_projection import carry_momenta, carry_positions, turn_momenta

TANGENT_REFINE = 3  # solutions of changed multipliers where rows are redundant


@njit
def copy_start(state, start):
    """start ← state."""
    for b in range(state.a.shape[0]):
        for i in range(3):
            start.a[b, i], start.p[b, i], start.L[b, i] = state.a[b, i], state.p[b, i], state.L[b, i]
            for j in range(3):
                start.B[b, i, j] = state.B[b, i, j]
    copy(state.angle, start.angle)


@njit
def copy_end(start, state):
    """state ← start."""
    for b in range(state.a.shape[0]):
        for i in range(3):
            state.a[b, i], state.p[b, i], state.L[b, i] = start.a[b, i], start.p[b, i], start.L[b, i]
            for j in range(3):
                state.B[b, i, j] = start.B[b, i, j]
    copy(start.angle, state.angle)


@inline
def take_step(
    system, systems, tables, spacing, rate, state, tangent, stages, work, node, h, table, signals, before, varies
):  # fmt: skip
    """One step with its changes, stage by stage as in explicit.py."""
    count, s = int(table[0]), tangent.start
    nodes = 1 + (count + 1) * count
    exact = system.shift == 0.0
    row = before
    copy_start(state, s)
    store_start(system.bodies, s.a, s.B, s.p, s.L, work.trial)
    begin_step(tangent, stages, work.trial)
    for i in range(count):
        if i > 0:
            stage_state(system.bodies, h, table, i, i, work.trial, s.a, s.B, s.p, s.L)
            update_coordinates(system.coordinates, s.a, s.B, s.angle)
        row = before + varies * int(table[nodes + i])
        solve_accelerations(
            system, s.a, s.B, s.angle, s.p, s.L, signals, row, 1 if exact else REFINE, work, work.f, work.tau,
            stages.lam,
        )  # fmt: skip
        stage_slope(system.bodies, i, work.trial, s.B, s.p, s.L, work.f, work.tau)
        if spacing.shape[0] > 0:
            find_sources(
                SLOPES_LEVEL, systems, tables, spacing, rate, tangent, stages, s.a, s.B, s.p, s.L, s.angle, work.trial,
                node, row,
            )  # fmt: skip
            add_lengths(rate, i, work.trial, tangent.sources, stages)
        carry_stage(system, tangent, stages, h, table, i, 1 if exact else TANGENT_REFINE, work, signals, row)
    copy_configuration(s.a, s.B, stages.a, stages.B)
    copy_panel(tangent.dq, stages.last)
    stage_state(system.bodies, h, table, count, count, work.trial, s.a, s.B, s.p, s.L)
    stage_changes(system.bodies, h, table, count, count, work.trial, s.B, tangent, stages)
    orthonormalise(s.B)
    update_coordinates(system.coordinates, s.a, s.B, s.angle)
    if system.rows.kind.shape[0] > 0:
        turn_momenta(s.B, True, tangent.dp)
        carry_positions(system, systems, tables, spacing, rate, tangent, stages, work, node, signals, row)
        turn_momenta(s.B, False, tangent.dp)
        update_coordinates(system.coordinates, s.a, s.B, s.angle)
        for k in range(work.N.shape[0]):
            copy(work.N[k], work.G[k])
        for r in range(work.lam.shape[0]):
            work.lam[r] = 0.0
        copy_end(s, state)
        project_momenta(system, state, work, h, signals, row)
        copy(work.lam, stages.lam)
        carry_momenta(system, systems, tables, spacing, rate, state, tangent, stages, work, node, signals, row)
    else:
        copy_end(s, state)


@njit
def tangent_rollout(
    system, systems, tables, spacing, rate, state, work, node, tangent, stages, h, table, first, steps, every, out
):  # fmt: skip
    """As `tangent_rollout` of tangent_sources.py, with the table of runge_kutta.py; node: scratch of the nodes of
    parameters. The motion has been computed before: its steps do not fail."""
    varies = 1 if tables.shape[1] > 1 else 0
    count = int(table[table.shape[0] - 1])
    mine = own(tables, tables.shape[0] - 1)
    for n in range(steps):
        take_step(
            system, systems, tables, spacing, rate, state, tangent, stages, work, node, h, table, mine,
            varies * n * count, varies,
        )  # fmt: skip
        if (first + n + 1) % every == 0:
            store(tangent, out[(first + n + 1) // every])
    return OK, steps
