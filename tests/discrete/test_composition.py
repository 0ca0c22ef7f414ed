"""Schemes made of schemes have the order they claim, and the rectangle rules make Störmer–Verlet."""

import numpy as np
import pytest

import livens as lv
import livens.discrete as ld


def pendula(**more):
    def L(q, v):
        return (
            v[0] ** 2 + 0.5 * v[1] ** 2 + v[0] * v[1] * ld.cos(q[0] - q[1]) + 9.81 * (2 * ld.cos(q[0]) + ld.cos(q[1]))
        )

    return ld.Lagrangian(L, n=2, **more)


START = {"q": [2.0, 1.0], "v": [0.0, 0.0], "until": 2.0}
LEFT, RIGHT = ld.Rectangle("left"), ld.Rectangle("right")
VERLET = ld.Composition([(LEFT, 0.5), (RIGHT, 0.5)], order=2)


@pytest.mark.parametrize(
    "scheme", [VERLET, ld.compose(ld.Midpoint(), 4), ld.compose(ld.Trapezoidal(), 4), ld.compose(ld.Midpoint(), 6)],
    ids=repr,
)  # fmt: skip
def test_order_with_a_mass_that_depends_on_position(scheme):
    system = pendula()
    exact = ld.simulate(system, ld.Galerkin(6), h=1e-3, **START)
    errors = []
    for n in (100, 200) if scheme.order < 6 else (150, 300):
        run = ld.simulate(system, scheme, h=2.0 / n, **START)
        errors.append(max(np.abs(run.q[-1] - exact.q[-1]).max(), np.abs(run.v[-1] - exact.v[-1]).max()))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(scheme.order, abs=0.1), errors


def test_order_with_forces_that_depend_on_time():
    """Every part of a step asks for the force at its own times."""
    system = ld.Mechanical(mass=[1.0], potential=lambda x: x[0] ** 4, force=lambda t: [ld.sin(3.0 * t)])
    exact = ld.simulate(system, ld.Galerkin(6), q=[1.0], v=[0.0], h=1e-3, until=2.0)
    errors = []
    for n in (100, 200):
        run = ld.simulate(system, ld.compose(ld.Midpoint(), 4), q=[1.0], v=[0.0], h=2.0 / n, until=2.0)
        errors.append(abs(run.q[-1, 0] - exact.q[-1, 0]))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.1), errors


def test_half_left_and_half_right_is_trapezoidal_for_a_constant_mass():
    """Left then right evaluates the potential at both ends of the whole step; right then left in its middle."""
    system = ld.Mechanical(mass=[1.0, 2.0], potential=lambda x: x[0] ** 4 + x[0] * x[1] + x[1] ** 2)
    start = {"q": [1.0, 0.3], "v": [0.2, -0.4], "h": 0.05, "until": 2.0}
    verlet, whole = ld.simulate(system, VERLET, **start), ld.simulate(system, ld.Trapezoidal(), **start)
    assert np.abs(verlet.q - whole.q).max() < 1e-12
    assert np.abs(verlet.p - whole.p).max() < 1e-12
    other = ld.simulate(system, ld.Composition([(RIGHT, 0.5), (LEFT, 0.5)], order=2), **start)
    assert np.abs(other.q - whole.q).max() > 1e-5


def test_the_rectangle_rules_are_adjoint():
    """A step of the one forwards and of the other backwards is no step at all."""
    system = pendula()
    forth_and_back = ld.Composition([(LEFT, 1.0), (RIGHT, -1.0), (ld.Midpoint(), 1.0)])
    run = ld.simulate(system, forth_and_back, h=0.02, **START)
    plain = ld.simulate(system, ld.Midpoint(), h=0.02, **START)
    assert np.abs(run.q - plain.q).max() < 1e-11


def test_compositions_hold_constraints():
    pendulum = ld.Lagrangian(
        lambda q, v: 0.5 * ld.dot(v, v) - 9.81 * q[2], n=3, constraints=lambda q: (ld.dot(q, q) - 1) / 2
    )
    exact = ld.simulate(pendulum, ld.Galerkin(6, "lobatto"), q=[1, 0, 0], v=[0, 1, 0], h=1e-3, until=1.0)
    errors = []
    for n in (50, 100):
        run = ld.simulate(pendulum, ld.compose(ld.Trapezoidal(), 4), q=[1, 0, 0], v=[0, 1, 0], h=1 / n, until=1.0)
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
        assert run.defect.max() < 1e-13
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.1), errors


def test_what_cannot_be_composed():
    with pytest.raises(lv.ModelError, match="must sum to 1"):
        ld.Composition([(LEFT, 0.5), (RIGHT, 0.6)])
    with pytest.raises(lv.ModelError, match="cannot be composed"):
        ld.Composition([(LEFT, 0.5), (ld.Newmark(), 0.5)])
    with pytest.raises(lv.ModelError, match="pairs of a scheme and its weight"):
        ld.Composition([])
    with pytest.raises(lv.ModelError, match="symmetric scheme of order 2"):
        ld.compose(LEFT, 4)
    with pytest.raises(lv.ModelError, match="order 4 or 6"):
        ld.compose(ld.Midpoint(), 8)
    damped = pendula(dissipation=lambda q, v: 0.1 * ld.dot(v, v))
    with pytest.raises(lv.ModelError, match="dissipation would feed energy in"):
        ld.simulate(damped, ld.compose(ld.Midpoint(), 4), h=0.01, **START)
