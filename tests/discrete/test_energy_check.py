"""The energy warning of Lagrangian systems: steps that are too long, and no warning where energy is kept or lost."""

import warnings

import numpy as np
import pytest

import livens.discrete as ld
from livens.discrete.energy_check import energy_error
from livens.errors import ModelWarning
from tests.helpers.solids import truss

SCHEMES = [
    ld.Midpoint(),
    ld.Trapezoidal(),
    ld.Galerkin(4),
    ld.Newmark(),
    ld.IncrementalPotential(),
    ld.GeneralizedAlpha(),
]


def oscillator(omega=1.0, mass=1.0, **more):
    return ld.Mechanical(mass=[mass], potential=lambda x: 0.5 * mass * omega**2 * x[0] ** 2, **more)


def test_a_truss_that_snaps_at_a_step_that_is_too_long():
    """Its energy was doubled by an incremental potential at hω ≈ 10, without a word."""

    def run(h):
        return ld.simulate(truss(lambda t: 0.0), ld.IncrementalPotential(), [0.3, 0.2], [0, 300.0], h, 200 * h)

    words = r"the energy error is .* % of the largest energy exchanged; h = 0\.05 s is too long .*: try h = 0\.01"
    with pytest.warns(ModelWarning, match=words):
        assert run(0.05).imbalance.max() > 0.05 * 45_000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(1e-4)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_no_warning_at_a_step_that_is_short(scheme, unit):
    """In any unit, with and without damping, and at rest, where nothing is exchanged."""
    for system, q in (
        (oscillator(1.0, unit), [unit]),
        (oscillator(2.0, unit, damping=[0.5 * unit]), [unit]),
        (oscillator(), [0.0]),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run = ld.simulate(system, scheme, q, [0.0], h=0.02, until=20.0)
        assert energy_error(run) < 0.01


@pytest.mark.parametrize("scheme", [ld.Trapezoidal(), ld.Newmark(0.0, 0.5)], ids=repr)
def test_a_step_near_the_limit_of_stability_gives_a_warning(scheme):
    """E of the trapezoidal rule swings by 1/(1 − (hω/2)²)."""
    with pytest.warns(ModelWarning, match="the energy error is"):
        run = ld.simulate(oscillator(), scheme, q=[1.0], v=[0.0], h=1.2, until=100.0)
    whole = np.ptp(run.energy) / max(0.5 * (run.v**2).max(), np.ptp(0.5 * run.q**2))
    assert 0.99 * whole <= energy_error(run) <= (1.0 + 1e-9) * whole


def test_a_scheme_that_dissipates_on_purpose_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = ld.simulate(oscillator(), ld.GeneralizedAlpha(0.0), q=[1.0], v=[0.0], h=0.5, until=100.0)
    assert run.energy[-1] < 0.5 * run.energy[0]


def test_a_comparison_of_steps_gives_no_warnings():
    problem = ld.Problem(oscillator(), q=[1.0], v=[0.0], until=60.0, name="oscillator")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(ld.compare(problem, [ld.Trapezoidal()], h=[1.2, 0.1]).rows) == 2
