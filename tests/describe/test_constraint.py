"""Constraints that users write: they equal the built-in joints, and what other equations say of beads and swings."""

import math
import sys

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import livens as lv

pytest.importorskip("casadi")

G = 9.81
MATTER = lv.MassProperties(2.0, [[0.5, 0.05, 0.02], [0.05, 0.4, -0.03], [0.02, -0.03, 0.3]], center=(0.1, -0.05, 0.08))


def pair(join):
    """Two crooked bodies, one hung from the world and one from the other by `join(a, b, name)`."""
    m = lv.Model(gravity=(0, 0, -G))
    one = m.add(lv.Body(MATTER, at=(0.5, 0, 0), body_rates=(0, 0.4, 0), name="one"))
    B = lv.Pose.from_axis_angle((1, 2, 3), 0.7).B
    two = m.add(lv.Body(MATTER, at=(1.2, 0.3, -0.2), rotation=B, name="two"))
    join(m, m.world.point(0, 0, 0), one.point_at(0, 0, 0), "first")
    join(m, one.point_at(1, 0.1, 0), two.point_at(1, 0.1, 0), "second")
    return m


def place(b, point):
    return b[point.body].point(point.r)


def spherical(m, p, q, name):
    m.add(lv.Spherical(p, q, name=name))


def own_spherical(m, p, q, name):
    m.add(lv.Constraint(lambda b: place(b, q) - place(b, p), bodies=[p.body, q.body], name=name))


AXIS = np.array([0.0, 1.0, 0.0])
ACROSS = [np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])]


def revolute(m, p, q, name):
    m.add(lv.Revolute(p, q, axis=AXIS, name=name))


def own_revolute(m, p, q, name):
    def hinge(b):
        axis = b[q.body].direction(q.body.pose.B.T @ AXIS)
        return [place(b, q) - place(b, p), *(lv.dot(b[p.body].direction(p.body.pose.B.T @ e), axis) for e in ACROSS)]

    m.add(lv.Constraint(hinge, bodies=[p.body, q.body], name=name))


def shifted(m, p):
    """A point of the same body half a metre higher, so that a rod has a length."""
    return p.body.point_at(*(p.start + np.array([0.0, 0.1, 0.5])))


def rod(m, p, q, name):
    m.add(lv.Rod(shifted(m, p), q, name=name))


def own_rod(m, p, q, name):
    p = shifted(m, p)
    length = float(np.linalg.norm(q.start - p.start))

    def straight(b):
        d = place(b, q) - place(b, p)
        return (lv.dot(d, d) - length**2) / (2 * length)

    m.add(lv.Constraint(straight, bodies=[p.body, q.body], name=name))


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize(
    ("built_in", "own"),
    [(spherical, own_spherical), (revolute, own_revolute), (rod, own_rod)],
    ids=lambda f: f.__name__,
)
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_written_joints_are_the_built_in_ones(built_in, own, order):
    """The same equations, so the same motion, reactions and freedom; only sums are made in another order."""
    motions = [lv.simulate(pair(join), lv.Livens(order), h=2e-3, until=1.0, every=10) for join in (built_in, own)]
    one, two = motions
    for x, y in zip(one.record[:4], two.record[:4], strict=True):
        assert np.abs(x - y).max() <= 1e-11 * max(1.0, np.abs(x).max())
    assert two.defect_position.max() <= 1e-11
    assert two.defect_velocity.max() <= 1e-11
    assert one.freedom == two.freedom
    for body in ("one", "two"):
        assert (
            np.abs(one.acceleration(body) - two.acceleration(body)).max() <= 1e-7 * np.abs(one.acceleration(body)).max()
        )
    scale = np.abs(one.reaction("second")).max()
    assert np.abs(one.reaction("second") - two.reaction("second")).max() <= 1e-7 * scale


def test_the_unit_of_an_equation_does_not_matter():
    def build(unit):
        m = lv.Model(gravity=(0, 0, -G))
        b = m.add(lv.Body(MATTER, at=(1, 0, 0), name="b"))
        m.add(lv.Constraint(lambda s: unit * (lv.norm(s[b].point(0.1, 0, 0)) - 1.1), bodies=[b], name="tether"))
        return lv.simulate(m, h=2e-3, until=1.0)

    metres = build(1.0)
    for unit in (1e-6, 1e6):
        other = build(unit)
        assert np.abs(other.position("b") - metres.position("b")).max() <= 1e-10
        assert other.defect_position.max() <= 1e-11 * unit
        assert np.abs(other.reaction("tether") - metres.reaction("tether")).max() <= 1e-6


# ── beads and swings in one coordinate ──


def reference(rhs, y, t):
    """The coordinate and its rate at the time t."""
    return solve_ivp(rhs, (0.0, t), y, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]


def bead(fn, at, velocity, mass=0.3):
    m = lv.Model(gravity=(0, 0, -G))
    body = m.add(lv.Body(lv.PointMass(mass), at=at, velocity=velocity, name="bead"))
    takes_time = fn.__code__.co_argcount == 2
    wrapped = (lambda b, t: fn(b[body].position, t)) if takes_time else (lambda b: fn(b[body].position))
    m.add(lv.Constraint(wrapped, bodies=[body], name="wire"))
    return m


def parabola():
    def wire(x):
        return [x[2] - 0.8 * x[0] ** 2, x[1]]

    def rhs(t, y):
        x, v = y
        k = 0.8
        return [v, -(4 * k * k * x * v * v + 2 * G * k * x) / (1 + 4 * k * k * x * x)]

    model = bead(wire, (0.9, 0, 0.8 * 0.81), (0.5, 0, 2 * 0.8 * 0.9 * 0.5))
    return model, rhs, [0.9, 0.5], lambda x: np.array([x, 0.0, 0.8 * x * x])


def helix():
    R, c = 0.7, 0.3

    def wire(x):
        return [x[0] - R * lv.cos(x[2] / c), x[1] - R * lv.sin(x[2] / c)]

    def rhs(t, y):
        return [y[1], -G * c / (R * R + c * c)]

    model = bead(wire, (R, 0, 0), (0, R * 1.5, c * 1.5))
    return model, rhs, [0.0, 1.5], lambda s: np.array([R * np.cos(s), R * np.sin(s), c * s])


W = 3.0


def length(t):
    """Of the swing, with its first two derivatives."""
    return 1 + 0.1 * np.sin(W * t), 0.1 * W * np.cos(W * t), -0.1 * W * W * np.sin(W * t)


def swing():
    """A pendulum whose rope is pulled in and out."""

    def rope(x, t):
        return [lv.dot(x, x) - (1 + 0.1 * lv.sin(W * t)) ** 2, x[1]]

    def rhs(t, y):
        l, dl, _ = length(t)
        return [y[1], -(2 * dl * y[1] + G * np.sin(y[0])) / l]

    s, w = 0.8, 0.4
    v = (w * np.cos(s) + 0.1 * W * np.sin(s), 0.0, w * np.sin(s) - 0.1 * W * np.cos(s))
    model = bead(rope, (np.sin(s), 0, -np.cos(s)), v)
    return model, rhs, [s, w], lambda s, t: length(t)[0] * np.array([np.sin(s), 0.0, -np.cos(s)])


SPIN = 4.0


def hoop():
    """A bead on a hoop that turns about the vertical: its plane is a constraint in which place and time are mixed."""

    def ring(x, t):
        return [lv.norm(x) - 0.5, x[0] * lv.sin(SPIN * t) - x[1] * lv.cos(SPIN * t)]

    def rhs(t, y):
        return [y[1], SPIN**2 * np.sin(y[0]) * np.cos(y[0]) - G / 0.5 * np.sin(y[0])]

    s, w = 1.0, 0.3
    v = (0.5 * w * np.cos(s), 0.5 * np.sin(s) * SPIN, 0.5 * w * np.sin(s))
    model = bead(ring, (0.5 * np.sin(s), 0, -0.5 * np.cos(s)), v)

    def where(s, t):
        return 0.5 * np.array([np.sin(s) * np.cos(SPIN * t), np.sin(s) * np.sin(SPIN * t), -np.cos(s)])

    return model, rhs, [s, w], where


@pytest.mark.parametrize(("order", "h"), [(2, 1e-2), (4, 2e-2)])
@pytest.mark.parametrize("problem", [parabola, helix, swing, hoop], ids=lambda f: f.__name__)
def test_beads_and_swings_converge_at_the_order_of_the_scheme(problem, order, h):
    model, rhs, y, where = problem()
    T = 0.8
    s = reference(rhs, y, T)[0]
    exact = where(s, T) if where.__code__.co_argcount == 2 else where(s)

    def run(h):
        motion = lv.simulate(model, lv.Livens(order), h=h, until=T)
        assert motion.defect_position.max() <= 1e-11
        assert motion.defect_velocity.max() <= 1e-11
        return motion.position("bead")[-1]

    assert np.abs(lv.observed_order(run, [h, h / 2, h / 4], exact)[-1] - order) < 0.1


def test_reaction_and_acceleration_of_the_swing():
    """Along the rope m(l̈ − lθ̇²) = mg cos θ + F, at the start and on the way; γ has ∂²g/∂t² in it."""
    model, rhs, y, _ = swing()
    motion = lv.simulate(model, lv.Livens(order=4), h=1e-3, until=0.5, every=100)
    for k, t in enumerate(motion.t):
        s, w = reference(rhs, y, t) if t else y
        l, dl, ddl = length(t)
        along, onward = np.array([np.sin(s), 0, -np.cos(s)]), np.array([np.cos(s), 0, np.sin(s)])
        force = 0.3 * (ddl - l * w * w - G * np.cos(s)) * along
        acceleration = (ddl - l * w * w) * along + (2 * dl * w + l * rhs(t, [s, w])[1]) * onward
        assert np.abs(motion.reaction("wire")[k] - force).max() <= 1e-8
        assert np.abs(motion.acceleration("bead")[k] - acceleration).max() <= 1e-8
    now = lv.dynamics(model)
    assert np.abs(now.reaction("wire")[0] - motion.reaction("wire")[0]).max() <= 1e-12
    radial = now.multipliers[0][np.argmax(np.abs(now.multipliers[0]))]  # conjugate to |x|² − l²: F = 2 l λ
    assert abs(abs(2 * radial) - np.linalg.norm(now.reaction("wire")[0])) <= 1e-10


def test_reaction_of_the_turning_hoop():
    model, rhs, y, where = hoop()
    now = lv.dynamics(model)
    s, w = y
    dw = rhs(0.0, y)[1]
    e = 1e-3  # the acceleration by differences of the place along θ(t) = s + wt + θ̈t²/2

    def x(t):
        return where(s + w * t + 0.5 * dw * t * t, t)

    acceleration = (-x(2 * e) + 16 * x(e) - 30 * x(0.0) + 16 * x(-e) - x(-2 * e)) / (12 * e * e)
    assert np.abs(now.acceleration("bead")[0] - acceleration).max() <= 1e-8
    assert np.abs(now.reaction("wire")[0] - 0.3 * (acceleration + np.array([0, 0, G]))).max() <= 1e-8


@pytest.mark.parametrize("problem", [swing, hoop], ids=lambda f: f.__name__)
def test_what_a_moving_constraint_does_is_in_the_account(problem):
    """Energy − work closes at second order."""

    def gap(h):
        motion = lv.simulate(problem()[0], h=h, until=0.5)
        return np.abs(motion.energy - motion.work - motion.energy[0]).max()

    assert 1.9 < np.log2(gap(4e-3) / gap(2e-3)) < 2.1
    assert "work of constraint 'wire'" in " ".join(lv.simulate(problem()[0], h=1e-2, until=0.1).report().notes)


# ── several bodies, frames, files ──


def test_four_bodies_in_one_equation():
    """Point masses whose heights add up to zero: ẍ = −g + λ/m with λ = 4g/Σ(1/m)."""
    m = lv.Model(gravity=(0, 0, -G))
    masses = np.array([1.0, 2.0, 3.0, 5.0])
    bodies = [m.add(lv.Body(lv.PointMass(x), at=(k, 0, 0), name=f"b{k}")) for k, x in enumerate(masses)]
    m.add(lv.Constraint(lambda b: sum(b[body].position[2] for body in bodies), bodies=bodies, name="mean"))
    now = lv.dynamics(m)
    lam = 4 * G / np.sum(1 / masses)
    for body, x in zip(bodies, masses, strict=True):
        assert np.abs(now.acceleration(body)[0] - np.array([0, 0, lam / x - G])).max() <= 1e-12
    assert np.abs(now.reaction("mean")[0] - np.array([0, 0, lam])).max() <= 1e-12
    assert np.abs(now.reaction_torque("mean")).max() == 0.0
    motion = lv.simulate(m, h=1e-2, until=1.0)
    assert motion.defect_position.max() <= 1e-11


def test_symbols_are_in_the_users_frame():
    """position, rotation, point and direction at the start are what the body says, whatever its centre and axes."""
    m = lv.Model()
    R = lv.Pose.from_axis_angle((3, -1, 2), 1.1).B
    body = m.add(lv.Body(MATTER, at=(0.3, -0.4, 0.5), rotation=R, name="body"))
    r = np.array([0.7, 0.2, -0.1])

    def fit(b):
        s = b[body]
        x = s.position + s.rotation @ r - body.pose.point(r)
        y = s.point(r) - (s.position + s.direction(r)) + x
        return [*(x[k] + y[k] for k in range(3)), lv.dot(s.direction(1, 0, 0), R[:, 1])]

    m.add(lv.Constraint(fit, bodies=[body], name="fit"))
    motion = lv.simulate(m, h=1e-2, until=1e-2)
    assert motion.defect_position.max() <= 1e-12


def test_a_stored_motion_goes_on_bit_for_bit(tmp_path):
    """Files hold the formula, so nothing is forgotten."""
    model = swing()[0]
    half, whole = (lv.simulate(model, h=1e-3, until=T, every=100) for T in (0.5, 1.0))
    half.save(tmp_path / "swing.nc")
    back = lv.load(tmp_path / "swing.nc")
    assert np.array_equal(lv.resume(back, until=1.0).record.p, whole.record.p)
    assert np.array_equal(back.reaction("wire"), half.reaction("wire"))


# ── refusals ──


def one_body():
    m = lv.Model(gravity=(0, 0, -G))
    return m, m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=1000), at=(1, 0, 0), name="arm"))


def tip(b, arm):
    return b[arm].point(0.5, 0, 0)


def gap(b, arm):
    return tip(b, arm) - (1.5, 0, 0)


STRANGER = lv.Body(lv.PointMass(1.0), name="stranger")
REFUSED = {
    "gives NaN for every motion of its bodies (line": lambda b, arm: math.nan * tip(b, arm)[0],
    "cannot be traced (line 333 of test_constraint.py)": lambda b, arm: math.sin(tip(b, arm)[0]),
    "functions of `math` and float() do not work on symbols; use lv.sin": lambda b, arm: float(tip(b, arm)[1]) - 1,
    "use np.where(condition, x, y)": lambda b, arm: 1.0 if tip(b, arm)[0] > 1 else tip(b, arm)[1],
    "uses a velocity of body 'arm', but an equation depends on positions": lambda b, arm: b[arm].velocity(0, 0, 0)[2],
    "uses symbols that do not belong to its bodies": lambda b, arm: tip(b, arm)[0] + sys.modules["casadi"].SX.sym("z"),
    "gives 3, which depends on none of its bodies": lambda b, arm: 3.0,
    "gives 4, which depends on none of its bodies": lambda b, arm: [tip(b, arm)[0] - 1.5, 4.0],
    "not NoneType": lambda b, arm: None,
    "not str 'x'": lambda b, arm: "x",
    "not a matrix of 3 × 3": lambda b, arm: b[arm].rotation,
    "must give one equation or a list of them, not list []": lambda b, arm: [],
    "has no finite gradient at the start": lambda b, arm: lv.norm(gap(b, arm)),
    "does not change with any motion of its bodies": lambda b, arm: lv.dot(gap(b, arm), gap(b, arm)),
    "so no force can satisfy it there": lambda b, arm: lv.norm(b[arm].direction(1, 0, 0)) - 1,
    "is not finite at the start: [nan]": lambda b, arm: lv.sqrt(tip(b, arm)[0] - 9),
    "uses body 'stranger', which is not among its bodies": lambda b, arm: b[STRANGER].position[0],
    "Dimension mismatch": lambda b, arm: tip(b, arm) - (1, 2),
    "(line": lambda b, arm: np.linalg.eig(tip(b, arm)),
    "x[0], x[1], x[2]": lambda b, arm: [*tip(b, arm)],
    "must be 3 numbers": lambda b, arm: b[arm].point(1, 2)[0],
    "the operation ERFINV of CasADi": lambda b, arm: sys.modules["casadi"].erfinv(tip(b, arm)[2]),
}  # fmt: skip


@pytest.mark.parametrize("sentence", REFUSED)
def test_functions_that_are_no_equations(sentence):
    _, arm = one_body()
    with pytest.raises(lv.ModelError) as error:
        lv.Constraint(lambda b: REFUSED[sentence](b, arm), bodies=[arm], name="track")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_the_time_alone_is_no_constraint():
    _, arm = one_body()
    with pytest.raises(lv.ModelError, match=r"gives sin\(t\), which depends on none of its bodies"):
        lv.Constraint(lambda b, t: lv.sin(t), bodies=[arm])


def test_bodies_that_cannot_be_joined():
    m, arm = one_body()
    more = [m.add(lv.Body(lv.PointMass(1.0), at=(k, 1, 0))) for k in range(4)]

    def fn(b):
        return b[arm].position[2]

    for bodies, sentence in [
        ([], "needs a list of bodies"),
        (arm, "needs a list of bodies"),
        ([arm, "fore"], "needs a list of bodies"),
        ([arm, arm], "lists a body twice"),
        ([arm, *more], "lists 5 bodies, and an equation can join four at most"),
        ([m.world], "acts on the world alone"),
    ]:
        with pytest.raises(lv.ModelError, match=sentence):
            lv.Constraint(fn, bodies=bodies, name="track")
    with pytest.raises(lv.ModelError, match="needs a function of its bodies"):
        lv.Constraint(3.0, bodies=[arm])
    with pytest.raises(lv.ModelError, match="uses body 'arm', which is not in this model"):
        lv.Model().add(lv.Constraint(fn, bodies=[arm], name="track"))


def test_the_world_and_defaults_of_a_lambda_are_welcome():
    """The world is not counted among the four bodies; a second argument with a default is not the time."""
    m, arm = one_body()
    m.add(lv.Constraint(lambda b, k=2: (tip(b, arm) - b[m.world].point(1.5, 0, 0))[k], bodies=[m.world, arm], name="z"))
    assert lv.simulate(m, h=1e-2, until=0.1).defect_position.max() <= 1e-12


def test_bodies_without_inertia_cannot_be_turned():
    m = lv.Model()
    rod = m.add(lv.Body(lv.ThinRod(1.0, mass=1.0), name="rod"))
    m.add(lv.Constraint(lambda b: b[rod].direction(0, 1, 0)[2], bodies=[rod], name="twist"))
    with pytest.raises(lv.ModelError, match="Constraint 'twist' can exert a torque on body 'rod'"):
        lv.simulate(m, h=1e-2, until=0.1)
    m = lv.Model(gravity=(0, 0, -G))
    rod = m.add(lv.Body(lv.ThinRod(1.0, mass=1.0), at=(0.5, 0, 0), name="rod"))
    m.add(lv.Constraint(lambda b: b[rod].point(-0.5, 0, 0), bodies=[rod], name="pin"))
    assert lv.simulate(m, h=1e-2, until=0.5).defect_position.max() <= 1e-11


def test_a_start_that_does_not_fit_is_refused_by_name():
    m, arm = one_body()
    m.add(lv.Constraint(lambda b: 1e6 * (tip(b, arm)[2] - 3.0), bodies=[arm], name="high"))
    with pytest.raises(lv.ModelError, match="does not fit at the start: joint 'high'"):
        lv.simulate(m, h=1e-2, until=0.1)


def test_without_casadi_the_remedy_is_named(monkeypatch):
    _, arm = one_body()
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(lv.MissingExtra, match=r"pip install 'livens\[symbolic\]'"):
        lv.Constraint(lambda b: tip(b, arm)[0], bodies=[arm])


def test_functions_take_numbers_too():
    assert lv.sin(0.5) == np.sin(0.5)
    assert lv.norm((3.0, 4.0)) == 5.0
    assert lv.dot((1, 2, 3), (4, 5, 6)) == 32
    assert lv.cross((1, 0, 0), (0, 1, 0)).tolist() == [0, 0, 1]
