"""Springs, dampers, limits and motors on ball, universal and planar joints, against closed forms and against MuJoCo."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import livens as lv

G = 9.81


def rotation(rng):
    return Rotation.random(random_state=rng).as_matrix()


def ball(rng, world=True, unit=1.0, start=0.0, **given):
    """A body with three equal moments J on a ball joint at its centre: (model, J of the relative rotation)."""
    m = lv.Model(gravity=G * unit * rng.normal(size=3))
    J = (0.3 * unit**2, 0.7 * unit**2)
    b = m.add(
        lv.Body(lv.MassProperties(1.0, (J[0],) * 3), at=unit * rng.normal(size=3), rotation=rotation(rng), name="b")
    )
    if world:
        a, moment = m.world, J[0]
    else:
        a = m.add(lv.Body(lv.MassProperties(2.0, (J[1],) * 3), at=b.pose.a, rotation=rotation(rng), name="a"))
        moment = 1.0 / (1.0 / J[0] + 1.0 / J[1])
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    m.add(lv.Spherical(a.point_at(*b.pose.a), b.center, start=start * axis, **given, name="ball"))
    return m, moment, axis


@pytest.mark.parametrize("seed", range(4))
def test_a_ball_spring_is_a_torsional_oscillator(seed):
    """From rest at a rotation vector φ₀ it oscillates on the line of φ₀: φ₀ cos √(k/J) t, up to nearly half a turn."""
    rng = np.random.default_rng(seed)
    world, unit, size = seed % 2 == 0, 10.0 ** rng.uniform(-3, 3), (0.4, 1.7, 2.6, 3.1)[seed]
    k = unit**2 * rng.uniform(2.0, 5.0)
    m, J, axis = ball(rng, world, unit, start=size, stiffness=k)
    omega, h = np.sqrt(k / J), 2e-3
    motion = lv.simulate(m, lv.Livens(order=4), h=h, until=0.6)
    expected = size * np.cos(omega * motion.t)[:, None] * axis
    assert motion.coordinate("ball") == pytest.approx(expected, abs=20.0 * (omega * h) ** 4)
    assert motion.potential[0] - gravity_potential(m) == pytest.approx(0.5 * k * size**2)
    V = motion.potential - motion.potential[0] + 0.5 * k * size**2
    fallen = np.array([weight(m, motion, i) for i in range(len(motion.t))])
    assert V - fallen == pytest.approx(0.5 * k * (size * np.cos(omega * motion.t)) ** 2, abs=1e-6 * k)


def gravity_potential(m):
    """−Σ m g·x at the start."""
    return -sum(b.mass_properties.mass * m.gravity @ b.pose.a for b in m.bodies[1:])


def weight(m, motion, i):
    """The change of −Σ m g·x since the start."""
    return -sum(
        b.mass_properties.mass * m.gravity @ (motion.position(b)[i] - motion.position(b)[0]) for b in m.bodies[1:]
    )


def test_a_ball_spring_is_smooth_at_its_rest_position():
    """Torques at rotations of 1e-9 to 1e-3 rad from a rest position that is not zero: −k φ, to round-off."""
    rng = np.random.default_rng(3)
    rest = np.array([0.4, -1.2, 0.3])
    for size in (1e-9, 1e-6, 1e-3):
        turn = size * rng.normal(size=3)
        start = (Rotation.from_rotvec(turn) * Rotation.from_rotvec(rest)).as_rotvec()
        m = lv.Model()
        b = m.add(lv.Body(lv.MassProperties(1.0, (0.3,) * 3), rotation=rotation(rng), name="b"))
        m.add(lv.Spherical(m.world.point(0, 0, 0), b.center, start=start, stiffness=6.0, rest=rest, name="ball"))
        now = lv.dynamics(m)
        assert now.angular_acceleration("b")[0] == pytest.approx(-6.0 / 0.3 * turn, abs=20 * 1e-14)
        assert now.potential[0] == pytest.approx(3.0 * turn @ turn, rel=1e-5)


def test_a_ball_damper_decays():
    """φ̈ = −(c/J) φ̇ − (k/J) φ, underdamped."""
    rng = np.random.default_rng(5)
    m, J, axis = ball(rng, world=False, start=0.9, stiffness=4.0, damping=0.35)
    motion = lv.simulate(m, lv.Livens(), h=1e-3, until=1.5)
    rate, omega = 0.35 / (2 * J), np.sqrt(4.0 / J - (0.35 / (2 * J)) ** 2)
    expected = 0.9 * np.exp(-rate * motion.t) * (np.cos(omega * motion.t) + rate / omega * np.sin(omega * motion.t))
    assert motion.coordinate("ball") @ axis == pytest.approx(expected, abs=2e-5)
    assert motion.dissipated[-1] > 0.5
    total = motion.energy + motion.dissipated
    assert np.ptp(total) < 1e-4


def test_a_ball_stops_at_its_limit():
    """Beyond the limit the stop is a spring: half an oscillation of √(k_stop/J) about the limit."""
    m, J, axis = ball(np.random.default_rng(7), limits=(None, 0.5), limit_stiffness=300.0)
    b = m["b"]
    b.body_rates = b.pose.B.T @ (2.0 * axis)
    h = 2e-4
    motion = lv.simulate(m, lv.Livens(), h=h, until=0.5)
    q, omega = motion.coordinate("ball") @ axis, np.sqrt(300.0 / J)
    assert q.max() == pytest.approx(0.5 + 2.0 / omega, abs=1e-5)
    inside = motion.t < 0.25
    assert q[inside] == pytest.approx(2.0 * motion.t[inside], abs=1e-6)
    after = motion.t > 0.25 + np.pi / omega + h
    assert q[after] == pytest.approx(0.5 - 2.0 * (motion.t[after] - 0.25 - np.pi / omega), abs=1e-4)


def test_a_motor_on_a_ball_turns_about_an_axis_of_the_first_body():
    rng = np.random.default_rng(9)
    m, J, _ = ball(rng, world=False)
    m.add(lv.Motor(m["ball"], 0.6, coordinate="turn_y"))
    motion = lv.simulate(m, lv.Livens(order=4), h=1e-2, until=1.0)
    assert motion.coordinate("ball") == pytest.approx(0.5 * 0.6 / J * motion.t[:, None] ** 2 * [0, 1, 0], abs=1e-6)
    assert motion.effort("ball")[-1].tolist() == [0.0, 0.6, 0.0]
    assert motion.work[-1] == pytest.approx(motion.energy[-1] - motion.energy[0], abs=1e-6)
    assert motion.work[-1] == pytest.approx(0.6 * motion.coordinate("ball")[-1, 1], abs=1e-6)


def universal_equations(J, k, c, rest, torque):
    """A rotor with moments J on a universal joint with axes x (fixed) and y (of the body): angles a, b by hand.

    ω in body axes is (ȧ cos b, ḃ, ȧ sin b); T = ½ (J₁ cos²b + J₃ sin²b) ȧ² + ½ J₂ ḃ².
    """

    def rates(t, y):
        a, b, va, vb = y
        mass = J[0] * np.cos(b) ** 2 + J[2] * np.sin(b) ** 2
        slope = 2.0 * (J[2] - J[0]) * np.sin(b) * np.cos(b)
        Qa = -k[0] * (a - rest[0]) - c[0] * va
        Qb = -k[1] * (b - rest[1]) - c[1] * vb + torque
        return [va, vb, (Qa - slope * va * vb) / mass, (Qb + 0.5 * slope * va**2) / J[1]]

    return rates


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("unit", [1.0, 1e-2])
def test_springs_dampers_and_a_motor_on_both_angles_of_a_universal_joint(reverse, unit):
    """Against the Lagrange equations of the two angles, integrated by DOP853; either body may be the world."""
    rng = np.random.default_rng(11)
    J = unit**2 * np.array([0.2, 0.5, 0.6])
    k, c = unit**2 * np.array([3.0, 5.0]), unit**2 * np.array([0.05, 0.1])
    rest, start, torque = np.array([0.2, -0.3]), np.array([0.5, 0.4]), 0.4 * unit**2
    R = rotation(rng)
    # at the angles (a, b) the body is turned by R_x(a) R_y(b) from the axes R
    turned = R @ Rotation.from_rotvec([start[0], 0, 0]).as_matrix() @ Rotation.from_rotvec([0, start[1], 0]).as_matrix()
    m = lv.Model()
    b = m.add(lv.Body(lv.MassProperties(1.0, tuple(J)), rotation=turned, name="rotor"))
    u = R[:, 0]
    w = R @ Rotation.from_rotvec([start[0], 0, 0]).as_matrix()[:, 1]
    ends, axes = (m.world.point(0, 0, 0), b.center), (u, w)
    given = {"start": start, "rest": rest, "stiffness": k, "damping": c}
    if reverse:  # the second body is the world: angles about w of the rotor, then u, with the opposite sign
        ends, axes = ends[::-1], axes[::-1]
        given = {name: x[::-1] * (-1 if name in ("start", "rest") else 1) for name, x in given.items()}
    joint = m.add(lv.Universal(*ends, *axes, **{name: tuple(x) for name, x in given.items()}, name="cross"))
    m.add(lv.Motor(joint, -torque if reverse else torque, coordinate="angle_a" if reverse else "angle_b"))
    motion = lv.simulate(m, lv.Livens(), h=5e-4, until=1.0, every=100)
    exact = solve_ivp(universal_equations(J, k, c, rest, torque), (0, 1), [*start, 0, 0], "DOP853", t_eval=motion.t,
                      rtol=1e-11, atol=1e-12).y.T  # fmt: skip
    q, v = motion.coordinate("cross"), motion.rate("cross")
    if reverse:
        q, v = -q[:, ::-1], -v[:, ::-1]
    assert q == pytest.approx(exact[:, :2], abs=2e-6)
    assert v == pytest.approx(exact[:, 2:], abs=2e-5)
    V = 0.5 * ((exact[:, :2] - rest) ** 2 @ k)
    assert motion.potential == pytest.approx(V, abs=1e-5 * unit**2)


@pytest.mark.parametrize("unit", [1.0, 1e2])
def test_springs_and_limits_on_a_planar_joint(unit):
    """Two displacements and an angle with the centre of mass on the point: three oscillators of their own."""
    rng = np.random.default_rng(13)
    R = rotation(rng)
    m = lv.Model()
    b = m.add(lv.Body(lv.MassProperties(2.0, tuple(unit**2 * np.array([0.3, 0.4, 0.5]))), at=unit * R @ [0.1, 0.2, 0],
                      rotation=R, name="puck"))  # fmt: skip
    start, rest = np.array([0.3 * unit, -0.2 * unit, 0.7]), np.array([0.1 * unit, 0.0, -5.0])
    k = np.array([20.0, 50.0, 3.0 * unit**2])
    m.add(lv.Planar(m.world.point(0, 0, 0), b.center, normal=R[:, 2], start=tuple(start), rest=tuple(rest),
                    stiffness=tuple(k), name="table"))  # fmt: skip
    motion = lv.simulate(m, lv.Livens(order=4), h=2e-3, until=0.5)
    omega = np.sqrt(k / np.array([2.0, 2.0, 0.5 * unit**2]))
    expected = rest + (start - rest) * np.cos(np.outer(motion.t, omega))
    assert motion.coordinate("table") == pytest.approx(expected, abs=1e-6 * unit)
    assert motion.energy == pytest.approx(motion.energy[0], rel=1e-6)
    m["table"].limits = (None, None, np.array([0.0, 1.0]))
    m["table"].stiffness, m["table"].limit_stiffness = (0.0, 0.0, 0.0), (1e5, 1e5, 400.0 * unit**2)
    b.body_rates = np.array([0.0, 0.0, 2.0])
    turned = lv.simulate(m, lv.Livens(), h=2e-4, until=0.3).coordinate("table")[:, 2]
    assert turned.max() == pytest.approx(1.0 + 2.0 / np.sqrt(400.0 / 0.5), abs=1e-4)


def test_both_coordinates_of_a_cylindrical_joint():
    m = lv.Model()
    b = m.add(lv.Body(lv.MassProperties(2.0, (0.3, 0.4, 0.5)), at=(0, 0, 3), name="b"))
    m.add(lv.Cylindrical(m.world.point(0, 0, 0), b.center, axis=(0, 0, 1), start=(0.4, -0.2), stiffness=(3.0, 50.0),
                         damping=(0.0, 0.7), name="pin"))  # fmt: skip
    motion = lv.simulate(m, lv.Livens(), h=1e-3, until=0.6)
    angle, moved = motion.coordinate("pin").T
    assert angle == pytest.approx(0.4 * np.cos(np.sqrt(6.0) * motion.t), abs=1e-5)
    rate, omega = 0.7 / 4.0, np.sqrt(25.0 - (0.7 / 4.0) ** 2)
    decay = np.exp(-rate * motion.t) * (np.cos(omega * motion.t) + rate / omega * np.sin(omega * motion.t))
    assert moved == pytest.approx(-0.2 * decay, abs=1e-5)


@pytest.mark.filterwarnings("ignore:the initial velocities")
def test_symmetries_end_where_a_spring_acts():
    """What the report calls conserved: a spring on the angle about the world's axis ends the symmetry."""
    from livens.analysis.conserved import conserved

    def kept(make):
        m = lv.Model()
        b = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.2, 0.25)), angular_velocity=(0.3, 0.5, 0.2), name="b"))
        m.add(make(m.world.point(0, 0, 0), b.center))
        found = conserved(m)
        motion = lv.simulate(m, lv.Livens(), h=1e-3, until=0.3)
        L = motion.angular_momentum @ found.angular_momentum.directions.T
        assert np.ptp(L, axis=0) == pytest.approx(0.0, abs=1e-10)
        return len(found.angular_momentum.directions)

    x, y = (1, 0, 0), (0, 1, 0)
    assert kept(lambda a, b: lv.Spherical(a, b)) == 3
    assert kept(lambda a, b: lv.Spherical(a, b, stiffness=2.0)) == 0
    assert kept(lambda a, b: lv.Universal(a, b, x, y)) == 1
    assert kept(lambda a, b: lv.Universal(a, b, x, y, stiffness=(0.0, 2.0))) == 1
    assert kept(lambda a, b: lv.Universal(a, b, x, y, stiffness=(2.0, 0.0))) == 0
    assert kept(lambda a, b: lv.Planar(a, b, (0, 0, 1))) == 1
    assert kept(lambda a, b: lv.Planar(a, b, (0, 0, 1), damping=(0.0, 0.0, 1.0))) == 0
