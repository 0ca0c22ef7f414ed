"""The step with joints is a symplectic map of the constraint manifold, to the accuracy of finite differences."""

import pytest

import livens as lv


def hinged_pair():
    m = lv.Model(gravity=(0, 0, -9.81))
    one = m.add(lv.Body(lv.Box(1, 0.1, 0.2, mass=1), at=(0.5, 0, 0), name="one"))
    two = m.add(lv.Body(lv.Box(1, 0.1, 0.2, mass=2), at=(1.5, 0, 0), name="two"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), one.point(-0.5, 0, 0)))
    m.add(lv.Revolute(one.point(0.5, 0, 0), two.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    return m


@pytest.mark.parametrize("order", [2, 4, 6])
def test_the_step_is_symplectic_on_the_constraint_manifold(order):
    m = hinged_pair()
    state = lv.simulate(m, h=1e-2, until=0.5).state
    assert lv.symplecticity(m, lv.Livens(order), h=0.02, state=state) < 1e-10


def test_a_damper_is_detected():
    m = hinged_pair()
    state = lv.simulate(m, h=1e-2, until=0.5).state
    m["hinge"].damping = 0.1
    damped = state._replace(lam=lv.simulate(m, h=1e-2, until=0.01).state.lam * 0.0)
    assert lv.symplecticity(m, lv.Livens(), h=0.02, state=damped) > 1e-6
