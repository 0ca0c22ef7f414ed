"""Rows against differences of their defects, joints against what they mean, coordinates against their motion."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from livens.compile.compiled import Compiled
from livens.compile.system import compile_model, scratch
from livens.describe.joints.no_slip import tangents
from livens.describe.row import Row, across
from livens.kernels import kinds
from livens.kernels.constrain import constraint_rates
from livens.kernels.coordinates import apply_coordinate_force, coordinate_rate, coordinate_value, update_coordinates
from livens.kernels.dynamics import move_steadily
from livens.kernels.rows import jacobians, violations
from tests.helpers import dense, joint_equations, problems

EPS = np.finfo(float).eps
SPACING = 2e-2  # of the differences: halved three times and extrapolated, they err by SPACING⁸ and 8 eps/SPACING
NEAR = 64 * (SPACING**8 + 8 * EPS / SPACING)


def pair(world=""):
    """A model of two lopsided bodies somewhere, or one of them and the world."""
    m = lv.Model()
    bodies = [
        m.world
        if world == which
        else m.add(
            lv.Body(
                problems.lopsided(seed),
                at=(0.3 * seed - 1, 0.2, 0.1 * seed),
                rotation=problems.turned(seed),
                name=which,
            )
        )
        for which, seed in (("first", 3), ("second", 4))
    ]
    return m, *bodies


AXIS = np.array([1.0, -2.0, 0.5]) / np.sqrt(5.25)
PLACE = (0.3, -0.2, 0.4)
JOINTS = {
    "Spherical": lambda a, b: lv.Spherical(a.point_at(PLACE), b.point_at(PLACE)),
    "Revolute": lambda a, b: lv.Revolute(a.point_at(PLACE), b.point_at(PLACE), axis=AXIS),
    "Universal": lambda a, b: lv.Universal(a.point_at(PLACE), b.point_at(PLACE), axis_a=AXIS, axis_b=(1, 1, 0)),
    "Rigid": lambda a, b: lv.Rigid(a.point_at(PLACE), b.point_at(PLACE)),
    "Cylindrical": lambda a, b: lv.Cylindrical(a.point_at(PLACE), b.point_at(PLACE + 0.7 * AXIS), axis=AXIS),
    "Prismatic": lambda a, b: lv.Prismatic(a.point_at(PLACE), b.point_at(PLACE + 0.7 * AXIS), axis=AXIS),
    "Screw": lambda a, b: lv.Screw(a.point_at(PLACE), b.point_at(PLACE + 0.7 * AXIS), axis=AXIS, pitch=0.3),
    "Planar": lambda a, b: lv.Planar(a.point_at(PLACE), b.point_at(PLACE + np.cross(AXIS, (1, 0, 0.3))), normal=AXIS),
    "PointOnPlane": lambda a, b: lv.PointOnPlane(
        a.point_at(PLACE), b.point_at(PLACE + np.cross(AXIS, (1, 0, 0.3))), normal=AXIS
    ),
    "PointOnLine": lambda a, b: lv.PointOnLine(a.point_at(PLACE), b.point_at(PLACE + 0.7 * AXIS), axis=AXIS),
    "FixedOrientation": lambda a, b: lv.FixedOrientation(a, b),
    "Rod": lambda a, b: lv.Rod(a.point_at(PLACE), b.point_at(1, 1, 0)),
    "RollingBall": lambda a, b: lv.RollingBall(
        a.point_at(PLACE), b.point_at(PLACE + 0.2 * AXIS + np.cross(AXIS, (1, 0, 0))), normal=AXIS, radius=0.2
    ),
    "RollingDisc": lambda a, b: lv.RollingDisc(
        a.point_at(PLACE), b.point_at(PLACE + 0.2 * AXIS), normal=AXIS, axis=np.cross(AXIS, (1, 0.2, 0)), radius=0.2
    ),
    "KnifeEdge": lambda a, b: lv.KnifeEdge(a.point_at(PLACE), b.point_at(1, 0, 1), across=(1, 2, 3)),
    "driven": lambda a, b: lv.Revolute(a.point_at(PLACE), b.point_at(PLACE), axis=AXIS, drive=lambda t: 0 * t),
}
HOLONOMIC = [kinds.COINCIDE, kinds.DOT1, kinds.DOT2, kinds.DISTANCE, kinds.COUPLE, kinds.RIM]


def scattered(state, seed):
    """A state with the bodies anywhere, moving anyhow: off the joints."""
    rng = np.random.default_rng(seed)
    n = len(state.a) - 1
    state.a[1:] = rng.normal(size=(n, 3))
    state.B[1:] = Rotation.random(n, rng=rng).as_matrix()
    return hurled(state, rng)


def hurled(state, rng):
    state.p[1:], state.L[1:] = rng.normal(size=(2, len(state.a) - 1, 3))
    return state


def slowly(system, state, seed):
    """Random momenta, scaled so that the fastest body turns with 1 rad/s."""
    hurled(state, np.random.default_rng(seed))
    fastest = np.abs(state.L * system.bodies.inverse_inertia).max()
    state.p[:], state.L[:] = state.p / fastest, state.L / fastest


def assembled(model, seed):
    """System and state after some motion that the joints allow: on the joints, but no longer at the start."""
    rng = np.random.default_rng(seed)
    for body in model.bodies[1:]:
        body.velocity, body.body_rates = rng.normal(size=(2, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        motion = lv.simulate(model, h=0.02, until=0.3, every=15)
    return motion.full, motion.state._replace(lam=np.zeros((3, len(motion.full.rows.kind)))), motion


def defect(system, a, B, angle):
    g = np.zeros(len(system.rows.kind))
    violations(system.rows, system.coordinates, a, B, angle, np.zeros((1, 8)), 0, g)
    return g


def turn(w):
    return Rotation.from_rotvec(w).as_matrix()


def along(function, x):
    """d/ds of function(s) at s = 0 by central differences in steps of SPACING, halved three times, extrapolated."""
    row = [(function(s * x) - function(-s * x)) / (2 * s) for s in SPACING / 2.0 ** np.arange(4)]
    for j in range(1, 4):
        row = [(4**j * fine - coarse) / (4**j - 1) for coarse, fine in pairwise(row)]
    return row[0]


def gradient_by_differences(system, state):
    """∂g/∂(δa, δθ) of every row, (rows, 6 n), the world's columns zero."""
    n = len(state.a)

    def displaced(u):
        u = u.reshape(n, 6)
        return defect(system, state.a + u[:, :3], state.B @ turn(u[:, 3:]), state.angle)

    columns = [along(displaced, e) if k >= 6 else 0 * displaced(0 * e) for k, e in enumerate(np.eye(6 * n))]
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("world", ["", "first", "second"])
@pytest.mark.parametrize("name", JOINTS)
def test_gradients_are_derivatives_of_defects(name, world, seed):
    """At any configuration; those of angles only where the joint's axes are one, as their equation says."""
    m, a, b = pair(world)
    m.add(JOINTS[name](a, b))
    system, state, *_ = compile_model(m)
    if (system.coordinates.kind == kinds.ANGLE).any():
        system, state, _ = assembled(m, seed)
    else:
        scattered(state, seed)
    rows = np.flatnonzero(np.isin(system.rows.kind, HOLONOMIC) & (system.rows.rate == 0.0))
    found, expected = dense.gradient(system, state.a, state.B), gradient_by_differences(system, state)
    assert len(rows) or name == "KnifeEdge"
    assert np.abs(found - expected)[rows].max(initial=0.0) <= NEAR * max(1.0, np.abs(state.a).max())


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", JOINTS)
def test_rates_are_what_a_motion_does_to_the_defects(name, seed):
    """G (v, ω) = dg/dt along a motion of constant v and body rates."""
    m, a, b = pair()
    m.add(JOINTS[name](a, b))
    system, state, _ = assembled(m, seed)
    slowly(system, state, seed)
    work = scratch(system)
    there, B = np.zeros_like(state.a), np.zeros_like(state.B)

    def g(t):
        move_steadily(system.bodies, t, state.a, state.B, state.p, state.L, there, B)
        return defect(system, there, B, state.angle)

    found = dense.gradient(system, state.a, state.B) @ (
        dense.inverse_mass(system.bodies) * np.concatenate([state.p, state.L], axis=1).ravel()
    )
    rows = np.isin(system.rows.kind, HOLONOMIC)
    assert np.abs(found - along(g, 1.0))[rows].max(initial=0.0) <= NEAR * max(1.0, np.abs(state.a).max())
    x = np.zeros(len(rows))
    jacobians(system.rows, system.coordinates, state.a, state.B, work.G)
    constraint_rates(system.bodies, system.blocks, work.G, state.p, state.L, x)
    assert np.abs(x - found).max() <= 64 * EPS * max(1.0, np.abs(found).max())


@pytest.mark.parametrize("world", ["", "first", "second"])
@pytest.mark.parametrize("name", JOINTS)
def test_rows_forbid_what_the_joint_forbids(name, world):
    """Together they span the same space as the joint's geometry, written independently."""
    m, a, b = pair(world)
    m.add(JOINTS[name](a, b))
    system, state, motion = assembled(m, 5)
    x, B, *_ = joint_equations.seen(motion, -1)
    theirs = joint_equations.Equations(m).gradient(x, B)
    mine = dense.gradient(system, state.a, state.B).reshape(-1, len(x), 6)
    mine[:, :, 3:] = np.einsum("rnj,nij->rni", mine[:, :, 3:], system.bodies.axes)  # principal to body axes
    mine = mine[:, 1:].reshape(len(mine), -1)
    assert len(mine) == len(theirs) == np.linalg.matrix_rank(mine, tol=1e-8)
    both = np.concatenate([mine, theirs])
    values = np.linalg.svd(both, compute_uv=False)
    assert (
        values[len(mine) :].max(initial=0.0) <= 1e3 * 1 / system.rows.weight.min() + 1e3 * EPS / joint_equations.RADIUS
    )


# ── rows with a rate only, by hand ──


@pytest.mark.parametrize("seed", range(3))
def test_a_span_grows_as_fast_as_its_ends_part(seed):
    m, a, b = pair()
    m.add(lv.Damper(a.point(0.1, 0.2, 0.3), b.point(-0.3, 0.1, 0), rate=2.0))
    system, state, *_ = compile_model(m)
    scattered(state, seed)
    points = [state.a[k] + state.B[k] @ system.rows.point[0, k - 1] for k in (1, 2)]
    u = dense.inverse_mass(system.bodies) * np.concatenate([state.p, state.L], axis=1).ravel()
    v = [
        u.reshape(-1, 6)[k, :3] + state.B[k] @ np.cross(u.reshape(-1, 6)[k, 3:], system.rows.point[0, k - 1])
        for k in (1, 2)
    ]
    d = points[1] - points[0]
    expected = d @ (v[1] - v[0]) / np.linalg.norm(d)
    assert abs(dense.gradient(system, state.a, state.B)[0] @ u - expected) <= 64 * EPS * np.abs(u).max()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["RollingBall", "RollingDisc", "KnifeEdge"])
def test_what_rolls_slides_as_its_contact_does(name, seed):
    """t · (velocity of the second body − that of the first) at the contact, from Ω × r in world axes."""
    m, a, b = pair()
    joint = m.add(JOINTS[name](a, b))
    system, state, *_ = compile_model(m)
    scattered(state, seed)
    u = (dense.inverse_mass(system.bodies) * np.concatenate([state.p, state.L], axis=1).ravel()).reshape(-1, 6)
    frames = [state.B[k] @ system.bodies.axes[k].T for k in (1, 2)]  # the users'
    spin = [state.B[k] @ u[k, 3:] for k in (1, 2)]
    centre = state.a[2] + frames[1] @ (joint.b.r - b.mass_properties.center)
    if name == "KnifeEdge":
        contact, directions = centre, [frames[1] @ (b.pose.B.T @ joint.across)]
    else:
        n = frames[0] @ (a.pose.B.T @ joint.normal)
        down = -n
        if name == "RollingDisc":
            W = frames[1] @ (b.pose.B.T @ joint.axis)
            down = np.cross(np.cross(n, W), W)  # in the disc, steepest
        contact = centre + 0.2 * down / np.linalg.norm(down)
        directions = [frames[0] @ (a.pose.B.T @ t) for t in triad(joint)]
    v = [u[k, :3] + np.cross(spin[k - 1], contact - state.a[k]) for k in (1, 2)]
    expected = [t @ (v[1] - v[0]) for t in directions]
    found = dense.gradient(system, state.a, state.B) @ u.ravel()
    found = found[system.rows.kind >= kinds.VELOCITY_ONLY]
    assert np.abs(found - expected).max() <= 256 * EPS * np.abs(u).max()


def triad(joint):
    """The tangents that a joint chooses: two that make a right-handed triad with the normal."""
    e1, e2 = tangents(joint.a, joint.b, joint.normal)
    assert np.abs(np.cross(e1, e2) - joint.normal).max() <= 8 * EPS
    return e1, e2


def test_the_lowest_point_of_a_disc_is_its_contact():
    """RIM: centre height − R √(1 − (n·W)²) is the height of the lowest of the rim's points."""
    m, a, b = pair("first")
    joint = m.add(JOINTS["RollingDisc"](a, b))
    system, state, *_ = compile_model(m)
    for seed in range(5):
        scattered(state, seed)
        frame = state.B[1] @ system.bodies.axes[1].T
        centre = state.a[1] + frame @ (joint.b.r - b.mass_properties.center)
        W = frame @ (b.pose.B.T @ joint.axis)
        e1, e2 = across(W)
        angle = np.linspace(0, 2 * np.pi, 20001)
        rim = centre + 0.2 * (np.cos(angle)[:, None] * e1 + np.sin(angle)[:, None] * e2)
        lowest = ((rim - joint.a.r) @ joint.normal).min()
        g = defect(system, state.a, state.B, state.angle)
        assert abs(g[0] - lowest) <= 0.2 * (2 * np.pi / 20000) ** 2 / 8 + 64 * EPS * np.abs(state.a).max()


# ── coordinates ──


def coordinated(name):
    """A model with one joint whose coordinates are all compiled, because something acts on them."""
    m, a, b = pair()
    joint = JOINTS[name](a, b)
    joint.stiffness = 1.0
    if len(joint.coordinates) == 2:  # a damper on both keeps them in use
        q = joint.coordinates
        joint.extras = lambda: [Row("COUPLE", joint.a, joint.b, coordinates=q, ratios=(1.0, 0.5), rate=1e-3)]
    m.add(joint)
    return m, joint


@pytest.mark.parametrize("name", ["Revolute", "Prismatic", "Cylindrical", "Screw"])
def test_coordinates_say_how_the_joint_has_moved(name):
    """The second body turned by φ about the axis and pushed by s along it, and both bodies carried anywhere."""
    m, joint = coordinated(name)
    system, state, *_ = compile_model(m)
    coordinates = system.coordinates
    rng = np.random.default_rng(0)
    for _ in range(5):
        phi = rng.uniform(-3, 3) if name != "Prismatic" else 0.0
        s = rng.uniform(-1, 1) if name != "Revolute" else 0.0
        R, c, F = turn(phi * AXIS), joint.a.start, Rotation.random(rng=rng).as_matrix()
        a, B = state.a.copy(), state.B.copy()
        a[2], B[2] = c + R @ (a[2] - c) + s * AXIS, R @ B[2]
        a[1:], B[1:] = a[1:] @ F.T + rng.normal(size=3), F @ B[1:]
        for k in range(len(coordinates.kind)):
            near = coordinate_value(coordinates, k, a, B, 0.0)
            expected = phi if coordinates.kind[k] == kinds.ANGLE else s
            assert abs(near - expected) <= 64 * EPS


def test_angles_are_unwrapped_over_many_turns():
    """Up to half a turn between two readings, forwards and back."""
    m, joint = coordinated("Revolute")
    system, state, *_ = compile_model(m)
    a0, B0, c = state.a.copy(), state.B.copy(), joint.a.start
    path = np.concatenate([np.arange(0, 40, 3.0), np.arange(40, -40, -2.9)])
    for phi in path:
        state.a[2], state.B[2] = c + turn(phi * AXIS) @ (a0[2] - c), turn(phi * AXIS) @ B0[2]
        update_coordinates(system.coordinates, state.a, state.B, state.angle)
        assert abs(state.angle[0] - phi) <= 64 * EPS * max(1.0, abs(phi))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", ["Revolute", "Prismatic", "Cylindrical", "Screw"])
def test_coordinate_rates_and_their_transpose(name, seed):
    """q̇ = dq/dt along a motion; a force Q along q has the power Q q̇ and pulls at nothing as a whole."""
    m, _ = coordinated(name)
    system, state, _ = assembled(m, seed)
    slowly(system, state, seed)
    bodies, coordinates, p, L = system.bodies, system.coordinates, state.p, state.L
    there, B = np.zeros_like(state.a), np.zeros_like(state.B)
    for k in range(len(coordinates.kind)):

        def q(t, k=k):
            move_steadily(bodies, t, state.a, state.B, p, L, there, B)
            return coordinate_value(coordinates, k, there, B, state.angle[k])

        found = coordinate_rate(bodies, coordinates, k, state.a, state.B, p, L)
        assert abs(found - along(q, 1.0)) <= NEAR * max(1.0, np.abs(state.a).max())
        f, tau = np.zeros_like(p), np.zeros_like(L)
        apply_coordinate_force(coordinates, k, state.a, state.B, 0.7, f, tau)
        work = np.sum(f * p * bodies.inverse_mass[:, None]) + np.sum(tau * L * bodies.inverse_inertia)
        assert abs(work - 0.7 * found) <= 64 * EPS * max(1.0, np.abs(p * bodies.inverse_mass[:, None]).max())
        moment = np.cross(state.a, f) + np.einsum("nij,nj->ni", state.B, tau)
        assert np.abs(f.sum(axis=0)).max() <= 16 * EPS
        assert np.abs(moment.sum(axis=0)).max() <= 64 * EPS * max(1.0, np.abs(state.a).max())


def test_a_coupling_moves_both_joints():
    """The row of a gear is ρ₁q₁ + ρ₂q₂, also where two of its four bodies are one."""
    m = lv.Model()
    arm = m.add(lv.Body(problems.lopsided(1), at=(0.2, 0.3, 0), rotation=problems.turned(1), name="arm"))
    slider = m.add(lv.Body(problems.lopsided(2), at=(1, 0, 0.2), rotation=problems.turned(2), name="slider"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point_at(0, 0, 0), axis=(0, 0, 1)))
    rail = m.add(lv.Prismatic(arm.point_at(0.5, 0, 0), slider.point_at(0.7, 0, 0), axis=(1, 0, 0)))
    m.add(lv.Coupling(hinge, rail, ratio=0.4))
    system, state, _ = assembled(m, 1)
    expected = gradient_by_differences(system, state)
    assert np.abs(dense.gradient(system, state.a, state.B) - expected).max() <= NEAR
    with pytest.warns(lv.ModelWarning, match="velocities"):
        motion = lv.simulate(m, h=0.01, until=0.5)
    assert (
        np.abs(motion.coordinate(rail) - 0.4 * motion.coordinate(hinge)).max()
        <= 1e3 * EPS + 1 / system.rows.weight.min()
    )
    assert np.ptp(motion.coordinate(hinge)) > 0.1


def test_dampers_have_no_defect():
    """Whatever the angle of a damped joint, or the length of a damper, the position level asks nothing of it."""
    m, a, b = pair()
    m.add(lv.Revolute(a.point_at(PLACE), b.point_at(PLACE), axis=AXIS, damping=1.0))
    m.add(lv.Damper(a.point(1, 0, 0), b.point(0, 1, 0), rate=2.0))
    system, state, _ = assembled(m, 1)
    g = np.full(len(system.rows.kind), np.nan)
    violations(system.rows, system.coordinates, state.a, state.B, state.angle, np.zeros((1, 1)), 0, g)
    assert not g[system.rows.rate > 0].any()
    assert abs(state.angle[0]) > 0.01


def test_every_kind_of_row_is_here():
    found = set()
    for build in JOINTS.values():
        m, a, b = pair()
        m.add(build(a, b))
        found.update(Compiled.of(m, quiet=True).system.rows.kind.tolist())
    assert found | {kinds.SPAN, kinds.TAPE} == set(range(10))  # TAPE rows: test_user_constraints.py
