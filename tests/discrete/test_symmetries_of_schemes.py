"""Time reversal, adjoints, units, and the same bits every time."""

import numpy as np
import pytest

import livens.discrete as ld
from tests.helpers import lagrangians
from tests.helpers.general_schemes import name

SYMMETRIC = [ld.Midpoint(), ld.Trapezoidal(), ld.Galerkin(4), ld.Galerkin(6), ld.Galerkin(6, "lobatto"), ld.Newmark()]


@pytest.fixture(scope="module")
def kepler():
    return lagrangians.kepler()


def there_and_back(given, there, back, h=0.01, until=10.0):
    """How far from the start a run ends that is turned round half way."""
    away = ld.simulate(given.system, there, given.q, given.v, h, until)
    home = ld.simulate(given.system, back, away.q[-1], -away.v[-1], h, until)
    return max(np.abs(home.q[-1] - given.q).max(), np.abs(home.v[-1] + given.v).max())


@pytest.mark.parametrize("scheme", SYMMETRIC, ids=name)
def test_symmetric_schemes_run_backwards(scheme, kepler):
    assert there_and_back(kepler, scheme, scheme) < 1e-10
    if scheme.variational:
        on_rods = lagrangians.double_pendulum_in_places()
        assert there_and_back(on_rods, scheme, scheme, until=1.0) < 1e-10


def test_rectangles_are_each_others_adjoint(kepler):
    assert there_and_back(kepler, ld.Rectangle("left"), ld.Rectangle("right")) < 1e-11
    assert there_and_back(kepler, ld.Rectangle("left"), ld.Rectangle("left")) > 1e-4


@pytest.mark.parametrize("length", [1e-9, 1e9])
@pytest.mark.parametrize("mass", [1e-20, 1e20])
def test_units_do_not_matter(length, mass, kepler):
    system = ld.Mechanical([mass, mass], lambda x: -mass * length**3 / ld.norm(x))
    run = ld.simulate(system, ld.Midpoint(), length * kepler.q, length * kepler.v, 0.01, 10.0)
    same = ld.simulate(kepler.system, ld.Midpoint(), kepler.q, kepler.v, 0.01, 10.0)
    np.testing.assert_allclose(run.q / length, same.q, atol=1e-11)
    assert run.iterations == pytest.approx(same.iterations, rel=0.01)


@pytest.mark.parametrize("length", [1e-6, 1e6])
def test_units_of_constraints_do_not_matter(length):
    runs = []
    for s in (1.0, length):
        weight, rod = lambda x, s=s: 9.81 * s * x[2], lambda x, s=s: ld.dot(x, x) - s**2
        system = ld.Mechanical(np.ones(3), weight, constraints=rod)
        start = np.array([s, 0.0, 0.0]), np.array([0.0, s, 0.0])
        runs.append(ld.simulate(system, ld.Galerkin(4), *start, 0.01, 3.0))
    np.testing.assert_allclose(runs[1].q / length, runs[0].q, atol=1e-12)
    assert runs[1].defect.max() < 1e-14 * length**2


def test_the_same_bits_every_time(kepler):
    one, two = (ld.simulate(kepler.system, ld.Galerkin(4), kepler.q, kepler.v, 0.01, 10.0) for _ in range(2))
    np.testing.assert_array_equal(one.q, two.q)
    sparse = ld.simulate(kepler.system, ld.Galerkin(4), kepler.q, kepler.v, 0.01, 10.0, every=7)
    np.testing.assert_array_equal(sparse.q[:-1], one.q[:-1:7])
    assert one.iterations == two.iterations == sparse.iterations
