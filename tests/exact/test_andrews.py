"""Andrews' squeezer against the Test Set for IVP Solvers: planar loops in space, without and with redundant rows.

[3P] at t = 0.03 s, where the crank turns at 1140 rad/s. An index-1 integration by DOP853 (index_one.py, 76 s at a
tolerance of 1e-13) and order 6 agree to 2e-13 relative in β′; both differ from [3P] by 1e-10, which is its own error.
"""

from functools import cache

import numpy as np
import pytest

import livens as lv
from tests.helpers import mechanisms, runs

NAMES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
START = (
    -0.0617138900142764, 0.0, 0.4552798191630704, 0.2226683901658859, 0.4873649795438426, -0.2226683901658859,
    1.2305474445498212,
)  # fmt: skip
END = (  # [3P]
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
    0.5347301163226948, 1.048080741042263,
)  # fmt: skip
CLOSING = pytest.mark.parametrize("closing", [lv.PointOnLine, lv.Revolute], ids=("points on lines", "hinges"))


@cache
def motion(closing, order, h):
    return runs.run(mechanisms.andrews(closing), order, h=h, until=0.03)


def angles(motion):
    return np.add(START, [motion.coordinate(name)[-1] for name in NAMES])


@CLOSING
def test_agreement_with_the_test_set(closing):
    found = motion(closing, 6, 2e-5)
    assert np.abs(angles(found) / END - 1).max() < 5e-10
    rates = [found.rate(name)[-1] for name in ("beta", "theta")]
    assert np.abs(np.divide(rates, (1139.920302151208, -1424.379294994111)) - 1).max() < 2e-10


@CLOSING
@pytest.mark.parametrize(("order", "h", "within"), [(2, 1e-5, 0.05), (4, 2e-5, 0.2)])
def test_order(closing, order, h, within):
    exact = angles(motion(closing, 6, 1e-5))
    errors = [np.abs(angles(motion(closing, order, h / k)) - exact).max() for k in (1, 2)]
    assert abs(runs.order(errors)[0] - order) < within, errors


def test_both_ways_to_close_the_loops_agree():
    one, other = (motion(closing, 6, 2e-5) for closing in (lv.PointOnLine, lv.Revolute))
    for body in one.model.bodies[1:]:
        assert np.abs(one.position(body.name) - other.position(body.name)).max() < 1e-11


def test_start_from_rest():
    """[EXACT] by hand: at rest only the spring and the motor act; D'Alembert for the one degree of freedom."""
    model = mechanisms.andrews()
    found = runs.run(model, h=1e-6, until=2e-6)
    power = sum(
        body.mass_properties.mass * found.acceleration(body.center)[0] @ found.velocity(body.center)[1]
        + body.mass_properties.inertia[2, 2]
        * found.angular_acceleration(body)[0, 2]
        * found.angular_velocity(body)[1, 2]
        for body in model.bodies[1:]
    )
    spring = model["spring"]
    d = spring.b.start - spring.a.start
    pull = -spring.stiffness * (1 - spring.length / np.linalg.norm(d)) * d
    given = 0.033 * found.rate("beta")[1] + pull @ found.velocity(spring.b)[1]
    assert power == pytest.approx(given, rel=1e-6)


def test_energy_balance():
    """The energy is the work of the motor, 16 rad times 0.033 N m, and the change of the spring energy."""
    for order, h, rate in ((2, 1e-5, 4.0), (4, 1e-5, 16.0)):
        gaps = [
            np.abs(m.energy - m.energy[0] - m.work).max()
            for m in (motion(lv.PointOnLine, order, h / k) for k in (1, 2))
        ]
        assert gaps[0] / gaps[1] == pytest.approx(rate, rel=0.1), gaps
    found = motion(lv.PointOnLine, 6, 2e-5)
    assert found.work[-1] == pytest.approx(0.033 * found.coordinate("beta")[-1], rel=1e-9)
