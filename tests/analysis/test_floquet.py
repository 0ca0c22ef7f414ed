"""Floquet multipliers against Hill's equation and the closed form of a swinging pendulum."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipk

import livens as lv

CURVATURE = ((1, 8 / 5), (2, -1 / 5), (3, 8 / 315), (4, -1 / 560))  # second derivative, eighth order


def mathieu(delta, epsilon):
    """A cart on a rail with V = ½ (δ + ε cos t) x²."""
    m = lv.Model()
    cart = m.add(lv.Body(lv.MassProperties(2.0, (1, 2, 3)), name="cart"))
    m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.point(0, 0, 0), axis=(1, 2, 2), name="rail"))
    m.add(
        lv.Energy(
            lambda b, t: (delta + epsilon * lv.cos(t)) * lv.dot(b[cart].position, b[cart].position), bodies=[cart]
        )
    )
    return m


@pytest.mark.parametrize(("delta", "epsilon", "stable"), [(0.25, 0.3, False), (0.6, 0.3, True), (1.0, 0.8, False)])
def test_mathieu(delta, epsilon, stable):
    motion = lv.simulate(mathieu(delta, epsilon), lv.Livens(order=6), h=2 * np.pi / 100, until=2 * np.pi)
    found = lv.floquet(motion)

    def hill(t, y):
        return np.concatenate([y[2:], -(delta + epsilon * np.cos(t)) * y[:2]])

    end = solve_ivp(hill, (0, 2 * np.pi), [1, 0, 0, 1], method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    expected = np.linalg.eigvals(end.reshape(2, 2))
    expected = expected[np.argsort(-np.abs(expected), kind="stable")]
    assert np.sort_complex(found.multipliers) == pytest.approx(np.sort_complex(expected), abs=1e-7)
    assert found.stable == stable
    assert np.prod(found.multipliers) == pytest.approx(1.0, abs=1e-11)  # symplectic
    assert ("stable" if stable else "unstable") in repr(found)


def test_a_swing_that_is_not_periodic_is_refused():
    m = lv.Model(gravity=(0, 0, -9.81))
    bob = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.1, 0.1)), at=(1, 0, 0), name="bob"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bob.point(-1, 0, 0), axis=(0, 1, 0), name="pivot"))
    with pytest.raises(lv.ModelError, match="pivot differs by"):
        lv.floquet(lv.simulate(m, h=1e-2, until=1.0))


def test_a_swing_has_two_multipliers_of_one():
    """The period T of a pendulum depends on its amplitude: A is a shear, with the change −ẋ dT along the motion."""
    m = lv.Model(gravity=(0, 0, -9.81))
    bob = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.1, 0.1)), at=(1, 0, 0), name="bob"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bob.point(-1, 0, 0), axis=(0, 1, 0), name="pivot"))

    def period(lower):
        """From rest, 90° − `lower` from the bottom; J + m l² = 1.1 kg m²."""
        return 4.0 * np.sqrt(1.1 / 9.81) * ellipk(np.sin(np.pi / 4 - lower / 2) ** 2)

    T, d, acceleration = period(0.0), 1e-4, 9.81 / 1.1
    found = lv.floquet(lv.simulate(m, lv.Livens(order=6), h=T / 400, until=T))
    assert np.abs(found.multipliers) == pytest.approx([1.0, 1.0], abs=1e-4)
    flow = np.array([0.0, acceleration])
    assert found.tangent.A[-1] @ flow == pytest.approx(flow, abs=1e-5)
    slope = (period(d) - period(-d)) / (2.0 * d)
    assert found.tangent.A[-1][1, 0] == pytest.approx(-acceleration * slope, rel=1e-5)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("every", [1, 1200])
def test_nutation_of_a_heavy_top(seed, every):
    """A top in steady precession, tilted by θ, in a random orientation and unit; n spins in one precession. It nutates
    with ω² = V″(θ)/A, V = (p − s cos θ)²/(2 A sin² θ) + m g l cos θ at constant momenta s (spin) and p (precession)."""
    rng = np.random.default_rng(seed)
    R, (unit, mass, time) = Rotation.random(random_state=seed).as_matrix(), 10.0 ** rng.uniform(-2, 2, size=3)
    A, C, l, g, tilt, n = 0.04, 0.01, 0.1, 9.81, 0.6, 20
    c, axis = np.cos(tilt), np.array([np.sin(tilt), 0, np.cos(tilt)])
    rate = np.sqrt(g * l / (C * (n + c) - A * c))  # of the precession: C ω₃ Ω = A Ω² cos θ + m g l
    omega = rate * np.array([0, 0, 1]) + n * rate * axis
    m = lv.Model(gravity=R @ (0, 0, -g) * unit / time**2)
    moments = mass * unit**2 * np.array([A - l**2, A - l**2, C])
    motion = {"angular_velocity": R @ omega / time, "velocity": R @ np.cross(omega, l * axis) * unit / time}
    turned = R @ Rotation.from_rotvec((0, tilt, 0)).as_matrix()
    top = lv.Body(lv.MassProperties(mass, moments), at=R @ axis * l * unit, rotation=turned, name="top", **motion)
    m.add(top)
    m.add(lv.Spherical(m.world.point(0, 0, 0), top.point(0, 0, -l * unit), name="tip"))
    period = 2 * np.pi / rate * time
    found = lv.floquet(lv.simulate(m, lv.RungeKutta(8), h=period / 1200, until=period, every=every))
    spin = C * (n + c) * rate
    p = A * np.sin(tilt) ** 2 * rate + spin * c

    def V(x):
        return (p - spin * np.cos(x)) ** 2 / (2 * A * np.sin(x) ** 2) + g * l * np.cos(x)

    curve = sum(w * (V(tilt + k * 1e-2) + V(tilt - k * 1e-2) - 2 * V(tilt)) for k, w in CURVATURE) / 1e-4
    phase = np.exp(2j * np.pi * np.sqrt(curve / A) / rate)
    for expected in (phase, phase.conj()):
        assert np.abs(found.multipliers - expected).min() < 1e-9
    assert np.sum(np.abs(found.multipliers - 1) < 1e-3) == 4  # the two momenta and their angles
