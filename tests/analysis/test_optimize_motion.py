"""Optimal motions: linear systems against their minimum-norm solution, a swing-up against first-order optimality."""

import numpy as np
import pytest
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
    with pytest.raises(lv.ModelError, match="goal has no coordinate 'pivott'; there are rail, pivot"):
        lv.optimize_motion(m, [rail], {"pivott": 1.0}, h=0.01, until=1.0, segments=10)
    with pytest.raises(lv.ModelError, match=r"not whole numbers of steps of 0\.03 s: try h = 0\.0333333"):
        lv.optimize_motion(m, [rail], {"rail": 1.0}, h=0.03, until=1.0, segments=10)
    with pytest.raises(lv.LivensError, match="no optimal motion found in 2 iterations"):
        lv.optimize_motion(m, [rail], {"pivot": np.pi}, h=0.01, until=1.0, segments=10, most=2)
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 2), name="ball"))
    with pytest.raises(lv.ModelError, match="free bodies cannot be optimised"):
        lv.optimize_motion(m, [rail], {"rail": 1.0}, h=0.01, until=1.0, segments=10)
