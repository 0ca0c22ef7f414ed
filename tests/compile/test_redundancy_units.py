"""The number of redundant constraints does not depend on the unit of length, nor on lever arms that are round-off."""

import numpy as np
import pytest

import livens as lv
from benchmarks import units
from livens.compile.compiled import Compiled
from livens.compile.states import copied

UNITS = [1e-12, 1e-6, 1.0, 1e6, 1e12]


def random_rotation(rng):
    return lv.Pose.from_quaternion(rng.normal(size=4)).B


def loop(unit, seed):
    """Four bodies in a loop: two joints that fix orientations only, between a hinge and a universal joint."""
    rng = np.random.default_rng(seed)
    Q, at = random_rotation(rng), unit * rng.normal(size=(4, 3))
    m = lv.Model(name="loop")
    first, middle, other, last = (
        m.add(lv.Body(lv.MassProperties(1.0, unit**2 * np.array([1.0, 1.2, 1.5])), at=Q @ x, name=f"b{k}"))
        for k, x in enumerate(at)
    )
    place, side = unit * rng.normal(size=3), unit * rng.normal(size=3)
    a, b, c = random_rotation(rng)
    m.add(lv.FixedOrientation(first, middle, name="one"))
    m.add(lv.FixedOrientation(other, middle, name="two"))
    m.add(lv.Revolute(other.point_at(Q @ place), last.point_at(Q @ place), axis=Q @ a, name="hinge"))
    ends = first.point_at(Q @ side), last.point_at(Q @ side)
    m.add(lv.Universal(*ends, axis_a=Q @ b, axis_b=Q @ c, name="cross"))
    return m


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seed", range(5))
def test_joints_that_only_turn_bodies(unit, seed):
    """3 + 3 + 5 + 4 independent equations of 24 velocities: a body with rotations only has no lever arm of its own."""
    compiled = Compiled.of(loop(unit, seed), quiet=True)
    assert (compiled.freedom, compiled.left_out) == (9, frozenset())


def centred(unit, seed):
    """Two bodies joined at both centres: a ball joint at the centre of the second, whose orientation is fixed too, and
    once more by a weld: six equations are redundant."""
    rng = np.random.default_rng(seed)
    Q = random_rotation(rng)
    m = lv.Model(name="centred")
    one = m.add(lv.Body(lv.Box(unit, 2 * unit, 3 * unit, mass=1.0), at=Q @ (unit * rng.normal(size=3)), name="one"))
    at = Q @ (unit * rng.normal(size=3))
    two = m.add(lv.Body(lv.Box(unit, 2 * unit, 3 * unit, mass=1.0), at=at, rotation=random_rotation(rng), name="two"))
    m.add(lv.Spherical(one.point_at(at), two.point_at(at), name="ball"))
    m.add(lv.FixedOrientation(one, two, name="fixed"))
    m.add(lv.Rigid(one.point_at(at), two.point_at(at), name="weld"))
    return m


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seed", range(5))
def test_joints_at_centres_of_mass(unit, seed):
    compiled = Compiled.of(centred(unit, seed), quiet=True)
    assert (compiled.freedom, len(compiled.left_out)) == (6, 6)


def test_a_search_for_positions_that_diverges_is_an_error():
    """Such positions are not used to count redundant constraints; in the equations they would be NaN."""
    compiled = Compiled.of(loop(1.0, 0), quiet=True)
    there = compiled.assembly(copied(compiled.state))
    there.state.a[1] = np.nan
    with pytest.raises(lv.ModelError, match="diverges"):
        there.project_positions()


def test_a_mechanism_whose_wandering_diverges_in_one_unit_only():
    assert units.examine(10118, units=11, orientations=1)[0] == []
