"""Optimal motions: linear systems against their minimum-norm solution, a swing-up against first-order optimality."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import livens as lv
from tests.helpers.problems import lopsided, turned


@pytest.mark.parametrize("seed", range(3))
def test_a_linear_system_has_the_minimum_norm_solution(seed):
    """x_N = A^N x_0 + Γ u: least |u| that reaches the goal, in a random orientation and unit."""
    rng = np.random.default_rng(seed)
    R, (l, mass, t) = Rotation.random(random_state=seed).as_matrix(), 10.0 ** rng.uniform(-2, 2, size=3)
    m = lv.Model()
    some = lopsided(seed)
    shape = lv.MassProperties(some.mass * mass, some.inertia * mass * l**2, some.center * l)
    cart = m.add(lv.Body(shape, rotation=turned(seed), name="cart"))
    k = some.mass * mass / t**2
    rail = m.add(
        lv.Prismatic(m.world.point(0, 0, 0), cart.point_at(0, 0, 0), axis=R @ (1, 2, 0), stiffness=k,
                     damping=0.3 * k * t, start=0.4 * l, rest=0.1 * l, name="rail")
    )  # fmt: skip
    h, N = 0.05 * t, 12
    found = lv.optimize_motion(m, [rail], {"rail": -0.7 * l}, h=h, until=2 * N * h, segments=N, tolerance=1e-12)
    lin = lv.linearize(m, inputs=[rail], h=h)
    A, B = lin.A @ lin.A, lin.A @ lin.B + lin.B
    gamma = np.concatenate([np.linalg.matrix_power(A, N - 1 - n) @ B for n in range(N)], axis=1)
    start, rest, goal = np.array([[0.4 * l, 0.0], [0.1 * l, 0.0], [-0.7 * l, 0.0]])
    u = np.linalg.pinv(gamma) @ (goal - rest - np.linalg.matrix_power(A, N) @ (start - rest))
    assert found.efforts[:, 0] == pytest.approx(u, abs=1e-8 * np.abs(u).max())
    assert found.motion.coordinate("rail")[-1] == pytest.approx(-0.7 * l, abs=1e-10 * l)
    assert found.motion.rate("rail")[-1] == pytest.approx(0.0, abs=1e-9 * l / t)
    assert found.cost == pytest.approx(0.5 * 2 * h * (u**2).sum(), rel=1e-8)


def cart_and_pole(R):
    m = lv.Model(gravity=R @ (0, 0, -9.81))
    cart = m.add(lv.Body(lv.Box(0.3, 0.2, 0.1, mass=1.0), rotation=R, name="cart"))
    pole = m.add(lv.Body(lv.Cylinder(0.02, 0.6, mass=0.2), at=R @ (0, 0, -0.3), rotation=R, name="pole"))
    rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=R @ (1, 0, 0), name="rail"))
    m.add(lv.Revolute(cart.center, pole.point(0, 0, 0.3), axis=R @ (0, 1, 0), name="pivot"))
    return m, rail


def test_swing_up():
    """The pole stands; the gradient of the cost is a combination of the gradients of the end (first-order optimality),
    from differences of whole simulations."""
    m, rail = cart_and_pole(Rotation.random(random_state=4).as_matrix())
    N, T = 20, 0.1
    found = lv.optimize_motion(m, [rail], {"rail": 0.0, "pivot": np.pi}, h=0.02, until=N * T, segments=N)
    assert found.miss < 1e-8
    assert np.concatenate([found.motion.q[-1], found.motion.v[-1]]) == pytest.approx([0, np.pi, 0, 0], abs=1e-8)
    assert found.motion.position("pole")[-1] @ -m.gravity / 9.81 == pytest.approx(0.3, abs=1e-9)

    def end(efforts):
        other, _ = cart_and_pole(Rotation.random(random_state=4).as_matrix())
        law = lambda t, now: efforts[min(round(t / T), N - 1)]  # noqa: E731
        other.add(lv.Controller(law, [other["rail"]], rate=1 / T))
        last = lv.simulate(other, h=0.02, until=N * T)
        return np.concatenate([last.q[-1], last.v[-1]])

    e, u = 1e-4, found.efforts
    gamma = np.array([(end(u + e * row[:, None]) - end(u - e * row[:, None])) / (2 * e) for row in np.eye(N)])
    rest = u[:, 0] - gamma @ np.linalg.lstsq(gamma, u[:, 0], rcond=None)[0]
    assert np.linalg.norm(rest) < 1e-3 * np.linalg.norm(u)


def test_refusals():
    m, rail = cart_and_pole(np.eye(3))
    with pytest.raises(lv.ModelError, match="goal has no coordinate 'pivott'; did you mean 'pivot'"):
        lv.optimize_motion(m, [rail], {"pivott": 1.0}, h=0.01, until=1.0, segments=10)
    with pytest.raises(lv.ModelError, match=r"not whole numbers of steps of 0\.03 s: try h = 0\.0333333"):
        lv.optimize_motion(m, [rail], {"rail": 1.0}, h=0.03, until=1.0, segments=10)
    with pytest.raises(lv.LivensError, match="no optimal motion found in 2 iterations"):
        lv.optimize_motion(m, [rail], {"pivot": np.pi}, h=0.01, until=1.0, segments=10, most=2)


@pytest.mark.parametrize("seed", range(2))
def test_bounds_of_efforts_and_states(seed):
    """A cart that a bounded force moves in little time, and whose speed is bounded: the convex problem, in a random
    orientation and unit, against SciPy's trust-region method on the linear maps."""
    rng = np.random.default_rng(seed)
    R, (l, mass, t) = Rotation.random(random_state=seed).as_matrix(), 10.0 ** rng.uniform(-2, 2, size=3)
    m = lv.Model()
    cart = m.add(lv.Body(lv.MassProperties(mass, np.full(3, mass * l**2)), rotation=turned(seed), name="cart"))
    axis = R @ (1, 2, 0)
    rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=axis, stiffness=mass / t**2, name="rail"))
    h, N, F = 0.05 * t, 20, 4.0 * mass * l / t**2
    limits = {"effort_limits": (-F, F), "state_limits": {"v.rail": (None, 1.2 * l / t)}}
    found = lv.optimize_motion(m, [rail], {"rail": 0.8 * l}, h=h, until=N * h, segments=N, tolerance=1e-8, **limits)
    assert np.abs(found.efforts).max() <= F
    assert found.motion.rate("rail").max() <= 1.2 * l / t * (1 + 1e-9)
    assert found.miss <= 1e-9 * l * max(1.0, 1.0 / t)
    lin = lv.linearize(m, inputs=[rail], h=h)
    power = [np.linalg.matrix_power(lin.A, n) @ lin.B for n in range(N)]
    speeds = np.array([[power[n - 1 - i][1, 0] if i < n else 0.0 for i in range(N)] for n in range(1, N)]) * F * t / l
    end = np.concatenate(power[::-1], axis=1) * F / np.array([[l], [l / t]])
    best = minimize(
        lambda u: 0.5 * (u @ u), found.efforts[:, 0] / F, jac=lambda u: u, method="SLSQP", bounds=[(-1, 1)] * N,
        constraints=[{"type": "eq", "fun": lambda u: end @ u - (0.8, 0), "jac": lambda u: end},
                     {"type": "ineq", "fun": lambda u: 1.2 - speeds @ u, "jac": lambda u: -speeds}],
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert (found.efforts**2).sum() / F**2 == pytest.approx(2.0 * best.fun, rel=1e-6)
    assert (np.abs(found.efforts) > 0.999 * F).any()
    assert found.motion.rate("rail").max() > 1.199 * l / t
    free = lv.optimize_motion(m, [rail], {"rail": 0.8 * l}, h=h, until=N * h, segments=N)
    assert np.abs(free.efforts).max() > 1.1 * F


@pytest.mark.parametrize("seed", range(2))
def test_rotation_vectors(seed):
    """A satellite on a ball joint turns by a large angle about a principal axis: the optimum is that of one freedom."""
    R, about = Rotation.random(random_state=seed).as_matrix(), np.eye(3)[seed]
    J = np.array([0.8, 1.3, 1.7])
    m = lv.Model()
    body = m.add(lv.Body(lv.MassProperties(2.0, J), rotation=R, name="body"))
    ball = m.add(lv.Spherical(m.world.point(0, 0, 0), body.center, name="ball"))
    goal = 2.5 * (R @ about)
    names = [f"ball.turn_{x}" for x in "xyz"]
    inputs = [(ball, name.split(".")[1]) for name in names]
    found = lv.optimize_motion(m, inputs, dict(zip(names, goal, strict=True)), h=0.05, until=2.0, segments=20)
    assert found.motion.rotation("body")[-1] == pytest.approx(Rotation.from_rotvec(goal).as_matrix() @ R, abs=1e-8)
    assert found.motion.body_rates("body")[-1] == pytest.approx(0.0, abs=1e-8)
    hinge = lv.Model()
    wheel = hinge.add(lv.Body(lv.MassProperties(2.0, np.full(3, J[seed])), name="wheel"))
    pin = hinge.add(lv.Revolute(hinge.world.point(0, 0, 0), wheel.center, axis=(0, 0, 1), name="pin"))
    one = lv.optimize_motion(hinge, [pin], {"pin": 2.5}, h=0.05, until=2.0, segments=20)
    assert found.cost == pytest.approx(one.cost, rel=1e-2)  # torques are held in world axes, the step is of order 2
    assert found.efforts @ (R @ about) == pytest.approx(one.efforts[:, 0], abs=0.05 * np.abs(one.efforts).max())


def test_a_rotation_about_no_principal_axis():
    """A free body from rest to rest, with a torque about each world axis: it stands at the goal, with the least cost
    of several guesses."""
    m = lv.Model()
    body = m.add(lv.Body(lopsided(2), rotation=turned(2), name="body"))
    ball = m.add(lv.Spherical(m.world.point_at(*body.center.start), body.center, name="ball"))
    goal = np.array([0.7, -1.1, 0.5])
    wanted = dict(zip([f"ball.turn_{x}" for x in "xyz"], goal, strict=True))
    inputs = [(ball, f"turn_{x}") for x in "xyz"]
    costs = []
    for seed in range(2):
        guess = 0.1 * np.random.default_rng(seed).normal(size=(10, 3))
        found = lv.optimize_motion(m, inputs, wanted, h=0.05, until=1.0, segments=10, guess=guess, tolerance=1e-9)
        turn = found.motion.rotation("body")[-1] @ turned(2).T
        assert turn == pytest.approx(Rotation.from_rotvec(goal).as_matrix(), abs=1e-8)
        costs.append(found.cost)
    assert costs[0] == pytest.approx(costs[1], rel=1e-6)


def test_limits_are_refused_in_words():
    m, rail = cart_and_pole(np.eye(3))

    def call(**more):
        lv.optimize_motion(m, [rail], {"rail": 1.0}, h=0.01, until=1.0, segments=10, **more)

    with pytest.raises(lv.ModelError, match=r"effort_limits is \(lowest, highest\)"):
        call(effort_limits=(1.0, -1.0))
    with pytest.raises(lv.ModelError, match=r"no 'q.ral'; did you mean 'q.rail'\?"):
        call(state_limits={"q.ral": (0, 1)})
    with pytest.raises(lv.ModelError, match=r"q.rail = 1 at the goal is beyond its limits -inf to 0.5"):
        call(state_limits={"q.rail": (None, 0.5)})
    with pytest.raises(lv.ModelError, match=r"the limits of 'v.rail' are \(lowest, highest\)"):
        call(state_limits={"v.rail": 3.0})
    m = lv.Model()
    body = m.add(lv.Body(lopsided(2), name="body"))
    ball = m.add(lv.Spherical(m.world.point(0, 0, 0), body.point(0, 0, 0), name="ball"))
    with pytest.raises(lv.ModelError, match=r"all of ball\.turn_x, ball\.turn_y, ball\.turn_z, or none"):
        lv.optimize_motion(m, [(ball, "turn_x")], {"ball.turn_x": 1.0}, h=0.1, until=1.0, segments=10)
    with pytest.raises(lv.ModelError, match="part of a rotation vector, which has no limits"):
        lv.optimize_motion(
            m, [(ball, "turn_x")], {}, h=0.1, until=1.0, segments=10, state_limits={"q.ball.turn_x": (0, 1)}
        )


def test_inputs_by_name():
    m = lv.Model()
    cart = m.add(lv.Body(lv.Box(1, 1, 1, mass=2.0), name="cart"))
    rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=(1, 0, 0), name="rail"))
    given = {"goal": {"rail": 1.0}, "h": 0.05, "until": 1.0, "segments": 4}
    one, two, three = (
        lv.optimize_motion(m, inputs=[x], **given).efforts for x in (rail, "rail", ("rail", "displacement"))
    )
    assert np.array_equal(one, two)
    assert np.array_equal(one, three)
    with pytest.raises(lv.ModelError, match="did you mean 'rail'"):
        lv.optimize_motion(m, inputs=["rial"], **given)
