"""Conservation and agreement checks of random models (the small size of benchmarks/random_models)."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import livens as lv
from benchmarks import random_models
from benchmarks.random_models import agreement, changes_of_view, describe, examine, invariants
from benchmarks.random_models.description import View, build
from benchmarks.random_models.fit import equations
from benchmarks.random_models.generate import MOST, TREE
from benchmarks.random_models.trial import Check, Trial
from livens.describe.joints.joint import Joint

# loops, repeated equations, thin bodies, dampers, free groups; two that cannot move
SEEDS = (2, 5, 6, 8, 11, 15, 19, 25, 27, 29, 32, 34, 299, 401)


def broken(checks):
    return [check for check in checks if not check.kept]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_model_passes_all_checks(seed):
    trial, checks = examine(seed)
    assert len(checks) >= 14
    assert not broken(checks), trial.told


@settings(derandomize=True, max_examples=25, deadline=None)
@given(st.integers(0, 10**9))
def test_a_seed_describes_one_valid_model(seed):
    """A valid mechanical system with a consistent start, identical for each call."""
    told = describe(seed)
    assert 1 <= len(told.parts) <= MOST
    for part, again in zip(told.parts, describe(seed).parts, strict=True):
        moments = np.linalg.eigvalsh(part.inertia)
        assert moments[0] >= -1e-15
        assert moments[2] <= moments[0] + moments[1] + 1e-15
        assert np.array_equal(part.velocity, again.velocity)
    if told.ties:
        u = np.concatenate([[*part.velocity, *part.spin] for part in told.parts])
        A = equations(told)
        assert np.abs(A @ u).max() <= 1e-13 * np.abs(A).max() * np.abs(u).max()


def kinds(joint=Joint):
    """The names of all public joints except user-written constraints."""
    below = joint.__subclasses__()
    return set().union(*map(kinds, below)) if below else {joint.__name__} - {"Constraint"}


def test_every_kind_is_drawn():
    many = [describe(seed) for seed in range(40)]
    assert {tie.kind for told in many for tie in told.ties} == {*TREE, "Coupling"} == kinds()
    assert {len(told.parts) for told in many} >= {1, 2}
    assert max(len(told.parts) for told in many) >= 15
    assert sum(told.loops for told in many) >= 10
    assert {bool(told.attraction) for told in many} == {told.damped for told in many} == {True, False}


# ── the checks can fail ──


def heavier(told, part=1e-6):
    first, *others = told.parts
    return replace(told, parts=(replace(first, mass=first.mass * (1.0 + part)), *others))


def test_another_mass_is_detected_by_the_independent_solution():
    trial = Trial(describe(1))
    trial.independent = Trial(heavier(trial.told)).independent
    assert {"RungeKutta(order=8)", "Livens(order=6)"} <= {check.what for check in broken(agreement.end(trial))}


def test_another_gravity_is_detected_by_the_momenta():
    trial = Trial(describe(19))
    assert trial.components
    assert not broken(invariants.momenta(trial))
    trial.told = replace(trial.told, gravity=trial.told.gravity + 1e-9)  # of 9.81 m/s²
    assert [check.what for check in broken(invariants.momenta(trial))] == ["linear momentum"]


def test_another_stiffness_is_detected_in_every_description(monkeypatch):
    """With slightly wrong units, frames, positions and order."""
    trial = Trial(describe(1))

    def wrong(told, view=None):
        pulls = told.pulls if view is None else [replace(p, stiffness=p.stiffness * (1 + 1e-8)) for p in told.pulls]
        return build(replace(told, pulls=tuple(pulls)), view)

    monkeypatch.setattr("benchmarks.random_models.trial.build", wrong)
    assert {check.what for check in broken(changes_of_view.checks(trial))} == set(changes_of_view.views(1))


def test_a_check_that_is_not_a_number_fails():
    assert not Check("nothing", float("nan"), 1.0).kept


def test_the_endurance_test_counts_failures_and_errors(monkeypatch):
    """The test continues after each."""

    def odd(seed):
        if seed == 7:
            raise lv.StepFailed("the step is too long.", None)
        if seed == 8:
            raise ZeroDivisionError("nothing there")
        return Trial(describe(0)), [Check("what", float(seed == 9), 0.5)]

    monkeypatch.setattr(random_models, "examine", odd)
    said = []
    counts = random_models.soak(4, 6, said.append)
    assert (counts.tried, counts.totals["checks"]) == (4, 2)
    assert [line.split(":")[0] for line in counts.failed] == ["seed 8", "seed 9"]
    assert counts.refused == ["seed 7: the step is too long."]
    assert "1 refused, 2 failed" in said[-1]


# ── regressions found by random models ──


@pytest.mark.parametrize(("length", "mass", "time"), [(2.0**10, 1, 1), (2.0**-10, 1, 1), (2.0**10, 2.0**10, 2.0**10)])
@pytest.mark.parametrize("seed", [1, 8])
def test_units_that_are_powers_of_two_change_no_bit(seed, length, mass, time):
    """Joints whose equations are lengths and angles (tolerances of both were once one number), and thin rods (whose
    moment about themselves was once 1 kg m² instead of nothing)."""
    trial = Trial(describe(seed))
    view = View(length=length, mass=mass, time=time)
    assert trial.apart(trial.end(view=view), trial.end()) == 0.0


def test_a_heavy_thin_rod_does_not_rotate_about_its_axis():
    """Its two moments of 1e12 kg m² differ by round-off; it rotates steadily about n only."""
    J, n = 1e12, np.array([0.0, 1.0, 1.0]) / np.sqrt(2.0)
    model = lv.Model()
    rod = model.add(lv.Body(lv.MassProperties(1e6, (0.0, J, J * (1 + 4e-16))), body_rates=n, name="rod"))
    motion = lv.simulate(model, h=1e-2, until=1.0)
    B = motion.rotation(rod)
    assert B[-1, 0, 0] == pytest.approx(np.cos(1.0), abs=1e-4)
    assert np.abs(n @ B - n @ B[0]).max() <= 100 * np.finfo(float).eps
