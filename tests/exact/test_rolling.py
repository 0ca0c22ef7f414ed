"""Nonholonomic joints against closed forms: ball on an incline, disc in steady circles, skate and sleigh on ice."""

import numpy as np
import pytest

import livens as lv
from tests.helpers import mechanisms, runs

G = mechanisms.G


@pytest.mark.parametrize(
    ("matter", "share"), [(lv.Ball(0.1, mass=2.0), 2 / 5), (lv.MassProperties(2.0, np.full(3, 2 / 3 * 0.02)), 2 / 3)],
    ids=("solid", "hollow"),
)  # fmt: skip
def test_ball_on_an_incline(matter, share):
    """a = g sin α/(1 + J/mR²), 5/7 g sin α for a solid ball; friction and normal force follow."""
    slope = 0.3
    motion = runs.run(mechanisms.rolling_ball(slope, matter), 4, h=1e-2, until=2.0)
    a = G * np.sin(slope) / (1 + share)
    x = motion.position("ball")
    assert np.abs(x - np.stack([0.5 * a * motion.t**2, 0 * motion.t, 0 * motion.t + 0.1], axis=1)).max() < 1e-11
    assert np.abs(motion.angular_velocity("ball")[:, 1] - a * motion.t / 0.1).max() < 1e-10
    force = 2.0 * np.array([a - G * np.sin(slope), 0, G * np.cos(slope)])
    assert np.abs(motion.reaction("contact") - force).max() < 1e-10


def test_ball_that_starts_with_twist():
    """On a horizontal plane a uniform ball moves steadily: along a line, with constant spin about the normal."""
    m = lv.Model(gravity=mechanisms.DOWN)
    ball = m.add(
        lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 0.1), velocity=(1, 0.5, 0), angular_velocity=(-5, 10, 7), name="ball")
    )
    m.add(lv.RollingBall(m.world.point(0, 0, 0), ball.point(0, 0, 0), normal=(0, 0, 1), radius=0.1, name="contact"))
    motion = runs.run(m, h=1e-2, until=2.0)
    assert np.abs(motion.position(ball)[-1] - (2, 1, 0.1)).max() < 1e-12
    assert np.abs(motion.angular_velocity(ball) - (-5, 10, 7)).max() < 1e-11


def steady_spin(lean, precession, radius):
    """Moments about the centre balance (by hand, axis A, in-plane direction U towards the centre, A × U = e_x):

    w Ω cos λ (m R² + J_A) = J_t Ω² sin λ cos λ − m g R sin λ,     ω = w A + Ω cos λ U,     spin = w − Ω sin λ.
    """
    J, w = radius**2 / 4, precession
    roll = np.sin(lean) * (J * w**2 * np.cos(lean) - G * radius) / (w * np.cos(lean) * 3 * J * 2)
    return roll, roll - w * np.sin(lean)


@pytest.mark.parametrize(("lean", "precession"), [(0.4, 1.5), (0.9, 3.0), (-0.2, 1.0)])
def test_disc_in_steady_circles(lean, precession):
    """Constant inclination; the centre on a circle of radius R w/Ω with angular velocity Ω; the required forces."""
    R = 0.3
    roll, spin = steady_spin(lean, precession, R)
    motion = runs.run(mechanisms.rolling_disc(lean, precession, spin, R), 6, h=2e-3, until=1.0)
    x, t = motion.position("disc"), motion.t
    phase = precession * t
    rho = R * roll / precession
    middle = x[0] + (0, rho, 0)
    circle = middle + np.stack([rho * np.sin(phase), -rho * np.cos(phase), 0 * t], axis=1)
    assert np.abs(x - circle).max() < 1e-9
    axis = motion.rotation("disc") @ (0, 1, 0)
    assert np.abs(axis[:, 2] - np.sin(lean)).max() < 1e-9
    centripetal = rho * precession**2 * np.stack([-np.sin(phase), np.cos(phase), 0 * t], axis=1)
    assert np.abs(motion.reaction("contact") - centripetal - (0, 0, G)).max() < 1e-7


def test_a_rolling_disc_conserves_its_energy():
    """No slip does no work, also where the disc nutates and precesses; second order."""
    errors = [
        np.abs(m.energy - m.energy[0]).max()
        for m in (runs.run(mechanisms.rolling_disc(), h=h, until=5.0) for h in (2e-3, 1e-3))
    ]
    assert abs(runs.order(errors)[0] - 2) < 0.05, errors


def test_skate_on_an_incline_runs_a_cycloid():
    """With its centre above the blade it rotates uniformly, v = v₀ + (g sin α/ω) sin ωt along the blade."""
    slope, v0, w = 0.3, 1.0, 2.0
    motion = runs.run(mechanisms.sleigh(slope, v0, w), 6, h=1e-2, until=10.0)
    a, theta = G * np.sin(slope), w * motion.t
    x = v0 / w * np.sin(theta) + a / (2 * w**2) * np.sin(theta) ** 2
    y = v0 / w * (1 - np.cos(theta)) + a / w**2 * (theta / 2 - np.sin(2 * theta) / 4)
    assert np.abs(motion.position("sleigh") - np.stack([x, y, 0 * x], axis=1)).max() < 1e-10
    across = np.stack([-np.sin(theta), np.cos(theta), 0 * theta], axis=1)
    speed = v0 + a / w * np.sin(theta)
    force = 1.5 * (speed * w + a * np.sin(theta))
    assert np.abs(motion.reaction("blade") - force[:, None] * across).max() < 1e-8


def test_chaplygin_sleigh():
    """Centre ahead of the blade: v = V tanh(κVs/a), ω = (V√κ/a) / cosh(κVs/a), κ = m a²/(J + m a²), s = t + t₀."""
    a, m, J, v0, w0 = 0.2, 1.5, 0.05, -1.0, 2.0
    kappa = m * a**2 / (J + m * a**2)
    V = np.sqrt(v0**2 + a**2 / kappa * w0**2)
    t0 = a / (kappa * V) * np.arctanh(v0 / V)
    motion = runs.run(mechanisms.sleigh(0.0, v0, w0, center=a), 6, h=1e-2, until=4.0)
    s = kappa * V * (motion.t + t0) / a
    assert np.abs(motion.angular_velocity("sleigh")[:, 2] - V * np.sqrt(kappa) / a / np.cosh(s)).max() < 1e-10
    speed = np.einsum("ni,ni->n", motion.velocity("sleigh"), motion.rotation("sleigh")[:, :, 0])
    assert np.abs(speed - V * np.tanh(s)).max() < 1e-10
    assert np.abs(motion.energy - motion.energy[0]).max() < 1e-9
    assert np.linalg.norm(motion.velocity("sleigh")[-1]) > 0.99 * V  # it ends up running straight, blade last


def test_a_slipping_start_is_corrected_with_a_warning():
    """A ball without spin slips: the smallest change of momenta makes it roll with 5/7 of its speed."""
    m = lv.Model(gravity=mechanisms.DOWN)
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 0.1), velocity=(7, 0, 0), name="ball"))
    m.add(lv.RollingBall(m.world.point(0, 0, 0), ball.point(0, 0, 0), normal=(0, 0, 1), radius=0.1))
    with pytest.warns(lv.ModelWarning, match="velocities did not satisfy"):
        motion = lv.simulate(m, h=1e-2, until=0.1)
    assert np.abs(motion.velocity(ball) - (5, 0, 0)).max() < 1e-12
