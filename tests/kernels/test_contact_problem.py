"""Banded systems against numpy, and contact problems with friction against their own conditions, by numpy alone."""

from __future__ import annotations

import numpy as np
import pytest

from livens.kernels.contact import cone
from livens.kernels.contact.arrays import (
    BLOCK,
    COULOMB,
    FIRST_ROW,
    FREE_RATES,
    IMPULSES,
    PARENT_OF,
    PLACED,
    SELECT,
    WIDTH,
    Cone,
    Points,
)
from livens.kernels.dense import factor_band, factor_positive_band, solve_band, solve_positive_band


@pytest.mark.parametrize(("n", "band"), [(1, 0), (7, 1), (40, 6), (40, 39), (90, 17)])
def test_banded_systems(n, band):
    rng = np.random.default_rng(n + band)
    A = rng.normal(size=(n, n))
    i, j = np.indices((n, n))
    A[abs(i - j) > band] = 0.0
    b, rows = rng.normal(size=n), A.ravel().copy()
    x, order = b.copy(), np.zeros(n, dtype=np.int64)
    assert factor_band(rows, n, band, order)
    solve_band(rows, n, band, order, x)
    assert np.abs(A @ x - b).max() <= 1e-12 * np.linalg.cond(A) * np.abs(b).max()


@pytest.mark.parametrize(("n", "band"), [(1, 0), (7, 1), (40, 6), (40, 39), (90, 17)])
def test_symmetric_positive_banded_systems(n, band):
    rng = np.random.default_rng(n - band)
    L = np.tril(rng.normal(size=(n, n)))
    i, j = np.indices((n, n))
    L[i - j > band] = 0.0
    A, b = L @ L.T + 1e-3 * np.eye(n), rng.normal(size=n)
    rows, x = A.ravel().copy(), b.copy()
    assert factor_positive_band(rows, n, band)
    solve_positive_band(rows, n, band, x)
    assert np.abs(A @ x - b).max() <= 1e-13 * np.linalg.cond(A) * np.abs(b).max()


def test_singular_banded_matrices_are_refused():
    assert not factor_band(np.zeros(25), 5, 1, np.zeros(5, dtype=np.int64))
    assert not factor_positive_band(np.zeros(25), 5, 1)
    assert not factor_positive_band(np.diag([1.0, -1.0, 1.0]).ravel(), 3, 1)


def contact_problem(seed, bodies, contacts):
    """Contacts of each body with the next one, more of them than its freedom can tell apart: (points, cone, A, w₀, μ).
    Rates before the impulses are those of bodies that fall and slide at random."""
    rng = np.random.default_rng(seed)
    m, n = bodies * contacts, 3 * bodies * contacts
    G = np.zeros((n, 6 * bodies))
    for b in range(bodies):
        for k in range(contacts):
            r = rng.normal(size=3)
            frame = np.linalg.qr(np.column_stack([r + rng.normal(size=3), rng.normal(size=(3, 2))]))[0].T
            for side, body in ((1.0, b), (-1.0, b - 1)):
                if body >= 0:
                    rows = slice(3 * (b * contacts + k), 3 * (b * contacts + k) + 3)
                    arm = r if side > 0 else r + rng.normal(size=3)
                    G[rows, 6 * body : 6 * body + 6] = side * np.hstack([frame, np.cross(arm, frame)])
    A, w0 = G @ G.T, G @ rng.normal(size=6 * bodies)
    mu = rng.choice([0.2, 0.5, 1.0], m)
    points = Points(
        table=np.zeros((8, m), dtype=np.int64), number=np.zeros((10, m)), vector=np.zeros((7, m, 3)),
        matrix=np.zeros((2, m, 3, 3)), G=np.zeros((m, 2, 3, 6)), corner=np.zeros((2, 1, 3)),
    )  # fmt: skip
    points.table[PARENT_OF], points.number[COULOMB] = -1, mu
    for c in range(m):
        points.matrix[BLOCK, c] = A[3 * c : 3 * c + 3, 3 * c : 3 * c + 3]
    scratch = Cone(
        table=np.zeros((6, m + 2), dtype=np.int64), A=A.ravel().copy(), D=np.zeros(n * n), answer=np.zeros((2, n, 0)),
        row=np.zeros((7, n)), order=np.zeros(n, dtype=np.int64), local=np.zeros((3, 3)), reply=np.zeros(0),
        body=np.zeros((5, 1), dtype=np.int64), change=np.zeros((2, 1, 3)),
    )  # fmt: skip
    scratch.table[SELECT, :m] = scratch.table[PLACED, :m] = np.arange(m)
    scratch.table[FIRST_ROW, : m + 1] = 3 * np.arange(m + 1)
    width = 6 * contacts - 1 if bodies > 1 else n - 1
    scratch.table[WIDTH, 0], scratch.table[WIDTH, 1] = min(width, n - 1), min(width + 2, n - 1)
    scratch.row[FREE_RATES] = w0
    return points, scratch, A, w0, mu


@pytest.mark.parametrize("seed", range(12))
def test_contact_problems_with_friction(seed):
    """Every contact pushes or is open; friction is inside the disc, and on its rim against the slip where it slips."""
    bodies, contacts = [(1, 5), (3, 4), (6, 3), (2, 8)][seed % 4]
    points, scratch, A, w0, mu = contact_problem(seed, bodies, contacts)
    m, n = len(mu), len(w0)
    tolerance = 1e-12 * np.abs(w0).max()
    residual = cone.solve_dense_cone(points, scratch, m, n, tolerance)
    assert residual <= tolerance
    z, w = scratch.row[IMPULSES].reshape(m, 3), (A @ scratch.row[IMPULSES] + w0).reshape(m, 3)
    fine, size = 1e-9 * np.abs(w0).max(), np.abs(z).max()
    assert z[:, 0].min() >= -1e-11 * size
    assert w[:, 0].min() >= -fine
    assert np.abs(z[:, 0] * w[:, 0]).max() <= fine * size
    friction, slip = np.hypot(z[:, 1], z[:, 2]), np.hypot(w[:, 1], w[:, 2])
    assert (friction <= mu * z[:, 0] + 1e-9 * size).all()
    slips = (slip > 1e-6 * np.abs(w0).max()) & (z[:, 0] > 1e-9 * size)
    assert np.allclose(friction[slips], (mu * z[:, 0])[slips], rtol=1e-7)
    assert np.allclose((z[:, 1:] * w[:, 1:]).sum(axis=1)[slips], -(friction * slip)[slips], rtol=1e-7)
