"""The references of the benchmarks: recomputed, and against published numbers and closed forms."""

import numpy as np
import pytest
from scipy.special import ellipj, ellipkinc

from benchmarks.references import reference
from benchmarks.references.__main__ import compute
from benchmarks.references.jets import Jet, cos, sin, sqrt
from benchmarks.references.loops import squeezer
from benchmarks.tasks import find, tasks
from benchmarks.tasks.loops import ANDREWS


def test_every_problem_has_a_reference():
    for task in tasks():
        known = reference(task.key)
        assert np.isfinite(known).all()
        assert len(known) == len(getattr(task, "probes", [0]))


@pytest.mark.parametrize("key", ["chain-5", "four-bars-40", "kepler", "double-pendulum"])
def test_cheap_references_agree_with_their_script(key):
    """With ten times the tolerance of the stored references."""
    assert np.abs(compute(find(key), 1e-12) - reference(key)).max() < 1e-9


def test_the_heavy_top_agrees_with_published_positions():
    """Kynema's regression file, a step of 2e-6 s: displacements from (0, 1, 0), known to about 2e-7 of a metre."""
    kynema = np.array([-0.1504168894608856, 1.0 - 1.7241654846852867, -0.6730223697288009])
    assert np.abs(reference("heavy-top")[0] - kynema).max() < 2e-7


def test_andrews_crank_agrees_with_published_angles():
    """β at t = 0.03 s by the Test Set for IVP Solvers."""
    beta = 15.81077119629904
    assert np.abs(reference("andrews")[0, :2] - 0.00092 * np.array([np.cos(beta), np.sin(beta)])).max() < 1e-9 * 0.04


def test_andrews_loops_close_at_the_start():
    """The positions of the bodies follow from the crank angle and agree with the published angles."""
    parts = find("andrews").mechanism.parts
    centers, _, _ = squeezer(ANDREWS["start"][0])
    assert max(abs(x.x - p.at[0]) + abs(y.x - p.at[1]) for (x, y), p in zip(centers, parts, strict=True)) < 1e-13


def test_the_free_body_agrees_with_jacobis_solution():
    """The angular momentum is fixed in space, and its components in body axes are elliptic functions."""
    J, w0, t = np.array([1.0, 2.0, 3.0]), np.array([0.1, 2.0, 0.1]), 100.0
    B = reference("free-body").T  # columns: where the body's axes point
    L = B.T @ (J * w0)  # the angular momentum, fixed in the world, in body axes
    energy, square = J @ w0**2, (J * w0) @ (J * w0)
    A, C, axes = (J[0], J[2], (0, 2)) if square > energy * J[1] else (J[2], J[0], (2, 0))
    a, b = (np.sqrt((energy * C - square) / (x * (C - x))) for x in (A, J[1]))
    c = np.sqrt((square - energy * A) / (C * (C - A)))
    n = np.sqrt((C - J[1]) * (square - energy * A) / (A * J[1] * C))
    m = (J[1] - A) * (energy * C - square) / ((C - J[1]) * (square - energy * A))
    # Right-handed triads of A, 2, C: an even permutation keeps signs, an odd one reverses time.
    sign = np.sign(w0[axes[1]]) * (1.0 if axes == (0, 2) else -1.0)
    start = ellipkinc(np.arctan2(sign * w0[1] / b, w0[axes[0]] / a), m)
    sn, cn, dn, _ = ellipj(n * t + start, m)
    w = np.zeros(3)
    w[axes[0]], w[1], w[axes[1]] = a * cn, sign * b * sn, np.sign(w0[axes[1]]) * c * dn
    assert np.abs(L / J - w).max() < 1e-8


def test_jets_carry_two_derivatives():
    """f = sin(x) sqrt(1 + x²) / cos(x) by differences."""

    def f(x):
        return sin(x) * sqrt(x * x + 1.0) / cos(x)

    x, e = 0.4, 1e-4
    one, left, right = (f(Jet(x + d, 1.0)) for d in (0.0, -e, e))
    assert one.d == pytest.approx((right.x - left.x) / (2 * e), rel=1e-7)
    assert one.dd == pytest.approx((right.d - left.d) / (2 * e), rel=1e-7)
