"""The exact derivative of a step of `lv.RungeKutta` (explicit.py): m small changes are carried through its stages.

A stage has a, p, ℓ = start + h Σ A_sj K_j, B = exp(Θ̂) B₀ and L = Bᵀℓ, for slender bodies with L_k along the long axis
e_k instead. In the frames of kernels/tangent_arrays.py, with E = B e_k,

    δℓ₀ = δl₀ + δφ₀ × ℓ₀,       δφ by kernels/tangent_exponential.py,       δl = (I − E Eᵀ)(δℓ + ℓ × δφ) + E δL_k   (1)
    δK_a = δp/m,   δK_p = δf,   δK_ℓ = δt + δφ × t,   δK_Θ = δΘ̇,   δK_k = E·δ(t + L × ω)                           (2)

with the total force f and torque t (world axes, without L × ω) and their changes in these frames, by
tangent_accelerations.py.

The projection at the end of the step is in tangent_projection.py. Parameters add the changes that they cause at fixed
stages (tangent_explicit_sources.py) to the last columns.
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.coordinates import to_world
from ..kernels.potential import to_body
from ..kernels.powers import square
from ..kernels.tangent import add_sources
from ..kernels.tangent_exponential import derivative_coefficients, rate_change, rotation_change
from ..kernels.vectors import cross
from .explicit import AXIS, B0, EACH, L0, NUMBERS, SLOPE_L, SLOPES, THETA
from .tangent_accelerations import force_changes, gyroscopic_change


@njit
def begin_step(tangent, stages, trial):
    """The changes at the start of a step, from tangent.dq and dp, with δℓ₀ in place of δl₀; the start is in `trial`."""
    for b in range(1, trial.shape[1]):
        r, axis = 6 * b, int(trial[NUMBERS, b, AXIS])
        l = trial[L0, b, 0], trial[L0, b, 1], trial[L0, b, 2]
        for q in range(tangent.dq.shape[1]):
            for i in range(6):
                stages.q0[r + i, q], stages.p0[r + i, q] = tangent.dq[r + i, q], tangent.dp[r + i, q]
            x = cross((tangent.dq[r + 3, q], tangent.dq[r + 4, q], tangent.dq[r + 5, q]), l)
            roll = 0.0
            for i in range(3):
                stages.p0[r + 3 + i, q] += x[i]
                if axis >= 0:
                    roll += trial[B0 + i, b, axis] * tangent.dp[r + 3 + i, q]
            stages.roll0[b, q] = roll


@njit
def add_slopes(h, table, s, count, start, slopes, y):
    """y = start + h Σ A_sj δK_j over the first `count` stages."""
    stages = int(table[0])
    for i in range(y.shape[0]):
        for q in range(y.shape[1]):
            y[i, q] = start[i, q]
    for j in range(count):
        w = h * table[1 + s * stages + j]
        if w != 0.0:
            for i in range(y.shape[0]):
                for q in range(y.shape[1]):
                    y[i, q] += w * slopes[j, i, q]


@njit
def stage_spin(h, table, s, count, trial, b):
    """ℓ of body b at stage s."""
    stages, l0, l1, l2 = int(table[0]), trial[L0, b, 0], trial[L0, b, 1], trial[L0, b, 2]
    for j in range(count):
        w, i = h * table[1 + s * stages + j], SLOPES + EACH * j + SLOPE_L
        l0, l1, l2 = l0 + w * trial[i, b, 0], l1 + w * trial[i, b, 1], l2 + w * trial[i, b, 2]
    return l0, l1, l2


@njit
def stage_changes(bodies, h, table, s, count, trial, B, tangent, stages):
    """tangent.dq and dp at stage s with the rotations B, by (1); δΘ stays in stages.turn."""
    add_slopes(h, table, s, count, stages.q0, stages.q, tangent.dq)
    add_slopes(h, table, s, count, stages.p0, stages.p, tangent.dp)
    add_slopes(h, table, s, count, stages.roll0, stages.roll, stages.roll1)
    for b in range(1, B.shape[0]):
        r, axis = 6 * b + 3, int(trial[NUMBERS, b, AXIS])
        theta = trial[THETA, b, 0], trial[THETA, b, 1], trial[THETA, b, 2]
        d, e, _, _ = derivative_coefficients(square(theta[0]) + square(theta[1]) + square(theta[2]))
        l = stage_spin(h, table, s, count, trial, b)
        for q in range(tangent.dq.shape[1]):
            z0, z1, z2 = stages.q0[r, q], stages.q0[r + 1, q], stages.q0[r + 2, q]
            x = tangent.dq[r, q] - z0, tangent.dq[r + 1, q] - z1, tangent.dq[r + 2, q] - z2
            y = rotation_change(theta, d, e, x)
            u = (  # B₀ᵀ δφ₀
                trial[B0, b, 0] * z0 + trial[B0 + 1, b, 0] * z1 + trial[B0 + 2, b, 0] * z2,
                trial[B0, b, 1] * z0 + trial[B0 + 1, b, 1] * z1 + trial[B0 + 2, b, 1] * z2,
                trial[B0, b, 2] * z0 + trial[B0 + 1, b, 2] * z1 + trial[B0 + 2, b, 2] * z2,
            )
            u = to_world(B, b, u)
            phi = y[0] + u[0], y[1] + u[1], y[2] + u[2]
            spin = cross(l, phi)
            m = to_body(
                B, b, tangent.dp[r, q] + spin[0], tangent.dp[r + 1, q] + spin[1], tangent.dp[r + 2, q] + spin[2]
            )
            m0, m1, m2 = m
            if axis == 0:
                m0 = stages.roll1[b, q]
            elif axis == 1:
                m1 = stages.roll1[b, q]
            elif axis == 2:
                m2 = stages.roll1[b, q]
            i = bodies.inverse_inertia[b]
            m0, m1, m2 = m0 if i[0] > 0.0 else 0.0, m1 if i[1] > 0.0 else 0.0, m2 if i[2] > 0.0 else 0.0
            l1 = to_world(B, b, (m0, m1, m2))
            for i in range(3):
                stages.turn[r + i, q], tangent.dq[r + i, q], tangent.dp[r + i, q] = x[i], phi[i], l1[i]


@njit
def slope_changes(bodies, s, trial, B, L, tangent, stages):
    """δK of stage s by (2), from the changes of the total forces in tangent.x."""
    x, Dq, Dp = tangent.x, stages.q[s], stages.p[s]
    for b in range(1, B.shape[0]):
        r, axis = 6 * b, int(trial[NUMBERS, b, AXIS])
        c, j, i = bodies.inverse_mass[b], bodies.inverse_inertia[b], SLOPES + EACH * s
        t = trial[i + SLOPE_L, b, 0], trial[i + SLOPE_L, b, 1], trial[i + SLOPE_L, b, 2]
        theta = trial[THETA, b, 0], trial[THETA, b, 1], trial[THETA, b, 2]
        omega = to_world(B, b, (j[0] * L[b, 0], j[1] * L[b, 1], j[2] * L[b, 2]))
        _, _, curve, slope = derivative_coefficients(square(theta[0]) + square(theta[1]) + square(theta[2]))
        for q in range(x.shape[1]):
            for k in range(3):
                Dq[r + k, q] = c * tangent.dp[r + k, q]
                Dp[r + k, q] = x[r + k, q]
            phi = tangent.dq[r + 3, q], tangent.dq[r + 4, q], tangent.dq[r + 5, q]
            l = tangent.dp[r + 3, q], tangent.dp[r + 4, q], tangent.dp[r + 5, q]
            m = to_body(B, b, l[0], l[1], l[2])
            w, u = to_world(B, b, (j[0] * m[0], j[1] * m[1], j[2] * m[2])), cross(phi, omega)
            turn = stages.turn[r + 3, q], stages.turn[r + 4, q], stages.turn[r + 5, q]
            y = rate_change(theta, curve, slope, omega, turn, (w[0] + u[0], w[1] + u[1], w[2] + u[2]))
            g, z = gyroscopic_change(bodies, B, b, L, l[0], l[1], l[2]), cross(phi, t)
            roll = 0.0
            for k in range(3):
                Dq[r + 3 + k, q] = y[k]
                Dp[r + 3 + k, q] = x[r + 3 + k, q] - g[k] + z[k]
                if axis >= 0:
                    roll += B[b, k, axis] * x[r + 3 + k, q]
            stages.roll[s, b, q] = roll


@inline
def carry_stage(system, tangent, stages, h, table, s, refine, work, signals, row):
    """The changes of the slopes of stage s, whose state is in tangent.start, from f, τ, λ and factors in `work`; the
    sources of parameters are added."""
    n = tangent.start
    stage_changes(system.bodies, h, table, s, s, work.trial, n.B, tangent, stages)
    force_changes(
        system, tangent, n.a, n.B, n.p, n.L, n.angle, signals, row, refine, work, work.f, work.tau, stages.lam
    )
    slope_changes(system.bodies, s, work.trial, n.B, n.L, tangent, stages)
    add_sources(tangent.sources.q, stages.q[s])
    add_sources(tangent.sources.p, stages.p[s])
    add_sources(stages.source, stages.roll[s])
