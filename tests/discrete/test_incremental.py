"""The incremental potential: reference numbers, agreement with Newmark's equations, order, balance, bad input."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import livens as lv
import livens.discrete as ld
from livens.discrete import constrained, minimise

pytest.importorskip("casadi")
from tests.helpers.solids import net

DAMPED = ld.Mechanical(mass=[1.0], potential=lambda x: 0.5 * x[0] ** 2, damping=[0.1])
BETAS = [(0.25, 0.5), (1 / 6, 0.5), (0.5625, 1.0)]


@pytest.mark.parametrize(
    ("beta", "gamma", "h", "q"),
    [
        (1 / 4, 0.5, 0.1, -0.524195509815613),
        (1 / 6, 0.5, 0.1, -0.522481678367680),
        (1 / 2, 1.0, 0.1, -0.424429654729265),
        (1 / 4, 0.5, 0.05, -0.525767224828589),
    ],
)
def test_damped_oscillator_is_that_of_the_definition(beta, gamma, h, q):
    """Numbers of an independent program, to its twelve places."""
    run = ld.simulate(DAMPED, ld.IncrementalPotential(beta, gamma), q=[1.0], v=[0.0], h=h, until=10.0)
    assert abs(run.q[-1, 0] - q) < 1e-12


def test_energy_and_velocity_of_the_damped_oscillator():
    run = ld.simulate(DAMPED, ld.IncrementalPotential(), q=[1.0], v=[0.0], h=0.1, until=10.0)
    assert abs(run.v[-1, 0] - 0.333288732434859) < 1e-12
    assert abs(run.energy[-1] - 0.192931155839) < 1e-12
    end = ld.simulate(DAMPED, ld.IncrementalPotential(dissipation="end"), q=[1.0], v=[0.0], h=0.1, until=10.0)
    assert abs(end.q[-1, 0] + 0.5323029176007726) < 1e-13


def stiff(damped):
    return ld.Mechanical(
        mass=[[2.0, 0.5], [0.5, 1.0]],
        potential=lambda x: x[0] ** 4 + 50.0 * (ld.norm(x) - 1.0) ** 2 + 3.0 * x[1],
        dissipation=(lambda q, v: 0.2 * ld.dot(v, v) + 0.1 * (v[0] - v[1]) ** 4) if damped else None,
        force=lambda t: [ld.sin(3.0 * t), 0.5],
    )


@pytest.mark.parametrize(("beta", "gamma"), BETAS)
@pytest.mark.parametrize("kind", ["conservative", "step", "end"])
def test_dense_agrees_with_newmark(beta, gamma, kind):
    """Two routes to the same step: roots of the equations of motion, minima of the potential."""
    system, option = stiff(kind != "conservative"), "end" if kind == "end" else "step"
    given = {"q": [1.1, 0.2], "v": [0.0, 2.0], "h": 0.02, "until": 1.0}
    one = ld.simulate(system, ld.IncrementalPotential(beta, gamma, option), **given)
    two = ld.simulate(system, ld.Newmark(beta, gamma, option), **given)
    assert np.abs(one.q - two.q).max() < 1e-10
    assert np.abs(one.v - two.v).max() < 1e-9


@pytest.mark.parametrize("option", ["step", "end"])
def test_sparse_agrees_with_newmark(option):
    """Conjugate gradients leave 1e-3 of a last correction of 1e-8, relative to an increment, in each step."""
    system, q, v = net(6, drag=0.5)
    given = {"q": q, "v": v, "h": 0.02, "until": 0.4}
    one = ld.simulate(system, ld.IncrementalPotential(dissipation=option), **given)
    two = ld.simulate(system, ld.Newmark(dissipation=option), **given)
    assert np.abs(one.q - two.q).max() < 20 * 1e-8 * 0.02 * np.abs(v).max()


def test_dense_and_sparse_are_the_same_step(monkeypatch):
    """The same net, its matrix once in a table of all numbers and once by its pattern."""
    system, q, v = net(4)
    given = {"q": q, "v": v, "h": 0.02, "until": 0.4}
    dense = ld.simulate(system, ld.IncrementalPotential(), **given)
    monkeypatch.setattr("livens.discrete.maps.SMALL", 10)
    sparse = ld.simulate(net(4)[0], ld.IncrementalPotential(), **given)
    assert sparse.iterations < dense.iterations
    assert np.abs(dense.q - sparse.q).max() < 20 * 1e-8 * 0.02 * np.abs(v).max()


def test_order_two_against_an_independent_solution():
    """γ = ½: a quarter of the error for half the step, for every β."""

    def slope(t, y):
        return [*y[2:], -y[0] - 4.0 * y[0] ** 3 - y[0] * y[1] ** 2, -y[1] - y[1] * y[0] ** 2]

    exact = solve_ivp(slope, (0.0, 2.0), [1.0, 0.3, 0.0, 1.0], method="DOP853", rtol=1e-12, atol=1e-13).y[:2, -1]
    V = ld.Mechanical(mass=[1.0, 1.0], potential=lambda x: 0.5 * ld.dot(x, x) + x[0] ** 4 + 0.5 * x[0] ** 2 * x[1] ** 2)
    for beta in (0.25, 1 / 6):
        errors = []
        for h in (0.02, 0.01):
            run = ld.simulate(V, ld.IncrementalPotential(beta), q=[1.0, 0.3], v=[0.0, 1.0], h=h, until=2.0)
            errors.append(np.abs(run.q[-1] - exact).max())
        assert abs(np.log2(errors[0] / errors[1]) - 2.0) < 0.1


@pytest.mark.parametrize(("option", "gamma", "order"), [("step", 0.5, 1), ("end", 0.5, 2), ("step", 1.0, 1)])
def test_the_balance_of_energy_closes_with_the_order(option, gamma, order):
    """E − E₀ + lost − work shrinks as the scheme's error does."""
    left = []
    for h in (0.01, 0.005):
        scheme = ld.IncrementalPotential(0.25 * (gamma + 0.5) ** 2, gamma, option)
        run = ld.simulate(stiff(True), scheme, q=[1.1, 0.2], v=[0.0, 2.0], h=h, until=1.0)
        left.append(abs(run.energy[-1] - run.energy[0] + run.lost[-1] - run.work[-1]))
    assert np.log2(left[0] / left[1]) > order - 0.3


def test_linear_systems_balance_to_round_off():
    """β = ¼, γ = ½ with work ½ (f₀ + f₁)·u: exact for a spring and any force."""
    forced = ld.Mechanical(mass=[1.0], potential=lambda x: 8.0 * x[0] ** 2, force=lambda t: [ld.cos(3.0 * t)])
    run = ld.simulate(forced, ld.IncrementalPotential(), q=[1.0], v=[0.0], h=0.1, until=10.0)
    balance = run.energy - run.energy[0] - run.work
    assert np.abs(run.work).max() > 0.1
    assert np.abs(balance).max() < 1000 * np.finfo(float).eps


def test_momenta_of_a_free_net_are_kept():
    """Forces between nodes cancel: linear momentum is kept to the tolerance of the minimiser."""
    system, q, v = net(6)
    run = ld.simulate(system, ld.IncrementalPotential(), q=q, v=v, h=0.01, until=0.5)
    for axis in "xyz":
        p = run.momenta[f"p{axis}"]
        assert np.abs(p - p[0]).max() < 1e-9 * np.abs(run.p).sum(1).max()


def test_potential_never_increases(monkeypatch):
    """Every line search of every step ends at or below where it began, up to the round-off of Π."""
    seen = []
    search = minimise.search

    def spy(trial, x, d, value, size, slope):
        found = search(trial, x, d, value, size, slope)
        assert slope < 0.0
        seen.append((found[0] - value) / size)
        assert abs(trial.value(x)[0] - found[0]) <= 1e-13 * size
        return found

    monkeypatch.setattr(minimise, "search", spy)
    friction = ld.Mechanical(
        mass=[1.0, 1.0],
        potential=lambda x: 100.0 * (ld.norm(x) - 1.0) ** 2,
        dissipation=lambda q, v: 2.0 * ld.smooth_norm(v, 1e-7),
    )
    ld.simulate(friction, ld.IncrementalPotential(), q=[0.1, 0.0], v=[0.0, 1.0], h=0.05, until=3.0)
    system, q, v = net(5)
    ld.simulate(system, ld.IncrementalPotential(), q=q, v=10.0 * v, h=0.05, until=1.0)
    assert len(seen) > 100
    assert max(seen) <= 1e-13


def pendulums(n, m=1.0):
    """A chain of n links of length 1 in the plane, each a constraint."""
    start = np.column_stack([np.arange(1.0, n + 1), np.zeros(n)])
    links = ld.Elements(lambda x: ld.dot(x[1] - x[0], x[1] - x[0]) - 1.0, [(k, k + 1) for k in range(n - 1)], dim=2)
    weight = ld.Elements(lambda x: 9.81 * m * x[0], 2 * np.arange(n)[:, None] + 1)
    first = ld.Elements(lambda x: ld.dot(x[0], x[0]) - 1.0, [[0]], dim=2)
    return ld.Mechanical(mass=np.full(2 * n, m), potential=weight, constraints=[first, links]), start.ravel()


@pytest.mark.parametrize("n", [2, 30])
def test_constraints_hold_to_round_off_and_agree_with_newmark(n):
    """Dense and sparse."""
    system, q = pendulums(n)
    given = {"q": q, "v": 0.0 * q, "h": 0.01, "until": 0.3}
    one = ld.simulate(system, ld.IncrementalPotential(0.5625, 1.0), **given)
    two = ld.simulate(system, ld.Newmark(0.5625, 1.0), **given)
    assert one.defect[:, 0].max() < 10 * n * np.finfo(float).eps
    assert np.abs(one.q - two.q).max() < 1e-9


def test_constrained_steps_far_from_the_solution():
    """A step that turns a pendulum by a radian: the merit function leads, and the minimum is the one of the angle."""
    pendulum = ld.Mechanical(mass=[1.0, 1.0], potential=lambda x: 9.81 * x[1], constraints=lambda x: ld.norm(x) - 1.0)
    h, v = 0.25, 4.0
    run = ld.simulate(pendulum, ld.IncrementalPotential(), q=[1.0, 0.0], v=[0.0, -v], h=h, until=h)
    a0 = np.array([-(v**2), -9.81])
    ahead = np.array([1.0, 0.0]) + h * np.array([0.0, -v]) + 0.25 * h * h * a0
    angle = np.linspace(-np.pi, np.pi, 2_000_001)
    x = np.stack([np.cos(angle), np.sin(angle)])
    potential = 2.0 / h**2 * ((x - ahead[:, None]) ** 2).sum(0) + 9.81 * x[1]
    best = angle[potential.argmin()]
    assert abs(np.arctan2(run.q[-1, 1], run.q[-1, 0]) - best) < 2 * np.pi / 1e6
    assert run.iterations < constrained.MERIT_ITERATIONS


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: ld.IncrementalPotential(beta=0.0), r"take Newmark\(beta=0\)"),
        (lambda: ld.IncrementalPotential(gamma=2.0), "0 ≤ γ ≤ 1.5"),
        (lambda: ld.IncrementalPotential(dissipation="middle"), "'end' or over the 'step'"),
        (lambda: ld.IncrementalPotential(gamma=0.0, dissipation="end"), "take dissipation='step'"),
        (lambda: ld.smooth_norm([1.0], 0.0), "ε of smooth_norm must be above zero"),
        (lambda: run_of(ld.Lagrangian(lambda q, v: 0.5 * (1.0 + q[0] ** 2) * v[0] ** 2, n=1)), "needs a constant mass"),
        (lambda: run_of(ld.Lagrangian(lambda q, v: 0.5 * v[0] ** 2 + 0.1 * v[0] ** 4, n=1)), "needs a constant mass"),
        (lambda: run_of(ld.Lagrangian(lambda q, v: ld.dot(v, v) + q[0] * v[1], n=2)), "needs a constant mass"),
        (lambda: run_of(ld.Mechanical([1.0], force=lambda q, v, t: [-v[0]])), "forces that depend on time only"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(build, sentence):
    with pytest.raises(lv.ModelError, match=sentence):
        build()


def test_constraints_hold_for_every_beta():
    """Also below ¼, where multipliers would grow if accelerations across the constraints were carried on."""
    system, q = pendulums(2)
    run = ld.simulate(system, ld.IncrementalPotential(1 / 6), q=q, v=0 * q, h=0.01, until=10.0)
    assert run.defect.max() < 1e-12
    assert np.ptp(run.energy) < 0.02 * np.ptp(run.energy - 0.5 * (run.p * run.v).sum(1))


def run_of(system):
    n = system.n
    return ld.simulate(system, ld.IncrementalPotential(), q=np.ones(n), v=np.zeros(n), h=0.1, until=1.0)


def test_a_potential_without_a_floor_fails_with_a_sentence():
    falling = ld.Mechanical(mass=[1.0], potential=lambda x: -(x[0] ** 4))
    with pytest.raises(lv.StepFailed, match=r"minimisation of the incremental potential stalled|not finite") as failed:
        ld.simulate(falling, ld.IncrementalPotential(), q=[1.0], v=[0.0], h=1.0, until=5.0)
    assert len(failed.value.trajectory.t) >= 1
