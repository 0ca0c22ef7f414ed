"""h="auto" for schemes that conserve energy exactly: long where nothing is lost, short where it is."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv

SCHEME = lv.EnergyMomentum()


def pendulum(stiffness, stretch=0.0, unit=(1.0, 1.0), seed=0):
    """A ball on a spring, which swings, in a random orientation; `stretch`: how far its spring is stretched."""
    length, second = unit
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model(gravity=R @ (0, 0, -9.81 * length / second**2))
    x = np.array((0.6, 0, -0.8)) * (1 + stretch)
    ball = m.add(lv.Body(lv.Ball(0.1 * length, mass=1.0), at=length * R @ x, name="ball"))
    m.add(lv.Spring(m.world.point(0, 0, 0), ball.center, stiffness=stiffness / second**2, length=length, name="cord"))
    return m


def rigid():
    R = Rotation.random(random_state=0).as_matrix()
    m = lv.Model(gravity=R @ (0, 0, -9.81))
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=R @ (0.6, 0, -0.8), name="ball"))
    m.add(lv.Rod(m.world.point(0, 0, 0), ball.center))
    return lv.simulate(m, lv.Livens(order=4), h=1e-3, until=5.0)


@pytest.mark.parametrize("stiffness", [1e5, 1e8])
def test_stiff_vibrations_that_hardly_move_are_not_resolved(stiffness):
    motion = lv.simulate(pendulum(stiffness), SCHEME, h="auto", until=5.0)
    assert motion.h * np.sqrt(stiffness) > 1.0  # lv.Livens is unstable from 2
    assert motion.h > 1e-3
    assert np.abs(motion.position("ball")[-1] - rigid().position("ball")[-1]).max() < 0.01
    assert "the motion differs by" in motion.chosen


def test_the_step_does_not_depend_on_units_and_orientation():
    one = lv.simulate(pendulum(1e5), SCHEME, h="auto", until=5.0)
    other = lv.simulate(pendulum(1e5, unit=(1e-3, 60.0), seed=1), SCHEME, h="auto", until=300.0)
    assert other.h / 60.0 == pytest.approx(one.h, rel=0.35)  # steps have one digit


def test_vibrations_that_move_far_are_resolved():
    m = pendulum(1e4, stretch=0.3)
    motion = lv.simulate(m, SCHEME, h="auto", until=1.0)
    exact = lv.simulate(m, lv.Livens(order=6), h=1e-4, until=1.0).position("ball")[-1]
    assert motion.h * 100.0 < 0.2
    assert np.abs(motion.position("ball")[-1] - exact).max() < 0.02


def test_a_chaotic_motion_gets_the_step_that_resolves_it():
    m = lv.Model(gravity=(0, 0, -9.81))
    last, x = m.world, 0.0
    for k in range(3):
        b = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=100), at=(x + 0.5, 0, 0), name=f"{k}"))
        m.add(lv.Spherical(last.point_at(x, 0, 0), b.point_at(x, 0, 0)))
        last, x = b, x + 1.0
    m.add(lv.Spring(m.world.point(0, 1, 0), last.center, stiffness=1e4, length=2.0))
    motion = lv.simulate(m, SCHEME, h="auto", until=20.0)
    assert motion.h == pytest.approx(lv.simulate(m, lv.Livens(), h="auto", until=0.1).h, rel=0.3)


def test_a_beam_of_steel():
    """A cantilever that swings under its weight takes steps that do not resolve the waves between its sections."""
    pytest.importorskip("casadi")
    m = lv.Model(gravity=(0, 0, -9.81))
    steel, section = lv.Material(E=2.1e11, nu=0.3, density=7850.0), lv.Section.circle(0.005)
    beam = m.add(lv.Beam([(0, 0, 0), (1, 0, 0)], 4, section, steel, up=(0, 1, 0)))
    m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0)))
    motion = lv.simulate(m, SCHEME, h="auto", until=0.2)
    explicit = lv.stiffness(m).largest
    assert motion.h > 10 * explicit
    fine = lv.simulate(m, SCHEME, h=motion.h / 16, until=0.2)
    assert np.abs(motion.position(beam.end) - fine.position(beam.end)[::16]).max() < 0.01 * np.ptp(
        fine.position(beam.end)
    )


def test_stops_and_controllers():
    """A stop that is touched is resolved, or hardly moves; a controller is called once, at its rate."""
    m = lv.Model(gravity=(0, 0, -9.81))
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1), at=(0.5, 0, 0), name="arm"))
    hinge = {"axis": (0, 1, 0), "limits": (None, 0.5), "limit_stiffness": 1e5, "name": "hinge"}
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), **hinge))
    motion = lv.simulate(m, SCHEME, h="auto", until=1.0)
    exact = lv.simulate(m, lv.Livens(), h=1e-5, until=1.0, every=100)
    assert abs(motion.coordinate("hinge")[-1] - exact.coordinate("hinge")[-1]) < 0.02
    called = []
    m.add(lv.Motor(m["hinge"], lambda t, now: called.append(t) or 0.0, rate=50.0))
    lv.simulate(m, SCHEME, h="auto", until=0.5)
    assert np.allclose(called, np.arange(25) / 50.0)
