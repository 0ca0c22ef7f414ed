"""Forces are minus the gradient of the potential, term by term, by differences in plain arrays."""

import numpy as np
import pytest

import livens as lv
from livens.compile.system import compile_model, registers, scratch
from livens.kernels.forces import energies_of_record, forces_of_record
from livens.kernels.potential import kinetic
from tests.helpers import problems

EPS = np.finfo(float).eps


def bodies_and(*forces, gravity=(0, 0, 0)):
    """Three bodies somewhere, with the forces that are asked for."""
    m = lv.Model(gravity=gravity)
    one, two, three = (
        m.add(lv.Body(problems.lopsided(k), at=(k - 40, 0.1 * k, 0.2), rotation=problems.turned(k), name=f"b{k}"))
        for k in (40, 41, 42)
    )
    for force in forces:
        m.add(force(m, one, two, three))
    return m


TERMS = {
    "gravity": bodies_and(gravity=(1, -2, -9.81)),
    "spring": bodies_and(
        lambda m, a, b, c: lv.Spring(a.point(0.1, 0, 0.2), b.point(0, 0.3, 0), stiffness=7, length=0.4)
    ),
    "spring to the world": bodies_and(
        lambda m, a, b, c: lv.Spring(m.world.point(1, 2, 3), c.point(0, 0.3, 0), stiffness=7, length=0.4)
    ),
    "spring of length zero": bodies_and(
        lambda m, a, b, c: lv.Spring(a.point(0.1, 0, 0), c.point(0, 0.3, 0), stiffness=7, length=0)
    ),
    "attraction": bodies_and(lambda m, a, b, c: lv.Attraction(G=2.0)),
    "everything": bodies_and(
        lambda m, a, b, c: lv.Spring(a.point(0.1, 0, 0.2), b.point(0, 0.3, 0), stiffness=7, length=0.4),
        lambda m, a, b, c: lv.Spring(b.point(0.1, 0, 0.2), m.world.point(0, 0.3, 0), stiffness=5, length=0.1),
        lambda m, a, b, c: lv.Attraction(G=2.0, bodies=[a, c]),
        gravity=(0, 0, -9.81),
    ),
}


def potential(system, state):
    T, V = np.zeros(1), np.zeros(1)
    energies_of_record(system, type(state)(*(x[None] for x in state)), np.zeros(1), registers(system), T, V)
    return V[0]


def forces(system, state, signals=None):
    f, tau = np.full((1, *state.p.shape), np.nan), np.full((1, *state.L.shape), np.nan)
    signals = np.zeros((1, 6 * len(system.loads.body))) if signals is None else signals
    forces_of_record(system, type(state)(*(x[None] for x in state)), signals, scratch(system), f, tau)
    return f[0], tau[0]


def exp(w):
    K = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    t = np.linalg.norm(w)
    return np.eye(3) + np.sinc(t / np.pi) * K + 0.5 * np.sinc(t / 2 / np.pi) ** 2 * K @ K


@pytest.mark.parametrize("term", TERMS)
def test_forces_are_minus_the_gradient(term):
    """Central differences of spacing s, extrapolated: error O(s⁴) with O(eps/s), so about eps^(4/5)."""
    system, state, *_ = compile_model(TERMS[term])
    f, tau = forces(system, state)
    s = EPS**0.2
    size = max(1.0, abs(potential(system, state)))

    def moved(b, k, step, turn):
        copy = type(state)(*(x.copy() for x in state))
        if turn:
            copy.B[b] = copy.B[b] @ exp(step * np.eye(3)[k])
        else:
            copy.a[b, k] += step
        return potential(system, copy)

    for b in range(1, len(f)):
        for k in range(3):
            for turn, found in ((False, f[b, k]), (True, tau[b, k])):
                D = [(moved(b, k, h, turn) - moved(b, k, -h, turn)) / (2 * h) for h in (s, s / 2)]
                assert abs(-(4 * D[1] - D[0]) / 3 - found) <= 100 * size * EPS**0.8


@pytest.mark.parametrize("term", ["spring", "spring of length zero", "attraction"])
def test_action_and_reaction(term):
    """Between bodies forces sum to zero, and so do their moments about the origin."""
    system, state, *_ = compile_model(TERMS[term])
    f, tau = forces(system, state)
    moment = np.cross(state.a, f) + np.einsum("bij,bj->bi", state.B, tau)
    assert np.abs(f.sum(axis=0)).max() <= 16 * EPS * np.abs(f).max()
    assert np.abs(moment.sum(axis=0)).max() <= 64 * EPS * np.abs(moment).max()


def test_spring_pressed_to_a_point_pulls_nowhere():
    """Where its ends meet a spring with a rest length has no direction: no force, and no NaN."""
    m = lv.Model()
    b = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), at=(1, 0, 0), name="b"))
    m.add(lv.Spring(m.world.point(0, 0, 0), b.point(0, 0, 0), stiffness=5, length=1.0))
    system, state, *_ = compile_model(m)
    state.a[1] = 0.0
    f, tau = forces(system, state)
    assert not f.any()
    assert not tau.any()
    assert potential(system, state) == 2.5


def test_loads_in_world_and_body_axes():
    """A load in body axes turns with the body, one in world axes does not; both pull at their point."""
    B = problems.turned(3)
    F, M, r = np.array([1.0, 2, 3]), np.array([0.4, 0.5, 0.6]), np.array([0.1, 0.2, -0.3])
    for axes, A in (("world", np.eye(3)), ("body", B)):
        m = lv.Model()
        body = m.add(lv.Body(problems.lopsided(1), rotation=B, name="b"))
        m.add(lv.Load(body.point(r), force=F, torque=M, axes=axes))
        system, state, *_ = compile_model(m)
        f, tau = forces(system, state, np.concatenate([F, M])[None])
        Q, c = system.bodies.axes[1], body.mass_properties.center
        assert np.abs(f[1] - A @ F).max() <= 16 * EPS
        assert np.abs(Q @ tau[1] - (np.cross(r - c, B.T @ A @ F) + B.T @ A @ M)).max() <= 32 * EPS


def test_kinetic_energy():
    system, state, *_ = compile_model(TERMS["everything"])
    rng = np.random.default_rng(0)
    p, L = rng.normal(size=state.p.shape), rng.normal(size=state.L.shape)
    expected = sum(
        0.5 * p[b] @ p[b] / system.bodies.mass[b] + 0.5 * L[b] @ (L[b] / system.bodies.inertia[b]) for b in (1, 2, 3)
    )
    assert abs(kinetic(system.bodies, p, L) - expected) <= 16 * EPS * expected


def test_the_world_feels_nothing():
    """What pulls at the world goes into row 0 and moves nobody."""
    system, state, *_ = compile_model(TERMS["spring to the world"])
    assert system.bodies.inverse_mass[0] == 0.0
    assert not system.bodies.inverse_inertia[0].any()
    after = lv.advance(TERMS["spring to the world"], lv.Livens(), state, 1e-2, 5)
    assert not after.a[0].any()
    assert np.array_equal(after.B[0], np.eye(3))
