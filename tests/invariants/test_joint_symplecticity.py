"""The step with joints is a symplectic map of the constraint manifold, to the accuracy of finite differences."""

import pytest

import livens as lv


def hinged_pair(damping=0.0):
    m = lv.Model(gravity=(0, 0, -9.81))
    one = m.add(lv.Body(lv.Box(1, 0.1, 0.2, mass=1), at=(0.5, 0, 0), name="one"))
    two = m.add(lv.Body(lv.Box(1, 0.1, 0.2, mass=2), at=(1.5, 0, 0), name="two"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), one.point(-0.5, 0, 0)))
    m.add(lv.Revolute(one.point(0.5, 0, 0), two.point(-0.5, 0, 0), axis=(0, 1, 0), damping=damping, name="hinge"))
    return m


@pytest.mark.parametrize("order", [2, 4, 6])
def test_the_step_is_symplectic_on_the_constraint_manifold(order):
    m = hinged_pair()
    state = lv.simulate(m, h=1e-2, until=0.5).state
    assert lv.symplecticity(m, lv.Livens(order), h=0.02, state=state) < 1e-10


def test_a_damper_is_detected():
    motion, damped = lv.simulate(hinged_pair(), h=1e-2, until=0.5), hinged_pair(damping=0.1)
    state = lv.transfer(motion, to=damped)
    assert lv.symplecticity(damped, lv.Livens(), h=0.02, state=state) > 1e-6


def test_a_state_of_another_model_is_refused():
    """A state whose arrays have other sizes never reaches the kernels."""
    state, damped = lv.simulate(hinged_pair(), h=1e-2, until=0.5).state, hinged_pair(damping=0.1)
    with pytest.raises(lv.ModelError, match="of the start"):
        lv.symplecticity(damped, lv.Livens(), h=0.02, state=state)
    with pytest.raises(lv.ModelError, match="of the start"):
        lv.advance(damped, lv.Livens(), state, h=0.02)
