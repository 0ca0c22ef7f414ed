"""Beams and cables in motion: frequencies, momenta and a swinging rope against closed forms and independent solvers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from scipy.special import jn_zeros

import livens as lv

pytest.importorskip("casadi")

RANDOM = Rotation.random(random_state=8).as_matrix()
G = 9.81


def frequencies(n, **arguments):
    """The model of a slender clamped beam, and its first ten frequencies by Euler and Bernoulli [rad/s]."""
    section, material = lv.Section.rectangle(0.002, 0.003), lv.Material(E=2e11, nu=0.3, density=8000.0)
    m = lv.Model()
    beam = m.add(lv.Beam([(0, 0, 0), RANDOM[:, 0]], n, section, material, up=RANDOM[:, 1], **arguments))
    m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0)))
    brackets = ((1.5, 2.5), (4.0, 5.0), (7.5, 8.5), (10.5, 11.5), (14.0, 14.5))
    roots = np.array([brentq(lambda x: np.cos(x) * np.cosh(x) + 1.0, *two) for two in brackets])
    return m, beam, np.outer(roots**2, np.sqrt(2e11 * section.second_moments / (8000.0 * section.area)))


@pytest.mark.parametrize("rigid", [False, True])
def test_cantilever_frequencies(rigid):
    """The first five pairs of Euler and Bernoulli with second order in the length of a section."""
    errors = []
    for n in (12, 24):
        m, _, exact = frequencies(n, shearable=not rigid, extensible=not rigid)
        found = np.sqrt(lv.equilibrium(m, load_steps=1).stiffnesses[:10])
        errors.append(np.abs(found / np.sort(exact.ravel()) - 1.0))
    assert errors[0][0] < 2e-3
    assert errors[1].max() < 0.03
    order = np.log2(errors[0] / errors[1])
    assert np.abs(order[:4] - 2.0).max() < 0.1
    if not rigid:  # without the part of second order; the tenth is that of another mode with twelve sections
        assert np.abs((4.0 * errors[1] - errors[0]) / 3.0)[:9].max() < 3e-4
    assert order.min() > 1.7


def test_modes_agree_with_stiffnesses():
    """`lv.linearize` gives the same frequencies as the stiffness at rest."""
    m, beam, _ = frequencies(3)
    modes = lv.linearize(m, outputs=[beam.end]).modes()
    rest = np.sqrt(lv.equilibrium(m, load_steps=1).stiffnesses)
    assert np.abs(modes.omega / rest - 1.0).max() < 1e-6


def test_hanging_chain_frequencies():
    """ω = j₀ₖ/2 √(g/L), j₀ₖ the zeros of Bessel's J₀; in both directions."""
    exact, errors = jn_zeros(0, 5) / 2.0 * np.sqrt(G / 2.0), []
    for n in (32, 64, 128):
        m = lv.Model(gravity=-G * RANDOM[:, 2])
        cable = m.add(lv.Cable([(0, 0, 0), -2.0 * RANDOM[:, 2]], n, mass_per_length=0.5))
        m.add(lv.Spherical(m.world.point(0, 0, 0), cable.start.point(0, 0, 0)))
        found = np.sqrt(lv.equilibrium(m).stiffnesses[:10])
        assert np.abs(found[::2] / found[1::2] - 1.0).max() < 1e-6
        errors.append(np.abs(found[::2] / exact - 1.0))
    assert errors[-1].max() < 3.0 * (exact[-1] * np.sqrt(2.0 / G)) ** 2 / 128**2
    assert np.abs(np.log2(errors[1] / errors[2]) - 2.0).max() < 0.25
    assert abs(np.log2(errors[1][0] / errors[2][0]) - 2.0) < 0.02


def hung(n, length, span):
    """A cable of n equal rods between two points at equal height, at rest: its nodes."""
    m = lv.Model(gravity=-G * RANDOM[:, 2])
    half = n // 2
    up = np.sqrt((length / 2) ** 2 - (span / 2) ** 2)
    ramp = np.concatenate([np.linspace(0, -up, half + 1), np.linspace(-up, 0, half + 1)[1:]])  # a V of equal rods
    points = np.stack([np.linspace(0, span, n + 1), np.zeros(n + 1), ramp], axis=1)
    cable = m.add(lv.Cable(points @ RANDOM.T, n, mass_per_length=0.5))
    m.add(lv.Spherical(m.world.point(0, 0, 0), cable.start.point(0, 0, 0)))
    m.add(lv.Spherical(m.world.point(span * RANDOM[:, 0]), cable.end.point(0, 0, 0)))
    rest = lv.equilibrium(m)
    return np.array([rest.position(body)[0] for body in cable.bodies]) @ RANDOM


def test_catenary():
    """A cable of equal rods between two points: the polygon tan θ_k = (V + k m g)/H to 1e-8. Its sag approaches that of
    the catenary with second order, and is that of the catenary to 1e-8 if the powers of 1/n² are removed (Romberg)."""
    length, span, sags = 1.6, 1.0, []
    a = brentq(lambda a: 2.0 * a * np.sinh(0.5 * span / a) - length, 0.05, 5.0)
    sizes = (8, 16, 32, 64, 128)
    for n in sizes:
        x = hung(n, length, span)
        weight, each = 0.5 * G * length / n, np.arange(n) - (n - 1) / 2.0

        def links(H, each=each, weight=weight, n=n):
            angle = np.arctan(each * weight / H)
            return length / n * np.stack([np.cos(angle), np.sin(angle)], axis=1)

        H = brentq(lambda H: links(H).sum(axis=0)[0] - span, 1e-3, 1e3, xtol=1e-15)
        assert np.abs(x[1:, [0, 2]] - np.cumsum(links(H), axis=0)).max() < 1e-8
        assert np.abs(x[:, 1]).max() < 1e-8
        sags.append(-x[n // 2, 2])
    exact = a * (np.cosh(0.5 * span / a) - 1.0)
    deviation = np.abs(np.array(sags) - exact)
    assert np.abs(np.log2(deviation[:-1] / deviation[1:])[1:] - 2.0).max() < 0.05
    table = np.array(sags)
    for k in range(1, len(sizes)):
        table = table[1:] + (table[1:] - table[:-1]) / (4.0**k - 1.0)
    assert abs(table[0] - exact) < 1e-8


def chain(n, length, until):
    """The end of a planar chain of n massless rods with masses, the last one half, from rest at 60°, by DOP853."""
    l, m = length / n, np.ones(n)
    m[-1] = 0.5
    below = np.cumsum(m[::-1])[::-1]  # Σ_{k ≥ i} m_k
    more = below[np.maximum.outer(np.arange(n), np.arange(n))]

    def slopes(t, y):
        th, om = y[:n], y[n:]
        d = th[:, None] - th[None, :]
        A, f = more * l * np.cos(d), -(more * l * np.sin(d)) @ om**2 - G * below * np.sin(th)
        return np.concatenate([om, np.linalg.solve(A, f)])

    start = np.concatenate([np.full(n, np.pi / 3.0), np.zeros(n)])
    end = solve_ivp(slopes, (0.0, until), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:n, -1]
    return l * np.array([np.sin(end).sum(), -np.cos(end).sum()])


def test_swinging_rope():
    """The free end of a rope of eight links, released at 60°, against minimal coordinates (DOP853)."""
    exact, errors = chain(8, 1.0, 1.0), []
    for h in (2e-3, 1e-3):
        m = lv.Model(gravity=-G * RANDOM[:, 2])
        down = RANDOM @ [np.sin(np.pi / 3), 0.0, -np.cos(np.pi / 3)]
        cable = m.add(lv.Cable([(0, 0, 0), down], 8, mass_per_length=8.0))
        m.add(lv.Spherical(m.world.point(0, 0, 0), cable.start.point(0, 0, 0)))
        motion = lv.simulate(m, lv.Livens(order=4), h=h, until=1.0)
        x = RANDOM.T @ motion.position(cable.end)[-1]
        errors.append(np.abs(x[[0, 2]] - exact).max())
        assert abs(x[1]) < 1e-12
        assert motion.defect_position.max() < 1e-11
    assert errors[1] < 1e-6
    assert abs(np.log2(errors[0] / errors[1]) - 4.0) < 0.4


def test_flying_spaghetti():
    """Simo and Vu-Quoc (1988): a free beam, L = 10, thrown by a force of 8 and a torque of 80 at one end that rise and
    fall within 5 s. Its momentum is the impulse 20; what it has then is conserved, and its energy is bounded."""
    ramp = lv.Expression("8*(t/2.5*(t < 2.5) + (2 - t/2.5)*(t >= 2.5)*(t < 5))")
    m = lv.Model()
    ends = [RANDOM @ (6.0, 0, 0), RANDOM @ (0, 8.0, 0)]
    beam = m.add(
        lv.Beam(ends, 10, stiffnesses=(1e4, 1e4, 1e4, 500, 500, 500), mass_per_length=1.0, inertia_per_length=(10, 10))
    )
    at = beam.start.point(0, 0, 0)
    push, twist = RANDOM @ (1.0, 0, 0), RANDOM @ (0.0, -5.0, -10.0)
    m.add(lv.Load(at, force=lambda t: ramp(t) * push, torque=lambda t: ramp(t) * twist))
    motion = lv.simulate(m, h=5e-3, until=10.0, every=10)
    assert np.abs(motion.momentum[-1] - 20.0 * push).max() < 1e-11
    after = motion.t > 5.02
    assert np.ptp(motion.momentum[after], axis=0).max() < 1e-11
    assert np.ptp(motion.angular_momentum[after], axis=0).max() < 1e-9 * np.abs(motion.angular_momentum).max()
    assert np.ptp(motion.energy[after]) < 2e-3 * motion.energy[-1]
    _, kappa = beam.strains(motion)
    assert np.abs(kappa).max() > 0.05  # it is bent
