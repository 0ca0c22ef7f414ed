"""A step that is accepted solves its equations, whatever these are; what cannot be solved is said."""

import numpy as np
import pytest

import livens as lv
import livens.discrete as ld

STOP = 0.25  # [m] where a block of 1 kg stops that slides at 1 m/s, pushed by 1 N, against 3 N of friction


def accepted_or_refused(system, scheme, h):
    """Where a sliding block is after 2 s; None where the scheme gives up, with the motion until it stops."""
    try:
        return ld.simulate(system, scheme, q=[0.0], v=[1.0], h=h, until=2.0).q[-1, 0]
    except lv.StepFailed as failure:
        run = failure.trajectory
        assert run.t[-1] == pytest.approx(0.5, abs=2 * h)
        assert run.q[-1, 0] == pytest.approx(STOP, abs=h)
        return None


@pytest.mark.parametrize("scheme", [ld.Midpoint(), ld.Newmark(), ld.GeneralizedAlpha(0.5)], ids=repr)
@pytest.mark.parametrize("h", [1e-2, 1e-4])
def test_friction_that_saturates(scheme, h):
    """Newton's method flips between two branches of equal slope: that is no convergence."""
    block = ld.Mechanical(mass=[1.0], force=lambda q, v, t: [1 - 3 * ld.tanh(v[0] / 1e-4)])
    end = accepted_or_refused(block, scheme, h)
    assert (end is None) if h > 1e-3 else abs(end - STOP) < 1e-3


@pytest.mark.parametrize("scheme", [ld.Midpoint(), ld.Newmark(), ld.IncrementalPotential(1, 1.5)], ids=repr)
def test_a_kink_is_not_linear(scheme):
    block = ld.Mechanical(mass=[1.0], dissipation=lambda x, v: 3 * abs(v[0]), force=[1.0])
    end = accepted_or_refused(block, scheme, 1e-2)
    assert end is None or abs(end - STOP) < 1e-2


@pytest.mark.parametrize(
    "scheme",
    [ld.Midpoint(), ld.Galerkin(4), ld.Newmark(), ld.GeneralizedAlpha(0.8), ld.IncrementalPotential()],
    ids=repr,
)
def test_small_coordinates_beside_large_ones(scheme):
    """Metres and nanometres, uncoupled: the small one moves as it does alone."""
    both = ld.Mechanical(mass=[1.0, 1.0], potential=lambda x: 0.5 * x[0] ** 2 + 1e-18 * ld.cosh(3e9 * x[1]))
    alone = ld.Mechanical(mass=[1.0], potential=lambda x: ld.cosh(3 * x[0]))
    large = ld.simulate(both, scheme, q=[1.0, 1e-9], v=[0.0, 0.0], h=0.1, until=30.0)
    small = ld.simulate(alone, scheme, q=[1.0], v=[0.0], h=0.1, until=30.0)
    assert np.abs(1e9 * large.q[:, 1] - small.q[:, 0]).max() < 1e-11


def test_a_time_that_has_a_default_is_passed():
    pushed = ld.Mechanical(mass=[1.0], force=lambda q, v, t=0.0: [ld.cos(t)])
    run = ld.simulate(pushed, ld.Galerkin(4), q=[0.0], v=[0.0], h=0.01, until=1.0)
    assert run.q[-1, 0] == pytest.approx(1 - np.cos(1.0), abs=1e-9)
    with pytest.raises(lv.ModelError, match=r"one argument is a function of time, and this one calls it 'q' \(line"):
        ld.Mechanical(mass=[1.0], force=lambda q: [-q[0]])


def test_starts_are_judged_at_their_own_size_and_moves_are_said():
    tiny = ld.Mechanical(mass=[1.0, 1.0], constraints=lambda x: ld.dot(x, x) - 1e-12)  # 1 µm
    with pytest.raises(lv.ModelError, match="does not satisfy the constraints"):
        ld.simulate(tiny, ld.Midpoint(), q=[0.9e-6, -0.8e-6], v=[0.0, 0.0], h=0.01, until=0.05)
    circle = ld.Mechanical(mass=[1.0, 1.0], constraints=lambda x: ld.dot(x, x) - 1)
    with pytest.warns(lv.ModelWarning, match="velocities by up to 5"):
        run = ld.simulate(circle, ld.Midpoint(), q=[1.0, 0.0], v=[5.0, 1.0], h=0.01, until=0.05)
    np.testing.assert_allclose(run.v[0], [0.0, 1.0], atol=1e-14)


def test_compositions_read_velocities_as_their_parts_do():
    pendulum = ld.Mechanical(mass=[1.0, 1.0], potential=lambda x: 9.81 * x[1], constraints=lambda x: ld.dot(x, x) - 1)
    middle = ld.Midpoint("middle")
    twice = ld.Composition([(middle, 0.5), (middle, 0.5)], 2)
    run = ld.simulate(pendulum, twice, q=[1.0, 0.0], v=[0.0, 0.0], h=0.05, until=10.0)
    assert np.ptp(run.energy) < 1e-12  # which this scheme keeps, of its own velocities
    for parts in ([(ld.IncrementalPotential(), 1.0)], [(ld.Newmark, 1.0)]):
        with pytest.raises(lv.ModelError, match="cannot be part of a composition"):
            ld.Composition(parts)
    with pytest.raises(lv.ModelError, match="cannot be composed"):
        ld.Composition([(middle, 0.5), (ld.Newmark(), 0.5)])


def test_velocities_of_a_relativistic_particle_are_found_from_its_momenta():
    """L = −√(1 − v²) − q²/2 at nine tenths of the speed of light: Newton's method from rest would overshoot it."""
    particle = ld.Lagrangian(lambda q, v: -ld.sqrt(1 - v[0] ** 2) - 0.5 * q[0] ** 2, 1)
    run = ld.simulate(particle, ld.Galerkin(4), q=[0.0], v=[0.9], h=0.02, until=1.0)
    np.testing.assert_allclose(run.p, run.v / np.sqrt(1 - run.v**2), rtol=1e-12)
    assert np.ptp(run.energy) < 1e-6


def test_energies_that_users_wrote_are_not_dropped():
    m = lv.Model()
    b = m.add(lv.Body(lv.Box(1, 0.1, 0.3, density=1000), name="b"))
    m.add(lv.Energy(lambda q: q[b].position[0], bodies=[b]))
    with pytest.raises(lv.ModelError, match="user-written energies or forces"):
        ld.affine(m)


def test_an_indefinite_mass_is_seen_at_any_size():
    A = np.eye(100)
    A[0, 1] = A[1, 0] = 5.0
    with pytest.raises(lv.ModelError, match="positive definite"):
        ld.Mechanical(mass=A)


def test_a_start_from_another_model_brings_no_forces_along():
    def falling(g):
        m = lv.Model(gravity=(0, 0, g))
        m.add(lv.Body(lv.PointMass(1.0), name="b"))
        return m

    for scheme in (lv.Newmark(), lv.GeneralizedAlpha(0.5)):
        state = lv.simulate(falling(-9.81), scheme, h=0.1, until=1.0).state
        motion = lv.simulate(falling(0.0), scheme, h=0.1, until=1.0, start=state)
        np.testing.assert_allclose(motion.momentum[:, 2], -9.81, rtol=1e-12)
