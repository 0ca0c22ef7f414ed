"""The heavy top of Brüls, Cardona and Arnold (2012) against published and independently integrated numbers.

Reference values: [ODE] integrated in other coordinates by SciPy's DOP853, consistent to 2e-11; [3P] third parties, with
their source. Order 6 at h = 2.5e-4 s leaves 3e-12 m, so the digits of the references are the tolerance.
"""

from functools import cache

import numpy as np
import pytest

import livens as lv
from tests.helpers import mechanisms, runs

TIMES = (0.1, 0.5, 1.0, 2.0)
CENTER = (  # [ODE] [m]
    (0.421296658925, 0.894571974346, -0.149164700562),
    (-0.702468297057, -0.021165184702, -0.711400257652),
    (0.173343964098, 0.640088592071, -0.748490791134),
    (-0.150416822746, -0.724165591637, -0.673022269560),
)


@cache
def motion():
    return runs.run(mechanisms.heavy_top(), 6, h=2.5e-4, until=2.0)


def center(motion):
    return motion.position(motion.model["top"].center)


def test_centre_of_mass():
    assert np.abs(center(motion())[runs.at(motion(), TIMES)] - CENTER).max() < 2e-11


@pytest.mark.parametrize(("order", "steps", "within"), [(2, 40_000, 0.05), (4, 4_000, 0.2), (6, 2_000, 0.2)])
def test_order_of_convergence(order, steps, within):
    """The orientation, which rotates at 150 rad/s, has a much larger error."""
    exact = motion().rotation("top")[-1]
    found = [runs.run(mechanisms.heavy_top(), order, h=2.0 / n, until=2.0, every=n) for n in (steps, 2 * steps)]
    errors = [np.abs(one.rotation("top")[-1] - exact).max() for one in found]
    assert abs(runs.order(errors)[-1] - order) < within, errors


def test_quaternion():
    q = motion().quaternion("top")[runs.at(motion(), 1.0)]
    reference = np.array([0.732943980680, -0.278285719338, 0.531824611334, -0.320176142736])  # [ODE]
    assert np.abs(q * np.sign(q @ reference) - reference).max() < 2e-11


def test_angular_velocity():
    found = motion().angular_velocity("top")[runs.at(motion(), 0.01), 1]
    assert found == pytest.approx(149.847393954074, abs=1e-11)  # [ODE]
    assert found == pytest.approx(149.8473939540758, abs=1e-11)  # [3P] Exudyn, explicit Lie-group integrators


def test_reactions():
    """On the top, at the pivot [ODE], given to seven decimals."""
    reference = ((-517.6007395, -396.8431015, 404.5749252), (-260.7352113, 613.6126990, 309.7166314))
    assert np.abs(motion().reaction("pivot")[runs.at(motion(), (1.0, 2.0))] - reference).max() < 5.1e-8
    assert np.abs(motion().reaction_torque("pivot")).max() < 1e-9 * np.abs(reference).max()


def test_initial_accelerations():
    """By hand, from Euler's equations."""
    top = motion().model["top"]
    assert motion().angular_acceleration(top)[0] == pytest.approx((661.3461692307692, 0, 0), abs=1e-9)
    assert motion().acceleration(top.center)[0] == pytest.approx((0, -21.3017325444, -30.9608307692308), abs=1e-10)


def test_conserved_quantities():
    """Ω₂ exactly, L_z to round-off, the energy to the error of order 6."""
    assert np.abs(motion().body_rates("top")[:, 1] - 150.0).max() < 1e-12
    assert motion().energy[0] == pytest.approx(5435.696790865547, rel=1e-15)
    assert np.ptp(motion().energy) < 1e-12 * motion().energy[0]
    assert motion().angular_momentum[0, 2] == pytest.approx(-70.3124296875, rel=1e-15)
    assert np.ptp(motion().angular_momentum[:, 2]) < 1e-12 * 70.3


def test_agreement_with_a_published_position():
    """[3P] Kynema's regression file, an integration of second order with h = 2e-6 s: its own error is 1.1e-7 m."""
    displacement = center(motion())[-1] - (0, 1, 0)
    assert np.abs(displacement - (-0.1504168894608856, -1.7241654846852867, -0.6730223697288009)).max() < 1.1e-7


def test_the_result_does_not_depend_on_the_body_frame():
    """The same top with its frame at the centre of mass."""
    m = lv.Model(gravity=mechanisms.DOWN)
    matter = lv.MassProperties(15.0, (0.234375, 0.46875, 0.234375))
    top = m.add(lv.Body(matter, at=(0, 1, 0), velocity=(4.61538, 0, 0), body_rates=(0, 150, -4.61538), name="top"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), top.point(0, -1, 0), name="pivot"))
    found = runs.run(m, 6, h=2.5e-4, until=0.5)
    assert np.abs(found.position(top)[-1] - CENTER[1]).max() < 2e-11
