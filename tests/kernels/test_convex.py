"""Blocks made positive semi-definite: against NumPy's eigenvalues."""

import numpy as np
import pytest

from livens.kernels.implicit_maps import is_convex, make_convex

EPS = np.finfo(float).eps


def projected(A):
    n = len(A)
    w = np.zeros(5 + 3 * n * n)
    w[5 : 5 + n * n] = A.ravel()
    make_convex(w, 5, n)
    assert not w[:5].any()
    return w[5 : 5 + n * n].reshape(n, n)


def expected(A):
    values, vectors = np.linalg.eigh(A)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


@pytest.mark.parametrize("n", [1, 2, 3, 6, 12])
def test_negative_eigenvalues_become_zero(n):
    rng = np.random.default_rng(n)
    for scale in (1.0, 1e-8, 1e8):
        for _ in range(5):
            A = rng.normal(size=(n, n))
            A = scale * (A + A.T)
            assert np.abs(projected(A) - expected(A)).max() <= 100 * n * EPS * np.abs(A).max()


def test_a_convex_block_keeps_its_bits():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(6, 4))
    A = A @ A.T + 1e-3 * np.eye(6)
    A = 0.5 * (A + A.T)
    assert np.array_equal(projected(A), A)


def test_repeated_zero_and_spread_eigenvalues():
    rng = np.random.default_rng(2)
    Q = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    for values in ([-1, -1, -1, 2, 2, 2], [0, 0, 0, 0, 0, -3], [1e8, 1, 1e-3, -1e-3, -1, -1e8], [-1] * 6):
        A = (Q * np.array(values, dtype=float)) @ Q.T
        A = 0.5 * (A + A.T)
        assert np.abs(projected(A) - expected(A)).max() <= 600 * EPS * np.abs(A).max()


def test_a_compressed_spring():
    """½ k (|x| − l)² for |x| < l: k along the spring, negative across, which becomes zero."""
    u = np.array([0.6, 0.0, 0.8])
    K = np.outer(u, u) + (1.0 - 1.5) * (np.eye(3) - np.outer(u, u))
    A = np.block([[K, -K], [-K, K]])
    along = np.outer(u, u)
    assert np.abs(projected(A) - np.block([[along, -along], [-along, along]])).max() < 50 * EPS


def test_zero_and_diagonal_blocks():
    assert not projected(np.zeros((3, 3))).any()
    assert np.array_equal(projected(np.diag([1.0, -2.0, 3.0])), np.diag([1.0, 0.0, 3.0]))


def test_pivots_tell_convexity():
    rng = np.random.default_rng(3)
    for _ in range(50):
        A = rng.normal(size=(4, 4))
        A = A + A.T + 2.0 * np.eye(4)
        w = np.concatenate([A.ravel(), np.zeros(16)])
        assert bool(is_convex(w, 0, 4, 1e-12)) == bool(np.linalg.eigvalsh(A)[0] > 0.0)
