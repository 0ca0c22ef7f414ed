"""The adjoint against forward sensitivities, the tangent, and differences of whole runs."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

import livens as lv
from livens.analysis.parameter_nodes import ParameterNodes
from livens.compile.states import selected
from tests.analysis.test_sensitivity import NAMES, two_arms
from tests.analysis.test_tangent import by_differences, difference, random_mechanism, rotation
from tests.helpers import mechanisms


def readings(units):
    l, mass, t = units

    def of(motion):
        return float(motion.position("fore")[-1] @ (0.3, 1, -0.5) / l + motion.angular_velocity("arm")[-1, 1] * t)

    def running(motion):
        return float(motion.coordinate("shoulder")[0] ** 2 + motion.energy[0] / (mass * l**2 / t**2))

    return of, running


SCHEMES = {"Livens": lv.Livens(), "RungeKutta": lv.RungeKutta(4), "tolerance": lv.RungeKutta(tolerance=1e-7)}


@pytest.mark.parametrize(
    ("seed", "scheme"), [(0, "Livens"), (1, "Livens"), (2, "RungeKutta"), (3, "RungeKutta"), (0, "tolerance")]
)
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_sensitivities_forwards_and_backwards(seed, scheme):
    """Parameters of every kind and the length of the steps, with dampers, a load and an energy of the user, in random
    units: to 1e-9 of each, except for round-off of the largest. The last interval is shorter than the others."""
    m, units = two_arms(seed)
    of, running = readings(units)
    t = units[2]
    h = 5e-3 if scheme != "tolerance" else 3e-2
    motion = lv.simulate(m, SCHEMES[scheme], h=h * t, until=23 * h * t, every=5)
    back = lv.adjoint(motion, of=of, running=running)

    def whole(motion):
        return of(motion) + sum(running(motion[k : k + 1]) for k in range(len(motion)))

    names = [*NAMES, "h"]
    forwards, values = (
        lv.sensitivity(motion, of=whole, wrt=names),
        np.append(ParameterNodes(motion.compiled, NAMES).values, h),
    )
    round_off = 1e-12 * np.abs(forwards * values).max()
    assert back.parameters(names) * values == pytest.approx(forwards * values, rel=1e-9, abs=round_off)
    starts = [f"{kind}.{name}" for kind in "qv" for name in lv.JointSpace(m).names]
    forwards = lv.sensitivity(motion, of=whole, wrt=starts)
    assert back.start == pytest.approx(forwards, abs=1e-9 * np.abs(forwards).max())
    assert back.names == motion.tangent().names


@pytest.mark.parametrize("scheme", ["Livens", "RungeKutta"])
@pytest.mark.parametrize("build", [mechanisms.rolling_disc, mechanisms.bricard, mechanisms.driven, mechanisms.damped])
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_start_of_mechanisms(build, scheme):
    """Rolling, redundant loops, prescribed motions and every joint with dampers, where the tangent has its columns."""
    m = build()
    motion = lv.simulate(m, SCHEMES[scheme], h=5e-3, until=0.06, every=4)
    body = m.bodies[-1]
    back = lv.adjoint(motion, of=lambda now: now.position(body)[0] @ (1.0, 2.0, -0.5) + now.velocity(body)[0, 1])
    tangent = motion.tangent()
    expected = np.array([1.0, 2.0, -0.5]) @ tangent.position(body)[-1] + tangent.velocity(body)[-1, 1]
    assert back.start == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(3))
def test_gradients_of_random_mechanisms(seed):
    """A closed loop, user-written forces and energies, dampers and attraction in random units and orientations: the
    adjoint of Runge–Kutta along random changes of the start equals differences of whole runs."""
    m, t = random_mechanism(seed)
    motion = lv.simulate(m, lv.RungeKutta(4), h=5e-3 * t, until=0.1 * t, every=4)
    last, rng = selected(motion.record, -1), np.random.default_rng(seed)
    g = rng.normal(size=(len(last.a), 12))
    g /= np.abs(motion.tangent().local[-1]).max(axis=(0, 2)) + 1e-300

    def of(now):
        return float((g * difference(selected(now.record, -1), last)).sum())

    back, local = lv.adjoint(motion, of=of), motion.tangent().local
    for k in (0, local.shape[3] // 2, local.shape[3] - 1):
        slopes = [(g * by_differences(motion, local[0, :, :, k], e)).sum() for e in (1e-3, 3e-3)]
        assert min(abs(back.start[k] - slope) for slope in slopes) <= 1e-9 * np.abs(back.start).max()


@pytest.mark.parametrize("scheme", [lv.Livens(), lv.Livens(order=4), lv.RungeKutta(4)], ids=str)
def test_inputs_of_all_intervals(scheme):
    """A motor and a load in each of six intervals against differences of whole runs with a controller that adds to
    them."""

    def build(extra=None):
        m = lv.Model(gravity=(0, 0, -9.81))
        one = m.add(lv.Body(lv.Box(1, 0.2, 0.1, mass=1.0), at=(0.5, 0, 0), name="one"))
        two = m.add(lv.Body(lv.Box(1, 0.1, 0.2, mass=0.7), at=(1.5, 0, 0), name="two"))
        hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), one.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
        m.add(lv.Revolute(one.point(0.5, 0, 0), two.point(-0.5, 0, 0), axis=(0, 1, 0), name="elbow"))
        load = lv.Load(two.point(0.5, 0, 0), force=(0, 0, 2.0), torque=(0, 0.3, 0), axes="body", name="thrust")
        if extra is None:
            m.add(lv.Motor(hinge, 0.8, name="motor"))
            m.add(load)
        else:
            law = lambda t, now: [0.8 + extra[round(10 * t), 0], 1.0 + extra[round(10 * t), 1]]  # noqa: E731
            m.add(lv.Controller(law, inputs=[hinge, load], rate=10.0))
        return m

    def of(now):
        return float(now.position("two")[-1, 2] + 0.3 * now.rate("elbow")[-1])

    back = lv.adjoint(lv.simulate(build(), scheme, h=0.02, until=0.6, every=5), of=of).inputs(["motor", "thrust"])
    assert back.shape == (6, 2)
    for place in np.ndindex(6, 2):
        e = np.zeros((6, 2))
        e[place] = 1e-3
        ends = [of(lv.simulate(build(c * e), scheme, h=0.02, until=0.6)) for c in (-2, -1, 1, 2)]
        slope = np.dot([1, -8, 8, -1], ends) / 12e-3
        assert back[place] == pytest.approx(slope, abs=1e-9 * np.abs(back).max())


@pytest.mark.parametrize("scheme", [lv.Livens(), lv.Livens(order=4), lv.RungeKutta(4)], ids=str)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_accelerations_of_a_prescribed_motion(seed, scheme):
    """A cart with a pendulum, in a random orientation and unit, whose rail moves as prescribed: accelerations added in
    five intervals, the last of which is shorter, against runs interval by interval."""
    R, (l, mass, t) = rotation(np.random.default_rng(seed)), 10.0 ** np.random.default_rng(seed).uniform(-2, 2, size=3)
    h, every, steps = 0.02 * t, 4, 18

    def build(motion):
        m = lv.Model(gravity=R @ (0, 0, -9.81) * l / t**2)
        cart = m.add(lv.Body(lv.MassProperties(mass, np.array([1, 1.1, 1.2]) * mass * l**2), name="cart"))
        matter = lv.MassProperties(0.5 * mass, np.array([0.01, 0.02, 0.015]) * mass * l**2)
        bob = m.add(lv.Body(matter, at=R @ (0.2, 0.1, -0.6) * l, name="bob"))
        m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=R @ (1, 0.2, 0), drive=motion, name="rail"))
        m.add(lv.Spherical(cart.center, bob.point_at(0, 0, 0), name="ball"))
        if scheme.order == 2:
            m.add(lv.Damper(m.world.point(0, 0, l), bob.center, rate=0.3 * mass / t))
        return m

    def of(now):
        return float(now.position("bob")[-1] @ (0.2, 1, 0.4) / l + 0.3 * now.angular_velocity("bob")[-1, 1] * t)

    w = np.polynomial.Polynomial([0.0, 0.3 * l / t, 0.8 * l / t**2, -0.5 * l / t**3])
    times = h * np.array([0, 4, 8, 12, 16, 18])

    def end(u):
        """`of` at the end with accelerations u in the intervals."""
        state, more = None, np.polynomial.Polynomial([0.0])
        for k, (begin, until) in enumerate(pairwise(times)):
            s = np.polynomial.Polynomial([-begin, 1.0])
            here = more + 0.5 * u[k] * s**2
            motion = lv.simulate(build(w + here), scheme, h=h, until=until, t0=begin, start=state)
            state = motion.state
            more = here(until) + here.deriv()(until) * np.polynomial.Polynomial([-until, 1.0])
        return of(motion)

    motion = lv.simulate(build(w), scheme, h=h, until=steps * h, every=every)
    found = lv.adjoint(motion, of=of).inputs(["rail"])[:, 0]
    assert found.shape == (5,)
    d = 1e-2 * l / t**2
    for k in range(5):
        ends = [end(c * d * np.eye(5)[k]) for c in (-3, -2, -1, 1, 2, 3)]
        slope = np.dot([-1, 9, -45, 45, -9, 1], ends) / (60 * d)
        assert found[k] == pytest.approx(slope, abs=1e-9 * np.abs(found).max())


def test_memory_is_that_of_the_stored_states():
    """Sixteen times the steps, with four times the stored states: less than six times the memory."""

    def peak(steps, every):
        m = lv.Model(gravity=(0, 0, -9.81))
        bob = m.add(lv.Body(lv.Box(0.1, 0.1, 1, mass=1.0), at=(0, 0, -0.5), name="bob"))
        hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), bob.point(0, 0, 0.5), axis=(0, 1, 0), start_rate=1.0))
        m.add(lv.Motor(hinge, 0.1, name="motor"))
        motion = lv.simulate(m, h=1e-3, until=1e-3 * steps, every=every)
        tracemalloc.start()
        lv.adjoint(motion, of=lambda now: now.position("bob")[0, 0]).inputs(["motor"])
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(100, 10)
    assert peak(6400, 80) < 6.0 * peak(400, 20)


def test_refusals():
    m = mechanisms.heavy_top()
    motion = lv.simulate(m, h=1e-3, until=5e-3)
    with pytest.raises(lv.ModelError, match="give of, a function of the last state, or running"):
        lv.adjoint(motion)
    with pytest.raises(lv.ModelError, match="must give one number"):
        lv.adjoint(motion, of=lambda now: now.position(m.bodies[1]))
    back = lv.adjoint(motion, of=lambda now: now.energy)
    with pytest.raises(lv.ModelError, match="a constant load or a joint with a prescribed motion"):
        back.inputs([m.joints[0]])
    with pytest.raises(lv.ModelError, match="did you mean"):
        back.parameters([f"joints.{m.joints[0].name}.stiffnes"])
    for scheme in (lv.GeneralizedAlpha(), lv.Newmark(), lv.EnergyMomentum()):
        with pytest.raises(lv.ModelError, match=r"needs the scheme lv\.Livens \(.*\) or lv\.RungeKutta"):
            lv.adjoint(lv.simulate(m, scheme, h=1e-3, until=2e-3), of=lambda now: now.energy)
    with pytest.raises(lv.ModelError, match="an adjoint is that of a motion"):
        lv.adjoint(m, of=lambda now: 0.0)
