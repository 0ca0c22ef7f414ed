"""The choice of the step: frequencies against closed forms and full matrices, h="auto", and the energy check."""

import re
import warnings
from itertools import pairwise

import numpy as np
import pytest

import livens as lv
from livens.analysis.equilibrium import Search
from livens.compile.compiled import Compiled
from livens.demos import double_pendulum, net, slider_crank, springs
from livens.run.auto_step import _bend, _resolving
from livens.run.energy_check import energy_error
from tests.helpers import mechanisms

CLOSE = 0.01  # the estimate is from above, by less than this


def oscillator(k=800.0, m=2.0):
    model = lv.Model()
    ball = model.add(lv.Body(lv.PointMass(m), at=(1, 0, 0), name="ball"))
    model.add(lv.Spring(model.world.point(0, 0, 0), ball.point(0, 0, 0), stiffness=k, length=0.9))
    return model


def pendulum(angle=0.0):
    model = lv.Model(gravity=(0, 0, -9.81))
    turn = lv.Pose.from_axis_angle((0, 1, 0), angle)
    bob = lv.MassProperties(2.0, (0.1, 0.2, 0.1))
    body = model.add(lv.Body(bob, at=turn.B @ (0, 0, -0.5), rotation=turn.B, name="bob"))
    model.add(lv.Revolute(model.world.point(0, 0, 0), body.point(0, 0, 0.5), axis=(0, 1, 0), name="pin"))
    return model


def torsion(limits=None, stiffness=0.0):
    model = lv.Model()
    wheel = model.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.1, 0.2)), name="wheel"))
    model.add(
        lv.Revolute(model.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=(0, 0, 1), stiffness=stiffness,
                    limits=limits, limit_stiffness=500.0, name="axle")
    )  # fmt: skip
    return model


def coupled():
    """Two masses and three springs in a row: ω² = k/m and 3k/m."""
    model = lv.Model()
    balls = [model.add(lv.Body(lv.PointMass(1.0), at=(x, 0, 0))) for x in (1, 2)]
    ends = [model.world.point(0, 0, 0), *(ball.point(0, 0, 0) for ball in balls), model.world.point(3, 0, 0)]
    for one, two in pairwise(ends):
        model.add(lv.Spring(one, two, stiffness=100.0))
    return model


def written():
    model = lv.Model()
    ball = model.add(lv.Body(lv.PointMass(2.0), at=(1, 0, 0), name="ball"))
    model.add(lv.Energy(lambda b: 0.25 * 50.0 * lv.dot(b[ball].position, b[ball].position) ** 2, bodies=[ball]))
    return model


EXACT = {
    "spring": (oscillator(), np.sqrt(800.0 / 2.0)),
    "pendulum": (pendulum(), np.sqrt(2.0 * 9.81 * 0.5 / (0.2 + 2.0 * 0.25))),
    "torsion spring": (torsion(stiffness=20.0), np.sqrt(20.0 / 0.2)),
    "stops, as if touched": (torsion(limits=(-1, 1)), np.sqrt(500.0 / 0.2)),
    "stops beside a spring": (torsion(limits=(-1, np.inf), stiffness=20.0), np.sqrt(520.0 / 0.2)),
    "three springs": (coupled(), np.sqrt(300.0)),
    "a user's energy": (written(), np.sqrt(3 * 50.0 / 2.0)),
}


@pytest.mark.parametrize(("model", "omega"), EXACT.values(), ids=EXACT)
def test_frequencies_in_closed_form(model, omega):
    found = lv.stiffness(model)
    assert omega * (1 - 1e-6) <= found.frequency <= omega * (1 + CLOSE)
    assert found.largest == min(2 / found.frequency, 1 / found.spin if found.spin else np.inf)


MODELS = {
    "every joint": lambda: mechanisms.every_joint(rolling=False),
    "net": lambda: net.drop_net().model,
    "plank": lambda: springs.hang_plank().model,
}


@pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")
@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_frequencies_of_full_matrices(make):
    """equilibrium.py computes the stiffness matrix and all of its eigenvalues."""
    model = make()
    compiled = Compiled.of(model, quiet=True)
    search = Search(compiled, compiled.state)
    omega = np.sqrt(search.stiffness(search.place(search.start)).values[-1])
    assert omega * (1 - 1e-3) <= lv.stiffness(model).frequency <= omega * (1 + CLOSE)


def test_the_stable_step_is_where_stability_ends():
    """Slightly below 2/ω the oscillator is stable, slightly above it is unstable."""
    model = oscillator()
    h = lv.stiffness(model).largest
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        near = lv.simulate(model, h=0.98 * h, until=200 * 0.98 * h)
        try:
            far = np.abs(lv.simulate(model, h=1.04 * h, until=200 * 1.04 * h).position("ball")[:, 0]).max()
        except lv.StepFailed:
            far = np.inf
    assert np.abs(near.position("ball")[:, 0] - 0.9).max() < 1.0
    assert far > 1e3


def test_spin():
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0, 20, 0), name="top"))
    found = lv.stiffness(m)
    assert (found.frequency, found.spinning) == (0.0, "top")
    assert found.spin == pytest.approx(20.0)
    assert found.step(2) == 0.005
    assert lv.stiffness(lv.Model()).step(2, until=10.0) == 0.1  # nothing at all


@pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")
@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("make", [double_pendulum.two_bars, lambda: slider_crank.turn_slider_crank().model, oscillator])
def test_auto_conserves_the_energy(make, order):
    motion = lv.simulate(make(), lv.Livens(order), h="auto", until=4.0)
    assert energy_error(motion) < 0.01
    assert motion.chosen.startswith(f"h = {motion.h:g} s was chosen: ")
    assert motion.chosen in motion.report().notes


@pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")
def test_auto_reduces_the_step_if_the_energy_error_is_large():
    """The crank of a slider-crank rotates much faster later than at the start."""
    motion = lv.simulate(slider_crank.turn_slider_crank().model, h="auto", until=4.0)
    assert "with h = 0.01 s" in motion.chosen
    assert motion.h == 0.0025


def pushed(push):
    m = lv.Model()
    ball = m.add(lv.Body(lv.PointMass(1.0), name="ball"))
    m.add(lv.Load(ball.center, force=push))
    return m


@pytest.mark.parametrize("omega", [2 * np.pi * 10, 2 * np.pi * 20, 100.0])
def test_auto_resolves_functions_of_time(omega):
    """A hundred steps would sample cos(20πt) at its maxima only, as a constant force in the energy balance."""
    motion = lv.simulate(pushed(lambda t: (np.cos(omega * t), 0, 0)), h="auto", until=10.0)
    x = (1 - np.cos(omega * motion.t)) / omega**2
    assert np.abs(motion.position("ball")[:, 0] - x).max() < 0.05 * x.max()
    assert "signals change too much within h = 0.1 s" in motion.chosen


def written_push(omega):
    m = lv.Model()
    ball = m.add(lv.Body(lv.PointMass(1.0), name="ball"))
    m.add(
        lv.Force(
            ball.center, lambda b, t: lv.cos(omega * t) * (b[ball].point(1, 0, 0) - b[ball].position), bodies=[ball]
        )
    )
    return m


def test_auto_resolves_user_written_forces():
    motion = lv.simulate(written_push(2 * np.pi * 10), h="auto", until=5.0)
    assert np.abs(motion.position("ball")[:, 0]).max() < 2.1 / (2 * np.pi * 10) ** 2


def test_auto_accepts_signals_with_noise_and_steps():
    assert _resolving(Compiled.of(pushed(lambda t: (np.sin(1e9 * t), 0, 0))), 0.01, 1.0) == 0.01
    assert 1e-3 < _resolving(Compiled.of(pushed(lambda t: (float(t > 0.5), 0, 0))), 0.01, 1.0) < 0.01


def test_auto_resolves_a_drive_with_noise():
    """The acceleration of a uniform drive, by finite differences, is noise."""
    m = torsion()
    m["axle"].drive = lv.Expression("0.1*t")
    assert _bend(Compiled.of(m), 0.05, 5.0) < 1e-4
    m.add(lv.Load(m["wheel"].center, force=lv.Expression("[cos(100*t), 0, 0]")))
    assert _resolving(Compiled.of(m), 0.05, 5.0) < 0.005


def test_auto_divides_the_period_of_a_controller():
    m = torsion()
    m.add(lv.Motor(m["axle"], lambda t, now: 0.1, rate=60.0, name="servo"))
    assert lv.simulate(m, h="auto", until=2.0).h == pytest.approx(1 / 60, rel=1e-12)


UNTILS = [
    (2.0, 60.0),
    (1.25, 10.0),
    (1.004, 1.0),
    (0.0104, 1000.0),
    (np.pi, 60.0),
    (1e-3, 60.0),
    (np.e, 7.3),
    (100.003, 50.0),
]


@pytest.mark.parametrize(("until", "rate"), UNTILS)
def test_auto_with_a_controller_accepts_any_duration(until, rate):
    """The controller is called at its own times; the run ends at `until`, or with the first whole step after it."""
    m, asked = torsion(stiffness=20.0), []
    m.add(lv.Motor(m["axle"], lambda t, now: asked.append(t) or 0.1, rate=rate, name="servo"))
    motion = lv.simulate(m, h="auto", until=until)
    assert until * (1 - 1e-12) <= motion.t[-1] < until + motion.h * (1 + 1e-9)
    assert asked == pytest.approx(np.arange(len(asked)) / rate, rel=1e-9)
    assert len(asked) == int(np.ceil(motion.t[-1] * rate * (1 - 1e-9)))
    assert ("the run ends with a whole step" in motion.chosen) == (motion.t[-1] > until * (1 + 1e-9))


def test_the_remedy_for_a_step_that_does_not_fit_a_controller():
    """The numbers that the refusal names are accepted, and the run is as long as it should have been."""
    draw, refused = np.random.default_rng(3), 0
    for rate in (10.0, 50.0, 1000.0 / 3.0, 7.3):
        for _ in range(6):
            h, until = 10.0 ** draw.uniform(-2.5, -1), draw.uniform(0.2, 1.0)
            m = torsion(stiffness=20.0)
            m.add(lv.Motor(m["axle"], lambda t, now: 0.1, rate=rate, name="servo"))
            try:
                lv.simulate(m, h=h, until=until)
            except lv.ModelError as error:
                found = re.search(r"Try h = (\S+) and until = (\S+), or h=\"auto\"", str(error))
                motion, refused = lv.simulate(m, h=float(found[1]), until=float(found[2])), refused + 1
                assert until * (1 - 1e-9) <= motion.t[-1] <= until + motion.h
    assert refused > 10


def test_auto_ends_where_it_is_asked_to_if_a_shorter_step_does():
    m = torsion()
    m.add(lv.Motor(m["axle"], lambda t, now: 0.1, rate=10.0, name="servo"))
    motion = lv.simulate(m, h="auto", until=1.25)
    assert motion.t[-1] == pytest.approx(1.25, rel=1e-14)


def test_auto_calls_a_controller_once():
    m = torsion()
    asked = []
    m.add(lv.Motor(m["axle"], lambda t, now: asked.append(t) or 0.1, rate=10.0, name="servo"))
    lv.simulate(m, h="auto", until=2.0)
    assert asked == pytest.approx([0.1 * k for k in range(20)])


@pytest.mark.parametrize("second", [1e-9, 1e-3, 1.0, 60.0, 3e7, 1e12])
def test_prescribed_motions_in_any_unit_of_time(second):
    """The rate of the body and a start that fits or not do not depend on the unit; `second`: its value in that unit."""
    drives = {
        "lambda": (lambda t: 0.5 * (1.0 - np.cos(3.0 * t / second)), np.sqrt(4.5), 0),
        "expression": (lv.Expression("0.5*(1 - cos(w*t))", w=3.0 / second), np.sqrt(4.5), 0),
        "constant rate": (lambda t: 3.0 * t / second, 3.0, 1),
        "held": (lambda t: 0.0, 0.0, 0),
    }
    for drive, rate, warned in drives.values():
        m = lv.Model(gravity=(0, 0, -9.81 / second**2))
        bar = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1.0), at=(0.5, 0, 0), name="bar"))
        m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), axis=(0, 1, 0), drive=drive, name="hinge"))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            Compiled.of(m)
        assert len(said) == warned
        assert lv.stiffness(m).spin * second == pytest.approx(rate, rel=0.01, abs=1e-6)


def test_h_is_a_number_or_auto():
    with pytest.raises(lv.ModelError, match="h must be a number of seconds, or \"auto\", not 'soon'"):
        lv.simulate(oscillator(), h="soon", until=1.0)


# ── the warning ──


def warned(model, scheme=None, **run):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        lv.simulate(model, scheme, **run)
    return [str(w.message) for w in found if "energy error" in str(w.message)]


def test_a_step_that_is_too_long_gives_one_warning():
    [text] = warned(oscillator(), h=0.07, until=10.0)
    assert "h = 0.0699" in text or "h = 0.07" in text
    assert 'h="auto"' in text
    assert warned(oscillator(), h=0.007, until=10.0) == []


def at_rest():
    m = lv.Model(gravity=(0, 0, -10))
    ball = m.add(lv.Body(lv.PointMass(1.0), at=(0, 0, -1.1), name="ball"))
    m.add(lv.Spring(m.world.point(0, 0, 0), ball.point(0, 0, 0), stiffness=100.0, length=1.0, damping=1.0))
    return m


def driven_and_damped():
    m = torsion(stiffness=20.0)
    m["axle"].damping = 2.0
    m.add(lv.Motor(m["axle"], lambda t: 5.0 * np.sin(3 * t)))
    return m


def settled():
    m = at_rest()
    m.bodies[1].pose = lv.Pose((0, 0, -1.5))
    return m


def held():
    """At the height of zero gravitational potential."""
    m = lv.Model(gravity=(0, 0, -9.81))
    arm = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    m.add(lv.Rigid(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), name="weld"))
    return m


@pytest.mark.parametrize("make", [at_rest, driven_and_damped, settled, held], ids=lambda make: make.__name__)
def test_a_good_step_gives_no_warning(make):
    assert warned(make(), h=2e-3, until=10.0) == []


def test_motions_of_few_states_are_not_checked():
    """Stored once per period, the oscillation of a motor shows no energy change."""
    m = torsion()
    m.add(lv.Motor(m["axle"], lambda t: 40.0 * np.sin(2 * np.pi * t)))
    assert warned(m, h=1e-3, until=4.0, every=1000) == []


def test_runge_kutta_is_checked():
    """Order 4 loses energy with a long step."""
    assert len(warned(oscillator(), lv.RungeKutta(4), h=0.07, until=10.0)) == 1
    assert warned(oscillator(), lv.RungeKutta(8), h=0.007, until=10.0) == []


def test_an_infinite_energy_gives_a_warning():
    """A damper far too stiff for an explicit step: velocities grow so much that their squares are infinite."""
    m = lv.Model()
    ball = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), velocity=(1, 0, 0), name="ball"))
    m.add(lv.Damper(m.world.point(0, 0, 0), ball.center, rate=1e5))
    [text] = warned(m, lv.RungeKutta(), h=0.01, until=1.0)
    assert "energy error is inf %" in text


def test_schemes_with_damping_are_not_checked():
    assert warned(oscillator(), lv.GeneralizedAlpha(0.2), h=0.02, until=10.0) == []


def test_the_check_is_fast():
    """A long run is checked at a few hundred states, in a hundredth of its computing time."""
    import time

    motion = lv.simulate(double_pendulum.two_bars(), h=1e-4, until=10.0)
    energy_error(motion)
    begin = time.perf_counter()
    energy_error(motion)
    assert time.perf_counter() - begin < 0.1 * motion.seconds


def test_a_short_error_of_the_energy_is_seen():
    """At the pericentre of a long ellipse the energy is wrong for a few of thousands of states."""
    m = lv.Model()
    m.add(lv.Body(lv.PointMass(1.0), name="sun"))
    speed = np.sqrt((1 - 0.99) / (1 + 0.99))
    m.add(lv.Body(lv.PointMass(1e-9), at=(1.99, 0, 0), velocity=(0, speed, 0), name="comet"))
    m.add(lv.Attraction(G=1.0))
    motion = lv.simulate(m, h=2.0 * np.pi / 8000, until=2.0 * np.pi)
    scale = max(motion.kinetic.max(), np.ptp(motion.potential))
    assert energy_error(motion) == pytest.approx(np.ptp(motion.energy) / scale, rel=1e-6)
    chosen = lv.simulate(m, h="auto", until=2.0 * np.pi)
    assert np.ptp(chosen.energy) <= 0.01 * max(chosen.kinetic.max(), np.ptp(chosen.potential))
    assert "; with h = 0.000781199 s the energy error is 4.6 %" in chosen.chosen


def test_an_automatic_step_that_is_not_short_enough_says_so():
    """Kepler with eccentricity 0.9999 at order 2: five attempts are not enough."""
    m = lv.Model()
    sun = m.add(lv.Body(lv.PointMass(1.0), name="sun"))
    planet = m.add(lv.Body(lv.PointMass(1e-9), at=(2, 0, 0), velocity=(0, 0.007, 0), name="planet"))
    m.add(lv.Attraction(G=1.0, bodies=[sun, planet]))
    with pytest.warns(lv.ModelWarning, match="It is not short enough: the energy error is .* after 5 attempts"):
        motion = lv.simulate(m, h="auto", until=2 * np.pi)
    assert "give a shorter h" in motion.chosen
