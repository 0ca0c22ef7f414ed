"""Arguments with numbers as defaults are numbers of a formula with names: in sensitivities, prepared runs and files."""

import math

import numpy as np
import pytest

import livens as lv
from livens.run.parameters import Numbers
from livens.scene import to_dict


def bead():
    """A bead in a well ½ k r² with a drag −c v and a wire z = s t, all written as functions."""
    m = lv.Model()
    ball = m.add(lv.Body(lv.PointMass(0.5), at=(0.3, 0.2, 0), velocity=(0, 1, 0), name="ball"))
    m.add(lv.Energy(lambda b, k=4.5: k * lv.dot(b[ball].position, b[ball].position) / 2, bodies=[ball], name="well"))
    m.add(lv.Force(ball.center, lambda b, c=0.2: -c * b[ball].velocity((0, 0, 0)), name="drag"))
    m.add(lv.Constraint(lambda b, t, s=0.4: b[ball].position[2] - s * t, bodies=[ball], name="lift"))
    return m


def damped(k, c, t):
    """x(t) of ½ ẍ + c ẋ + k x = 0 from 0.3, and y(t) from 0.2 with the rate 1."""
    d, w = c, np.sqrt(2 * k - c**2)
    x = 0.3 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))
    y = np.exp(-d * t) * (0.2 * np.cos(w * t) + (1 + 0.2 * d) / w * np.sin(w * t))
    return np.array([x, y])


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_derivatives_against_the_closed_form():
    m = bead()
    motion = lv.simulate(m, lv.RungeKutta(8), h=1e-2, until=1.0, every=100)
    names = ["forces.well.where.k", "forces.drag.where.c", "joints.lift.where.s"]
    found = lv.sensitivity(motion, lambda motion: motion.position("ball")[-1], names)
    e = 1e-4
    slopes = [(damped(4.5 + e, 0.2, 1.0) - damped(4.5 - e, 0.2, 1.0)) / (2 * e),
              (damped(4.5, 0.2 + e, 1.0) - damped(4.5, 0.2 - e, 1.0)) / (2 * e)]  # fmt: skip
    assert found[:2, :2] == pytest.approx(np.transpose(slopes), rel=1e-7)
    assert found[2] == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_prepared_runs_and_files(tmp_path):
    m = bead()
    document = to_dict(m)
    assert document["forces"]["well"]["where"]["k"] == 4.5
    assert "k*" in document["forces"]["well"]["formula"]
    other = lv.prepare(m, lv.RungeKutta(8), h=1e-2)(1.0, parameters={"forces.well.where.k": 7.0})
    assert other.position("ball")[-1, :2] == pytest.approx(damped(7.0, 0.2, 1.0), rel=1e-9)
    lv.write_scene(m, tmp_path / "bead.toml")
    again = lv.read_scene(tmp_path / "bead.toml").model()
    one, two = (lv.simulate(x, h=1e-2, until=0.3).position("ball") for x in (m, again))
    assert np.array_equal(one, two)
    assert Numbers(again).value("forces.drag.where.c")[0] == 0.2


def test_what_is_no_number_with_a_name():
    """Whole numbers, the time, arguments that are not used, exponents, and names that mean something else."""
    m = lv.Model()
    ball = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), name="ball"))

    def well(b, axis=0, unused=3.0, n=2.5, pi=4.0):
        return pi * b[ball].position[axis] ** n

    m.add(lv.Energy(well, bodies=[ball], name="well"))
    assert lv.dynamics(m).potential[0] == pytest.approx(4.0)
    assert m["well"].fn.names == ("n", "pi")
    stored = lv.prepare(m, h=1e-2)(0.1)
    again = lv.prepare(m, h=1e-2)(0.1, parameters={"bodies.ball.shape.mass": 1.0})
    assert np.array_equal(stored.position("ball"), again.position("ball"))
    with pytest.raises(lv.ModelError, match="n"):
        lv.sensitivity(stored, lambda motion: motion.energy[-1], ["forces.well.where.n"])


def test_two_functions_with_one_name_for_different_numbers():
    m = lv.Model()
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), body_rates=(0, 0, 1), velocity=(1, 0, 0), name="ball"))
    m.add(lv.Force(ball.center, lambda b, c=0.2: -c * b[ball].velocity((0, 0, 0)),
                   torque=lambda b, c=0.001: -c * b[ball].angular_velocity, name="drag"))  # fmt: skip
    table = to_dict(m)["forces"]["drag"]
    assert table["where"]["c"] == 0.2
    run = lv.prepare(m, h=1e-2)
    one, two = run(0.2), run(0.2, parameters={"bodies.ball.shape.mass": 1.0})
    assert np.array_equal(one.body_rates("ball"), two.body_rates("ball"))


def test_numbers_that_a_function_needs_as_numbers():
    """The coordinates of a point, functions of `math` and comparisons keep their numbers; others have names."""
    m = lv.Model()
    rod = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1.0), name="rod"))

    def well(b, k=3.0, reach=0.5, angle=0.2, sign=-1.0):
        up = 1.0 if sign > 0 else -1.0
        return k * up * math.cos(angle) * b[rod].point(reach, 0, 0)[0]

    m.add(lv.Energy(well, bodies=[rod], name="well"))
    assert m["well"].fn.names == ("k",)
    assert lv.dynamics(m).potential[0] == pytest.approx(-1.5 * math.cos(0.2))
