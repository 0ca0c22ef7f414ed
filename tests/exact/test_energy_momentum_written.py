"""lv.EnergyMomentum with constraints, forces and energies that users write: exact balances in any orientation and unit,
order two, and the motions of built-in things where there are some."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv

pytest.importorskip("casadi")

pytestmark = pytest.mark.filterwarnings("ignore:the initial velocities did not satisfy")

SCHEME = lv.EnergyMomentum()
UNITS = [(1.0, 1.0, 1.0), (1e-3, 1e-6, 1e-2), (1e4, 1e9, 60.0)]  # of length, mass and time


def worst(values):
    return float(np.abs(values - values[0]).max())


def balance(motion):
    return motion.energy - motion.work + motion.dissipated


def scale(motion):
    return float(np.abs(motion.kinetic).max())


def pair(seed, unit=UNITS[0], world=False):
    """Two boxes that turn together, in a random orientation, and the vectors from one to the other."""
    length, mass, second = unit
    random = np.random.default_rng(seed)
    R = Rotation.random(random_state=random).as_matrix()
    m = lv.Model(gravity=length / second**2 * R @ (0, 0, -9.81) if world else (0, 0, 0))
    omega, v, bodies = random.normal(size=3) / second, 0.3 * random.normal(size=3) * length / second, []
    for name, x, size in (("one", (0, 0, 0), (0.5, 0.3, 0.2)), ("two", (1.0, 0.2, 0.1), (0.4, 0.35, 0.2))):
        x, size = length * R @ x, length * np.array(size)
        shape = lv.Box(*size, mass=mass * random.uniform(1, 3))
        Q = Rotation.random(random_state=random).as_matrix()
        at = {"at": x, "rotation": Q, "velocity": v + np.cross(omega, x), "angular_velocity": omega}
        bodies.append(m.add(lv.Body(shape, name=name, **at)))
    m.add(lv.Spring(bodies[0].center, bodies[1].center, stiffness=30 * mass / second**2, length=0.8 * length))
    return m, *bodies


def linked(seed, unit=UNITS[0], world=False, written=True, pull=0.0):
    """The distance of two points, and the product of two directions, are constant; or the distance grows by `pull`."""
    m, one, two = pair(seed, unit, world)
    p, q = unit[0] * np.array((0.2, 0.1, 0)), unit[0] * np.array((0.1, -0.1, 0.1))
    apart = float(np.linalg.norm(two.pose.a + two.pose.B @ q - one.pose.a - one.pose.B @ p))
    product = float((one.pose.B @ (1, 0, 0)) @ (two.pose.B @ (0, 1, 0)))

    def equations(s, t):
        d = s[two].point(*q) - s[one].point(*p)
        more = pull * unit[0] * lv.sin(3 * t / unit[2]) ** 2
        return [lv.norm(d) - apart - more, lv.dot(s[one].direction(1, 0, 0), s[two].direction(0, 1, 0)) - product]

    if written:
        fn = equations if pull else lambda s: equations(s, 0.0)
        m.add(lv.Constraint(fn, bodies=[one, two], name="link"))
    else:
        m.add(lv.Rod(one.point(*p), two.point(*q), name="link"))
    if world:
        m.add(lv.Spherical(m.world.point_at(*one.pose.a), one.point(0, 0, 0), name="pin"))
    return m


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seed", range(3))
def test_written_constraints_conserve_everything(seed, unit):
    length, mass, second = unit
    m = linked(seed, unit)
    motion = lv.simulate(m, SCHEME, h=0.02 * second, until=2.0 * second)
    speed = np.sqrt(2 * scale(motion) / mass)
    assert worst(motion.energy) <= 1e-13 * scale(motion)
    assert worst(motion.momentum) <= 1e-13 * mass * speed
    assert worst(motion.angular_momentum) <= 1e-13 * mass * speed * length
    assert motion.defect_position.max() <= 1e-14 * max(1.0, length)
    assert motion.defect_velocity.max() <= 1e-12 * max(1.0, speed)
    assert motion.iterations < 6.0


@pytest.mark.parametrize("seed", range(2))
def test_a_written_rod_moves_as_a_rod(seed):
    p, q = (0.2, 0.1, 0), (0.1, -0.1, 0.1)
    motions = []
    for built_in in (True, False):
        m, one, two = pair(10 + seed, world=True)
        if built_in:
            m.add(lv.Rod(one.point(*p), two.point(*q), name="link"))
        else:
            apart = float(np.linalg.norm(two.pose.a + two.pose.B @ q - one.pose.a - one.pose.B @ p))
            fn = lambda s, a=one, b=two, d=apart: lv.norm(s[b].point(*q) - s[a].point(*p)) - d  # noqa: E731
            m.add(lv.Constraint(fn, bodies=[one, two], name="link"))
        motions.append(lv.simulate(m, SCHEME, h=0.01, until=1.0))
    rod, formula = motions
    assert np.abs(rod.position("two") - formula.position("two")).max() < 1e-12
    assert np.abs(rod.reaction("link") - formula.reaction("link")).max() < 1e-9


@pytest.mark.parametrize("unit", UNITS)
def test_constraints_that_depend_on_time_do_the_work_that_is_booked(unit):
    motion = lv.simulate(linked(4, unit, pull=0.1), SCHEME, h=0.02 * unit[2], until=2.0 * unit[2])
    assert np.ptp(motion.work) > 0.02 * scale(motion)
    assert worst(balance(motion)) <= 1e-13 * scale(motion)


def errors_of(make, steps, until=0.4):
    m = make()
    exact = lv.simulate(m, lv.Livens(), h=2e-4, until=until)
    fine = lv.simulate(m, lv.Livens(), h=1e-4, until=until)
    at = (4 * fine.position("two")[-1] - exact.position("two")[-1]) / 3  # extrapolated
    return [np.abs(lv.simulate(m, SCHEME, h=h, until=until).position("two")[-1] - at).max() for h in steps]


def pushed(seed=5, unit=UNITS[0]):
    """Drag, a follower force, a torque and a force that depends on another body, on a linked pair."""
    length, mass, second = unit
    m = linked(seed, unit, world=True)
    one, two = m["one"], m["two"]
    c, f, k = 2 * mass / second, mass * length / second**2, mass / second**2

    def force(b, t):
        drag = -c * (1 + lv.sin(t / second)) * b[two].velocity((0.1 * length, 0, 0))
        return drag + f * b[two].direction(1, 0, 0) - k * b[one].position

    def torque(b, t):
        w = b[two].angular_velocity
        return -0.1 * c * length**2 * w * lv.norm(w) * second + 0.3 * f * length * b[one].direction(0, 0, 1)

    m.add(lv.Force(two.point(0.1 * length, 0.1 * length, 0), force, bodies=[one, two], torque=torque, name="push"))
    return m


def timed():
    """An energy that depends on time, of relative positions, and one in space."""
    m = linked(6, world=True)
    one, two = m["one"], m["two"]

    def energy(b, t):
        d = b[two].point(0.1, 0, 0) - b[one].point(0, 0.1, 0)
        return (3 + lv.sin(5 * t)) * lv.norm(d) ** 3 + t * lv.dot(b[one].direction(1, 0, 0), d)

    m.add(lv.Energy(energy, bodies=[one, two], name="between"))
    m.add(lv.Energy(lambda b, t: lv.cos(3 * t) * b[two].position[0] ** 4, bodies=[two], name="in space"))
    return m


CASES = {
    "constraint": lambda: linked(3, world=True),
    "constraint and time": lambda: linked(3, world=True, pull=0.2),
    "forces": pushed,
    "energies and time": timed,
}


@pytest.mark.parametrize("case", CASES)
def test_order_two(case):
    one, two = errors_of(CASES[case], (4e-3, 2e-3))
    assert two > 1e-9
    assert np.log2(one / two) == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("case", CASES)
def test_the_balance_is_exact_at_long_steps(case):
    motion = lv.simulate(CASES[case](), SCHEME, h=0.01, until=2.0)
    assert worst(balance(motion)) <= 2e-13 * max(scale(motion), np.ptp(motion.work))
    assert motion.iterations < 7.0  # bodies turn by up to 0.25 rad in a step


@pytest.mark.parametrize("unit", UNITS[1:])
def test_forces_in_other_units(unit):
    one = lv.simulate(pushed(), SCHEME, h=0.02, until=1.0)
    other = lv.simulate(pushed(unit=unit), SCHEME, h=0.02 * unit[2], until=1.0 * unit[2])
    assert np.abs(other.position("two") / unit[0] - one.position("two")).max() < 1e-11


def test_it_is_symmetric():
    m = linked(8, world=True)
    start = lv.simulate(m, lv.Livens(), h=1e-2, until=0.1).state
    there = lv.simulate(m, SCHEME, h=1e-2, until=0.3, start=start).state
    back = there._replace(p=-there.p, L=-there.L, memory=np.zeros(0))
    again = lv.simulate(m, SCHEME, h=1e-2, until=0.3, start=back).state
    assert np.abs(again.a - start.a).max() < 1e-12
    assert np.abs(again.p + start.p).max() < 1e-11


@pytest.mark.parametrize("steps", [0.1, 10.0])
def test_drag_is_the_trapezoidal_rule(steps):
    """m v̇ = −c v: v decreases by (2 − h c/m)/(2 + h c/m) per step, for any hc/m."""
    R = Rotation.random(random_state=2).as_matrix()
    m = lv.Model()
    ball = m.add(lv.Body(lv.Ball(0.1, mass=2.0), velocity=R[:, 0], angular_velocity=3 * R[:, 1], name="ball"))
    h, c = 0.05, 2.0 * steps / 0.05
    spin = 0.4 * 2.0 * 0.1**2 * steps / h
    m.add(
        lv.Force(
            ball.center, lambda b: -c * b[ball].velocity((0, 0, 0)), torque=lambda b: -spin * b[ball].angular_velocity
        )
    )
    motion = lv.simulate(m, SCHEME, h=h, until=20 * h)
    left = ((2 - steps) / (2 + steps)) ** np.arange(21)
    assert np.abs(motion.velocity(ball) - left[:, None] * R[:, 0]).max() < 1e-13
    assert np.abs(motion.angular_velocity(ball) - 3 * left[:, None] * R[:, 1]).max() < 1e-12
    assert worst(balance(motion)) < 1e-14


def test_a_point_mass_in_a_bowl():
    """A body without inertia; its constraint is a polynomial in space."""
    R = Rotation.random(random_state=4).as_matrix()
    m = lv.Model(gravity=R @ (0, 0, -9.81))
    bead = m.add(lv.Body(lv.PointMass(0.1), at=R @ (1, 0, 1), velocity=R @ (0, 0.5, 0), name="bead"))

    def bowl(b):
        x = [lv.dot(R[:, k], b[bead].position) for k in range(3)]
        return x[2] - x[0] ** 2 - x[1] ** 2

    m.add(lv.Constraint(bowl, bodies=[bead], name="bowl"))
    motion = lv.simulate(m, SCHEME, h=0.02, until=20.0)
    L = motion.angular_momentum @ R[:, 2]  # about the axis of the bowl
    assert worst(motion.energy) <= 1e-14
    assert worst(L) <= 1e-14
    assert motion.defect_position.max() <= 1e-14


@pytest.mark.parametrize(
    "options", [{"shearable": False}, {"extensible": False}, {"shearable": False, "extensible": False}]
)
def test_beams_whose_strains_are_constraints(options):
    """Kirchhoff and inextensible beams that float: exact at hω from 3 to 12 with ω their largest frequency."""
    R = Rotation.random(random_state=5).as_matrix()
    m = lv.Model()
    curve = lambda s: R @ (np.cos(2 * s), np.sin(2 * s), 0.3 * s)  # noqa: E731
    stiffnesses = (4e4, 5e4, 9e4, 3.0, 4.0, 5.0)
    beam = m.add(lv.Beam(curve, 6, stiffnesses=stiffnesses, mass_per_length=1.0, up=R[:, 2], **options))
    beam.start.velocity = R @ (0.4, -0.2, 0.3)
    motion = lv.simulate(m, SCHEME, h=5e-3, until=0.5)
    assert worst(motion.energy) <= 1e-11 * motion.energy[0]
    assert worst(motion.momentum) <= 1e-13
    assert worst(motion.angular_momentum) <= 1e-13
    assert motion.defect_position.max() <= 1e-14


def test_resuming_is_exact_to_the_bit(tmp_path):
    m = pushed()
    whole = lv.simulate(m, SCHEME, h=0.01, until=0.4)
    lv.simulate(m, SCHEME, h=0.01, until=0.2).save(tmp_path / "half.nc")
    rest = lv.resume(lv.load(tmp_path / "half.nc"), until=0.4)
    assert np.array_equal(rest.record.a, whole.record.a)
    assert np.array_equal(rest.record.account, whole.record.account)
    assert np.array_equal(lv.prepare(m, SCHEME, h=0.01)(0.4).record.L, whole.record.L)
