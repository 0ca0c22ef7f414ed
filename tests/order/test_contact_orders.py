"""Impacts at the order of the scheme: an elastic pendulum against a wall, under a force that varies with time."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import livens as lv
from tests.helpers.frames import Frame, G

SCHEMES = [(lv.Livens(), 2), (lv.Livens(order=4), 4), (lv.Livens(order=6), 6), (lv.RungeKutta(order=4), 4)]


def pendulum(frame, scheme, h, e=1.0, wall=0.0, until=2.4):
    """A ball on a rod that swings against a wall and back, driven by a force."""
    m = frame.model()
    bob = frame.ball(m, 0.1, (1, 0, 0))
    pivot = m.world.point(frame.place((0, 0, 0)))
    m.add(lv.Revolute(pivot, bob.point(-frame.unit, 0, 0), axis=frame.direction((0, 1, 0)), name="hinge"))
    m.add(lv.Contact(frame.floor(m, (1, 0, 0), (wall, 0, 0)), bob, restitution=e))
    m.add(lv.Load(bob.center, force=lambda t: frame.vector((np.sin(5.0 * t), 0, 0))))
    return lv.simulate(m, scheme, h=h, until=until)


@cache
def exact(seed):
    motion = pendulum(Frame(seed), lv.RungeKutta(), 0.01)
    return motion.impacts.t, motion.state


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("scheme", "order"), SCHEMES, ids=str)
def test_order_of_a_motion_with_impacts(seed, scheme, order):
    """Impact times, the state at the end and energy − work converge with the order of the scheme."""
    frame = Frame(seed)
    times, end = exact(seed)
    assert len(times) == 2
    found = {h: pendulum(frame, scheme, h) for h in (0.05, 0.025, 0.0125)}
    size = G * frame.unit**2
    errors = {
        "state": [np.abs(m.state.a - end.a).max() / frame.unit for m in found.values()],
        "balance": [np.ptp(m.energy - m.work) / size for m in found.values()],
    }
    for name, (_, middle, last) in errors.items():
        assert last < 1e-10 or np.log2(middle / last) > order - 0.35, (name, errors)
    for m in found.values():
        assert len(m.impacts) == 2
        assert abs(m.impact_loss[-1]) < 1e-12 * size
        assert m.defect_position.max() < (1e-13 if scheme.variational else 1e-12) * max(1.0, frame.unit)
    assert np.abs(found[0.025].impacts.t - times).max() < {2: 3e-3, 4: 2e-6, 6: 1e-10}[order]


@pytest.mark.parametrize("scheme", [lv.Livens(order=4), lv.Livens(order=6)], ids=str)
def test_bounces_that_end_in_rest(scheme):
    """e < 1 at orders 4 and 6: the ball comes to rest on the plane, and the balance of energy holds."""
    frame = Frame(2)
    m = frame.model()
    ball = frame.ball(m, 0.1, (0, 0, 0.5), velocity=(0.3, 0.1, 0))
    m.add(lv.Contact(frame.floor(m), ball, restitution=0.6))
    motion = lv.simulate(m, scheme, h=0.02, until=2.5)
    z = frame.back(motion.position(ball))[:, 2] - 0.1
    fall = np.sqrt(2.0 * 0.4 / G)
    assert abs(motion.impacts.t[0] - fall) < 1e-12
    assert abs(motion.impacts.t[3] - fall * (1.0 + 2.0 * (0.6 + 0.36 + 0.216))) < 1e-11
    assert np.abs(z[motion.t > 2.0]).max() < 1e-12
    assert z.min() > -1e-12
    assert np.ptp(motion.energy + motion.dissipated) < 1e-11 * frame.unit**2


@pytest.mark.parametrize("scheme", [lv.Livens(), lv.Livens(order=4)], ids=str)
def test_energy_has_no_slope_in_a_bowl(scheme):
    """A ball on a spring in a bowl of five planes, e = 1: a chaotic motion of about 2,000 bounces, whose energy error
    does not grow: the means of its first and its last quarter differ by less than its range."""
    frame = Frame(1)
    m = frame.model()
    ball = frame.ball(m, 0.05, (0.13, 0, 0.6), velocity=(0.4, 0.3, 0))
    anchor = m.world.point(frame.place((0.1, 0.05, 0.9)))
    m.add(lv.Spring(anchor, ball.center, stiffness=4.0, length=0.0))
    for k in range(5):
        a, tilt = 2.0 * np.pi * k / 5.0, 0.5 + 0.05 * k
        n = np.array([np.sin(tilt) * np.cos(a), np.sin(tilt) * np.sin(a), np.cos(tilt)])
        m.add(lv.Contact(frame.floor(m, n), ball, restitution=1.0))
    h = 0.02
    motion = lv.simulate(m, scheme, h=h, until=700.0, every=5)
    E = (motion.energy - motion.energy[0]) / (G * frame.unit**2)
    assert len(motion.impacts) > 1500
    quarter = len(E) // 4
    assert np.ptp(E) < {2: 4.0 * h**2, 4: 4.0 * h**4}[scheme.order]
    assert abs(E[:quarter].mean() - E[-quarter:].mean()) < 0.5 * np.ptp(E)


def test_runge_kutta_stops_where_bodies_stay_in_contact():
    frame = Frame(0)
    m = frame.model()
    ball = frame.ball(m, 0.1, (0, 0, 0.5))
    m.add(lv.Contact(frame.floor(m), ball, restitution=0.5))
    with pytest.raises(lv.StepFailed, match=r"bodies stay in contact .* takes impacts only") as failed:
        lv.simulate(m, lv.RungeKutta(), h=0.02, until=3.0)
    assert len(failed.value.trajectory.impacts) > 3
