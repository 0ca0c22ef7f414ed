"""Rates and accelerations of drives by finite differences against exact ones, and the times of evaluation."""

import math

import numpy as np
import pytest

import livens as lv
from livens.compile.drive_rates import BEFORE, FIRST, SECOND, SHORT_STEP, STEP_PART, drive_table
from livens.compile.signals import Signals
from livens.compile.wide_differences import differences

EPS = np.finfo(float).eps
NODES = np.arange(7) - BEFORE[:, None]


def driven(drive, rate=0.0):
    """A wheel with a prescribed motion and the initial rate `rate`."""
    m = lv.Model()
    wheel = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), body_rates=(0, 0, rate), name="wheel"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=(0, 0, 1), drive=drive, name="motor"))
    return m


def table(drive, t, h=None, until=None):
    """Value, rate and acceleration at the times t."""
    return Signals(driven(drive), h, until).table(np.atleast_1d(np.asarray(t, dtype=float)))


def test_differences_are_exact_for_polynomials():
    """Of degree six for the rate and seven for the acceleration at inner times, with integer coefficients."""
    for power in range(8):
        values = NODES**power
        rate, acceleration = (FIRST * values).sum(axis=1), (SECOND * values).sum(axis=1)
        if power < 7:
            assert rate.tolist() == [60 * (power == 1)] * 3
            assert acceleration.tolist() == [180 * 2 * (power == 2)] * 3
    assert acceleration[1] == 0


@pytest.mark.parametrize("omega", [0.1, 1.0, 2 * np.pi * 1e3, 2 * np.pi * 1e4, 1e6])
@pytest.mark.parametrize("turn", [0.01, 0.1, 1.0])
def test_fast_drives(omega, turn):
    """A sine that turns by ωh in a step: errors of (ωδ)⁶, of accelerations at both ends (ωδ)⁵, and of round-off."""
    h = turn / omega
    t = h * np.arange(21.0)
    found = table(lambda t: math.sin(omega * t), t, h, t[-1])
    x = STEP_PART * turn
    exact = np.stack([np.sin(omega * t), omega * np.cos(omega * t), -(omega**2) * np.sin(omega * t)], axis=1)
    off = np.abs(found - exact) / [1, omega, omega**2]
    noise = 100 * EPS * 20 * turn
    assert (off <= [EPS * 20, x**6 / 7 + noise / x + 28 * EPS / x, x**5 + 300 * EPS / x**2]).all()
    middle = slice(1, -1)
    assert (off[middle, 1] <= x**6 / 140 + noise / x + 2 * EPS / x).all()


def test_a_fast_wheel_follows_its_prescribed_motion():
    omega = 2 * np.pi * 1e4
    motion = lv.simulate(driven(lambda t: math.sin(omega * t), omega), h=0.01 / omega, until=1.0 / omega)
    rate = motion.body_rates(motion.model["wheel"])[:, 2]
    assert (
        np.abs(rate / omega - np.cos(omega * motion.t)).max() < (24 * 1e-6) ** 2 / 7
    )  # the start, where no step is known


@pytest.mark.parametrize("until", [1e-5, 0.1, 1.0, 1.7])
@pytest.mark.parametrize("h", [None, 0.1, 1e-5])
def test_drives_are_evaluated_within_the_time_of_the_run(until, h):
    asked = []
    table(lambda t: asked.append(t) or t, np.linspace(0.0, until, 1001), h, until)
    assert min(asked) == 0.0
    assert max(asked) == until


def test_a_table_may_end_with_the_run():
    """Linear tables, constant outside (numpy) or undefined outside: the rate is right up to both ends."""
    t = np.linspace(0.0, 1.0, 11)

    def strict(time):
        if not 0.0 <= time <= 1.0:
            raise ValueError("outside of the table")
        return 3.0 * time

    for drive in (lambda time: np.interp(time, t, 3.0 * t), strict):
        assert np.abs(table(drive, t, 0.1, 1.0)[:, 1] - 3.0).max() < 1e3 * EPS / (0.1 * STEP_PART)


def ending(last, refuse):
    """sin t as a table over [0, last], undefined elsewhere."""
    return lambda t: math.sin(t) if 0.0 <= t <= last else refuse()


def no_answer():
    raise ValueError("outside of the table.")


@pytest.mark.parametrize("until", [1.0, 0.7])  # 70 steps of 0.7/70 s are more than 0.7 s, by round-off
@pytest.mark.parametrize("refuse", [no_answer, lambda: math.nan], ids=["refuses", "NaN"])
@pytest.mark.parametrize("scheme", [lv.Livens(), lv.Livens(4), lv.Newmark(), lv.RungeKutta()], ids=repr)
def test_a_table_needs_to_cover_the_run_only(until, refuse, scheme):
    """The motion is that of the tabulated function, and that of a run in two parts."""
    h = 1e-2
    ended = lv.simulate(driven(ending(until, refuse), 1.0), scheme, h=h, until=until)
    rate = ended.body_rates(ended.model["wheel"])[:, 2]
    assert np.abs(rate - np.cos(ended.t)).max() < (STEP_PART * h) ** 6 / 7 + 60 * EPS / (STEP_PART * h)
    whole = lv.simulate(driven(math.sin, 1.0), scheme, h=h, until=until)
    assert np.abs(whole.record.B - ended.record.B).max() < 256 * EPS
    half = lv.simulate(driven(ending(until, refuse), 1.0), scheme, h=h, until=0.5)
    on = lv.resume(half, until=until)
    for one, other in zip(on.record, ended.record, strict=True):
        assert np.array_equal(one, other)


def test_a_table_that_is_held_at_its_end():
    """numpy.interp is constant beyond the table: the rate at its end comes from earlier times."""
    t = np.linspace(0.0, 0.7, 8)
    for drive in (lambda time: np.interp(time, t, 3.0 * t), lambda time: 3.0 * min(time, 0.7)):
        motion = lv.simulate(driven(drive, 3.0), h=1e-3, until=0.7)
        assert np.abs(motion.body_rates(motion.model["wheel"])[:, 2] - 3.0).max() < 1e3 * EPS / (1e-3 * STEP_PART)
        assert np.abs(motion.angular_acceleration("wheel")).max() < 1e3 * EPS / (1e-3 * STEP_PART) ** 2


def test_a_load_as_a_table_over_the_run():
    m = lv.Model()
    ball = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), name="ball"))
    m.add(lv.Load(ball.center, force=lambda t: (1.0, 0, 0) if t <= 0.7 else no_answer(), name="push"))
    motion = lv.simulate(m, h=1e-3, until=0.7)
    assert motion.position(ball)[-1, 0] == pytest.approx(0.5 * 0.7**2, rel=1e-12)


def test_a_drive_that_raises_an_error_is_named():
    """A ValueError of a drive is reported with joint and time; other exceptions keep their traceback."""

    def ends(t):
        if t > 0.5:
            raise ValueError("outside of the table.")
        return t

    with pytest.raises(
        lv.ModelError, match=r"^drive of 'motor' cannot be evaluated at t = 0\.5\d* s: outside of the table\.$"
    ):
        lv.simulate(driven(ends, 1.0), h=0.01, until=1.0)
    with pytest.raises(ZeroDivisionError):
        lv.simulate(driven(lambda t: t / (0.0 * t)), h=0.01, until=1.0)
    sentence = r"^drive of 'motor' has no rate at t = 0 s: it must begin and end smoothly\.$"
    for scale in (1.0, 1e-6, 1e6):
        with pytest.raises(lv.ModelError, match=sentence):
            lv.simulate(driven(lambda t, s=scale: s * math.sqrt(t)), h=0.01, until=1.0)


def test_smooth_drives_are_accepted():
    """Drives that start at rest or not, far from zero, or are constant."""
    smooth = [lambda t: 1e3, lambda t: 1e3 + 1e-9 * t, lambda t: 1e3 + 1e-3 * math.sin(t), lambda t: t**5,
              lambda t: 1 - math.cos(30 * t), lambda t: 1e-9 * math.exp(t), lambda t: 1e6 * t + 1e6]  # fmt: skip
    for drive in smooth:
        for h in (1e-5, 1e-3, 0.03):
            for until in (h, 1.0):
                assert np.isfinite(table(drive, [0.0, until], h, until)).all()
    joint = driven(lambda t: 1e3).joints[0]
    assert drive_table(joint, joint.drive, np.array([0.0, 1.0])).tolist() == [[1e3, 0, 0], [1e3, 0, 0]]


def test_the_derivatives_of_splines_are_used():
    class Cubic:
        def __init__(self, *c):
            self.c = c

        def __call__(self, t):
            return np.polyval(self.c, t)

        def derivative(self):
            return Cubic(*np.polyder(self.c))

    assert table(Cubic(1.0, 2.0, 3.0, 0.0), [0.0, 1.0], 0.1, 1.0).tolist() == [[0, 3, 4], [6, 10, 10]]
    asks = type("Asks", (Cubic,), {"derivative": lambda self, at: None})  # of another kind: needs an argument
    assert np.abs(table(asks(1.0, 2.0, 3.0, 0.0), [1.0]) - [6, 10, 10]).max() < 1e3 * EPS / SHORT_STEP**2


# ── reactions at short steps ──


def crank(drive):
    m = lv.Model(gravity=(0, 0, -9.81))
    bar = m.add(lv.Body(lv.Box(1, 0.05, 0.05, mass=2.0), at=(0.5, 0, 0), name="bar"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), axis=(0, -1, 0), drive=drive, name="hinge"))
    return m


DRIVES = {  # the drive, its second derivative, and the error of the torque that is allowed at every step [N m]
    "lambda, 100 t": (lambda t: 100 * t, lambda t: 0 * t, 1e-6),
    "lambda, sin 3t": (lambda t: np.sin(3 * t), lambda t: -9 * np.sin(3 * t), 1e-7),
    "expression, 100 t": (lv.Expression("100*t"), lambda t: 0 * t, 1e-11),
    "expression, sin 3t": (lv.Expression("sin(3*t)"), lambda t: -9 * np.sin(3 * t), 1e-12),
    "expression, t² exp(−t)": (
        lv.Expression("t**2*exp(-t)"), lambda t: (t**2 - 4 * t + 2) * np.exp(-t), 1e-12,
    ),
}  # fmt: skip


@pytest.mark.parametrize("h", [2e-3, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("name", DRIVES)
def test_reactions_do_not_get_worse_as_the_step_gets_shorter(name, h):
    """The torque of a driven crank is J φ̈ + m g (l/2) cos φ; second differences at a spacing that follows h gave errors
    of 7e-2 N m at h = 1e-5."""
    drive, second, allowed = DRIVES[name]
    motion = lv.simulate(crank(drive), h=h, until=1000 * h, every=25)
    phi = motion.coordinate("hinge")
    J = 2 * (1 + 0.05**2) / 12 + 2 * 0.25
    exact = J * second(motion.t) + 2 * 9.81 * 0.5 * np.cos(phi)
    torque = motion.reaction_torque("hinge") @ np.array([0, -1, 0])
    assert np.abs(torque - exact).max() <= allowed


@pytest.mark.parametrize("h", [4e-3, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("seed", range(3))
def test_a_crank_after_many_turns_has_the_torque_of_the_first_one(seed, h):
    """φ = 1000 rad + 100 rad/s t, in random orientation: the round-off of φ over the square of a spacing that follows h
    is 0.8 N m at h = 1e-5, at the start of the run."""
    rng = np.random.default_rng(seed)
    R = lv.Pose.from_quaternion(rng.normal(size=4)).B
    m = lv.Model(gravity=R @ (0, 0, -9.81))
    x, axis = R @ (0.5, 0, 0), R @ (0, -1, 0)
    moving = {"angular_velocity": 100 * axis, "velocity": np.cross(100 * axis, x)}
    bar = m.add(lv.Body(lv.MassProperties(2.0, (0.01, 0.2, 0.2)), at=x, rotation=R, **moving))
    ends = m.world.point(0, 0, 0), bar.point(-0.5, 0, 0)
    m.add(lv.Revolute(*ends, axis=axis, drive=lambda t: 1000 + 100 * t, start=1000.0))
    motion = lv.simulate(m, h=h, until=1000 * h, progress=False)
    exact = 2 * 9.81 * 0.5 * np.cos(100 * motion.t)
    assert np.abs(motion.reaction_torque(m.joints[0]) @ axis - exact).max() <= 1e-6


@pytest.mark.parametrize("spacing", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("before", range(7))
def test_wide_differences_are_exact_for_polynomials_and_find_kinks(before, spacing):
    rng = np.random.default_rng(before)
    joint = driven(lambda t: 0.0)["motor"]
    c = rng.normal(size=7)
    t = 20.0 * spacing

    def polynomial(time):
        return float(np.polynomial.polynomial.polyval((time - t) / spacing, c))

    one = np.array([t])
    found = differences(joint, polynomial, one, np.array([c[0]]), spacing, np.array([before]))
    assert found.first[0] * spacing == pytest.approx(c[1], abs=1e-9)
    assert found.second[0] * spacing**2 == pytest.approx(2 * c[2], abs=1e-8)
    for place in rng.uniform(-before, 6 - before, 20):  # in spacings after t
        kinked = differences(
            joint,
            lambda time, at=place: abs((time - t) / spacing - at),
            one,
            np.abs([place]),
            spacing,
            np.array([before]),
        )
        assert not kinked.smooth()[0]


@pytest.mark.parametrize("s", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("long", [False, True])
def test_round_off_of_a_drive_that_begins_at_rest_is_no_jump(s, long):
    """|x − 0.77| + x − 0.77 is zero up to x = 0.77, with a round-off of 1e-16 where terms cancel."""
    m = lv.Model()
    body = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), name="body"))
    kind = lv.Prismatic if long else lv.Revolute
    drive = lambda t: abs(t / s - 0.77) + (t / s - 0.77)  # noqa: E731
    m.add(kind(m.world.point(0, 0, 0), body.point(0, 0, 0), axis=(1, 2, 3), drive=drive, name="motor"))
    motion = lv.simulate(m, h=5e-3 * s, until=2 * s, progress=False)
    assert motion.coordinate("motor")[-1] == pytest.approx(2 * (2 - 0.77), abs=1e-12)
    assert motion.work[-1] == pytest.approx(motion.energy[-1], rel=5e-3)  # first order in h
