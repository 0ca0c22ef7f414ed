"""Contact against closed forms, in random orientation, place and unit of length.

Sources of numbers: elementary mechanics, worked out in each test; SimBenchmark's rolling test.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import livens as lv
from tests.helpers.frames import FRAMES, G


@FRAMES
@pytest.mark.parametrize("e", [0.5, 0.8])
def test_bouncing_ball(frame, e):
    """Impact times, heights between and the height of rest, for a fall from 1."""
    m = frame.model()
    ball = frame.ball(m, 0.1, (0, 0, 1.1))
    m.add(lv.Contact(frame.floor(m), ball, restitution=e))
    h = 1e-2
    fall = np.sqrt(2.0 / G)
    end = fall * (1.0 + 2.0 * e / (1.0 - e))
    motion = lv.simulate(m, h=h, until=np.ceil(end) + 1.0)
    z = frame.back(motion.position(ball))[:, 2] - 0.1
    times = fall * np.concatenate([[1.0], 1.0 + 2.0 * np.cumsum(e ** np.arange(1, 60))])
    seen = motion.impacts.t
    long = 2.0 * fall * e ** np.arange(60) * e / (1.0 - e) > h  # the rest of the bounces takes longer than a step
    count = int(long[: len(seen)].sum())
    assert count > 5
    assert np.abs(seen[:count] - times[:count]).max() < 1e-11
    assert np.abs(motion.impacts.speed[:count] / frame.unit / (G * fall * e ** np.arange(count)) - 1.0).max() < 1e-9
    for k in range(count - 1):
        inside = (motion.t > times[k]) & (motion.t < times[k + 1])
        s, v = motion.t[inside] - times[k], G * fall * e ** (k + 1)
        assert np.abs(z[inside] - (v * s - 0.5 * G * s * s)).max(initial=0.0) < 1e-10
    assert np.abs(z[motion.t > end + h]).max() < 1e-12
    assert z.min() > -1e-12
    balance = motion.energy + motion.dissipated
    assert np.ptp(balance) < 1e-9 * G * frame.unit**2
    assert motion.impact_loss[-1] == pytest.approx(G * frame.unit**2, rel=1e-9)


@FRAMES
def test_an_elastic_ball_bounces_for_ever(frame):
    m = frame.model()
    ball = frame.ball(m, 0.1, (0, 0, 0.5), velocity=(1, 0.5, 0))
    m.add(lv.Contact(frame.floor(m), ball, restitution=1.0))
    motion = lv.simulate(m, h=2e-2, until=200.0, every=10)
    E = motion.energy / frame.unit**2
    assert len(motion.impacts) > 300
    assert np.ptp(E) < 1e-10
    assert abs(np.polyfit(motion.t, E, 1)[0]) < 1e-13


@FRAMES
@pytest.mark.parametrize("yaw", [0.0, 0.4])
@pytest.mark.parametrize("over", [1e-6, -1e-6, -0.1])
def test_box_on_an_incline(frame, yaw, over):
    """Just below the angle of friction a box does not move; just above it has the exact acceleration."""
    slope = 0.3
    mu = np.tan(slope) + over
    n = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    down = -np.array([np.cos(slope), 0.0, np.sin(slope)])
    turn = lv.Pose.from_axis_angle((0, 1, 0), -slope).B @ lv.Pose.from_axis_angle((0, 0, 1), yaw).B
    m = frame.model()
    box = frame.box(m, (0.2, 0.2, 0.1), 0.05 * n, turn=turn)
    m.add(lv.Contact(frame.floor(m, n), box, friction=mu))
    motion = lv.simulate(m, h=1e-2, until=2.0)
    x = frame.back(motion.position(box))
    a = max(0.0, G * (np.sin(slope) - mu * np.cos(slope)))
    assert np.abs(x - x[0] - 0.5 * a * motion.t[:, None] ** 2 * down).max() < 1e-12
    assert np.ptp(motion.energy + motion.dissipated) < 1e-12 * frame.unit**2


@FRAMES
def test_a_sliding_box_stops_on_a_straight_line(frame):
    """Coulomb's cone, not a pyramid: the path is straight in any direction, of length v²/(2µg)."""
    m, mu, angle = frame.model(), 0.3, 0.7
    u = np.array([np.cos(angle), np.sin(angle), 0.0])
    box = frame.box(m, (0.4, 0.4, 0.1), (0, 0, 0.05), velocity=2.0 * u)
    m.add(lv.Contact(frame.floor(m), box, friction=mu))
    motion = lv.simulate(m, h=1e-3, until=1.0)
    x = frame.back(motion.position(box))
    assert np.abs(np.cross(x - x[0], u)).max() < 1e-9
    assert (x[-1] - x[0]) @ u == pytest.approx(4.0 / (2.0 * mu * G), rel=2e-6)  # it stops within a step
    assert np.abs(x[-1] - x[-100]).max() < 1e-12
    assert motion.friction_loss[-1] == pytest.approx(2.0 * frame.unit**2, rel=1e-9)


@FRAMES
def test_slip_to_roll(frame):
    """A ball that starts to slide rolls after 2v₀/(7µg) with 5/7 of its speed."""
    m, mu, R = frame.model(), 0.2, 0.1
    ball = frame.ball(m, R, (0, 0, R), velocity=(1, 0, 0))
    m.add(lv.Contact(frame.floor(m), ball, friction=mu))
    motion = lv.simulate(m, h=2e-3, until=0.5)
    v = motion.velocity(ball) @ frame.B / frame.unit
    assert np.abs(v[-1] - (5.0 / 7.0, 0, 0)).max() < 1e-12
    sliding = motion.t < 2.0 / (7.0 * mu * G) - 2e-3
    assert np.abs(v[sliding, 0] - (1.0 - mu * G * motion.t[sliding])).max() < 1e-12
    assert motion.friction_loss[-1] == pytest.approx(0.5 * 2.0 / 7.0 * frame.unit**2, rel=1e-9)


@FRAMES
def test_ball_rolls_down_an_incline(frame):
    """Sticking: v = 5/7 g sin θ t."""
    slope = np.radians(15.0)
    n = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    m = frame.model()
    ball = frame.ball(m, 0.05, 0.05 * n)
    m.add(lv.Contact(frame.floor(m, n), ball, friction=0.5))
    motion = lv.simulate(m, h=1e-2, until=1.0)
    speed = np.linalg.norm(motion.velocity(ball)[-1]) / frame.unit
    assert speed == pytest.approx(5.0 / 7.0 * G * np.sin(slope), rel=1e-11)  # 1.8135820 m/s


@FRAMES
def test_newtons_cradle(frame):
    """Touching balls on rods: in sequence one leaves; all at once (−0.6, 0.4, 0.4, 0.4, 0.4) of the speed."""
    R, l, angle = 0.05, 1.0, 0.3
    speeds = {}
    for rule in ("sequence", "together"):
        m, balls = frame.model(), []
        for k in range(5):
            x, a = 2.0 * R * k, -angle if k == 0 else 0.0
            turn = lv.Pose.from_axis_angle((0, 1, 0), -a).B
            ball = frame.ball(m, R, (x + l * np.sin(a), 0, -l * np.cos(a)), turn=turn, name=f"ball {k}")
            pivot, axis = m.world.point(frame.place((x, 0, 0))), frame.direction((0, 1, 0))
            m.add(lv.Revolute(pivot, ball.point(0, 0, l * frame.unit), axis=axis, name=f"rod {k}"))
            balls.append(ball)
        for one, two in itertools.pairwise(balls):
            m.add(lv.Contact(one, two, restitution=1.0, impacts=rule))
        motion = lv.simulate(m, h=1e-2, until=0.7)
        impact = motion.impacts.t[0]
        before, after = int(impact / 1e-2), int(impact / 1e-2) + 1
        spin = np.array([motion.angular_velocity(ball) @ frame.direction((0, -1, 0)) for ball in balls])
        speeds[rule] = spin[:, after] / np.abs(spin[0, before])
        assert motion.defect_position.max() < 1e-13 * max(1.0, frame.unit)
        assert np.ptp(motion.energy) < 1e-3 * motion.kinetic.max()
        assert abs(motion.impact_loss[-1]) < 1e-12 * motion.kinetic.max()
    assert np.allclose(speeds["sequence"], (0, 0, 0, 0, 1), atol=3e-2)  # the balls swing for a part of a step
    assert np.allclose(speeds["together"], (-0.6, 0.4, 0.4, 0.4, 0.4), atol=3e-2)


@FRAMES
def test_balls_collide_with_friction(frame):
    """Momentum and angular momentum are exact, energy falls by what is booked, the normal speed by e."""
    m = lv.Model()
    one = frame.ball(m, 0.1, (0, 0, 0), velocity=(1, 0, 0.1))
    two = frame.ball(m, 0.1, (1, 0.05, 0.1), mass=2.0, spin=(1, 0, 3))
    m.add(lv.Contact(one, two, friction=0.3, restitution=0.9))
    motion = lv.simulate(m, h=1e-2, until=2.0)
    [n], [P] = motion.impacts.normal, motion.impacts.impulse
    size = frame.unit
    assert np.ptp(motion.momentum, axis=0).max() < 1e-14 * size
    assert np.ptp(motion.angular_momentum, axis=0).max() < 1e-13 * size * (size + np.abs(frame.a).max())
    approach = (motion.velocity(two)[0] - motion.velocity(one)[0]) @ n
    leave = (motion.velocity(two)[-1] - motion.velocity(one)[-1]) @ n
    assert leave == pytest.approx(-0.9 * approach, rel=1e-12)
    tangential = P - (P @ n) * n
    assert np.linalg.norm(tangential) <= 0.3 * (P @ n) * (1 + 1e-12)
    assert motion.energy[-1] < motion.energy[0]
    assert np.ptp(motion.energy + motion.dissipated) < 1e-13 * motion.energy[0]


@FRAMES
def test_rocking_block(frame):
    """Housner: a block of sides b and h that tips back to its base keeps 1 − (3/2) sin²α of its rate, tan α = b/h."""
    b, height = 0.5, 1.0
    alpha = np.arctan2(b, height)
    m = frame.model()
    tilt = 0.1
    R = lv.Pose.from_axis_angle((0, 1, 0), tilt).B  # about the corner at the origin
    center = R @ np.array([-0.5 * b, 0.0, 0.5 * height])
    block = frame.box(m, (b, 0.4, height), center, turn=R)
    m.add(lv.Contact(frame.floor(m), block, friction=10.0))
    motion = lv.simulate(m, h=1e-3, until=1.0)
    t = motion.impacts.t[0]
    k = int(t / 1e-3)
    rate = motion.angular_velocity(block) @ frame.direction((0, 1, 0))
    assert abs(rate[k + 1] / rate[k]) == pytest.approx(1.0 - 1.5 * np.sin(alpha) ** 2, abs=1e-2)
    assert np.ptp(motion.energy + motion.dissipated) < 1e-6 * frame.unit**2


@FRAMES
def test_pendulum_against_a_wall(frame):
    """Joints hold while an elastic pendulum hits a wall; its energy does not drift."""
    m = frame.model()
    bob = frame.ball(m, 0.1, (1, 0, 0))
    pivot = m.world.point(frame.place((0, 0, 0)))
    m.add(lv.Revolute(pivot, bob.point(-frame.unit, 0, 0), axis=frame.direction((0, 1, 0)), name="hinge"))
    m.add(lv.Contact(frame.floor(m, (1, 0, 0)), bob, restitution=1.0))
    motion = lv.simulate(m, h=4e-3, until=20.0)
    E = motion.energy / (G * frame.unit**2)
    assert len(motion.impacts) >= 15
    assert np.ptp(E) < 1e-4
    assert abs(np.polyfit(motion.t, E, 1)[0]) < 1e-6
    assert motion.defect_position.max() < 1e-13 * max(1.0, frame.unit)
    assert frame.back(motion.position(bob))[:, 0].min() > 0.1 - 1e-12


@FRAMES
def test_ball_on_a_turntable(frame):
    """A ball that rolls on a turning table moves on a circle at 2/7 of the table's rate."""
    m, R, rate = frame.model(), 0.05, 2.0
    table = frame.body(m, lv.Cylinder(5 * frame.unit, 0.1 * frame.unit, mass=100.0), (0, 0, -0.05), spin=(0, 0, rate))
    pivot = m.world.point(frame.place((0, 0, -0.05)))
    m.add(lv.Revolute(pivot, table.center, axis=frame.direction((0, 0, 1)), drive=lambda t: rate * t, name="axle"))
    v = 0.3
    ball = frame.ball(m, R, (1, 0, R), velocity=(0, v, 0), spin=(-(v - rate * 1.0) / R, 0, 0))  # it sticks at the start
    m.add(lv.Contact(table.plane((0, 0, 0.05 * frame.unit)), ball, friction=5.0))
    motion = lv.simulate(m, h=2e-3, until=3.0)
    x = frame.back(motion.position(ball))[:, :2]
    Omega = 2.0 / 7.0 * rate
    center = np.array([1.0, 0.0]) + np.array([-v, 0.0]) / Omega  # v = Ω × (x − c)
    s = motion.t * Omega
    circle = center + (v / Omega) * np.stack([np.cos(s), np.sin(s)], axis=1)
    assert np.abs(x - circle).max() < (rate * 2e-3) ** 2


@FRAMES
def test_balls_on_a_box(frame):
    """SimBenchmark's rolling test: 25 balls of 1 kg on a box of 10 kg that slides on the floor (µ = 0.4), pulled with
    150 N along (1, 1). Balls roll on an accelerated box with 2/7 of its acceleration: 0.7385 and 0.2110 m/s²."""
    m, mu = frame.model(), 0.4
    box = frame.box(m, (20, 20, 1), (0, 0, 0.5), mass=10.0)
    balls = [
        frame.ball(m, 0.5, (2.0 * i - 4.0, 2.0 * j - 4.0, 1.5), name=f"ball {i} {j}")
        for i in range(5)
        for j in range(5)
    ]
    m.add(lv.Contact(frame.floor(m), box, friction=mu))
    for ball in balls:
        m.add(lv.Contact(box, ball, friction=0.8))
    u = np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0)
    m.add(lv.Load(box.point(0, 0, -0.5 * frame.unit), force=frame.vector(150.0 * u)))
    motion = lv.simulate(m, h=1e-2, until=0.1)
    a = (150.0 - mu * 35.0 * G) / (10.0 + 25.0 * 2.0 / 7.0)
    assert a == pytest.approx(0.73850, abs=5e-6)
    for body, exact in ((box, a), (balls[12], 2.0 / 7.0 * a)):
        assert motion.velocity(body)[-1] @ frame.direction(u) / frame.unit == pytest.approx(0.1 * exact, rel=1e-9)
