"""Newmark and generalised-α have order 2 for all models: every joint, rolling, dampers, drives."""

from functools import cache

import numpy as np
import pytest

import livens as lv
from benchmarks import index_one
from tests.helpers import mechanisms, runs

UNTIL = 0.25
SECOND = (lv.Newmark(), lv.Newmark(beta=1 / 6), lv.GeneralizedAlpha(0.9), lv.GeneralizedAlpha(0.5))


@cache
def reference(name):
    return index_one.solve(MODELS[name](), [UNTIL], rtol=1e-11)[0]


MODELS = {
    "every joint": mechanisms.every_joint,
    "damped": lambda: mechanisms.damped(rolling=False),
    "driven": mechanisms.driven,
}


@pytest.mark.parametrize("scheme", SECOND, ids=repr)
@pytest.mark.parametrize("name", MODELS)
def test_order(scheme, name):
    """Positions, velocities, accelerations and reactions; and the energy balance."""
    model, found = MODELS[name](), reference(name)
    motions = [lv.simulate(model, scheme, h=UNTIL / n, until=UNTIL) for n in (400, 800)]
    errors = [runs.deviations(motion, found) for motion in motions]
    assert np.abs(runs.order(errors)[0] - 2).max() < 0.1, errors
    gaps = [np.abs(m.energy - m.energy[0] - m.work + m.dissipated).max() for m in motions]
    assert runs.order(gaps)[0] > 1.9, gaps
    assert motions[0].defect_position.max() < 1e-11
    assert motions[0].defect_velocity.max() < 1e-11


def written():
    """User-written energies and forces, one time-dependent and one velocity-dependent, on a double pendulum."""
    m = lv.Model(gravity=(0, 0, -9.81), name="written")
    a = m.add(lv.Body(lv.Box(1, 0.3, 0.2, density=100), at=(0.5, 0, 0), name="a"))
    b = m.add(lv.Body(lv.Box(0.8, 0.3, 0.15, density=100), at=(1.4, 0, 0), name="b"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), a.point(-0.5, 0, 0), axis=(0, 1, 0.3), name="shoulder"))
    m.add(lv.Spherical(a.point(0.5, 0, 0), b.point(-0.4, 0, 0), name="elbow"))
    m.add(lv.Energy(lambda x, t: 40 * (1 + lv.sin(9 * t)) * x[b].point(0.4, 0, 0)[2] ** 4, bodies=[b], name="well"))
    m.add(lv.Force(b.point(0.4, 0, 0), lambda x: -3.0 * x[b].velocity(0.4, 0, 0), bodies=[b], name="drag"))
    return m


@pytest.mark.parametrize("scheme", SECOND, ids=repr)
def test_order_with_user_written_physics(scheme):
    """Against the Livens scheme, which other tests compare with closed solutions; and the energy balance."""
    exact = lv.simulate(written(), lv.Livens(), h=1e-5, until=0.2, every=20_000)
    errors, gaps = [], []
    for h in (1e-3, 5e-4):
        motion = lv.simulate(written(), scheme, h=h, until=0.2)
        errors.append(np.abs(motion.record.a[-1] - exact.record.a[-1]).max())
        gaps.append(np.abs(motion.energy - motion.energy[0] - motion.work + motion.dissipated).max())
    assert runs.order(errors)[0] == pytest.approx(2, abs=0.1), errors
    assert runs.order(gaps)[0] == pytest.approx(2, abs=0.1), gaps


def test_order_one_away_from_gamma_one_half():
    model, found = mechanisms.every_joint(), reference("every joint")
    scheme = lv.Newmark(beta=0.3, gamma=0.6)
    errors = [runs.deviations(lv.simulate(model, scheme, h=UNTIL / n, until=UNTIL), found) for n in (400, 800)]
    assert scheme.order == 1
    assert np.abs(runs.order(errors)[0] - 1).max() < 0.1, errors
