"""Linearisation against closed forms, matrices written by hand, and the motion itself."""

import numpy as np
import pytest
from scipy.linalg import eigh, expm

import livens as lv
from livens.analysis.segment import Segment
from tests.analysis.test_tangent import random_mechanism
from tests.helpers.problems import lopsided

G = 9.81
STENCIL = ((1, 4.0 / 5.0), (2, -1.0 / 5.0), (3, 4.0 / 105.0), (4, -1.0 / 280.0))  # first derivative, eighth order


def rotation(rng):
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def double_pendulum(R, l=1.0, mass=1.0):
    """Two equal bodies with J = 0.05 m l² on light rods of length l, in an orientation R."""
    m = lv.Model(gravity=R @ (0, 0, -G))
    small = lv.MassProperties(mass, tuple(np.full(3, 0.05 * mass * l**2)))
    one = m.add(lv.Body(small, at=R @ (0, 0, -l), rotation=R, name="one"))
    two = m.add(lv.Body(small, at=R @ (0, 0, -2 * l), rotation=R, name="two"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), one.point(0, 0, l), axis=R @ (0, 1, 0), name="upper"))
    m.add(lv.Revolute(one.point(0, 0, 0), two.point(0, 0, l), axis=R @ (0, 1, 0), name="lower"))
    return m


@pytest.mark.parametrize("seed", range(3))
def test_double_pendulum(seed):
    """In absolute angles: ((2 + j) 1; 1 (1 + j)) l φ'' + (2 0; 0 1) g φ = 0 with j = J/(m l²)."""
    rng = np.random.default_rng(seed)
    l = 10.0 ** rng.uniform(-1, 1)
    modes = lv.linearize(double_pendulum(rotation(rng), l, 10.0 ** rng.uniform(-3, 3))).modes()
    expected = np.sqrt(eigh(np.diag([2.0, 1.0]), np.array([[2.05, 1.0], [1.0, 1.05]]))[0] * G / l)
    assert modes.omega == pytest.approx(expected, rel=1e-10)
    assert modes.damping == pytest.approx([0, 0], abs=1e-12)
    assert modes.stable


def half_car():
    """Body with heave and pitch on two wheels with springs and dampers, and its matrices written by hand."""
    M, J, w = 690.0, 1222.0, (40.5, 45.4)
    k, c, tyre, x = (17000.0, 22000.0), (1500.0, 1800.0), (192000.0, 190000.0), (1.3, -1.5)
    m = lv.Model(name="half-car")
    car = m.add(lv.Body(lv.MassProperties(M, (J, J, J)), at=(0, 0, 1), name="car"))
    m.add(lv.Planar(m.world.point(0, 0, 1), car.point(0, 0, 0), normal=(0, 1, 0), name="plane"))
    rail = lv.PointOnPlane(m.world.point(0, 0, 1), car.point(0, 0, 0), normal=(1, 0, 0), name="no surge")
    m.add(rail)
    for side in range(2):
        wheel = m.add(lv.Body(lv.MassProperties(w[side], (1, 1, 1)), at=(x[side], 0, 0.3), name=f"wheel{side}"))
        hub, seat = wheel.point(0, 0, 0), car.point(x[side], 0, 0)
        m.add(
            lv.Prismatic(m.world.point(x[side], 0, 0.3), hub, axis=(0, 0, 1), stiffness=tyre[side], name=f"tyre{side}")
        )
        m.add(lv.Spring(hub, seat, stiffness=k[side], length=0.7, damping=c[side], name=f"strut{side}"))
    mass = np.diag([M, J, *w])
    S, D = np.zeros((4, 4)), np.zeros((4, 4))
    for side in range(2):
        row = np.zeros(4)  # extension of a strut per heave, pitch (about y, nose down), wheel
        row[0], row[1], row[2 + side] = 1.0, -x[side], -1.0
        S += k[side] * np.outer(row, row)
        D += c[side] * np.outer(row, row)
        S[2 + side, 2 + side] += tyre[side]
    return m, mass, S, D


def test_half_car_against_matrices():
    """Four damped modes to 1e-10: eigenvalues of the quadratic problem λ²M + λD + S."""
    m, M, S, D = half_car()
    lin = lv.linearize(m)
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((4, 4)), np.eye(4)], [-inverse @ S, -inverse @ D]])
    theirs = np.linalg.eigvals(A)
    ours = np.linalg.eigvals(lin.A)
    assert len(ours) == 8
    for value in theirs:
        assert np.abs(ours - value).min() <= 1e-10 * np.abs(value)
    modes = lin.modes()
    upper = theirs[theirs.imag > 0]
    assert modes.omega == pytest.approx(np.sort(np.abs(upper)), rel=1e-10)


def test_undamped_half_car():
    m, M, S, _ = half_car()
    for side in range(2):
        m[f"strut{side}"].damping = 0.0
    assert lv.linearize(m).modes().omega == pytest.approx(np.sqrt(eigh(S, M)[0]), rel=1e-10)


def test_chain_of_masses():
    """N equal masses between springs: ω_k = 2 √(k/m) sin(kπ/(2(N+1)))."""
    rng, N, k, mass = np.random.default_rng(0), 6, 50.0, 2.0
    axis = rotation(rng)[0]
    m = lv.Model()
    before = m.world.point(0, 0, 0)
    for n in range(N):
        x = axis * (n + 1)
        body = m.add(lv.Body(lv.MassProperties(mass, (1, 1, 1)), at=x, name=f"b{n}"))
        m.add(lv.Prismatic(m.world.point(*x), body.point(0, 0, 0), axis=axis, name=f"rail{n}"))
        m.add(lv.Spring(before, body.point(0, 0, 0), stiffness=k, length=1.0))
        before = body.point(0, 0, 0)
    m.add(lv.Spring(before, m.world.point(*(axis * (N + 1))), stiffness=k, length=1.0))
    expected = 2.0 * np.sqrt(k / mass) * np.sin(np.arange(1, N + 1) * np.pi / (2 * (N + 1)))
    assert lv.linearize(m).modes().omega == pytest.approx(expected, rel=1e-11)


def test_sleeping_top():
    """A symmetric top upright: ω = (Lz ± √(Lz² − 4 A m g l))/2A about the pivot, in the frame that does not turn."""
    A, Cz, mass, l, spin = 0.02, 0.005, 0.5, 0.1, 60.0
    m = lv.Model(gravity=(0, 0, -G))
    top = m.add(
        lv.Body(
            lv.MassProperties(mass, (A - mass * l**2, A - mass * l**2, Cz)),
            at=(0, 0, l),
            angular_velocity=(0, 0, spin),
            name="top",
        )
    )
    m.add(lv.Spherical(m.world.point(0, 0, 0), top.point(0, 0, -l), name="tip"))
    modes = lv.linearize(m).modes()
    Lz = Cz * spin
    root = np.sqrt(Lz**2 - 4 * A * mass * G * l)
    slow, fast = (Lz - root) / (2 * A), (Lz + root) / (2 * A)
    found = np.sort(modes.omega[modes.omega > 1e-6])
    assert np.abs(found - slow).min() <= 1e-9 * fast
    assert np.abs(found - fast).min() <= 1e-9 * fast


def cart_pole(up=True, noise=None):
    m = lv.Model(gravity=(0, 0, -G))
    cart = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), name="cart"))
    pole = m.add(lv.Body(lv.MassProperties(0.2, (0.006, 0.006, 0.006)), at=(0, 0, 0.3 if up else -0.3), name="pole"))
    rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.point(0, 0, 0), axis=(1, 0, 0), name="rail"))
    m.add(lv.Revolute(cart.point(0, 0, 0), pole.point(0, 0, -0.3 if up else 0.3), axis=(0, 1, 0), name="pivot"))
    return m, rail


def test_cart_pole_by_hand_and_with_feedback():
    """A and B are those of textbooks; the feedback of `lqr` holds the pole of the full model upright."""
    m, rail = cart_pole()
    lin = lv.linearize(m, inputs=[rail])
    M, mp, l, J = 1.0, 0.2, 0.3, 0.006
    mass = np.array([[M + mp, mp * l], [mp * l, J + mp * l**2]])
    down = np.linalg.solve(mass, np.diag([0.0, mp * G * l]))
    assert lin.A[2:, :2] == pytest.approx(down, abs=1e-10)
    assert lin.B[2:, 0] == pytest.approx(np.linalg.solve(mass, [1.0, 0.0]), abs=1e-12)
    assert not lin.modes().stable
    K = lin.lqr(np.diag([10.0, 10.0, 1.0, 1.0]), 0.1)
    assert (np.linalg.eigvals(lin.A - lin.B @ K).real < 0).all()
    m, rail = cart_pole()
    m["pivot"].start_rate = 0.5
    m.add(lv.Motor(rail, lambda t, now: float(-K[0] @ np.concatenate([now.q, now.v])), rate=500.0))
    motion = lv.simulate(m, h=1e-3, until=8.0, every=100)
    assert np.abs(motion.q[0]).max() == 0.0
    assert np.abs(motion.coordinate("pivot")).max() > 0.02
    assert np.abs(motion.q[-1]).max() < 1e-3


def test_the_linear_motion_is_that_of_the_model():
    """A small motion of a random mechanism in random orientation follows exp(A t), to second order in its size."""
    rng = np.random.default_rng(5)
    R = rotation(rng)
    m = lv.Model(gravity=R @ (0, 0, -G))
    one = m.add(lv.Body(lv.MassProperties(1.0, (0.2, 0.3, 0.4)), at=R @ (0.1, 0, -0.5), rotation=R, name="one"))
    two = m.add(lv.Body(lv.MassProperties(2.0, (0.3, 0.2, 0.1)), at=R @ (0.1, 0.2, -1.4), rotation=R, name="two"))
    m.add(lv.Universal(m.world.point(0, 0, 0), one.point(-0.1, 0, 0.5), R @ (1, 0, 0), R @ (0, 1, 0), name="cross"))
    m.add(lv.Revolute(one.point(0, 0, -0.5), two.point(0, -0.2, 0.4), axis=R @ (1, 1, 0), damping=0.3, name="hinge"))
    rest = lv.equilibrium(m)
    space = lv.JointSpace(m)
    q0, _ = space.read(rest.state)
    lin = lv.linearize(m, at=rest)
    errors = []
    for size in (1e-2, 1e-3):
        q, v = size * np.random.default_rng(6).normal(size=(2, 3))
        motion = lv.simulate(m, lv.Livens(), h=2e-4, until=1.0, start=space.state(q0 + q, v), every=5000)
        end = np.concatenate(space.read(motion.state)) - np.concatenate([q0, np.zeros(3)])
        errors.append(np.abs(end - expm(lin.A) @ np.concatenate([q, v])).max() / size)
    assert errors[0] < 0.05
    assert errors[1] < 0.13 * errors[0]


@pytest.mark.parametrize("order", [2, 4])
def test_the_matrix_of_a_step_is_symplectic(order):
    """In (q, p = M v) at rest, A of a step satisfies AᵀΩA = Ω."""
    m = double_pendulum(rotation(np.random.default_rng(7)))
    lin = lv.linearize(m, at=[0.0, 0.0], h=0.02, scheme=lv.Livens(order=order))
    T = np.block([[np.eye(2), np.zeros((2, 2))], [np.zeros((2, 2)), lin.mass_matrix]])
    A, Omega = T @ lin.A @ np.linalg.inv(T), np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    assert np.abs(A.T @ Omega @ A - Omega).max() <= 1e-9
    flow = expm(0.02 * lv.linearize(m).A)
    assert np.abs(lin.A - flow).max() <= 10.0 * 0.05 ** (order + 1)


def test_a_step_with_inputs_held():
    """B of a step against ∫ exp(A s) ds B."""
    m, rail = cart_pole(up=False)
    exact = lv.linearize(m, inputs=[rail])
    h = 1e-2
    n = len(exact.A)
    both = expm(h * np.block([[exact.A, exact.B], [np.zeros((1, n + 1))]]))
    held = lv.linearize(m, inputs=[rail], h=h, scheme=lv.RungeKutta(8))
    assert np.abs(held.A - both[:n, :n]).max() <= 1e-10
    assert np.abs(held.B - both[:n, n:]).max() <= 1e-10
    assert np.abs(np.linalg.eigvals(held.A - held.B @ held.lqr(1.0, 1.0))).max() < 1.0


def test_a_step_of_runge_kutta_is_exact():
    """A and B of a step in random orientation against differences of eighth order of the steps."""
    m = double_pendulum(rotation(np.random.default_rng(8)))
    found = lv.linearize(m, at=[0.7, -0.4], inputs=["upper"], h=0.03, scheme=lv.RungeKutta(4))

    def end(change, u):
        m = double_pendulum(rotation(np.random.default_rng(8)))
        m.add(lv.Motor(m["upper"], u, name="push"))
        start = lv.JointSpace(m).state(np.array([0.7, -0.4]) + change[:2], change[2:])
        motion = lv.simulate(m, lv.RungeKutta(4), h=0.03, until=0.03, start=start)
        return np.concatenate([motion.q[-1], motion.v[-1]])

    for k, column in enumerate([*found.A.T, found.B[:, 0]]):
        d = 2e-2 * np.eye(5)[k]
        expected = sum(w * (end(n * d[:4], n * d[4]) - end(-n * d[:4], -n * d[4])) for n, w in STENCIL) / 2e-2
        assert column == pytest.approx(expected, abs=1e-11 * np.abs(found.A).max())


@pytest.mark.parametrize("seed", range(3))
def test_the_derivative_of_the_accelerations(seed):
    """A of a spatial chain with springs, a damper, a motor and a moving base, in motion, in a random orientation and
    unit, against differences of eighth order of v̇ = M⁻¹(Q − b), which other kernels compute."""
    rng = np.random.default_rng(seed)
    m, (l, mass, t) = moving_chain(rng)
    space, tau = lv.JointSpace(m), 0.7 * mass * l**2 / t**2
    q, v = rng.uniform(-0.5, 0.5, size=4) * (1, 1, l, 1), rng.uniform(-1, 1, size=4) * (1, 1, l, 1) / t
    found = lv.linearize(m, at=space.state(q, v)).A

    def rates(x):
        M, b = space.equations(x[:4], x[4:])
        Q = np.zeros(4)
        Q[space.names.index("a")] = tau
        return np.linalg.solve(M, Q - b)

    scale = np.array([1, 1, l, 1, 1 / t, 1 / t, l / t, 1 / t])
    x, steps = np.concatenate([q, v]), np.diag(5e-3 * scale)
    columns = [sum(w * (rates(x + n * d) - rates(x - n * d)) for n, w in STENCIL) / d.max() for d in steps]
    size = np.outer(1.0 / (scale[4:] / t), scale)  # without units
    assert np.abs((found[4:] - np.transpose(columns)) * size).max() <= 1e-10 * np.abs(found[4:] * size).max()
    assert np.array_equal(found[:4], np.eye(8)[4:])


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_rotation_vectors_in_loops_in_motion(seed):
    """A loop with a ball joint, two of whose numbers are independent, in motion: A is the derivative, with respect to h
    at h = 0, of the exact Jacobian of a step of order 8."""
    m, t = random_mechanism(seed)
    lin = lv.linearize(m)
    start, d = lv.dynamics(m).state, 6e-4 * t
    A = {n: Segment(lin.space, lv.RungeKutta(8), n * d, 1)(start).A for n in range(-4, 5) if n}
    expected = sum(w * (A[n] - A[-n]) for n, w in STENCIL) / d
    k = len(lin.names)
    for rows in (slice(0, k), slice(k, 2 * k)):
        for columns in (slice(0, k), slice(k, 2 * k)):
            size = max(np.abs(expected[rows, columns]).max(), 1e-300)
            assert lin.A[rows, columns] == pytest.approx(expected[rows, columns], abs=1e-9 * size)
    with pytest.raises(lv.ModelError, match="part of a rotation vector that a loop constrains"):
        lv.linearize(m, h=d, scheme=lv.Newmark())


def moving_chain(rng):
    """Four lopsided bodies on two hinges, a slider and a hinge, with springs, a damper and a motor."""
    R, (l, mass, t) = rotation(rng), 10.0 ** rng.uniform(-2, 2, size=3)
    m = lv.Model(gravity=R @ (0, 0, -9.81) * l / t**2)
    before, force = m.world, mass * l / t**2
    for k, name in enumerate("abcd"):
        here = l * (R @ (0.6 * k, 0.1 * k, 0.2))
        some = lopsided(int(rng.integers(100)))
        matter = lv.MassProperties(some.mass * mass, some.inertia * mass * l**2, some.center * l)
        body = m.add(lv.Body(matter, at=here + 0.3 * l * (R @ (1, 0, 0)), rotation=rotation(rng), name=f"body {name}"))
        kind, axis = (lv.Prismatic if name == "c" else lv.Revolute), R @ rng.normal(size=3)
        stiffness = force / l if name == "c" else force * l
        m.add(kind(before.point_at(*here), body.point_at(*here), axis=axis, stiffness=stiffness, rest=0.1, name=name))
        before = body
    m.add(lv.Damper(m.world.point(0, 0, l), before.center, rate=0.4 * force * t / l))
    m.add(lv.Spring(m.world.point(0, l, 0), before.center, stiffness=3 * force / l, length=0.8 * l))
    m.add(lv.Motor(m["a"], 0.7 * force * l, name="push"))
    return m, (l, mass, t)


def test_frequency_response_and_outputs():
    """A mass on a spring: 1/(k − mω² + icω), for force to position and to a point of the body."""
    m = lv.Model()
    cart = m.add(lv.Body(lv.MassProperties(2.0, (1, 1, 1)), name="cart"))
    rail = m.add(
        lv.Prismatic(
            m.world.point(0, 0, 0), cart.point(0, 0, 0), axis=(0, 0, 1), stiffness=8.0, damping=0.4, name="rail"
        )
    )
    push = m.add(lv.Load(cart.point(0.1, 0, 0), force=(0, 0, 0), name="push"))
    lin = lv.linearize(m, inputs=[rail, push], outputs=["rail", cart.point(0.3, 0, 0), lambda now: now.energy])
    loads = ("push.fx [N]", "push.fy [N]", "push.fz [N]", "push.tx [N m]", "push.ty [N m]", "push.tz [N m]")
    assert lin.inputs == ("rail [N]", *loads)
    assert lin.outputs == ("rail [m]", "point of cart.x [m]", "point of cart.y [m]", "point of cart.z [m]", "output")
    w = np.array([0.1, 1.0, 2.0, 5.0])
    expected = 1.0 / (8.0 - 2.0 * w**2 + 0.4j * w)
    response = lin.frequency_response(w)
    assert response[:, 0, 0] == pytest.approx(expected, rel=1e-10)
    assert response[:, 3, 3] == pytest.approx(expected, rel=1e-10)
    assert np.abs(response[:, 1:3]).max() <= 1e-12
    assert np.allclose(lin.to_scipy().A, lin.A)
    figure = lv.linearize(m, inputs=[rail], outputs=["rail"]).bode()
    assert [axes.get_ylabel() for axes in figure.axes] == ["gain [m/N]", "phase [°]"]
    whole = lv.linearize(m, inputs=[rail, push], outputs=["rail"]).bode()  # seven lines
    assert len(whole.axes[0].lines) == 7
    assert whole.axes[0].get_ylabel() == "gain"


def test_mode_shapes_can_be_seen(tmp_path):
    modes = lv.linearize(double_pendulum(np.eye(3))).modes()
    motion = modes.motion(1, amplitude=0.1)
    assert motion.t[-1] == pytest.approx(2 * np.pi / modes.omega[1])
    assert np.abs(motion.q).max() == pytest.approx(0.1)
    assert motion.q[15] == pytest.approx(-motion.q[45], abs=1e-12)
    assert motion.defect_position.max() <= 1e-12
    modes.to_html(0, tmp_path / "mode.html")
    assert (tmp_path / "mode.html").stat().st_size > 1000
    assert "frequency [Hz]" in str(modes)


def test_a_step_that_is_divided():
    """A Runge–Kutta step with a tolerance is that of the flow, however long it is: it is not differentiated as one."""
    m = double_pendulum(rotation(np.random.default_rng(9)))
    found = lv.linearize(m, h=1.5, scheme=lv.RungeKutta(tolerance=1e-12)).A
    flow = expm(1.5 * lv.linearize(m).A)
    assert found == pytest.approx(flow, abs=1e-6 * np.abs(flow).max())
    assert np.abs(lv.linearize(m, h=1.5, scheme=lv.RungeKutta(4)).A - flow).max() > 1.0


def test_bad_input_is_refused_in_words():
    m, rail = cart_pole()
    with pytest.raises(lv.ModelError, match="an input is a motor"):
        lv.linearize(m, inputs=["cart"])
    with pytest.raises(lv.ModelError, match="nothing named 'ralli'"):
        lv.linearize(m, inputs=["ralli"])
    with pytest.raises(lv.ModelError, match="an output is a joint"):
        lv.linearize(m, outputs=[3])
    with pytest.raises(lv.ModelError, match="not closed"):
        lv.linearize(m, at=lv.dynamics(m).state._replace(a=np.ones((3, 3))))
    with pytest.raises(lv.ModelError, match="symmetric matrix"):
        lv.linearize(m, inputs=[rail]).lqr([1.0], 1.0)
    with pytest.raises(lv.ModelError, match="needs inputs"):
        lv.linearize(m).lqr(1.0, np.zeros((0, 0)))
    with pytest.raises(lv.ModelError, match="modes 0 to 1"):
        lv.linearize(m).modes().motion(7)


@pytest.mark.parametrize("seed", range(3))
def test_singular_positions_are_refused(seed):
    """A parallelogram that lies flat can unfold in two ways; bent, or with other lengths, it is a mechanism."""
    rng = np.random.default_rng(seed)
    R, l = rotation(rng), 10.0 ** rng.uniform(-2, 2)

    def four_bar(ends):
        m = lv.Model(gravity=R @ (0, 0, -G * l), name="four-bar")
        some, before = lv.MassProperties(1.0, tuple(l**2 * np.array([0.1, 0.11, 0.12]))), m.world
        ends = [l * (R @ (x, 0, z)) for x, z in ends]
        for k in range(3):
            body = m.add(lv.Body(some, at=0.5 * (ends[k] + ends[k + 1]), rotation=R, name=f"bar{k}"))
            if k == 1:
                m.add(lv.Spherical(before.point_at(*ends[k]), body.point_at(*ends[k]), name=f"j{k}"))
            else:
                m.add(lv.Revolute(before.point_at(*ends[k]), body.point_at(*ends[k]), axis=R @ (0, 1, 0), name=f"j{k}"))
            before = body
        m.add(lv.Cylindrical(m.world.point_at(*ends[3]), before.point_at(*ends[3]), axis=R @ (0, 1, 0), name="j3"))
        return m

    flat = four_bar([(0, 0), (1, 0), (3, 0), (2, 0)])
    for call in (lv.linearize, lv.mass_matrix, lv.bias):
        with pytest.raises(lv.ModelError, match="'four-bar' stands in a singular position, where its joints allow 1"):
            call(flat)
    bent = four_bar([(0, 0), (0.6, 0.8), (2.6, 0.8), (2, 0)])
    assert lv.linearize(bent).A.shape == (2, 2)
    assert lv.mass_matrix(bent)[0, 0] > 0.0


def test_a_state_that_does_not_satisfy_the_joints_is_refused_with_the_size():
    m = double_pendulum(np.eye(3))
    state = lv.dynamics(m).state
    off = state._replace(a=state.a + np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0.02]]))
    with pytest.raises(lv.ModelError, match=r"not closed in the given state .*'lower' \(Revolute, violation 0\.02"):
        lv.linearize(m, at=off)
