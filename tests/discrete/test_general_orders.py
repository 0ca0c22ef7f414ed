"""Every scheme has the order it claims, within 0.1: in q, v and p, with constraints, with forces and dissipation.

References are by DOP853 with a tolerance of 1e-13; the double pendulum's mass matrix depends on q, and the relativistic
particle's Lagrangian is not quadratic in v.
"""

from functools import cache

import numpy as np
import pytest

import livens.discrete as ld
from livens.discrete import state_maps
from livens.discrete.legendre import evaluate
from tests.helpers import lagrangians
from tests.helpers.general_schemes import HOLDING, SCHEMES, STEPS, VARIATIONAL, name

PROBLEMS = {
    "double pendulum": lambda: lagrangians.double_pendulum(1.0),
    "relativistic": lambda: lagrangians.relativistic(1.0),
    "pushed": lambda: lagrangians.pushed(lagrangians.double_pendulum, 1.0),
    "on a sphere": lambda: lagrangians.spherical_pendulum(1.0, q=(0.6, 0.0, -0.8)),
    "on rods": lambda: lagrangians.double_pendulum_in_places(1.0),
    "on rods, pushed": lambda: lagrangians.pushed(lagrangians.double_pendulum_in_places, 1.0),
}


@cache
def problem(which):
    return PROBLEMS[which]()


TIMES = (0.5, 0.75, 1.0)  # several, so that no error changes sign just there


@cache
def reference(which):
    """q, v, p, λ at TIMES."""
    given = problem(which)
    t, state, n = np.array(TIMES), np.array([np.concatenate(given.at(t)) for t in TIMES]), given.system.n
    p = evaluate(given.system, state_maps.MOMENTUM_AND_ENERGY, t, state)[:, :n]
    return state[:, :n], state[:, n:], p, evaluate(given.system, state_maps.ACCELERATIONS, t, state)[:, n:]


def errors(which, scheme, h):
    given = problem(which)
    run = ld.simulate(given.system, scheme, given.q, given.v, h, given.until)
    at = [round(t / h) for t in TIMES]
    np.testing.assert_allclose(run.t[at], TIMES)
    ends = (run.q[at], run.v[at], run.p[at], run.multipliers[at])
    return np.array([np.linalg.norm(x - y) for x, y in zip(ends, reference(which), strict=True) if x.size])


COARSE = {("relativistic", 6): 5.0, ("on a sphere", 6): 3.0, ("pushed", 6): 1.5}  # where 6 shows, in STEPS


def check(which, scheme):
    h = STEPS[scheme.order] * COARSE.get((which, scheme.order), 1.0)
    large, small = errors(which, scheme, h), errors(which, scheme, h / 2)
    orders = np.log2(large / small)
    assert np.abs(orders - scheme.order).max() < 0.1, orders


@pytest.mark.parametrize("scheme", SCHEMES, ids=name)
@pytest.mark.parametrize("which", ["double pendulum", "relativistic", "pushed"])
def test_order(which, scheme):
    check(which, scheme)


@pytest.mark.parametrize("beta", [0.25, 0.5])
def test_order_with_dissipation_over_the_step(beta):
    check("pushed", ld.Newmark(beta, dissipation="step"))


@pytest.mark.parametrize("scheme", HOLDING, ids=name)
@pytest.mark.parametrize("which", ["on a sphere", "on rods", "on rods, pushed"])
def test_order_with_constraints(which, scheme):
    """Multipliers too, which follow from q and v."""
    check(which, scheme)


@pytest.mark.parametrize("scheme", HOLDING, ids=name)
def test_constraints_hold(scheme):
    given = problem("on rods")
    run = ld.simulate(given.system, scheme, given.q, given.v, 0.01, 5.0)
    assert run.defect[:, 0].max() < 1e-14
    if scheme in VARIATIONAL:
        assert run.defect[:, 1].max() < 1e-13


@pytest.mark.parametrize("closed", [lagrangians.harmonic, lagrangians.pendulum, lagrangians.kepler, lagrangians.damped])
def test_references_agree_with_closed_forms(closed):
    given = closed()
    computed = ld.Problem(given.system, given.q, given.v, given.until)
    for x, y in zip(given.at(given.until), computed.at(given.until), strict=True):
        np.testing.assert_allclose(x, y, atol=2e-10)


def test_angles_and_places_of_a_double_pendulum_agree():
    """Two descriptions of one mechanism meet at round-off of the scheme of order 6."""
    angles, places = problem("double pendulum"), problem("on rods")
    runs = [ld.simulate(p.system, ld.Galerkin(6), p.q, p.v, 0.005, 1.0) for p in (angles, places)]
    (a, b), tip = runs[0].q.T, runs[1].q[:, 2:]
    np.testing.assert_allclose(tip, np.column_stack([np.sin(a) + np.sin(b), -np.cos(a) - np.cos(b)]), atol=1e-11)
    np.testing.assert_allclose(runs[0].energy, runs[1].energy, atol=1e-11)
