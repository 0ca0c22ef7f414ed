"""The tangent of a motion against differences of the motion, the symplectic form, and closed forms."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from livens.analysis.tangent_run import start_changes
from livens.compile.states import copied, selected
from livens.compile.system import scratch
from livens.kernels.coordinates import update_coordinates
from livens.run.loop import with_memory
from livens.step.runge_kutta import divide
from tests.helpers import mechanisms
from tests.helpers.problems import lopsided, turned

STENCIL = ((1, 4.0 / 5.0), (2, -1.0 / 5.0), (3, 4.0 / 105.0), (4, -1.0 / 280.0))  # first derivative, eighth order


def moved(compiled, state, change, e):
    """The state moved by e times a change (n, 12) in local frames, and projected onto the joints."""
    turn = Rotation.from_rotvec(e * change[:, 3:6]).as_matrix()
    new = copied(state)._replace(
        a=state.a + e * change[:, :3],
        B=state.B @ turn,
        p=state.p + e * change[:, 6:9],
        L=state.L + e * change[:, 9:],
    )
    for _ in range(2):
        new = compiled.fitted(new)
    update_coordinates(compiled.system.coordinates, new.a, new.B, new.angle)
    return new


def difference(state, reference):
    """The difference of two states in the local frames of the second (n, 12)."""
    turn = Rotation.from_matrix(np.einsum("bji,bjk->bik", reference.B, state.B)).as_rotvec()
    return np.concatenate([state.a - reference.a, turn, state.p - reference.p, state.L - reference.L], axis=1)


def by_differences(motion, change, e):
    """The change at the end of a motion for a change at its start, by differences of eighth order of the run."""
    compiled, last = motion.compiled, selected(motion.record, -1)
    run, start = lv.prepare(motion.model, motion.scheme, h=motion.h), selected(motion.record, 0)

    def end(c):
        other = run(float(motion.t[-1]), start=moved(compiled, start, change, c), every=motion.every)
        return difference(selected(other.record, -1), last)

    return sum(w * (end(n * e) - end(-n * e)) / e for n, w in STENCIL)


def worst(motion, columns, e):
    """The largest error of some columns of the tangent, relative to the change of their quantity."""
    local, errors = motion.tangent().local, []
    for k in columns:
        found, expected = local[-1, 1:, :, k], by_differences(motion, local[0, :, :, k], e)[1:]
        for part in (slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)):
            size = max(np.abs(local[:, 1:, part]).max(), 1e-300)
            errors.append(np.abs(found[:, part] - expected[:, part]).max() / size)
    return max(errors)


def rotation(rng):
    return Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()


def random_mechanism(seed, forces=True):
    """Three lopsided bodies on a random tree of joints, a loop closed by a rod, springs, a damper and formulas of the
    user, in a random orientation and unit of length, mass and time."""
    rng = np.random.default_rng(seed)
    R = rotation(rng)
    l, mass, t = 10.0 ** rng.uniform(-2, 2, size=3)
    force = mass * l / t**2
    m = lv.Model(gravity=R @ (0, 0, -9.81) * l / t**2, name=f"mechanism {seed}")
    places = [(0.5, 0.1, 0), (1.3, -0.2, 0.4), (1.9, 0.3, 0.1)]
    bodies = [
        m.add(
            lv.Body(
                scaled(lopsided(seed + 10 * k), l, mass), at=l * (R @ place), rotation=turned(seed + k), name=f"b{k}"
            )
        )
        for k, place in enumerate(places)
    ]
    x = [l * (R @ place) for place in ((0, 0, 0), (0.9, 0.1, 0.2), (1.6, 0, 0.2))]
    axes = [R @ rng.normal(size=3) for _ in range(4)]
    kinds = rng.permutation([0, 1, 2, 3])
    ends = [m.world, *bodies]
    for k, one in enumerate(bodies):
        a, b = ends[k].point_at(*x[k]), one.point_at(*x[k])
        if kinds[k] == 0:
            m.add(lv.Revolute(a, b, axis=axes[k], stiffness=force * l, rest=0.2, start_rate=1.0 / t, name=f"j{k}"))
        elif kinds[k] == 1:
            m.add(lv.Spherical(a, b, name=f"j{k}"))
        elif kinds[k] == 2:
            m.add(lv.Cylindrical(a, b, axis=axes[k], stiffness=30 * force / l, name=f"j{k}"))
        else:
            m.add(lv.Universal(a, b, axis_a=axes[k], axis_b=np.cross(axes[k], axes[3]), name=f"j{k}"))
    tip = bodies[2].point_at(*(l * (R @ (2.2, 0.2, 0.3))))
    m.add(lv.Rod(m.world.point(*(l * (R @ (2.0, 1.5, -0.5)))), tip, name="rod"))
    m.add(lv.Spring(bodies[0].point_at(*(l * (R @ (0.3, 0.4, 0.1)))), tip, stiffness=20 * force / l, length=1.2 * l))
    well = bodies[1]
    m.add(lv.Energy(lambda b: force / l**3 * lv.norm(b[well].point((0.1 * l, 0, 0))) ** 4, bodies=[well], name="well"))
    m.add(lv.Attraction(G=0.3 * force * l**2 / mass**2))
    if forces:
        m.add(lv.Damper(m.world.point(0, 0, l), bodies[1].center, rate=0.4 * force * t / l))
        drag = bodies[2]
        m.add(lv.Force(tip, lambda b: -0.3 * force * t / l * b[drag].velocity((0, 0, 0)), name="drag"))
        m.add(lv.Load(bodies[0].point(0.1 * l, 0, 0), force=(force, 0, 0), axes="body", name="thrust"))
    return m, t


def scaled(matter, l, mass):
    return lv.MassProperties(matter.mass * mass, matter.inertia * mass * l**2, matter.center * l)


@pytest.mark.parametrize("seed", range(6))
def test_random_mechanisms(seed):
    """The tangent is the derivative of the run, to 1e-9 of the changes of each kind."""
    m, t = random_mechanism(seed)
    motion = lv.simulate(m, h=5e-3 * t, until=0.05 * t, every=10)
    columns = range(0, motion.tangent().local.shape[3], 3)
    assert worst(motion, columns, 1e-3) < 1e-9 or worst(motion, columns, 3e-3) < 1e-9


CASES = {
    "every joint": (lambda: mechanisms.every_joint(rolling=False), 2, 1e-2, 3e-3),
    "every joint, dampers, rolling": (mechanisms.damped, 2, 1e-2, 3e-3),
    "prescribed motion": (mechanisms.driven, 2, 1e-2, 3e-3),
    "redundant loop": (mechanisms.bricard, 4, 1e-2, 3e-3),
    "slider-crank": (mechanisms.slider_crank, 2, 1e-2, 2e-4),
    "rolling disc": (mechanisms.rolling_disc, 2, 1e-2, 3e-3),
    "rolling ball": (mechanisms.rolling_ball, 2, 1e-2, 3e-3),
    "knife edge": (lambda: mechanisms.sleigh(0.2, 1.0, 2.0, 0.3), 2, 1e-2, 3e-3),
    "fast top": (mechanisms.heavy_top, 6, 1e-3, 3e-3),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_mechanisms(name):
    build, order, h, e = CASES[name]
    motion = lv.simulate(build(), lv.Livens(order=order), h=h, until=3 * h, every=3)
    m = motion.tangent().local.shape[3]
    assert worst(motion, sorted({*range(0, m, max(1, m // 4)), m - 1}), e) < 1e-9


def one_body(kind, rng):
    """A body that a constraint of the user, a ball joint with a spring, or a stop holds, in a random orientation."""
    R = rotation(rng)
    m = lv.Model(gravity=R @ (0, 0, -9.81))
    body = m.add(lv.Body(lopsided(5), at=R @ (0.5, 0.2, 0.1), rotation=turned(3), body_rates=(1, 2, 0.5), name="body"))
    here, up = R @ (0.1, 0, 0), R @ (0, 0, 1)
    if kind == "constraint":
        mark = body.point(0.1, 0.2, 0)
        length = float(np.linalg.norm(mark.start)) + 0.2 * float(up @ body.pose.B[:, 2])

        def rope(b, t):
            tilt = lv.dot(b[body].direction((0, 0, 1)), up)
            return lv.norm(b[body].point((0.1, 0.2, 0))) + 0.2 * tilt - length - 0.1 * lv.sin(3 * t)

        m.add(lv.Constraint(rope, bodies=[body], name="rope"))
    elif kind == "ball with a spring":
        m.add(lv.Spherical(m.world.point(*here), body.point_at(*here), stiffness=40.0, name="ball"))
    else:
        m.add(
            lv.Revolute(m.world.point(*here), body.point_at(*here), axis=R @ (0, 1, 0), limits=(0.1, 9.0), name="pin")
        )
    return m


@pytest.mark.parametrize("kind", ["constraint", "ball with a spring", "stop"])
@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_one_body(kind, order):
    motion = lv.simulate(one_body(kind, np.random.default_rng(order)), lv.Livens(order=order), h=5e-3, until=0.1)
    assert worst(motion, range(motion.tangent().local.shape[3]), 1e-3) < 1e-9


@pytest.mark.parametrize("build", [mechanisms.heavy_top, mechanisms.crank_rocker, mechanisms.gimbal_gyroscope])
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_a_step_equals_its_linearisation(build):
    """`lv.linearize` reads the same step in joint coordinates."""
    motion = lv.simulate(build(), h=1e-3, until=1e-3)
    A, expected = motion.tangent().A, lv.linearize(build(), h=1e-3).A
    assert A[0] == pytest.approx(np.eye(len(expected)), abs=1e-11)
    assert A[-1] == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


# ── Runge–Kutta ──


@pytest.mark.parametrize("order", [4, 8])
@pytest.mark.parametrize("seed", range(4))
def test_tangents_of_runge_kutta(seed, order):
    """They are the derivative of the run, to 1e-9 of the changes of each kind, in random units, also for steps that are
    so long that the stages violate the joints."""
    m, t = random_mechanism(seed)
    for h in (5e-3, 2e-2):
        motion = lv.simulate(m, lv.RungeKutta(order), h=h * t, until=5 * h * t, every=5)
        columns = (0, 3, motion.tangent().local.shape[3] - 1)
        assert worst(motion, columns, 1e-3) < 1e-9 or worst(motion, columns, 3e-3) < 1e-9


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_tangents_of_runge_kutta_with_every_joint(name):
    """Rolling, redundant loops, prescribed motions, dampers and a fast top, of the classical scheme."""
    build, _, h, e = CASES[name]
    motion = lv.simulate(build(), lv.RungeKutta(4), h=h, until=3 * h, every=3)
    m = motion.tangent().local.shape[3]
    assert worst(motion, sorted({*range(0, m, max(1, m // 4)), m - 1}), e) < 1e-10


@pytest.mark.parametrize("kind", ["constraint", "ball with a spring", "stop"])
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_tangents_of_runge_kutta_with_one_body(kind):
    motion = lv.simulate(one_body(kind, np.random.default_rng(4)), lv.RungeKutta(4), h=5e-3, until=0.05, every=10)
    assert worst(motion, range(motion.tangent().local.shape[3]), 1e-3) < 1e-10


@pytest.mark.parametrize("order", [4, 8])
def test_the_steps_of_a_tangent_are_those_of_the_run(order):
    """Bit for bit: the tangent computes every step again."""
    motion = lv.simulate(mechanisms.damped(), lv.RungeKutta(order), h=1e-2, until=0.1, every=10)
    _, course = start_changes(motion)
    course.go()
    for name in ("a", "B", "p", "L", "angle"):
        assert np.array_equal(getattr(course.state, name), getattr(motion.state, name))


@pytest.mark.parametrize("build", [mechanisms.heavy_top, mechanisms.slider_crank, mechanisms.rolling_disc])
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_two_schemes_have_one_tangent(build):
    """Runge–Kutta of order 8 and Livens of order 6."""
    one = lv.simulate(build(), lv.RungeKutta(8), h=2e-3, until=0.04, every=10).tangent()
    two = lv.simulate(build(), lv.Livens(order=6), h=1e-3, until=0.04, every=20).tangent()
    for part in (slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)):
        x, y = one.local[:, :, part], two.local[:, :, part]
        assert x == pytest.approx(y, abs=1e-8 * max(np.abs(y).max(), 1e-300))


# ── the symplectic form ──


def form(local, L):
    """The symplectic form of all pairs of columns at one time, (1) of analysis/tangent.py."""
    a, turn, p, spin = (local[1:, k : k + 3] for k in (0, 3, 6, 9))
    half = np.einsum("bim,bin->mn", a, p) + np.einsum("bim,bin->mn", turn, spin)
    gyro = np.einsum("bi,bimn->mn", L[1:], np.cross(turn[:, :, :, None], turn[:, :, None, :], axis=1))
    return half - half.T + gyro


@pytest.mark.parametrize("order", [2, 4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_the_map_is_symplectic(order, seed):
    """AᵀΩA = Ω on the states that the joints allow, with a closed loop, springs, attraction and an energy."""
    m, t = random_mechanism(seed, forces=False)
    motion = lv.simulate(m, lv.Livens(order=order), h=5e-3 * t, until=0.25 * t, every=50)
    local, L = motion.tangent().local, motion.record.L
    before, after = form(local[0], L[0]), form(local[-1], L[-1])
    size = np.sqrt(np.abs(np.diag(before.T @ before)))
    assert np.abs((after - before) / np.sqrt(np.outer(size, size))).max() < 1e-11


def test_a_wrong_form_would_be_seen():
    """Without its gyroscopic term the form is not kept: the test above can fail."""
    motion = lv.simulate(mechanisms.heavy_top(), h=1e-3, until=0.02, every=20)
    local, L = motion.tangent().local, motion.record.L
    assert np.abs(form(local[0], L[0]) - form(local[-1], L[-1])).max() < 1e-9 * np.abs(form(local[0], L[0])).max()
    assert np.abs(form(local[0], 0 * L[0]) - form(local[-1], 0 * L[-1])).max() > 1e-3


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_dissipation_shrinks_the_form():
    """A damper on one coordinate multiplies it by exp(−c t/J): the determinant of the map of a hinge."""
    m = lv.Model()
    wheel = m.add(lv.Body(lv.MassProperties(1.0, (0.2, 0.2, 0.3)), name="wheel"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=(0, 0, 1), damping=0.6, name="axle"))
    A = lv.simulate(m, h=1e-3, until=1.0, every=1000).tangent().A[-1]
    h = 1e-3
    assert np.linalg.det(A) == pytest.approx(((1 - h) / (1 + h)) ** 1000, rel=1e-11)  # the trapezoidal rule, c/2J = 1
    assert A[1, 0] == pytest.approx(0.0, abs=1e-12)


# ── closed forms ──


@pytest.mark.parametrize("seed", range(3))
def test_linear_oscillator(seed):
    """Kick, drift, kick on ẍ = −ω²x has the map of frequency 2/h asin(hω/2) exactly."""
    rng = np.random.default_rng(seed)
    R, h, omega = rotation(rng), 0.1, rng.uniform(0.5, 3.0)
    m = lv.Model()
    cart = m.add(lv.Body(lopsided(seed), at=R @ (0.3, 0, 0), rotation=turned(seed), name="cart"))
    k = cart.mass_properties.mass * omega**2
    m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.point_at(0, 0, 0), axis=R @ (1, 2, 0), stiffness=k, name="rail"))
    tangent = lv.simulate(m, h=h, until=40 * h).tangent()
    nu = 2.0 / h * np.arcsin(0.5 * h * omega)
    c, s = np.cos(nu * tangent.t), np.sin(nu * tangent.t)
    w = omega * np.sqrt(1.0 - 0.25 * (h * omega) ** 2)
    expected = np.array([[c, s / w], [-w * s, c]]).transpose(2, 0, 1)
    assert np.abs(tangent.A - expected).max() < 1e-12
    assert tangent.coordinate("rail") == pytest.approx(expected[:, 0], abs=1e-12)
    axis = R @ (1, 2, 0) / np.sqrt(5.0)
    assert tangent.velocity("cart")[-1] == pytest.approx(np.outer(axis, expected[-1, 1]), abs=1e-12)


@pytest.mark.parametrize("how", ["energy", "attraction"])
@pytest.mark.parametrize("seed", range(2))
def test_kepler_after_one_period(how, seed):
    """After one period T(E) the change is δx − f(x) ∇T·δx: only the period changes."""
    rng = np.random.default_rng(seed)
    R, e = rotation(rng), 0.3
    r, v = R @ (1.0 - e, 0, 0), R @ (0, np.sqrt((1.0 + e) / (1.0 - e)), 0)
    m = lv.Model()
    if how == "energy":
        moon = m.add(lv.Body(lv.PointMass(1.0), at=r, velocity=v, name="moon"))
        m.add(lv.Energy(lambda b: -1.0 / lv.norm(b[moon].position), bodies=[moon], name="pull"))
    else:
        m.add(lv.Body(lv.PointMass(0.4), at=-0.6 * r, velocity=-0.6 * v, name="sun"))
        m.add(lv.Body(lv.PointMass(0.6), at=0.4 * r, velocity=0.4 * v, name="moon"))
        m.add(lv.Attraction(G=1.0))
    steps = 600
    tangent = lv.simulate(m, lv.Livens(order=6), h=2 * np.pi / steps, until=2 * np.pi, every=steps).tangent()
    relative = [np.concatenate([tangent.position("moon")[k], tangent.velocity("moon")[k]]) for k in (0, -1)]
    if how == "attraction":
        relative = [
            x - np.concatenate([tangent.position("sun")[k], tangent.velocity("sun")[k]])
            for x, k in zip(relative, (0, -1), strict=True)
        ]
    E, distance = 0.5 * v @ v - 1.0 / np.linalg.norm(r), np.linalg.norm(r)
    slope = 3.0 * np.pi * (-2.0 * E) ** -2.5  # T = 2π a^(3/2), a = −1/2E: dT/dE = 3π a^(1/2) · 2a²
    slope *= 2.0
    gradient = slope * np.concatenate([r / distance**3, v])
    flow = np.concatenate([v, -r / distance**3])
    expected = (np.eye(6) - np.outer(flow, gradient)) @ relative[0]
    assert relative[1] == pytest.approx(expected, abs=2e-7)


# ── readings and refusals ──


def test_readings_agree():
    """Points, rotations and coordinates are those of the same changes."""
    m, t = random_mechanism(1)
    motion = lv.simulate(m, h=5e-3 * t, until=0.02 * t)
    tangent = motion.tangent()
    point = m["b2"].point(0.1, 0.2, 0.3)
    arm = motion.rotation("b2") @ np.array([0.1, 0.2, 0.3])
    expected = tangent.position("b2") + np.cross(tangent.rotation("b2"), arm[:, :, None], axis=1)
    assert tangent.position(point) == pytest.approx(expected, rel=1e-12, abs=1e-14)
    assert tangent.A.shape == (5, len(tangent.names), len(tangent.names))
    assert tangent.A[0] == pytest.approx(np.eye(len(tangent.names)), abs=1e-9)
    assert "columns" in repr(tangent)


def test_a_mechanism_without_freedoms():
    m = lv.Model()
    block = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), name="block"))
    m.add(lv.Rigid(m.world.point(0, 0, 0), block.center))
    assert lv.simulate(m, h=1e-2, until=0.1).tangent().A.shape == (11, 0, 0)


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_resumed_saved_and_compensated_motions(tmp_path):
    """The tangent is that of the whole motion; the last state counts although `every` does not divide the steps."""
    whole = lv.simulate(mechanisms.heavy_top(), h=1e-3, until=7e-3, every=3).tangent()
    part = lv.simulate(mechanisms.heavy_top(), h=1e-3, until=4e-3, every=3)
    part.save(tmp_path / "part.nc")
    resumed = lv.resume(lv.load(tmp_path / "part.nc"), until=7e-3)
    assert resumed.tangent().A[-1] == pytest.approx(whole.A[-1], rel=1e-12)
    other = lv.simulate(mechanisms.heavy_top(), lv.Livens(compensated=True), h=1e-3, until=7e-3, every=7).tangent()
    assert other.A[-1] == pytest.approx(whole.A[-1], rel=1e-9)


def test_what_has_no_tangent_is_refused():
    m = mechanisms.heavy_top()
    with pytest.raises(lv.ModelError, match=r"lv\.Livens \(.*\) or lv\.RungeKutta"):
        lv.simulate(m, lv.GeneralizedAlpha(), h=1e-3, until=2e-3).tangent()
    m = lv.Model()
    arm = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), name="arm"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.center, axis=(0, 0, 1), name="hinge"))
    m.add(lv.Motor(hinge, lambda t, now: -now.coordinate("hinge")[0], rate=100.0))
    with pytest.raises(lv.ModelError, match="controllers"):
        lv.simulate(m, h=1e-2, until=0.1).tangent()
    m = lv.Model(gravity=(0, 0, -9.81))
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 0.3), name="ball"))
    m.add(lv.Contacts(planes=[m.world.plane((0, 0, 0))]))
    with pytest.raises(lv.ModelError, match="contacts"):
        lv.simulate(m, h=1e-2, until=0.02).tangent()
    tangent = lv.simulate(mechanisms.rolling_disc(), h=1e-2, until=0.02).tangent()
    with pytest.raises(lv.ModelError, match="coordinates"):
        _ = tangent.A
    with pytest.raises(lv.ModelError, match="not a body"):
        tangent.position(lv.Body(lv.Ball(0.1, mass=1.0)))


# ── steps that follow a tolerance ──


def parts_of(motion):
    """The lengths of the parts into which the steps of a motion were divided."""
    state, found = with_memory(copied(selected(motion.record, 0)), motion.scheme.memory(motion.system)), []
    work, table, signals = scratch(motion.system, motion.scheme.scratch), motion.scheme.table, np.zeros((1, 1))
    for _ in range(motion.steps):
        left, parts = motion.h, np.zeros(3)
        while left != 0.0:
            _, count, left = divide(motion.system, state, work, motion.h, left, table, signals, parts)
            found.extend(parts[:count].tolist())
    return found, state


@pytest.mark.parametrize("seed", range(2))
def test_tangents_of_divided_steps(seed):
    """They are the derivative of a run of order 8 with steps of the same lengths, by differences of whole runs."""
    m, t = random_mechanism(seed)
    m = m.with_things([thing for thing in m.things if not isinstance(thing, lv.Load)])
    motion = lv.simulate(m, lv.RungeKutta(tolerance=1e-7), h=0.3 * t, until=0.6 * t)
    parts, end = parts_of(motion)
    assert len(parts) > 2 * motion.steps
    assert sum(parts) == pytest.approx(0.6 * t, rel=1e-14)
    for name in ("a", "B", "p", "L"):
        assert np.array_equal(getattr(end, name), getattr(motion.state, name))
    compiled, local, last = motion.compiled, motion.tangent().local, selected(motion.record, -1)

    def difference_at_end(change, c):
        state = moved(compiled, selected(motion.record, 0), change, c)
        for part in parts:
            state = lv.simulate(m, lv.RungeKutta(8), h=part, until=part, start=state, progress=False).state
        return difference(state, last)

    for k in (0, local.shape[3] - 1):
        change, errors = local[0, :, :, k], []
        for e in (1e-3, 3e-3):
            pairs = [(w, difference_at_end(change, n * e) - difference_at_end(change, -n * e)) for n, w in STENCIL]
            expected = sum(w * pair / e for w, pair in pairs)[1:]
            wrong = np.abs(local[-1, 1:, :, k] - expected).max(axis=0).reshape(4, 3).max(axis=1)
            errors.append((wrong / np.abs(local[:, 1:]).max(axis=(0, 1, 3)).reshape(4, 3).max(axis=1)).max())
        assert min(errors) < 1e-9
