"""The energy error is O(hᵖ) without drift in long runs; momenta are conserved to round-off."""

import numpy as np
import pytest

import livens as lv
from tests.helpers import problems, schemes

EPS = np.finfo(float).eps
H = {2: 1e-3, 4: 4e-3, 6: 8e-3}  # [s]


def hanging():
    """A body on three springs whose other ends lie on the vertical through the origin."""
    m = lv.Model(gravity=problems.G, name="hanging")
    body = m.add(
        lv.Body(
            problems.lopsided(1),
            at=(0.2, 0, -1.2),
            rotation=problems.turned(2),
            velocity=(0, 0.5, 0),
            body_rates=(0.5, 0.2, -0.3),
            name="body",
        )
    )
    m.add(lv.Spring(m.world.point(0, 0, 0), body.point(0.3, 0.1, 0), stiffness=60, length=0.5))
    m.add(lv.Spring(m.world.point(0, 0, 0.3), body.point(-0.3, 0.2, 0.1), stiffness=40, length=0.4))
    m.add(lv.Spring(m.world.point(0, 0, -2), body.point(0, -0.2, 0.2), stiffness=30, length=0.0))
    return m


def drift(t, x):
    """The rise of a straight line fitted to x(t) over the whole time, in standard deviations of x.

    A straight line gives √12 = 3.5, and n independent values about a mean give about √(12/n).
    """
    return abs(np.polyfit(t - t.mean(), x, 1)[0]) * np.ptp(t) / x.std()


@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_a_million_steps_on_springs_in_gravity(scheme):
    """Bounded without drift; half the step has 2⁻ᵖ of the error; angular momentum about the vertical is exact."""
    h = H[scheme.order]
    motion = lv.simulate(hanging(), scheme, h=h, until=1e6 * h, every=50)
    error = motion.energy - motion.energy[0]
    assert drift(motion.t, error) < 0.5

    coarse = lv.simulate(hanging(), scheme, h=2 * h, until=1e5 * h, every=5)
    assert error.std() < 1.5 * 2.0**-scheme.order * np.std(coarse.energy - coarse.energy[0])
    assert np.abs(error).max() < 30 * error.std()

    roundings = 10**6 * scheme.stages
    size = np.linalg.norm(motion.angular_momentum, axis=1).max()
    assert np.ptp(motion.angular_momentum[:, 2]) <= roundings * EPS * size


def test_the_measure_of_drift_detects_a_drift():
    """A drift of a tenth of the amplitude over the whole run would be detected."""
    t = np.linspace(0, 1000.0, 20001)
    x = np.sin(7 * t) + 0.3 * np.sin(2.3 * t)
    assert drift(t, x) < 0.05
    assert drift(t, x + 1e-3 * t) > 0.5


def test_a_step_that_is_too_long_is_detected():
    """The energy error is bounded only if h resolves the motion: with a step that is too long it drifts."""
    motion = lv.simulate(hanging(), lv.Livens(6), h=2e-2, until=1e4, every=20)
    assert drift(motion.t, motion.energy) > 0.5


@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_a_free_system_conserves_both_momenta(scheme):
    """Springs and attraction are internal forces: p and L are conserved."""
    m = lv.Model(name="free system")
    one, two, three = (
        m.add(
            lv.Body(
                problems.lopsided(k), at=(k - 20, 0.3 * k, 0), rotation=problems.turned(k), body_rates=(1, 2, k / 10)
            )
        )
        for k in (20, 21, 22)
    )
    m.add(lv.Spring(one.point(0.1, 0, 0), two.point(0, 0.2, 0), stiffness=20, length=0.5))
    m.add(lv.Spring(two.point(0.1, 0, 0.2), three.point(0, 0.2, 0), stiffness=20, length=0.0))
    m.add(lv.Attraction(G=0.5))
    motion = lv.simulate(m, scheme, h=5e-3, until=50.0, every=100)
    roundings = motion.steps * scheme.stages
    P, L = motion.momentum, motion.angular_momentum
    assert np.abs(P - P[0]).max() <= roundings * EPS * np.abs(motion.record.p).max()
    assert np.abs(L - L[0]).max() <= roundings * EPS * np.linalg.norm(L[0])
