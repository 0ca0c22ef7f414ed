"""AᵀΩA = Ω for one step of every scheme; and for maps that are not symplectic it is not."""

import numpy as np
import pytest

import livens as lv
from livens.analysis.step_properties import defect, form, tangents, units
from livens.compile.system import compile_model
from tests.helpers import problems, schemes

ROUND_OFF = 1e-10  # of the differences: some 1e5 eps, for spacings of 1/256 and bodies of different size
CONSERVATIVE = [problem for problem in problems.PROBLEMS if problem.conservative]


def later(model, h=5e-3, steps=20):
    """A generic state."""
    return lv.advance(model, lv.Livens(), compile_model(model)[1], h, steps)


@pytest.mark.parametrize("problem", CONSERVATIVE, ids=problems.name)
@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_symplecticity(scheme, problem):
    model = problem.build()
    assert lv.symplecticity(model, scheme, h=5e-3) <= ROUND_OFF
    assert lv.symplecticity(model, scheme, h=-5e-3, state=later(model)) <= ROUND_OFF


@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_large_steps_are_symplectic_too(scheme):
    """Half a radian per stage: the property is exact for all h."""
    m = lv.Model()
    m.add(lv.Body(problems.lopsided(1), body_rates=(0.3, 2, 0.1), name="body"))
    assert lv.symplecticity(m, scheme, h=0.25 / np.abs(scheme.weights).max()) <= ROUND_OFF


def test_form_is_skew_and_not_degenerate():
    """Ω has unit volume for every angular momentum."""
    m = problems.hung()
    _, state, *_ = compile_model(m)
    unit = units(compile_model(m)[0].bodies, state, 1e-2)
    Omega = form(state, unit)
    assert np.array_equal(Omega, -Omega.T)
    assert abs(np.linalg.det(Omega) - 1.0) <= 1e-12


@pytest.mark.parametrize("loss", [1e-3, 1e-6])
def test_a_map_that_is_not_symplectic_is_detected(loss):
    """Scaling all momenta by 1 − loss scales Ω by the same, plus the loss of L in its gyroscopic term."""
    m, h = problems.hung(), 5e-3
    system, start, *_ = compile_model(m)

    def leaky(state):
        after = lv.advance(m, lv.Livens(), state, h)
        return after._replace(p=(1 - loss) * after.p, L=(1 - loss) * after.L)

    found = defect(leaky, start, units(system.bodies, start, h), tangents(system.bodies))
    assert abs(found - loss) <= 0.5 * loss


def test_a_missing_gyroscopic_term_is_detected():
    """Without L·(δθ × δθ') in Ω even a symplectic map would fail: both ends need the term."""
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.3, 2, 0.1), name="body"))
    system, start, *_ = compile_model(m)
    unit = units(system.bodies, start, 0.1)
    end = lv.advance(m, lv.Livens(), start, 0.1)
    difference = np.abs(form(end, unit) - form(start, unit)).max()
    assert difference > 1e5 * ROUND_OFF


def test_forces_that_follow_the_body_are_not_symplectic():
    """A thruster has no potential: the defect is not zero, and is of order h² in these units."""
    m = lv.Model()
    ship = m.add(lv.Body(problems.lopsided(6), body_rates=(0.3, 0.5, -0.2), name="ship"))
    m.add(lv.Load(ship.point(0.2, -0.1, 0.3), force=(1, 2, 3), axes="body"))
    big, small = (lv.symplecticity(m, lv.Livens(), h) for h in (2e-2, 1e-2))
    assert small > 1e3 * ROUND_OFF
    assert abs(np.log2(big / small) - 2.0) < 0.1


def test_forces_that_vary_with_time_are_symplectic():
    """A load in world axes is the gradient of −F(t)·x at each time."""
    m = lv.Model()
    ship = m.add(lv.Body(problems.lopsided(6), body_rates=(0.3, 0.5, -0.2), name="ship"))
    m.add(lv.Load(ship.point(0.2, -0.1, 0.3), force=lambda t: (1, np.cos(30 * t), t)))
    assert lv.symplecticity(m, lv.Livens(4), h=1e-2) <= ROUND_OFF
