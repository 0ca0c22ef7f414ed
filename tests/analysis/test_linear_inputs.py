"""Inputs that are prescribed motions, and outputs that inputs change at once."""

import numpy as np
import pytest
from scipy.linalg import expm

import livens as lv
from tests.analysis.test_linear import STENCIL, moving_chain, rotation
from tests.analysis.test_tangent import random_mechanism

SCHEMES = [lv.RungeKutta(8), lv.Livens(order=6), lv.Livens(), lv.Newmark(), lv.EnergyMomentum()]


def cart_pole(seed, drive=None):
    """A pole on a cart that moves as prescribed, in a random orientation and unit: the model and its numbers."""
    rng = np.random.default_rng(seed)
    R, (l, mass, t) = rotation(rng), 10.0 ** rng.uniform(-3, 3, size=3)
    m = lv.Model(gravity=R @ (0, 0, -9.81) * l / t**2)
    cart = m.add(lv.Body(lv.MassProperties(mass, (1, 1, 1) * np.array(mass * l**2)), rotation=R, name="cart"))
    matter = lv.MassProperties(0.2 * mass, np.full(3, 0.006 * mass * l**2))
    pole = m.add(lv.Body(matter, at=R @ (0, 0, 0.3 * l), rotation=R, name="pole"))
    motion = drive or lv.Expression("a*sin(w*t)", a=0.1 * l, w=1.0 / t)
    m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=R @ (1, 0, 0), drive=motion, name="rail"))
    m.add(lv.Revolute(cart.center, pole.point(0, 0, -0.3 * l), axis=R @ (0, 1, 0), name="pivot"))
    return m, (l, mass, t)


@pytest.mark.parametrize("seed", range(3))
def test_an_accelerated_cart(seed):
    """J θ″ = m g l sin θ − m l cos θ ẍ + τ with J about the pivot, and the force that moves the cart,
    F = (M + m) ẍ + m l (cos θ θ″ − sin θ θ′²), at a time when it accelerates."""
    m, (l, mass, t) = cart_pole(seed)
    theta, moment, lever, later = 0.4, 0.006 + 0.2 * 0.09, 0.2 * 0.3, 0.7
    outputs = ["rail", "pivot", lambda now: now.effort("rail"), lambda now: now.coordinate_acceleration("pivot")]
    lin = lv.linearize(
        m, at=[0.1 * l * np.sin(later), theta], inputs=["rail", "pivot"], outputs=outputs, t=later * t
    )  # fmt: skip
    assert lin.names == ("rail", "pivot")
    assert lin.inputs == ("acceleration of rail [m/s²]", "pivot [N m]")
    x = np.array([l, 1.0, l / t, 1.0 / t])
    u, y = np.array([l / t**2, mass * l**2 / t**2]), np.array([l, 1.0, mass * l / t**2, 1.0 / t**2])
    A, B = lin.A * t * x / x[:, None], lin.B * t * u / x[:, None]
    C, D = lin.C * x / y[:, None], lin.D * u / y[:, None]
    c, s, w = np.cos(theta), np.sin(theta), -0.1 * np.sin(later)
    falls = lever * (9.81 * c + s * w) / moment  # ∂θ″/∂θ
    expected = np.zeros((4, 4))
    expected[0, 2], expected[1, 3], expected[3, 1] = 1.0, 1.0, falls
    assert pytest.approx(expected, abs=1e-11) == A
    pushed = np.array([[0, 0], [0, 0], [1, 0], [-lever * c / moment, 1 / moment]])
    assert pytest.approx(pushed, abs=1e-11) == B
    assert C[:2] == pytest.approx(np.eye(2, 4), abs=1e-12)
    turns = lever * (9.81 * s - c * w) / moment  # θ″
    assert C[2] == pytest.approx([0, lever * (c * falls - s * turns), 0, 0], abs=1e-10)
    assert C[3] == pytest.approx(A[3], abs=1e-9)
    assert D[:2] == pytest.approx(np.zeros((2, 2)), abs=0.0)
    assert D[2] == pytest.approx([1.2 - (lever * c) ** 2 / moment, lever * c / moment], abs=1e-12)
    assert D[3] == pytest.approx(B[3], abs=1e-11)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_steps_with_a_prescribed_motion(scheme):
    """At rest, with the acceleration held over a step: the matrices of the equations of motion, and of the second
    variation of Störmer and Verlet."""
    m, (l, mass, t) = cart_pole(5, drive=lv.Expression("0*t"))
    inputs = ["rail", "pivot"]
    h = 1e-2 * t
    found, exact = lv.linearize(m, inputs=inputs, h=h, scheme=scheme), lv.linearize(m, inputs=inputs)
    both = expm(h * np.block([[exact.A, exact.B], [np.zeros((2, 6))]]))
    x, u = np.array([l, 1.0, l / t, 1.0 / t]), np.array([l / t**2, mass * l**2 / t**2])
    accuracy = 1e-9 if scheme.order > 2 else 1e-4
    assert found.A * x / x[:, None] == pytest.approx(both[:4, :4] * x / x[:, None], abs=accuracy)
    assert found.B * u / x[:, None] == pytest.approx(both[:4, 4:] * u / x[:, None], abs=accuracy)
    assert found.B[[0, 2], 0] == pytest.approx([h**2 / 2, h], rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_motions_and_efforts_have_one_dynamics(seed):
    """The second joint of a spatial chain in motion follows a prescribed motion: its acceleration as an input gives the
    rates that it has as a coordinate with the effort that the motion needs."""
    rng = np.random.default_rng(seed)
    m, (l, mass, t) = moving_chain(rng)
    bend = lv.Expression("a*t + c*t**2", a=0.3 / t, c=0.8 / t**2)
    m["b"].drive = bend
    q, v = np.array([0.3, 0.0, 0.1 * l, -0.2]), np.array([0.5, 0.3, -0.2 * l, 0.4]) / t
    outputs = [lambda now: now.effort("b"), lambda now: now.reaction("c").ravel()]
    lin = lv.linearize(m, at=_state(m, q, v), inputs=["b", "d"], outputs=outputs)
    other, _ = moving_chain(np.random.default_rng(seed))
    space = lv.JointSpace(other)
    tau, b = 0.7 * mass * l**2 / t**2, space.names.index("b")
    free = [k for k in range(4) if k != b]

    def rates(x, a, effort):
        """The accelerations, and the effort of the motion, where it accelerates by a."""
        M, bias = space.equations(x[:4], x[4:])
        Q = np.zeros(4)
        Q[space.names.index("a")] += tau
        Q[space.names.index("d")] += effort
        found = np.full(4, a)
        found[free] = np.linalg.solve(M[np.ix_(free, free)], (Q - bias)[free] - M[free, b] * a)
        return np.append(found, (M @ found + bias)[b])

    x, a = np.concatenate([q, v]), 1.6 / t**2
    scale = np.array([1, 1, l, 1, 1 / t, 1 / t, l / t, 1 / t, 1 / t**2, mass * l**2 / t**2])
    columns = []
    for k in range(10):
        d = 5e-3 * scale * np.eye(10)[k]
        ends = {n: rates(x + n * d[:8], a + n * d[8], n * d[9]) for n in range(-4, 5) if n}
        columns.append(sum(w * (ends[n] - ends[-n]) for n, w in STENCIL) / d[k])
    expected = np.transpose(columns)
    size = np.append(scale[4:8] / t, mass * l**2 / t**2)
    found = np.concatenate([np.block([lin.A[4:], lin.B[4:]]), np.block([lin.C[:1], lin.D[:1]])])
    error = np.abs(found - expected) * scale / size[:, None]
    assert error.max() <= 1e-9 * np.abs(expected * scale / size[:, None]).max()
    reaction = np.block([lin.C[1:], lin.D[1:]])
    assert reaction.shape == (3, 10)


def _state(m, q, v):
    """The state of a model at all its coordinates, prescribed ones too."""
    return lv.JointSpace(m).state(q, v)


@pytest.mark.parametrize("given", [{}, {"inputs": ["rail"]}])
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_at_the_end_of_a_motion(given):
    """The time is that of the last state: there the prescribed motion is where the state has it."""
    m, (_, _, t) = cart_pole(3)
    lin = lv.linearize(m, at=lv.simulate(m, h=1e-3 * t, until=0.5 * t, every=100), **given)
    later = lv.linearize(m, at=lin.space.state(lin.q), t=0.5 * t, **given)
    assert lin.q == pytest.approx(later.q, abs=1e-12)
    k = len(lin.names) - 1
    assert lin.A[-1, k] == pytest.approx(later.A[-1, k], rel=1e-9)
    with pytest.raises(lv.ModelError, match="not closed in the given state"):
        lv.linearize(m, at=lv.dynamics(m).state, t=0.5 * t)


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_reactions_and_accelerations_in_a_loop(seed):
    """C and D of a reaction, an acceleration and a velocity of a mechanism with a loop and a ball joint in motion, in a
    random orientation and unit: C ẋ is the rate of these numbers along the motion, and D that under a torque."""
    m, t = random_mechanism(seed)
    names = [f"j{k}" for k in range(3)]
    hinge = next(name for name in names if isinstance(m[name], lv.Revolute | lv.Universal))

    def read(now):
        return np.stack([now.reaction("rod"), now.acceleration("b2"), now.velocity("b0")]).ravel()

    h = 1e-3 * t
    motion = lv.simulate(m, lv.RungeKutta(8), h=h, until=8 * h)
    middle = [motion[k : k + 1] for k in range(9)]
    outputs = [read, lambda now: np.ravel(now.coordinate_acceleration(hinge))[0]]
    lin = lv.linearize(m, at=middle[4], inputs=[m[hinge]], outputs=outputs)
    weights = [(4 + n, w / h) for n, w in STENCIL] + [(4 - n, -w / h) for n, w in STENCIL]
    rates = [lin.space.read(one.state)[1] for one in middle]
    xdot = np.concatenate([rates[4], sum(w * rates[k] for k, w in weights)])
    expected = sum(w * read(middle[k]) for k, w in weights)
    for rows in (slice(0, 3), slice(3, 6), slice(6, 9)):
        size = np.abs(expected[rows]).max()
        assert (lin.C @ xdot)[rows] == pytest.approx(expected[rows], abs=1e-9 * size)
    k, name = len(lin.names), m[hinge].coordinates[0].name
    assert lin.C[-1] == pytest.approx(lin.A[k + lin.names.index(name)], abs=1e-9 * np.abs(lin.C[-1]).max())
    assert lin.D[-1] == pytest.approx(lin.B[k + lin.names.index(name)], rel=1e-9)
    assert lin.D[6:9] == pytest.approx(np.zeros_like(lin.D[6:9]), abs=1e-12 * np.abs(lin.D).max())

    def pushed(torque):
        other, _ = random_mechanism(seed)
        other.add(lv.Motor(other[hinge], torque, name="push"))
        return read(lv.dynamics(other, middle[4].state))

    size = float(np.linalg.norm(m["rod"].a.start - m["rod"].b.start) * np.linalg.norm(middle[4].reaction("rod")))
    expected = (pushed(size) - pushed(-size)) / (2 * size)
    for rows in (slice(0, 3), slice(3, 6)):
        assert lin.D[rows, 0] == pytest.approx(expected[rows], abs=1e-9 * np.abs(expected[rows]).max())


def test_the_response_to_a_displacement():
    """A mass on a spring and damper whose foot moves as prescribed: (k + icω)/(k + icω − mω²) of its displacement."""
    m = lv.Model()
    foot = m.add(lv.Body(lv.Box(1, 1, 1, mass=3.0), name="foot"))
    head = m.add(lv.Body(lv.Box(1, 1, 1, mass=2.0), at=(0, 0, 1), name="head"))
    m.add(lv.Prismatic(m.world.point(0, 0, 0), foot.center, axis=(0, 0, 1), drive=lambda t: 0.0, name="road"))
    m.add(lv.Prismatic(foot.center, head.center, axis=(0, 0, 1), stiffness=8.0, damping=0.4, name="strut"))
    w = np.array([0.3, 2.0, 7.0])
    found = lv.linearize(m, inputs=["road"], outputs=[head.center]).frequency_response(w)[:, 2, 0] * -(w**2)
    assert found == pytest.approx((8.0 + 0.4j * w) / (8.0 + 0.4j * w - 2.0 * w**2), rel=1e-10)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("length", [1.0, 0.01, 0.002])
def test_forces_that_change_within_a_small_part_of_the_mechanism(seed, length):
    """A spring that is far shorter than the lever arms: accelerations as outputs have the exact rows of A, and as
    numbers of a motion the sensitivities that follow from these."""
    R = rotation(np.random.default_rng(seed))
    m = lv.Model(gravity=R @ (0, 0, -9.81))
    plate = m.add(lv.Body(lv.MassProperties(2.0, (0.3, 0.4, 0.5)), rotation=R, name="plate"))
    m.add(lv.Planar(m.world.point(0, 0, 0), plate.point(0, 0, 0), normal=R @ (0, 0, 1), name="table"))
    foot = m.world.point(*(R @ (1.0 + 0.6 * length, 0.8 * length, 0)))
    m.add(lv.Spring(foot, plate.point(1, 0, 0), stiffness=50.0, length=0.5 * length, name="cord"))

    def read(now):
        return np.ravel(now.coordinate_acceleration("table"))

    lin = lv.linearize(m, outputs=[read])
    assert pytest.approx(lin.A[3:], abs=1e-9 * np.abs(lin.A).max()) == lin.C
    motion = lv.simulate(m, h=1e-6, until=1e-6)
    names = [f"q.{name}" for name in lin.names]
    found = lv.sensitivity(motion, of=lambda motion: read(motion)[:3], wrt=names)
    assert found == pytest.approx(lin.A[3:, :3], abs=1e-9 * np.abs(lin.A).max())


def test_names_and_refusals():
    m, _ = cart_pole(0)
    m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(50, 0, 0), name="box"))
    lin = lv.linearize(m, inputs=["box.x", "box.turn_z", "rail"], outputs=["box.x", "box.turn_z", "rail"])
    assert lin.inputs == ("box.x [N]", "box.turn_z [N m]", "acceleration of rail [m/s²]")
    assert lin.outputs == ("box.x [m]", "box.turn_z [rad]", "rail [m]")
    assert np.linalg.matrix_rank(lin.C @ np.linalg.matrix_power(lin.A, 1) @ lin.B) == 3
    for given, words in (
        ({"inputs": "rail"}, "inputs are a list"),
        ({"inputs": ["rail", "rail"]}, "twice among the inputs"),
        ({"inputs": [("pivot", "angle_b")]}, "has angle, not 'angle_b'"),
        ({"outputs": "rail"}, "outputs are a list"),
        ({"outputs": [("pivot", "angle_b")]}, "no coordinate 'angle_b'"),
        ({"outputs": [lv.Sensor(lambda now: now.energy[0], delay=0.1)]}, "measures the past"),
        ({"outputs": [lambda now: "high"]}, "a number or an array of numbers"),
        ({"h": 0.1, "scheme": lv.GeneralizedAlpha()}, "means of accelerations in the steps before"),
        ({"h": 0.1, "scheme": lv.Livens}, "for a scheme, such as"),
        ({"h": 0.1, "scheme": "Livens"}, "for a scheme, such as"),
        ({"h": -0.1}, "h must be"),
    ):  # fmt: skip
        with pytest.raises(lv.ModelError, match=words):
            lv.linearize(m, **given)


@pytest.mark.parametrize("seed", range(2))
def test_rolling(seed):
    """A ball that rolls on a spring vibrates with √(k/(7/5 m)); of a wheel that rolls on there are no minimal
    coordinates."""
    R = rotation(np.random.default_rng(seed))
    m = lv.Model(gravity=R @ (0, 0, -9.81), name="alley")
    ball = m.add(lv.Body(lv.Ball(0.5, mass=2.0), name="ball"))
    m.add(
        lv.RollingBall(m.world.point(*(R @ (0, 0, -0.5))), ball.center, radius=0.5, normal=R @ (0, 0, 1), name="roll")
    )
    m.add(lv.Spring(m.world.point(*(R @ (0, 0, 0.3))), ball.center, stiffness=5.0, length=0.0, name="cord"))
    omega = lv.linearize(m).modes().omega
    assert omega == pytest.approx([0, np.sqrt(5 / 2.8), np.sqrt(5 / 2.8)], abs=1e-7)
    start = lv.simulate(m, h=1e-3, until=1e-3).state
    assert lv.linearize(m, at=start).A.shape == (6, 6)
    ball = lv.Body(lv.Ball(0.5, mass=2.0), velocity=R @ (1, 0, 0), angular_velocity=R @ (0, 2, 0), name="ball")
    other = lv.Model(name="alley")
    other.add(ball)
    foot = other.world.point(*(R @ (0, 0, -0.5)))
    other.add(lv.RollingBall(foot, ball.center, radius=0.5, normal=R @ (0, 0, 1), name="roll"))
    with pytest.raises(lv.ModelError, match="'alley' rolls: in motion its small changes have no minimal coordinates"):
        lv.linearize(other)
