"""Screws, gears, racks, motors and drives against closed forms."""

import numpy as np
import pytest

import livens as lv
from tests.helpers import mechanisms, runs

G = mechanisms.G
X, Y, Z = mechanisms.X, mechanisms.Y, mechanisms.Z


def wheel(m, name, J, x=0.0, **joint):
    """A body that turns about z, with its hinge."""
    body = m.add(lv.Body(lv.MassProperties(1.0, (0.6 * J, 0.7 * J, J)), at=(x, 0, 0), name=name))
    return m.add(lv.Revolute(m.world.point(x, 0, 0), body.point(0, 0, 0), axis=Z, name=f"{name} hinge", **joint))


def test_screw_under_gravity():
    """a = g/(1 + J/(m (p/2π)²)), and the torque that turns it."""
    m = lv.Model(gravity=mechanisms.DOWN)
    mass, J, pitch = 2.0, 0.03, 0.5
    nut = m.add(lv.Body(lv.MassProperties(mass, (0.02, 0.025, J)), at=(0.1, 0.2, 0), name="nut"))
    screw = m.add(lv.Screw(m.world.point(0.1, 0.2, 0), nut.point(0, 0, 0), axis=Z, pitch=pitch, name="screw"))
    motion = runs.run(m, 6, h=2e-3, until=1.0)
    a = G / (1 + J / (mass * (pitch / (2 * np.pi)) ** 2))
    angle, height = motion.coordinate(screw).T
    assert np.abs(height + 0.5 * a * motion.t**2).max() < 1e-9
    assert np.abs(angle + np.pi * a * motion.t**2 / pitch).max() < 1e-8
    assert np.abs(motion.reaction(screw) - (0, 0, mass * (G - a))).max() < 1e-8
    assert np.abs(motion.reaction_torque(screw) - (0, 0, -J * 2 * np.pi / pitch * a)).max() < 1e-8


@pytest.mark.parametrize("ratio", [-0.5, 3.0])
def test_gears_reflect_inertia(ratio):
    """θ₁″ = M/(J₁ + ρ² J₂)."""
    m = lv.Model()
    one, two = wheel(m, "one", 0.2), wheel(m, "two", 0.7, x=1.0)
    m.add(lv.Coupling(one, two, ratio=ratio, name="gear"))
    m.add(lv.Motor(one, 1.5, name="motor"))
    motion = runs.run(m, 6, h=5e-3, until=2.0)
    angle = 0.75 / (0.2 + 0.7 * ratio**2) * motion.t**2
    assert np.abs(motion.coordinate(one) - angle).max() < 1e-8
    assert np.abs(motion.coordinate(two) - ratio * angle).max() < 3e-8
    assert np.abs(motion.energy - motion.work).max() < 1e-8


def test_rack_and_pinion():
    """A rack that falls turns its pinion: a = g m/(m + J/r²)."""
    m = lv.Model(gravity=(0, -G, 0))
    pinion = wheel(m, "pinion", 0.05)
    rack = m.add(lv.Body(lv.MassProperties(3.0, (0.1, 0.1, 0.1)), at=(0.2, 0.1, 0), name="rack"))
    rail = m.add(lv.Prismatic(m.world.point(0.2, 0, 0), rack.point(0, 0, 0), axis=Y, name="rail"))
    m.add(lv.Coupling(pinion, rail, ratio=0.2, name="mesh"))
    motion = runs.run(m, 6, h=5e-3, until=1.0)
    a = G * 3 / (3 + 0.05 / 0.2**2)
    assert np.abs(motion.coordinate(rail) + 0.5 * a * motion.t**2).max() < 1e-8
    assert np.abs(motion.coordinate(pinion) + 2.5 * a * motion.t**2).max() < 5e-8


# ── motors ──


def test_motor_with_an_effort_of_time():
    """J θ″ = M cos 3t."""
    m = lv.Model()
    hinge = wheel(m, "wheel", 0.2)
    m.add(lv.Motor(hinge, lambda t: 0.6 * np.cos(3 * t), name="motor"))
    motion = runs.run(m, 4, h=5e-3, until=3.0)
    assert np.abs(motion.coordinate(hinge) - (1 - np.cos(3 * motion.t)) / 3).max() < 1e-9
    assert np.abs(motion.angular_acceleration("wheel")[:, 2] - 3 * np.cos(3 * motion.t)).max() < 1e-12
    assert np.abs(motion.energy - motion.work).max() < 1e-8


def test_motors_on_one_joint_add_up():
    m = lv.Model()
    hinge = wheel(m, "wheel", 0.2, stiffness=0.8)
    m.add(lv.Motor(hinge, 0.3, name="one"))
    m.add(lv.Motor(hinge, lambda t: 0.1, name="two"))
    motion = runs.run(m, 6, h=1e-2, until=3.0)
    assert np.abs(motion.coordinate(hinge) - 0.5 * (1 - np.cos(2 * motion.t))).max() < 1e-10


def test_controller_at_a_rate():
    """Held between samples, the torque is constant there: θ and ω follow an exact recursion. Second order in h."""
    J, T = 0.2, 0.05

    def pd(t, now):
        return 4.0 * (1.0 - now.coordinate("wheel hinge")[0]) - 0.8 * now.rate("wheel hinge")[0]

    q, w, samples = 0.0, 0.0, [0.0]
    for _ in range(40):
        effort = 4.0 * (1.0 - q) - 0.8 * w
        q, w = q + T * w + 0.5 * T**2 * effort / J, w + T * effort / J
        samples.append(q)
    errors = []
    for every in (5, 10):
        m = lv.Model()
        hinge = wheel(m, "wheel", J)
        m.add(lv.Motor(hinge, pd, rate=1 / T, name="servo"))
        motion = runs.run(m, h=T / every, until=40 * T, every=every)
        errors.append(np.abs(motion.coordinate(hinge) - samples).max())
        assert np.abs(motion.energy - motion.work).max() < 1e-13  # exact: the torque is constant in each step
    assert abs(runs.order(errors)[0] - 2) < 0.05, errors


# ── drives ──


def angle(t):
    return 6 * t + 0.4 * (1 - np.cos(3 * t))


@pytest.mark.parametrize("order", [2, 4])
def test_a_driven_slider_crank_agrees_with_its_geometry(order):
    """A prescribed crank leaves no degree of freedom: positions and velocities are right to round-off at any step."""
    motion = runs.run(mechanisms.slider_crank(drive=angle), order, h=1e-2, until=2.0)
    phi, rate = angle(motion.t), 6 + 1.2 * np.sin(3 * motion.t)
    y, z = 0.1 - 0.08 * np.sin(phi), 0.12 + 0.08 * np.cos(phi)
    x = np.sqrt(0.3**2 - y**2 - z**2)
    dx = (y * 0.08 * np.cos(phi) + z * 0.08 * np.sin(phi)) * rate / x
    assert np.abs(motion.coordinate("hinge") - phi).max() < 1e-11
    assert np.abs(motion.position("slider") - np.stack([x, 0 * x, 0 * x], axis=1)).max() < 1e-11
    assert np.abs(motion.velocity("slider") - np.stack([dx, 0 * x, 0 * x], axis=1)).max() < 1e-10


def test_torque_of_a_drive():
    """M = J φ″ + m g l sin φ for a driven pendulum; the energy balance is of second order."""
    gaps = []
    for h in (5e-3, 2.5e-3):
        m = lv.Model(gravity=(0, -G, 0))
        arm = m.add(lv.Body(lv.MassProperties(2.0, (0.1, 0.2, 0.3), center=(0, -0.5, 0)), name="arm"))
        drive = lambda t: 0.7 * (1 - np.cos(4 * t))  # noqa: E731
        hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(0, 0, 0), axis=Z, drive=drive, name="hinge"))
        motion = runs.run(m, h=h, until=2.0)
        torque = (0.3 + 2 * 0.25) * 0.7 * 16 * np.cos(4 * motion.t) + 2 * G * 0.5 * np.sin(drive(motion.t))
        assert np.abs(motion.reaction_torque(hinge)[:, 2] - torque).max() < 1e-6
        gaps.append(np.abs(motion.energy - motion.energy[0] - motion.work).max())
    assert abs(runs.order(gaps)[0] - 2) < 0.05, gaps


def test_drive_of_many_turns():
    """The angle is unwrapped, also after 300 rad."""
    m = lv.Model()
    body = m.add(
        lv.Body(
            lv.MassProperties(1.0, (1, 1, 1)), at=(0.3, 0, 0), velocity=(0, 9, 0), angular_velocity=30 * Z, name="b"
        )
    )
    m.add(lv.Revolute(m.world.point(0, 0, 0), body.point(-0.3, 0, 0), axis=Z, drive=lambda t: 30 * t, name="hinge"))
    motion = runs.run(m, h=1e-3, until=10.0, every=100)
    assert np.abs(motion.coordinate("hinge") - 30 * motion.t).max() < 1e-11
    assert np.abs(motion.rate("hinge") - 30).max() < 1e-8
