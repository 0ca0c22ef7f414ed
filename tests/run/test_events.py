"""Events against closed forms: times of crossings, bounces, releases and impacts, in random orientation and units."""

import numpy as np
import pytest

import livens as lv
from livens.step import COMPARED, SCHEMES

ALL = [*SCHEMES, *COMPARED]
EPS = np.finfo(float).eps
UPRIGHT = np.eye(3)


def name(scheme):
    return repr(scheme)


def turned(rng):
    """A random rotation matrix."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q *= np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0.0 else -Q


def quarter_period(amplitude, length, g):
    """Of a mathematical pendulum: K(sin(amplitude/2)) √(length/g), by the arithmetic-geometric mean."""
    a, b = 1.0, np.cos(0.5 * amplitude)
    while abs(a - b) > 2.0 * EPS:
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    return 0.5 * np.pi / a * np.sqrt(length / g)


def pendulum(Q=UPRIGHT, length=1.3, g=9.81, amplitude=2.0, mass=0.7):
    """A point mass on a hinged massless rod, hanging along −Q z, turned by `amplitude` from the bottom."""
    m = lv.Model(gravity=-g * Q[:, 2], name="pendulum")
    at = Q @ (length * np.array([np.sin(amplitude), 0.0, -np.cos(amplitude)]))
    bob = m.add(lv.Body(lv.PointMass(mass), at=at, name="bob"))
    m.add(lv.Rod(m.world.point(0, 0, 0), bob.point(0, 0, 0), name="rod"))
    return m


@pytest.mark.parametrize("scheme", ALL, ids=name)
@pytest.mark.parametrize("unit", [1.0, 1e6, 1e-7])
def test_a_projectile_crosses_a_height(scheme, unit):
    """Constant acceleration is exact for all schemes: the time is the root of a quadratic."""
    rng = np.random.default_rng(int(scheme.order + 10 * np.log10(unit)) % 97)
    for _ in range(3):
        up, g = turned(rng)[:, 2], 9.81 * unit
        x0, v0, height = unit * rng.normal(size=3), unit * rng.normal(size=3), unit * rng.uniform(0.5, 1.0)
        v0 += unit * 8.0 * up
        m = lv.Model(gravity=-g * up)
        stone = m.add(lv.Body(lv.PointMass(rng.uniform(0.1, 5.0)), at=x0, velocity=v0, name="stone"))
        high = lv.Event(lambda now, up=up, z=height + x0 @ up: now.position("stone")[0] @ up - z, name="high")
        motion = lv.simulate(m, scheme, h=0.073, until=3.0, events=[high])
        speed = v0 @ up
        exact = (speed + np.array([-1.0, 1.0]) * np.sqrt(speed**2 - 2.0 * g * height)) / g
        assert len(motion.events) == 2
        assert np.abs(motion.events.t - exact).max() < 1e-13 * 10.0
        assert motion.events.steps == tuple(int(np.ceil(t / motion.h)) for t in exact)
        assert stone.name in motion.model.names


@pytest.mark.parametrize("scheme", [lv.Livens(6), lv.RungeKutta(8)], ids=name)
def test_a_pendulum_passes_the_bottom(scheme):
    rng = np.random.default_rng(4)
    Q, amplitude = turned(rng), 2.0
    m = pendulum(Q, amplitude=amplitude)
    bottom = lv.Event(lambda now: now.position("bob")[0] @ Q[:, 0], name="bottom")
    motion = lv.simulate(m, scheme, h=0.005, until=10.0, events=[bottom])
    quarter = quarter_period(amplitude, 1.3, 9.81)
    exact = quarter * (1 + 2 * np.arange(len(motion.events)))
    assert len(motion.events) == int((10.0 / quarter + 1) / 2)
    assert np.abs(motion.events.t - exact).max() < 2e-11


def test_times_of_events_have_the_order_of_the_scheme():
    m, exact = pendulum(), quarter_period(2.0, 1.3, 9.81)
    for order, steps in ((2, (200, 400)), (4, (40, 80))):
        bottom = lv.Event(lambda now: now.position("bob")[0, 0], stop=True)
        found = [lv.simulate(m, lv.Livens(order), h=2.0 / n, until=2.0, events=[bottom]).t[-1] for n in steps]
        assert abs(np.log2(abs(found[0] - exact) / abs(found[1] - exact)) - order) < 0.2


@pytest.mark.parametrize("scheme", ALL, ids=name)
def test_a_ball_bounces_a_hundred_times(scheme):
    """Elastic: impacts at t₁ (1 + 2k); the errors of time grow with the number of impacts and no faster."""
    rng = np.random.default_rng(3)
    up, g, height, mass = turned(rng)[:, 1], 10.0, 5.0, 2.0
    m = lv.Model(gravity=-g * up)
    ball = m.add(lv.Body(lv.PointMass(mass), at=height * up, name="ball"))

    def bounce(now):
        return lv.strike(ball.point(0, 0, 0), -2.0 * mass * (now.velocity(ball)[0] @ up) * up)

    ground = lv.Event(lambda now: now.position(ball)[0] @ up, direction=-1, do=bounce, name="ground")
    motion = lv.simulate(m, scheme, h=0.33, until=200.0, every=5, events=[ground])
    exact = 1.0 + 2.0 * np.arange(100)
    assert len(motion.phases) == 1
    assert np.abs(motion.events.t - exact).max() < 1e-12 * 100.0
    assert np.ptp(motion.energy) < 1e-13 * motion.energy[0] * 100.0
    assert (motion.position(ball) @ up).min() > -1e-12
    assert np.abs(motion.t - motion.t.round(12)).max() < 1e-9
    assert (np.diff(motion.t) > 0.0).all()


def test_bounces_with_restitution_are_booked_as_work():
    """v ← −e v: the time of impact k is t₁ (1 + 2 Σ eʲ), and each takes (1 − e²) of the kinetic energy."""
    e, m = 0.8, lv.Model(gravity=(0, 0, -10.0))
    ball = m.add(lv.Body(lv.PointMass(2.0), at=(0, 0, 5), name="ball"))

    def bounce(now):
        return lv.strike(ball.point(0, 0, 0), (0, 0, -(1.0 + e) * 2.0 * now.velocity(ball)[0, 2]))

    ground = lv.Event(lambda now: now.position(ball)[0, 2], direction=-1, do=bounce, name="ground")
    motion = lv.simulate(m, h=0.05, until=7.0, events=[ground])
    exact = 1.0 + 2.0 * np.concatenate([[0.0], np.cumsum(e ** np.arange(1, len(motion.events)))])
    assert len(motion.events) == 7
    assert np.abs(motion.events.t - exact).max() < 1e-12
    losses = np.array([event.energy for event in motion.events])
    assert np.abs(losses + 100.0 * (1.0 - e**2) * e ** (2 * np.arange(7))).max() < 1e-11
    assert abs(motion.work[-1] - losses.sum()) < 1e-11
    assert np.ptp(motion.energy - motion.work + motion.dissipated) < 1e-11


@pytest.mark.parametrize("scheme", ALL, ids=name)
def test_a_released_pendulum_flies_on_a_parabola(scheme):
    rng = np.random.default_rng(11)
    Q = turned(rng)
    m = pendulum(Q, amplitude=1.4)
    away = lv.Event(lambda now: now.position("bob")[0] @ Q[:, 0] + 0.4, do=lv.release("rod"), name="away")
    motion = lv.simulate(m, scheme, h=0.01, until=2.0, events=[away])
    event, free = motion.events[0], motion.t > motion.events[0].t
    assert abs(event.before.position("bob")[0] @ Q[:, 0] + 0.4) < 8 * np.finfo(float).eps  # round-off of three products
    assert np.array_equal(event.before.velocity("bob"), event.after.velocity("bob"))
    since = (motion.t[free] - event.t)[:, None]
    flight = event.after.position("bob") + since * event.after.velocity("bob") + 0.5 * since**2 * m.gravity
    assert np.abs(motion.position("bob")[free] - flight).max() < 1e-13 * 40.0
    assert [len(phase) for phase in motion.phases] == [int((~free).sum()), int(free.sum())]
    assert np.isnan(motion.reaction("rod")[free]).all()
    assert np.isfinite(motion.reaction("rod")[~free]).all()
    assert m["rod"] in m.joints


def impulse_by_hand(m, one, two, before):
    """Velocities and rates of two bodies after their points are joined: M Δv = Jᵀλ, J v⁺ = 0, with dense matrices."""
    J, W, v = np.zeros((3, 12)), np.zeros((12, 12)), np.zeros(12)
    for k, (point, sign) in enumerate(((one, 1.0), (two, -1.0))):
        body = point.body
        R = before.rotation(body)[0]
        lever = R @ point.r
        cross = np.cross(np.eye(3), lever)  # rows e_i × lever, so that cross.T w = w × lever
        matter = body.mass_properties
        W[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = np.eye(3) / matter.mass
        W[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = R @ np.linalg.inv(matter.inertia) @ R.T
        v[6 * k : 6 * k + 6] = np.concatenate([before.velocity(body)[0], before.angular_velocity(body)[0]])
        J[:, 6 * k : 6 * k + 6] = sign * np.hstack([np.eye(3), cross.T])
    lam = np.linalg.solve(J @ W @ J.T, -J @ v)
    after = v + W @ J.T @ lam
    M = np.linalg.pinv(W)
    return after, 0.5 * v @ M @ v - 0.5 * after @ M @ after


@pytest.mark.parametrize("scheme", [lv.Livens(2), lv.Livens(4), lv.RungeKutta(8), lv.Newmark()], ids=name)
def test_an_attached_joint_is_an_inelastic_impact(scheme):
    rng = np.random.default_rng(5)
    m = lv.Model()
    made = []
    for label, x, speed in (("one", 0.0, 1.5), ("two", 2.0, -0.5)):
        A = rng.normal(size=(3, 3))
        J = A @ A.T + np.eye(3)
        J = 0.1 * (np.trace(J) * np.eye(3) - J)
        matter = lv.MassProperties(rng.uniform(0.5, 2.0), J)
        velocity = (speed, 0.0, 0.0)
        made.append(m.add(lv.Body(matter, at=(x, 0, 0), rotation=turned(rng), velocity=velocity, name=label)))
    one, two = (body.center for body in made)
    hook = lv.Spherical(one, two, name="hook")
    meet = lv.Event(lambda now: (now.position(two) - now.position(one))[0, 0], do=lv.attach(hook), name="meet")
    motion = lv.simulate(m, scheme, h=0.03, until=2.0, events=[meet])
    event = motion.events[0]
    assert abs(event.t - 1.0) < 1e-13
    after, lost = impulse_by_hand(m, one, two, event.before)
    found = np.concatenate(
        [x for body in made for x in (event.after.velocity(body)[0], event.after.angular_velocity(body)[0])]
    )
    assert np.abs(found - after).max() < 1e-13
    assert abs(motion.dissipated[-1] - lost) < 1e-13
    assert motion.work[-1] == pytest.approx(0.0, abs=1e-13)
    assert np.abs(motion.momentum - motion.momentum[0]).max() < 1e-13
    assert motion.defect_position[motion.t > event.t].max() < 1e-12
    assert np.isnan(motion.reaction("hook")[motion.t < event.t]).all()


def test_a_rotating_bar_catches_a_mass():
    """Off-centre: angular momentum about the pivot decides, ω⁺ = (J ω − m l v) / (J + m l²)."""
    rng = np.random.default_rng(8)
    Q, J, mass, arm, rate, speed = turned(rng), 0.9, 0.4, 1.2, 2.0, 1.0
    m = lv.Model()
    matter = lv.MassProperties(3.0, (J, J, J))
    bar = m.add(lv.Body(matter, rotation=Q, name="bar"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(0, 0, 0), axis=Q[:, 2], start_rate=rate, name="pivot"))
    angle = 1.0  # where the mass waits
    where = Q @ (arm * np.array([np.cos(angle), np.sin(angle), 0.0]))
    tangent = Q @ np.array([-np.sin(angle), np.cos(angle), 0.0])
    t = angle / rate
    ball = m.add(lv.Body(lv.PointMass(mass), at=where + speed * t * tangent, velocity=-speed * tangent, name="ball"))
    catch = lv.attach(lv.Spherical(bar.point(arm, 0, 0), ball.point(0, 0, 0), name="catch"))
    there = lv.Event(lambda now: now.coordinate("pivot")[0] - angle, direction=1, do=catch, name="there")
    motion = lv.simulate(m, lv.Livens(6), h=0.01, until=1.5, events=[there])
    expected = (J * rate - mass * arm * speed) / (J + mass * arm**2)
    late = motion.t > t
    assert abs(motion.events[0].t - t) < 1e-12
    assert np.abs(motion.rate("pivot")[late] - expected).max() < 1e-11
    before = 0.5 * J * rate**2 + 0.5 * mass * speed**2
    assert abs(motion.dissipated[-1] - (before - 0.5 * (J + mass * arm**2) * expected**2)) < 1e-11


def test_a_motor_is_switched_and_turns_are_counted_on():
    """Constant torque until a rate, then steady; many turns before and after."""
    J, torque, rate = 0.02, 3.0, 300.0
    m = lv.Model()
    wheel = m.add(lv.Body(lv.MassProperties(1.0, (J, J, J)), name="wheel"))
    other = m.add(lv.Body(lv.MassProperties(1.0, (J, J, J)), at=(5, 0, 0), name="other"))
    hub = m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=(0, 0, 1), name="hub"))
    m.add(lv.Revolute(m.world.point(5, 0, 0), other.point(0, 0, 0), axis=(0, 1, 0), start_rate=-70.0, name="free"))
    m.add(lv.Motor(hub, torque, name="motor"))
    full = lv.Event("rate('hub') - 300", direction=1, do=lv.switch("motor", False), name="full")
    slower = lv.Event("t - 3", do=lv.switch("motor", -torque), name="slower")
    motion = lv.simulate(m, lv.RungeKutta(8), h=0.002, until=4.0, events=[full, slower])
    t1 = rate * J / torque
    exact = np.where(motion.t < t1, 0.5 * torque / J * motion.t**2, rate * motion.t - 0.5 * rate * t1)
    exact -= np.where(motion.t > 3.0, 0.5 * torque / J * (motion.t - 3.0) ** 2, 0.0)
    assert np.abs(motion.events.t - [t1, 3.0]).max() < 1e-13
    assert np.abs(motion.coordinate("hub") - exact).max() < 1e-9
    assert np.abs(motion.coordinate("free") + 70.0 * motion.t).max() < 1e-9
    assert np.ptp(motion.energy - motion.work) < 1e-12 * motion.energy.max() * 100.0


def test_a_drive_ends_and_begins():
    """A crank that is driven, then free, then driven again from where it is."""
    m = lv.Model()
    matter = lv.MassProperties(2.0, (0.2, 0.2, 0.3))
    arm = m.add(lv.Body(matter, at=(1, 0, 0), velocity=(0, 2, 0), body_rates=(0, 0, 2), name="arm"))
    drive = lv.Expression("2*t")
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-1, 0, 0), axis=(0, 0, 1), drive=drive, name="crank"))
    free = lv.Event("t - 0.55", do=lv.switch("crank", False), name="free")
    again = lv.Event("t - 1.25", do=lv.switch("crank", lv.Expression("2.5 + 3*(t - 1.25)")), name="again")
    motion = lv.simulate(m, lv.Livens(4), h=0.01, until=2.0, events=[free, again])
    exact = np.where(motion.t < 1.25, 2.0 * motion.t, 2.5 + 3.0 * (motion.t - 1.25))
    assert np.abs(motion.coordinate("crank") - exact).max() < 0.01**4
    J = 0.3 + 2.0
    assert abs(motion.work[-1] - 0.5 * J * (3.0**2 - 2.0**2)) < 1e-8
    assert [phase.compiled.freedom for phase in motion.phases] == [0, 1, 0]
    assert np.isnan(motion.effort("crank")).sum() == 70


def test_values_of_the_model_change():
    """Gravity, a mass and a stiffness; positions and velocities go on, and the balance of energy is kept."""
    m = lv.Model(gravity=(0, 0, -10.0), name="lift")
    ball = m.add(lv.Body(lv.MassProperties(1.0, (1.0, 1.0, 1.0)), velocity=(1, 0, 10), name="ball"))
    m.add(lv.Load(ball.center, force=lambda t: (1.0, 0.0, 0.0), name="wind"))
    actions = [lv.change("gravity.2", -2.0), lv.change("bodies.ball.mass", 4.0)]
    top = lv.Event("velocity('ball')[2]", do=actions, name="top")
    motion = lv.simulate(m, h=0.3, until=3.0, events=[top])
    late = motion.t > 1.0
    x, z = motion.position("ball")[late][:, 0], motion.position("ball")[late][:, 2]
    s = motion.t[late] - 1.0
    assert np.abs(z - (5.0 - s**2)).max() < 1e-13
    assert np.abs(x - (1.5 + 2.0 * s + 0.125 * s**2)).max() < 1e-13
    assert np.ptp(motion.energy - motion.work) < 1e-12 * 100.0
    assert m.gravity[2] == -10.0
    assert ball.mass_properties.mass == 1.0


def test_both_sides_of_a_direction():
    m = lv.Model()
    m.add(lv.Body(lv.PointMass(1.0), name="still"))
    events = [lv.Event(lambda now: np.sin(now.t[0] - 0.5), direction=d, name=str(d)) for d in (-1, 0, 1)]
    motion = lv.simulate(m, h=0.1, until=20.0, events=events)
    roots = 0.5 + np.pi * np.arange(7)
    assert np.abs(motion.events.of("0").t - roots).max() < 1e-13
    assert np.abs(motion.events.of("1").t - roots[::2]).max() < 1e-13
    assert np.abs(motion.events.of("-1").t - roots[1::2]).max() < 1e-13
    assert list(motion.events.names[:4]) == ["0", "1", "-1", "0"]


def test_touching_zero_is_no_event():
    m = lv.Model()
    m.add(lv.Body(lv.PointMass(1.0), name="still"))
    for power, count in ((1, 1), (2, 0), (3, 1), (4, 0)):
        touch = lv.Event(lambda now, p=power: (now.t[0] - 0.75) ** p, name="touch")
        motion = lv.simulate(m, h=0.125, until=2.0, events=[touch])  # 0.75 is the end of a step
        assert len(motion.events) == count
        assert all(motion.events.t == 0.75)
        assert motion.events.steps == (7,) * count


def test_events_at_the_start_and_at_the_end():
    m = lv.Model()
    m.add(lv.Body(lv.PointMass(1.0), name="still"))
    for start, sign in ((0.0, 1.0), (1e-17, -1.0), (-1e-17, 1.0)):
        begin = lv.Event(lambda now, s=start, f=sign: s + f * now.t[0] * (0.4 - now.t[0]), name="begin")
        assert np.allclose(lv.simulate(m, h=0.1, until=1.0, events=[begin]).events.t, [0.4], rtol=0.0, atol=1e-13)
    late = [lv.Event(lambda now, t=t: now.t[0] - t) for t in (1.0 - 1e-12, 1.0, 1.0 + 1e-12)]
    motion = lv.simulate(m, h=0.1, until=1.0, events=late)
    assert motion.events.names == ("event1",)  # at the end itself it is not known whether zero is crossed
    longer = lv.resume(motion, until=2.0)
    assert longer.events.names == ("event1", "event2", "event3")
    assert np.abs(longer.events.t - [1.0 - 1e-12, 1.0, 1.0 + 1e-12]).max() < 1e-15


def test_time_begins_at_t0():
    m = lv.Model(gravity=(0, 0, -10.0))
    m.add(lv.Body(lv.PointMass(1.0), name="ball"))
    fall = lv.Event("position('ball')[2] + 5", stop=True)
    motion = lv.simulate(m, h=0.3, until=20.0, t0=10.0, events=[fall])
    assert abs(motion.t[-1] - 11.0) < 1e-14
    assert motion.t[0] == 10.0
    plain = lv.simulate(m, h=0.25, until=11.0, t0=10.0)
    assert plain.t.tolist() == [10.0, 10.25, 10.5, 10.75, 11.0]
    assert plain.position("ball")[-1, 2] == pytest.approx(-5.0, abs=1e-14)


def test_events_at_one_time_occur_in_the_order_of_the_list():
    m = lv.Model()
    ball = m.add(lv.Body(lv.PointMass(1.0), velocity=(1, 0, 0), name="ball"))
    order = []

    def said(word, push):
        def do(now):
            order.append(word)
            return lv.strike(ball.point(0, 0, 0), (push, 0, 0))

        return do

    events = [
        lv.Event(lambda now, f=f: f * (now.position(ball)[0, 0] - 0.55), do=said(f"{f}", 1.0), name=f"{f}")
        for f in (3.0, -1.0, 1e-3)
    ]
    motion = lv.simulate(m, h=0.1, until=1.0, events=events)
    assert order == ["3.0", "-1.0", "0.001"]
    assert len({event.t for event in motion.events}) == 1
    assert motion.velocity(ball)[-1].tolist() == [4.0, 0.0, 0.0]


def test_an_action_that_makes_another_function_jump():
    m = lv.Model()
    ball = m.add(lv.Body(lv.PointMass(1.0), velocity=(1, 0, 0), name="ball"))
    first = lv.Event("position('ball')[0] - 0.25", do=lv.strike(ball.point(0, 0, 0), (4, 0, 0)), name="first")
    fast = lv.Event("velocity('ball')[0] - 3", do=lv.strike(ball.point(0, 0, 0), (0, 1, 0)), name="fast")
    motion = lv.simulate(m, h=0.1, until=1.0, events=[fast, first])
    assert motion.events.names == ("first", "fast")
    assert motion.events[0].t == motion.events[1].t == pytest.approx(0.25, abs=1e-15)
    assert motion.velocity(ball)[-1].round(12).tolist() == [5.0, 1.0, 0.0]


def test_several_crossings_in_one_step():
    """Three roots in the first step, whose ends differ in sign, are all found; two in the second are not."""
    m = lv.Model()
    m.add(lv.Body(lv.PointMass(1.0), name="still"))
    wave = lv.Event(lambda now: np.cos(2.0 * np.pi * 1.25 * now.t[0] + 0.1), name="wave")
    motion = lv.simulate(m, h=1.0, until=2.0, events=[wave])
    exact = ((np.arange(3) + 0.5) * np.pi - 0.1) / (2.5 * np.pi)
    assert np.abs(motion.events.t - exact).max() < 1e-13


def test_a_ball_between_two_walls_hits_both_in_one_step():
    """Many impacts within one step: positions are a triangle wave."""
    m = lv.Model()
    ball = m.add(lv.Body(lv.PointMass(1.0), at=(0.3, 0, 0), velocity=(1, 0, 0), name="ball"))

    def back(now):
        return lv.strike(ball.point(0, 0, 0), -2.0 * now.velocity(ball)[0])

    walls = [
        lv.Event(lambda now: now.position(ball)[0, 0], direction=-1, do=back, name="left"),
        lv.Event(lambda now: now.position(ball)[0, 0] - 1.0, direction=1, do=back, name="right"),
    ]
    motion = lv.simulate(m, h=2.5, until=10.0, events=walls)
    exact = np.abs((0.3 + motion.t + 1.0) % 2.0 - 1.0)
    assert np.abs(motion.position(ball)[:, 0] - exact).max() < 1e-13
    assert np.abs(motion.events.t - (0.7 + np.arange(10))).max() < 1e-13


def test_a_controller_keeps_its_rate():
    """Its calls are those of a run without events."""
    calls = {}
    for events in ((), (lv.Event("t - 0.314", do=lv.release("spring")),)):
        m, times = lv.Model(), []
        cart = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), name="cart"))
        rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.point(0, 0, 0), axis=(1, 0, 0), name="rail"))
        m.add(lv.Spring(m.world.point(0, 1, 0), cart.point(0, 0, 0), stiffness=3.0, name="spring"))

        def effort(t, now, times=times):
            times.append(t)
            return 1.0 - float(now.rate("rail")[0])

        m.add(lv.Motor(rail, effort, rate=20.0))
        motion = lv.simulate(m, lv.Livens(4), h=0.01, until=1.0, events=events)
        calls[len(events)] = times
        assert np.ptp(motion.energy - motion.work) < 1e-3
    assert calls[0] == calls[1]
    assert len(calls[0]) == 20


@pytest.mark.parametrize("seed", range(14))
def test_chains_in_random_units(seed):
    """Chains of bars in random orientation, place and units: every crossing of a height by the tip is found once, at
    the height to round-off, whatever the action does, and the balance of energy is kept."""
    rng = np.random.default_rng(seed)
    scheme = ALL[seed % len(ALL)]
    L, M, T = 10.0 ** rng.uniform(-6.0, 6.0, 3)
    Q, away = turned(rng), L * rng.choice([0.0, 10.0]) * rng.normal(size=3)
    m = lv.Model(gravity=-9.81 * L / T**2 * Q[:, 2])
    last, x = m.world.point(*away), away
    for k in range(3):
        bar = m.add(lv.Body(lv.Box(L, 0.1 * L, 0.1 * L, mass=M), at=x + 0.5 * L * Q[:, 0], rotation=Q, name=f"bar{k}"))
        joint = lv.Revolute if rng.random() < 0.6 else lv.Spherical
        axis = {"axis": Q[:, 1]} if joint is lv.Revolute else {}
        m.add(joint(last, bar.point(-0.5 * L, 0, 0), name=f"joint{k}", **axis))
        last, x = bar.point(0.5 * L, 0, 0), x + L * Q[:, 0]
    low = -L * rng.uniform(0.3, 1.2)

    def height(motion):
        return (motion.position(last) - away) @ Q[:, 2] - low

    actions = [lv.release("joint2"), lv.change("bodies.bar0.shape.mass", float(3.0 * M)), None]
    event = lv.Event(height, do=actions[seed % 3], name="low")
    motion = lv.simulate(m, scheme, h=0.004 * T, until=2.0 * T, events=[event])
    found = motion.events
    side = np.sign(height(motion))
    assert len(found) == np.count_nonzero(np.diff(side[side != 0.0])) > 0
    far = 1.0 + np.linalg.norm(away) / L
    assert max(abs(height(entry.before)[0]) for entry in found) < 8.0 * EPS * far * L
    assert np.ptp(motion.energy - motion.work + motion.dissipated) < 0.02 * motion.kinetic.max()
