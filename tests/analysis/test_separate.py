"""Bodies that overlap at the start: refused with the depth, and moved apart on request."""

from __future__ import annotations

import numpy as np
import pytest

import livens as lv
from tests.helpers.contacts import found_contacts


def depth(model):
    return max([0.0, *(-c.gap for c in found_contacts(model))])


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_two_balls_move_by_half_of_their_overlap(unit):
    """The least move of both is along the line of their centres."""
    m = lv.Model()
    u = np.array([1.0, 2.0, -2.0]) / 3.0
    for k in range(2):
        m.add(lv.Body(lv.Ball(0.5 * unit, mass=1.0 + k), at=0.9 * k * unit * u, name=f"ball {k}"))
    m.add(lv.Contacts())
    with pytest.raises(lv.ModelError, match=rf"'ball 0' and 'ball 1' overlap at the start by {0.1 * unit:.3g} m"):
        lv.simulate(m, h=1e-2, until=0.1)
    found = lv.assemble(m, apart=True)
    assert {name: pytest.approx(far / unit, abs=1e-8) for name, (far, _) in found.moved.items()} == {
        "ball 0": 0.05,
        "ball 1": 0.05,
    }
    assert np.allclose(m["ball 1"].pose.a - m["ball 0"].pose.a, unit * u, rtol=1e-8)
    assert lv.simulate(m, h=1e-2, until=0.1).steps == 10


def test_held_bodies_stay():
    m = lv.Model()
    for k in range(2):
        m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(0.8 * k, 0.1, 0), name=f"box {k}"))
    m.add(lv.Contacts([m.world.plane((0, 0, -0.5))]))
    found = lv.assemble(m, hold=["box 0"], apart=True)
    assert list(found.moved) == ["box 1"]
    assert m["box 1"].pose.a == pytest.approx([1.0, 0.1, 0.0], abs=1e-8)
    m["box 1"].pose = lv.Pose((0.8, 0, 0))
    with pytest.raises(lv.ModelError, match=r"'box 0' and 'box 1' cannot be moved apart: they still overlap by 0\.2 m"):
        lv.assemble(m, hold=["box 0", "box 1"], apart=True)


@pytest.mark.parametrize("seed", range(8))
def test_random_piles_are_moved_apart(seed):
    """Up to twelve random bodies that overlap, above a floor, in random orientation and unit."""
    rng = np.random.default_rng(seed)
    unit, R = 10.0 ** rng.uniform(-2, 2), lv.Pose.from_axis_angle(rng.normal(size=3), rng.uniform(0, 3)).B
    m = lv.Model()
    for k in range(int(rng.integers(3, 13))):
        s = unit * rng.uniform(0.2, 0.5, 3)
        shape = [lv.Ball(s[0], mass=1.0), lv.Box(*(2 * s), mass=1.0), lv.Capsule(s[0], s[1], mass=1.0)][k % 3]
        turn = lv.Pose.from_axis_angle(rng.normal(size=3), rng.uniform(0, 3)).B
        m.add(lv.Body(shape, at=unit * R @ (np.array([0, 0, 1]) + rng.normal(size=3)), rotation=turn, name=f"body {k}"))
    m.add(lv.Contacts([m.world.plane((0, 0, 0), normal=R[:, 2])]))
    before = depth(m)
    assert before > 1e-3 * unit
    lv.assemble(m, apart=True)
    assert depth(m) < 1e-8 * unit
    lv.simulate(m, h=1e-2, until=0.02)


def test_joints_are_kept():
    """A pendulum of two bars whose tip is inside a wall: it turns out of it, on its hinges."""
    m = lv.Model()
    turn = lv.Pose.from_axis_angle((0, 1, 0), 0.5 * np.pi).B
    places = ((0.5, "one"), (1.5, "two"))
    bars = [m.add(lv.Body(lv.Capsule(0.05, 0.8, mass=1.0), at=(x, 0, 0), rotation=turn, name=n)) for x, n in places]
    m.add(lv.Revolute(m.world.point(0, 0, 0), bars[0].point_at(0, 0, 0), axis=(0, 1, 0), name="one hinge"))
    m.add(lv.Revolute(bars[0].point_at(1, 0, 0), bars[1].point_at(1, 0, 0), axis=(0, 1, 0), name="two hinge"))
    n = np.array([0.0, 0.0, 1.0])
    m.add(lv.Contacts([m.world.plane((0, 0, 0.02), normal=n)]))
    lv.assemble(m, apart=True)
    motion = lv.simulate(m, h=1e-2, until=0.1)
    assert motion.defect_position.max() < 1e-12
    for bar in bars:
        ends = [motion.position(bar.point(0, 0, z))[0] for z in (-0.4, 0.4)]
        assert min(x @ n for x in ends) > 0.02 + 0.05 - 1e-8
    assert np.linalg.norm(motion.position(bars[0].point(0, 0, -0.5))[0]) == pytest.approx(0.0, abs=1e-12)


def test_a_model_without_contacts():
    m = lv.Model()
    m.add(lv.Body(lv.Ball(0.5, mass=1.0)))
    with pytest.raises(lv.ModelError, match="no contacts"):
        lv.assemble(m, apart=True)
