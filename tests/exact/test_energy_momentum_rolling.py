"""lv.EnergyMomentum with rolling discs and balls, and blades: energy exact, no slip, order two, in any orientation."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv

pytestmark = pytest.mark.filterwarnings("ignore:the initial velocities did not satisfy")

SCHEME = lv.EnergyMomentum()
UNITS = [(1.0, 1.0, 1.0), (1e-3, 1e-6, 1e-2), (1e4, 1e9, 60.0)]  # of length, mass and time


def worst(values):
    return float(np.abs(values - values[0]).max())


def disc(seed, unit=UNITS[0], ground=None):
    """A thin disc that wobbles as it rolls, on the world or on the top of a body."""
    length, mass, second = unit
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model(gravity=R @ (0, 0, -9.81) * length / second**2)
    B, r = Rotation.from_euler("x", np.pi / 2 + 0.4).as_matrix(), 0.1
    axis, up = B[:, 2], np.array((0.0, 0.0, 1.0))
    s = up @ axis
    rho = -r * (up - s * axis) / np.sqrt(1 - s * s)  # from the centre to the contact
    omega = 5 * axis + 0.7 * up
    matter = lv.MassProperties(mass, np.array((0.0025, 0.0025, 0.005)) * mass * length**2)
    wheel = m.add(
        lv.Body(
            matter, at=-length * R @ rho, rotation=R @ B, velocity=R @ np.cross(omega, -rho) * length / second,
            angular_velocity=R @ omega / second, name="wheel",
        )
    )  # fmt: skip
    m.add(lv.RollingDisc(m.world.point(0, 0, 0), wheel.center, normal=R @ up, axis=R @ axis, radius=r * length))
    return m


def ball_on_plate(seed, unit=UNITS[0], free=True):
    """A ball that rolls on a plate, which floats freely or turns about a fixed point; a spring between them."""
    length, mass, second = unit
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model(gravity=(0, 0, 0) if free else R @ (0, 0, -9.81) * length / second**2)
    box = lv.Box(length, length, 0.1 * length, mass=3 * mass)
    omega = R @ (0.3, -0.2, 1.0) / second
    plate = m.add(lv.Body(box, rotation=R, angular_velocity=omega, name="plate"))
    x = length * R @ (0.2, 0.1, 0.15)
    about = {"velocity": np.cross(omega, x), "angular_velocity": omega + R @ (2.0, 1.0, 0.5) / second}
    ball = m.add(lv.Body(lv.Ball(0.1 * length, mass=mass), at=x, rotation=R, name="wheel", **about))
    m.add(lv.RollingBall(plate.point(0, 0, 0.05 * length), ball.center, normal=R[:, 2], radius=0.1 * length))
    spring = {"stiffness": 20 * mass / second**2, "length": 0.1 * length}
    m.add(lv.Spring(plate.point(0, 0, 0.2 * length), ball.point(0, 0.05 * length, 0), **spring))
    if not free:
        m.add(lv.Spherical(m.world.point(0, 0, 0), plate.point(0, 0, 0)))
    return m


def sleigh(seed, unit=UNITS[0]):
    """A blade on a body that slides on a plane."""
    length, mass, second = unit
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model()
    motion = {"velocity": R @ (0.7, 0.2, 0) * length / second, "angular_velocity": R @ (0, 0, 2.0) / second}
    b = m.add(lv.Body(lv.Box(length, 0.5 * length, 0.1 * length, mass=mass), rotation=R, name="wheel", **motion))
    m.add(lv.Planar(m.world.point(0, 0, 0), b.center, normal=R[:, 2]))
    m.add(lv.KnifeEdge(m.world.point(0, 0, 0), b.point(-0.3 * length, 0, 0), across=R[:, 1]))
    return m


CASES = {
    "disc": disc,
    "ball on a floating plate": ball_on_plate,
    "ball on a plate": lambda seed, unit=UNITS[0]: ball_on_plate(seed, unit, free=False),
    "sleigh": sleigh,
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("case", CASES)
def test_energy_is_exact_and_nothing_slips(case, unit):
    length, mass, second = unit
    motion = lv.simulate(CASES[case](3, unit), SCHEME, h=0.01 * second, until=1.0 * second)
    scale = np.ptp(motion.potential) + np.abs(motion.kinetic).max()
    assert worst(motion.energy) <= 1e-13 * scale
    assert motion.defect_position.max() <= 1e-14 * max(1.0, length)
    assert motion.defect_velocity.max() <= 1e-12 * max(length, 1.0) / min(second, 1.0)
    if case == "ball on a floating plate":
        speed = np.sqrt(2 * np.abs(motion.kinetic).max() / mass)
        assert worst(motion.momentum) <= 1e-13 * mass * speed
        assert worst(motion.angular_momentum) <= 1e-13 * mass * speed * length


@pytest.mark.parametrize("case", CASES)
def test_order_two_in_any_orientation(case):
    """Against a scheme of order 8; another orientation gives the same positions."""
    m, errors = CASES[case](5), []
    exact = lv.simulate(m, lv.RungeKutta(8), h=1e-3, until=0.4).position("wheel")[-1]
    for h in (5e-3, 2.5e-3):
        end = lv.simulate(m, SCHEME, h=h, until=0.4).position("wheel")[-1]
        errors.append(np.abs(end - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
    turn = Rotation.random(random_state=6).as_matrix() @ Rotation.random(random_state=5).as_matrix().T
    other = lv.simulate(CASES[case](6), SCHEME, h=h, until=0.4).position("wheel")[-1]
    assert np.abs(other - turn @ end).max() < 1e-12


@pytest.mark.parametrize("case", CASES)
def test_it_is_symmetric(case):
    start = lv.simulate(CASES[case](8), lv.Livens(), h=1e-2, until=0.1).state
    there = lv.simulate(CASES[case](8), SCHEME, h=1e-2, until=0.3, start=start).state
    back = there._replace(p=-there.p, L=-there.L, memory=np.zeros(0))
    again = lv.simulate(CASES[case](8), SCHEME, h=1e-2, until=0.3, start=back).state
    assert np.abs(again.a - start.a).max() < 1e-11
    assert np.abs(again.L + start.L).max() < 1e-11


def test_steady_rolling_of_a_ball_is_exact():
    """On an inclined plane the centre of a ball has the acceleration 5/7 g sin α: a step of order 2 is exact."""
    R = Rotation.random(random_state=9).as_matrix()
    m = lv.Model(gravity=R @ (3.0, 0, -9.0))
    ball = m.add(lv.Body(lv.Ball(0.1, mass=2.0), at=R @ (0, 0, 0.1), name="ball"))
    m.add(lv.RollingBall(m.world.point(0, 0, 0), ball.center, normal=R[:, 2], radius=0.1))
    motion = lv.simulate(m, SCHEME, h=0.01, until=0.5)
    x = motion.position(ball) @ R
    assert np.abs(x[:, 0] - 0.5 * 5 / 7 * 3.0 * motion.t**2).max() < 1e-13


@pytest.mark.parametrize("case", ["disc", "sleigh"])
def test_long_motions(case):
    """No drift over 20,000 steps."""
    motion = lv.simulate(CASES[case](2), SCHEME, h=0.01, until=200.0, every=100)
    assert worst(motion.energy) <= 1e-12 * np.abs(motion.energy[0])
    assert motion.defect_position.max() <= 1e-14
