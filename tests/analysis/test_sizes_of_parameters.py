"""How far the nodes of a parameter are from its value: moments of inertia, coefficients and places of different sizes,
and rolling, where changes of the inertia turn the axes that rows are fixed to."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from benchmarks.random_models.description import build
from benchmarks.random_models.fit import rate
from benchmarks.random_models.generate import describe
from livens.run.parameters import Numbers

STENCIL = ((1, 4.0 / 5.0), (2, -1.0 / 5.0), (3, 4.0 / 105.0), (4, -1.0 / 280.0))  # first derivative, eighth order
TENSOR = np.array([[0.3, 0.02, -0.03], [0.02, 0.24, 0.015], [-0.03, 0.015, 0.36]])


def difference(m, scheme, h, steps, of, name, part=1e-3):
    """The derivative by differences of whole runs; `part`: their spacing over the size of the number."""
    value, size = Numbers(m).value(name)
    run, d = lv.prepare(m, scheme, h=h), part * size
    ends = {n: of(run(steps * h, every=steps, parameters={name: value + n * d})) for n in range(-4, 5) if n}
    return sum(w * (ends[n] - ends[-n]) / d for n, w in STENCIL)


def agrees(m, scheme, h, of, name, steps=6, accuracy=1e-9, **given):
    found = lv.sensitivity(lv.prepare(m, scheme, h=h)(steps * h, every=steps), of, [name])[..., 0]
    expected = difference(m, scheme, h, steps, of, name, **given)
    assert np.abs(found - expected).max() <= accuracy * np.abs(expected).max(), name


def rolling(kind, seed):
    """A body with a lopsided tensor on a blade or on the rim of a disc, in a random orientation."""
    rng = np.random.default_rng(seed)
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model(gravity=R @ (0.2, 0.1, -9.81))
    turn = R @ Rotation.from_euler("xyz", (0.4, 0.3, 0.2)).as_matrix()
    matter = lv.MassProperties(1.3, TENSOR, center=0.1 * rng.normal(size=3))
    body = m.add(lv.Body(matter, at=R @ (0.2, 0.1, 0.5), rotation=turn, body_rates=(1.0, 2.0, 0.5), name="body"))
    world = m.world.point_at(*(R @ (0.2, 0.1, 0.5)))
    if kind == "blade":
        m.add(lv.KnifeEdge(world, body.point(0.1, 0.02, 0), across=turn @ (0.2, 1.0, 0.1), name="j"))
    else:
        axis, up = turn[:, 1], R[:, 2]
        height = 0.3 * np.sqrt(1.0 - (axis @ up) ** 2)
        ground = m.world.point_at(*(body.pose.a - height * up))
        m.add(lv.RollingDisc(ground, body.point(0, 0, 0), axis=axis, radius=0.3, normal=up, name="j"))
    return m


@pytest.mark.parametrize("kind", ["blade", "disc"])
@pytest.mark.parametrize("scheme", [lv.Livens(), lv.Livens(order=4), lv.RungeKutta(4)], ids=str)
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_inertia_of_a_body_that_rolls(kind, scheme):
    m = rolling(kind, 3)
    of = lambda motion: np.concatenate([motion.position("body")[-1], motion.angular_velocity("body")[-1]])  # noqa: E731
    for name in ("bodies.body.inertia.0.1", "bodies.body.inertia.2.2", "bodies.body.mass", "bodies.body.center.1"):
        agrees(m, scheme, 1e-2, of, name)


@pytest.mark.parametrize("least", [1e-1, 1e-3, 1e-5])
def test_moments_of_a_slender_body(least):
    """½ ω² is the derivative of the kinetic energy at given rates, for every moment."""
    rates = np.array([0.2, 1.5, 0.3])
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(2.0, (0.5 * least, 0.5, 0.5 + 0.4 * least)), body_rates=rates, name="rod"))
    motion = lv.simulate(m, h=1e-2, until=0.1, every=10)
    names = [f"bodies.rod.inertia.{k}" for k in range(3)]
    found = lv.sensitivity(motion, lambda motion: motion.kinetic[-1], names)
    round_off = 1e-15 * motion.kinetic[-1] / (1e-4 * least)  # the moments of a rod bound each other's changes
    assert found == pytest.approx(0.5 * rates**2, rel=1e-9, abs=round_off)


def test_a_tensor_with_moments_that_are_nearly_equal():
    """The axes turn by a radian where an entry changes by a thousandth."""
    Q = Rotation.random(random_state=5).as_matrix()
    m = lv.Model(gravity=(0, 0, -9.81))
    matter = lv.MassProperties(2.0, Q @ np.diag([0.3, 0.3003, 0.35]) @ Q.T)
    body = m.add(lv.Body(matter, at=(0.5, 0, 0), body_rates=(2.0, 1.0, 3.0), name="body"))
    m.add(lv.Spring(m.world.point(0, 0, 0), body.point(-0.5, 0.1, 0), stiffness=20.0, length=0.1))
    of = lambda motion: np.concatenate([motion.position("body")[-1], motion.angular_velocity("body")[-1]])  # noqa: E731
    for name in ("bodies.body.inertia.0.1", "bodies.body.inertia.1.1"):
        agrees(m, lv.Livens(), 1e-2, of, name, steps=50, accuracy=3e-7, part=1e-4)


@pytest.mark.parametrize("scheme", [lv.Livens(), lv.RungeKutta(4)], ids=["Livens", "RungeKutta"])
@pytest.mark.parametrize("moments", [(0.4, 0.6, 0.6), (0.5, 0.5, 0.5)], ids=["two equal", "three equal"])
@pytest.mark.parametrize("tilted", [False, True])
def test_bodies_with_equal_moments(tilted, moments, scheme):
    """All entries of the tensor of a symmetric body, upright and tilted, and of one that is symmetric to ten digits:
    a top on a ball joint with a damper and a spring, in a random unit, forwards and backwards."""
    rng = np.random.default_rng(7)
    l, mass, t = 10.0 ** rng.uniform(-2, 2, size=3)
    Q = Rotation.random(random_state=5).as_matrix() if tilted else np.eye(3)
    J = mass * l**2 * Q @ np.diag(np.array(moments) * (1.0, 1.0, 1.0 + 1e-10 * tilted)) @ Q.T
    m = lv.Model(gravity=np.array([0.3, 0, -9.81]) * l / t**2)
    matter = lv.MassProperties(2.0 * mass, 0.5 * (J + J.T), center=(0.1 * l, 0.2 * l, -0.1 * l))
    top = m.add(lv.Body(matter, body_rates=np.array([0.3, 1.0, 0.5]) / t, name="top"))
    torque = mass * l**2 / t**2
    ends = m.world.point(0, 0, 0), top.point(0, 0, 0)
    m.add(lv.Spherical(*ends, stiffness=torque, damping=0.1 * torque * t, name="ball"))
    of = lambda motion: motion.angular_velocity("top")[-1] * t  # noqa: E731
    names = [f"bodies.top.inertia.{i}.{j}" for i in range(3) for j in range(i, 3)]
    run, h, d = lv.prepare(m, scheme, h=1e-2 * t), 1e-2 * t, 5e-3 * mass * l**2
    motion = run(10 * h, every=5)
    found = lv.sensitivity(motion, of, names)
    back = [lv.adjoint(motion, of=lambda now, k=k: of(now)[k]).parameters(names) for k in range(3)]
    assert np.array(back) == pytest.approx(found, abs=1e-9 * np.abs(found).max())
    for k, name in enumerate(names):
        i, j = map(int, name.split(".")[3:])
        E = np.zeros((3, 3))
        E[i, j] = E[j, i] = d
        ends = {n: of(run(10 * h, parameters={"bodies.top.inertia": (J + n * E).tolist()})) for n in range(-4, 5) if n}
        expected = sum(w * (ends[n] - ends[-n]) / d for n, w in STENCIL)
        assert found[:, k] == pytest.approx(expected, abs=2e-9 * np.abs(expected).max()), name


def test_a_size_of_a_body_with_equal_moments():
    """The place of one of two balls that make a dumb-bell, on the axis and across it."""
    for name in ("bodies.bell.shape.parts.0.at.0", "bodies.bell.shape.parts.0.at.1"):
        m = lv.Model(gravity=(0.2, 0, -9.81))
        two = lv.Compound([(lv.Ball(0.1, mass=1.0), lv.Pose((x, 0.1 * x, 0.2 * x))) for x in (-0.5, 0.5)])
        body = m.add(lv.Body(two, at=(-0.2, 0, 0), body_rates=(1.0, 2.0, 3.0), name="bell"))
        m.add(lv.Spherical(m.world.point(0, 0, 0), body.point(0.2, 0, 0), name="ball"))
        agrees(m, lv.Livens(), 1e-2, lambda motion: motion.angular_velocity("bell")[-1], name)


def test_coefficients_of_very_different_sizes():
    m = lv.Model(gravity=(1.0, 0, -2.0))
    body = m.add(lv.Body(lv.MassProperties(1.5, (0.1, 0.2, 0.3)), name="body"))
    at = m.world.point(0, 0, 0), body.point(0, 0, 0)
    m.add(lv.Cylindrical(*at, axis=(0.3, 0, 1), damping=(1e-3, 20.0), stiffness=(2e-3, 50.0), name="j"))
    m["j"].start_rate = 3.0
    of = lambda motion: motion.coordinate("j")[-1] / (1.0, 0.01)  # noqa: E731
    for name in ("joints.j.damping.0", "joints.j.damping.1", "joints.j.stiffness.0"):
        run = lambda value, name=name: of(lv.prepare(m, h=1e-2)(0.5, parameters={name: value}))  # noqa: E731
        value = Numbers(m).value(name)[0]
        found = lv.sensitivity(lv.simulate(m, h=1e-2, until=0.5), of, [name])[:, 0]
        expected = sum(w * (run(value * (1 + 5e-3 * n)) - run(value * (1 - 5e-3 * n))) for n, w in STENCIL)
        assert found * value * 5e-3 == pytest.approx(expected, rel=1e-7, abs=1e-15)


@pytest.mark.parametrize("seed", range(2))
def test_short_parts_of_a_long_mechanism(seed):
    """A rod and a spring that are fifty times shorter than the bodies they hold, in a random orientation and unit."""
    R, rng = Rotation.random(random_state=seed).as_matrix(), np.random.default_rng(seed)
    l, mass, t = 10.0 ** rng.uniform(-2, 2, size=3)
    place = lambda *x: l * (R @ x)  # noqa: E731
    m = lv.Model(gravity=place(0, 0, -9.81) / t**2)
    matter = lv.MassProperties(mass, np.array([0.3, 0.5, 0.6]) * mass * l**2)
    long, other = (m.add(lv.Body(matter, at=place(x, 0, 0), rotation=R, name=f"b{x:g}")) for x in (2.5, 5.0))
    m.add(lv.Spherical(m.world.point(0, 0, 0), long.point(-2.5 * l, 0, 0), name="shoulder"))
    m.add(lv.Spherical(long.point(2.0 * l, 0, 0), other.point(-0.5 * l, 0, 0), name="elbow"))
    stiffness = 1000.0 * mass / t**2
    hook = m.world.point(*place(3.0, 0.03, 0.1))
    m.add(lv.Spring(hook, long.point(0.5 * l, 0, 0), stiffness=stiffness, length=0.07 * l, name="cord"))
    m.add(lv.Rod(m.world.point(*place(5.02, 0.03, 0.1)), other.point(0, 0, 0), name="rod"))

    def of(motion):
        return np.concatenate([motion.position("b5")[-1] / l, motion.angular_velocity("b2.5")[-1] * t])

    names = [f"{x}.point.{k}" for x in ("joints.rod.a", "forces.cord.b", "forces.cord.a") for k in range(3)]
    h = 1e-3 * t
    run, d = lv.prepare(m, h=h), 1e-3 * l
    found, numbers = lv.sensitivity(run(10 * h, every=10), of, names), Numbers(m)
    for k, name in enumerate(names):
        value = numbers.value(name)[0]
        ends = {n: of(run(10 * h, every=10, parameters={name: value + n * d})) for n in range(-4, 5) if n}
        expected = sum(w * (ends[n] - ends[-n]) / d for n, w in STENCIL)
        assert np.abs(found[:, k] - expected).max() <= 1e-9 * np.abs(found).max(), name


@pytest.mark.parametrize("until", [1.0, 10.0, 100.0])
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_frequencies_over_many_periods(until):
    """A prescribed motion a sin wt has the derivatives a t cos wt and sin wt; that with respect to the frequency of a
    motor is the difference of whole runs."""
    m = lv.Model()
    cart, sledge = (m.add(lv.Body(lv.Box(1, 1, 1, mass=2.0), at=(0, y, 0), name=n)) for n, y in (("cart", 0), ("s", 2)))
    drive = lv.Expression("a*sin(w*t)", a=0.3, w=20.0)
    m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=(1, 0, 0), drive=drive, name="rail"))
    m.add(lv.Prismatic(m.world.point(0, 2, 0), sledge.center, axis=(1, 0, 0), stiffness=8.0, name="other"))
    m.add(lv.Motor(m["other"], lv.Expression("cos(w*t)", w=3.0), name="motor"))
    run = lv.prepare(m, h=2e-2)
    names = ["joints.rail.where.w", "joints.rail.where.a", "forces.motor.where.w"]
    of = lambda motion: np.array([motion.coordinate("rail")[-1], motion.coordinate("other")[-1]])  # noqa: E731
    found = lv.sensitivity(run(until, every=10), of, names)
    assert found[0, :2] == pytest.approx([0.3 * until * np.cos(20 * until), np.sin(20 * until)], rel=1e-9)
    d = 3e-3 / until
    ends = {n: of(run(until, every=10, parameters={names[2]: 3.0 + n * d}))[1] for n in range(-4, 5) if n}
    assert found[1, 2] == pytest.approx(sum(w * (ends[n] - ends[-n]) / d for n, w in STENCIL), rel=1e-8)


def test_far_from_the_origin():
    """A pendulum on a spring ten kilometres away has the derivatives of one at the origin."""

    def place(far):
        far = np.asarray(far)
        m = lv.Model(gravity=(0, 0, -9.81))
        bob = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.2, 0.15)), at=far + np.array([0.5, 0, 0]), name="bob"))
        m.add(lv.Spherical(m.world.point(*far), bob.point(-0.5, 0, 0), name="ball"))
        hook = m.world.point(*(far + np.array([0.3, 0.4, 1.0])))
        m.add(lv.Spring(hook, bob.point(0.2, 0, 0), stiffness=30.0, length=0.5, name="cord"))
        of = lambda motion: motion.angular_velocity("bob")[-1]  # noqa: E731
        return lv.sensitivity(lv.simulate(m, h=1e-2, until=0.5, every=50), of, ["forces.cord.a.point.0", "h"])

    near = place((0, 0, 0))
    assert place((1e4, -3e3, 2e3)) == pytest.approx(near, abs=1e-6 * np.abs(near).max())


@pytest.mark.parametrize(("seed", "name"), [(49, "bodies.b0.at.2"), (32, "bodies.b3.inertia.2.0")])
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_redundant_rows_are_those_of_the_run(seed, name):
    """Random mechanisms where other rows would be chosen for a number that differs by a thousandth."""
    told = describe(seed)
    m, h = build(told), 0.02 / rate(told)
    names = [body.name for body in m.bodies[1:]]
    of = lambda motion: np.concatenate([motion.position(name)[-1] for name in names])  # noqa: E731
    agrees(m, lv.Livens(), h, of, name, accuracy=1e-8)


def test_equal_stiffnesses_of_a_beam():
    """The two shear stiffnesses of a rectangle are equal, and so are the bending stiffnesses of a rod."""
    m = lv.Model(gravity=(1.0, 2.0, -9.81))
    rubber = lv.Material(1e6, 1000.0, nu=0.3)
    m.add(lv.Beam([(0, 0, 0), (1, 0, 0)], 3, lv.Section.rectangle(0.05, 0.05), rubber, name="beam"))
    first, last = m["beam.0"], m.bodies[-1].name
    m.add(lv.Rigid(m.world.point_at(*first.pose.a), first.point(0, 0, 0), name="clamp"))
    of = lambda motion: motion.position(last)[-1] - m[last].pose.a  # noqa: E731
    for k in range(6):
        name = f"forces.beam.stiffnesses.{k}"
        found = lv.sensitivity(lv.simulate(m, h=2e-4, until=2e-2, every=100), of, [name])[:, 0]
        value, size = Numbers(m).value(name)
        expected = difference(m, lv.Livens(), 2e-4, 100, of, name, part=1e-2 * value / size)
        assert found * value == pytest.approx(expected * value, rel=1e-7, abs=1e-13), name
