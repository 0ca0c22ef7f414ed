"""The same model in other units and orientations: equal bits for units that are powers of two, and the same freedom,
motion and reactions to 1e-9 for others (the small size of benchmarks/units.py)."""

import warnings

import numpy as np
import pytest

import livens as lv
from benchmarks import units
from benchmarks.random_models import describe
from benchmarks.random_models.description import View, build
from benchmarks.random_models.trial import Trial

POWERS = {  # of two: of a metre, a kilogram, a second; 2^40 is about 1e12, 2^30 about 1e9, 2^66 about 1e20
    "time 1e12": (0, 0, 40),
    "time 1e-12": (0, 0, -40),
    "length 1e9": (30, 0, 0),
    "length 1e-9": (-30, 0, 0),
    "mass 1e20": (0, 66, 0),
    "mass 1e-20": (0, -66, 0),
    "all": (-17, 40, 33),
}
SCHEMES = (lv.Livens(2), lv.RungeKutta(4), lv.RungeKutta(8), lv.Newmark(), lv.GeneralizedAlpha(0.5))
# loops, repeated equations, thin bodies, dampers, rolling, screws and couplings
SEEDS = (1, 3, 6, 8, 15)


@pytest.mark.parametrize("powers", POWERS.values(), ids=POWERS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: f"{type(scheme).__name__}-{scheme.order}")
@pytest.mark.parametrize("seed", SEEDS)
def test_units_that_are_powers_of_two_change_no_bit(seed, scheme, powers):
    """Steps, iterations, motion and multipliers."""
    trial = Trial(describe(seed))
    length, mass, time = (2.0**k for k in powers)
    view = View(length=length, mass=mass, time=time)
    ours, theirs = trial.motion(scheme, 16), trial.motion(scheme, 16, view)
    assert (ours.steps, ours.tally, ours.freedom) == (theirs.steps, theirs.tally, theirs.freedom)
    units_of = {"a": length, "B": 1.0, "p": view.unit(1, 1, -1), "L": view.unit(2, 1, -1)}
    for name, unit in units_of.items():
        assert np.array_equal(getattr(ours.record, name) * unit, getattr(theirs.record, name)), name


def four_bar(view):
    """A parallelogram that passes its flat configuration, in other units."""
    m = lv.Model(gravity=np.array([0, 0, -9.81]) * view.unit(1, 0, -2), name="four-bar")
    steel = lv.Box(1.0 * view.length, 0.1 * view.length, 0.1 * view.length, mass=view.mass)
    long = lv.Box(2.0 * view.length, 0.1 * view.length, 0.1 * view.length, mass=2.0 * view.mass)
    up = lv.Pose.from_axis_angle((0, 1, 0), -np.pi / 2).B
    spin = np.array([0.0, 9.0, 0.0]) / view.time
    across = np.array([9.0, 0.0, 0.0]) * view.unit(1, 0, -1)
    at = lambda *x: view.length * np.array(x)  # noqa: E731
    one = m.add(lv.Body(steel, at=at(0, 0, 0.5), rotation=up, angular_velocity=spin, velocity=0.5 * across, name="one"))
    two = m.add(lv.Body(steel, at=at(2, 0, 0.5), rotation=up, angular_velocity=spin, velocity=0.5 * across, name="two"))
    bar = m.add(lv.Body(long, at=at(1, 0, 1), velocity=across, name="bar"))
    for a, b, x in ((m.world, one, (0, 0, 0)), (m.world, two, (2, 0, 0)), (one, bar, (0, 0, 1)), (two, bar, (2, 0, 1))):
        m.add(lv.Revolute(a.point_at(at(*x)), b.point_at(at(*x)), axis=(0, 1, 0)))
    return m


@pytest.mark.parametrize("powers", POWERS.values(), ids=POWERS)
def test_singular_configurations_are_passed_alike_in_every_unit(powers):
    """The corrections near a singular configuration compare rates, too."""
    length, mass, time = (2.0**k for k in powers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        ours, theirs = (
            lv.simulate(four_bar(view), h=1e-3 * view.time, until=0.5 * view.time)
            for view in (View(), View(length=length, mass=mass, time=time))
        )
    assert ours.tally == theirs.tally
    assert ours.tally[1] > 0  # steps near the flat configuration
    assert np.array_equal(ours.record.a * length, theirs.record.a)
    assert np.array_equal(ours.record.B, theirs.record.B)


@pytest.mark.parametrize("speed", [1e-30, 1.0, 1e30])
def test_velocities_that_the_joints_remove_altogether_are_no_error(speed):
    """A welded body has no velocity left; round-off of the removed one is not a contradiction."""
    m = lv.Model()
    block = m.add(lv.Body(lv.Box(1, 2, 3, density=1.0), at=(0.3, 0.7, 0.1), name="block"))
    block.velocity = np.array([0.3, 0.5, 0.7]) * speed
    block.body_rates = np.array([0.11, 0.17, 0.23]) * speed
    m.add(lv.Rigid(m.world.point(0.1, 0.2, 0.3), block.point_at(0.1, 0.2, 0.3), name="weld"))
    with pytest.warns(lv.ModelWarning, match="velocities did not satisfy"):
        motion = lv.dynamics(m)
    assert motion.freedom == 0


@pytest.mark.parametrize("seed", range(100, 110))
def test_random_models_in_other_units_and_orientations(seed):
    assert units.examine(seed, units=3, orientations=2)[0] == []


def test_the_comparison_can_fail(monkeypatch):
    """A stiffness with a wrong unit, and a reaction in other axes, are detected."""
    seed = next(k for k in range(50) if describe(k).pulls and any(p.stiffness for p in describe(k).pulls))

    def wrong(told, view=None):
        model = build(told, view)
        if view is not None and view.time != 1.0:
            for force in model.forces:
                if isinstance(force, lv.Spring):
                    force.stiffness *= 1.0 + 1e-6
        return model

    monkeypatch.setattr("benchmarks.random_models.trial.build", wrong)
    assert any("mm, g, ms, orientation 1: motion differs" in text for text in units.examine(seed, 2, 1)[0])
