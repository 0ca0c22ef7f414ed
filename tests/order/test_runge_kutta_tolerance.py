"""Explicit Runge–Kutta with a tolerance: errors follow it, in any unit and orientation, and steps follow the motion."""

import numpy as np
import pytest
from scipy.integrate._ivp import dop853_coefficients
from scipy.spatial.transform import Rotation

import livens as lv
from livens.step.tableaus import FIFTH, THIRD
from tests.helpers import mechanisms


def test_the_estimates_are_the_published_ones():
    """SciPy has the same coefficients, and each formula of order p has Σ Eᵢ cᵢᵏ = 0 for k < p."""
    c = lv.RungeKutta().tableau[:-1].sum(axis=1)
    for ours, theirs, order in ((FIFTH, dop853_coefficients.E5, 5), (THIRD, dop853_coefficients.E3, 3)):
        row = np.zeros(12)
        row[list(ours)] = list(ours.values())
        assert np.array_equal(row, theirs[:12])
        for k in range(order):
            assert abs(row @ c**k) < 1e-14


def pendulum(length=1.0, second=1.0, turn=None, spin=0.3):
    """A double pendulum of two rods on ball joints, in units of length and time, and turned as a whole."""
    turn = np.eye(3) if turn is None else turn
    m = lv.Model(gravity=turn @ (0, 0, -9.81) * length / second**2)
    last = m.world.point(0, 0, 0)
    for k in range(2):
        shape = lv.MassProperties(1.0, np.diag((1e-3, 1 / 12, 1 / 12)) * length**2)
        rates = turn @ (spin, 0.0, 0.0) / second
        at = turn @ (k + 0.5, 0.0, 0.0) * length
        rod = m.add(lv.Body(shape, at=at, rotation=turn, angular_velocity=rates, name=f"rod {k}"))
        m.add(lv.Spherical(last, rod.point(-0.5 * length, 0, 0), name=f"ball {k}"))
        last = rod.point(0.5 * length, 0, 0)
    return m


def ends(model, scheme, h, until):
    motion = lv.simulate(model, scheme, h=h, until=until)
    return np.array([motion.position(body)[-1] for body in model.bodies[1:]])


def test_errors_follow_the_tolerance():
    exact = ends(pendulum(), lv.RungeKutta(), 1 / 200, 1.0)
    errors = [np.abs(ends(pendulum(), lv.RungeKutta(8, t), 0.5, 1.0) - exact).max() for t in (1e-5, 1e-7, 1e-9, 1e-11)]
    for error, tolerance in zip(errors, (1e-5, 1e-7, 1e-9, 1e-11), strict=True):
        assert error < 10 * tolerance
    assert errors[0] > errors[1] > errors[2] > errors[3]


@pytest.mark.parametrize("seed", range(4))
def test_any_unit_and_orientation(seed):
    """The same motion in other units, turned: the lengths of the parts and the ends agree to round-off that is
    amplified by the motion."""
    rng = np.random.default_rng(seed)
    length, second = 2.0 ** rng.integers(-12, 12, 2)
    turn = Rotation.random(random_state=rng).as_matrix()
    plain = ends(pendulum(), lv.RungeKutta(tolerance=1e-8), 0.5, 1.0)
    other = ends(pendulum(length, second, turn), lv.RungeKutta(tolerance=1e-8), 0.5 * second, 1.0 * second)
    assert np.abs(other @ turn / length - plain).max() < 1e-9
    exact = ends(pendulum(length, second, turn), lv.RungeKutta(), second / 200, second)
    assert np.abs(other - exact).max() < 1e-7 * length


def comet(e=0.9):
    """A light body on an ellipse of eccentricity e about a heavy one; the half axis is 1 and the period 2π."""
    m = lv.Model()
    m.add(lv.Body(lv.Ball(0.01, mass=1.0), name="sun"))
    speed = np.sqrt((1 - e) / (1 + e))
    m.add(lv.Body(lv.Ball(1e-3, mass=1e-12), at=(1 + e, 0, 0), velocity=(0, speed, 0), name="comet"))
    m.add(lv.Attraction(G=1.0))
    return m


def test_a_comet_is_followed_through_its_pericentre():
    """The closed form: after a period the comet is where it began. A fixed step of the mean length is far off."""
    there = ends(comet(), lv.RungeKutta(tolerance=1e-11), np.pi / 2, 2 * np.pi)[1]
    assert np.abs(there - (1.9, 0, 0)).max() < 1e-7
    motion = lv.simulate(comet(), lv.RungeKutta(tolerance=1e-11), h=2 * np.pi / 64, until=2 * np.pi)
    r = np.linalg.norm(motion.position("comet"), axis=1)
    assert r.min() == pytest.approx(0.1, abs=1e-6)


def test_turns_of_joints_are_counted_within_a_long_step():
    """A wheel that turns 40 times between two states."""
    m = lv.Model()
    wheel = m.add(lv.Body(lv.Cylinder(0.5, 0.1, mass=1.0), angular_velocity=(0, 0, 80 * np.pi), name="wheel"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=(0, 0, 1), stiffness=1e-9, name="counted"))
    free = m.add(lv.Body(lv.Cylinder(0.5, 0.1, mass=1.0), at=(3, 0, 0), angular_velocity=(0, 0, -80 * np.pi)))
    m.add(lv.Revolute(m.world.point(3, 0, 0), free.point(0, 0, 0), axis=(0, 0, 1), name="free"))
    motion = lv.simulate(m, lv.RungeKutta(tolerance=1e-9), h=1.0, until=2.0)
    assert motion.coordinate("counted") == pytest.approx([0, 80 * np.pi, 160 * np.pi], abs=1e-5)
    assert motion.coordinate("free") == pytest.approx([0, -80 * np.pi, -160 * np.pi], abs=1e-5)


@pytest.mark.parametrize("build", [mechanisms.crank_rocker, lambda: mechanisms.chain(3), mechanisms.damped])
def test_resumed_runs_have_the_same_bits_and_the_energy_balance_holds(build, tmp_path):
    """The length of the next part is carried; the work and the loss of repeated parts are not booked."""
    scheme = lv.RungeKutta(tolerance=1e-9)
    whole = lv.simulate(build(), scheme, h=0.1, until=0.4)
    half = lv.simulate(build(), scheme, h=0.1, until=0.2)
    half.save(tmp_path / "half.nc")
    for begun in (half, lv.load(tmp_path / "half.nc")):
        resumed = lv.resume(begun, until=0.4)
        assert all(np.array_equal(x, y) for x, y in zip(resumed.state, whole.state, strict=True))
    balance = whole.energy - whole.energy[0] + whole.dissipated
    assert np.abs(balance).max() < 1e-6 * max(1.0, np.abs(whole.energy).max(), np.abs(whole.kinetic).max())
    assert whole.defect_position.max() < 1e-12


def test_what_has_no_tolerance_is_refused():
    m = lv.Model()
    body = m.add(lv.Body(lv.Ball(0.1, mass=1.0), name="ball"))
    m.add(lv.Load(body.center, force=lambda t: (np.sin(t), 0.0, 0.0)))
    with pytest.raises(lv.ModelError, match="functions of time"):
        lv.simulate(m, lv.RungeKutta(tolerance=1e-9), h=0.1, until=1.0)
    for wrong in (-1e-3, 1.0, np.nan, "small"):
        with pytest.raises(lv.ModelError, match="a number from 0 to 1"):
            lv.RungeKutta(tolerance=wrong)
    with pytest.raises(lv.ModelError, match="order 8"):
        lv.RungeKutta(4, tolerance=1e-6)


def test_a_tolerance_that_no_step_satisfies_is_named():
    """Two bodies fall onto each other: their attraction grows without bound at t = π/4 √2."""
    m = lv.Model()
    for x in (0.0, 1.0):
        m.add(lv.Body(lv.Ball(0.1, mass=0.5), at=(x, 0, 0)))
    m.add(lv.Attraction(G=1.0))
    with pytest.raises(lv.StepFailed, match="cannot satisfy its tolerance") as failed:
        lv.simulate(m, lv.RungeKutta(tolerance=1e-9), h=0.01, until=2.0)
    assert failed.value.trajectory.t[-1] == pytest.approx(np.pi / 4 * np.sqrt(2), abs=0.01)
