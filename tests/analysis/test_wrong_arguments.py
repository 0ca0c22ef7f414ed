"""Wrong arguments of derivatives, linearisation, control and optimisation: errors of one sentence."""

import numpy as np
import pytest

import livens as lv


@pytest.fixture(scope="module")
def given():
    m = lv.Model(gravity=(0, 0, -9.81))
    arm = m.add(lv.Body(lv.MassProperties(2.0, (0.3, 0.5, 0.6)), at=(0.5, 0, 0), name="arm"))
    fore = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.15, 0.2)), at=(1.5, 0, 0), name="fore"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Spherical(arm.point(0.5, 0, 0), fore.point(-0.5, 0, 0), name="ball"))
    m.add(lv.Motor(m["hinge"], 0.0, name="motor"))
    return m, lv.simulate(m, h=1e-2, until=0.1), lv.linearize(m, inputs=["hinge"])


def optimised(m, inputs=("hinge",), goal=None, **others):
    options = {"h": 0.01, "until": 0.4, "segments": 10} | others
    return lv.optimize_motion(m, list(inputs), {"hinge": 1.0} if goal is None else goal, **options)


def angle(motion):
    return motion.q[-1, 0]


def fitted(m, motion, **others):
    data = {"t": motion.t, "hinge": motion.coordinate("hinge")}
    return lv.fit(m, data, **{"vary": ["gravity.2"], "h": 1e-2} | others)


WRONG = {
    "a time that is a word": (lambda m, motion, lin: lv.JointSpace(m).bias([0] * 4, [0] * 4, "x"), "the time t"),
    "time of a linearisation": (lambda m, motion, lin: lv.linearize(m, t="x"), "the time t must be a number"),
    "state of another model": (lambda m, motion, lin: lv.mass_matrix(lv.Model(), motion.state), "has 0 bodies, not 2"),
    "state for a space": (lambda m, motion, lin: lv.JointSpace(lv.Model()).equations(motion.state), "0 bodies, not 2"),
    "state to read": (lambda m, motion, lin: lv.JointSpace(lv.Model()).read(motion.state), "0 bodies, not 2"),
    "planes": (lambda m, motion, lin: lv.Model(planar=["x"]), "planar must be"),
    "one input": (lambda m, motion, lin: lv.linearize(m, inputs=3), "inputs are a list"),
    "one output": (lambda m, motion, lin: lv.linearize(m, outputs=3), "outputs are a list"),
    "function of nothing": (lambda m, motion, lin: lv.linearize(m, outputs=[lambda: 3.0]), "function of the motion"),
    "work": (lambda m, motion, lin: lv.linearize(m, outputs=[lambda now: now.work[0]]), "sums over all steps"),
    "frequencies": (lambda m, motion, lin: lin.frequency_response([[1.0, 2.0]]), "omega must be"),
    "words": (lambda m, motion, lin: lin.bode("x"), "omega must be"),
    "negative frequencies": (lambda m, motion, lin: lin.bode([-1.0, 1.0]), "frequencies above zero"),
    "mode": (lambda m, motion, lin: lin.modes().motion("x"), "there are modes 0 to"),
    "amplitude": (lambda m, motion, lin: lin.modes().motion(0, amplitude="x"), "amplitude must be a number"),
    "nothing": (lambda m, motion, lin: lv.sensitivity(motion, lambda motion: None, ["gravity.2"]), "not None"),
    "a word": (lambda m, motion, lin: lv.adjoint(motion, of=lambda now: "x"), "a number or an array of numbers"),
    "no function": (lambda m, motion, lin: lv.Objective(m, 3, ["gravity.2"], h=0.01, until=0.1), "of is a function"),
    "one motor": (lambda m, motion, lin: lv.adjoint(motion, of=angle).inputs("motor"), "inputs of an adjoint"),
    "nothing to vary": (lambda m, motion, lin: fitted(m, motion, vary=None), "vary is a dictionary"),
    "deviation": (lambda m, motion, lin: fitted(m, motion, sigma="x"), "standard deviations are positive numbers"),
    "joint as a number": (lambda m, motion, lin: lv.optimize_motion(m, 3, {}, h=0.01, until=0.4), "inputs are a list"),
    "no joint": (lambda m, motion, lin: optimised(m, inputs=[]), "inputs are a list"),
    "word as a goal": (lambda m, motion, lin: optimised(m, goal={"hinge": "x"}), "the goal of hinge must be a number"),
    "half a segment": (lambda m, motion, lin: optimised(m, segments=2.5), "segments must be a whole number from 2"),
    "no segment": (lambda m, motion, lin: optimised(m, segments=0), "segments must be a whole number from 2"),
    "two weights": (lambda m, motion, lin: optimised(m, weights=[1, 2]), "weights must be"),
    "no weight": (lambda m, motion, lin: optimised(m, weights=0.0), "weights must be positive"),
    "two rates": (lambda m, motion, lin: optimised(m, rates=[1, 2]), "rates must be 4 numbers"),
    "no scheme": (lambda m, motion, lin: optimised(m, scheme=3), "lv.Livens or lv.RungeKutta"),
    "no iteration": (lambda m, motion, lin: optimised(m, most=0), "most must be a whole number from 1"),
    "limits": (lambda m, motion, lin: optimised(m, state_limits=3), "state_limits is a dictionary"),
    "inputs of a controller": (lambda m, motion, lin: lv.Controller(lambda t, now: [0.0], 3, rate=1.0), "are a list"),
    "sensor": (lambda m, motion, lin: lv.Sensor(m["hinge"])(3), "a sensor measures a motion"),
    "noise": (lambda m, motion, lin: lv.Sensor(m["ball"], noise=[1, 2])(motion[0]), "noise of a sensor has the shape"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(given, name):
    call, words = WRONG[name]
    with pytest.raises(lv.ModelError, match=words):
        call(*given)


def test_adjoint_without_inputs(given):
    _, motion, _ = given
    assert lv.adjoint(motion, of=angle).inputs([]).shape == (len(motion) - 1, 0)
    assert np.isfinite(lv.adjoint(motion, of=angle).start).all()


def test_the_numbers_of_a_formula_are_in_where():
    m = lv.Model()
    cart = m.add(lv.Body(lv.Ball(0.1, mass=1.0), velocity=(1, 0, 0), name="cart"))
    drive = lv.Expression("a*t", a=1.0)
    m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=(1, 0, 0), drive=drive, name="rail"))
    m.add(lv.Load(cart.center, force=(1, 0, 0), name="push"))
    motion = lv.simulate(m, h=1e-2, until=0.1)
    with pytest.raises(lv.ModelError, match=r"did you mean 'joints\.rail\.where\.a'"):
        lv.sensitivity(motion, angle, ["joints.rail.drive.a"])
    with pytest.raises(lv.ModelError, match=r"did you mean 'joints\.rail\.where\.a'"):
        lv.prepare(m, h=1e-2)(0.1, parameters={"joints.rail.drive.a": 2.0})
    assert lv.sensitivity(motion, lambda motion: motion.q[-1, 0], ["joints.rail.where.a"])[0] == pytest.approx(0.1)
