"""Bodies of every ratio of inertia: free rods, disks and asymmetric bodies in closed form, rods in joints in minimal
coordinates. The error of a scheme does not depend on the ratio."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import livens as lv
from benchmarks import index_one
from tests.helpers import runs
from tests.helpers.elliptic import FreeBody, symmetric_top

EPS = np.finfo(float).eps
RATIOS = (1.0, 0.5, 0.3, 1e-1, 1e-2, 1e-4, 1e-6)
SCHEMES = (
    lv.Livens(2), lv.Livens(4), lv.Livens(6), lv.RungeKutta(4), lv.RungeKutta(8), lv.Newmark(), lv.GeneralizedAlpha(0.8)
)  # fmt: skip


def random_rotation(rng):
    return lv.Pose.from_quaternion(rng.normal(size=4)).B


def moments(ratio, kind):
    """Principal moments [kg m²] whose smallest is `ratio` times the next one; a disk is thin to this ratio."""
    return {
        "rod": (1.0, 1.0, ratio),
        "strip": (1.0, 1.0 + 0.7 * ratio, ratio),
        "disk": (1.0, 1.0, 2.0 - ratio),
    }[kind]


def free(J, rates, seed):
    """A free body with its principal axes in a random order and a random orientation, and the inverse of both."""
    rng = np.random.default_rng(seed)
    order = np.roll(np.arange(3), seed)  # right-handed
    model, B0 = lv.Model(), random_rotation(rng)
    matter = lv.MassProperties(1.0, np.array(J)[order])
    body = model.add(lv.Body(matter, rotation=B0, body_rates=np.array(rates)[order], name="body"))
    return model, body, B0, np.eye(3)[order]


def exact(J, rates, t):
    """(ω, B) at t in closed form, with B = identity at the start."""
    if J[0] == J[1]:
        return symmetric_top(J[0], J[2], np.array(rates), t)
    solution = FreeBody(J, rates)
    return solution.omega(t), solution.rotation(t)


def errors(J, rates, scheme, h, until, seed):
    """Of the rotation, the body rates (relative to the largest), the energy and the angular momentum (relative)."""
    model, body, B0, order = free(J, rates, seed)
    motion = lv.simulate(model, scheme, h=h, until=until)
    omega, B = exact(J, rates, until)
    E, L = motion.energy, motion.angular_momentum
    return np.array(
        [
            np.abs(motion.rotation(body)[-1] - B0 @ order @ B @ order.T).max(),
            np.abs(motion.body_rates(body)[-1] - order @ omega).max() / np.abs(rates).max(),
            np.ptp(E) / E[0],
            np.abs(L - L[0]).max() / np.linalg.norm(L[0]),
        ]
    )


RATES = (2.0, 0.5, 1.0)


@pytest.mark.parametrize(("scheme", "steps"), [(lv.RungeKutta(4), 100), (lv.RungeKutta(8), 20)])
@pytest.mark.parametrize("kind", ["rod", "strip", "disk"])
@pytest.mark.parametrize("ratio", RATIOS)
def test_runge_kutta_has_its_order_for_every_ratio(scheme, steps, kind, ratio):
    """Steps of a few tenths of a radian. An error of the axis is not multiplied by the ratio of the moments."""
    J, until = moments(ratio, kind), 4.0
    seed = RATIOS.index(ratio)
    long, short = (errors(J, RATES, scheme, until / n, until, seed) for n in (steps, 2 * steps))
    round_off = 1e3 * EPS + 100 * EPS / ratio * (kind == "strip")  # of the difference of two nearly equal moments
    turn = 2.4 * until / steps
    assert (long[:2] <= 0.05 * turn**scheme.order + round_off).all(), long
    assert (short <= long / 2 ** (scheme.order - 0.5) + round_off).all(), (long, short)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("kind", ["rod", "disk"])
@pytest.mark.parametrize("ratio", [*RATIOS, 1e-9])
def test_the_automatic_step_suits_every_ratio(scheme, kind, ratio):
    """0.02 s: at most 0.05 rad a step, whatever the moments; the error is that of the scheme."""
    J, until, seed = moments(ratio, kind), 3.0, 1 + RATIOS.index(ratio) if ratio in RATIOS else 9
    model, *_ = free(J, RATES, seed)
    assert lv.simulate(model, scheme, h="auto", until=until).h == pytest.approx(0.02)
    found = errors(J, RATES, scheme, "auto", until, seed)
    round_off = 1e3 * EPS / ratio  # of the momentum along a rod, in its rate of roll
    assert (found[:2] <= 10.0 * (0.05 ** min(scheme.order, 6)) + round_off).all(), found


@pytest.mark.parametrize("ratio", [*RATIOS, 1e-9, 1e-12])
@pytest.mark.parametrize("kind", ["rod", "strip", "disk"])
def test_the_rotation_per_step_that_has_a_solution_does_not_depend_on_the_moments(kind, ratio):
    """A radian with Livens. With RungeKutta the error of a stage counts too: nearly half a turn at order 8, 2 rad at
    order 4."""
    rng = np.random.default_rng(2)
    for seed in range(10):
        u = rng.normal(size=3)
        for scheme, turn in ((lv.Livens(), 0.99), (lv.RungeKutta(8), 3.0), (lv.RungeKutta(4), 2.0)):
            model, *_ = free(moments(ratio, kind), turn * u / np.linalg.norm(u), seed)
            assert lv.simulate(model, scheme, h=1.0, until=1.0).steps == 1


# ── in joints ──


def pinned(radius, Q, rates):
    """A rod of 1 m, 1 kg, that hangs at its end on a ball joint, with its axis along Q e₃."""
    m = lv.Model(gravity=(0, 0, -9.81))
    v = Q @ np.cross(rates, (0, 0, -0.5))
    matter = lv.Cylinder(radius, 1.0, mass=1.0)
    rod = m.add(lv.Body(matter, at=-0.5 * Q[:, 2], rotation=Q, velocity=v, body_rates=rates, name="rod"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), rod.point(0, 0, 0.5), name="pin"))
    return m


def lagrange_top(radius, Q, rates, until):
    """(B, ω) of the same in three minimal coordinates, Euler parameters and body rates about the pin, by SciPy."""
    J3 = 0.5 * radius**2
    J1 = 0.25 * radius**2 + 1.0 / 3.0

    def slope(t, y):
        q, w = y[:4], y[4:]
        down = lv.Pose.from_quaternion(q).B.T @ (0.0, 0.0, -9.81)
        torque = np.cross((0.0, 0.0, -0.5), down)  # none about the axis
        gain = [(torque[0] + (J1 - J3) * w[1] * w[2]) / J1, (torque[1] + (J3 - J1) * w[2] * w[0]) / J1, 0.0]
        return np.concatenate([0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))]), gain])

    start = np.concatenate([lv.Pose(B=Q).to_quaternion(), rates])
    found = solve_ivp(slope, (0.0, until), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return lv.Pose.from_quaternion(found[:4] / np.linalg.norm(found[:4])).B, found[4:]


@pytest.mark.parametrize("radius", [0.1, 1e-2, 1e-3, 1e-4])
def test_a_rod_on_a_ball_joint(radius):
    Q, rates, until = random_rotation(np.random.default_rng(7)), (1.0, -2.0, 3.0), 1.0
    B, omega = lagrange_top(radius, Q, rates, until)
    for scheme, n, bound in ((lv.RungeKutta(4), 100, 1e-5), (lv.RungeKutta(8), 50, 1e-10), (lv.Livens(6), 200, 1e-8)):
        motion = lv.simulate(pinned(radius, Q, rates), scheme, h=until / n, until=until)
        round_off = 100 * EPS / radius**2
        assert np.abs(motion.rotation("rod")[-1] - B).max() <= bound + round_off, scheme
        assert np.abs(motion.body_rates("rod")[-1] - omega).max() <= 3 * bound + round_off, scheme


def linked(radius, seed):
    """Two slender rods in a universal joint and a hinge, each with a component along its axis, in random axes."""
    rng = np.random.default_rng(seed)
    Q = random_rotation(rng)
    m = lv.Model(gravity=9.81 * Q[:, 0])
    spin = Q @ (0.4, 0.3, 2.0)
    one, two = (
        m.add(lv.Body(lv.Cylinder(radius, 1.0, mass=1.0), at=Q @ (0, 0, z), rotation=Q, angular_velocity=spin,
                      velocity=np.cross(spin, Q @ (0, 0, z)), name=name))
        for z, name in ((-0.5, "one"), (-1.5, "two"))
    )  # fmt: skip
    m.add(lv.Spherical(m.world.point(0, 0, 0), one.point(0, 0, 0.5), name="pin"))
    ends = one.point(0, 0, -0.5), two.point(0, 0, 0.5)
    m.add(lv.Universal(*ends, axis_a=Q @ (1, 0, 0), axis_b=Q @ (0, 1, 0), name="cross"))
    return m


@pytest.mark.parametrize("radius", [0.1, 1e-2, 1e-3])
def test_slender_rods_in_joints_against_another_program(radius):
    """SciPy's solution of the equations in index 1, in Euler parameters and body rates."""
    until = 0.25
    found = index_one.solve(linked(radius, 3), [until], rtol=1e-12)[0]
    coarse, fine = (
        np.max(runs.deviations(lv.simulate(linked(radius, 3), lv.RungeKutta(8), h=until / n, until=until), found)[:2])
        for n in (8, 16)
    )
    round_off = 1e-11 + 1e3 * EPS / radius**2
    assert coarse < 1e-6
    assert fine <= coarse / 2**7 + round_off
