"""Mechanisms against solutions in other coordinates: index_one.py (quaternions, wrenches, DOP853) or minimal ones here.

Positions, velocities, accelerations and reactions converge to the independent solution with the order of the scheme.
"""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import livens as lv
from benchmarks import index_one
from livens.compile.assembly import SHIFT
from tests.helpers import mechanisms, runs

CASES = (  # mechanism, until [s], steps at order 2, steps at order 4
    (mechanisms.bricard, 1.0, 200, 50),
    (mechanisms.slider_crank, 0.6, 400, 100),
    (mechanisms.gimbal_gyroscope, 0.3, 400, 80),
    (mechanisms.rolling_disc, 0.6, 300, 60),
    (mechanisms.crank_rocker, 0.5, 250, 50),
)
NAMES = [build.__name__ for build, *_ in CASES]
EACH = pytest.mark.parametrize(("build", "until", "steps", "few"), CASES, ids=NAMES)


@cache
def reference(build, until):
    found = index_one.solve(build(), [until], rtol=1e-12)[0]
    assert found.slip < 1e-10
    return found


def deviations(motion, found):
    """Largest deviations in position and attitude, velocity, acceleration and reaction at the end."""
    bodies = motion.model.bodies[1:]
    joints = [j for j in motion.model.joints if not isinstance(j, lv.Coupling)]

    def last(read, things):
        return np.array([read(thing)[-1] for thing in things])

    centers = [body.center for body in bodies]
    reactions = np.concatenate([last(motion.reaction, joints), last(motion.reaction_torque, joints)], axis=1)
    pairs = (
        (last(motion.position, centers), found.x),
        (last(motion.rotation, bodies), found.B),
        (last(motion.velocity, centers), found.v),
        (last(motion.angular_velocity, bodies), found.omega),
        (last(motion.acceleration, centers), found.dv),
        (last(motion.angular_acceleration, bodies), found.domega),
        (reactions, found.reactions([j.name for j in joints])),
    )
    x, B, v, w, a, b, R = (np.abs(one - other).max() for one, other in pairs)
    return np.array([max(x, B), max(v, w), max(a, b), R])


@EACH
def test_second_order(build, until, steps, few):
    found = reference(build, until)
    errors = [deviations(runs.run(build(), h=until / n, until=until), found) for n in (steps, 2 * steps)]
    checked = slice(0, 3) if build is mechanisms.bricard else slice(None)
    assert np.abs(runs.order(errors)[0][checked] - 2).max() < 0.05, errors


@EACH
def test_fourth_order(build, until, steps, few):
    found = reference(build, until)
    errors = [deviations(runs.run(build(), 4, h=until / n, until=until), found) for n in (few, 2 * few)]
    checked = slice(0, 3) if build is mechanisms.bricard else slice(None)
    assert np.abs(runs.order(errors)[0][checked] - 4).max() < 0.2, errors


def test_reactions_with_redundant_constraints():
    """Bricard has one redundant row: the reactions of minimum norm agree in both formulations."""
    found = reference(mechanisms.bricard, 1.0)
    error = deviations(runs.run(mechanisms.bricard(), 4, h=5e-3, until=1.0), found)[3]
    assert error < 4 * np.finfo(float).eps / 1e-3 / SHIFT  # γ is differenced over 1e-3 s, S⁻¹ is 1/SHIFT across


def test_driven_slider_crank():
    """A prescribed crank: the reactions, including its torque, from the equations of motion at each state."""

    def drive(t):
        return 6 * t + 0.4 * (1 - np.cos(3 * t))

    found = index_one.solve(mechanisms.slider_crank(drive), [0.5])[0]
    error = deviations(runs.run(mechanisms.slider_crank(drive), h=5e-3, until=0.5), found)
    assert (error < (1e-9, 1e-8, 1e-6, 1e-6)).all(), error


# ── minimal coordinates ──


def governor(until):
    """s(t) of the governor in three coordinates: shaft angle (momentum constant), rods' dip α, slider height s."""
    density, r0, k, c, l0 = 3000.0, 0.05, 8e5, 4e4, 0.5
    bar, ball, slider = density * 1e-4, 5.0, density * 1e-3
    m = bar + ball
    rho = (bar * 0.5 + ball * 1.0) / m  # hinge to centre
    along = bar * (1e-4 + 1e-4) / 12
    transverse = bar * (1 + 1e-4) / 12 + bar * (rho - 0.5) ** 2 + ball * (1 - rho) ** 2
    fixed = bar * 2e-4 / 12 + slider * 0.02 / 12

    def inertia(alpha):
        """About the shaft, and its derivative."""
        C, S = np.cos(alpha), np.sin(alpha)
        I = fixed + 2 * (m * (r0 + rho * C) ** 2 + along * S**2 + transverse * C**2)
        return I, 2 * (-2 * m * (r0 + rho * C) * rho * S + 2 * (along - transverse) * S * C)

    P = inertia(np.pi / 6)[0] * 2 * np.pi

    def slope(t, y):
        alpha, s, da, ds = y
        C, S = np.cos(alpha), np.sin(alpha)
        I, dI = inertia(alpha)
        x, z = 0.5 * C, 1 - 0.5 * S - s
        l = np.hypot(x, z)
        l_alpha, l_s = (x * -0.5 * S + z * -0.5 * C) / l, -z / l
        F = -k * (l - l0) - c * (l_alpha * da + l_s * ds)
        swing = 0.5 * (P / I) ** 2 * dI + 2 * m * mechanisms.G * rho * C + 2 * F * l_alpha
        return da, ds, swing / (2 * (transverse + m * rho**2)), (2 * F * l_s) / slider - mechanisms.G

    times = np.linspace(0, until, 101)
    done = solve_ivp(
        slope, (0, until), (np.pi / 6, 0.5, 0.0, 0.0), t_eval=times, method="Radau", rtol=1e-11, atol=1e-12
    )
    assert done.success
    return done.y[1], done.y[3]


def test_governor():
    """A05, ten seconds of the slider: stiff springs with stiff dampers; position, velocity and energy balance."""
    s, ds = governor(10.0)
    errors = []
    for n in (10_000, 20_000):
        motion = runs.run(mechanisms.governor(), h=10.0 / n, until=10.0, every=n // 100)
        height = motion.coordinate("slide")
        account = motion.energy - motion.energy[0] + motion.dissipated
        pairs = ((height, s), (motion.rate("slide"), ds), (account, 0.0))
        errors.append([np.abs(one - other).max() for one, other in pairs])
    assert np.ptp(s) > 0.1
    assert np.abs(runs.order(errors)[0] - 2).max() < 0.05, errors


def test_governor_in_all_coordinates():
    """The same for every body and reaction during the transient of the stiff dampers."""
    found = index_one.solve(mechanisms.governor(), [0.02], rtol=1e-11)[0]
    errors = [deviations(runs.run(mechanisms.governor(), h=0.02 / n, until=0.02), found) for n in (400, 800)]
    assert np.abs(runs.order(errors)[0] - 2).max() < 0.05, errors


def test_gyroscope_in_cardan_angles():
    """Three angles and Lagrange's equations: precession ψ, tilt θ, spin φ; two of the momenta are constant."""
    outer, inner, rotor = 0.005, np.array([0.002, 0.0015, 0.0025]), np.array([0.003, 0.0018, 0.0018])
    mass, r = 0.5, 0.02  # of the inner gimbal, its centre
    inner = inner + mass * r**2 * np.array([0, 1, 1])
    # body axes of the inner gimbal: ω = (−ψ′ sin θ, θ′, ψ′ cos θ); the rotor adds φ′ along x
    J = inner + rotor * (0, 1, 1)

    def total(theta):
        return outer + J[0] * np.sin(theta) ** 2 + J[2] * np.cos(theta) ** 2

    spin, precession = 60.0, 0.4
    p_spin = rotor[0] * spin  # at the start θ = 0
    P = total(0.0) * precession - p_spin * np.sin(0.0)

    def slope(t, y):
        _, theta, _, d = y
        dpsi = (P + p_spin * np.sin(theta)) / total(theta)
        dphi = p_spin / rotor[0] + dpsi * np.sin(theta)
        S, C = np.sin(theta), np.cos(theta)
        moment = dpsi**2 * (J[0] - J[2]) * S * C - p_spin * dpsi * C + mass * mechanisms.G * r * C
        return dpsi, d, dphi, moment / J[1]

    done = solve_ivp(slope, (0, 3.0), (0.0, 0.0, 0.0, 0.0), method="DOP853", rtol=1e-13, atol=1e-13)
    motion = runs.run(mechanisms.gimbal_gyroscope(), 6, h=2e-3, until=3.0)
    found = [motion.coordinate(name)[-1] for name in ("pan", "tilt", "spin")]
    assert np.abs(found - done.y[:3, -1]).max() < 1e-8
    assert abs(done.y[0, -1]) > 0.5
