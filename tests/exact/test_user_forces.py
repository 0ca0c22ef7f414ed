"""User-written energies and forces against closed solutions: quartic wells, cyclotrons, drag, Foucault, tides."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import livens as lv

pytest.importorskip("casadi")


def ball(m, mass=1.0, **where):
    return m.add(lv.Body(lv.Ball(0.1, mass=mass), name="ball", **where))


def quartic(A=1.3, k=4.0, mass=2.0):
    """m ẍ = −k x³ from rest at A: x = A cn(Ωt, ½) with Ω = A √(k/m), period 4 K(½)/Ω."""
    m = lv.Model()
    b = ball(m, mass, at=(A, 0, 0))
    m.add(lv.Energy(lambda s: k / 4 * s[b].position[0] ** 4, bodies=[b], name="well"))
    W = A * np.sqrt(k / mass)
    return m, lambda t: A * ellipj(W * t, 0.5)[1], 4 * ellipk(0.5) / W


@pytest.mark.parametrize(("order", "h"), [(2, 0.02), (4, 0.04), (6, 0.125)])
def test_quartic_oscillator_is_an_elliptic_cosine(order, h):
    m, x, _ = quartic()
    orders = lv.observed_order(
        lambda h: lv.simulate(m, lv.Livens(order), h=h, until=2.0).position("ball")[-1, 0], [h, h / 2, h / 4], x(2.0)
    )
    assert abs(orders[-1] - order) <= 0.15


def test_quartic_oscillator_over_a_hundred_thousand_steps():
    """Energy oscillates by C h² and has no slope: the two halves have the same mean up to the square of that."""
    m, _, period = quartic()
    h = period / 100
    motion = lv.simulate(m, h=h, until=1e5 * h, every=7)
    E = motion.energy / motion.energy[0] - 1
    assert np.abs(E).max() <= 10 * (2 * np.pi / 100) ** 2
    half = len(E) // 2
    assert abs(E[:half].mean() - E[half : 2 * half].mean()) <= 1e-3 * np.abs(E).max()


def test_a_central_force_conserves_angular_momentum_and_the_shape_of_the_orbit():
    """V = k r⁴ of two bodies: r agrees with DOP853 for r̈ = l²/r³ − 4kr³/μ; momenta are conserved to round-off."""
    m = lv.Model()
    one = m.add(lv.Body(lv.Ball(0.2, mass=3.0), at=(-0.25, 0, 0), velocity=(0, -0.2, 0.1), name="one"))
    two = m.add(lv.Body(lv.Box(0.1, 0.2, 0.3, mass=1.0), at=(0.75, 0, 0), velocity=(0.1, 0.6, -0.3), name="two"))
    k = 0.4
    m.add(lv.Energy(lambda s: k * lv.norm(s[two].position - s[one].position) ** 4, bodies=[one, two], name="bond"))
    motion = lv.simulate(m, lv.Livens(6), h=0.02, until=10.0)
    n = len(motion) * motion.scheme.stages
    assert np.abs(motion.momentum - motion.momentum[0]).max() <= n * np.finfo(float).eps
    assert np.abs(motion.angular_momentum - motion.angular_momentum[0]).max() <= n * np.finfo(float).eps
    d, v = np.array([1.0, 0, 0]), np.array([0.1, 0.8, -0.4])
    l2, mu = np.sum(np.cross(d, v) ** 2), 0.75
    exact = solve_ivp(
        lambda t, y: [y[1], l2 / y[0] ** 3 - 4 * k * y[0] ** 3 / mu], (0, 10), [1.0, v[0]], method="DOP853",
        rtol=1e-13, atol=1e-13,
    ).y[0, -1]  # fmt: skip
    assert abs(np.linalg.norm(motion.position("two")[-1] - motion.position("one")[-1]) - exact) <= 2 * 0.02**6
    kept = motion.report()
    assert kept.momentum.relative <= 1e-13
    assert kept.angular_momentum.relative <= 1e-13


def cyclotron(q=1.7, mass=2.0, B=(0.0, 0.0, 3.0)):
    """F = q v × B: the velocity rotates about B at q|B|/m."""
    m = lv.Model()
    b = ball(m, mass, at=(0.5, 0, 0), velocity=(1.0, 0.4, 0.2))
    m.add(lv.Force(b.center, lambda s: q * lv.cross(s[b].velocity(0, 0, 0), B), name="field"))
    w = q * np.linalg.norm(B) / mass

    def place(t):
        vx, vy, vz = 1.0, 0.4, 0.2
        return np.array([0.5 + (vx * np.sin(w * t) + vy * (1 - np.cos(w * t))) / w,
                         (vy * np.sin(w * t) - vx * (1 - np.cos(w * t))) / w, vz * t])  # fmt: skip

    return m, place


def test_a_charge_in_a_magnetic_field_runs_in_circles():
    """Second order to 0.05; speed and momentum along the field are conserved to round-off, the step is reversible."""
    m, place = cyclotron()
    orders = lv.observed_order(
        lambda h: lv.simulate(m, h=h, until=2.0).position("ball")[-1], [0.02, 0.01, 0.005], place(2.0)
    )
    assert np.abs(orders - 2.0).max() <= 0.05
    motion = lv.simulate(m, h=0.01, until=100.0)
    assert np.abs(motion.kinetic - motion.kinetic[0]).max() <= len(motion) * np.finfo(float).eps * motion.kinetic[0]
    assert np.abs(motion.work).max() <= len(motion) * np.finfo(float).eps * motion.kinetic[0]
    assert np.abs(motion.momentum[:, 2] - motion.momentum[0, 2]).max() <= 1e-13
    assert lv.reversibility(m, lv.Livens(), h=0.01, steps=1000) <= 1e-12


def test_linear_drag_in_gravity():
    """m v̇ = m g − c v: v = (v₀ − v∞) exp(−ct/m) + v∞; the energy balance contains the drag, to second order."""
    c, mass, g = 0.8, 1.5, np.array([0, 0, -9.81])
    m = lv.Model(gravity=g)
    b = ball(m, mass, velocity=(3, 0, 1))
    m.add(lv.Force(b.center, lambda s: -c * s[b].velocity(0, 0, 0), name="drag"))
    limit = mass * g / c
    exact = (np.array([3, 0, 1]) - limit) * np.exp(-c * 2.0 / mass) + limit

    orders = lv.observed_order(lambda h: lv.simulate(m, h=h, until=2.0).velocity("ball")[-1], [0.1, 0.05, 0.025], exact)
    assert np.abs(orders - 2.0).max() <= 0.05

    def gap(h):
        motion = lv.simulate(m, h=h, until=2.0)
        return np.abs(motion.energy - motion.work + motion.dissipated - motion.energy[0]).max()

    assert 1.9 < np.log2(gap(0.02) / gap(0.01)) < 2.1


def test_quadratic_drag():
    """m v̇ = −k|v|v along a line: v = v₀/(1 + k v₀ t/m)."""
    m = lv.Model()
    b = ball(m, 2.0, velocity=(4, 3, 0))
    m.add(lv.Force(b.center, lambda s: -0.3 * lv.norm(s[b].velocity(0, 0, 0)) * s[b].velocity(0, 0, 0), name="air"))
    exact = np.array([4, 3, 0]) / (1 + 0.3 * 5 * 1.0 / 2.0)
    orders = lv.observed_order(lambda h: lv.simulate(m, h=h, until=1.0).velocity("ball")[-1], [0.1, 0.05, 0.025], exact)
    assert np.abs(orders - 2.0).max() <= 0.05


def test_a_torque_that_brakes_a_spin():
    """J ω̇ = −c ω about a principal axis, as a torque in world axes."""
    m = lv.Model()
    top = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0, 0, 2.0), name="top"))
    m.add(lv.Force(top.center, lambda s: (0, 0, 0), torque=lambda s: -0.5 * s[top].angular_velocity, name="brake"))
    exact = 2.0 * np.exp(-0.5 * 2.0 / 3.0)
    orders = lv.observed_order(
        lambda h: lv.simulate(m, h=h, until=2.0).body_rates("top")[-1, 2], [0.1, 0.05, 0.025], exact
    )
    assert np.abs(orders - 2.0).max() <= 0.05


def test_drag_on_a_pendulum_with_joints():
    """A compound pendulum on a hinge with drag at its end: θ̈ = −(m g l sin θ + c L² θ̇)/J, by DOP853."""
    c, G = 0.6, 9.81
    m = lv.Model(gravity=(0, 0, -G))
    bar = m.add(lv.Body(lv.Box(0.1, 0.1, 1.0, mass=2.0), at=(0.5, 0, 0), rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]]))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point_at(0, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Force(bar.point(0, 0, 0.5), lambda s: -c * s[bar].velocity(0, 0, 0.5), name="drag"))
    J = 2.0 * (1.0 + 0.01) / 12 + 2.0 * 0.25
    exact = solve_ivp(
        lambda t, y: [y[1], (2.0 * G * 0.5 * np.cos(y[0]) - c * y[1]) / J], (0, 1.5), [0.0, 0.0], method="DOP853",
        rtol=1e-13, atol=1e-13,
    ).y[0, -1]  # fmt: skip
    orders = lv.observed_order(
        lambda h: lv.simulate(m, h=h, until=1.5).coordinate("hinge")[-1], [0.02, 0.01, 0.005], exact
    )
    assert np.abs(orders - 2.0).max() <= 0.05
    motion = lv.simulate(m, h=1e-2, until=1.5)
    assert motion.defect_velocity.max() <= 1e-12
    assert motion.defect_position.max() <= 1e-12
    assert lv.reversibility(m, lv.Livens(), h=1e-2, steps=100) <= 1e-11
    now = lv.dynamics(m)
    assert np.abs(now.acceleration(bar)[0] - [0, 0, -2.0 * G * 0.5 / J * 0.5]).max() <= 1e-12


def test_foucaults_pendulum_turns():
    """Small oscillations in a frame that rotates at Ω about the vertical: F = −2mΩ × v; the plane rotates by −Ωt."""
    W, G = 0.05, 9.81
    m = lv.Model(gravity=(0, 0, -G))
    bob = m.add(lv.Body(lv.PointMass(1.0), at=(0.01, 0, -np.sqrt(1 - 1e-4)), name="bob"))
    m.add(lv.Rod(m.world.point(0, 0, 0), bob.center, name="wire"))
    m.add(lv.Force(bob.center, lambda s: -2 * lv.cross((0, 0, W), s[bob].velocity(0, 0, 0)), name="Coriolis"))
    period = 2 * np.pi / np.sqrt(G + W * W)
    motion = lv.simulate(m, h=period / 200, until=20 * period)
    x, y = motion.position("bob")[-1, :2]
    assert abs(np.arctan2(y, x) + W * motion.t[-1]) <= 2e-3 * W * motion.t[-1] + 1e-3


@pytest.mark.parametrize(("order", "h"), [(2, 0.02), (4, 0.1), (6, 0.2)])
def test_an_energy_that_varies_with_time(order, h):
    """Mathieu's equation m ẍ = −(a + b cos wt) x, by DOP853; the energy balance contains ∂V/∂t, to second order."""
    a, b, w = 4.0, 1.5, 3.0
    m = lv.Model()
    body = ball(m, at=(1, 0, 0))
    m.add(lv.Energy(lambda s, t: 0.5 * (a + b * lv.cos(w * t)) * lv.dot(s[body].position, s[body].position), [body]))
    exact = solve_ivp(
        lambda t, y: [y[1], -(a + b * np.cos(w * t)) * y[0]], (0, 2), [1.0, 0.0], method="DOP853",
        rtol=1e-13, atol=1e-13,
    ).y[0, -1]  # fmt: skip
    orders = lv.observed_order(
        lambda h: lv.simulate(m, lv.Livens(order), h=h, until=2.0).position("ball")[-1, 0], [h, h / 2, h / 4], exact
    )
    assert abs(orders[-1] - order) <= 0.1

    def gap(h):
        motion = lv.simulate(m, h=h, until=2.0)
        return np.abs(motion.energy - motion.work - motion.energy[0]).max()

    assert 1.9 < np.log2(gap(0.02) / gap(0.01)) < 2.1
    assert "work of energy 'energy1'" in " ".join(lv.simulate(m, h=0.02, until=2.0).report().notes)
