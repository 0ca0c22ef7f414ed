"""Consistent initial states: assembly against least squares, degrees of freedom, reactions of minimum norm."""

import re
import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from benchmarks import linkages
from livens.compile.assembly import SHIFT
from livens.compile.compiled import Compiled
from livens.compile.rows import LONGEST, PRECISION
from livens.compile.system import scratch
from livens.kernels.forces import forces_of_record
from tests.helpers import dense, mechanisms, problems
from tests.helpers.joint_equations import RADIUS, Equations, seen

EPS = np.finfo(float).eps
DOWN = (0, 0, -9.81)
X, Y, Z = np.eye(3)


def started(model):
    """The initial state of a model, and the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        start = Compiled.of(model)
    return start, [str(w.message) for w in said if issubclass(w.category, lv.ModelWarning)]


# ── assembly ──


def misfit(size):
    """A spatial loop of three asymmetric bodies, joints violated by about `size`: hinge, ball, universal joint, rod."""
    m = lv.Model(gravity=DOWN)
    rng = np.random.default_rng(5)
    one, two, three = (
        m.add(lv.Body(problems.lopsided(k), at=at, rotation=problems.turned(k), name=f"b{k}"))
        for k, at in ((1, (0, 0, 0.5)), (2, (0.5, 0.3, 1)), (3, (1, 1, 0.5)))
    )
    off = lambda *x: x + size * rng.normal(size=3)  # noqa: E731
    m.add(lv.Revolute(m.world.point(0, 0, 0), one.point_at(off(0, 0, 0)), axis=X, name="hinge"))
    m.add(lv.Spherical(one.point_at(0, 0, 1), two.point_at(off(0, 0, 1)), name="ball"))
    m.add(lv.Universal(two.point_at(1, 0.5, 1), three.point_at(off(1, 0.5, 1)), X, Y + 0.3 * Z, name="cross"))
    m.add(lv.Rod(three.point_at(1, 1, 0), m.world.point(1, 1, -0.5), length=0.5 + size, name="rod"))
    return m


def nearest(model):
    """The nearest configuration that satisfies the joints, in the mass-weighted norm: displacements, rotations u with
    M u = Aᵀλ and g(u) = 0, A = ∂g/∂u by differences."""
    e = Equations(model)
    M, _ = e.mass()
    x0 = np.array([np.zeros(3)] + [b.center.start for b in model.bodies[1:]])
    B0 = np.array([b.pose.B for b in model.bodies])

    def g(u):
        u = np.concatenate([np.zeros((1, 6)), u.reshape(-1, 6)])
        return e.defect(x0 + u[:, :3], B0 @ Rotation.from_rotvec(u[:, 3:]).as_matrix())

    u, W = np.zeros(len(M)), np.linalg.inv(M)
    for _ in range(30):
        A = np.stack([(g(u + d) - g(u - d)) / 2e-5 for d in 1e-5 * np.eye(len(u))], axis=1)
        last, u = u, W @ A.T @ np.linalg.solve(A @ W @ A.T, A @ u - g(u))
        if np.abs(u - last).max() <= 1e-13:
            break
    assert np.abs(g(u)).max() <= 1e-12
    return u, M


def given(start, model):
    """The displacement of a start from the described positions, as (displacement, rotation) of each body."""
    motion = lv.Trajectory(
        start,
        lv.Livens(),
        1.0,
        1,
        np.zeros(1),
        type(start.state)(*(x[None] for x in start.state)),
        0,
        0.0,
    )
    x, B, *_ = seen(motion)
    moves = [x[k] - b.center.start for k, b in enumerate(model.bodies) if k]
    turns = [Rotation.from_matrix(b.pose.B.T @ B[k]).as_rotvec() for k, b in enumerate(model.bodies) if k]
    return np.concatenate([moves, turns], axis=1).ravel()


def test_positions_are_moved_by_the_smallest_amount():
    """The mass-weighted displacement is minimal, up to the square of the violation."""
    excess = {}
    for size in (1e-2, 1e-3):
        model = misfit(size)
        start, _ = started(model)
        u = given(start, model)
        best, M = nearest(model)
        excess[size] = np.sqrt((u - best) @ M @ (u - best))
        assert excess[size] <= 10 * best @ M @ best / np.sqrt(np.linalg.eigvalsh(M)[0])
    assert excess[1e-3] <= 0.02 * excess[1e-2]


def test_the_warning_gives_the_size_of_the_move():
    model = misfit(1e-3)
    start, said = started(model)
    u = given(start, model).reshape(-1, 6)
    move, turn = (np.linalg.norm(part, axis=1).max() for part in (u[:, :3], u[:, 3:]))
    assert abs(start.adjustment.moved - move) <= 64 * EPS
    assert abs(start.adjustment.turned - turn) <= turn**3
    assert said == [
        f"the initial positions did not satisfy the joints: bodies were moved by up to {move:.2g} m and {turn:.2g} rad."
    ]


def test_a_consistent_start_is_unchanged_and_gives_no_warning():
    start, said = started(misfit(0.0))
    assert not said
    assert start.adjustment.moved <= 8 * EPS
    assert start.adjustment.turned <= 8 * EPS
    assert start.freedom == 18 - 5 - 3 - 4 - 1


def test_velocities_are_changed_by_the_smallest_amount():
    """p − p_given = Gᵀλ with G v = 0: a weighted projection; the warning gives the largest change."""
    model = misfit(0.0)
    rng = np.random.default_rng(1)
    for body in model.bodies[1:]:
        body.velocity, body.body_rates = rng.normal(size=(2, 3))
    motion, said = lv_dynamics(model)
    x, B, v, w = seen(motion)
    e = Equations(model)
    M, _ = e.mass()
    G = e.gradient(x, B)
    u0 = [[*(b.velocity + b.pose.B @ np.cross(b.body_rates, b.center.r)), *b.body_rates] for b in model.bodies[1:]]
    u0 = np.ravel(u0)
    root = np.linalg.cholesky(M)
    null = np.linalg.svd(np.linalg.solve(root, G.T).T)[2][len(G) :]  # of G M^(−½)
    expected = np.linalg.solve(root.T, null.T @ (null @ (root.T @ u0)))
    found = np.concatenate([v[1:], w[1:]], axis=1).ravel()
    assert np.abs(found - expected).max() <= 64 * EPS / RADIUS * np.linalg.cond(M)
    change = (expected - u0).reshape(-1, 6)
    change, spin = (np.linalg.norm(part, axis=1).max() for part in (change[:, :3], change[:, 3:]))
    size = f"{change:.2g} m/s and {spin:.2g} rad/s"
    assert said == [f"the initial velocities did not satisfy the joints: they were changed by up to {size}."]


def lv_dynamics(model):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        motion = lv.dynamics(model)
    return motion, [str(w.message) for w in said if issubclass(w.category, lv.ModelWarning)]


def test_inconsistent_angular_velocities_are_reported_too():
    """A wheel on its axle that also tumbles: only its angular velocity violates the joint."""
    m = lv.Model()
    wheel = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), angular_velocity=(0.5, 0, 3), name="wheel"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=Z, name="axle"))
    start, said = started(m)
    assert np.abs(start.state.L[1] - (0, 0, 3)).max() <= 16 * EPS
    assert len(said) == 1
    assert "0.5 rad/s" in said[0]


@pytest.mark.parametrize("kind", [lv.Revolute, lv.Cylindrical, lv.Planar, lv.Prismatic, lv.Rigid])
def test_joints_turned_over_by_assembly_are_errors(kind):
    """A rotation by π also satisfies the rows of directions: the sign of the shared axis distinguishes them."""
    m = lv.Model()
    b = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), name="b"))
    options = {lv.Planar: {"normal": Z}, lv.Rigid: {}}.get(kind, {"axis": Z})
    m.add(kind(m.world.point(0, 0, 0), b.point(0, 0, 0), **options, name="it"))
    start, _ = started(m)
    after = start.fitted(start.state)
    assert np.abs(after.B - start.state.B).max() <= 8 * EPS
    over = start.state._replace(B=start.state.B.copy())
    over.B[1] = np.diag([1.0, -1.0, -1.0])
    sentence = (
        f"joint 'it' ({kind.__name__}) is turned over after assembly: bodies 'world' and 'b' no longer share its "
        "directions as described. Place them closer to where they fit."
    )
    with pytest.raises(lv.ModelError, match=f"^{re.escape(sentence)}$"):
        start.fitted(over)


def test_orientations_that_three_dot_products_cannot_tell_apart():
    """A third of a turn about (1, 1, 1) satisfies all three rows of a weld."""
    m = lv.Model()
    b = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), name="b"))
    m.add(lv.Rigid(m.world.point(0, 0, 0), b.point(0, 0, 0), name="weld"))
    start, _ = started(m)
    over = start.state._replace(B=start.state.B.copy())
    over.B[1] = Rotation.from_rotvec(2 * np.pi / 3 / np.sqrt(3) * np.ones(3)).as_matrix()
    with pytest.raises(lv.ModelError, match=r"joint 'weld' .* turned over"):
        start.fitted(over)


# ── degrees of freedom ──

BAR = lv.MassProperties(1.0, (0.01, 0.1, 0.1))


def bar(m, a, b, name):
    """A bar between two positions."""
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    d = (b - a) / np.linalg.norm(b - a)
    side = np.cross(Z if abs(d[2]) < 0.9 else X, d)
    side /= np.linalg.norm(side)
    return m.add(lv.Body(BAR, at=(a + b) / 2, rotation=np.stack([d, side, np.cross(d, side)], axis=1), name=name))


def loop(m, places, axes, name=""):
    """Bars between positions, hinged to each other and at both ends to the world."""
    bodies = [
        m.world,
        *(bar(m, a, b, f"bar{name}{k}") for k, (a, b) in enumerate(pairwise(places))),
    ]
    for k, (place, axis) in enumerate(zip(places, axes, strict=True)):
        one, two = bodies[k], bodies[(k + 1) % len(bodies)]
        m.add(lv.Revolute(one.point_at(place), two.point_at(place), axis=axis, name=f"hinge{name}{k}"))


def four_bar(m=None, at=0.0, name=""):
    m = lv.Model(gravity=(0, -9.81, 0)) if m is None else m
    loop(m, [(at, 0, 0), (at, 1, 0), (at + 1.5, 1.4, 0), (at + 1.2, 0, 0)], [Z] * 4, name)
    return m


def flat():
    """A parallelogram with all its bars on one line."""
    m = lv.Model(gravity=(0, -9.81, 0))
    loop(m, [(0, 0, 0), (1, 0, 0), (3, 0, 0), (2, 0, 0)], [Z] * 4)
    return m


def four_bars(n):
    m = lv.Model(gravity=(0, -9.81, 0))
    cranks = [bar(m, (k, 0, 0), (k, 1, 0), f"crank{k}") for k in range(n + 1)]
    for k, crank in enumerate(cranks):
        m.add(lv.Revolute(m.world.point(k, 0, 0), crank.point_at(k, 0, 0), axis=Z, name=f"foot{k}"))
    for k in range(n):
        top = bar(m, (k, 1, 0), (k + 1, 1, 0), f"top{k}")
        m.add(lv.Revolute(cranks[k].point_at(k, 1, 0), top.point_at(k, 1, 0), axis=Z, name=f"left{k}"))
        m.add(lv.Revolute(cranks[k + 1].point_at(k + 1, 1, 0), top.point_at(k + 1, 1, 0), axis=Z, name=f"right{k}"))
    return m


def bricard():
    m = lv.Model(gravity=(0, -9.81, 0))
    loop(m, [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], [Y, Z, X, Y, Z, X])
    return m


def door():
    m = lv.Model(gravity=DOWN)
    panel = m.add(lv.Body(lv.Box(0.8, 0.04, 2, density=600), at=(0.4, 0, 1), name="panel"))
    for k, height in enumerate((0.3, 1.7)):
        m.add(lv.Revolute(m.world.point(0, 0, height), panel.point_at(0, 0, height), axis=Z, name=f"hinge{k}"))
    return m


def welded():
    m = lv.Model()
    one, two = (m.add(lv.Body(problems.lopsided(k), at=(k, 0, 0), name=f"b{k}")) for k in (1, 2))
    for k in range(2):
        m.add(lv.Rigid(one.point_at(1.5, k, 0), two.point_at(1.5, k, 0), name=f"weld{k}"))
    return m


def balls():
    """Three bodies in a ring of ball joints, hung from two rods."""
    m = lv.Model(gravity=DOWN)
    corners = np.array([(0.0, 0, 0), (1, 0, 0), (0.4, 0.9, 0)])
    bodies = [
        m.add(lv.Body(problems.lopsided(k), at=corners[[k, (k + 1) % 3]].mean(axis=0), name=f"b{k}")) for k in range(3)
    ]
    for k in range(3):
        m.add(lv.Spherical(bodies[k - 1].point_at(corners[k]), bodies[k].point_at(corners[k]), name=f"ball{k}"))
    m.add(lv.Rod(m.world.point(0, 0, 1), bodies[0].point_at(0.2, 0, 0), name="rod0"))
    m.add(lv.Rod(m.world.point(1, 1, 1), bodies[1].point_at(0.8, 0.3, 0), name="rod1"))
    return m


def free(*matters):
    m = lv.Model()
    for k, matter in enumerate(matters):
        m.add(lv.Body(matter, at=(k, 0, 0), name=f"b{k}"))
    return m


def strung():
    """A point mass on a string and a thin rod hung from it: 3 + 5 coordinates."""
    m = free(lv.PointMass(1.0))
    m.add(lv.Rod(m.world.point(0, 0, 1), m["b0"].point(0, 0, 0), name="string"))
    rod = m.add(lv.Body(lv.ThinRod(1.0, mass=1.0), at=(0.5, 0, 0), name="rod"))
    m.add(lv.Spherical(m["b0"].point(0, 0, 0), rod.point(-0.5, 0, 0), name="knot"))
    return m


SOLID, THIN, DOT = lv.MassProperties(1, (1, 2, 3)), lv.MassProperties(1, (0, 1, 1)), lv.MassProperties(1, (0, 0, 0))
COUNTS = [  # mechanism, repeated rows, degrees of freedom
    (four_bar, 3, 1),
    (flat, 3, 1),
    (lambda: four_bars(3), 9, 1),
    (lambda: four_bars(8), 24, 1),
    (bricard, 1, 1),
    (door, 5, 1),
    (welded, 6, 6),
    (balls, 0, 18 - 9 - 2),
    (lambda: free(SOLID), 0, 6),
    (lambda: free(SOLID, THIN, DOT), 0, 6 + 5 + 3),
    (strung, 0, 3 + 5 - 1 - 3),
]
NAMES = ["four-bar", "flat", "three", "eight", "Bricard", "door", "weld", "balls", "free", "thin", "strung"]


@pytest.mark.parametrize(("build", "repeated", "freedom"), COUNTS, ids=NAMES)
def test_degrees_of_freedom_and_redundant_rows(build, repeated, freedom):
    """The numbers are those of a generic position, do not depend on the order of joints, and are in the warning."""
    rng = np.random.default_rng(0)
    model = build()
    for _ in range(4):
        start, said = started(model)
        assert (sum(start.redundant.values()), start.freedom) == (repeated, freedom)
        assert set(start.redundant) <= {joint.name for joint in model.joints}
        if repeated:
            text = f"{repeated} constraint equation{'s are' if repeated > 1 else ' is'} redundant (in "
            assert len(said) == 1
            assert said[0].startswith(text)
            assert f"has {freedom} degree{'s' if freedom != 1 else ''} of freedom." in said[0]
            assert all(repr(name) in said[0] for name in list(start.redundant)[:6])
        else:
            assert not said
        model = build()
        model.joints[:] = [model.joints[k] for k in rng.permutation(len(model.joints))]


def test_the_rank_is_that_of_the_full_jacobian():
    """The number of omitted rows is the rank deficiency of the joint geometry; the remaining rows have full rank."""
    for build, repeated, _ in COUNTS:
        model = build()
        if build is flat or not 0 < len(model.joints) < 12:
            continue
        motion, _ = lv_dynamics(model)
        x, B, *_ = seen(motion)
        e = Equations(model)
        G = e.gradient(x, B) @ e.mass()[1]
        values = np.linalg.svd(G, compute_uv=False)
        assert len(G) - np.sum(values > 1e-9 * values[0]) == repeated
        kept = dense.gradient(motion.system, motion.record.a[0], motion.record.B[0])
        assert np.linalg.matrix_rank(kept, tol=1e-9) == len(kept) == len(G) - repeated


def test_only_joints_of_loops_are_redundant():
    """A pendulum beside the four-bar, and one attached to it, are not reported as redundant."""
    m = four_bar()
    tail = bar(m, (0, 1, 0), (0, 2, 0), "tail")
    m.add(lv.Revolute(m["bar0"].point_at(0, 1, 0), tail.point_at(0, 1, 0), axis=Z, name="tail hinge"))
    lone = bar(m, (5, 0, 0), (6, 0, 0), "lone")
    m.add(lv.Revolute(m.world.point(5, 0, 0), lone.point_at(5, 0, 0), axis=Z, name="lone hinge"))
    start, _ = started(m)
    assert sum(start.redundant.values()) == 3
    assert start.freedom == 3
    assert not {"tail hinge", "lone hinge"} & set(start.redundant)


def test_drives_are_constraints_and_dampers_are_not():
    """A damper removes no degree of freedom, a drive removes one."""
    m = four_bar()
    m.joints[0].damping = 0.3
    assert started(m)[0].freedom == 1
    m.joints[0].drive = np.sin
    assert started(m)[0].freedom == 0


@pytest.mark.parametrize(
    "build", [four_bar, bricard, door, lambda: four_bars(3)], ids=["4", "Bricard", "door", "3 × 4"]
)
def test_copies_of_a_mechanism_keep_all_their_rows(build):
    """The omitted rows are satisfied as well as the others, at position and velocity level."""
    with pytest.warns(lv.ModelWarning, match="redundant"):
        motion = lv.simulate(build(), h=2e-3, until=0.2)
    tolerance = 2 * PRECISION  # bars of up to two metres
    assert motion.defect_position.max() <= 64 * tolerance
    assert motion.defect_velocity.max() <= 64 * tolerance
    assert motion.full.rows.kind.shape > motion.system.rows.kind.shape


# ── reactions ──


@pytest.mark.parametrize("build", [four_bar, bricard, door, welded, lambda: four_bars(3)], ids=range(5))
def test_reactions_are_of_minimum_norm(build):
    """λ = D^(−½) (D^(−½) S D^(−½))⁺ D^(−½) b with D the metric, torques over the joints' size, by numpy; the same in
    every order of joints."""
    rng = np.random.default_rng(3)
    model = build()
    for body in model.bodies[1:]:
        m = lv.Load(body.point(0.1, 0.2, 0.3), force=(1.0, 2.0, 3.0), name=f"load on {body.name}")
        model.add(m)
    first, _ = lv_dynamics(model)
    system, record = first.full, first.record
    G = dense.gradient(system, record.a[0], record.B[0])
    W = dense.inverse_mass(system.bodies)
    S = (G * W) @ G.T
    f, tau = np.zeros_like(record.p), np.zeros_like(record.L)
    signals = np.tile([1.0, 2, 3, 0, 0, 0], len(model.bodies) - 1)[None]
    forces_of_record(system, record, signals, scratch(system), f, tau)
    b = -G @ (W * np.concatenate([f[0], tau[0]], axis=1).ravel())  # at rest: no bias
    d = 1 / np.sqrt(system.rows.metric)
    expected = d * (np.linalg.pinv(d[:, None] * S * d, rcond=1e-9, hermitian=True) @ (d * b))
    size = np.abs(expected).max()
    off = first.multipliers[0] - expected
    noise = 16 * EPS / SHIFT * (np.diag(S) / system.rows.metric).max()  # regularised: where anything goes, it is large
    assert np.abs(off).max() <= noise * size
    assert np.abs(off @ G).max() <= 1e4 * EPS * size * np.abs(G).max()  # what the bodies feel is exact
    found = {joint.name: (first.reaction(joint), first.reaction_torque(joint)) for joint in model.joints}
    model.joints[:] = [model.joints[k] for k in rng.permutation(len(model.joints))]
    again, _ = lv_dynamics(model)
    for joint in model.joints:
        for one, two in zip(found[joint.name], (again.reaction(joint), again.reaction_torque(joint)), strict=True):
            assert np.abs(one - two).max() <= 2 * noise * size * max(1.0, np.abs(G).max())


def test_two_hinges_carry_the_same_weight():
    """Reactions of minimum norm share the weight, and torques and forces of the hinges balance it."""
    motion, _ = lv_dynamics(door())
    forces = np.array([motion.reaction(f"hinge{k}")[0] for k in range(2)])
    torques = np.array([motion.reaction_torque(f"hinge{k}")[0] for k in range(2)])
    weight = 0.8 * 0.04 * 2 * 600 * 9.81
    assert np.abs(forces.sum(axis=0) - (0, 0, weight)).max() <= 1e3 * EPS * weight
    assert abs(forces[0, 2] - forces[1, 2]) <= 16 * EPS / SHIFT * weight
    places = np.array([(0, 0, 0.3), (0, 0, 1.7)])
    moment = torques.sum(axis=0) + np.cross(places, forces).sum(axis=0) + np.cross((0.4, 0, 1), (0, 0, -weight))
    assert np.abs(moment).max() <= 1e3 * EPS * weight


# ── inconsistent starts ──


def test_a_wheel_on_its_centre_is_consistent_to_round_off():
    """Joints without lever arms have no length scale: 0.1 + 0.2 still counts as 0.3."""
    m = lv.Model()
    wheel = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), at=(0.1 + 0.2, 0, 0), name="wheel"))
    m.add(lv.Revolute(m.world.point(0.3, 0, 0), wheel.point(0, 0, 0), axis=Z, name="axle"))
    start, said = started(m)
    assert start.freedom == 1
    assert not said


@pytest.mark.parametrize("size", [0.1, 10.0])
def test_drives_begin_where_their_joint_is(size):
    """For any size of the mechanism, a large jump of the angle is an error and a small one is assembled."""
    for offset in (0.5, 1e-3):
        m = lv.Model()
        arm = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), at=(size, 0, 0), name="arm"))
        m.add(
            lv.Revolute(m.world.point(0, 0, 0), arm.point_at(0, 0, 0), Z, drive=lambda t, q=offset: q + t, name="hub")
        )
        if offset == 0.5:
            sentence = (
                "drive of joint 'hub' begins at 0.5, but the joint is at 0 at the start: let the drive begin there, or "
                "place the bodies where it begins."
            )
            with pytest.raises(lv.ModelError, match=f"^{re.escape(sentence)}$"):
                Compiled.of(m)
        else:
            start, said = started(m)
            assert "bodies were moved by" in said[0]
            assert abs(start.state.angle[0] - offset) <= 1e-12


def test_points_in_body_axes_show_in_the_violation():
    """A common mistake: a world position instead of a body point. The error names joint, gap and remedy."""
    m = lv.Model(gravity=DOWN)
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(2.5, 0, 0), name="arm"))
    m.add(lv.Revolute(m.world.point(2, 0, 0), arm.point(2, 0, 0), axis=Y, name="shoulder"))
    sentence = (
        "the mechanism does not fit at the start: joint 'shoulder' (Revolute, violation 2.5) in m or rad. Points are "
        "given in body coordinates, from the body frame's origin; body.point_at(x, y, z) takes a world position. "
        "lv.assemble(model) finds positions that fit."
    )
    with pytest.raises(lv.ModelError, match=f"^{re.escape(sentence)}$"):
        lv.simulate(m, h=1e-3, until=1.0)


def test_a_mechanism_that_cannot_be_assembled_is_an_error():
    """A triangle of rods that slightly violates the triangle inequality: the error names the open joints."""
    m = lv.Model()
    ends = [m.add(lv.Body(lv.PointMass(1.0), at=at, name=f"p{k}")) for k, at in enumerate([(1, 0.02, 0), (2, 0, 0)])]
    m.add(lv.Rod(m.world.point(0, 0, 0), ends[0].point(0, 0, 0), length=1.0, name="one"))
    m.add(lv.Rod(ends[0].point(0, 0, 0), ends[1].point(0, 0, 0), length=1.0, name="two"))
    m.add(lv.Rod(m.world.point(0, 0, 0), ends[1].point(0, 0, 0), length=2.1, name="three"))
    with pytest.raises(
        lv.ModelError, match=r"^the mechanism cannot be assembled: joint '(one|two|three)' \(Rod, violation"
    ) as e:
        lv.simulate(m, h=1e-3, until=1.0)
    assert all(f"'{name}' (Rod" in str(e.value) for name in ("one", "two", "three"))


def test_the_remaining_rows_stay_independent():
    """During a motion from rest in any direction, the pivots of S stay positive, as the rank stays full."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        motion = lv.simulate(mechanisms.bricard(), h=5e-3, until=40.0)
    assert motion.record.account[:, 2].max() < 1e4


# ── linkages in any orientation, order and unit ──


@pytest.mark.parametrize("seed", range(120))
def test_degrees_of_freedom_of_a_random_linkage(seed):
    """Planar loops, slider-cranks, Sarrus, Bennett, Goldberg, Bricard; `make soak` counts thousands of them."""
    assert linkages.miscounted(seed) == ""


@pytest.mark.parametrize("seed", range(1000, 1004))
def test_degrees_of_freedom_of_many_linkages_in_one_model(seed):
    assert linkages.miscounted(seed, most=40) == ""


@pytest.mark.parametrize("radius", [1.0, 1e3, 1e5, 1e6, 6.4e6])
def test_a_door_on_a_huge_turntable_stays_in_its_hinges(radius):
    """Lengths 1 : 10⁶ in one model: rank and tolerances are those of the joint, down to the round-off of positions."""
    m = lv.Model(gravity=DOWN)
    table = m.add(lv.Body(lv.MassProperties(1e6, np.array([1, 1, 2]) * 2.5e5 * radius**2), name="table"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), table.point(0, 0, 0), axis=Z, name="axle"))
    door = m.add(lv.Body(lv.Box(1, 0.05, 2, mass=20), at=(radius + 0.5, 0, 1), name="door"))
    door.velocity, door.body_rates = np.array([0.0, 0.5, 0.0]), np.array([0.0, 0.0, 1.0])
    for height in (0.5, 1.5):
        m.add(lv.Spherical(table.point(radius, 0, height), door.point(-0.5, 0, height - 1), name=f"pin {height}"))
    with pytest.warns(lv.ModelWarning, match=r"1 constraint equation is redundant .* 2 degrees of freedom"):
        motion = lv.simulate(m, h=1e-3, until=1.0)
    assert motion.defect_position.max() <= LONGEST * PRECISION + 16 * EPS * radius
    assert np.abs(motion.rotation(door)[:, 2, 2] - 1).max() <= 1e-12
    mass_ratio = 20 / 1e6  # by which the door moves the rim
    assert np.abs(motion.body_rates(door)[:, 2] - 1).max() <= 2 * mass_ratio
