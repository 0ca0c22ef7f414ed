"""What parameters change in a step of `lv.RungeKutta` at fixed stages, by the nodes (1) of tangent_sources.py.

The slopes of a stage are evaluated at its state with the systems of all nodes. So are violations, Jacobians and rates
in the projection at the end of the step. The changes belong to the last columns of the panels.

Stages depend on the length h of the step by h K_j only, K_j the slopes: δh acts as a change of K_j by K_j δh/h.    (1)
"""

from __future__ import annotations

from .._jit import njit
from ..kernels.constrain import apply_multipliers, constraint_rates
from ..kernels.coordinates import to_world, update_coordinates
from ..kernels.dynamics import REFINE, gyroscopic_torque, solve_accelerations
from ..kernels.members import own, own_system
from ..kernels.row_tapes import all_jacobians, all_rates, all_violations
from ..kernels.singular import copy, set_zero
from ..kernels.tangent_exponential import rate_of_rotation
from .explicit import AXIS, CURVE, EACH, NUMBERS, SLOPE_A, SLOPE_L, SLOPE_P, SLOPE_ROLL, SLOPE_THETA, SLOPES, THETA
from .tangent_sources import NODE_WEIGHTS, NODES, add_impulse

SLOPES_LEVEL, POSITION_LEVEL, VELOCITY_LEVEL = 0, 1, 2  # what `find_sources` finds


@njit
def add_slopes_of_node(bodies, c, k, B, p, L, f, tau, trial, sources, stages):
    """Add c times the slopes at a state to column k; angular velocities go into stages.spin."""
    for b in range(1, p.shape[0]):
        j, g = bodies.inverse_inertia[b], gyroscopic_torque(bodies, b, L[b, 0], L[b, 1], L[b, 2])
        t = to_world(B, b, (tau[b, 0] - g[0], tau[b, 1] - g[1], tau[b, 2] - g[2]))
        w = to_world(B, b, (j[0] * L[b, 0], j[1] * L[b, 1], j[2] * L[b, 2]))
        for i in range(3):
            sources.q[6 * b + i, k] += c * bodies.inverse_mass[b] * p[b, i]
            stages.spin[3 * b + i, k] += c * w[i]
            sources.p[6 * b + i, k] += c * f[b, i]
            sources.p[6 * b + 3 + i, k] += c * t[i]
        axis = int(trial[NUMBERS, b, AXIS])
        if axis >= 0:
            stages.source[b, k] += c * tau[b, axis]


@njit
def turn_slopes(trial, spin, q):
    """The change of Θ̇ from that of the angular velocities."""
    for b in range(1, trial.shape[1]):
        theta = trial[THETA, b, 0], trial[THETA, b, 1], trial[THETA, b, 2]
        for k in range(spin.shape[1]):
            omega = spin[3 * b, k], spin[3 * b + 1, k], spin[3 * b + 2, k]
            w = rate_of_rotation(theta, trial[NUMBERS, b, CURVE], omega)
            for i in range(3):
                q[6 * b + 3 + i, k] = w[i]


@njit
def add_displacement(bodies, c, k, P, L, q):
    """Column k of q += c M⁻¹ (P, L), body axes."""
    for b in range(1, P.shape[0]):
        for i in range(3):
            q[6 * b + i, k] += c * bodies.inverse_mass[b] * P[b, i]
            q[6 * b + 3 + i, k] += c * bodies.inverse_inertia[b, i] * L[b, i]


@njit
def add_column(c, k, x, u):
    """Column k of u += c x."""
    for r in range(x.shape[0]):
        u[r, k] += c * x[r]


@njit
def add_lengths(rate, s, trial, sources, stages):
    """(1) for stage s; rate: 1/h for the length of the steps, 0 for other parameters."""
    o = SLOPES + EACH * s
    for k in range(rate.shape[0]):
        c = rate[k]
        if c == 0.0:
            continue
        for b in range(1, trial.shape[1]):
            for i in range(3):
                sources.q[6 * b + i, k] += c * trial[o + SLOPE_A, b, i]
                sources.q[6 * b + 3 + i, k] += c * trial[o + SLOPE_THETA, b, i]
                sources.p[6 * b + i, k] += c * trial[o + SLOPE_P, b, i]
                sources.p[6 * b + 3 + i, k] += c * trial[o + SLOPE_L, b, i]
            stages.source[b, k] += c * trial[o + SLOPE_ROLL, b, 0]


@njit
def find_sources(level, systems, tables, spacing, rate, tangent, stages, a, B, p, L, angle, trial, node, row):
    """The changes at a state with the multipliers stages.lam, by the level:

    SLOPES_LEVEL      of the slopes of a stage into sources.q, sources.p and stages.source
    POSITION_LEVEL    of the violations into sources.u, of D = M⁻¹G_sᵀλ into sources.q, body axes, and of G_s D into
                      sources.w, with G_s at the last stage
    VELOCITY_LEVEL    of the impulses Gᵀλ into sources.f, and of the rates into sources.w

    One function for all three: an argument `systems` is slow to compile. node: scratch.
    """
    s, sources = tangent.start, tangent.sources
    for x in sources:
        x[:, :] = 0.0
    stages.source[:, :] = 0.0
    stages.spin[:, :] = 0.0
    for k in range(spacing.shape[0]):
        if rate[k] != 0.0 and tables.shape[1] == 1:  # no function of time
            continue
        for n in range(NODES):
            one, mine, c = own_system(systems, NODES * k + n), own(tables, NODES * k + n), NODE_WEIGHTS[n] / spacing[k]
            copy(angle, s.node_angle)
            update_coordinates(one.coordinates, a, B, s.node_angle)
            if level == SLOPES_LEVEL:
                solve_accelerations(
                    one, a, B, s.node_angle, p, L, mine, row, REFINE, node, node.f, node.tau, node.y
                )  # fmt: skip
                add_slopes_of_node(one.bodies, c, k, B, p, L, node.f, node.tau, trial, sources, stages)
                continue
            if level == POSITION_LEVEL:
                all_violations(one, a, B, s.node_angle, mine, row, node, node.g)
                add_column(c, k, node.g, sources.u)
            at, by = (stages.a, stages.B) if level == POSITION_LEVEL else (a, B)
            all_jacobians(one, at, by, mine, row, node, node.partial, node.G)
            set_zero(node.f, node.tau)
            apply_multipliers(one.blocks, node.G, 1.0, stages.lam, node.f, node.tau)
            if level == POSITION_LEVEL:
                add_displacement(one.bodies, c, k, node.f, node.tau, sources.q)
                constraint_rates(one.bodies, one.blocks, node.G, node.f, node.tau, node.x)
            else:
                add_impulse(c, B, node.f, node.tau, k, sources.f)
                all_rates(one, node.G, p, L, mine, row, 0.0, node, node.x)
            add_column(c, k, node.x, sources.w)
    if level == SLOPES_LEVEL:
        turn_slopes(trial, stages.spin, sources.q)
