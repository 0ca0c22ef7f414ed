"""The end of a step of schemes that use accelerations: projection of the momenta, and the work of joints."""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.arrays import DISSIPATED, H_PIVOTS, RATE, S_PIVOTS, WORK
from ..kernels.constrain import RATE_TOLERANCE, add_multiple, apply_multipliers, largest_violation
from ..kernels.dynamics import factorise_rows
from ..kernels.powers import square
from ..kernels.row_tapes import add_tape_impulse_work, all_rates
from ..kernels.singular import zero_dampers
from ..kernels.sparse import solve

CORRECTIONS = 20
SLOW = 1e-3  # factors that reduce the violations by less belong to another configuration, from before a jump …
STALE = 1.0  # … if more is left than round-off: tolerances that the violation makes in a step


@inline
def project_momenta(system, state, work, h, signals, row):
    """Project momenta onto G v + ∂g/∂t = 0 by the least mass-weighted change, with the Jacobian in work.G and
    the factors of S without dampers in work.H, after a step of length h. The impulses are added to work.lam: where the
    rate of a prescribed motion jumps, they do work."""
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
        solve(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], work.x)
        apply_multipliers(system.blocks, work.G, -1.0, work.x, state.p, state.L)
        add_multiple(-1.0, work.x, work.lam)
    for r in range(work.x.shape[0]):
        work.g[r] = 0.0  # violations leave the entries of nonholonomic rows as they are


@inline
def add_impulse_work(system, work, signals, row, account):
    """Add the work of the impulses work.lam of prescribed motions: impulse times the mean of the rate of its row before
    it, work.rates, and after it, which is the prescribed one."""
    for r in range(work.lam.shape[0]):
        k = system.rows.signal[r]
        if k >= 0 and system.rows.rate[r] == 0.0:
            account[WORK] += 0.5 * work.lam[r] * (work.rates[r] + signals[row, k + RATE])
    if system.tapes.clock >= 0:
        add_tape_impulse_work(system.tapes, 1.0, work.lam, work.rates, work.partial, account)


@njit
def add_damper_loss(rows, c, lam, account):
    """Add c times the power that is lost in dampers to the energy balance."""
    for r in range(lam.shape[0]):
        if rows.rate[r] > 0.0:
            account[DISSIPATED] += c * square(lam[r]) / rows.rate[r]


@njit
def add_joint_work(rows, tapes, c, lam, rates, account):
    """Add c times the power of prescribed motions to the energy balance, from the rates that the rows have: within a
    step in which a prescribed rate jumps they differ from it."""
    for r in range(lam.shape[0]):
        if rows.signal[r] >= 0 and rows.rate[r] == 0.0:
            account[WORK] += c * lam[r] * rates[r]
    if tapes.clock >= 0:
        for k in range(tapes.row.shape[0]):
            account[WORK] += c * lam[tapes.row[k]] * rates[tapes.row[k]]
