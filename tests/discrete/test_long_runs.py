"""A million steps: energy of variational schemes oscillates without slope, momenta are kept to round-off; schemes that
are not variational drift or decay."""

import numpy as np
import pytest

import livens.discrete as ld
from livens.discrete.compare import drift
from tests.helpers import lagrangians
from tests.helpers.general_schemes import DAMPING, NEWMARK, VARIATIONAL, name

STEPS = 1_000_000
EPS = float(np.finfo(float).eps)


def run(problem, scheme, h, steps):
    return ld.simulate(problem.system, scheme, problem.q, problem.v, h, h * steps, every=max(1, steps // 100_000 - 1))


@pytest.fixture(scope="module")
def kepler():
    return lagrangians.kepler()


@pytest.fixture(scope="module")
def pendulum():
    return lagrangians.pendulum()


def without_slope(motion):
    """The slope over the whole run is below two hundredths of the band, and below its own uncertainty times four."""
    band, slope, uncertain = drift(motion.t, motion.energy)
    assert uncertain < 5e-3
    assert abs(slope) < 4.0 * uncertain + EPS * motion.steps**0.5 * abs(motion.energy[0]) / band
    assert abs(slope) < 0.02


@pytest.mark.parametrize("scheme", [*VARIATIONAL, *NEWMARK], ids=name)
def test_energy_of_a_pendulum_has_no_slope(scheme, pendulum):
    steps = STEPS if scheme.order <= 2 else STEPS // 4
    without_slope(run(pendulum, scheme, {6: 0.1}.get(scheme.order, 0.03), steps))


@pytest.mark.parametrize("scheme", [*VARIATIONAL[:4], ld.Newmark(0.0), ld.Newmark(0.25)], ids=name)
def test_kepler(scheme, kepler):
    """Sixteen hundred revolutions: no slope in the energy, angular momentum to round-off."""
    motion = run(kepler, scheme, 0.01, STEPS)
    without_slope(motion)
    if scheme != ld.Newmark(0.25):  # which keeps another form of it
        kept(motion)


@pytest.mark.parametrize("scheme", VARIATIONAL[4:], ids=name)
def test_kepler_by_higher_orders(scheme, kepler):
    motion = run(kepler, scheme, 0.05, STEPS // 10)
    without_slope(motion)
    kept(motion)


def kept(motion):
    L = motion.momenta["angular momentum"]
    assert np.abs(L - L[0]).max() < 1e-12 * abs(L[0])


@pytest.mark.parametrize("scheme", [*DAMPING, ld.Newmark(0.27, 0.52)], ids=name)
def test_others_decay(scheme, pendulum):
    """From the beginning to the end energy falls by most of its band."""
    motion = run(pendulum, scheme, 0.05, 50_000)
    band, slope, _ = drift(motion.t, motion.energy)
    assert slope < -0.05
    assert motion.energy[0] - motion.energy[-1] > 0.8 * band


SLIGHT = [ld.GeneralizedAlpha(0.5), ld.GeneralizedAlpha(0.8), ld.Newmark(0.2525, 0.5025)]


@pytest.mark.parametrize("scheme", SLIGHT, ids=name)
def test_others_spiral_into_the_sun(scheme, kepler):
    """So little numerical damping, and an orbit shrinks visibly; with more, or later, it falls into the sun."""
    motion = run(kepler, scheme, 0.02, 60_000)
    _, slope, uncertain = drift(motion.t, motion.energy)
    assert slope < -0.1
    assert slope < -10.0 * uncertain


def test_momenta_of_the_solar_system():
    """Störmer–Verlet over 11,000 years: momentum and angular momentum to round-off, energy without slope."""
    given = lagrangians.solar_system()
    motion = ld.simulate(given.system, ld.Trapezoidal(), given.q, given.v, 80.0, 4e6, every=7)
    assert abs(drift(motion.t, motion.energy)[1]) < 0.02
    for which, momentum in motion.momenta.items():
        xi = np.array(given.system.symmetries[which].map(len(motion.t))(motion.q.T)).T
        assert np.abs(momentum - momentum[0]).max() < 1e-12 * np.abs(motion.p * xi).sum(axis=1).max(), which


@pytest.mark.parametrize("scheme", VARIATIONAL, ids=name)
def test_angular_momentum_with_a_constraint(scheme):
    given = lagrangians.spherical_pendulum()
    h = 0.02 if scheme.order <= 4 else 0.05
    motion = ld.simulate(given.system, scheme, given.q, given.v, h, 1000.0, every=3)
    kept(motion)
    _, slope, uncertain = drift(motion.t, motion.energy)
    assert abs(slope) < 4.0 * uncertain < 0.1


def test_stiff_springs_keep_their_energy_together():
    """Fermi–Pasta–Ulam: the stiff springs exchange energy over 200 s, and their sum stays near 1 (to O(1/ω))."""
    given = lagrangians.stiff_chain()
    motion = ld.simulate(given.system, ld.Galerkin(4), given.q, given.v, 0.02, 200.0)
    each = lagrangians.oscillatory_energy(motion)
    assert np.ptp(each[:, 0]) > 0.9
    assert each[:, 2].max() > 0.9
    assert np.abs(each.sum(axis=1) - 1.0).max() < 4.0 / lagrangians.OMEGA


@pytest.mark.parametrize(
    "scheme", [ld.Newmark(), ld.Newmark(beta=1 / 6), ld.GeneralizedAlpha(1.0), ld.GeneralizedAlpha(0.97)], ids=repr
)
def test_constraints_hold_where_accelerations_across_them_would_grow(scheme):
    """Left alone, β a₂ + (½ + γ − 2β) a₁ + (½ − γ + β) a₀ = 0 carries these away within 50 s, with 1e8 times the
    energy; projected onto the constraints they stay, at a step of a fortieth of the period."""
    given = lagrangians.spherical_pendulum(q=(0.6, 0.0, -0.8))
    run = ld.simulate(given.system, scheme, given.q, given.v, 0.05, 500.0)
    assert run.defect.max() < 1e-12
    assert np.abs(run.energy - run.energy[0]).max() < 0.25 * np.ptp(run.energy - 9.81 * run.q[:, 2])
    still = ld.simulate(given.system, scheme, [0.0, 0.0, -1.0], [0.0, 0.0, 0.0], 0.01, 1.0)
    assert np.abs(still.v).max() < 1e-12
