"""Beams at rest against closed forms, published numbers and an independent boundary value solver, in random axes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.optimize import brentq, fsolve
from scipy.spatial.transform import Rotation
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

import livens as lv

pytest.importorskip("casadi")

RANDOM = Rotation.random(random_state=5).as_matrix()


def cantilever(n, axes=RANDOM, length=1.0, **arguments):
    """A model with a straight beam along the x axis of `axes`, clamped at its start."""
    m = lv.Model()
    beam = m.add(lv.Beam([(0, 0, 0), length * axes[:, 0]], n, up=axes[:, 1], **arguments))
    m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0)))
    return m, beam


def test_roll_up_closes_exactly():
    """A moment 2πEI/L rolls a beam up to a circle: sections on circles are exact at every number of sections."""
    for n in (5, 64):
        m, beam = cantilever(n, stiffnesses=(1e4, 1e4, 2e4, 1.0, 3.0, 1.0), mass_per_length=1.0)
        m.add(lv.Load(beam.end.point(0, 0, 0), torque=2.0 * np.pi * 1.0 * RANDOM[:, 1]))
        rest = lv.equilibrium(m, load_steps=8)
        assert np.abs(rest.position(beam.end)[0]).max() < 1e-12
        assert np.abs(rest.rotation(beam.end)[0] - beam.end.pose.B).max() < 1e-11
        gamma, kappa = beam.strains(rest)
        assert np.abs(gamma).max() < 1e-12
        assert np.abs(kappa - [2.0 * np.pi, 0.0, 0.0]).max() < 1e-10
        _, moment = beam.stresses(rest)
        assert np.abs(moment - [2.0 * np.pi, 0.0, 0.0]).max() < 1e-10


def test_roll_up_without_shear_and_stretch():
    """A regular polygon, which is closed as well."""
    m, beam = cantilever(
        7, stiffnesses=(1, 1, 1, 1.0, 3.0, 1.0), mass_per_length=1.0, shearable=False, extensible=False
    )
    m.add(lv.Load(beam.end.point(0, 0, 0), torque=2.0 * np.pi * RANDOM[:, 1]))
    rest = lv.equilibrium(m, load_steps=8)
    assert np.abs(rest.position(beam.end)[0]).max() < 1e-12


def test_bathe_bolourchi_bend():
    """Bathe and Bolourchi (1979): a 45° arc, R = 100, 1 × 1, E = 1e7, ν = 0, P = 600 across its plane. Published tips:
    (15.9, 47.2, 53.4), (15.8, 47.2, 53.4), (15.7, 47.2, 53.5), (15.68, 47.14, 53.47)."""

    def tip(n):
        m = lv.Model()
        section = lv.Section(1.0, (1 / 12, 1 / 12), 1 / 6)
        beam = lv.Beam(
            lambda s: RANDOM @ (100.0 * np.array([1.0 - np.cos(np.pi / 4 * s), np.sin(np.pi / 4 * s), 0.0])),
            n,
            section=section,
            material=lv.Material(E=1e7, nu=0.0, density=1.0),
        )
        m.add(beam)
        m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0)))
        m.add(lv.Load(beam.end.point(0, 0, 0), force=RANDOM @ (0.0, 0.0, 600.0)))
        rest = lv.equilibrium(m, load_steps=4)
        assert rest.stable
        return RANDOM.T @ rest.position(beam.end)[0]

    coarse, middle, fine = tip(4), tip(8), tip(16)
    assert np.abs(fine - [15.69, 47.17, 53.44]).max() < 0.005
    assert 1.9 < np.log2(np.linalg.norm(middle - coarse) / np.linalg.norm(fine - middle)) < 2.1
    limit = fine + (fine - middle) / 3.0
    assert np.abs(limit - [15.68, 47.15, 53.47]).max() < 0.01


def elastica(a):
    """Tip (x, y)/L of a cantilever with a force across it, P L²/EI = a, by elliptic integrals (Bisshopp, Drucker)."""
    k = brentq(
        lambda k: ellipk(k * k) - ellipkinc(np.arcsin(1 / (k * np.sqrt(2))), k * k) - np.sqrt(a),
        1 / np.sqrt(2) + 1e-12, 1 - 1e-12, xtol=1e-15,
    )  # fmt: skip
    y = 1.0 - 2.0 / np.sqrt(a) * (ellipe(k * k) - ellipeinc(np.arcsin(1 / (k * np.sqrt(2))), k * k))
    return np.sqrt(2.0 * (2.0 * k * k - 1.0) / a), y


@pytest.mark.parametrize(("rigid", "sizes"), [(True, (16, 32)), (False, (4, 8, 16))])
def test_elastica(rigid, sizes):
    """Second order to the closed form, without shear and stretch as constraints, or with very large stiffnesses."""
    exact, errors = elastica(10.0), []
    for n in sizes:
        m, beam = cantilever(
            n, stiffnesses=(1e9, 1e9, 1e9, 1.0, 1.0, 1.0), mass_per_length=1.0, inertia_per_length=(1e-3, 1e-3),
            shearable=not rigid, extensible=not rigid,
        )  # fmt: skip
        m.add(lv.Load(beam.end.point(0, 0, 0), force=10.0 * RANDOM[:, 2]))
        rest = lv.equilibrium(m, load_steps=4)
        x, z, y = RANDOM.T @ rest.position(beam.end)[0]
        assert abs(z) < 1e-9
        errors.append(np.hypot(x - exact[0], y - exact[1]))
    assert errors[-1] < (0.33 if rigid else 0.21) / sizes[-1] ** 2
    assert np.abs(np.log2(np.array(errors[:-1]) / errors[1:]) - 2.0).max() < 0.03


def rod_tip(C, length, force):
    """The tip of a clamped geometrically exact rod along z by solve_bvp: r, quaternion, moment m in world axes.

    r′ = R (e₃ + C₁⁻¹Rᵀn),   q′ = ½ q ∘ C₂⁻¹Rᵀm,   m′ = −r′ × n,   n = force;   r(0) = 0, q(0) = 1, m(L) = 0.
    """
    n = np.array(force)

    def slopes(s, y):
        w = np.moveaxis(y[3:7], 0, -1)
        R = Rotation.from_quat(w).as_matrix()
        slope = np.einsum("kij,kj->ki", R, np.einsum("kji,j->ki", R, n) / C[:3] + [0, 0, 1])
        kappa = np.einsum("kji,jk->ki", R, y[7:]) / C[3:]
        v, c = w[:, :3], w[:, 3:]
        turn = 0.5 * np.concatenate([c * kappa + np.cross(v, kappa), -np.sum(v * kappa, axis=1, keepdims=True)], axis=1)
        return np.concatenate([slope.T, turn.T, -np.cross(slope, n).T])

    def ends(a, b):
        return np.concatenate([a[:3], a[3:7] - [0, 0, 0, 1], b[7:]])

    s = np.linspace(0.0, length, 41)
    y = np.zeros((10, len(s)))
    y[2], y[6] = s, 1.0
    found = solve_bvp(slopes, ends, s, y, tol=1e-10, max_nodes=20000)
    assert found.success
    return found.y[:3, -1]


def test_princeton_beam():
    """The Princeton experiment (Dowell, Traybar 1975): an aluminium blade, 0.508 m × 12.377 mm × 3.2024 mm, with a tip
    load at an angle to its section: bending about both axes with twist, against a boundary value solver of this rod."""
    section, material = lv.Section.rectangle(12.377e-3, 3.2024e-3), lv.Material(E=71.7e9, nu=0.31, density=2700.0)
    C = section.stiffnesses(material)
    for angle in np.radians([30.0, 75.0]):
        force = 13.345 * np.array([np.sin(angle), np.cos(angle), 0.0])
        exact, tips = rod_tip(C, 0.508, force), []
        for n in (8, 16):
            m = lv.Model()
            beam = m.add(lv.Beam([(0, 0, 0), 0.508 * RANDOM[:, 2]], n, section, material, up=RANDOM[:, 0]))
            m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0)))
            m.add(lv.Load(beam.end.point(0, 0, 0), force=RANDOM @ force))
            tips.append(RANDOM.T @ lv.equilibrium(m, load_steps=4).position(beam.end)[0])
        errors = [np.linalg.norm(tip - exact) for tip in tips]
        assert abs(np.log2(errors[0] / errors[1]) - 2.0) < 0.1
        assert np.linalg.norm((4.0 * tips[1] - tips[0]) / 3.0 - exact) < 1e-5 * 0.508


def test_follower_force_and_stability():
    """A column beyond Euler's load is unstable; load steps refuse nonsense; a body that nothing holds is named."""
    m, beam = cantilever(8, stiffnesses=(1e4, 1e4, 1e4, 1.0, 1.0, 1.0), mass_per_length=1.0)
    critical = np.pi**2 / 4.0
    for load, word in ((0.97 * critical, "stable"), (1.03 * critical, "unstable")):
        pushed = m.with_things([*m.things, lv.Load(beam.end.point(0, 0, 0), force=-load * RANDOM[:, 0], name="p")])
        assert lv.equilibrium(pushed, load_steps=2).stability == word
    with pytest.raises(lv.ModelError, match="load_steps must be a whole number"):
        lv.equilibrium(m, load_steps=0)
    loose = lv.Model(gravity=(0, 0, -9.81))
    loose.add(lv.Body(lv.Ball(0.1, mass=1.0), name="ball"))
    with pytest.raises(lv.ModelError, match="no equilibrium found beyond 0 %"):
        lv.equilibrium(loose, load_steps=1)


@pytest.mark.parametrize(("seed", "axial"), [(0, 30.0), (1, 3e3), (2, 1e8)])
def test_slack_cable_hangs_up(seed, axial):
    """From a straight start in which it is slack, between supports of different heights, in any orientation and size:
    the links are ℓ (1 + T/EA) long along their tensions (H, V + k w ℓ), T = |(H, V + k w ℓ)|."""
    rng, R = np.random.default_rng(seed), Rotation.random(random_state=seed).as_matrix()
    size, n, g = 10.0 ** rng.uniform(-1, 1), 8, 9.81
    span, rise, length, mu = size, 0.3 * size, 1.4 * size, 0.5
    stiff = axial * size
    m = lv.Model(gravity=-g * R[:, 2])
    ends = [np.zeros(3), R @ (span, 0.0, rise)]
    cable = m.add(lv.Cable(ends, n, mu, axial=stiff, length=length))
    for point, node in zip(ends, (cable.start, cable.end), strict=True):
        m.add(lv.Spherical(m.world.point(*point), node.center))
    rest = lv.equilibrium(m, load_steps=2)
    assert rest.stable
    x = np.array([rest.position(body)[0] for body in cable.bodies]) @ R
    weight = mu * g * length / n

    def links(H, V):
        vertical = V + weight * np.arange(n)
        T = np.hypot(H, vertical)
        return length / n * (1.0 + T / stiff)[:, None] * np.stack([H / T, vertical / T], axis=1)

    start = [0.3 * n * weight, -0.3 * n * weight]
    H, V = fsolve(lambda y: (links(*y).sum(axis=0) - [span, rise]) / size, start, xtol=1e-14)
    assert np.abs(x[1:, [0, 2]] - np.cumsum(links(H, V), axis=0)).max() < 1e-8 * size
    assert np.abs(x[:, 1]).max() < 1e-8 * size


def test_cable_that_nothing_holds_is_refused():
    """A slack cable without gravity has no equilibrium that could be found; one held at an end hangs straight down."""
    free = lv.Model()
    cable = free.add(lv.Cable([(0, 0, 0), (1, 0, 0)], 3, 0.5, axial=100.0, length=1.3))
    free.add(lv.Spherical(free.world.point(0, 0, 0), cable.start.center))
    with pytest.raises(lv.ModelError, match="no equilibrium found"):
        lv.equilibrium(free, load_steps=1)
    m = lv.Model(gravity=(0, 0, -10.0))
    rope = m.add(lv.Cable([(0, 0, 0), (1, 0, 0)], 4, 0.5, axial=1e4, length=1.2))
    m.add(lv.Spherical(m.world.point(0, 0, 0), rope.start.center))
    z = lv.equilibrium(m, load_steps=1).position(rope.end)[0]
    tension = 0.5 * 10.0 * 0.3 * (np.arange(4) + 0.5)
    assert z == pytest.approx([0.0, 0.0, -(1.2 + 0.3 * tension.sum() / 1e4)], abs=1e-9)
