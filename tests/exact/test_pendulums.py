"""Pendulums and chains against closed forms and independent integrations.

[EXACT] closed form, [ODE] SciPy's DOP853 in other coordinates. Where order 6 is used, its error is below the digits.
"""

import numpy as np
import pytest
from scipy.special import ellipk

from tests.helpers import mechanisms, runs

PERIOD = 2.3678419475762374  # [EXACT] of the simple pendulum from the horizontal [s]


def test_simple_pendulum():
    """A01 [EXACT], (x, z)."""
    motion = runs.run(mechanisms.pendulum(), 6, h=5e-3, until=10.0)
    reference = (
        (0.986291751132, -0.165010853126),
        (-0.942305435044, -0.334754338414),
        (-0.275087462576, -0.961419205099),
    )
    found = motion.position("bob")[runs.at(motion, (1, 5, 10))]
    assert np.abs(found[:, [0, 2]] - reference).max() < 1e-11
    assert np.abs(motion.velocity("bob")[-1, [0, 2]] - (4.175598100952, -1.194749054561)).max() < 5e-11


def test_period():
    assert 4 * np.sqrt(1 / mechanisms.G) * ellipk(0.5) == pytest.approx(PERIOD, rel=1e-15)
    h = PERIOD / 1000
    motion = runs.run(mechanisms.pendulum(), 6, h=h, until=4 * PERIOD, every=1000)
    assert np.abs(motion.position("bob") - (-1, 0, 0)).max() < 1e-11


def test_the_energy_error_is_below_the_benchmark_target():
    """A01 requires |ΔE| < 5e-5 J over ten seconds; order 2 satisfies it with the step of other programs."""
    motion = runs.run(mechanisms.pendulum(), h=0.8e-3, until=10.0)
    assert np.abs(motion.energy - motion.energy[0]).max() < 5e-5


def test_tension():
    """By hand: the rod carries m(v²/l + g cos θ), three weights at the bottom of a fall from the horizontal."""
    motion = runs.run(mechanisms.pendulum(), 6, h=PERIOD / 1000, until=PERIOD / 4)
    assert motion.reaction("rod")[-1] == pytest.approx((0, 0, 3 * mechanisms.G), abs=1e-9)
    x, v = motion.position("bob"), motion.velocity("bob")
    pull = np.einsum("ni,ni->n", v, v) - mechanisms.G * x[:, 2]
    assert np.abs(motion.reaction("rod") + pull[:, None] * x).max() < 1e-9


CHAINS = (  # rods, then (t, x, z) of the tip [ODE], ten digits
    (1, ((1, -0.9999665881, -0.0081745177), (10, 0.6968224068, -0.7172437057))),
    (2, ((1, -1.6621151358, -1.0414666372), (2, 0.3135247765, -1.9147466176))),
    (3, ((1, -1.7235510295, -2.2995878854), (2, -1.9457796524, -0.0747020157))),
)


@pytest.mark.parametrize(("n", "reference"), CHAINS, ids=("one", "two", "three"))
def test_chain_of_slender_rods(n, reference):
    model = mechanisms.chain(n)
    t, x, z = np.transpose(reference)
    motion = runs.run(model, 6, h=4e-3, until=t[-1])
    tip = motion.position(model[f"rod{n - 1}"].point(0.5, 0, 0))[runs.at(motion, t)]
    assert np.abs(tip - np.stack([x, 0 * x, z], axis=1)).max() < 5.1e-11


@pytest.mark.parametrize(("order", "h", "within"), [(2, 1e-3, 0.05), (4, 2e-3, 0.2), (6, 8e-3, 0.2)])
def test_order_on_a_chain(order, h, within):
    """Three rods at t = 1, against the finest."""
    model = mechanisms.chain(3)
    tip = model["rod2"].point(0.5, 0, 0)

    def end(order, h):
        return runs.run(model, order, h=h, until=1.0, every=10**6).position(tip)[-1]

    exact = end(6, 1e-3)
    errors = [np.abs(end(order, h / k) - exact).max() for k in (1, 2)]
    assert abs(runs.order(errors)[0] - order) < within, errors


def test_spherical_pendulum():
    """[ODE], and E = 0.5, L₃ = 1 from the start."""
    motion = runs.run(mechanisms.spherical_pendulum(), 6, h=5e-3, until=10.0)
    reference = (
        (-0.906128890427, -0.394581468797, -0.152433258886),
        (0.218611337995, 0.046728350156, -0.974692538282),
    )
    assert np.abs(motion.position("bob")[runs.at(motion, (1, 10))] - reference).max() < 2e-11
    assert motion.energy[0] == 0.5
    assert np.abs(motion.energy - 0.5).max() < 1e-9
    assert np.abs(motion.angular_momentum[:, 2] - 1.0).max() < 1e-12
