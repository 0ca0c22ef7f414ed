"""Prescribed motions whose poses, reactions and work are known: random trees of driven joints, and rates that jump."""

import warnings

import numpy as np
import pytest
from scipy.interpolate import PPoly, make_interp_spline
from scipy.spatial.transform import Rotation

import livens as lv
from benchmarks import prescribed
from benchmarks.soak import PARTS

SCHEMES = [
    lv.Livens(), lv.Livens(4), lv.Livens(6), lv.RungeKutta(4), lv.RungeKutta(8),
    lv.Newmark(), lv.GeneralizedAlpha(), lv.GeneralizedAlpha(0.0),
]  # fmt: skip


@pytest.mark.parametrize("seed", [*range(30), 200_090])  # the last: momenta were not on the constraints after a kink
def test_a_random_prescribed_motion(seed):
    assert prescribed.examine(seed) == []


def test_another_gravity_is_detected():
    """The comparison itself is examined: another gravity changes energy and reactions beyond what is allowed."""
    tree = prescribed.draw(0)
    true = prescribed.known(tree, tree.h * 50)
    off = prescribed.known(tree._replace(model=lv.Model(gravity=1.001 * tree.model.gravity)), tree.h * 50)
    assert abs(true.energy - off.energy) > 1e-7 * abs(true.energy)
    assert np.abs(true.force - off.force).max() > 1e-6 * np.abs(true.force).max()


def test_it_is_a_part_of_the_endurance_tests():
    part = next(part for part in PARTS if part.name == "random prescribed motions")
    said = []
    done = part.soak(2, 7, said.append)
    assert (done.tried, done.failed, said) == (2, [], [])


@pytest.mark.parametrize("order", [2, 4, 6])
@pytest.mark.parametrize("text", ["w*t", "sin(w*t)", "w*t*t/2"])
def test_a_driven_rod_at_long_steps(text, order):
    """Up to 0.9 rad in a step. Multipliers are not known before the first step, and were extrapolated from nothing."""
    for seed, h in enumerate((0.05, 0.1, 0.2, 0.3)):
        m, _ = hinge(lv.Expression(text, w=0.9 / 0.3 if text != "w*t*t/2" else 0.9 / 0.3 / (8 * h)), seed, 9.81)
        motion = simulated(m, lv.Livens(order), h, 8 * h)
        expected = [float(m["hinge"].drive(t)) for t in motion.t]
        assert np.abs(motion.coordinate("hinge") - expected).max() <= 1e-11


# ── rates that jump ──

W0, W1 = 2.0, -3.0  # rates before and after [rad/s]


def hinge(drive, seed, gravity=0.0, unit=1.0):
    """A rod on a hinge in a random orientation, and its moment of inertia about the hinge."""
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model(gravity=gravity * unit * R[2])
    rod = m.add(lv.Body(lv.Box(unit, 0.1 * unit, 0.1 * unit, mass=2.0), at=unit * R[:, 0], rotation=R, name="rod"))
    end = rod.point(-0.5 * unit, 0, 0)
    m.add(lv.Revolute(m.world.point(*end.start), end, axis=R[:, 1], drive=drive, name="hinge"))
    return m, 2.0 * unit**2 * ((1 + 0.1**2) / 12 + 0.25)


def kinked(kind, t0):
    """A rate of W0 before t0 and W1 after it."""
    table = [0.0, t0, 3.0], [0.0, W0 * t0, W0 * t0 + W1 * (3.0 - t0)]
    return {
        "function": lambda t: W0 * t + (W1 - W0) * max(0.0, t - t0),
        "interp": lambda t: float(np.interp(t, *table)),
        "max": lv.Expression("w*t + d*max(0, t - s)", w=W0, d=W1 - W0, s=t0),
        "min": lv.Expression("w*t + d*(t - min(t, s))", w=W0, d=W1 - W0, s=t0),
        "abs": lv.Expression("w*t + 0.5*d*(abs(t - s) + t - s)", w=W0, d=W1 - W0, s=t0),
        "where": lv.Expression("where(t < s, w*t, w*s + v*(t - s))", w=W0, v=W1, s=t0),
        "linear spline": make_interp_spline(*table, k=1),
        "pieces": PPoly(np.array([[W0, W1], [0.0, W0 * t0]]), np.array([0.0, t0, 3.0])),
    }[kind]


def simulated(m, scheme, h, until):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="the initial velocities", category=lv.ModelWarning)
        return lv.simulate(m, scheme, h=h, until=until)


KINDS = ["function", "interp", "max", "min", "abs", "where", "linear spline", "pieces"]


@pytest.mark.parametrize(
    "t0", [0.4, 0.4037, 0.4 - 1e-12], ids=["at the end of a step", "within a step", "almost at its end"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_work_of_an_impulse(kind, t0):
    """A rate that jumps from w₀ to w₁ takes the work I (w₁² − w₀²)/2; before, an error of I (w₁ − w₀)²/2 was booked at
    every h. Discrete rotations differ from continuous ones by (h w)²."""
    h = 5e-3
    for k, scheme in enumerate(SCHEMES):
        m, inertia = hinge(kinked(kind, t0), seed=k, unit=10.0 ** (k - 3))
        motion = simulated(m, scheme, h, 0.8)
        exact = 0.5 * inertia * (W1**2 - W0**2)
        assert abs(motion.energy[-1] - motion.energy[0] - exact) <= 1e-9 * abs(exact)
        assert abs(motion.work[-1] - exact) <= (h * (W1 - W0)) ** 2 * inertia * (W1 - W0) ** 2
        before, after = motion.t < t0 - h, motion.t > t0 + h
        rate = motion.rate("hinge")
        assert np.abs(rate[before] - W0).max() <= 1e-8 * abs(W0)
        assert np.abs(rate[after] - W1).max() <= 1e-8 * abs(W1)


@pytest.mark.parametrize("scheme", SCHEMES[:-1], ids=repr)  # the last one damps what the impulses excite, by design
def test_the_energy_balance_of_kinks_is_of_first_order(scheme):
    """In gravity, and with a second rod that swings freely on the driven one: balance errors are proportional to h."""
    jump = 6.0  # of the rate of |sin 3t| [rad/s]
    for h in (8e-3, 2e-3, 5e-4):
        m, _ = hinge(lambda t: abs(np.sin(3 * t)), seed=1, gravity=9.81)
        rod = m["rod"]
        end = rod.point(0.5, 0, 0).start
        tip = m.add(lv.Body(lv.Box(0.5, 0.1, 0.1, mass=1.0), at=np.add(end, (0.2, 0, 0)), name="tip"))
        m.add(lv.Spherical(rod.point(0.5, 0, 0), tip.point_at(*end), name="ball"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lv.ModelWarning)
            motion = lv.simulate(m, scheme, h=h, until=3.2)
        assert np.ptp(motion.energy - motion.work) <= 2.0 * h * jump * motion.kinetic.max()


def test_the_energy_balance_of_a_kink_anywhere_in_a_step():
    """Of Runge–Kutta schemes, whose weights within a step are large: errors depended on the place of the kink."""
    for seed, t0 in enumerate(np.random.default_rng(5).uniform(0.3, 0.5, 12)):
        m, _ = hinge(kinked("max", t0), seed=seed, gravity=9.81)
        motion = simulated(m, lv.RungeKutta(8), 1e-2, 0.8)
        assert np.ptp(motion.energy - motion.work) <= 0.1 * 1e-2 * abs(W1 - W0) * motion.kinetic.max()


def plate(seed, unit, t0, gravity=0.0, lever=0.0):
    """A plate, one point of which a constraint of the user moves along a direction, by W0 t before t0 and at W1 after;
    and a second body on a hinge, so that there are rows of both kinds."""
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model(gravity=gravity * unit * R[2])
    body = m.add(lv.Body(lv.Box(unit, 0.5 * unit, 0.2 * unit, mass=2.0), at=unit * R[:, 0], rotation=R, name="plate"))
    r = (lever * unit, 0.7 * lever * unit, 0.0)
    along, start = R[:, 0].tolist(), float(R[:, 0] @ body.point(*r).start)

    def held(b, t):
        ramp = W0 * t + 0.5 * (W1 - W0) * (abs(t - t0) + t - t0)
        return (lv.dot(b[body].point(r), along) - start) / unit - ramp

    m.add(lv.Constraint(held, bodies=[body], name="slide"))
    wheel = m.add(lv.Body(lv.Ball(0.1 * unit, mass=1.0), name="wheel"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=R[:, 1], name="axle"))
    return m


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_work_of_a_constraint_whose_rate_jumps(scheme):
    """It is m (w₁² − w₀²)/2 without gravity, and with gravity and a lever energy − work is kept to first order."""
    for k, t0 in enumerate((0.2, 0.2037, 0.2 - 1e-12)):
        unit = 10.0 ** (3 * k - 3)
        motion = simulated(plate(k, unit, t0), scheme, 5e-3, 0.4)
        assert motion.work[-1] == pytest.approx((W1**2 - W0**2) * unit**2, rel=1e-9)
        assert np.ptp(motion.energy - motion.work) <= 1e-9 * motion.kinetic.max()
        h = 4e-3
        motion = simulated(plate(k, unit, t0, gravity=9.81, lever=0.3), scheme, h, 0.4)
        assert np.ptp(motion.energy - motion.work) <= h * abs(W1 - W0) * motion.kinetic.max()


def test_the_polygon_of_the_report():
    """Nine knots: energy is known, because the motion is prescribed, and work was off by 9 J at every step."""
    rng = np.random.default_rng(3)
    knots, values = np.linspace(0, 2, 9), np.append(0.0, 0.7 * rng.normal(size=8))
    off = []
    for h in (1e-2, 1e-3):
        m, _ = hinge(lambda t: float(np.interp(t, knots, values)), seed=2, gravity=9.81)
        motion = simulated(m, lv.Livens(), h, 2.0)
        off.append(np.abs(motion.energy - motion.energy[0] - motion.work).max() / motion.kinetic.max())
    assert off[0] < 0.05
    assert off[1] < 0.15 * off[0]


@pytest.mark.parametrize("order", [2, 4])
def test_a_run_with_kinks_does_not_depend_on_chunks(order, monkeypatch):
    """Bitwise, whole or in chunks of a few steps, and resumed."""
    from livens.run import loop

    def run(until):
        m, _ = hinge(kinked("max", 0.4037), seed=5, gravity=9.81)
        other = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(5, 0, 0), name="other"))
        m.add(lv.Load(other.center, force=lv.Expression("[sin(t), cos(t), abs(t - 0.3)]"), name="push"))
        return simulated(m, lv.Livens(order), 1e-3, until)

    whole = run(0.8)
    parts = lv.resume(run(0.403), until=0.8)
    monkeypatch.setattr(loop, "CHUNK_SECONDS", 1e-9)
    chunks = run(0.8)
    for x, y, z in zip(whole.record, chunks.record, parts.record, strict=True):
        assert np.array_equal(x, y)
        assert np.array_equal(x, z)


JUMPS = [
    (lv.Expression("floor(2*t)"), 0.5), (lv.Expression("t + 0.02*(1 + sign(t - 0.4037))"), 0.4037),
    (lv.Expression("where(t < 0.4, t, t + 0.01)"), 0.4), (lambda t: 0.1 * (t > 0.4037), 0.4037),
    (lambda t: 3 * t + 0.01 * (t > 0.4), 0.4),
    (PPoly(np.array([[1.0, 1.0], [0.0, 0.41]]), np.array([0, 0.4037, 1])), 0.4037),
]  # fmt: skip


@pytest.mark.parametrize("scheme", [lv.Livens(), lv.Livens(4), lv.RungeKutta(8), lv.Newmark()], ids=repr)
@pytest.mark.parametrize(("drive", "t"), JUMPS)
def test_a_drive_that_jumps_is_refused_with_its_time(drive, t, scheme):
    for unit in (1e-3, 1.0, 1e3):
        m, _ = hinge(drive, seed=1, unit=unit)
        with pytest.raises(lv.ModelError, match=f"drive of 'hinge' jumps by .* at t = {t:g} s"):
            simulated(m, scheme, 1e-2, 0.8)


def test_a_kink_at_any_place_of_a_step_is_not_a_jump():
    for part in (0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-3, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12):
        for kind in ("function", "max", "linear spline"):
            m, _ = hinge(kinked(kind, 0.01 * (40 + part)), seed=1)
            assert simulated(m, lv.Livens(), 1e-2, 0.6).steps == 60


def test_the_energy_warning_names_a_kink_instead_of_the_step():
    """At a step that is too long for a polygon; a shorter one helps, but not as it would with a smooth drive."""
    polygon = lv.Expression("abs(t - 0.3) + abs(t - 0.73) - 1.03 + 2*max(0, t - 1.9) - 4*max(0, t - 3.11)")
    m, _ = hinge(polygon, seed=1, gravity=9.81)
    with pytest.warns(lv.ModelWarning, match=r"the rate of the drive of 'hinge' jumps at t = 0\.73 s"):
        lv.simulate(m, lv.Livens(), h=0.1, until=4.0)
