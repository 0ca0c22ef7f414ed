"""Static equilibrium against closed forms and against the same mechanics in other coordinates."""

import re
import warnings

import numpy as np
import pytest
from scipy.optimize import brentq

import livens as lv
from benchmarks import newton_euler
from tests.helpers import problems
from tests.helpers.joint_equations import RADIUS, Equations, seen

EPS = np.finfo(float).eps
G = 9.81
DOWN = (0, 0, -G)
X, Y, Z = np.eye(3)


def at_rest(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        return lv.equilibrium(model)


def along(d):
    """A frame with its first axis along d, in the x-z plane."""
    return np.stack([d, Y, np.cross(d, Y)], axis=1)


# ── closed forms ──


def test_a_mass_on_a_spring():
    """k (z − l) = m g from any start, also from above the support."""
    for start in ((0, 0, -1), (0.4, 0.2, -0.3), (0.1, 0, 2.0), (0, 0, 1.0)):
        m = lv.Model(gravity=DOWN)
        bob = m.add(lv.Body(lv.PointMass(2.0), at=start, name="bob"))
        m.add(lv.Spring(m.world.point(0, 0, 0), bob.point(0, 0, 0), stiffness=100.0, length=1.0))
        assert np.abs(at_rest(m).position(bob)[0] - (0, 0, -1 - 2 * G / 100)).max() <= 64 * EPS * 10


@pytest.mark.parametrize("stiffness", [0.0, 1.0, 20.0])
def test_a_pendulum_with_a_torsion_spring(stiffness):
    """m g l sin q + k (q − q₀) = 0 at the stable root of lower energy."""
    m = lv.Model(gravity=DOWN)
    arm = m.add(lv.Body(lv.MassProperties(2.0, (0.1, 0.2, 0.2)), at=(0, 0, -0.5), name="arm"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point_at(0, 0, 0), axis=Y, stiffness=stiffness, rest=1.2))
    rest = at_rest(m)
    torque = lambda q: 2 * G * 0.5 * np.sin(q) + stiffness * (q - 1.2)  # noqa: E731
    q = brentq(torque, -0.1, 1.3, xtol=1e-15, rtol=4 * EPS)
    assert abs(rest.coordinate(hinge)[0] - q) <= 64 * EPS
    assert np.abs(rest.reaction(hinge)[0] - (0, 0, 2 * G)).max() <= 256 * EPS * 2 * G
    assert np.abs(rest.reaction_torque(hinge)[0]).max() <= 256 * EPS * 2 * G
    assert np.abs(rest.acceleration(arm)).max() <= 256 * EPS * G


@pytest.mark.parametrize("lower", [-0.3, 0.4])
def test_a_pendulum_against_a_stop(lower):
    """Inside its limits it hangs; outside, the stop yields by torque / stiffness."""
    m = lv.Model(gravity=DOWN)
    arm = m.add(lv.Body(lv.MassProperties(2.0, (0.1, 0.2, 0.2)), at=(0, 0, -0.5), name="arm"))
    hinge = m.add(
        lv.Revolute(m.world.point(0, 0, 0), arm.point_at(0, 0, 0), Y, limits=(lower, 1.0), limit_stiffness=1e4)
    )
    q = at_rest(m).coordinate(hinge)[0]
    expected = 0.0
    if lower > 0:
        expected = brentq(lambda q: G * np.sin(q) + 1e4 * min(0.0, q - lower), 0.1, 0.5, xtol=1e-15, rtol=4 * EPS)
    assert abs(q - expected) <= 64 * EPS


@pytest.mark.parametrize("n", [2, 5, 12])
def test_a_chain_hangs_in_a_discrete_catenary(n):
    """Rod k has the slope (V − (k + ½) m g)/H, V = n m g/2, and H such that they span the supports."""
    span = 0.6 * n
    m = lv.Model(gravity=DOWN)
    last, p = m.world.point(0, 0, 0), np.zeros(3)
    for k in range(n):
        d = np.array([0.6, 0, (-0.8, 0.8)[k % 2]])
        rod = m.add(lv.Body(lv.ThinRod(1.0, mass=1.5), at=p + d / 2, rotation=along(d), name=f"rod{k}"))
        m.add(lv.Spherical(last, rod.point(-0.5, 0, 0), name=f"pin{k}"))
        last, p = rod.point(0.5, 0, 0), p + d
    end = m.add(lv.Spherical(last, m.world.point(span, 0, p[2]), name="end"))
    height, weight = p[2], 1.5 * G

    def slopes(H, V):
        return (V - (np.arange(n) + 0.5) * weight) / H

    def shape(H):
        """V for which the end has the height of its support, and the remaining distance."""
        reach = lambda V: -np.sum(slopes(H, V) / np.hypot(1, slopes(H, V))) - height  # noqa: E731
        V = brentq(reach, -1e3 * (n * weight + H), 1e3 * (n * weight + H), xtol=1e-14, rtol=4 * EPS)
        return V, np.sum(1 / np.hypot(1, slopes(H, V))) - span

    H = brentq(lambda H: shape(H)[1], 1e-2 * weight, 1e2 * n * weight, xtol=1e-14, rtol=4 * EPS)
    V = shape(H)[0]
    rest = at_rest(m)
    steps = np.stack([np.ones(n), -slopes(H, V)], axis=1) / np.hypot(1, slopes(H, V))[:, None]
    centres = np.cumsum(steps, axis=0) - steps / 2
    bound = 1e3 * n * EPS * max(1.0, np.abs(slopes(H, V)).max())
    for k in range(n):
        x = rest.position(f"rod{k}")[0]
        assert np.abs(x - (centres[k, 0], 0, centres[k, 1])).max() <= bound
    assert np.abs(rest.reaction("pin0")[0] - (-H, 0, V)).max() <= bound * n * weight
    up = rest.reaction("pin0")[0] - rest.reaction(end)[0]
    assert np.abs(up - (0, 0, n * weight)).max() <= 64 * n * EPS * n * weight


def test_a_weight_on_a_rail_with_motor_and_spring():
    """The spring force is m g sin α along the rail minus the force of the motor."""
    alpha, push = 0.3, 4.0
    m = lv.Model(gravity=DOWN)
    axis = np.array([np.cos(alpha), 0, -np.sin(alpha)])
    sledge = m.add(lv.Body(problems.lopsided(3), at=0.2 * axis, name="sledge"))
    rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), sledge.point(0, 0, 0), axis=axis, stiffness=50.0, rest=0.1))
    m.add(lv.Motor(rail, -push))
    rest = at_rest(m)
    weight = 2 * G
    assert abs(rest.coordinate(rail)[0] - 0.1 - (weight * np.sin(alpha) - push) / 50) <= 64 * EPS
    across = weight * np.cos(alpha) * np.array([np.sin(alpha), 0, np.cos(alpha)])
    assert np.abs(rest.reaction(rail)[0] - across).max() <= 256 * EPS * weight


def test_a_thruster_that_turns_with_its_body():
    """A load in body axes has no potential but an equilibrium: m g l sin q = F L."""
    m = lv.Model(gravity=DOWN)
    arm = m.add(lv.Body(lv.MassProperties(2.0, (0.1, 0.2, 0.2)), at=(0, 0, -0.5), name="arm"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point_at(0, 0, 0), axis=Y))
    m.add(lv.Load(arm.point(0, 0, -0.5), force=(-3.0, 0, 0), axes="body"))
    assert abs(at_rest(m).coordinate(hinge)[0] - np.arcsin(3.0 / (2 * G * 0.5))) <= 64 * EPS


def test_a_screw_under_load():
    """The nut of pitch P carries its weight by the torque m g P/2π of a torsion spring."""
    m = lv.Model(gravity=DOWN)
    nut = m.add(lv.Body(lv.MassProperties(3.0, (0.1, 0.1, 0.2)), name="nut"))
    screw = m.add(lv.Screw(m.world.point(0, 0, 0), nut.point(0, 0, 0), axis=Z, pitch=0.2, stiffness=0.05))
    angle, height = at_rest(m).coordinate(screw)[0]
    expected = -3.0 * G * 0.2 / (2 * np.pi) / 0.05  # some three turns
    assert abs(angle - expected) <= 1e3 * EPS * abs(expected)
    assert abs(height - 0.2 * expected / (2 * np.pi)) <= 1e-11


# ── other coordinates ──


def test_a_four_bar_with_a_spring():
    """Against the crank angle alone: the slope of V, by a complex step, is zero there."""
    a, b, c, ground = 1.0, 1.7, 1.4, 1.5
    k, l0, anchor = 60.0, 0.4, np.array([0.7, -1.0])

    def knees(q):
        A = np.array([a * np.cos(q), a * np.sin(q)])
        d = np.array([ground, 0.0]) - A
        D2 = d @ d
        s = (D2 + b * b - c * c) / (2 * D2)
        h = np.sqrt(b * b / D2 - s * s)
        return A, A + s * d - h * np.array([d[1], -d[0]]) * -1.0

    def V(q):
        A, C = knees(q)
        heights = (A[1] / 2, (A[1] + C[1]) / 2, C[1] / 2)
        middle = (A + C) / 2 - anchor
        stretch = np.sqrt(middle @ middle) - l0
        return G * (a * heights[0] + b * heights[1] + c * heights[2]) + 0.5 * k * stretch**2

    q0 = 1.2
    A, C = (np.array([*x, 0.0]) for x in knees(q0))
    m = lv.Model(gravity=(0, -G, 0))

    def bar(p, q, length, name):
        d = (q - p) / length
        frame = np.stack([d, np.cross(Z, d), Z], axis=1)
        matter = lv.MassProperties(length, length**3 / 12 * np.array([0.01, 1, 1]))
        return m.add(lv.Body(matter, at=(p + q) / 2, rotation=frame, name=name))

    O, E = np.zeros(3), np.array([ground, 0, 0])
    crank, coupler, rocker = bar(O, A, a, "crank"), bar(A, C, b, "coupler"), bar(E, C, c, "rocker")
    foot = m.add(lv.Revolute(m.world.point(O), crank.point_at(O), axis=Z, name="foot"))
    m.add(lv.Revolute(crank.point_at(A), coupler.point_at(A), axis=Z))
    m.add(lv.Revolute(coupler.point_at(C), rocker.point_at(C), axis=Z))
    m.add(lv.Revolute(m.world.point(E), rocker.point_at(E), axis=Z))
    m.add(lv.Spring(m.world.point(*anchor, 0), coupler.point(0, 0, 0), stiffness=k, length=l0))
    q = q0 + at_rest(m).coordinate(foot)[0]
    slope = lambda q: V(q + 1e-30j).imag / 1e-30  # noqa: E731
    exact = brentq(slope, q - 1e-3, q + 1e-3, xtol=1e-15, rtol=4 * EPS)
    assert abs(q - exact) <= 1e-11
    assert slope(q + 1e-3) > 0 > slope(q - 1e-3)  # a minimum


@pytest.mark.parametrize("seed", range(4))
def test_a_body_on_springs(seed):
    """Six degrees of freedom: independently computed forces vanish, and small displacements increase the energy."""
    rng = np.random.default_rng(seed)
    m = lv.Model(gravity=DOWN)
    body = m.add(lv.Body(problems.lopsided(seed), at=(0, 0, -1), rotation=problems.turned(seed), name="body"))
    for place in ((1, 0, 0), (-1, 1, 0), (-1, -1, 0), (0, 0, -3))[: 3 + seed % 2]:
        r = 0.3 * rng.normal(size=3)
        m.add(lv.Spring(m.world.point(place), body.point(r), stiffness=rng.uniform(50, 100), length=0.7))
    m.add(lv.Load(body.point(0.1, 0.2, 0.3), force=(1.0, 2.0, 3.0)))
    rest = at_rest(m)
    x, B, *_ = seen(rest)
    F, M = newton_euler.forces(m, x[1:], B[1:])
    assert np.abs(F).max() <= 1e3 * EPS * 100
    assert np.abs(M).max() <= 1e3 * EPS * 100
    H = lv.Hamiltonian(m)
    load = lambda y, C: np.array([1.0, 2, 3]) @ (y + C @ (np.array([0.1, 0.2, 0.3]) - body.center.r))  # noqa: E731
    here = H.potential(x[1:], B[1:]) - load(x[1], B[1])
    for _ in range(20):
        turn = lv.Pose.from_axis_angle(rng.normal(size=3), 1e-3).B
        y, C = x[1] + 1e-3 * rng.normal(size=3), B[1] @ turn
        assert H.potential(y[None], C[None]) - load(y, C) > here


@pytest.mark.parametrize("seed", range(4))
def test_spatial_mechanisms(seed):
    """Random trees with a loop: reactions balance the applied forces, checked with the geometry of the joints."""
    rng = np.random.default_rng(seed)
    m = lv.Model(gravity=DOWN)
    last = m.world
    for k in range(4):
        at = last.pose.a + 0.7 * X + 0.3 * rng.normal(size=3)
        body = m.add(lv.Body(problems.lopsided(10 * seed + k), at=at, rotation=problems.turned(k), name=f"b{k}"))
        place = (last.pose.a + at) / 2
        one, two = last.point_at(place), body.point_at(place)
        match (seed + k) % 4:
            case 0:
                m.add(lv.Spherical(one, two))
            case 1:
                m.add(lv.Revolute(one, two, axis=rng.normal(size=3), stiffness=5.0, rest=0.3))
            case 2:
                m.add(lv.Universal(one, two, axis_a=Y, axis_b=X))
            case 3:
                m.add(lv.Cylindrical(one, two, axis=rng.normal(size=3), stiffness=2.0))
        m.add(lv.Spring(m.world.point(at + Z), body.point(0.1, 0, 0), stiffness=40.0, length=0.5))
        last = body
    m.add(lv.Rod(last.point(0.2, 0.1, 0), m.world.point(last.pose.a + 0.5 * (X + Y - Z))))
    m.add(lv.Load(last.point(0.1, 0.2, 0), force=(3.0, 1.0, 0)))
    rest = at_rest(m)
    x, B, v, w = seen(rest)
    assert not v.any()
    assert not w.any()
    e = Equations(m)
    A, f = e.gradient(x, B), e.applied(x, B, v, w)
    lam = np.linalg.lstsq(A.T, -f, rcond=None)[0]
    size = np.abs(f).max() + np.abs(lam).max()
    assert np.abs(f + A.T @ lam).max() <= 1e3 * EPS / RADIUS * size
    assert np.abs(e.defect(x, B)).max() <= 1e-11
    for joint in m.joints:
        for found, expected in zip(
            (rest.reaction(joint)[0], rest.reaction_torque(joint)[0]), e.reaction(joint, lam, A, x, B), strict=True
        ):
            assert np.abs(found - expected).max() <= 1e4 * EPS / RADIUS * size


# ── stability ──


def upright(n):
    """n rods balanced on top of each other."""
    m = lv.Model(gravity=DOWN)
    last = m.world.point(0, 0, 0)
    for k in range(n):
        rod = m.add(
            lv.Body(lv.MassProperties(1.0, (0.01, 0.1, 0.1)), at=(0, 0, k + 0.5), rotation=along(Z), name=f"r{k}")
        )
        m.add(lv.Revolute(last, rod.point(-0.5, 0, 0), axis=Y, name=f"h{k}"))
        last = rod.point(0.5, 0, 0)
    return m


@pytest.mark.parametrize("n", [1, 2, 4])
def test_an_unstable_start_ends_in_a_stable_equilibrium(n):
    """The start is an unstable equilibrium: the rods end hanging."""
    rest = at_rest(upright(n))
    for k in range(n):
        assert np.abs(rest.position(f"r{k}")[0] - (0, 0, -k - 0.5)).max() <= 1e3 * EPS * n
    assert np.abs(rest.reaction("h0")[0] - (0, 0, n * G)).max() <= 1e3 * EPS * n * G


def test_a_free_body_stays():
    """A wheel on its axle, a ball on a floor and a free body are at rest at their initial positions."""
    m = lv.Model()
    wheel = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 2)), at=(1, 2, 3), rotation=problems.turned(1), name="wheel"))
    free = m.add(lv.Body(problems.lopsided(1), at=(0, 5, 0), velocity=(1, 0, 0), name="free"))
    m.add(lv.Revolute(m.world.point(1, 2, 3), wheel.point(0, 0, 0), axis=Z))
    rest = at_rest(m)
    for body in (wheel, free):
        assert np.abs(rest.position(body)[0] - body.pose.a).max() <= 8 * EPS
    m = lv.Model(gravity=DOWN)
    ball = m.add(lv.Body(lv.Ball(0.1, density=1000), at=(0, 0, 0.1), name="ball"))
    floor = m.add(lv.RollingBall(m.world.point(0, 0, 0), ball.point(0, 0, 0), normal=Z, radius=0.1))
    rest = at_rest(m)
    assert np.abs(rest.position(ball)[0] - (0, 0, 0.1)).max() <= 8 * EPS
    weight = ball.mass_properties.mass * G
    assert np.abs(rest.reaction(floor)[0] - (0, 0, weight)).max() <= 64 * EPS * weight


def test_a_motion_that_begins_at_rest_stays_there():
    """A simulation that starts at the equilibrium stays there up to round-off."""
    m = upright(3)
    rest = at_rest(m)
    motion = lv.simulate(m, h=1e-3, until=0.5, start=rest.state)
    for k in range(3):
        assert np.abs(motion.position(f"r{k}") - rest.position(f"r{k}")).max() <= 1e-11
    assert motion.kinetic.max() <= 1e-20


def test_a_held_drive_and_a_damper_do_not_matter():
    """A constant drive holds its joint; dampers exert no force at rest."""
    m = upright(2)
    m.joints[0].drive = lambda t: 0.0
    m.joints[1].damping = 3.0
    rest = at_rest(m)
    assert np.abs(rest.position("r0")[0] - (0, 0, 0.5)).max() <= 1e-12
    assert np.abs(rest.position("r1")[0] - (0, 0, 0.5)).max() <= 1e-12


# ── errors ──


def refuses(sentence, model):
    pattern = ".*".join(re.escape(part) for part in sentence.split("…"))
    with pytest.raises(lv.ModelError, match=f"^{pattern}$"):
        at_rest(model)


def test_models_without_equilibrium_are_errors():
    m = lv.Model(gravity=DOWN)
    m.add(lv.Body(lv.PointMass(2.0), name="stone"))
    remedy = "Attach it with joints or springs, or balance the loads."
    refuses(
        f"no equilibrium found: body 'stone' has a residual force of 19.6 N and a residual torque of 0 N m. {remedy}", m
    )
    m = lv.Model()
    arm = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), name="arm"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(0, 0, 0), axis=Z))
    m.add(lv.Load(arm.point(1, 0, 0), force=(0, 2, 0), axes="body"))
    refuses(f"no equilibrium found: body 'arm' has a residual force of 0 N and a residual torque of 2 N m. {remedy}", m)
    m = lv.Model(gravity=DOWN)
    sledge = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), name="sledge"))
    m.add(lv.Prismatic(m.world.point(0, 0, 0), sledge.point(0, 0, 0), axis=(1, 0, -1)))
    refuses(
        f"no equilibrium found: body 'sledge' has a residual force of 6.94 N and a residual torque of … N m. {remedy}",
        m,
    )


def test_models_that_vary_with_time_are_errors():
    m = upright(1)
    m.add(lv.Load(m["r0"].point(0, 0, 0), force=lambda t: (t, 0, 0), name="gust"))
    refuses("Load 'gust' varies with time or state: at rest only constant ones balance.", m)
    m = upright(1)
    m.add(lv.Motor(m["h0"], lambda t, now: 0.0, rate=10, name="servo"))
    refuses("Motor 'servo' varies with time or state: at rest only constant ones balance.", m)
    m = upright(1)
    m.joints[0].drive = lambda t: 2 * t
    refuses("drive of 'h0' moves at the start (rate 2): there is no rest.", m)
    refuses("equilibrium takes a Model, not None.", None)
