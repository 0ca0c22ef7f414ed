"""Large systems: the sparse loops agree with the compiled dense ones, elements with the energy written whole; and a
net at rest stays at rest."""

import numpy as np
import pytest

import livens.discrete as ld
from livens.discrete import maps
from tests.helpers import lagrangians
from tests.helpers.general_schemes import name

SCHEMES = [
    ld.Rectangle("right"),
    ld.Midpoint(),
    ld.Trapezoidal(),
    ld.Galerkin(4),
    ld.Galerkin(6, "lobatto"),
    ld.Newmark(),
    ld.GeneralizedAlpha(0.5),
]


def chain(n=8):
    """A hanging chain in the plane: rods as elements, springs across."""
    rods = ld.Elements(lambda x: ld.dot(x[1] - x[0], x[1] - x[0]) - 1.0, [(k, k + 1) for k in range(n - 1)], dim=2)
    hung = lambda x: [x[0], x[1]]  # noqa: E731
    across = ld.springs([(k, k + 2) for k in range(n - 2)], stiffness=5.0, length=1.5, dim=2)
    drag = ld.Elements(
        lambda q, v, p: 0.5 * p[0] * ld.dot(v[0], v[0]), [(k,) for k in range(n)], np.full(n, 0.1), dim=2
    )
    weight = ld.Elements(lambda x: 9.81 * x[0][1], [(k,) for k in range(n)], dim=2)
    system = ld.Mechanical(1.0, [across, weight], dissipation=drag, constraints=[hung, rods], n=2 * n)
    q = np.array([(0.8 * k, -0.6 * k) for k in range(n)]).ravel()
    return ld.Problem(system, q, np.zeros(2 * n), 0.3)


@pytest.mark.parametrize("scheme", SCHEMES, ids=name)
def test_sparse_and_dense_agree(scheme, monkeypatch):
    runs = []
    for small in (0, 10**6):
        monkeypatch.setattr(maps, "SMALL", small)
        given = lagrangians.spring_network(3)
        runs.append(ld.simulate(given.system, scheme, given.q, given.v, 0.005, 0.25))
    for what in ("q", "v", "p", "energy", "acceleration"):
        a, b = (getattr(run, what) for run in runs)
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11 * np.abs(a).max())


@pytest.mark.parametrize("scheme", [*SCHEMES[:5], ld.GeneralizedAlpha(0.5)], ids=name)
def test_sparse_and_dense_agree_on_constraints(scheme, monkeypatch):
    runs = []
    for small in (0, 10**6):
        monkeypatch.setattr(maps, "SMALL", small)
        given = chain()
        runs.append(ld.simulate(given.system, scheme, given.q, given.v, 0.01, given.until))
    for what in ("q", "v", "p", "energy", "lost", "multipliers"):
        a, b = (getattr(run, what) for run in runs)
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11 * np.abs(a).max())
    assert runs[0].defect[:, 0].max() < 1e-13


@pytest.mark.parametrize("scheme", [ld.Midpoint(), ld.Trapezoidal(), ld.Newmark()], ids=name)
def test_elements_are_the_energy_written_whole(scheme):
    a, b = (
        ld.simulate(p.system, scheme, p.q, p.v, 0.01, 0.5)
        for p in (lagrangians.spring_network(3, whole=whole) for whole in (False, True))
    )
    np.testing.assert_allclose(a.q, b.q, atol=1e-12)
    np.testing.assert_allclose(a.energy, b.energy, rtol=1e-12)


@pytest.mark.parametrize("many", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("scheme", SCHEMES, ids=name)
def test_a_net_at_rest_stays_at_rest(scheme, many, monkeypatch):
    """Unknowns are round-off there, and Newton's method must know that it has converged."""
    monkeypatch.setattr(maps, "SMALL", 0 if many else 60)
    n, k = 5, 100.0
    pull = 9.81 * np.arange(n, 0, -1)  # on each spring
    x = np.zeros((n, 3))
    x[:, 2] = -np.cumsum(np.concatenate([[pull[0] / 1e3], 1.0 + pull[1:] / k]))
    springs = ld.springs([(i, i + 1) for i in range(n - 1)], stiffness=k, length=1.0)
    weight = lambda x: sum(9.81 * x[3 * i + 2] for i in range(n)) + 0.5e3 * ld.dot(x[:3], x[:3])  # noqa: E731
    system = ld.Mechanical(1.0, [springs, weight], n=3 * n)
    run = ld.simulate(system, scheme, x.ravel(), np.zeros(3 * n), 0.01, 0.5)
    assert np.abs(run.q - x.ravel()).max() < 50 * np.finfo(float).eps * np.abs(x).max()


def test_a_large_net_is_sparse():
    given = lagrangians.spring_network(10)
    run = ld.simulate(given.system, ld.Midpoint(), given.q, given.v, 0.005, 0.05)
    assert given.system.n == 300
    assert np.ptp(run.energy) < 0.02 * np.abs(run.energy).max()


def test_verlet_stays_explicit():
    """One evaluation a step where the mass is constant, with elements or without."""
    for given in (lagrangians.spring_network(3), lagrangians.kepler()):
        run = ld.simulate(given.system, ld.Trapezoidal(), given.q, given.v, 0.001, 0.1)
        assert run.iterations == run.steps


def test_mass_and_damping_in_all_their_shapes():
    """A number, a diagonal, a matrix, a sparse matrix and a function of q describe one system."""
    from scipy.sparse import csr_array

    V = lambda x: 0.5 * ld.dot(x, x) + 0.25 * x[0] ** 4  # noqa: E731
    shapes = [(2.0, 0.3), ([2.0, 2.0], [0.3, 0.3]), (2.0 * np.eye(2), 0.3 * np.eye(2))]
    shapes += [(csr_array(2.0 * np.eye(2)), csr_array(0.3 * np.eye(2)))]
    shapes += [(lambda q: [[2.0, 0.0], [0.0, 2.0]], lambda q: [[0.3, 0.0], [0.0, 0.3]])]
    runs = [
        ld.simulate(ld.Mechanical(m, V, damping=c, n=2), ld.Midpoint(), [1.0, 0.5], [0.0, 0.2], 0.05, 2.0)
        for m, c in shapes
    ]
    for run in runs[1:]:
        np.testing.assert_allclose(run.q, runs[0].q, atol=1e-13)


def test_a_mass_matrix_above_the_size_that_is_fused():
    n = 70
    full = 2.0 * np.eye(n) + 0.1 * (np.eye(n, k=1) + np.eye(n, k=-1))
    system = ld.Mechanical(full, lambda x: 0.5 * ld.dot(x, x))
    q, v = np.cos(np.arange(n)), np.sin(np.arange(n))
    run = ld.simulate(system, ld.Midpoint(), q, v, 0.1, 1.0)
    np.testing.assert_allclose(run.energy[0], 0.5 * v @ full @ v + 0.5 * q @ q, rtol=1e-13)
    np.testing.assert_allclose(run.energy, run.energy[0], rtol=1e-13)  # midpoint keeps quadratic energies
