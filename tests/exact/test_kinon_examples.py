"""Examples that Kinon, Betsch and Schneider have published for schemes of this kind: four particles with springs and
rigid links, a heavy top, and systems whose mass matrix is singular or depends on the positions.

Data: P. L. Kinon, P. Betsch, S. Schneider, Nonlinear Dynamics 111 (2023), Multibody System Dynamics 57 (2023); Kinon &
Betsch, Multibody System Dynamics (2024); and the input files of their programs metis and pydykit.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import livens as lv
import livens.discrete as ld

pytest.importorskip("casadi")

# four particles: 1–2 and 3–4 are joined by rigid links, 1–3 and 2–4 by springs with V = ½ k (|d|² − 1)²
MASSES, LINKS, SPRINGS = (1.0, 3.0, 2.3, 1.7), ((0, 1), (2, 3)), (((0, 2), 50.0), ((1, 3), 500.0))
PLACES = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], dtype=float)
SPEED = np.array([0.0, 0.0, 2.0 / 1.7])  # of the last particle
ENERGY = 2.0 / 1.7
PRINTED = {  # pydykit, DiscreteGradientPHDAE, h = 0.01
    1.0: (
        (0.008001503842035306, 0.011396608315688493, 0.00041693288033782446),
        (0.9857850508308578, 0.20677118331733998, 0.07636501172951357),
        (0.24274679826939398, 0.9799212636503054, 0.08881944857886254),
        (0.691955073054455, 0.6555697582409582, 0.92129048519417),
    ),
    10.0: (
        (1.1309389222572017, 0.6958338156671283, 2.2627701902594435),
        (0.808811121893, -0.1944440394768224, 2.584700339317906),
        (0.3037054611607386, 1.264262191051562, 2.1878620819118173),
        (0.2612320401515541, 0.5762752020359735, 2.912341144033725),
    ),
}


def squared(x):
    return ld.dot(x, x)


def particles_as_bodies(seed):
    """In a random orientation, with the axes of the example as columns."""
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model()
    bodies = [
        m.add(lv.Body(lv.PointMass(mass), at=R @ x, velocity=R @ SPEED if k == 3 else (0, 0, 0), name=f"{k}"))
        for k, (mass, x) in enumerate(zip(MASSES, PLACES, strict=True))
    ]
    for i, j in LINKS:
        m.add(lv.Rod(bodies[i].center, bodies[j].center))
    for (i, j), k in SPRINGS:
        a, b = bodies[i], bodies[j]

        def energy(s, a=a, b=b, k=k):
            d = s[b].position - s[a].position
            return 0.5 * k * (lv.dot(d, d) - 1.0) ** 2

        m.add(lv.Energy(energy, bodies=[a, b], name=f"spring {i}"))
    return m, R


def particles_as_coordinates():
    """With its momenta: three translations, three rotations."""
    shifts = {f"p{k}": lambda q, k=k: np.tile(np.eye(3)[k], 4) for k in range(3)}

    def turn(q, k):
        e = np.eye(3)[k]
        x = [(q[3 * i], q[3 * i + 1], q[3 * i + 2]) for i in range(4)]
        return [c for u in x for c in (e[1] * u[2] - e[2] * u[1], e[2] * u[0] - e[0] * u[2], e[0] * u[1] - e[1] * u[0])]

    turns = {f"L{k}": lambda q, k=k: turn(q, k) for k in range(3)}
    springs = ld.Elements(
        lambda x, p: 0.5 * p[0] * (squared(x[1] - x[0]) - 1.0) ** 2, [pair for pair, _ in SPRINGS],
        [[k] for _, k in SPRINGS], dim=3,
    )  # fmt: skip
    links = ld.Elements(lambda x: 0.5 * (squared(x[1] - x[0]) - 1.0), LINKS, dim=3)
    return ld.Mechanical(np.repeat(MASSES, 3), springs, constraints=links, symmetries=shifts | turns)


def test_the_printed_spring_pendulum_by_the_mean_value():
    """pydykit, DiscreteGradientMultibody with MeanValue: V = 250 (|x|² − 1)² + 9.81 z, h = 0.02, all printed digits."""
    printed = {
        1: (1.0323691786390128, 0.03968741511910507, -0.0019466677115921038, -1.7630821360987323, 1.9687415119105072,
            -0.19466677115921038),
        10: (0.8742388679446123, 0.39080743542945323, -0.18466578458047977, -2.7855115036587095, 1.169013113765176,
             -1.59882563448238),
    }  # fmt: skip
    system = ld.Mechanical(np.ones(3), lambda x: 250.0 * (squared(x) - 1.0) ** 2 + 9.81 * x[2])
    run = ld.simulate(system, ld.DiscreteGradient("mean"), [1.05, 0.0, 0.0], [0.0, 2.0, 0.0], 0.02, 0.2)
    for n, numbers in printed.items():
        np.testing.assert_allclose(np.r_[run.q[n], run.p[n]], numbers, rtol=0, atol=5e-14)


def particles_exactly(until):
    """With the multipliers from g″ = 0, by DOP853."""
    m = np.array(MASSES)[:, None]

    def slopes(t, y):
        x, v = y.reshape(2, 4, 3)
        f, G, bias = np.zeros((4, 3)), np.zeros((2, 4, 3)), np.zeros(2)
        for (i, j), k in SPRINGS:
            d = x[j] - x[i]
            f[i] += 2.0 * k * (d @ d - 1.0) * d
            f[j] -= 2.0 * k * (d @ d - 1.0) * d
        for r, (i, j) in enumerate(LINKS):
            d, dv = x[j] - x[i], v[j] - v[i]
            G[r, i], G[r, j], bias[r] = -d, d, dv @ dv
        S = np.einsum("rik,sik->rs", G, G / m)
        lam = np.linalg.solve(S, -bias - np.einsum("rik,ik->r", G, f / m))
        return np.concatenate([v.ravel(), ((f + np.einsum("rik,r->ik", G, lam)) / m).ravel()])

    start = np.concatenate([PLACES.ravel(), np.zeros(9), SPEED])
    return solve_ivp(slopes, (0.0, until), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:12, -1].reshape(4, 3)


@pytest.mark.parametrize("seed", [0, 1])
def test_four_particles(seed):
    """Energy 2/1.7 J, momentum (0, 0, 2) N s and angular momentum (2, −2, 0) N m s; places within the error of second
    order of the printed ones, which are of another scheme with this h."""
    m, R = particles_as_bodies(seed)
    motion = lv.simulate(m, lv.EnergyMomentum(), h=0.01, until=10.0)
    assert np.abs(motion.energy - ENERGY).max() < 1e-12
    assert np.abs(motion.momentum @ R - (0, 0, 2.0)).max() < 1e-12
    assert np.abs(motion.angular_momentum @ R - (2.0, -2.0, 0.0)).max() < 1e-12
    assert motion.defect_position.max() < 1e-14
    assert motion.defect_velocity.max() < 1e-12
    for t, places in PRINTED.items():
        x = np.array([motion.position(f"{k}")[round(t / 0.01)] for k in range(4)]) @ R
        assert np.abs(x - places).max() < 5e-4


def test_four_particles_with_discrete_gradients_of_a_lagrangian():
    run = ld.simulate(
        particles_as_coordinates(), ld.DiscreteGradient(), PLACES.ravel(), [*np.zeros(9), *SPEED], 0.01, 10
    )
    assert np.abs(run.energy - ENERGY).max() < 1e-12
    assert np.abs(run.defect[:, 0]).max() < 1e-14
    for k, value in enumerate((0, 0, 2.0, 2.0, -2.0, 0)):
        assert np.abs(run.momenta[("p" if k < 3 else "L") + str(k % 3)] - value).max() < 5e-9
    for t, places in PRINTED.items():
        assert np.abs(run.q[round(t / 0.01)].reshape(4, 3) - places).max() < 5e-4


def test_four_particles_have_order_two():
    exact = particles_exactly(1.0)
    m, R = particles_as_bodies(4)
    system, errors = particles_as_coordinates(), []
    for h in (0.005, 0.0025):
        motion = lv.simulate(m, lv.EnergyMomentum(), h=h, until=1.0)
        run = ld.simulate(system, ld.DiscreteGradient(), PLACES.ravel(), [*np.zeros(9), *SPEED], h, 1.0)
        x = np.array([motion.position(f"{k}")[-1] for k in range(4)]) @ R
        errors.append([np.abs(x - exact).max(), np.abs(run.q[-1].reshape(4, 3) - exact).max()])
    assert np.abs(np.log2(np.divide(*errors)) - 2.0).max() < 0.05


def test_steady_precession_of_a_heavy_top():
    """A cone of aluminium on its tip, inclined by 60°, precesses with 10 rad/s: the exact motion is known."""
    length, radius, rho, g, tilt, rate = 0.1, 0.05, 2700.0, 9.81, np.pi / 3, 10.0
    mass, l = rho * np.pi * radius**2 * length / 3, 0.75 * length
    J1, J3 = 3 / 80 * mass * (4 * radius**2 + length**2), 0.3 * mass * radius**2
    spin = mass * g * l / (J3 * rate) + (J1 + mass * l**2 - J3) / J3 * rate * np.cos(tilt)
    R = Rotation.random(random_state=2).as_matrix()
    errors = []
    for h in (5e-4, 2.5e-4):
        m = lv.Model(gravity=R @ (0, 0, -g))
        B = Rotation.from_rotvec((tilt, 0, 0)).as_matrix()
        omega = B.T @ (0, 0, rate) + (0, 0, spin)
        v = R @ np.cross(B @ omega, B @ (0, 0, l))
        top = lv.Body(
            lv.MassProperties(mass, (J1, J1, J3)), at=R @ B @ (0, 0, l), rotation=R @ B, body_rates=omega, velocity=v,
            name="top",
        )  # fmt: skip
        m.add(top)
        m.add(lv.Spherical(m.world.point(0, 0, 0), top.point_at(0, 0, 0), name="tip"))
        motion = lv.simulate(m, lv.EnergyMomentum(), h=h, until=0.5)
        assert np.ptp(motion.energy) < 1e-12 * motion.energy[0]
        L = motion.angular_momentum @ R[:, 2]
        assert np.ptp(L) < 1e-12 * abs(L[0])
        assert motion.defect_position.max() < 1e-15
        x = motion.position(top) @ R
        exact = Rotation.from_rotvec(np.outer(rate * motion.t, (0, 0, 1))).apply(B @ (0, 0, l))
        assert np.abs(x[:, 2] - exact[:, 2]).max() < 3e-4 * l
        errors.append(np.abs(x - exact).max())
    assert errors[1] < 5e-4 * l
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)


FORMS = [ld.DiscreteGradient(), ld.DiscreteGradient("mean")]


@pytest.mark.parametrize("scheme", FORMS, ids=str)
def test_a_redundant_coordinate_makes_the_mass_singular(scheme):
    """Two masses on springs; the place of the second is q₂ + q₃, with the link q₂ = q₁ + 1.1 as a constraint: its mass
    matrix has rank 2. Against the two places as coordinates, by DOP853."""
    mass = [[2.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]
    system = ld.Mechanical(
        mass, lambda q: 0.5 * (q[0] ** 2 + q[0] ** 4) + 1.5 * (q[2] ** 2 + q[2] ** 4),
        constraints=lambda q: 0.5 * ((q[1] - q[0]) ** 2 - 1.1**2),
    )  # fmt: skip

    def slopes(t, y):
        f = -np.array([y[0] + 2 * y[0] ** 3, 3 * (y[1] + 2 * y[1] ** 3)])
        return [*y[2:], *np.linalg.solve([[3.0, 1.0], [1.0, 1.0]], f)]

    exact = solve_ivp(slopes, (0.0, 2.0), [0, 0, 1, -1], method="DOP853", rtol=1e-12, atol=1e-13).y[:2, -1]
    errors = []
    for h in (0.02, 0.01):
        run = ld.simulate(system, scheme, [0.0, 1.1, 0.0], [1.0, 1.0, -1.0], h, 2.0)
        assert np.abs(run.energy - 1.0).max() < 1e-13
        assert run.defect[:, 0].max() < 1e-14
        errors.append(np.abs(run.q[-1, [0, 2]] - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)


def test_a_massless_point_between_two_springs():
    """The point has no momentum, and the forces on it are in equilibrium at each step: the motion is that of the mass
    on both springs in series, to round-off."""
    one, two = 40.0, 90.0
    chain = ld.Mechanical([0.0, 1.5], lambda x: 0.5 * one * x[0] ** 2 + 0.5 * two * (x[1] - x[0]) ** 2)
    both = ld.Mechanical([1.5], lambda x: 0.5 * one * two / (one + two) * x[0] ** 2)
    start = two / (one + two)
    run = ld.simulate(chain, ld.DiscreteGradient(), [start, 1.0], [0.0, 0.0], 0.02, 10.0)
    other = ld.simulate(both, ld.DiscreteGradient(), [1.0], [0.0], 0.02, 10.0)
    assert np.abs(run.q[:, 1] - other.q[:, 0]).max() < 1e-12
    assert np.abs(run.q[:, 0] - start * run.q[:, 1]).max() < 1e-12
    assert np.ptp(run.energy) < 1e-13 * run.energy[0]


def test_a_massless_point_out_of_balance():
    """It cannot start there: a warning, and a point that alternates about its balance. Schemes that need accelerations
    or invert the mass refuse coordinates without mass."""
    chain = ld.Mechanical([0.0, 1.5], lambda x: 0.5 * x[0] ** 2 + 0.5 * (x[1] - x[0]) ** 2)
    with pytest.warns(lv.ModelWarning, match="out of balance at the start, by 1 of the forces"):
        run = ld.simulate(chain, ld.DiscreteGradient(), [0.0, 1.0], [0.0, 0.0], 0.02, 1.0)
    assert np.ptp(run.energy) < 1e-14
    assert (np.diff(np.sign(np.diff(run.q[:, 0]))) != 0).all()
    for scheme in (ld.Midpoint(), ld.Trapezoidal(), ld.Newmark()):
        with pytest.raises(lv.ModelError, match="the mass matrix ∂²L/∂v² is singular"):
            ld.simulate(chain, scheme, [0.5, 1.0], [0.0, 0.0], 0.02, 1.0)


@pytest.mark.parametrize("scheme", FORMS, ids=str)
def test_a_massless_link_in_a_chain_of_constraints(scheme):
    """A slider without mass on a line, a link, a point mass: x₁ on the x axis, |x₂ − x₁| = 1, with a spring that holds
    the slider. The slider has no inertia: its spring force balances the link. Against one angle and the place of the
    slider from that balance, with the same energy."""
    k, g = 200.0, 9.81
    system = ld.Mechanical(
        [0.0, 1.0, 1.0], lambda x: 0.5 * k * x[0] ** 2 + g * x[2],
        constraints=lambda x: 0.5 * ((x[1] - x[0]) ** 2 + x[2] ** 2 - 1.0),
    )  # fmt: skip

    def slider(y):  # from the place (X, Y) of the mass: X − x = √(1 − Y²)
        return y[0] - np.sqrt(1.0 - y[1] ** 2)

    def slopes(t, y):  # the link pulls with T = −k x / cos, because the slider is in equilibrium
        c = np.sqrt(1.0 - y[1] ** 2)
        pull = k * slider(y) / c
        return [y[2], y[3], -pull * c, -pull * y[1] - g]

    start = [1.0 - 0.02, -0.6]
    start[0] = 0.8 + 0.01  # X = √(1 − Y²) + x with x = 0.01
    exact = solve_ivp(slopes, (0.0, 0.3), [*start, 0, 0], method="DOP853", rtol=1e-12, atol=1e-13).y[:2, -1]
    errors = []
    for h in (2e-3, 1e-3):
        run = ld.simulate(system, scheme, [0.01, *start], [0.0, 0.0, 0.0], h, 0.3)
        assert np.ptp(run.energy) < 1e-12 * np.abs(run.energy).max()
        errors.append(np.abs(run.q[-1, 1:] - exact).max())
    assert errors[1] < 1e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def body_rates(q, v):
    """Ω = 2 G(q) q̇ of a unit quaternion (scalar first)."""
    return [
        2.0 * (-q[1] * v[0] + q[0] * v[1] + q[3] * v[2] - q[2] * v[3]),
        2.0 * (-q[2] * v[0] - q[3] * v[1] + q[0] * v[2] + q[1] * v[3]),
        2.0 * (-q[3] * v[0] + q[2] * v[1] - q[1] * v[2] + q[0] * v[3]),
    ]


def in_quaternions(J, weight):
    """A top about a fixed point with the moments J, V = weight · height of its axis. The mass matrix 4 GᵀJG has rank 3
    and depends on q."""

    def L(q, v):
        w = body_rates(q, v)
        height = q[0] ** 2 - q[1] ** 2 - q[2] ** 2 + q[3] ** 2
        return 0.5 * sum(J[k] * w[k] ** 2 for k in range(3)) - weight * height

    return ld.Lagrangian(L, 4, constraints=lambda q: 0.5 * (ld.dot(q, q) - 1.0))


def quaternion_rate(q, omega):
    """q̇ = ½ G(q)ᵀ Ω."""
    G = np.array([[-q[1], q[0], q[3], -q[2]], [-q[2], -q[3], q[0], q[1]], [-q[3], q[2], -q[1], q[0]]])
    return 0.5 * G.T @ omega


@pytest.mark.parametrize("weight", [0.0, 3.0], ids=["free body", "heavy top"])
def test_rotations_by_quaternions(weight):
    """A mass matrix that is singular and depends on the positions, against `lv.Livens` of order 6 on rotation
    matrices."""
    J, omega, q0 = np.array([0.7, 0.9, 0.4]), np.array([0.4, -0.3, 6.0]), np.array([0.9, 0.3, 0.1, 0.3])
    q0 /= np.linalg.norm(q0)
    B = Rotation.from_quat(q0, scalar_first=True)
    m = lv.Model()
    body = m.add(lv.Body(lv.MassProperties(1.0, J), rotation=B.as_matrix(), body_rates=omega, name="body"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), body.point(0, 0, 0)))
    if weight:
        m.add(lv.Load(body.point(0, 0, 1.0), force=(0, 0, -weight)))
    exact = lv.simulate(m, lv.Livens(order=6), h=1e-3, until=1.0).rotation(body)[-1]
    errors = []
    for h in (0.01, 0.005):
        run = ld.simulate(in_quaternions(J, weight), ld.DiscreteGradient(), q0, quaternion_rate(q0, omega), h, 1.0)
        assert np.ptp(run.energy) < 1e-12 * np.abs(run.energy).max()
        assert run.defect[:, 0].max() < 1e-14
        errors.append(np.abs(Rotation.from_quat(run.q[-1], scalar_first=True).as_matrix() - exact).max())
    assert errors[1] < 5e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
