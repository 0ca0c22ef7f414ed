"""Dry friction in joints, resistance against rolling and spinning, and ropes, against closed forms and a tight solution
of the equations with events, in random orientation, place and unit of length."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import livens as lv
from tests.helpers.frames import FRAMES, Frame, G


def slider(frame: Frame, m: lv.Model, mass: float = 1.0, speed: float = 0.0, **more):
    """A block on a guide along x."""
    block = frame.box(m, (0.2, 0.3, 0.4), (0, 0, 0), mass=mass, velocity=(speed, 0, 0), name="block")
    guide = lv.Prismatic(
        m.world.point(*frame.place((0, 0, 0))), block.point(0, 0, 0), axis=frame.direction((1, 0, 0)), name="guide",
        **more,
    )  # fmt: skip
    return block, m.add(guide)


@FRAMES
def test_wheel_stops(frame):
    """I ω̇ = −c: the wheel stops after I ω₀/c, turned by I ω₀²/(2c), and its energy is the friction loss."""
    m = frame.model()
    wheel = frame.body(m, lv.Cylinder(0.1 * frame.unit, 0.05 * frame.unit, mass=2.0), (1, 2, 3), spin=(0, 0, 7.0))
    axis = frame.direction((0, 0, 1))
    at = frame.place((1, 2, 3))
    axle = m.add(lv.Revolute(m.world.point(*at), wheel.point(0, 0, 0), axis=axis, name="axle"))
    c = 0.04 * frame.unit**2
    m.add(lv.JointFriction(axle, dynamic=c))
    motion = lv.simulate(m, h=1e-2, until=3.0)
    inertia = 0.5 * 2.0 * 0.1**2 * frame.unit**2
    stop = inertia * 7.0 / c
    t = np.minimum(motion.t, stop)
    rate = np.maximum(0.0, 7.0 - c / inertia * motion.t)
    moving = motion.t < stop - 2e-2
    assert np.abs(motion.rate(axle) - rate)[moving].max() < 1e-12
    angle = 7.0 * t - 0.5 * c / inertia * t**2
    assert np.abs(motion.coordinate(axle) - angle).max() < 7.0 * stop * (7.0 * 1e-2) ** 2 / 12.0  # Cayley's rotation
    assert np.abs(motion.rate(axle)[motion.t > stop + 2e-2]).max() < 1e-15
    assert motion.friction_loss[-1] == pytest.approx(motion.kinetic[0], rel=1e-12)


@FRAMES
def test_oscillator_with_dry_friction(frame):
    """Half swings lose 2F/k of amplitude each, and the block stays where |k x| ≤ F (Coulomb's decay)."""
    m = frame.model()
    k, F, mass, x0 = 30.0, 1.3, 1.0, 0.5
    block, guide = slider(frame, m, mass)
    m.add(lv.JointFriction(guide, dynamic=F * frame.unit))
    spring = lv.Spring(
        m.world.point(*frame.place((-2.0, 0, 0))), block.point(0, 0, 0), stiffness=k, length=(2.0 - x0) * frame.unit
    )
    m.add(spring)  # equilibrium at x = −x0: the block begins x0 beyond it
    w = np.sqrt(k / mass)
    half = np.pi / w
    motion = lv.simulate(m, h=half / 200, until=8 * half)
    x = motion.coordinate(guide) / frame.unit + x0
    amplitude, sign, expected = x0, 1.0, []
    while amplitude > F / k:
        expected.append(sign * amplitude)
        amplitude, sign = amplitude - 2.0 * F / k, -sign
    expected.append(sign * amplitude)
    for n, value in enumerate(expected):
        assert x[200 * n] == pytest.approx(value, abs=1e-4)
    assert np.ptp(x[200 * len(expected) + 5 :]) < 1e-15
    total = motion.energy + motion.dissipated
    assert np.ptp(total) < 1e-4 * 0.5 * k * (x0 * frame.unit) ** 2


def test_oscillator_with_dry_friction_is_of_second_order_while_it_slides():
    errors = []
    for n in (50, 100, 200):
        frame = Frame(3)
        m = frame.model()
        block, guide = slider(frame, m)
        m.add(lv.JointFriction(guide, dynamic=0.3 * frame.unit))
        m.add(lv.Spring(m.world.point(*frame.place((-2, 0, 0))), block.point(0, 0, 0), 30.0, length=1.5 * frame.unit))
        t = 0.8 * np.pi / np.sqrt(30.0)
        motion = lv.simulate(m, h=t / n, until=t)
        exact = 0.01 + 0.49 * np.cos(np.sqrt(30.0) * t) - 0.5
        errors.append(abs(motion.coordinate(guide)[-1] / frame.unit - exact))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.05)


@FRAMES
@pytest.mark.parametrize(("scale", "moves"), [(0.999999, False), (1.000001, True)])
def test_hinge_sticks_below_its_static_friction(frame, scale, moves):
    """A horizontal arm needs the torque m g l: a friction just above it holds exactly, one just below does not."""
    m = frame.model()
    arm = frame.box(m, (1.0, 0.1, 0.1), (0.5, 0, 0), mass=3.0)
    at = frame.place((0, 0, 0))
    hinge = lv.Revolute(m.world.point(*at), arm.point_at(*at), axis=frame.direction((0, 1, 0)))
    m.add(hinge)
    level = 3.0 * G * 0.5 * frame.unit**2
    m.add(lv.JointFriction(hinge, dynamic=level / scale))
    motion = lv.simulate(m, h=1e-2, until=10.0)
    turned = np.abs(motion.coordinate(hinge)).max()
    assert (turned > 1e-7) if moves else (turned < 1e-12)


@FRAMES
def test_stick_slip_on_a_belt(frame):
    """A block on a belt held by a spring, with Stribeck friction, against DOP853 with events at stick and slip."""
    k, mass, static, dynamic, vs, belt = 20.0, 1.0, 3.0, 1.5, 0.2, 0.3
    m = frame.model()
    carrier = frame.box(m, (1, 1, 0.1), (0, 0, 0), mass=5.0, velocity=(belt, 0, 0), name="belt")
    at = frame.place((0, 0, 0))
    axis = frame.direction((1, 0, 0))
    u = frame.unit
    m.add(lv.Prismatic(m.world.point(*at), carrier.point_at(*at), axis=axis, drive=lambda t: belt * u * t))
    block = frame.box(m, (0.2, 0.2, 0.2), (0, 0, 0.2), mass=mass, velocity=(belt, 0, 0), name="block")
    top = frame.place((0, 0, 0.2))
    guide = m.add(lv.Prismatic(carrier.point_at(*top), block.point(0, 0, 0), axis=axis))
    m.add(lv.JointFriction(guide, dynamic=dynamic * u, static=static * u, stribeck=vs * u))
    wall = m.world.point(*frame.place((-2, 0, 0.2)))
    m.add(lv.Spring(wall, block.point(0, 0, 0), stiffness=k, length=2.0 * u))
    errors = []
    for h in (2e-3, 1e-3):
        motion = lv.simulate(m, h=h, until=1.6)
        x = frame.back(motion.position(block))[:, 0]
        errors.append(np.abs(x - reference_belt(k, mass, static, dynamic, vs, belt, motion.t)).max())
    assert errors[0] < 3e-3
    assert errors[1] < 0.7 * errors[0]


def reference_belt(k, mass, static, dynamic, vs, belt, t):
    def level(v):
        return dynamic + (static - dynamic) * np.exp(-((v / vs) ** 2))

    x, v, now, found, sticks = 0.0, belt, 0.0, np.zeros(len(t)), True
    while now < t[-1]:
        if sticks:
            end = now + (static / k - x) / belt
            inside = (t >= now) & (t <= end)
            found[inside] = x + belt * (t[inside] - now)
            x, now, sticks = static / k, end, False
            continue

        def slip(_, y):
            return [y[1], (-k * y[0] + level(belt - y[1])) / mass]

        def meets(_, y):
            return y[1] - belt

        meets.terminal, meets.direction = True, 1
        begin = [x, v * (1.0 - 1e-9)]
        run = solve_ivp(
            slip, (now, now + 10.0), begin, "DOP853", events=meets, dense_output=True, rtol=1e-11, atol=1e-13
        )
        end = float(run.t[-1])
        inside = (t >= now) & (t <= end)
        found[inside] = run.sol(t[inside])[0]
        x, now, sticks = float(run.y[0, -1]), end, True
    return found


@FRAMES
def test_friction_in_a_floating_joint_keeps_momentum(frame):
    """Two bodies that turn against each other in a hinge with friction: momenta are exact, then they turn together."""
    m = lv.Model()
    one = frame.box(m, (1, 0.4, 0.2), (0, 0, 0), mass=2.0, velocity=(0.3, 0, 0.1), spin=(0.1, 0.5, 2.0), name="one")
    two = frame.box(m, (0.3, 0.8, 0.2), (0, 0.2, 0.4), mass=1.0, name="two")
    hinge = m.add(
        lv.Revolute(one.point_at(*frame.place((0, 0, 0.2))), two.point_at(*frame.place((0, 0, 0.2))),
                    axis=frame.direction((0.1, 0, 1)), name="hinge")
    )  # fmt: skip
    m.add(lv.JointFriction(hinge, dynamic=0.2 * frame.unit**2))
    with pytest.warns(lv.ModelWarning):  # the velocities do not fit the hinge
        motion = lv.simulate(m, h=5e-3, until=6.0)
    size = np.abs(motion.angular_momentum[0]).max()
    assert np.ptp(motion.angular_momentum, axis=0).max() < 1e-12 * size
    assert np.ptp(motion.momentum, axis=0).max() < 1e-12 * np.abs(motion.momentum[0]).max()
    assert np.abs(motion.rate(hinge)[0]) > 0.5
    assert np.abs(motion.rate(hinge)[-50:]).max() < 1e-12
    assert np.ptp(motion.energy + motion.dissipated) < 1e-4 * motion.energy[0]


@FRAMES
@pytest.mark.parametrize("rolling", [0.005, 0.02])
def test_rolling_resistance(frame, rolling):
    """A rolling ball slows down by 5/7 g ρ/r and stops."""
    m = frame.model()
    r, v = 0.1, 1.0
    ball = frame.ball(m, r, (0, 0, r), velocity=(v, 0, 0), spin=(0, v / r, 0), mass=3.0)
    m.add(lv.Contact(frame.floor(m), ball, friction=0.5, rolling=rolling * frame.unit))
    slows = 5.0 / 7.0 * G * rolling / r
    motion = lv.simulate(m, h=5e-3, until=1.2 * v / slows)
    t = np.minimum(motion.t, v / slows)
    x = frame.back(motion.position(ball))
    assert np.abs(x[:, 0] - (v * t - 0.5 * slows * t**2)).max() < 1e-5
    assert np.abs(x[:, 1:] - (0, r)).max() < 1e-11
    assert np.abs(motion.velocity(ball)[-10:]).max() < 1e-15 * frame.unit
    assert motion.friction_loss[-1] == pytest.approx(motion.kinetic[0], rel=1e-9)


@FRAMES
@pytest.mark.parametrize("ratio", [0.9999, 1.2])
def test_ball_with_rolling_resistance_on_a_slope(frame, ratio):
    """It rests while tan α < ρ/r; above it rolls with 5/7 (g sin α − g cos α ρ/r)."""
    m = frame.model()
    r, rolling = 0.1, 0.03
    slope = np.arctan(ratio * rolling / r)
    normal = (np.sin(slope), 0, np.cos(slope))
    ball = frame.ball(m, r, r * np.array(normal))
    m.add(lv.Contact(frame.floor(m, normal), ball, friction=0.8, rolling=rolling * frame.unit))
    motion = lv.simulate(m, h=1e-2, until=2.0)
    x = frame.back(motion.position(ball)) @ (np.cos(slope), 0, -np.sin(slope))
    if ratio < 1.0:
        assert np.abs(x - x[0]).max() < 1e-13
    else:
        pull = 5.0 / 7.0 * G * (np.sin(slope) - np.cos(slope) * rolling / r)
        assert np.abs(x - x[0] - 0.5 * pull * motion.t**2).max() < 1e-10


@FRAMES
def test_spinning_resistance(frame):
    """A ball that spins about the normal: 2/5 m r² ω̇ = −σ m g."""
    m = frame.model()
    r, spinning, spin = 0.1, 0.004, 20.0
    ball = frame.ball(m, r, (0, 0, r), spin=(0, 0, spin))
    m.add(lv.Contact(frame.floor(m), ball, friction=0.5, spinning=spinning * frame.unit))
    motion = lv.simulate(m, h=5e-3, until=3.0)
    slows = spinning * G / (0.4 * r**2)
    w = motion.angular_velocity(ball) @ frame.direction((0, 0, 1))
    assert np.abs(w - np.maximum(0.0, spin - slows * motion.t)).max() < 1e-9 + slows * 5e-3
    moving = motion.t < spin / slows - 1e-2
    assert np.abs(w - (spin - slows * motion.t))[moving].max() < 1e-10
    assert np.abs(w[-10:]).max() < 1e-15
    assert np.abs(frame.back(motion.position(ball)) - (0, 0, r)).max() < 1e-12


@FRAMES
def test_ball_on_a_rope_leaves_the_circle(frame):
    """With v² = 4 g l at the bottom the rope is slack from the height (v² − 2 g l)/(3 g) above the centre on; the ball
    then flies on a parabola until the rope is taut again."""
    m = frame.model()
    l = 0.8
    v = np.sqrt(4.0 * G * l)
    ball = frame.body(m, lv.PointMass(0.5), (0, 0, -l), velocity=(v, 0, 0))
    m.add(lv.Rope(m.world.point(*frame.place((0, 0, 0))), ball.point(0, 0, 0), length=l * frame.unit, name="rope"))
    h = 5e-4
    motion = lv.simulate(m, h=h, until=1.2)
    x = frame.back(motion.position(ball))
    r = np.linalg.norm(x, axis=1)
    assert (r < l + 1e-12).all()
    first = int(np.argmax(r < l - 1e-9))
    z = (v * v - 2.0 * G * l) / (3.0 * G)
    speed = np.sqrt(G * z)  # v² = g z where the rope is slack
    assert x[first, 2] == pytest.approx(z, abs=4.0 * h * speed)
    # the parabola from there, with the exact departure
    out = np.array([np.sqrt(l * l - z * z), z])
    along = np.array([-z, out[0]]) / l
    again = motion.impacts.t[0]
    fly = (motion.t > motion.t[first] + 0.05) & (motion.t < again - h)
    assert fly.sum() > 100
    nearest = np.linalg.norm(x[fly][:, None, [0, 2]] - parabola(out, speed * along), axis=2).min(axis=1)
    assert nearest.max() < 2e-4
    assert motion.impacts.contact[0] == "rope"
    assert np.ptp((motion.energy + motion.dissipated)[motion.t < again]) < 1e-5 * motion.kinetic[0]


def parabola(x, v):
    t = np.linspace(0.0, 1.0, 40001)[:, None]
    return x + v * t - 0.5 * G * t**2 * np.array([0, 1])


@FRAMES
def test_two_balls_on_an_elastic_rope_keep_momentum_and_energy(frame):
    m = lv.Model()
    one = frame.ball(m, 0.1, (0, 0, 0), mass=1.0, velocity=(-1, 0.3, 0))
    two = frame.ball(m, 0.1, (0.5, 0, 0), mass=3.0, velocity=(0.5, 0, 0.2), spin=(1, 2, 3))
    m.add(lv.Rope(one.point(0, 0.1 * frame.unit, 0), two.point(0, 0, 0), length=1.0 * frame.unit, restitution=1.0))
    motion = lv.simulate(m, h=1e-2, until=10.0)
    assert len(motion.impacts) > 3
    assert np.ptp(motion.energy) < 1e-9 * motion.energy[0]
    assert np.ptp(motion.momentum, axis=0).max() < 1e-12 * np.abs(motion.momentum[0]).max()
    L = motion.angular_momentum
    assert np.ptp(L, axis=0).max() < 1e-11 * np.abs(L[0]).max()


def test_bad_input():
    m = lv.Model()
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(1, 0, 0), name="ball"))
    hinge = lv.Revolute(m.world.point(1, 0, 0), ball.point(0, 0, 0), axis=(0, 0, 1), name="hinge")
    with pytest.raises(lv.ModelError, match="points are 1 m apart"):
        lv.Rope(m.world.point(0, 0, 0), ball.point(0, 0, 0), length=0.5)
    with pytest.raises(lv.ModelError, match="length"):
        lv.Rope(m.world.point(1, 0, 0), ball.point(0, 0, 0))
    with pytest.raises(lv.ModelError, match="at least the dynamic"):
        lv.JointFriction(hinge, dynamic=1.0, static=0.5, stribeck=1.0)
    with pytest.raises(lv.ModelError, match="stribeck"):
        lv.JointFriction(hinge, dynamic=1.0, static=1.5)
    with pytest.raises(lv.ModelError, match="joint with a coordinate"):
        lv.JointFriction(ball, dynamic=1.0)
    with pytest.raises(lv.ModelError, match="rolling"):
        lv.Contact(m.world.plane((0, 0, 0)), ball, rolling=-1.0)
    m.add(hinge)
    m.add(lv.JointFriction(hinge, dynamic=1.0))
    with pytest.raises(lv.ModelError, match="Livens"):
        lv.simulate(m, lv.RungeKutta(4), h=1e-2, until=0.1)
