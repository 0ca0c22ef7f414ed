"""The Hamiltonian against numerical differentiation of L = T − V, and in twelve coordinates against six."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import expm

import livens as lv
from benchmarks import newton_euler
from tests.helpers import problems

EPS = np.finfo(float).eps
CONSERVATIVE = [problem for problem in problems.PROBLEMS if problem.conservative]


def derivative(function, size, spacing=1e-2):
    """Gradient of function(x) at x = 0 by central differences, three times extrapolated: error O(spacing⁸) + O(eps)."""
    gradient = np.zeros(size)
    for k in range(size):
        e = np.eye(size)[k]
        row = [(function(s * e) - function(-s * e)) / (2 * s) for s in spacing / 2.0 ** np.arange(4)]
        for j in range(1, 4):
            row = [(4**j * fine - coarse) / (4**j - 1) for coarse, fine in pairwise(row)]
        gradient[k] = row[0]
    return gradient


def turned(B, theta):
    """B exp(θ̂) for every body."""
    return np.array([b @ expm(newton_euler.hat(w)) for b, w in zip(B, theta, strict=True)])


@pytest.fixture(params=CONSERVATIVE, ids=problems.name)
def side(request):
    """A Hamiltonian at a generic state, with its Lagrangian variables."""
    model = request.param.build()
    H = lv.Hamiltonian(model)
    a, B, p, L = H.at(lv.simulate(model, lv.Livens(6), h=1e-2, until=0.2))
    return H, a, B, p, L, *H.velocities(p, L)


def near(x, y, scale):
    assert np.abs(np.ravel(x) - np.ravel(y)).max() <= 1e5 * EPS * max(1.0, scale)


def test_momenta_are_the_derivatives_of_the_lagrangian(side):
    """p = ∂L/∂v and L = ∂L/∂ω; T is quadratic, so differences are exact up to round-off."""
    H, a, B, p, L, v, omega = side
    size = abs(H.lagrangian(a, B, v, omega))
    near(p, derivative(lambda x: H.lagrangian(a, B, v + x.reshape(-1, 3), omega), v.size, 1.0), size)
    spins = derivative(lambda x: H.lagrangian(a, B, v, omega + x.reshape(-1, 3)), omega.size, 1.0)
    near(L, spins, size)


def test_legendre_transform_goes_both_ways(side):
    H, _, _, p, L, *_ = side
    for there, back in zip((p, L), H.momenta(*H.velocities(p, L)), strict=True):
        assert np.abs(there - back).max() <= 16 * EPS * np.abs(there).max()


def test_hamiltonian_is_the_legendre_transform_of_the_lagrangian(side):
    """H = p·v + L·ω − (T − V), which is the energy."""
    H, a, B, p, L, v, omega = side
    action = np.sum(p * v) + np.sum(L * omega)
    assert abs(H(a, B, p, L) - (action - H.lagrangian(a, B, v, omega))) <= 16 * EPS * abs(action)


def test_hamiltonian_is_the_energy_of_the_motion():
    for problem in CONSERVATIVE:
        model = problem.build()
        H, motion = lv.Hamiltonian(model), lv.simulate(model, lv.Livens(), h=1e-2, until=0.1)
        for k in range(len(motion)):
            size = abs(motion.kinetic[k]) + abs(motion.potential[k])
            assert abs(H(*H.at(motion, k)) - motion.energy[k]) <= 64 * EPS * size
        assert H(*H.start) == H(*H.at(motion, 0))


def test_gradient_of_the_potential(side):
    """∂V/∂a and ∂V/∂θ, B → B exp(θ̂), against differences of V; forces are the same with the other sign."""
    H, a, B, *_ = side
    along_a, along_turn = H.gradient(a, B)
    f, tau = H.forces(a, B)
    assert np.array_equal(f, -along_a)
    assert np.array_equal(tau, -along_turn)
    size = abs(H.potential(a, B))
    near(along_a, derivative(lambda x: H.potential(a + x.reshape(-1, 3), B), a.size), size)
    near(along_turn, derivative(lambda x: H.potential(a, turned(B, x.reshape(-1, 3))), a.size), size)


def test_forces_agree_with_newton_and_euler(side):
    H, a, B, *_ = side
    for mine, other in zip(H.forces(a, B), newton_euler.forces(H.model, a, B), strict=True):
        assert np.abs(mine - other).max() <= 64 * EPS * max(1.0, np.abs(other).max())


def test_hamiltons_equations_agree_with_the_motion(side):
    """ȧ = ∂H/∂p, ω = ∂H/∂L, ṗ = f, L̇ = L × ω + τ, against differences of a fine motion."""
    H, *_ = side
    h = 1e-4
    motion = lv.simulate(H.model, lv.Livens(6), h=h, until=4 * h)
    points = [H.at(motion, k) for k in range(5)]
    a, B, p, L = points[2]
    v, omega = H.velocities(p, L)
    f, tau = H.forces(a, B)
    expected = (v, None, f, np.cross(L, omega) + tau)
    for k in (0, 2, 3):
        x = [point[k] for point in points]
        slope = (8 * (x[3] - x[1]) - (x[4] - x[0])) / (12 * h)  # error O(h⁴) and round-off O(eps/h)
        assert np.abs(slope - expected[k]).max() <= 1e-9 * max(1.0, np.abs(expected[k]).max())


# ── twelve coordinates ──


def test_twelve_momenta_and_kinetic_energy(side):
    """P = M₁₂Ẋ; ½⟨P, Ẋ⟩ is the kinetic energy, and its part along rigid motions is (p, L)."""
    H, _, B, p, L, v, omega = side
    dX = H.velocities12(B, v, omega)
    P = H.momenta12(dX)
    T = 0.5 * (np.sum(p * v) + np.sum(L * omega))
    assert abs(0.5 * np.sum(P * dX) - T) <= 64 * EPS * T
    for small, big in zip((p, L), H.reduced(B, P), strict=True):
        assert np.abs(small - big).max() <= 64 * EPS * np.abs(p).max()
    for k, body in enumerate(H.model.bodies[1:]):
        M = body.mass_properties.matrix12()
        assert np.abs((M @ dX[k].ravel()).reshape(3, 4) - P[k]).max() <= 16 * EPS * np.abs(P).max()


def test_twelve_velocities_are_the_derivative_of_the_twelve_coordinates(side):
    H, a, B, _, _, v, omega = side
    X = lambda s: H.coordinates12(a + s * v, turned(B, s * omega))  # noqa: E731
    dX = H.velocities12(B, v, omega)
    for k in range(dX.size):
        entry = derivative(lambda s, k=k: X(s[0]).ravel()[k], 1)
        near(entry, dX.ravel()[k], np.abs(dX).max())


def test_points_are_linear_in_the_twelve_coordinates(side):
    """x = a₀ + B r = X (1, r)."""
    H, a, B, *_ = side
    X = H.coordinates12(a, B)
    for k, body in enumerate(H.model.bodies[1:]):
        r = np.array([0.3, -0.2, 0.5])
        assert np.abs(X[k] @ (1, *r) - (a[k] + B[k] @ (r - body.mass_properties.center))).max() <= 16 * EPS * 10


def test_springs_in_joints_belong_to_the_potential():
    """A door on a torsion spring: V = ½ k (angle − rest)² and its gradient."""
    m = lv.Model()
    door = m.add(lv.Body(problems.lopsided(1), name="door"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), door.point(0, 0, 0), axis=(0, 0, 1), stiffness=5.0))
    H = lv.Hamiltonian(m)
    a, B, *_ = H.start
    turn = turned(np.eye(3)[None], [(0, 0, 0.4)])
    a, B = (turn @ a[..., None])[..., 0], turn @ B
    assert abs(H.potential(a, B) - 0.5 * 5.0 * 0.4**2) <= 16 * EPS
    _, along_turn = H.gradient(a, B)
    near(along_turn, derivative(lambda x: H.potential(a, turned(B, x.reshape(-1, 3))), 3), 1.0)


# ── errors ──


def test_a_motion_of_another_model_is_refused():
    one, other = problems.hung(), problems.hung()
    motion = lv.simulate(one, lv.Livens(), h=1e-2, until=1e-2)
    with pytest.raises(lv.ModelError, match="not of 'hung'"):
        lv.Hamiltonian(other).at(motion)


def test_wrong_shapes_and_numbers_are_refused():
    H = lv.Hamiltonian(problems.hung())
    with pytest.raises(lv.ModelError, match=r"v must be 1 x 3 numbers, got shape \(3,\)"):
        H.momenta((1, 2, 3), [(1, 2, 3)])
    with pytest.raises(lv.ModelError, match="a is not finite"):
        H.potential([(np.nan, 0, 0)], [np.eye(3)])
