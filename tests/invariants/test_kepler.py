"""Two point masses about each other: Kepler's ellipse is a closed solution with forces in it."""

import numpy as np
import pytest
from scipy.optimize import brentq

import livens as lv
from tests.helpers import schemes

EPS = np.finfo(float).eps
GM, AXIS, ECCENTRICITY = 4.0, 1.0, 0.5
M1, M2 = 3.0, 1.0
PERIOD = 2 * np.pi * np.sqrt(AXIS**3 / GM)


def pair():
    """Both bodies at pericentre, their common centre at rest in the origin."""
    m = lv.Model(name="Kepler")
    d = np.array([AXIS * (1 - ECCENTRICITY), 0, 0])
    v = np.array([0, np.sqrt(GM / AXIS * (1 + ECCENTRICITY) / (1 - ECCENTRICITY)), 0])
    for name, share, mass in (("sun", -M2 / (M1 + M2), M1), ("earth", M1 / (M1 + M2), M2)):
        m.add(lv.Body(lv.MassProperties(mass, (0, 0, 0)), at=share * d, velocity=share * v, name=name))
    m.add(lv.Attraction(G=GM / (M1 + M2)))
    return m


def exact(t):
    """Distance vector at t from Kepler's equation E − e sin E = 2π t/T."""
    anomaly = 2 * np.pi * t / PERIOD
    E = brentq(lambda E: E - ECCENTRICITY * np.sin(E) - anomaly, anomaly - 1, anomaly + 1, xtol=1e-15, rtol=4 * EPS)
    return AXIS * np.array([np.cos(E) - ECCENTRICITY, np.sqrt(1 - ECCENTRICITY**2) * np.sin(E), 0])


def distance(motion):
    return motion.position("earth") - motion.position("sun")


@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_order(scheme):
    until = 1.3 * PERIOD
    steps = {2: 4000, 4: 400, 6: 100}[scheme.order]
    hs = [until / n for n in (steps, 2 * steps)]
    run = lambda h: distance(lv.simulate(pair(), scheme, h=h, until=until, every=10**9))[-1]  # noqa: E731
    assert np.abs(lv.observed_order(run, hs, exact(until)) - scheme.order).max() < schemes.TOLERANCE[scheme.order]


@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_a_thousand_orbits(scheme):
    """The energy error vanishes at every pericentre; momentum, angular momentum and orbital plane are constant."""
    n = 200
    motion = lv.simulate(pair(), scheme, h=PERIOD / n, until=1000 * PERIOD, every=1)
    roundings = motion.steps * scheme.stages
    E, L = motion.energy, motion.angular_momentum
    per_orbit = (E[:-1] - E[0]).reshape(1000, n)
    assert np.abs(per_orbit.max(axis=1) - per_orbit[0].max()).max() <= 0.1 * np.ptp(
        per_orbit[0]
    ) + roundings * EPS * abs(E[0])
    assert np.abs(L - L[0]).max() <= roundings * EPS * np.abs(L[0]).max()
    assert np.abs(motion.momentum).max() <= roundings * EPS * np.abs(motion.record.p).max()
    assert not motion.record.a[:, :, 2].any()
    assert not motion.record.L.any()
