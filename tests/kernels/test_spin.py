"""The rotation of one step: equations (1)–(3) of kernels/spin.py, their limits, bodies without inertia."""

import numpy as np
import pytest

from livens.kernels.arrays import Bodies
from livens.kernels.spin import drift, solve_cayley
from livens.kernels.status import NOT_FINITE, OK, SPIN

EPS = np.finfo(float).eps


def solve(J, L, h):
    """cayley() with arrays: (x, status). A zero moment stands as 1 with the inverse 0, as the system bag says."""
    J = np.array(J, dtype=float)
    moment, inverse = np.where(J > 0, J, 1.0), np.divide(1.0, J, out=np.zeros(3), where=J > 0)
    *x, status = solve_cayley(*moment, *inverse, *np.array(L, dtype=float), h)
    return np.array(x), status


def residual(J, L, h, x):
    """J x + x × J x − (h/2)(1 + |x|²) L, relative to its largest term."""
    J = np.array(J)
    r = J * x + np.cross(x, J * x) - h / 2 * (1 + x @ x) * L
    return np.abs(r).max() / max(np.abs(J * x).max(), np.abs(h * L).max())


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def rotation(x):
    X = hat(x)
    return np.eye(3) + 2 * (X + X @ X) / (1 + x @ x)


def one_body(J, mass=2.0):
    """The bag of the world and one body."""
    J = np.array(J, dtype=float)
    two = lambda row: np.array([np.zeros_like(row), row])  # noqa: E731
    return Bodies(
        mass=np.array([0.0, mass]),
        inverse_mass=np.array([0.0, 1 / mass]),
        inertia=two(np.where(J > 0, J, 1.0)),
        inverse_inertia=two(np.divide(1.0, J, out=np.zeros(3), where=J > 0)),
        center=np.zeros((2, 3)),
        axes=np.tile(np.eye(3), (2, 1, 1)),
    )


def carry(J, L, h, p=(1.0, 2.0, 3.0), B=None):
    """drift() of one body from the origin: (a, B, L, status, fault)."""
    a0, B0 = np.zeros((2, 3)), np.array([np.eye(3), np.eye(3) if B is None else B])
    momentum, L0 = np.array([np.zeros(3), p]), np.array([np.zeros(3), L])
    a1, B1, L1, fault = np.zeros((2, 3)), np.zeros((2, 3, 3)), np.zeros((2, 3)), np.zeros(1, dtype=np.int64)
    status = drift(one_body(J), h, a0, B0, momentum, L0, a1, B1, L1, fault)
    return a1[1], B1[1], L1[1], status, int(fault[0])


MOMENTS = [
    (1, 2, 3),
    (3, 2, 1),
    (1, 1, 1),
    (1, 1, 0.5),
    (0.5, 1, 1),
    (1, 1, 2),
    (1e-6, 1, 1),
    (1e3, 2e3, 2.5e3),
    (1, 2, 2.999),
]


@pytest.mark.parametrize("J", MOMENTS)
def test_cayley_solves_its_equation(J):
    """To round-off, for turns up to half a radian, forward and backward in time."""
    rng = np.random.default_rng(0)
    for size in (1e-8, 1e-3, 0.1, 0.5):
        for _ in range(5):
            omega = rng.normal(size=3)
            omega *= size / np.linalg.norm(omega)
            for h in (1.0, -1.0):
                L = np.multiply(J, omega)
                x, status = solve(J, L, h)
                assert status == OK
                assert residual(J, L, h, x) <= 8 * EPS
                assert np.linalg.norm(x - h / 2 * omega) <= size**2  # a turn of h ω, to first order


def test_small_turns_are_the_euler_equations():
    """x = (h/2) ω + (h²/4) J⁻¹(J ω × ω) + O(h³): half the step's mean rate."""
    J, omega = np.array([1.0, 2.0, 3.0]), np.array([0.3, 2.0, -0.4])
    error = []
    for h in (1e-2, 5e-3):
        x, _ = solve(J, J * omega, h)
        error.append(np.abs(x - h / 2 * omega - h**2 / 4 * np.cross(J * omega, omega) / J).max())
    assert abs(np.log2(error[0] / error[1]) - 3.0) < 0.05


@pytest.mark.parametrize("J", MOMENTS)
def test_drift_keeps_spatial_angular_momentum_and_energy(J):
    rng = np.random.default_rng(1)
    B0 = rotation(rng.normal(size=3))
    omega = np.array([0.3, -0.2, 0.25])
    L0 = J * omega
    a, B, L, status, _ = carry(J, L0, 1.0, B=B0)
    assert status == OK
    assert np.abs(a - (0.5, 1.0, 1.5)).max() <= 2 * EPS
    assert np.abs(B.T @ B - np.eye(3)).max() <= 16 * EPS
    assert np.abs(B @ L - B0 @ L0).max() <= 16 * EPS * np.abs(L0).max()
    assert abs(L @ (L / J) - L0 @ (L0 / J)) <= 32 * EPS * (L0 @ (L0 / J))
    x, _ = solve(J, L0, 1.0)
    by_3 = 2 * (J * x - np.cross(x, np.multiply(J, x))) / (1 + x @ x)
    assert np.abs(L - by_3).max() <= 32 * EPS * np.abs(L0).max()


def test_drift_undoes_itself():
    J, L0 = (1, 2, 3), np.array([0.1, 0.6, 0.3])
    _, B, L, _, _ = carry(J, L0, 0.7)
    _, B, L, _, _ = carry(J, L, -0.7, B=B)
    assert np.abs(B - np.eye(3)).max() <= 16 * EPS
    assert np.abs(L - L0).max() <= 16 * EPS


def test_in_and_out_arrays_may_be_the_same():
    bodies, fault = one_body((1, 2, 3)), np.zeros(1, dtype=np.int64)
    a, B, p, L = (
        np.zeros((2, 3)),
        np.tile(np.eye(3), (2, 1, 1)),
        np.ones((2, 3)),
        np.array([[0, 0, 0], [0.1, 0.6, 0.3]]),
    )
    other = np.zeros((2, 3)), np.zeros((2, 3, 3)), np.zeros((2, 3))
    drift(bodies, 0.5, a, B, p, L, *other, fault)
    drift(bodies, 0.5, a, B, p, L, a, B, L, fault)
    for same, apart in zip((a, B, L), other, strict=True):
        assert np.array_equal(same[1], apart[1])


# ── the limit ──


def test_a_ball_turns_at_most_a_quarter_turn():
    """For a ball (1) reads sin θ = h|ω|: solved below one, and reported above."""
    for turn in (0.5, 0.9, 0.99, 0.999):
        x, status = solve((1, 1, 1), (0, 0, turn), 1.0)
        assert status == OK
        assert abs(np.sin(2 * np.arctan(x[2])) - turn) <= 8 * EPS
    for turn in (1.001, 2.0, 3.2, 1e3):
        assert solve((1, 1, 1), (0, 0, turn), 1.0)[1] == SPIN


@pytest.mark.parametrize("J", MOMENTS)
def test_what_cannot_be_solved_is_reported(J):
    """Beyond the fold there is no solution near: a status, no wrong answer and no endless loop."""
    rng = np.random.default_rng(2)
    for size in (1.0, 2.0, 10.0, 1e6):
        for _ in range(10):
            omega = rng.normal(size=3)
            L = J * omega * size / np.linalg.norm(omega)
            x, status = solve(J, L, 1.0)
            assert status == SPIN or residual(J, L, 1.0, x) <= 16 * EPS


def test_the_body_that_fails_is_named():
    *_, status, fault = carry((1, 1, 1), (0, 0, 5.0), 1.0)
    assert (status, fault) == (SPIN, 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_reported(bad):
    for L, p in (((bad, 0, 0), (0, 0, 0)), ((0, 0.1, bad), (0, 0, 0)), ((0, 0, 0), (0, bad, 0))):
        *_, status, fault = carry((1, 2, 3), L, 0.1, p)
        assert (status, fault) == (NOT_FINITE, 1)


def test_a_body_at_rest_stays():
    a, B, L, status, _ = carry((1, 2, 3), (0, 0, 0), 0.1, p=(0, 0, 0))
    assert status == OK
    assert not a.any()
    assert not L.any()
    assert np.array_equal(B, np.eye(3))


# ── bodies without inertia about an axis ──


def test_thin_rod_does_not_spin():
    """L about the axis stays 0, exactly, and the axis turns about L as a rod's does: sin θ = h|ω|."""
    J, L0 = (0, 2, 2), np.array([0, 0.3, -0.4])
    B, L = np.eye(3), L0
    for _ in range(50):
        _, B, L, status, _ = carry(J, L, 1.0, B=B)
        assert status == OK
        assert L[0] == 0.0
    n = B @ L / np.linalg.norm(L0)
    assert np.abs(n - L0 / np.linalg.norm(L0)).max() <= 50 * 8 * EPS
    turn = 50 * np.arcsin(np.linalg.norm(L0) / 2)
    axis = np.cos(turn) * np.array([1, 0, 0]) + np.sin(turn) * np.cross(n, [1, 0, 0])
    assert np.abs(B[:, 0] - axis).max() <= 50 * 8 * EPS * turn


def test_point_mass_does_not_turn():
    a, B, L, status, _ = carry((0, 0, 0), (0, 0, 0), 1.0)
    assert status == OK
    assert np.array_equal(B, np.eye(3))
    assert not L.any()
    assert np.array_equal(a, (0.5, 1.0, 1.5))
