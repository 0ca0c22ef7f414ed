"""Energies and forces that users write, in the kernels: gradients by differences, shared tapes, four at once."""

import numpy as np
import pytest

import livens as lv
from livens.compile.force_tapes import hoisted
from livens.compile.system import compile_model, registers
from livens.kernels import opcodes
from livens.kernels.force_tapes import add_written_forces, written_energy
from livens.kernels.tape import run, run_four
from tests.helpers import problems

ca = pytest.importorskip("casadi")
EPS = np.finfo(float).eps


def bodies_and(*things):
    """Three crooked bodies that move, with what is asked for."""
    m = lv.Model()
    bodies = [
        m.add(
            lv.Body(
                problems.lopsided(k), at=(k - 40, 0.1 * k, 0.2), rotation=problems.turned(k),
                velocity=(0.3, -0.1 * k, 0.2), body_rates=(0.1 * k, 1.0, -0.4), name=f"b{k}",
            )
        )
        for k in (40, 41, 42)
    ]  # fmt: skip
    for thing in things:
        m.add(thing(m, *bodies))
    return m


def bend(m, a, b, c):
    """Points and directions of three bodies and the world, and the time."""

    def V(s, t):
        x, y = s[a].point(0.1, 0.2, -0.3), s[b].point(0, 0.4, 0.1)
        twist = lv.dot(s[c].direction(1, 0, 0.5), lv.cross(s[b].direction(0, 1, 0), y - s[m.world].point(1, 2, 3)))
        return lv.exp(-lv.dot(x - y, x - y)) + lv.sin(twist + t) + 0.3 * lv.norm(s[c].position - x) ** 3

    return lv.Energy(V, bodies=[a, b, c, m.world])


def quartic(k):
    return lambda m, a, b, c: lv.Energy(
        lambda s: k * lv.norm(s[a].point(k, 0, 0) - s[b].point(0, k, 0)) ** 4, bodies=[a, b]
    )


ENERGIES = {"bend": bodies_and(bend), "seven": bodies_and(bend, *(quartic(0.1 * k) for k in range(3, 10)))}


def exp(w):
    K = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    t = np.linalg.norm(w)
    return np.eye(3) + np.sinc(t / np.pi) * K + 0.5 * np.sinc(t / 2 / np.pi) ** 2 * K @ K


def exerted(system, state, t):
    f, tau = np.zeros_like(state.p), np.zeros_like(state.L)
    shapes = len(system.formulas.tape)
    bodies, w = system.bodies, registers(system)
    got = add_written_forces(system.formulas, shapes, shapes, bodies, state.a, state.B, state.p, state.L, t, w, f, tau)
    return f, tau, got


@pytest.mark.parametrize("name", ENERGIES)
def test_forces_are_minus_the_gradient(name):
    """Central differences of spacing s, extrapolated: error O(s⁴) with O(eps/s), so about eps^(4/5)."""
    system, state, *_ = compile_model(ENERGIES[name])
    w, t, s = registers(system), 0.7, EPS**0.2

    def V(b, k, step, turn, t=t):
        a, B = state.a.copy(), state.B.copy()
        if turn:
            B[b] = B[b] @ exp(step * np.eye(3)[k])
        else:
            a[b, k] += step
        return written_energy(system.formulas, system.bodies, a, B, t, w)

    f, tau, (partial, power) = exerted(system, state, t)
    size = max(1.0, abs(V(0, 0, 0.0, False)))
    slopes = []
    for b in range(1, len(f)):
        for k in range(3):
            for turn, found in ((False, f[b, k]), (True, tau[b, k])):
                D = [(V(b, k, h, turn) - V(b, k, -h, turn)) / (2 * h) for h in (s, s / 2)]
                slopes.append(-(4 * D[1] - D[0]) / 3)
                assert abs(slopes[-1] - found) <= 1e3 * size * EPS**0.8
    D = [(V(0, 0, 0.0, False, t + h) - V(0, 0, 0.0, False, t - h)) / (2 * h) for h in (s, s / 2)]
    assert abs((4 * D[1] - D[0]) / 3 - partial) <= 1e3 * size * EPS**0.8
    v, omega = state.p * system.bodies.inverse_mass[:, None], state.L * system.bodies.inverse_inertia
    assert abs(power - np.sum(f * v) - np.sum(tau * omega)) <= 64 * EPS * np.sum(np.abs(f * v) + np.abs(tau * omega))


def test_one_shape_has_one_tape():
    """Seven quartic springs with other numbers and places, and one energy of another kind: two tapes."""
    energies = compile_model(ENERGIES["seven"])[0].formulas
    assert len(energies.tape) == 2
    assert np.diff(energies.first[:, 0]).tolist() == [1, 7]
    body = energies.code[energies.tape[1, 3] : energies.tape[1, 4], 0]
    assert opcodes.CONST not in body


def test_four_at_once_are_four_one_by_one():
    """Seven instances are four and three: the same as each alone, up to the order of sums."""
    system, state, *_ = compile_model(ENERGIES["seven"])
    f, tau, _ = exerted(system, state, 0.7)
    F, T = np.zeros_like(f), np.zeros_like(tau)
    for thing in ENERGIES["seven"].forces:
        m = bodies_and()
        m.add(lv.Energy(thing.fn, bodies=[m[b.name] for b in thing.bodies]))
        alone, here, *_ = compile_model(m)
        one = exerted(alone, here, 0.7)
        F, T = F + one[0], T + one[1]
    assert np.abs(F - f).max() <= 16 * EPS * np.abs(f).max()
    assert np.abs(T - tau).max() <= 16 * EPS * np.abs(tau).max()


@pytest.mark.parametrize("name", sorted({n for n in vars(opcodes) if n.isupper()} - {"TIME", "VELOCITY", "RESULT"}))
def test_every_operation_for_four(name):
    x, y = np.array([0.3, -0.4, 0.9, 2.5]), np.array([0.7, 1.5, -0.25, 2.0])
    four = np.concatenate([x, y, np.full(4, np.nan)])
    code = np.array([[getattr(opcodes, name), 2, 0, 1]])
    with np.errstate(all="ignore"):
        run_four(code, np.array([3.5]), 0, 1, four)
        for k in range(4):
            w = np.array([x[k], y[k], np.nan])
            run(code, np.array([3.5]), 0, 1, w)
            assert np.array_equal(four[8 + k], w[2], equal_nan=True)


def test_constants_stand_first_and_stay():
    """A tape with registers that are used again, constants that are results, and the same constant twice."""
    from livens.formula.formula import flatten

    x = ca.SX.sym("x", 2)
    s = ca.sin(x[0] + 2.5) * 3.0
    function = ca.Function("f", [x], [ca.vertcat(s / 7.0 + ca.cos(s * 2.5) - 7.0 * x[1], 4.0, s + 3.0)])
    code, numbers, constants, size = hoisted(flatten(function), 5)
    assert (code[:constants, 0] == opcodes.CONST).all()
    assert opcodes.CONST not in code[constants:, 0]
    assert sorted(numbers[:constants]) == [2.5, 3.0, 4.0, 7.0, 7.5]  # CasADi multiplies 3 by 2.5
    w = np.zeros(size)
    run(code, numbers, 0, constants, w)
    for given in np.random.default_rng(0).normal(size=(10, 2)):
        w[:2] = given
        run(code, numbers, constants, len(code), w)
        assert np.allclose(w[2:5], np.array(function(given)).ravel(), rtol=1e-14, atol=0)


def test_forces_see_velocities_in_the_users_frame():
    """F at a point and M on the body, of the velocity of another point and the angular velocity, against NumPy."""
    r, q = np.array([0.3, -0.2, 0.1]), np.array([-0.1, 0.5, 0.2])

    def wind(m, a, b, c):
        return lv.Force(
            b.point(q), lambda s, t: 2.0 * s[a].velocity(r) + t * s[b].position, bodies=[a, b],
            torque=lambda s: lv.cross(s[b].angular_velocity, s[a].angular_velocity),
        )  # fmt: skip

    m = bodies_and(wind)
    system, state, *_ = compile_model(m)
    f, tau, (_, power) = exerted(system, state, 0.5)
    a, b = m.bodies[1], m.bodies[2]
    F = 2.0 * (a.velocity + a.pose.B @ np.cross(a.body_rates, r)) + 0.5 * b.pose.a
    M = np.cross(b.pose.B @ b.body_rates, a.pose.B @ a.body_rates)
    Q, center = system.bodies.axes[2], b.mass_properties.center
    expected = np.cross(q - center, b.pose.B.T @ F) + b.pose.B.T @ M
    assert np.abs(f[2] - F).max() <= 64 * EPS * np.abs(F).max()
    assert np.abs(Q @ tau[2] - expected).max() <= 64 * EPS * np.abs(expected).max()
    assert not f[[0, 1, 3]].any()
    assert not tau[[0, 1, 3]].any()
    at = b.velocity + b.pose.B @ np.cross(b.body_rates, q)
    assert abs(power - F @ at - M @ b.pose.B @ b.body_rates) <= 256 * EPS * abs(power)


def test_a_force_of_velocity_pushes_equally_at_both_ends():
    """One step of the trapezoidal rule, solved to round-off: p₁ − p₀ = h/2 (F(v₀) + F(v₁)), and the work is F·v."""
    m = lv.Model()
    b = m.add(lv.Body(lv.Ball(0.1, mass=2.0), velocity=(1.0, 0.5, 0.2), name="b"))
    m.add(lv.Force(b.center, lambda s: lv.cross(s[b].velocity(0, 0, 0), (0, 1, 3)) - 0.4 * s[b].velocity(0, 0, 0)))
    h = 0.1
    motion = lv.simulate(m, h=h, until=3 * h)
    v = motion.velocity("b")
    F = np.cross(v, (0, 1, 3)) - 0.4 * v
    assert np.abs(2.0 * np.diff(v, axis=0) - 0.5 * h * (F[1:] + F[:-1])).max() <= 8 * EPS
    P = np.sum(F * v, axis=1)
    assert np.abs(np.diff(motion.work) - 0.5 * h * (P[1:] + P[:-1])).max() <= 8 * EPS


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_forces_that_become_infinite_are_named():
    m = lv.Model()
    b = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), velocity=(-1, 0, 0), name="b"))
    m.add(lv.Force(b.center, lambda s: np.array([lv.sqrt(s[b].position[0] - 0.9), 0.0, 0.0])))
    with pytest.raises(lv.StepFailed, match="the state of body 'b' is no longer finite"):
        lv.simulate(m, h=0.05, until=1.0)
