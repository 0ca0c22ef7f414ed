"""Sensitivities against closed forms and against differences of whole runs."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.spatial.transform import Rotation

import livens as lv
from livens.run.parameters import Numbers
from livens.scene import from_dict
from tests.helpers.problems import lopsided, turned

STENCIL = ((1, 4.0 / 5.0), (2, -1.0 / 5.0), (3, 4.0 / 105.0), (4, -1.0 / 280.0))
NAMES = [
    "bodies.arm.mass",
    "bodies.fore.mass",
    "bodies.fore.inertia.0.0",
    "bodies.fore.center.1",
    "joints.shoulder.stiffness",
    "joints.shoulder.damping",
    "joints.shoulder.rest",
    "joints.elbow.a.point.0",
    "joints.shoulder.a.point.2",
    "forces.cord.stiffness",
    "forces.cord.length",
    "forces.cord.damping",
    "forces.cord.b.point.0",
    "forces.push.force.1",
    "gravity.0",
    "gravity.2",
    "bodies.arm.velocity.2",
    "bodies.fore.body_rates.1",
]


def two_arms(seed):
    """Two lopsided bodies on a hinge and a ball joint with springs, dampers, a load and an energy of the user, in a
    random orientation and unit."""
    rng = np.random.default_rng(seed)
    R = Rotation.random(random_state=seed).as_matrix()
    l, mass, t = 10.0 ** rng.uniform(-1.5, 1.5, size=3)
    force = mass * l / t**2
    m = lv.Model(gravity=R @ (0.3, 0, -9.81) * l / t**2, name="two arms")
    matter = [lopsided(seed + k) for k in range(2)]
    matter = [lv.MassProperties(one.mass * mass, one.inertia * mass * l**2, one.center * l) for one in matter]
    spin = {"body_rates": (0.3 / t, 0.5 / t, -0.2 / t)}
    arm = m.add(lv.Body(matter[0], at=l * (R @ (0.5, 0, 0)), rotation=turned(seed), name="arm"))
    fore = m.add(lv.Body(matter[1], at=l * (R @ (1.4, 0, 0)), rotation=turned(seed + 5), **spin, name="fore"))
    elbow = l * (R @ (1.0, 0, 0))
    m.add(
        lv.Revolute(m.world.point(0, 0, 0), arm.point_at(0, 0, 0), axis=R @ (0.1, 1, 0), stiffness=3 * force * l,
                    damping=0.2 * force * l * t, rest=0.1, name="shoulder")
    )  # fmt: skip
    m.add(lv.Spherical(arm.point_at(*elbow), fore.point_at(*elbow), name="elbow"))
    m.add(
        lv.Spring(m.world.point(*(l * (R @ (1, 1, 1)))), fore.point(0.4 * l, 0.1 * l, 0), stiffness=20 * force / l,
                  length=0.7 * l, damping=0.3 * force * t / l, name="cord")
    )  # fmt: skip
    m.add(lv.Load(fore.point(0.1 * l, 0, 0), force=(force, 2 * force, 0), name="push"))
    m.add(lv.Energy(lambda b: 0.25 * force / l * lv.norm(b[fore].position) ** 2, bodies=[fore], name="well"))
    return m, (l, mass, t)


def readings(units):
    """Positions, velocities, rates, an angle and the energy at the end, without units."""
    l, mass, t = units

    def of(motion):
        return np.concatenate([
            motion.position("fore")[-1] / l, motion.velocity("fore")[-1] * t / l,
            motion.angular_velocity("arm")[-1] * t, motion.coordinate("shoulder")[-1:],
            motion.energy[-1:] / (mass * l**2 / t**2),
        ])  # fmt: skip

    return of


def test_projectile():
    """z = z₀ + v t + g t²/2 in any number of steps; the mass does not matter."""
    m = lv.Model(gravity=(0, 0, -9.81))
    m.add(lv.Body(lv.MassProperties(2.0, (1, 2, 3)), velocity=(1, 0, 3), name="stone"))
    motion = lv.simulate(m, lv.Livens(order=4), h=1e-2, until=1.3, every=130)
    wrt = ["bodies.stone.velocity.2", "gravity.2", "bodies.stone.mass", "bodies.stone.at.1"]
    found = lv.sensitivity(motion, lambda motion: motion.position("stone")[-1], wrt)
    expected = np.zeros((3, 4))
    expected[2, :2], expected[1, 3] = (1.3, 0.845), 1.0
    assert found == pytest.approx(expected, abs=1e-11)


def test_free_top():
    """The kinetic energy ½ L·ω at given rates: ∂T/∂J = ½ ω², constant in time."""
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(2.0, (1.0, 2.0, 2.5)), body_rates=(0.2, 1.5, 0.3), name="top"))
    motion = lv.simulate(m, h=1e-2, until=1.0, every=50)
    wrt = [f"bodies.top.inertia.{k}" for k in range(3)]
    found = lv.sensitivity(motion, lambda motion: motion.kinetic, wrt)
    assert found == pytest.approx(np.tile(0.5 * np.array([0.2, 1.5, 0.3]) ** 2, (3, 1)), rel=1e-9)


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_through_a_stop():
    """An arm falls onto its limit and leaves it: differences so small that no step changes sides."""
    m = lv.Model(gravity=(0, 0, -9.81))
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=500), at=(0.5, 0, 0), name="arm"))
    a, b = m.world.point(0, 0, 0), arm.point(-0.5, 0, 0)
    hinge = m.add(lv.Revolute(a, b, axis=(0, 1, 0), limits=(-3, 0.02), name="hinge"))
    m.add(lv.Motor(hinge, 2.0, name="motor"))
    run, d = lv.prepare(m, h=2e-3), 1e-7
    names = {"joints.hinge.limits.1": 0.02, "bodies.arm.at.2": 0.0, "forces.motor.effort": 2.0}

    def of(motion):
        return np.concatenate([motion.q[-1], motion.v[-1], motion.energy[-1:]])

    motion = run(0.12)
    assert motion.coordinate("hinge").max() > 0.0201
    found = lv.sensitivity(motion, of, list(names))
    for k, (name, value) in enumerate(names.items()):
        ends = [of(run(0.12, parameters={name: value + c * d})) for c in (1, -1)]
        assert found[:, k] == pytest.approx((ends[0] - ends[1]) / (2 * d), rel=1e-6, abs=1e-8 / d * 1e-6)


def test_objective_has_the_gradient_of_its_value():
    m, units = two_arms(3)
    t = units[2]
    goal = lv.Objective(
        m, of=lambda motion: float(motion.coordinate("shoulder")[-1]), wrt=["gravity.2"], h=1e-2 * t, until=0.2 * t
    )
    x = goal.start
    step = 1e-6 * abs(x[0])
    error = check_grad(lambda x: goal(x)[0], lambda x: goal(x)[1], x, epsilon=step)
    assert error < 1e-4 * abs(goal(x)[1][0])
    assert goal.motion.t[-1] == pytest.approx(0.2 * t)


def test_wrong_names_and_values_are_refused():
    m, units = two_arms(1)
    motion = lv.simulate(m, h=1e-2 * units[2], until=2e-2 * units[2])
    of = readings(units)
    with pytest.raises(lv.ModelError, match="stiffness"):
        lv.sensitivity(motion, of, ["forces.cord.stifness"])
    with pytest.raises(lv.ModelError, match="'arm'"):
        lv.sensitivity(motion, of, ["bodies.arn.mass"])
    with pytest.raises(lv.ModelError, match="one of its parts"):
        lv.sensitivity(motion, of, ["gravity"])
    with pytest.raises(lv.ModelError, match=r"no derivative with respect to 'joints\.elbow\.damping' at 0"):
        lv.sensitivity(motion, of, ["joints.elbow.damping"])
    with pytest.raises(lv.ModelError, match="list of names"):
        lv.sensitivity(motion, of, "gravity.2")
    with pytest.raises(lv.ModelError, match="function of the motion"):
        lv.sensitivity(motion, 3.0, ["gravity.2"])
    with pytest.raises(lv.ModelError, match="did you mean 'shoulder'"):
        lv.sensitivity(motion, of, ["q.shoulders"])
    with pytest.raises(lv.ModelError, match="number or an array"):
        lv.sensitivity(motion, lambda motion: "much", ["gravity.2"])
    later = lv.resume(motion, until=4e-2 * units[2])
    assert lv.sensitivity(later, of, ["gravity.2"]).shape == (11, 1)


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_from_another_start():
    """Joint coordinates and rates at the start are kept, and have derivatives themselves."""
    m, units = two_arms(2)
    t = units[2]
    h, of, run = 1e-2 * t, readings(units), lv.prepare(m, h=1e-2 * t)
    space = lv.JointSpace(m)
    q, v = np.array([0.2, 0.1, -0.3, 0.4]), np.array([0.5, -0.2, 0.3, 0.1]) / t

    def end(q, v, **parameters):
        other = run.compiled_for(parameters)
        start = other.fitted(lv.JointSpace(other).state(q, v))
        return of(run(5 * h, every=5, start=start, parameters=parameters))

    motion = run(5 * h, every=5, start=run.compiled.fitted(space.state(q, v)))
    names = ["bodies.fore.mass", "joints.shoulder.damping", "q.shoulder", "v.shoulder"]
    found, numbers = lv.sensitivity(motion, of, names), Numbers(m)
    for k, name in enumerate(names[:2]):
        value = numbers.value(name)[0]
        d = 5e-3 * value
        expected = sum(
            w * (end(q, v, **{name: value + n * d}) - end(q, v, **{name: value - n * d})) / d for n, w in STENCIL
        )
        assert np.abs(found[:, k] - expected).max() <= 1e-8 * np.abs(expected).max(), name
    e = np.eye(4)[0]
    expected = sum(w * (end(q + n * 1e-3 * e, v) - end(q - n * 1e-3 * e, v)) / 1e-3 for n, w in STENCIL)
    assert np.abs(found[:, 2] - expected).max() <= 1e-8 * np.abs(expected).max()
    d = 1e-3 / t
    expected = sum(w * (end(q, v + n * d * e) - end(q, v - n * d * e)) / d for n, w in STENCIL)
    assert np.abs(found[:, 3] - expected).max() <= 1e-8 * np.abs(expected).max()


@pytest.mark.parametrize("scheme", [lv.Livens(), lv.RungeKutta(4)], ids=["Livens", "RungeKutta"])
def test_between_stored_times(scheme):
    """motion.at(t) takes steps from a stored state, with the forces of dampers in the moved state; work is a sum
    over all steps, which has no derivative."""
    m = lv.Model(gravity=(0, 0, -9.81))
    arm = m.add(lv.Body(lv.MassProperties(2.0, (0.1, 0.2, 0.25)), at=(0.5, 0, 0), name="arm"))
    fore = m.add(lv.Body(lv.MassProperties(1.0, (0.08, 0.1, 0.15)), at=(1.3, 0.1, 0), name="fore"))
    m.add(
        lv.Revolute(
            m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), damping=2.0, start_rate=3.0, name="j"
        )
    )
    m.add(lv.Spherical(arm.point(0.5, 0, 0), fore.point_at(1, 0, 0), damping=0.5, name="ball"))
    run, of = lv.prepare(m, scheme, h=5e-3), lambda motion: motion.at(0.0537).position("fore")[0]
    names = {"joints.j.damping": 2.0, "bodies.fore.mass": 1.0, "joints.ball.damping": 0.5}
    found = lv.sensitivity(run(0.1, every=4), of, list(names))
    for k, (name, value) in enumerate(names.items()):
        d = 5e-3 * value
        ends = {n: of(run(0.1, every=4, parameters={name: value + n * d})) for n in range(-4, 5) if n}
        expected = sum(w * (ends[n] - ends[-n]) / d for n, w in STENCIL)
        assert found[:, k] == pytest.approx(expected, abs=1e-9 * np.abs(expected).max() + 1e-13), name
    motion = run(0.1, every=4)
    for reading in (lambda motion: motion.dissipated[-1], lambda motion: motion[-1].work[0]):
        with pytest.raises(lv.ModelError, match="Work and dissipated energy are sums over all steps"):
            lv.sensitivity(motion, reading, ["bodies.fore.mass"])
        with pytest.raises(lv.ModelError, match="Work and dissipated energy are sums over all steps"):
            lv.adjoint(motion, of=reading)
    assert np.isnan(lv.sensitivity(motion, lambda motion: np.nan, ["bodies.fore.mass"])).all()


def machine(seed):
    """A body on a screw, a geared pair of wheels, a rod, a rolling ball, a sliding body with a prescribed motion, a
    motor, attraction, an energy and a constraint with numbers by name: numbers of the kinds that two_arms has not, in a
    random orientation and unit. Some of the numbers are equal, one or zero."""
    rng = np.random.default_rng(seed)
    R = Rotation.random(random_state=seed).as_matrix()
    l, mass, t = 10.0 ** rng.uniform(-1.5, 1.5, size=3)
    force = mass * l / t**2
    place = lambda *x: (l * (R @ x)).tolist()  # noqa: E731
    point = lambda body, *r: {"body": body, "point": list(r)}  # noqa: E731
    world = lambda *x: point("world", *place(*x))  # noqa: E731
    turn = {"rotation": R.tolist()}
    matter = {"mass": 1.3 * mass, "inertia": (np.array([0.2, 0.3, 0.4]) * mass * l**2).tolist()}
    box = {"type": "Box", "x": 0.4 * l, "y": 0.3 * l, "z": 0.2 * l, "density": 60.0 * mass / l**3}
    wheel = {"type": "Cylinder", "radius": 0.3 * l, "length": 0.1 * l, "mass": mass}
    x, z = R[:, 0], R[:, 2]
    document = {
        "livens": 2,
        "gravity": place(0.2 / t**2, 0.1 / t**2, -9.81 / t**2),
        "bodies": {
            "nut": {"shape": box, "at": place(0, 0, 0.2), **turn},
            "one": {"shape": wheel, "at": place(2, 0, 0), **turn},
            "two": {"shape": {**wheel, "radius": 0.5 * l}, "at": place(3, 0, 0), **turn},
            "ball": {"shape": {"type": "Ball", "radius": 0.2 * l, "mass": mass}, "at": place(0, 3, 0.2), **turn},
            "sledge": {**matter, "at": place(-2, 0, 0), **turn},
            "bob": {**matter, "at": place(-2, 0.3, -0.8), **turn, "body_rates": [0.3 / t, 0.1 / t, 0.5 / t]},
            "moon": {**matter, "at": place(5, 1, 2), **turn},
        },
        "joints": {
            "thread": {"type": "Screw", "a": world(0, 0, 0.2), "b": point("nut", 0, 0, 0), "axis": z.tolist(),
                       "pitch": 0.3 * l, "stiffness": [3 * force / l, 0.0]},
            "axle1": {"type": "Revolute", "a": world(2, 0, 0), "b": point("one", 0, 0, 0), "axis": z.tolist(),
                      "stiffness": force * l, "rest": 0.4},
            "axle2": {"type": "Revolute", "a": world(3, 0, 0), "b": point("two", 0, 0, 0), "axis": z.tolist(),
                      "damping": force * l * t},
            "gear": {"type": "Coupling", "first": "axle1", "second": "axle2", "ratio": -0.6},
            "floor": {"type": "RollingBall", "a": world(0, 0, 0), "b": point("ball", 0, 0, 0),
                      "radius": 0.2 * l, "normal": z.tolist()},
            "rail": {"type": "Prismatic", "a": world(-2, 0, 0), "b": point("sledge", 0, 0, 0), "axis": x.tolist(),
                     "drive": "a*sin(w*t)", "where": {"a": 0.3 * l, "w": 2.0 / t}},
            "rod": {"type": "Rod", "a": point("sledge", 0, 0, 0), "b": point("bob", 0.1 * l, 0, 0.2 * l)},
            "sheet": {"type": "Constraint", "formula": "dot(u, c*[x, y, z]) - d + e*v[0]",
                      "where": {"u": {"body": "moon", "point": [0.1 * l, 0, 0]}, "v": {"body": "moon"}, "c": 1.0,
                                "x": float(z[0]), "y": float(z[1]), "z": float(z[2]), "e": 0.0,
                                "d": float(z @ (place(5, 1, 2) + R @ (0.1 * l, 0, 0)))}},
        },
        "forces": {
            "motor": {"type": "Motor", "joint": "axle1", "effort": "m*cos(w*t)",
                      "where": {"m": force * l, "w": 1.0 / t}},
            "pull": {"type": "Attraction", "G": force * l**2 / mass**2},
            "oil": {"type": "Damper", "a": world(0, 0, 0), "b": point("moon", 0, 0.1 * l, 0), "rate": force * t / l},
            "well": {"type": "Energy", "formula": "k*dot(p, p)/2 + g*p[0]",
                     "where": {"p": {"body": "bob", "point": [0, 0.1 * l, 0]}, "k": 2.0 * force / l, "g": 0.0}},
        },
    }  # fmt: skip
    return from_dict(document), (l, mass, t)


def machine_readings(units):
    """Positions and velocities of all bodies at the end, without units."""
    l, _, t = units
    names = ("nut", "one", "two", "ball", "sledge", "bob", "moon")

    def of(motion):
        places = [motion.position(name)[-1] / l for name in names]
        return np.concatenate([*places, *(motion.angular_velocity(name)[-1] * t for name in names)])

    return of


MACHINE = [
    "bodies.nut.shape.x", "bodies.nut.shape.density", "bodies.one.shape.radius", "bodies.bob.inertia.1",
    "bodies.ball.shape.mass", "bodies.bob.body_rates.2", "joints.thread.pitch", "joints.axle1.rest",
    "joints.axle2.damping", "joints.gear.ratio", "joints.rail.where.a", "joints.rail.where.w", "joints.rail.axis.1",
    "joints.rod.b.point.2", "joints.sheet.where.c", "joints.sheet.where.e", "joints.sheet.where.d",
    "forces.motor.where.m", "forces.motor.where.w", "forces.pull.G", "forces.oil.rate", "forces.well.where.k",
    "forces.well.where.g", "bodies.sledge.at.1",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("build", [two_arms, machine])
@pytest.mark.parametrize("scheme", [lv.Livens(), lv.RungeKutta(4)], ids=["Livens", "RungeKutta"])
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_differences_of_the_run(seed, build, scheme):
    """To 1e-9 of the derivative, for parameters of every kind and the length of the steps."""
    m, units = build(seed)
    l, mass, t = units
    h, of, names = 1e-2 * t, (readings if build is two_arms else machine_readings)(units), NAMES
    if build is machine:
        names = MACHINE
    run, numbers = lv.prepare(m, scheme, h=h), Numbers(m)
    found = lv.sensitivity(run(6 * h, every=6), of, [*names, "h"])
    zero = {"gravity": 9.81 * l / t**2, "velocity": l / t, "g": mass * l / t**2, "e": 1.0}
    for k, name in enumerate(names):
        value, size = numbers.value(name)
        d = 5e-3 * (size or next((zero[part] for part in name.split(".") if part in zero), l))
        ends = {n: of(run(6 * h, every=6, parameters={name: value + n * d})) for n in range(-4, 5) if n}
        expected = sum(w * (ends[n] - ends[-n]) / d for n, w in STENCIL)
        round_off = 4e-15 * np.abs(ends[1]).max() / d  # of the differences
        assert np.abs(found[:, k] - expected).max() <= 1e-9 * np.abs(expected).max() + round_off, name
    ends = {n: of(lv.prepare(m, scheme, h=(1 + n * 5e-3) * h)(6 * (1 + n * 5e-3) * h, every=6)) for n in range(-4, 5)}
    expected = sum(w * (ends[n] - ends[-n]) / 5e-3 for n, w in STENCIL)
    assert np.abs(found[:, -1] * h - expected).max() <= 1e-9 * np.abs(expected).max() + 1e-12


@pytest.mark.parametrize("scheme", [lv.Livens(), lv.RungeKutta(4)], ids=["Livens", "RungeKutta"])
def test_length_of_the_steps(scheme):
    """An oscillator in n steps of h: x = x₀ cos(n θ), cos θ = 1 − (hω)²/2 for Livens; RungeKutta follows cos(ω n h)."""
    m = lv.Model()
    cart = m.add(lv.Body(lv.Box(1, 1, 1, mass=2.0), name="cart"))
    m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=(1, 0, 0), stiffness=8.0, start=0.3, name="rail"))
    h, n, w = 1e-2, 150, 2.0
    motion = lv.simulate(m, scheme, h=h, until=n * h, every=50)
    found = lv.sensitivity(motion, lambda motion: motion.coordinate("rail")[-1], ["h", "joints.rail.stiffness"])
    assert found.shape == (2,)
    angle, slope = 2 * np.arcsin(0.5 * h * w), w / np.sqrt(1 - (0.5 * h * w) ** 2)
    if not isinstance(scheme, lv.Livens):
        angle, slope = h * w, w
    accuracy = 1e-9 if isinstance(scheme, lv.Livens) else (h * w) ** 4
    assert found[0] == pytest.approx(-0.3 * n * slope * np.sin(n * angle), rel=accuracy)


def test_numbers_of_formulas_and_prescribed_motions(tmp_path):
    """A scene with names in an energy ½ k x² and in a prescribed motion a t³."""
    (tmp_path / "named.toml").write_text("""livens = 2
[bodies.cart]
shape = { type = "Box", x = 1, y = 1, z = 1, mass = 2.0 }
[bodies.ball]
shape = { type = "PointMass", mass = 0.5 }
at = [0, 3, 0]
[joints.rail]
type = "Prismatic"
a = { body = "world", point = [0, 0, 0] }
b = { body = "cart", point = [0, 0, 0] }
axis = [1, 0, 0]
drive = "a*t**3"
where = { a = 0.3 }
[forces.well]
type = "Energy"
formula = "k*(x[0]**2 + x[1]**2 + x[2]**2)/2"
where = { x = { body = "ball" }, k = 4.5 }
""")
    m = lv.read_scene(tmp_path / "named.toml").model()
    motion = lv.simulate(m, lv.Livens(order=6), h=1e-2, until=1.0, every=100)
    read = lambda motion: np.array([motion.position("cart")[-1, 0], motion.position("ball")[-1, 1]])  # noqa: E731
    found = lv.sensitivity(motion, read, ["joints.rail.where.a", "forces.well.where.k"])
    w = 3.0  # √(k/m); d cos(w t)/dk = −sin(w t) t/(2 √(k m))
    expected = [[1.0, 0.0], [0.0, -3.0 * np.sin(w) / (2 * np.sqrt(4.5 * 0.5))]]
    assert found == pytest.approx(np.array(expected), abs=1e-8)


@pytest.mark.parametrize("scheme", [lv.Livens(), lv.RungeKutta(4)], ids=["Livens", "RungeKutta"])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_directions(seed, scheme):
    """The axes of a universal joint with springs and a motor, of a hinge and of a slider: unit vectors, and those of
    the universal joint stay perpendicular. Their derivatives are zero along the axis itself."""
    rng = np.random.default_rng(seed)
    R, (l, mass, t) = Rotation.random(random_state=seed).as_matrix(), 10.0 ** rng.uniform(-2, 2, size=3)
    force = mass * l / t**2
    axes = [R @ x for x in (rng.normal(size=3), rng.normal(size=3), (1, 2, 0), rng.normal(size=3))]
    axes[1] = np.cross(axes[0], axes[1])

    def build(a, b, c, d):
        m = lv.Model(gravity=R @ (0, 0, -9.81) * l / t**2)
        matter = lv.MassProperties(mass, mass * l**2 * np.array([0.1, 0.2, 0.25]))
        one, two, three = (
            m.add(lv.Body(matter, at=l * (R @ (0.5 + k, 0.1, 0.2 * k)), rotation=R, name=f"b{k}")) for k in range(3)
        )
        m.add(lv.Universal(m.world.point(0, 0, 0), one.point_at(0, 0, 0), a, b, stiffness=force * l, name="cross"))
        joint = l * (R @ (1, 0, 0))
        m.add(lv.Revolute(one.point_at(*joint), two.point_at(*joint), axis=c, start_rate=1.0 / t, name="hinge"))
        m.add(lv.Prismatic(two.center, three.point_at(*two.center.start), axis=d, stiffness=force / l, name="slide"))
        m.add(lv.Motor(m["cross"], 0.3 * force * l, coordinate="angle_b", name="motor"))
        return m

    def of(motion):
        return np.concatenate([motion.position("b2")[-1] / l, motion.angular_velocity("b1")[-1] * t])

    def run(axes):
        return lv.simulate(build(*axes), scheme, h=1e-2 * t, until=5e-2 * t, every=5)

    units = [x / np.linalg.norm(x) for x in axes]
    keys = ["joints.cross.axis_a", "joints.cross.axis_b", "joints.hinge.axis", "joints.slide.axis"]
    found = lv.sensitivity(run(axes), of, [f"{key}.{k}" for key in keys for k in range(3)]).reshape(6, 4, 3)
    for n, u in enumerate(units):
        size = np.abs(found[:, n]).max()
        assert found[:, n] @ u == pytest.approx(np.zeros(6), abs=1e-9 * size)
        if n < 2:
            assert found[:, n] @ units[1 - n] == pytest.approx(np.zeros(6), abs=1e-9 * size)
        along = np.cross(u, units[1 - n]) if n < 2 else np.cross(u, rng.normal(size=3))
        along /= np.linalg.norm(along)
        d = 5e-3
        ends = {k: of(run([*units[:n], u + k * d * along, *units[n + 1 :]])) for k in range(-4, 5) if k}
        expected = sum(w * (ends[k] - ends[-k]) / d for k, w in STENCIL)
        assert found[:, n] @ along == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
