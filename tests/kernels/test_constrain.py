"""Both levels of a step with joints, and accelerations at a state, against full matrices in the user's own frames."""

import warnings
from itertools import pairwise

import numpy as np
import pytest

import livens as lv
from benchmarks import newton_euler
from livens.compile.compiled import Compiled
from livens.compile.drive_rates import SHORT_STEP
from livens.compile.system import compile_model, scratch
from livens.kernels.constrain import (
    add_prescribed_rates,
    apply_multipliers,
    constraint_rates,
    largest_violation,
    rolling_residuals,
)
from livens.kernels.dynamics import bias, move_steadily
from livens.kernels.kinds import VELOCITY_ONLY
from livens.kernels.rows import jacobians
from tests.helpers import dense, joint_equations, problems
from tests.helpers.joint_equations import Equations, seen

EPS = np.finfo(float).eps
G = (0.5, -0.3, -9.81)


def body(m, seed, *at, **options):
    return m.add(lv.Body(problems.lopsided(seed), at=at, rotation=problems.turned(seed), name=f"b{seed}", **options))


def pendulum():
    """A hinge and a ball joint, with a torsion spring and a damper between points."""
    m = lv.Model(gravity=G)
    one = body(m, 1, 0.5, 0, 0, angular_velocity=(0, 1, 0))
    two = body(m, 2, 1.2, 0.1, 0, angular_velocity=(1, -1, 2))
    m.add(
        lv.Revolute(m.world.point(0, 0, 0), one.point_at(0, 0, 0), axis=(0, 1, 0.2), stiffness=3, rest=0.4, damping=0.5)
    )
    m.add(lv.Spherical(one.point_at(1, 0, 0), two.point_at(1, 0, 0)))
    m.add(lv.Damper(m.world.point(0, 0, 1), two.point(0.1, 0.2, 0), rate=1.5))
    return m


def loop():
    """A closed spatial loop: hinge, universal joint, ball joint, rod."""
    m = lv.Model(gravity=G)
    one = body(m, 3, 0, 0, 0.5, angular_velocity=(1, 0, 0))
    two = body(m, 4, 0.5, 0.3, 1, velocity=(1, 0, 1))
    three = body(m, 5, 1, 1, 0.5, angular_velocity=(0, 1, 1))
    m.add(lv.Revolute(m.world.point(0, 0, 0), one.point_at(0, 0, 0), axis=(1, 0, 0)))
    m.add(lv.Universal(one.point_at(0, 0, 1), two.point_at(0, 0, 1), axis_a=(1, 0, 0), axis_b=(0, 1, 0.3)))
    m.add(lv.Spherical(two.point_at(1, 0.5, 1), three.point_at(1, 0.5, 1)))
    m.add(lv.Rod(three.point_at(1, 1, 0), m.world.point(1.2, 1.1, -0.5)))
    return m


def machine():
    """A driven crank, a slider with spring, damper and motor, and a screw geared to the crank."""
    m = lv.Model(gravity=G)
    crank = body(m, 6, 0, 0, 0)
    slider = body(m, 7, 2, 0, 0)
    nut = body(m, 8, 0, 0, 1)
    turning = lambda t: np.sin(3 * t)  # noqa: E731
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), crank.point_at(0, 0, 0), (0, 0, 1), drive=turning))
    rail = m.add(
        lv.Prismatic(m.world.point(2, 0, 0), slider.point_at(2.1, 0, 0), (1, 0, 0), stiffness=5, rest=0.2, damping=0.7)
    )
    screw = m.add(lv.Screw(m.world.point(0, 0, 1), nut.point_at(0, 0, 1.2), (0, 0, 1), pitch=0.3))
    m.add(lv.Rod(crank.point_at(0.4, 0, 0), slider.point_at(1.9, 0.1, 0)))
    m.add(lv.Coupling(hinge, screw, ratio=-0.7))
    m.add(lv.Motor(rail, lambda t: 2 + t))
    return m


def disc():
    m = lv.Model(gravity=(0, 0, -9.81))
    wheel = m.add(
        lv.Body(lv.MassProperties(1.3, (0.1, 0.1, 0.19)), at=(0, 0, 0.45), rotation=problems.turned(9), name="wheel")
    )
    tilt = np.array([np.sqrt(1 - 0.9**2), 0, 0.9])  # of the disc's plane against the floor: its centre is at R · 0.9
    axis = np.cross(tilt, (0, 1, 0))
    wheel.body_rates = wheel.pose.B.T @ (3.0 * axis + (0, 0, 0.5))
    m.add(lv.RollingDisc(m.world.point(0, 0, 0), wheel.point(0, 0, 0), normal=(0, 0, 1), axis=axis, radius=0.5))
    return m


def sleigh():
    m = lv.Model(gravity=G)
    one = body(m, 10, 0, 0, 0, angular_velocity=(0, 0, 1), velocity=(1, 0, 0))
    m.add(lv.Planar(m.world.point(0, 0, 0), one.point_at(0, 0, 0), normal=(0, 0, 1)))
    m.add(lv.KnifeEdge(m.world.point(0, 0, 0), one.point_at(-0.5, 0.1, 0), across=(0, 1, 0)))
    return m


MODELS = {build.__name__: build for build in (pendulum, loop, machine, disc, sleigh)}


def motion_of(name, steps=1, h=1e-2):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        return lv.simulate(MODELS[name](), h=h, until=steps * h)


def each_model(test):
    return pytest.mark.parametrize("name", MODELS)(test)


# ── small parts ──


@each_model
def test_push_is_the_transpose_of_rates(name):
    system, state, *_ = compile_model(MODELS[name]())
    work, rng = scratch(system), np.random.default_rng(0)
    jacobians(system.rows, system.coordinates, state.a, state.B, work.G)
    full = dense.gradient(system, state.a, state.B)
    lam, x = rng.normal(size=len(full)), np.zeros(len(full))
    p, L = np.zeros_like(state.p), np.zeros_like(state.L)
    apply_multipliers(system.blocks, work.G, 0.3, lam, p, L)
    assert np.abs(np.concatenate([p, L], axis=1).ravel() - 0.3 * lam @ full).max() <= 64 * EPS * np.abs(full).max()
    p, L = rng.normal(size=(2, *p.shape))
    constraint_rates(system.bodies, system.blocks, work.G, p, L, x)
    u = dense.inverse_mass(system.bodies) * np.concatenate([p, L], axis=1).ravel()
    assert np.abs(x - full @ u).max() <= 64 * EPS * np.abs(full).max() * np.abs(u).max()


def test_small_parts():
    """Rates of drives, defects of rows that have none, and the largest multiple of a tolerance; NaN is the worst."""
    system, _, *_ = compile_model(machine())
    rows, x = system.rows, np.zeros(len(system.rows.kind))
    driven = int(np.flatnonzero(rows.signal >= 0)[0])
    signals = np.arange(20.0)[None]
    add_prescribed_rates(rows, signals, 0, 0.0, x)
    assert np.flatnonzero(x).tolist() == [driven]
    assert x[driven] == -signals[0, rows.signal[driven] + 1]

    system, _, *_ = compile_model(disc())
    rolls, g = system.rows.kind >= VELOCITY_ONLY, np.full(3, 7.0)
    rolling_residuals(system.rows, 0.1, np.array([1.0, 2, 3]), np.array([3.0, 4, 5]), g)
    assert np.array_equal(g, np.where(rolls, 0.05 * np.array([4.0, 6, 8]), 7.0))

    tolerance = 1 / system.rows.weight
    assert largest_violation(system.rows, tolerance * (1, -3, 2)) == (pytest.approx(3.0), 1)
    assert largest_violation(system.rows, np.array([0.0, 0.0, np.nan]))[1] == 2


# ── one step ──


def drift(J, h, L):
    """The Cayley vector of J x + x × Jx = (h/2)(1 + |x|²) L by fixed-point iteration, in any axes; R = cay(x)."""
    x = np.zeros(3)
    for _ in range(20):
        x = np.linalg.solve(J, 0.5 * h * (1 + x @ x) * L - np.cross(x, J @ x))
    X = newton_euler.hat(x)
    return np.eye(3) + 2 / (1 + x @ x) * (X + X @ X)


def rattle(model, x, B, v, w, h):
    """One step of RATTLE with full matrices, from the joints' own geometry: (x, B, v, ω) after it."""
    e = Equations(model)
    M, _ = e.mass()
    W = np.linalg.inv(M)
    zero = np.zeros_like(v)
    G0, dampers = e.gradient(x, B), e.dampers(x, B)
    u = np.concatenate([v[1:], w[1:]], axis=1).ravel()
    P = M @ u + 0.5 * h * e.applied(x, B, zero, zero, 0.0)
    for c, row in dampers:
        P -= 0.5 * h * c * row * (row @ u)
    lam = np.zeros(len(G0))
    slips = np.concatenate([_slips(e, joint, x, B) for joint in model.joints])
    for _ in range(16):
        Q = (P + 0.5 * h * G0.T @ lam).reshape(-1, 6)
        turns = [drift(b.mass_properties.inertia, h, L) for b, L in zip(model.bodies[1:], Q[:, 3:], strict=True)]
        y = x + h * np.concatenate([zero[:1], (W @ Q.ravel()).reshape(-1, 6)[:, :3]])
        C = B @ np.array([np.eye(3), *turns])
        after = Q.copy()
        after[:, 3:] = np.einsum("nji,nj->ni", turns, Q[:, 3:])
        G1 = e.gradient(y, C, h) if slips.any() else G0
        g = 0.5 * h * (G0 @ W @ Q.ravel() + G1 @ W @ after.ravel())  # what slides
        g[~slips] = e.defect(y, C, h)
        lam -= np.linalg.solve(0.5 * h**2 * G0 @ W @ G0.T, g)
    G1 = e.gradient(y, C, h)
    P = after.ravel() + 0.5 * h * e.applied(y, C, zero, zero, h)
    still = e.rate_and_bias(y, C, zero, zero, h)[0]  # ∂g/∂t
    D = np.array([row for _, row in e.dampers(y, C)]).reshape(-1, len(P))
    A = np.concatenate([G1, D])
    yielding = np.diag([0.0] * len(G1) + [2 / (h * c) for c, _ in dampers])
    impulse = np.linalg.solve(A @ W @ A.T + yielding, -(A @ W @ P + np.concatenate([still, np.zeros(len(D))])))
    u = np.concatenate([zero[:1], zero[:1]], axis=1), (W @ (P + A.T @ impulse)).reshape(-1, 6)
    u = np.concatenate(u)
    return y, C, u[:, :3], u[:, 3:]


def _slips(e, joint, x, B):
    """False for each constraint on positions of a joint, True for each on velocities."""
    zero = np.zeros_like(x)
    return [False] * len(e.joint_defect(joint, x, B)) + [True] * len(e.joint_slip(joint, x, B, zero, zero))


@each_model
def test_one_step_is_rattle(name):
    """Positions to the tolerance of the rows, velocities to that over h."""
    h = 1e-2
    motion = motion_of(name, 1, h)
    expected = rattle(motion.model, *seen(motion, 0), h)
    off = 1 / motion.full.rows.weight.min() + 64 * EPS / joint_equations.RADIUS
    fast = 1.0 + np.abs(seen(motion, 0)[3]).max()
    for k, (found, other) in enumerate(zip(seen(motion, 1), expected, strict=True)):
        assert np.abs(found - other).max() <= 20 * fast * off / (1.0 if k < 2 else h)


@each_model
def test_both_levels_hold(name):
    """Defects of the joints' own geometry and their rates, drives included, over some steps."""
    motion = motion_of(name, 20)
    e = Equations(motion.model)
    tolerance = 1 / motion.full.rows.weight.min()
    for k in (1, 10, 20):
        x, B, v, w = seen(motion, k)
        t = motion.t[k]
        assert np.abs(e.defect(x, B, t)).max(initial=0.0) <= 2 * tolerance + 64 * EPS
        rate = np.abs(e.rate_and_bias(x, B, v, w, t)[0]).max()
        fast = 1.0 + np.abs(v).max() + np.abs(w).max()
        assert rate <= 64 * EPS * fast * max(1 / joint_equations.RADIUS, 1 / SHORT_STEP if name == "machine" else 0.0)


# ── at a state ──


@each_model
def test_bias_is_the_second_derivative(name):
    """γ by differences of fourth order in a time of 1e-3 over the fastest rate: errs by 1e-12 and eps/1e-3 of it."""
    motion = motion_of(name, 5)
    system, state = motion.full, motion.state
    work = scratch(system)
    bias(system, state.a, state.B, state.p, state.L, np.zeros((1, 8)), 0, work)
    hard = system.rows.rate == 0.0
    there, B = np.zeros_like(state.a), np.zeros_like(state.B)
    u = dense.inverse_mass(system.bodies) * np.concatenate([state.p, state.L], axis=1).ravel()

    def rate(t):
        move_steadily(system.bodies, t, state.a, state.B, state.p, state.L, there, B)
        return dense.gradient(system, there, B) @ u

    fast = np.abs(u).max()
    s = 0.05 / fast
    row = [(rate(s / 2**k) - rate(-s / 2**k)) / (2 * s / 2**k) for k in range(4)]
    for j in range(1, 4):
        row = [(4**j * fine - coarse) / (4**j - 1) for coarse, fine in pairwise(row)]
    assert np.abs(work.lam - row[0])[hard].max() <= 64 * (1e-12 + EPS / 1e-3) * fast**2


@each_model
def test_accelerations_and_multipliers_are_newtons(name):
    """M (v̇, ω̇) = forces + Gᵀλ with constraints that stay satisfied, as one full system of equations."""
    motion = motion_of(name, 5)
    e = Equations(motion.model)
    for k in (0, 5):
        x, B, v, w = seen(motion, k)
        expected, _, _ = e.accelerations(x, B, v, w, motion.t[k])
        found = [
            [*motion.acceleration(b.center)[k], *(B[n].T @ motion.angular_acceleration(b)[k])]
            for n, b in enumerate(motion.model.bodies)
        ][1:]
        size = 1.0 + np.abs(expected).max() + max(np.abs(w).max(), np.abs(v).max()) ** 2
        M, _ = e.mass()
        off = 1e-12 + EPS / 1e-3 + 16 * EPS / joint_equations.RADIUS**2
        if name == "machine":
            off += 16 * EPS / SHORT_STEP**2  # the drive is differentiated twice by differences
        assert np.abs(found - expected).max() <= 16 * off * size * np.sqrt(np.linalg.cond(M))


@each_model
def test_start_is_projected_with_the_smallest_change(name):
    """v − v_given = M⁻¹Gᵀλ with G v + ∂g/∂t = 0, by full matrices."""
    model = MODELS[name]()
    u0 = [[*(b.velocity + b.pose.B @ np.cross(b.body_rates, b.center.r)), *b.body_rates] for b in model.bodies]
    u0 = np.array(u0)[1:].ravel()
    motion = motion_of(name)
    x, B, v, w = seen(motion, 0)
    e = Equations(motion.model)
    M, _ = e.mass()
    A, zero = e.gradient(x, B), np.zeros_like(v)
    still = e.rate_and_bias(x, B, zero, zero)[0]
    W = np.linalg.inv(M)
    expected = u0 - W @ A.T @ np.linalg.solve(A @ W @ A.T, A @ u0 + still)
    found = np.concatenate([v[1:], w[1:]], axis=1).ravel()
    bound = 64 * (EPS / joint_equations.RADIUS + (EPS / SHORT_STEP if name == "machine" else 0.0))
    assert np.abs(found - expected).max() <= bound * np.linalg.cond(M) * (1.0 + np.abs(u0).max())
    assert Compiled.of(model, quiet=True).adjustment.moved <= 1e3 * EPS
