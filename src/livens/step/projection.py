"""The end of a step of schemes that use accelerations: projection of the momenta, and the work of joints."""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.arrays import DISSIPATED, H_PIVOTS, RATE, S_PIVOTS, WORK
from ..kernels.constrain import RATE_TOLERANCE, apply_multipliers, largest_violation
from ..kernels.dynamics import factorise_rows
from ..kernels.row_tapes import all_rates
from ..kernels.singular import zero_dampers
from ..kernels.sparse import solve

CORRECTIONS = 20
SLOW = 1e-3  # factors that reduce the violations by less belong to another configuration, from before a jump …
STALE = 1.0  # … if more is left than round-off: tolerances that the violation makes in a step


@inline
def project_momenta(system, state, work, h, signals, row):
    """Project momenta onto G v + ∂g/∂t = 0 by the least mass-weighted change, with the Jacobian in work.G and
    the factors of S without dampers in work.H, after a step of length h. Where the rate of a prescribed motion jumps,
    this is the impulse: its work, impulse times mean rate, is added to the energy balance."""
    last = 1e300
    for i in range(CORRECTIONS):
        all_rates(system, work.G, state.p, state.L, signals, row, 0.0, work, work.x)
        zero_dampers(system.rows, work.x)
        e, _ = largest_violation(system.rows, work.x)
        if abs(h) * e <= RATE_TOLERANCE or (i > 2 and e > 0.3 * last):
            break
        if i == 1 and e > SLOW * last and abs(h) * e > STALE:
            factorise_rows(system, work)
        last = e
        for r in range(work.x.shape[0]):
            work.g[r] = work.x[r]
        solve(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], work.x)
        apply_multipliers(system.blocks, work.G, -1.0, work.x, state.p, state.L)
        add_impulse_work(system.rows, signals, row, work.x, work.g, state.account)
    for r in range(work.x.shape[0]):
        work.g[r] = 0.0  # violations leave the entries of nonholonomic rows as they are


@njit
def add_impulse_work(rows, signals, row, x, excess, account):
    """Add the work of the impulses −x in prescribed motions, whose rates they reduce by `excess`."""
    for r in range(x.shape[0]):
        if rows.signal[r] >= 0 and rows.rate[r] == 0.0:
            account[WORK] -= x[r] * (signals[row, rows.signal[r] + RATE] + 0.5 * excess[r])


@njit
def add_joint_work(rows, c, signals, row, lam, account):
    """Add c times the power of prescribed motions and of dampers to the energy balance."""
    for r in range(lam.shape[0]):
        if rows.rate[r] > 0.0:
            account[DISSIPATED] += c * lam[r] ** 2 / rows.rate[r]
        elif rows.signal[r] >= 0:
            account[WORK] += c * lam[r] * signals[row, rows.signal[r] + RATE]
