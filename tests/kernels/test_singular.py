"""Velocities near a singular position, where S has lost rows that G still shows, against the QR factors of G."""

import numpy as np
import pytest

import livens as lv
from livens.compile.system import compile_model, scratch
from livens.kernels.arrays import S_PIVOTS
from livens.kernels.constrain import apply_multipliers, constraint_rates
from livens.kernels.rows import jacobians
from livens.kernels.singular import remove_weak_rates
from livens.kernels.sparse import add_compliance, assemble, factor, solve
from tests.helpers import mechanisms

WEAK = 1e-7


def lying(n, height):
    """n four-bars with their cranks `height` over flat."""
    m = mechanisms.four_bars(n)
    tip = np.array([np.sqrt(1 - height**2), height, 0])
    for k in range(n + 1):
        m[f"crank{k}"].pose = lv.Pose.from_axis_angle(mechanisms.Z, np.arcsin(height), at=tip / 2 + (k, 0, 0))
    for k in range(n):
        m[f"coupler{k}"].pose = lv.Pose(tip + np.array([k + 0.5, 0, 0]))
    return m


@pytest.mark.parametrize("n", [1, 3, 10])
@pytest.mark.parametrize("height", [1e-9, -2e-8])
def test_what_moves_weak_rows_is_taken_from_momenta(n, height):
    system, state, *_ = compile_model(lying(n, height))
    work = scratch(system)
    bodies, rows, blocks = system.bodies, system.rows, system.blocks
    jacobians(rows, system.coordinates, state.a, state.B, work.G)
    assemble(bodies, blocks, work.G, work.G, True, work.S)
    add_compliance(rows, blocks, system.shift, 1e-3, work.S, work.diagonal)
    factor(blocks, work.S, work.pivot[S_PIVOTS], WEAK)
    dropped = work.pivot[S_PIVOTS] == 0.0
    assert dropped.sum() == 4 * n  # three rows of a loop that repeat others, and a weak one

    count = 6 * (len(state.p) - 1)
    root = np.sqrt(np.hstack([np.tile(bodies.inverse_mass[1:, None], 3), bodies.inverse_inertia[1:]]).ravel())
    Gt = np.empty((count, len(rows.kind)))  # M^(-1/2) Gᵀ, column by column
    for r in range(Gt.shape[1]):
        p, L = np.zeros_like(state.p), np.zeros_like(state.L)
        apply_multipliers(blocks, work.G, 1.0, np.eye(Gt.shape[1])[r], p, L)
        Gt[:, r] = root * np.hstack([p, L])[1:].ravel()
    U, sigma, _ = np.linalg.svd(Gt, full_matrices=False)
    kept = sigma > 1e-12
    assert kept.sum() == (~dropped).sum() + n
    assert sigma[kept].min() < 2 * abs(height)

    rng = np.random.default_rng(n)
    strong = U[:, sigma > 1e-3]
    u = rng.normal(size=count)
    u = u - strong @ (strong.T @ u)
    p, L = state.p, state.L
    p[1:], L[1:] = np.split((u / root).reshape(-1, 6), 2, axis=1)
    for _ in range(3):  # strong rows to round-off
        constraint_rates(bodies, blocks, work.G, p, L, work.x)
        solve(blocks, work.S, work.pivot[S_PIVOTS], work.x)
        apply_multipliers(blocks, work.G, -1.0, work.x, p, L)
    remove_weak_rates(system, work, 1e-3, np.zeros((1, 1)), 0, 0.0, p, L)
    constraint_rates(bodies, blocks, work.G, p, L, work.x)
    assert np.abs(work.x * rows.weight).max() <= 1.0
    after = root * np.hstack([p, L])[1:].ravel()
    expected = u - U[:, kept] @ (U[:, kept].T @ u)
    assert np.abs(after - expected).max() < 1e-3 * np.abs(u - expected).max()  # tolerance and round-off over σ
    assert np.abs(u - expected).max() > 1e-3
