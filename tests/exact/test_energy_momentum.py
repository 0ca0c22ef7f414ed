"""lv.EnergyMomentum: energy, momentum and angular momentum exact in any orientation, unit and order of the bodies."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from benchmarks import exact_energy

SCHEME = lv.EnergyMomentum()
JOINTS = ("Spherical", "Revolute", "Universal", "Prismatic", "Cylindrical", "Planar", "Rigid", "Rod")


def worst(values):
    """The largest change since the start."""
    return float(np.abs(values - values[0]).max())


def balance(motion):
    return motion.energy - motion.work + motion.dissipated


def scale(motion):
    return float(np.ptp(motion.kinetic) + np.abs(motion.kinetic).max())


def mechanism(seed, world=True, length=1.0, mass=1.0, second=1.0, extras=True):
    """Three bodies with random joints, springs between points and in joints, in a random orientation and unit."""
    random = np.random.default_rng(seed)
    turn = Rotation.random(random_state=random)
    place = lambda x: tuple(length * turn.apply(x))  # noqa: E731
    force, stiffness = mass * length / second**2, mass / second**2
    m = lv.Model(gravity=tuple(turn.apply((0, 0, -9.81)) * length / second**2) if world else (0, 0, 0))
    bodies = []
    for k in range(3):
        size = length * random.uniform(0.1, 0.5, 3)
        shape = lv.Box(*size, density=mass * random.uniform(0.5, 2.0) / np.prod(size))
        pose = {"at": place((0.8 * k, 0, 0)), "rotation": Rotation.random(random_state=random).as_matrix()}
        if k == 0:
            pose |= {
                "velocity": tuple(length / second * random.normal(size=3)),
                "body_rates": tuple(random.normal(size=3) / second),
            }
        bodies.append(m.add(lv.Body(shape, name=f"body {k}", **pose)))
    ends = [m.world, *bodies] if world else bodies
    for k, (one, two) in enumerate(itertools.pairwise(ends)):
        kind = JOINTS[random.integers(len(JOINTS))]
        x = place((0.8 * k - 0.4, 0.1, 0.0))
        axis = tuple(random.normal(size=3))
        if kind in ("Spherical", "Rigid"):
            m.add(getattr(lv, kind)(one.point_at(*x), two.point_at(*x), name=f"joint {k}"))
        elif kind == "Rod":
            y = place((0.8 * k - 0.1, 0.4, 0.3))
            m.add(lv.Rod(one.point_at(*x), two.point_at(*y), name=f"joint {k}"))
        elif kind == "Universal":
            other = tuple(np.cross(axis, random.normal(size=3)))
            m.add(lv.Universal(one.point_at(*x), two.point_at(*x), axis, other, name=f"joint {k}"))
        elif kind == "Planar":
            m.add(lv.Planar(one.point_at(*x), two.point_at(*x), normal=axis, name=f"joint {k}"))
        else:
            at = {"axis": axis, "name": f"joint {k}"}
            if kind in ("Revolute", "Prismatic") and extras:
                unit = force * length if kind == "Revolute" else stiffness
                at["stiffness"] = float(random.uniform(0.5, 3.0) * unit)
            m.add(getattr(lv, kind)(one.point_at(*x), two.point_at(*x), **at))
    m.add(lv.Spring(bodies[0].center, bodies[2].point(0.1 * length, 0, 0), 20.0 * stiffness, length=0.7 * length))
    if world:
        m.add(lv.Spring(m.world.point(*place((0, 1, 1))), bodies[1].point(0, 0.1 * length, 0), 30.0 * stiffness))
    return m


@pytest.mark.parametrize("seed", range(24))
def test_energy_and_joints_are_exact_on_random_mechanisms(seed):
    motion = lv.simulate(mechanism(seed), SCHEME, h=0.01, until=1.0)
    assert worst(motion.energy) <= 2e-12 * scale(motion)
    assert motion.defect_position.max() <= 1e-12
    assert motion.defect_velocity.max() <= 1e-10


LONG_STEPS = [(2, 0.02), (4, 0.02), (22, 0.03), (44, 0.02), (50, 0.02), (60, 0.03), (64, 0.02), (77, 0.02), (77, 0.03),
              (85, 0.03), (105, 0.02), (139, 0.02)]  # fmt: skip


@pytest.mark.parametrize(("seed", "h"), LONG_STEPS)
def test_energy_is_exact_at_steps_that_need_many_corrections(seed, h):
    """Corrections that decrease by a tenth in an iteration are not round-off: at each step the energy changes by less
    than the round-off of some hundred operations, also where a body turns by half a radian."""
    motion = lv.simulate(mechanism(seed), SCHEME, h=h, until=100 * h)
    assert motion.iterations > 4.0
    assert np.abs(np.diff(motion.energy)).max() <= 500 * np.finfo(float).eps * scale(motion)
    assert motion.defect_position.max() <= 1e-12


@pytest.mark.parametrize("seed", [4, 18, 21, 92, 111])
def test_the_first_step_from_rest_is_exact(seed):
    """The first guess is far from the solution, and two corrections of one matrix do not show how good it is."""
    random = np.random.default_rng(seed)
    R, (length, mass, second) = Rotation.random(random_state=random).as_matrix(), 10.0 ** random.uniform(-2, 2, 3)
    m = lv.Model(gravity=-9.81 * length / second**2 * R[:, 2])
    last, stiffness = m.world, mass / second**2
    for k in range(2):
        x = (0.8 * k + 0.2) * length * R[:, 0]
        shape = lv.Box(*(length * random.uniform(0.1, 0.5, 3)), mass=mass * random.uniform(0.3, 2.0))
        body = m.add(lv.Body(shape, at=x, rotation=Rotation.random(random_state=random).as_matrix(), name=f"{k}"))
        m.add(lv.Prismatic(last.point_at(*x), body.point_at(*x), axis=R @ random.normal(size=3)))
        last = body
    end = last.point(*(0.1 * length * random.normal(size=3)))
    m.add(lv.Spring(m["0"].center, end, 20.0 * stiffness, length=0.0, damping=stiffness * second))
    m.add(lv.Damper(m["0"].center, last.center, rate=stiffness * second))
    motion = lv.simulate(m, SCHEME, h=0.01 * second, until=0.1 * second)
    size = np.abs(motion.kinetic).max() + np.abs(motion.potential).max()
    assert np.abs(np.diff(balance(motion))).max() <= 20 * np.finfo(float).eps * size


@pytest.mark.parametrize("seed", range(8))
def test_momentum_is_exact_without_a_world(seed):
    motion = lv.simulate(mechanism(100 + seed, world=False), SCHEME, h=0.01, until=1.0)
    size = np.linalg.norm(motion.angular_momentum[0]) + np.linalg.norm(motion.momentum[0])
    assert worst(motion.energy) <= 2e-12 * scale(motion)
    assert worst(motion.momentum) <= 1e-13 * size * 20
    assert worst(motion.angular_momentum) <= 1e-12 * size


@pytest.mark.parametrize("unit", [(1e-3, 1e-3, 1.0), (1e3, 1e6, 3600.0), (1e-6, 1e-15, 1e-6)])
def test_units_do_not_matter(unit):
    length, mass, second = unit
    one = lv.simulate(mechanism(3), SCHEME, h=0.01, until=0.5)
    other = lv.simulate(
        mechanism(3, length=length, mass=mass, second=second), SCHEME, h=0.01 * second, until=0.5 * second
    )
    assert np.abs(other.position("body 2") / length - one.position("body 2")).max() < 1e-9
    assert worst(other.energy) <= 2e-12 * scale(other)


def pendulum(**options):
    m = lv.Model(gravity=(0, 0, -9.81))
    one = m.add(lv.Body(lv.Box(0.1, 0.2, 0.8, density=300), at=(0.1, 0.2, -0.4), name="one"))
    two = m.add(lv.Body(lv.Box(0.1, 0.1, 0.6, density=300), at=(0.1, 0.2, -1.1), name="two"))
    m.add(lv.Spherical(m.world.point(0.1, 0.2, 0), one.point_at(0.1, 0.2, 0), name="ball"))
    m.add(
        lv.Revolute(
            one.point_at(0.1, 0.2, -0.8), two.point_at(0.1, 0.2, -0.8), axis=(0.2, 1, 0.1), name="hinge", **options
        )
    )
    m.add(lv.Spring(m.world.point(1, 0, -1), two.point(0.05, 0, -0.3), stiffness=30.0, length=0.2, name="spring"))
    return m


def test_it_has_order_two():
    m = pendulum(stiffness=2.0)
    exact = lv.simulate(m, lv.Livens(order=6), h=1e-3, until=0.5).position("two")[-1]
    steps = np.array([4e-3, 2e-3, 1e-3])
    errors = [np.abs(lv.simulate(m, SCHEME, h=h, until=0.5).position("two")[-1] - exact).max() for h in steps]
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.abs(orders - 2.0).max() < 0.05


def test_it_is_symmetric():
    m = pendulum(stiffness=2.0)
    start = lv.simulate(m, lv.Livens(), h=1e-2, until=0.1).state
    there = lv.simulate(m, SCHEME, h=1e-2, until=0.3, start=start).state
    back = there._replace(p=-there.p, L=-there.L, memory=np.zeros(0))
    again = lv.simulate(m, SCHEME, h=1e-2, until=0.3, start=back).state
    assert np.abs(again.a - start.a).max() < 1e-12
    assert np.abs(again.p + start.p).max() < 1e-11


def test_dampers_dissipate_exactly_what_they_book():
    m = pendulum(stiffness=2.0, damping=0.4)
    m.add(lv.Damper(m.world.point(0, 0, -2), m["two"].center, rate=3.0))
    motion = lv.simulate(m, SCHEME, h=0.01, until=2.0)
    assert motion.dissipated[-1] > 1.0
    assert worst(balance(motion)) <= 1e-12 * scale(motion)


def test_loads_motors_and_prescribed_motions_do_exactly_the_work_that_is_booked():
    m = pendulum()
    m.add(lv.Motor(m["hinge"], lambda t: 2.0 * np.sin(3 * t)))
    m.add(lv.Load(m["one"].point(0.1, 0, 0.1), force=lambda t: (np.cos(t), 1.0, 0.0), torque=(0.1, 0.2, 0.3)))
    m.add(lv.Load(m["two"].point(0, 0.1, 0.1), force=(1.0, -2.0, 0.5), torque=(0.0, 0.3, 0.1), axes="body"))
    crank = m.add(lv.Body(lv.Box(0.5, 0.1, 0.1, density=100), at=(0.25, 3, 0), name="crank"))
    rod = m.add(lv.Body(lv.Box(0.5, 0.1, 0.1, density=100), at=(0.75, 3, 0), name="rod"))
    m.add(
        lv.Revolute(
            m.world.point(0, 3, 0), crank.point_at(0, 3, 0), axis=(0, 1, 0.3), drive=lambda t: 0.5 * np.sin(2 * t)
        )
    )
    m.add(lv.Spherical(crank.point_at(0.5, 3, 0), rod.point_at(0.5, 3, 0), name="wrist"))
    motion = lv.simulate(m, SCHEME, h=0.01, until=2.0)
    assert np.ptp(motion.work) > 1.0
    assert worst(balance(motion)) <= 1e-11 * scale(motion)


def test_stops_are_exact():
    m = pendulum(limits=(-0.2, 0.1))
    motion = lv.simulate(m, SCHEME, h=2e-3, until=2.0)
    angle = motion.coordinate("hinge")
    assert angle.max() > 0.1 or angle.min() < -0.2
    assert worst(motion.energy) <= 1e-11 * scale(motion)


def ball_joints(seed, **options):
    """Two bodies on ball joints, in a random orientation, which turn about the first joint."""
    R, omega = Rotation.random(random_state=seed).as_matrix(), (1.0, 2.0, 3.0)
    m, bodies = lv.Model(gravity=R @ (0, 0, -9.81)), []
    for x, size, mass, name in ((0.5, (1, 0.2, 0.1), 1.0, "one"), (1.3, (0.6, 0.2, 0.15), 0.5, "two")):
        at = {"at": R @ (x, 0, 0), "rotation": R, "velocity": R @ np.cross(omega, (x, 0, 0)), "body_rates": omega}
        bodies.append(m.add(lv.Body(lv.Box(*size, mass=mass), name=name, **at)))
    one, two = bodies
    m.add(lv.Spherical(m.world.point(0, 0, 0), one.point(-0.5, 0, 0), name="shoulder", **options))
    m.add(lv.Spherical(one.point(0.5, 0, 0), two.point(-0.3, 0, 0), name="elbow", **options))
    return m


BALLS = {
    "damping": {"damping": 0.05},
    "spring": {"stiffness": 3.0},
    "spring with a rest position": {"stiffness": 3.0, "rest": (0.3, 0.2, -0.4), "damping": 0.02},
    "stop": {"limits": (None, 0.4), "limit_stiffness": 200.0},
}


@pytest.mark.parametrize("which", BALLS)
def test_springs_stops_and_dampers_of_ball_joints(which):
    """The energy balance is exact, and the motion of second order."""
    m, errors = ball_joints(7, **BALLS[which]), []
    exact = lv.simulate(m, lv.Livens(), h=5e-5, until=0.5)
    for h in (5e-4, 2.5e-4) if which == "stop" else (2e-3, 1e-3):
        motion = lv.simulate(m, SCHEME, h=h, until=0.5)
        assert worst(balance(motion)) <= 1e-12 * scale(motion)
        errors.append(np.abs(motion.position("two")[-1] - exact.position("two")[-1]).max())
    assert errors[1] < 2e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    long = lv.simulate(m, SCHEME, h=5e-3, until=5.0)
    assert worst(balance(long)) <= 1e-11 * scale(long)
    if "damping" in BALLS[which]:
        assert long.dissipated[-1] > 0.1


def test_springs_in_ball_joints_at_rest_and_at_small_angles():
    """At the rest position the axis of the rotation is not defined; the torque is zero and smooth there."""
    m = lv.Model()
    b = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.2, 0.25)), body_rates=(0, 0, 0.3), name="b"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), b.point(0, 0, 0), stiffness=5.0, name="ball"))
    motion = lv.simulate(m, SCHEME, h=0.02, until=20.0)
    assert worst(motion.energy) <= 1e-14
    turn = motion.rotation(b)[:, 1, 0]
    omega = np.sqrt(5.0 / 0.25)
    discrete = 2.0 * np.arctan(0.5 * 0.02 * omega) / 0.02  # as the trapezoidal rule, at small angles
    assert np.abs(turn - 0.3 / omega * np.sin(discrete * motion.t)).max() < 2e-3 * 0.3 / omega


def test_a_motor_in_a_ball_joint():
    m, errors = ball_joints(9), []
    m.add(lv.Motor(m["elbow"], lambda t: 0.3 * np.sin(3 * t), coordinate="turn_y"))
    exact = lv.simulate(m, lv.Livens(), h=5e-5, until=0.5)
    for h in (5e-3, 2.5e-3):
        motion = lv.simulate(m, SCHEME, h=h, until=0.5)
        assert worst(balance(motion)) <= 1e-12 * scale(motion)
        errors.append(np.abs(motion.position("two")[-1] - exact.position("two")[-1]).max())
    assert abs(motion.work[-1] - exact.work[-1]) < 1e-3 * np.ptp(exact.work)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("seed", range(2))
def test_thin_rods_and_point_masses(seed):
    """Bodies without inertia about some or all axes: two thin rods, and a chain of point masses on massless rods."""
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model(gravity=R @ (0, 0, -9.81))
    last, x = m.world.point(0, 0, 0), 0.0
    for k in range(2):
        rod = m.add(lv.Body(lv.ThinRod(0.5, mass=1.0), at=R @ (x + 0.25, 0, 0), rotation=R, name=f"rod {k}"))
        m.add(lv.Spherical(last, rod.point(-0.25, 0, 0)))
        last, x = rod.point(0.25, 0, 0), x + 0.5
    for k in range(3):
        point = m.add(lv.Body(lv.PointMass(0.3), at=R @ (x + 0.2, 0, 0), name=f"point {k}"))
        m.add(lv.Rod(last, point.center))
        last, x = point.center, x + 0.2
    motion = lv.simulate(m, SCHEME, h=2e-3, until=3.0)
    assert worst(motion.energy) <= 1e-12 * scale(motion)
    assert motion.defect_position.max() < 1e-13
    errors, exact = [], lv.simulate(m, lv.Livens(order=4), h=2.5e-4, until=0.3).position("point 2")[-1]
    for h in (1e-3, 5e-4):
        errors.append(np.abs(lv.simulate(m, SCHEME, h=h, until=0.3).position("point 2")[-1] - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_attraction_conserves_energy_and_angular_momentum():
    m = lv.Model()
    for k, (x, v) in enumerate((((1, 0, 0), (0, 0.6, 0.1)), ((-1, 0, 0), (0, -0.5, 0)), ((0, 2, 0.3), (0.4, 0, 0)))):
        m.add(lv.Body(lv.Ball(0.1, mass=1.0 + k), at=x, velocity=v, name=f"{k}"))
    m.add(lv.Attraction(G=1.0))
    motion = lv.simulate(m, SCHEME, h=0.02, until=5.0)
    assert worst(motion.energy) <= 1e-12 * scale(motion)
    assert worst(motion.angular_momentum) <= 1e-12 * np.abs(motion.angular_momentum[0]).max()


@pytest.mark.parametrize("fixed", [False, True])
def test_energies_of_the_user_are_exact(fixed):
    m = lv.Model()
    a = m.add(lv.Body(lv.Box(0.3, 0.2, 0.1, density=500), body_rates=(1, 2, 0.3), velocity=(0.1, 0.2, 0), name="a"))
    b = m.add(lv.Body(lv.Box(0.3, 0.25, 0.1, density=400), at=(1, 0.2, 0), body_rates=(-1, 0.5, 0.3), name="b"))
    turned = Rotation.random(random_state=1).as_matrix()

    def energy(s):
        d = s[b].point(-0.1, 0, 0) - s[a].point(0.1, 0.1, 0)
        bend = lv.dot(s[a].direction(*turned[0]), s[b].direction(0, 0, 1))
        return 40 * (lv.norm(d) - 0.5) ** 4 + 3 * lv.norm(d) ** 2 + 2 * bend**3

    m.add(lv.Energy(energy, bodies=[a, b], name="between"))
    if fixed:
        m.add(lv.Energy(lambda s: 5 * lv.norm(s[b].position) ** 4, bodies=[b], name="well"))
    motion = lv.simulate(m, SCHEME, h=0.02, until=2.0)
    assert worst(motion.energy) <= 1e-12 * scale(motion)
    size = np.abs(motion.angular_momentum).max()
    assert (worst(motion.angular_momentum) <= 1e-12 * size) or fixed
    if not fixed:
        assert worst(motion.momentum) <= 1e-12 * np.abs(motion.momentum).max()
        reference = lv.simulate(m, lv.Livens(order=6), h=0.0025, until=0.5).position(b)[-1]
        errors = [
            np.abs(lv.simulate(m, SCHEME, h=h, until=0.5).position(b)[-1] - reference).max() for h in (5e-3, 2.5e-3)
        ]
        assert 3.8 < errors[0] / errors[1] < 4.2


def explicit_fails(model, h):
    """True if the explicit kick is unstable: the run fails or its energy grows."""
    try:
        return worst(lv.simulate(model, lv.Livens(), h=h, until=10.0).energy) > 1.0
    except lv.StepFailed:
        return True


@pytest.mark.parametrize("steps", [1.0, 10.0, 100.0])
def test_stiff_springs_and_long_steps(steps):
    """hω of 1 to 100: a pendulum on a stiff spring against a rigid one, and against the unstable explicit kick."""
    m = lv.Model(gravity=(0, 0, -9.81))
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0.6, 0, -0.8), name="ball"))
    h = 0.01
    m.add(lv.Spring(m.world.point(0, 0, 0), ball.center, stiffness=(steps / h) ** 2, length=1.0, name="stiff"))
    motion = lv.simulate(m, SCHEME, h=h, until=10.0)
    assert worst(motion.energy) <= (1e-12 + 1e-14 * steps**2) * scale(motion)  # positions are rounded, and h²k is large
    rigid = lv.Model(gravity=(0, 0, -9.81))
    bob = rigid.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0.6, 0, -0.8), name="bob"))
    rigid.add(lv.Rod(rigid.world.point(0, 0, 0), bob.center, name="rod"))
    reference = lv.simulate(rigid, lv.Livens(order=4), h=h, until=10.0)
    stretch = 3 * 9.81 / (steps / h) ** 2
    assert np.abs(motion.position("ball") - reference.position("bob")).max() <= 0.02 + 20 * stretch
    if steps > 2.0:
        assert explicit_fails(m, h)


def test_redundant_joints_of_a_four_bar():
    m = lv.Model(gravity=(0, 0, -9.81))
    random = Rotation.random(random_state=5)
    place = lambda x: tuple(random.apply(x))  # noqa: E731
    corners = [(0, 0, 0), (0.2, 0, 1), (2, 0, 1.3), (2.2, 0, 0)]
    bars = [
        m.add(
            lv.Body(
                lv.Box(0.1, 0.1, 1.0, density=500), at=place(np.mean([one, two], axis=0)), name=f"bar {k}",
                rotation=random.as_matrix(),
            )
        )
        for k, (one, two) in enumerate(itertools.pairwise(corners))
    ]  # fmt: skip
    ends = [m.world, *bars, m.world]
    for k, (one, two, x) in enumerate(zip(ends, ends[1:], corners, strict=False)):
        x = place(x)
        m.add(lv.Revolute(one.point_at(*x), two.point_at(*x), axis=place((0, 1, 0)), name=f"pin {k}"))
    with pytest.warns(lv.ModelWarning, match="redundant"):
        motion = lv.simulate(m, SCHEME, h=0.01, until=5.0)
    assert worst(motion.energy) <= 1e-11 * scale(motion)
    assert motion.defect_position.max() <= 1e-11


def test_the_heavy_top():
    """Brüls, Cardona & Arnold 2012: the centre of mass at t = 0.1 s, with order 2 in h."""
    errors = []
    for h in (2e-4, 1e-4):
        m = lv.Model(gravity=(0, 0, -9.81))
        matter = lv.MassProperties(15.0, (0.234375, 0.46875, 0.234375))
        top = m.add(lv.Body(matter, at=(0, 1, 0), body_rates=(0, 150, -4.61538), velocity=(4.61538, 0, 0), name="top"))
        m.add(lv.Spherical(m.world.point(0, 0, 0), top.point_at(0, 0, 0), name="pivot"))
        motion = lv.simulate(m, SCHEME, h=h, until=0.1)
        assert worst(motion.energy) <= 1e-11 * 5435.7
        errors.append(np.abs(motion.position(top)[-1] - (0.421296658925, 0.894571974346, -0.149164700562)).max())
    assert errors[1] < 1e-4
    assert 3.8 < errors[0] / errors[1] < 4.2


def test_resuming_is_exact_to_the_bit(tmp_path):
    m = pendulum(stiffness=2.0)
    whole = lv.simulate(m, SCHEME, h=0.01, until=1.0)
    lv.simulate(m, SCHEME, h=0.01, until=0.5).save(tmp_path / "half.nc")
    rest = lv.resume(lv.load(tmp_path / "half.nc"), until=1.0)
    assert np.array_equal(rest.record.a, whole.record.a)
    assert np.array_equal(rest.record.L, whole.record.L)


def test_the_report_says_exactly():
    assert "energy is conserved exactly by EnergyMomentum()" in str(
        lv.simulate(pendulum(), SCHEME, h=0.01, until=0.1).report()
    )


REFUSED = {
    "Contact 'floor'": lambda m, ball: lv.Contact(ball, m.world.plane((0, 0, 0), normal=(0, 0, 1)), name="floor"),
    "Rope 'leash'": lambda m, ball: lv.Rope(m.world.point(0, 0, 1), ball.center, length=2.0, name="leash"),
    "Stop 'end'": lambda m, ball: lv.Stop(m["hinge"], upper=1.0, name="end"),
    "JointFriction 'drag'": lambda m, ball: lv.JointFriction(m["hinge"], dynamic=0.1, name="drag"),
}


@pytest.mark.parametrize("which", REFUSED)
def test_contact_is_refused(which):
    m = lv.Model(gravity=(0, 0, -9.81))
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 0.1), name="ball"))
    m.add(lv.Revolute(m.world.point(0, 0, 0.1), ball.center, axis=(0, 1, 0), name="hinge"))
    m.add(REFUSED[which](m, ball))
    sentence = rf"EnergyMomentum\(\) does not take contact: use lv.Livens\(order=2\), or leave out {which}"
    with pytest.raises(lv.ModelError, match=sentence):
        lv.simulate(m, SCHEME, h=0.01, until=0.1)


@pytest.mark.parametrize("model", [exact_energy.double_pendulum, exact_energy.four_bar, exact_energy.floating_chain])
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_round_off_does_not_add_up_in_one_direction(model):
    """10⁶ steps are in the benchmark: below 1e-12. Rotations stay orthogonal; without a correction they did not."""
    motion = lv.simulate(model(), SCHEME, h=5e-3, until=100.0, every=1000)
    assert worst(motion.energy) <= 1e-13 * np.abs(motion.kinetic).max()
    assert np.abs(np.swapaxes(motion.record.B, 2, 3) @ motion.record.B - np.eye(3)).max() <= 1e-15
