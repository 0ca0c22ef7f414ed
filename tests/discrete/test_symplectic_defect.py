"""Symplectic schemes are so to 1e-9 and better, also on constraints; others are not, by orders of magnitude."""

import pytest

import livens.discrete as ld
from tests.helpers import lagrangians
from tests.helpers.general_schemes import DAMPING, NEWMARK, VARIATIONAL, name

PROBLEMS = {
    "double pendulum": (lagrangians.double_pendulum, 0.05),
    "Kepler": (lagrangians.kepler, 0.05),
    "relativistic": (lagrangians.relativistic, 0.2),
    "sphere": (lambda: lagrangians.spherical_pendulum(q=(0.6, 0.0, -0.8)), 0.05),
    "rods": (lagrangians.double_pendulum_in_places, 0.02),
}


def defect(which, scheme):
    build, h = PROBLEMS[which]
    given = build()
    return ld.symplectic_defect(given.system, scheme, given.q, given.v, h)


@pytest.mark.parametrize("which", PROBLEMS)
@pytest.mark.parametrize("scheme", VARIATIONAL, ids=name)
def test_variational_schemes_are_symplectic(which, scheme):
    assert defect(which, scheme) < 1e-10


@pytest.mark.parametrize("which", PROBLEMS)
@pytest.mark.parametrize("scheme", [*DAMPING, ld.Newmark(0.5)], ids=name)
def test_others_are_not(which, scheme):
    assert defect(which, scheme) > 1e-6


def test_verlet_is_symplectic_where_the_mass_is_constant():
    assert defect("Kepler", NEWMARK[0]) < 1e-10
    assert defect("double pendulum", NEWMARK[0]) > 1e-4


@pytest.mark.parametrize("which", ["sphere", "rods"])
def test_a_reaction_at_the_middle_is_not_symplectic_but_keeps_energy(which):
    scheme, given = ld.Midpoint(reaction="middle"), PROBLEMS[which][0]()
    assert defect(which, scheme) > 1e-6
    run = ld.simulate(given.system, scheme, given.q, given.v, 0.01, 20.0)
    assert abs(run.energy - run.energy[0]).max() < 1e-12
    assert not scheme.variational


def test_many_coordinates_are_tried_along_random_directions():
    given = lagrangians.spring_network(3)
    assert ld.symplectic_defect(given.system, ld.Midpoint(), given.q, given.v, 0.01) < 1e-9
    assert ld.symplectic_defect(given.system, ld.GeneralizedAlpha(0.5), given.q, given.v, 0.01) > 1e-6


def test_from_rest_at_the_origin():
    given = lagrangians.harmonic()
    assert ld.symplectic_defect(given.system, ld.Midpoint(), [0.0], [0.0], 0.1) < 1e-10
