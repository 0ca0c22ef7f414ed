"""The reduced step solves the thirty equations that define it; the printed form of those equations is wrong."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import livens as lv
from tests.helpers import problems
from tests.helpers.thirty_equations import EQUATIONS, UNKNOWNS, hat, newton, pack, skew, system, unpack, vee

SEEDS = range(8)


def random_model(seed):
    """Two bodies with asymmetric tensors, springs, gravity, attraction and loads, all random."""
    rng = np.random.default_rng(seed)
    m = lv.Model(gravity=rng.normal(size=3))
    one, two = (
        m.add(
            lv.Body(
                problems.lopsided(100 + 2 * seed + k, mass=rng.uniform(0.5, 2), size=0.5),
                at=rng.normal(size=3) + 2 * k,
                rotation=problems.turned(200 + 2 * seed + k),
                velocity=rng.normal(size=3),
                body_rates=rng.normal(size=3),
                name=f"body {k}",
            )
        )
        for k in range(2)
    )
    place = lambda: rng.normal(size=3) * 0.3  # noqa: E731
    m.add(lv.Spring(m.world.point(place()), one.point(place()), stiffness=rng.uniform(1, 10), length=0.5))
    m.add(lv.Spring(one.point(place()), two.point(place()), stiffness=rng.uniform(1, 10), length=0.0))
    m.add(lv.Attraction(G=1.0))
    m.add(lv.Load(one.point(place()), force=rng.normal(size=3), torque=rng.normal(size=3)))
    push = rng.normal(size=3)
    m.add(lv.Load(two.point(place()), force=lambda t: push * (1 + t), torque=lambda t: push * t**2, axes="body"))
    return m


def reduced(model, h):
    """One step of the package as a vector of the thirty unknowns per body, and the state it started from."""
    H = lv.Hamiltonian(model)
    motion = lv.simulate(model, lv.Livens(), h=h, until=h)
    start, end = H.at(motion, 0), H.at(motion, 1)
    unknowns = []
    for body, a0, B0, a1, B1, p1, L1 in zip(model.bodies[1:], *start[:2], *end, strict=True):
        v, omega = (a1 - a0) / h, vee(skew(np.linalg.solve((B0 + B1) / 2, B1 - B0))) / h
        m, J = body.mass_properties.mass, body.mass_properties.inertia
        unknowns.append({"a1": a1, "B1": B1, "v": v, "omega": omega, "p": m * v, "pi": J @ omega, "p1": p1, "L1": L1})
    return start, pack(unknowns)


def test_there_are_thirty():
    assert len(EQUATIONS) == 30 == sum(int(np.prod(shape)) for shape in UNKNOWNS.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reduced_step_satisfies_all_thirty(seed):
    model = random_model(seed)
    start, y = reduced(model, h=0.02)
    rest = np.abs(system(model, 0.02, start, y)).max(axis=0)
    wrong = {name: size for name, size in zip(EQUATIONS, rest, strict=True) if size > 1e-12}
    assert not wrong


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_newton_on_all_thirty_finds_the_reduced_step(seed):
    model = random_model(seed)
    start, y = reduced(model, h=0.02)
    assert np.abs(newton(model, 0.02, start) - y).max() <= 1e-12


# ── the printed form ──

J = np.diag([1.0, 2.0, 3.0])
OMEGA0 = np.array([0.1, 2.0, 0.1])
T = 10.0


def cay(x):
    return np.linalg.solve(np.eye(3) - hat(x), np.eye(3) + hat(x))


def printed_step(J, B0, L0, h):
    """The printed form for a free body, reduced to ω: Skew(B₀ᵀ(B₀L̂₀ − B½π̂)) = 0 with π = J ω, B₁ = B₀ cay(hω/2)."""

    def residual(omega):
        R = cay(h / 2 * omega)
        return L0 - vee(skew((np.eye(3) + R) / 2 @ hat(J @ omega)))

    omega = np.linalg.solve(J, L0)
    for _ in range(20):
        K = np.array([residual(omega + 1e-30j * e).imag / 1e-30 for e in np.eye(3)]).T
        change = np.linalg.solve(K, residual(omega))
        omega = omega - change
        if np.abs(change).max() < 1e-14:
            break
    R = cay(h / 2 * omega)
    return B0 @ R, vee(skew(R.T @ (np.eye(3) + R) / 2 @ hat(J @ omega)))


def printed_run(J, h):
    """Final body rates, and the drift of the spatial angular momentum."""
    B, L = np.eye(3), J @ OMEGA0
    for _ in range(round(T / h)):
        B, L = printed_step(J, B, L, h)
    return np.linalg.solve(J, L), np.linalg.norm(B @ L - J @ OMEGA0)


def true_rates(J):
    slope = lambda t, w: np.linalg.solve(J, np.cross(J @ w, w))  # noqa: E731
    return solve_ivp(slope, (0, T), OMEGA0, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]


def test_the_printed_form_does_not_converge():
    """J = diag(1, 2, 3), ω₀ = (0.1, 2, 0.1), 10 s: ω is wrong by 2.31 for every h, and B L drifts by 0.71."""
    exact = true_rates(J)
    for h, error, drift in ((0.02, 2.3111, 0.7097), (0.01, 2.3130, 0.7110), (0.005, 2.3135, 0.7113)):
        omega, drifted = printed_run(J, h)
        assert abs(np.linalg.norm(omega - exact) - error) < 1e-4
        assert abs(drifted - drift) < 1e-4


def test_the_printed_form_converges_to_half_the_gyroscopic_torque():
    """Its limit is J ω' = −½ ω × J ω: the error against that solution is of order 2."""
    slope = lambda t, w: 0.5 * np.linalg.solve(J, np.cross(J @ w, w))  # noqa: E731
    half = solve_ivp(slope, (0, T), OMEGA0, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    order = lv.observed_order(lambda h: printed_run(J, h)[0], [0.02, 0.01], half)
    assert np.abs(order - 2.0).max() < 0.05


def test_the_corrected_form_converges():
    """The same body by the package: 6.4e-3, 1.6e-3, 4.0e-4 and no drift of B L beyond round-off."""
    m = lv.Model()
    body = m.add(lv.Body(lv.MassProperties(1.0, J), body_rates=OMEGA0, name="body"))
    exact = true_rates(J)
    for h, error in ((0.02, 6.384e-3), (0.01, 1.593e-3), (0.005, 3.980e-4)):
        motion = lv.simulate(m, lv.Livens(), h=h, until=T)
        assert abs(np.linalg.norm(motion.body_rates(body)[-1] - exact) - error) < 1e-3 * error
        drift = np.linalg.norm(motion.angular_momentum[-1] - motion.angular_momentum[0])
        assert drift <= len(motion) * np.finfo(float).eps * np.linalg.norm(J @ OMEGA0)


def test_the_error_has_no_effect_for_a_ball():
    """J ω ∥ ω: ω stays as it is in both forms."""
    ball = 2.0 * np.eye(3)
    omega, drift = printed_run(ball, 0.02)
    n = round(T / 0.02)
    assert np.linalg.norm(omega - OMEGA0) <= n * np.finfo(float).eps * np.linalg.norm(OMEGA0)
    assert drift <= n * np.finfo(float).eps * np.linalg.norm(ball @ OMEGA0)


def test_the_reduced_printed_form_is_the_printed_thirty():
    """The failures above therefore belong to the thirty equations as printed, not to their reduction."""
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, J), body_rates=OMEGA0, name="body"))
    h, start = 0.1, lv.Hamiltonian(m).start
    (found,) = unpack(newton(m, h, start, printed=True))
    B1, L1 = printed_step(J, np.eye(3), J @ OMEGA0, h)
    assert np.abs(found["B1"] - B1).max() <= 1e-13
    assert np.abs(found["L1"] - L1).max() <= 1e-13


def test_without_the_factor_two_torques_act_at_half_strength():
    """A body at rest under a force F at r starts to turn with h/2 · ½ r × F instead of h/2 · r × F."""
    m = lv.Model()
    body = m.add(lv.Body(lv.MassProperties(1.0, J), name="body"))
    r, F = np.array([0.3, 0.2, 0.1]), np.array([0.0, 0.0, 1.0])
    m.add(lv.Load(body.point(r), force=F))
    h, start = 1e-3, lv.Hamiltonian(m).start
    for factor in (1.0, 2.0):
        (found,) = unpack(newton(m, h, start, factor=factor))
        assert np.abs(found["L1"] - h * factor / 2 * np.cross(r, F)).max() <= h**3
