"""Numbers others have printed, or that follow from closed forms of the schemes themselves."""

import numpy as np
import pytest

import livens.discrete as ld
from tests.helpers import lagrangians


@pytest.mark.parametrize(
    ("beta", "angle", "value"), [(0.25, np.arctan, -0.8435691508757899), (0.0, np.arcsin, -0.8367949271103872)]
)
def test_newmark_of_a_harmonic_oscillator(beta, angle, value):
    """q_n = cos(2n atan(h/2)) for β = ¼, cos(2n asin(h/2)) for β = 0."""
    given = lagrangians.harmonic()
    run = ld.simulate(given.system, ld.Newmark(beta), given.q, given.v, 0.1, 10.0)
    assert run.q[-1, 0] == pytest.approx(value, abs=2e-14)
    np.testing.assert_allclose(run.q[:, 0], np.cos(2.0 * np.arange(101) * angle(0.05)), atol=2e-14)


@pytest.mark.parametrize("scheme", [ld.Trapezoidal(), ld.Newmark(0.0)], ids=repr)
@pytest.mark.parametrize(("h", "place"), [(1e-3, 1.0912990667233), (5e-4, 1.0912956605257)])
def test_velocity_verlet(scheme, h, place):
    """A test of Exudyn: m = 10, k = 1000, free length 1, from 1 at 1 m/s, after 2 s."""
    system = ld.Mechanical(mass=[10.0], potential=lambda x: 500.0 * (x[0] - 1.0) ** 2)
    assert ld.simulate(system, scheme, [1.0], [1.0], h, 2.0).q[-1, 0] == pytest.approx(place, abs=1e-12)


@pytest.mark.parametrize("scheme", [ld.Midpoint(reaction="middle"), ld.DiscreteGradient()], ids=repr)
def test_midpoint_on_a_sphere(scheme):
    """metis (Kinon): implicit midpoint with the reaction's direction in the middle, which is the discrete gradient of a
    quadratic constraint; all digits, momenta up to the round-off of n differences (q₁ − q₀)/h."""
    given = lagrangians.spherical_pendulum()
    h, eps = 0.05, np.finfo(float).eps
    run = ld.simulate(given.system, scheme, given.q, given.v, h, 0.45)
    printed = {
        1: [
            (0.998675693022384, 0.04996689232556, -0.012254380342843),
            (-0.052972279104641, 0.998675693022384, -0.49017521371374),
        ],
        9: [
            (0.498052687105175, 0.3215688514859, -0.805317946292862),
            (-3.435502331326763, -0.21032019638468, -2.225629630622996),
        ],
    }
    for n, (q, p) in printed.items():
        np.testing.assert_allclose(run.q[n], q, rtol=0, atol=1e-15 + n * eps)
        np.testing.assert_allclose(run.p[n], p, rtol=0, atol=n * eps / h)


def test_newmark_of_a_damped_oscillator():
    """Damping at the end of the step, h = 0.1, c = 0.1, after 10 s."""
    given = lagrangians.damped()
    run = ld.simulate(given.system, ld.Newmark(), given.q, given.v, 0.1, 10.0)
    assert run.q[-1, 0] == pytest.approx(-0.5323029176007726, abs=1e-14)
    assert given.at(10.0)[0][0] == pytest.approx(-0.52920881890702, abs=1e-14)
    assert given.at(10.0)[1][0] == pytest.approx(0.3239795531003547, abs=1e-14)


def test_spherical_pendulum():
    """After 1 s and 10 s, by an independent integration of its equations."""
    given = lagrangians.spherical_pendulum()
    run = ld.simulate(given.system, ld.Galerkin(6), given.q, given.v, 0.005, 10.0)
    np.testing.assert_allclose(run.q[200], (-0.906128890427, -0.394581468797, -0.152433258886), atol=1e-11)
    np.testing.assert_allclose(run.q[-1], (0.218611337995, 0.046728350156, -0.974692538282), atol=1e-10)
