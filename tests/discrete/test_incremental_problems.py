"""What the incremental potential is for: cloth, elastic blocks, snap-through, dry friction."""

import numpy as np
import pytest
from scipy.optimize import minimize

import livens as lv
import livens.discrete as ld
from benchmarks.cloth import cloth
from livens.discrete import factors

pytest.importorskip("casadi")
from tests.helpers.solids import BAR, GRAVITY, RISE, SPAN, block, truss, truss_energy

EPS = np.finfo(float).eps


def test_a_falling_block_stays_what_it_is():
    """Let go at rest shape with one velocity: nodes follow parabolas, which the formulas have exactly."""
    system, q, masses = block()
    v = np.tile([1.0, -0.5, 2.0], len(masses))
    run = ld.simulate(system, ld.IncrementalPotential(), q=q, v=v, h=0.01, until=0.5)
    gravity = np.tile([0.0, 0.0, -GRAVITY], len(masses))
    exact = q + run.t[:, None] * v + 0.5 * run.t[:, None] ** 2 * gravity
    assert np.abs(run.q - exact).max() < 1e-9
    weight = run.energy - 0.5 * (np.repeat(masses, 3) * run.v**2).sum(1) - GRAVITY * (run.q[:, 2::3] @ masses)
    assert np.abs(weight).max() < 1e-9 * abs(run.energy[0])  # no strain energy
    p = run.p.reshape(len(run), -1, 3).sum(1)
    assert np.abs(p - masses.sum() * (v[:3] + run.t[:, None] * gravity[:3])).max() < 1e-9 * masses.sum()


def test_a_block_that_spins_and_stretches_keeps_its_centre_on_the_parabola():
    """Forces within the block cancel, however it deforms; energy stays within the scheme's error."""
    system, q, masses = block()
    centre = masses @ q.reshape(-1, 3) / masses.sum()
    r = q.reshape(-1, 3) - centre
    v = (np.cross([0.0, 3.0, 5.0], r) + 4.0 * r * [1.0, -1.0, 0.5]).ravel()
    run = ld.simulate(system, ld.IncrementalPotential(), q=q, v=v, h=0.002, until=0.2)
    path = np.einsum("n,tnk->tk", masses, run.q.reshape(len(run), -1, 3)) / masses.sum()
    assert np.abs(path - centre - 0.5 * run.t[:, None] ** 2 * [0.0, 0.0, -GRAVITY]).max() < 1e-9
    kinetic = 0.5 * np.repeat(masses, 3) @ v**2
    assert np.abs(run.energy - run.energy[0]).max() < 0.02 * kinetic


def test_a_block_bounces_off_a_springy_floor():
    """Down, up again, no momentum sideways; the floor's work on the energy is of second order in h."""
    system, q, masses = block(cells=(2, 2, 2), floor=2e3)
    q = q + np.tile([0.0, 0.0, 0.05], len(masses))
    left = []
    for h in (0.002, 0.001):
        run = ld.simulate(system, ld.IncrementalPotential(), q=q, v=0.0 * q, h=h, until=0.3)
        height = run.q[:, 2::3] @ masses / masses.sum()
        velocity = run.v[:, 2::3] @ masses / masses.sum()
        sideways = run.v.reshape(len(run), -1, 3)[:, :, :2].transpose(0, 2, 1) @ masses
        left.append(np.abs(run.energy - run.energy[0]).max())
        assert height.min() < height[0] - 0.05
        assert velocity.max() > 0.3 * np.abs(velocity.min())
        assert np.abs(sideways).max() < 1e-8 * masses.sum()
    assert left[0] / left[1] > 3.0


def test_snap_through_where_newton_fails():
    """A truss pushed through its flat position in steps of 0.1 s: plain Newton finds no root, the minimiser finds what
    SciPy's does from the same start, step by step."""
    rate, h, beta, gamma = 500.0, 0.1, 0.5625, 1.0
    system = truss(lambda t: rate * t)
    given = {"q": [1e-3, RISE], "v": [0.0, 0.0], "h": h, "until": 2.0}
    with pytest.raises(lv.StepFailed):
        ld.simulate(system, ld.Newmark(beta, gamma), **given)
    run = ld.simulate(system, ld.IncrementalPotential(beta, gamma), **given)
    assert run.q[-1, 1] < -RISE
    q, v, t = run.q[0], run.v[0], 0.0
    a = -gradient(q)
    for after in run.q[1:]:
        ahead, load = q + h * v + h * h * (0.5 - beta) * a, rate * (t + h)

        def potential(x, ahead=ahead, load=load):
            return ((x - ahead) ** 2).sum() / (2 * beta * h * h) + truss_energy(x[0], x[1], np.sqrt) + load * x[1]

        def slope(x, ahead=ahead, load=load):
            return (x - ahead) / (beta * h * h) + gradient(x) + [0.0, load]

        found = minimize(potential, after + np.array([1e-4, -2e-4]), jac=slope, method="BFGS", options={"gtol": 1e-9}).x
        assert np.abs(after - found).max() < 1e-7
        assert potential(after) <= potential(q)
        a1 = (after - ahead) / (beta * h * h)
        q, v, a, t = after, v + h * ((1 - gamma) * a + gamma * a1), a1, t + h


def gradient(x):
    """Of the truss."""
    rest, force = np.hypot(SPAN, RISE), np.zeros(2)
    for side in (-1.0, 1.0):
        bar = x - [side * SPAN, 0.0]
        force += BAR * (1.0 - rest / np.linalg.norm(bar)) * bar
    return force


@pytest.mark.parametrize("eps", [1e-3, 1e-8])
def test_dry_friction_takes_the_same_off_every_half_cycle(eps):
    """m = k = 1, σ = 0.1: turning points 1, −0.8, 0.6, −0.4, 0.2, and 0, inside the stick band, for good."""
    spring = ld.Mechanical(
        mass=[1.0], potential=lambda x: 0.5 * x[0] ** 2, dissipation=lambda q, v: 0.1 * ld.smooth_norm(v[0], eps)
    )
    h = 0.01
    run = ld.simulate(spring, ld.IncrementalPotential(), q=[1.0], v=[0.0], h=h, until=20.0)
    for half in range(6):
        turning = np.argmin(np.abs(run.t - half * np.pi))
        assert abs(run.q[turning, 0] - (-1) ** half * (1.0 - 0.2 * half)) < 0.1 * h + eps
    assert np.abs(run.q[run.t > 5 * np.pi + 2 * h]).max() < 0.1 * h + eps
    assert abs(run.energy[0] - run.energy[-1] - run.lost[-1]) < h * h
    assert run.iterations < 10 * run.steps


def test_many_blocks_with_friction_come_to_rest():
    """A chain of blocks on springs, ε a hundred-millionth of the speeds: all stop, each under a force below σ."""
    n, sigma = 12, 0.5
    chain = ld.Mechanical(
        mass=np.ones(n),
        potential=lambda x: sum(10.0 * (x[k + 1] - x[k] - 1.0) ** 2 for k in range(n - 1)),
        dissipation=lambda q, v: sum(sigma * ld.smooth_norm(v[k], 1e-8) for k in range(n)),
    )
    rng = np.random.default_rng(0)
    run = ld.simulate(
        chain, ld.IncrementalPotential(1.0, 1.5), q=np.arange(n) + 0.2 * rng.normal(size=n), v=rng.normal(size=n),
        h=0.02, until=6.0,
    )  # fmt: skip
    assert np.abs(run.v[-1]).max() < 1e-6
    stretch = np.diff(run.q[-1]) - 1.0
    assert np.abs(np.diff(20.0 * stretch, prepend=0.0, append=0.0)).max() < sigma
    assert (np.diff(run.lost) >= 0.0).all()


def test_many_kinks_at_once():
    """Nodes in the plane, each with a friction far above the other forces, thrown at 5 m/s: all stop within a step of
    16 ms, at creep speeds, where Newton's method alone would meet their kinks one by one."""
    rng = np.random.default_rng(0)
    sigma, eps, n = 775.0, 2.7e-8, 4
    place = rng.normal(size=(n, 2))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    lengths = [np.linalg.norm(place[i] - place[j]) for i, j in pairs]
    nodes = ld.Mechanical(
        mass=np.full(2 * n, 0.13),
        potential=ld.springs(pairs, 18.0, lengths, dim=2),
        dissipation=lambda q, v: sum(sigma * ld.smooth_norm(v[2 * k : 2 * k + 2], eps) for k in range(n)),
    )
    start = place + 0.3 * rng.normal(size=(n, 2))
    given = {"q": start.ravel(), "v": 5.0 * rng.normal(size=2 * n), "h": 0.016, "until": 0.48}
    run = ld.simulate(nodes, ld.IncrementalPotential(1.0, 1.5), **given)
    assert np.abs(np.diff(run.q[5:], axis=0)).max() < 0.016 * eps
    assert run.iterations < 30 * run.steps


def test_a_small_cloth_hangs_by_its_hooks():
    """Stiff springs, steps thirty times what an explicit scheme could take: it falls, and swings below its hooks."""
    system, q = cloth(8, spacing=0.1, density=0.2, stiffness=2e3)
    run = ld.simulate(system, ld.IncrementalPotential(0.5625, 1.0), q=q, v=0.0 * q, h=0.01, until=1.5)
    place = run.q.reshape(len(run), -1, 3)
    hooks = place[:, [0, 7]]
    assert np.abs(hooks - hooks[0]).max() < 0.01
    assert place[:, :, 2].min() < -0.5  # the far edge comes down
    length = np.linalg.norm(np.diff(place[-1].reshape(8, 8, 3), axis=0), axis=2)
    assert np.abs(length / 0.1 - 1.0).max() < 0.1  # and nothing tore
    assert (np.diff(run.energy) < 1e-3 * np.abs(run.energy - run.energy[0]).max()).all()  # γ = 1 only takes energy
    assert run.iterations < 3 * run.steps


@pytest.mark.parametrize("kind", ["SuperLU", "Cholmod"])
def test_factors_solve_and_know_what_is_definite(kind):
    """Against NumPy, also with a pattern used again."""
    if kind == "Cholmod":
        pytest.importorskip("cvxopt")
    from scipy.sparse import csc_matrix, random_array

    rng = np.random.default_rng(0)
    A = random_array((80, 80), density=0.05, rng=rng)
    A = csc_matrix((A + A.T).toarray() + 20.0 * np.eye(80))
    found = getattr(factors, kind)(A)
    b = rng.normal(size=80)
    for change in (1.0, 2.0, -1.0, 1.0):
        A.data[:] *= change
        definite = bool(np.linalg.eigvalsh(A.toarray())[0] > 0.0)
        assert found.factorise(A.data) == definite
        if definite:
            assert np.abs(A @ found.solve(b) - b).max() < 1e-12
