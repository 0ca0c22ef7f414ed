"""The exact Newton matrix of the position level, the prediction of multipliers, and the iterations that both save."""

import numpy as np
import pytest

import livens as lv
from livens.compile.compiled import Compiled
from livens.compile.system import scratch
from livens.kernels.constrain import apply_multipliers, shares_of_leads
from livens.kernels.position_matrix import multiply_by_drift
from livens.kernels.row_tapes import all_jacobians, all_violations
from livens.kernels.spin import drift_again
from livens.kernels.status import OK
from tests.helpers import dense

EPS = np.finfo(float).eps


def rotation(rng):
    return lv.Pose.from_axis_angle(rng.normal(size=3), rng.uniform(0, 3)).B


def linkage(seed):
    """Three bodies, slender, flat and nearly round, in a chain of a ball joint, a hinge and a slider."""
    rng = np.random.default_rng(seed)
    m = lv.Model(gravity=rng.normal(size=3))
    last = m.world
    joints = (
        lv.Spherical,
        lambda a, b: lv.Revolute(a, b, axis=(1, 2, 2)),
        lambda a, b: lv.Prismatic(a, b, axis=(2, 1, 2)),
    )
    for moments, joint in zip(((1.0, 0.9, 0.15), (0.4, 0.7, 1.0), (0.5, 0.55, 0.6)), joints, strict=True):
        Q = rotation(rng)
        inertia = 0.2 * Q @ np.diag(moments) @ Q.T
        body = m.add(
            lv.Body(lv.MassProperties(rng.uniform(0.5, 2), inertia), at=rng.normal(size=3), rotation=rotation(rng))
        )
        place = rng.normal(size=3)
        m.add(joint(last.point_at(place), body.point_at(place)))
        last = body
    return m


@pytest.mark.parametrize("seed", range(3))
def test_derivative_of_the_violations(seed):
    """∂g(q₁)/∂λ = (h²/2) G₁ (D/h) G₀ᵀ against differences of fourth order, at turns up to 0.8 rad in the step."""
    begin = Compiled.of(linkage(seed))
    system, state, work = begin.system, begin.state, scratch(begin.system)
    rng, h, r = np.random.default_rng(seed), 0.05, len(begin.system.rows.kind)
    signals, none = np.zeros((1, 8)), np.zeros(r)
    p = rng.normal(size=state.p.shape)
    L = system.bodies.inertia * rng.normal(size=state.L.shape)
    L *= 16.0 / np.linalg.norm(L[1:] * system.bodies.inverse_inertia[1:], axis=1).max()
    G = np.zeros_like(work.G)
    all_jacobians(system, state.a, state.B, signals, 0, work, none, G)

    def violations(lam):
        p1, L1 = p.copy(), L.copy()
        apply_multipliers(system.blocks, G, 0.5 * h, lam, p1, L1)
        given = system.bodies, h, state.a, state.B, p1, L1, False, work.cayley
        assert drift_again(*given, work.a, work.B, work.L, work.fault) == OK
        g = np.zeros(r)
        all_violations(system, work.a, work.B, state.angle, signals, 0, work, g)
        return g

    e = 1e-2
    columns = []
    for unit in np.eye(r):
        f = [violations(s * e * unit) for s in (-2, -1, 1, 2)]
        columns.append((f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * e))
    violations(np.zeros(r))
    all_jacobians(system, work.a, work.B, signals, 0, work, none, work.N)
    multiply_by_drift(system.bodies, system.blocks, h, L, work.cayley, work.N)
    n = len(state.a)
    G0, G1 = dense.spread(system.blocks, G, n), dense.spread(system.blocks, work.N, n)
    exact = 0.5 * h**2 * (G1 * dense.inverse_mass(system.bodies)) @ G0.T
    assert np.abs(np.array(columns).T - exact).max() <= 1e-8 * np.abs(exact).max()


def test_drift_from_the_last_cayley_vectors():
    """Newton from the Cayley vectors of another momentum finds the same rotation."""
    begin = Compiled.of(linkage(5))
    system, state, work = begin.system, begin.state, scratch(begin.system)
    rng = np.random.default_rng(5)
    L = system.bodies.inertia * rng.normal(size=state.L.shape)
    found = []
    for again in (False, True):
        drift_again(
            system.bodies,
            0.1,
            state.a,
            state.B,
            state.p,
            L * 0.7,
            False,
            work.cayley,
            work.a,
            work.B,
            work.L,
            work.fault,
        )
        given = system.bodies, 0.1, state.a, state.B, state.p, L, again, work.cayley
        assert drift_again(*given, work.a, work.B, work.L, work.fault) == OK
        found.append(np.concatenate([work.B, work.L[:, None]], axis=1))
    assert np.abs(found[0] - found[1]).max() <= 16 * EPS * (1 + np.abs(found[0]).max())


@pytest.mark.parametrize("order", [2, 4, 6])
def test_leads_on_a_parabola(order):
    """The shares reproduce a parabola through the leads at the times at which stages begin."""
    weights = lv.Livens(order).weights
    n = len(weights)
    lead = lambda t: 3.0 - 2.0 * t + 0.7 * t**2  # noqa: E731
    begins = np.concatenate([[0.0], np.cumsum(np.tile(weights, 6))])
    for i in range(4 * n, 5 * n):
        share = shares_of_leads(weights, i % n)
        assert sum(share) == pytest.approx(1.0, abs=1e-12)
        predicted = sum(s * lead(begins[i - k]) for k, s in enumerate(share, start=1))
        assert predicted == pytest.approx(lead(begins[i]), abs=1e-11)


def test_equal_times_have_no_parabola():
    """A step of stages that return to the time before takes the last lead."""
    assert shares_of_leads(np.array([0.5, -0.5, 1.0]), 0) == (1.0, 0.0, 0.0)


def test_iterations_of_a_fast_top():
    """A slender top at 150 rad/s, 0.4 rad a stage, at order 6: the simplified matrix took 9.9 iterations a stage."""
    m = lv.Model(gravity=(0, 0, -9.81))
    top = m.add(
        lv.Body(
            lv.MassProperties(1.0, np.diag([0.234375, 0.46875, 0.234375])), at=(0, 0.7, 0.7),
            rotation=lv.Pose.from_axis_angle((1, 0, 0), 0.8).B, angular_velocity=(0.0, 110.0, 100.0),
        )
    )  # fmt: skip
    m.add(lv.Spherical(m.world.point(0, 0, 0), top.point_at((0, 0, 0))))
    motion = lv.simulate(m, lv.Livens(order=6), h=6e-3, until=0.6, progress=False)
    assert motion.iterations / lv.Livens(order=6).stages < 4.2
    assert np.ptp(motion.energy) <= 1e-6 * motion.energy[0]
