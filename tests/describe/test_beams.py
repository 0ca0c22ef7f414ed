"""Beams and cables as descriptions: matter, curves, energy by differences, invariance, files, errors."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from livens.describe.beams.centreline import centreline
from livens.describe.beams.strain import strains
from livens.describe.mass import MassProperties
from livens.describe.pose import Pose

pytest.importorskip("casadi")

STEEL = lv.Material(E=210e9, nu=0.3, density=7850.0)
STIFFNESSES = (400.0, 500.0, 900.0, 3.0, 4.0, 5.0)


def helix(s):
    return np.array([np.cos(4 * s), np.sin(4 * s), 0.5 * s])


@pytest.mark.parametrize(
    ("section", "solid"),
    [
        (lv.Section.circle(0.03), lv.Cylinder(0.03, 2.0, density=7850.0)),
        (lv.Section.rectangle(0.02, 0.05), lv.Box(0.02, 0.05, 2.0, density=7850.0)),
    ],
)
def test_matter_of_a_straight_beam(section, solid):
    """Mass, centre and moments of inertia of the pieces together are those of the whole."""
    beam = lv.Beam([(0, 0, -1), (0, 0, 1)], 7, section, STEEL, up=(1, 0, 0))
    total = None
    for body in beam.bodies:
        moved = body.mass_properties.moved(Pose(body.pose.a, body.pose.B))
        total = moved if total is None else total + moved
    assert isinstance(total, MassProperties)
    assert total.mass == pytest.approx(solid.mass_properties.mass, rel=1e-13)
    assert np.abs(total.center).max() < 1e-14
    assert np.abs(total.inertia - solid.mass_properties.inertia).max() < 1e-13 * solid.mass_properties.inertia.max()


def test_tube_and_given_properties():
    """Cowper's shear factors at both ends of their range; without a section matter follows from the numbers."""
    assert lv.Section.circle(1.0).shear[0] == pytest.approx(6 / 7)
    assert lv.Section.tube(1.0, 1.0 - 1e-9).shear[0] == pytest.approx(0.5)
    tube = lv.Beam([(0, 0, 0), (0, 0, 1)], 2, lv.Section.tube(0.03, 0.02), STEEL)
    assert tube.bodies[1].mass_properties.mass == pytest.approx(7850 * np.pi * (0.03**2 - 0.02**2) * 0.5)
    given = lv.Beam([(0, 0, 0), (0, 0, 1)], 2, stiffnesses=(1, 1, 10.0, 2.0, 3.0, 1), mass_per_length=5.0)
    slim = 5.0 * 0.5**3 / 12
    expected = (0.5 * 5 * 0.2 + slim, 0.5 * 5 * 0.3 + slim, 0.5 * 5 * 0.5)
    assert given.bodies[1].mass_properties.inertia.diagonal() == pytest.approx(expected)


def test_sections_along_curves():
    """Equal arc lengths; tangents and the frames that do not twist of a helix; circles through points are exact."""
    line = centreline(helix, 12, (0, 0, 1), 0.0, "it")
    assert line.s[-1] == pytest.approx(np.hypot(4.0, 0.5), rel=1e-9)
    assert np.ptp(np.diff(line.s)) < 1e-12
    u = line.s / line.s[-1]
    tangent = np.stack([-4 * np.sin(4 * u), 4 * np.cos(4 * u), 0.5 + 0 * u], axis=1) / np.hypot(4.0, 0.5)
    assert np.abs(line.B[:, :, 2] - tangent).max() < 1e-8
    gamma, kappa = strains(line.x, line.B, np.diff(line.s))
    assert np.abs(np.abs(gamma - [0, 0, 1])).max() < 0.02
    assert np.linalg.norm(kappa, axis=1) == pytest.approx(16 / (16 + 0.25), rel=0.02)
    assert np.abs(kappa[:, 2]).max() < 0.02 * line.s[1] ** 2  # no twist
    angle = np.cumsum([0.0, 0.1, 0.3, 0.2, 0.25])
    points = np.stack([np.sin(angle), 0 * angle, 1 - np.cos(angle)], axis=1)
    line = centreline(points, 4, None, 0.0, "it")
    assert line.s == pytest.approx(angle)
    gamma, kappa = strains(line.x, line.B, np.diff(line.s))
    assert np.abs(gamma - [0, 0, 1]).max() < 1e-13
    assert np.linalg.norm(kappa, axis=1) == pytest.approx(1.0)
    twisted = centreline([(0, 0, 0), (0, 0, 2)], 5, (1, 0, 0), 0.8, "it")
    assert np.abs(strains(twisted.x, twisted.B, np.diff(twisted.s))[1] - [0, 0, 0.4]).max() < 1e-14


def test_energy_in_random_positions():
    """V of two sections is ½ ℓ (ΓᵀC₁Γ + κᵀC₂κ) with logarithms of matrices, and no rigid motion changes it."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        turn = Rotation.from_rotvec(rng.normal(size=3))
        relative = Rotation.from_rotvec(rng.uniform(0.0, 2.5) * (n := rng.normal(size=3)) / np.linalg.norm(n))
        x, d = rng.normal(size=3), rng.normal(size=3)
        m = lv.Model()
        a = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=x, rotation=turn.as_matrix(), name="a"))
        b = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=x + d, rotation=(turn * relative).as_matrix(), name="b"))
        row = [0.7, 0.1, -0.2, 1.1, 0.3, 0.2, -0.4]
        m.add(lv.BeamElasticity([a, b], STIFFNESSES, [row]))
        phi = relative.as_rotvec()
        # the translation of the screw: d = ∫₀¹ exp(s φ) ds v, by quadrature
        nodes, weights = np.polynomial.legendre.leggauss(20)
        turns = [Rotation.from_rotvec(0.5 * (1 + s) * phi).as_matrix() for s in nodes]
        V = 0.5 * np.einsum("k,kij->ij", weights, turns)
        gamma = np.linalg.solve(V, turn.inv().apply(d)) / 0.7 - row[1:4]
        kappa = phi / 0.7 - row[4:]
        exact = 0.5 * 0.7 * (np.array(STIFFNESSES) @ np.concatenate([gamma, kappa]) ** 2)
        assert lv.simulate(m, h=1e-9, until=1e-9).potential[0] == pytest.approx(exact, rel=1e-12)


@pytest.mark.filterwarnings("ignore:the initial velocities")  # of the constrained beams
@pytest.mark.parametrize("options", [{}, {"shearable": False}, {"shearable": False, "extensible": False}])
def test_free_helix_conserves(options):
    """A free, curved and twisted beam at rest stays; thrown, its momenta are exact and its energy is bounded."""
    m = lv.Model()
    beam = m.add(lv.Beam(helix, 6, stiffnesses=STIFFNESSES, mass_per_length=1.0, up=(0, 0, 1), twist=0.7, **options))
    still = lv.simulate(m, h=1e-3, until=0.01)
    assert np.ptp(still.position(beam.end), axis=0).max() < 1e-12
    beam.start.velocity = np.array([0.4, -0.2, 0.3])
    coarse, fine = (lv.simulate(m, h=h, until=0.4) for h in (2e-3, 1e-3))
    for motion in (coarse, fine):
        assert np.ptp(motion.momentum, axis=0).max() < 1e-12
        assert np.ptp(motion.angular_momentum, axis=0).max() < 1e-12
        assert motion.defect_position.max() < 1e-11
    swing = [np.ptp(motion.energy) / motion.kinetic.max() for motion in (coarse, fine)]
    assert swing[1] < 1e-3
    assert 3.0 < swing[0] / swing[1] < 5.0


def test_files(tmp_path):
    """Scenes and motions hold the parts, and give the same bits."""
    m = lv.Model(gravity=(0, 0, -9.81))
    beam = m.add(lv.Beam(helix, 3, lv.Section.rectangle(0.02, 0.03), lv.Material(1e7, 1000.0, nu=0.3), shearable=False))
    cable = m.add(lv.Cable([(0, 0, 2), (1, 0, 2)], 3, 0.5, axial=100.0, bending=1e-3, length=1.1))
    m.add(lv.Rigid(m.world.point(*beam.start.pose.a), beam.start.point(0, 0, 0)))
    motion = lv.simulate(m, h=1e-3, until=0.01)
    lv.write_scene(m, tmp_path / "beam.toml")
    again = lv.simulate(lv.read_scene(tmp_path / "beam.toml").model(), h=1e-3, until=0.01)
    motion.save(tmp_path / "beam.nc")
    loaded = lv.load(tmp_path / "beam.nc")
    for name in (beam.end.name, cable.bodies[1].name):
        assert np.array_equal(again.position(name), motion.position(name))
        assert np.array_equal(loaded.position(name), motion.position(name))
    assert [body.name for body in beam.bodies] == ["beam.0", "beam.1", "beam.2", "beam.3"]
    assert m["beam"] is beam.elasticity
    assert [x.name for x in beam.constraints] == ["beam.0-1", "beam.1-2", "beam.2-3"]


def test_cable_pulls_and_does_not_push():
    m = lv.Model()
    cable = m.add(lv.Cable([(0, 0, 0), (1, 0, 0)], 1, 1.0, axial=100.0, length=1.5))
    cable.end.velocity = np.array([0.5, 0.0, 0.0])
    motion = lv.simulate(m, h=1e-3, until=3.0, every=1)
    gap = (motion.position(cable.end) - motion.position(cable.start))[:, 0]
    assert gap[:1000] == pytest.approx(1.0 + 0.5 * motion.t[:1000], abs=1e-12)  # free until it is taut at t = 1 s
    stretched = 0.5 / np.sqrt(100.0 / 1.5 * (2 / 0.75))  # v/ω, reduced mass 0.75/2
    assert gap.max() - 1.5 == pytest.approx(stretched, rel=1e-3)


def test_automatic_step_knows_the_stiffness():
    """The highest frequency is about 2 c/ℓ, c the speed of sound; h="auto" stays below."""
    m = lv.Model()
    beam = m.add(lv.Beam([(0, 0, 0), (1, 0, 0)], 8, lv.Section.rectangle(0.01, 0.01), STEEL))
    fastest = lv.stiffness(m).frequency
    waves = 2.0 * np.sqrt(np.array([STEEL.E, STEEL.G * 3.0 * 5 / 6]) / 7850.0) * 8
    assert 0.9 * waves.min() < fastest < 1.5 * waves.max()
    assert lv.simulate(m, h="auto", until=1e-4).h < 1.0 / fastest
    assert beam.length == pytest.approx(1.0)


@pytest.mark.parametrize(("seed", "options"), [(0, {}), (1, {"shearable": False, "extensible": False})])
def test_automatic_step_is_as_long_as_the_sections_allow(seed, options):
    """In any orientation and size: hω is 0.15 to 0.5 for vibrations between sections, with and without constraints, and
    the error of the step is far below that of the sections. A stiff spring beside the beam is resolved as before."""
    rng, R = np.random.default_rng(seed), Rotation.random(random_state=seed).as_matrix()
    size = 10.0 ** rng.uniform(-1, 1)
    soft = lv.Material(2e6 * size, 1000.0, nu=0.3)

    def strip(n):
        m = lv.Model(gravity=R @ (0, 0, -9.81))
        beam = lv.Beam([(0, 0, 0), size * R[:, 0]], n, lv.Section.rectangle(0.06 * size, 0.02 * size), soft,
                       up=R[:, 1], **options)  # fmt: skip
        m.add(beam)
        m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0)))
        return m, beam

    until = 0.3 * np.sqrt(size)
    ends = []
    for n in (4, 8):
        m, beam = strip(n)
        found, motion = lv.stiffness(m), lv.simulate(m, h="auto", until=until)
        assert 0.15 < motion.h * found.frequency <= 0.5
        assert found.outside == 0.0
        assert "between sections" in str(found)
        fine = lv.simulate(m, h=motion.h / 4, until=until)
        ends.append((motion.position(beam.end)[-1], fine.position(beam.end)[-1]))
    (coarse, exact), (_, better) = ends
    assert np.linalg.norm(coarse - exact) < 0.05 * np.linalg.norm(exact - better)
    m, _ = strip(4)
    ball = m.add(lv.Body(lv.Ball(0.1 * size, mass=1.0), at=2 * size * R[:, 0], name="ball"))
    m.add(lv.Spring(m.world.point(*(3 * size * R[:, 0])), ball.center, stiffness=1e8, length=size))
    assert lv.stiffness(m).outside == pytest.approx(1e4, rel=1e-3)
    assert lv.stiffness(m).step() * 1e4 <= 0.1 + 1e-9


def test_contact_of_a_tube():
    """Its pieces touch with their outer radius; a beam that falls rests on the ground, in any orientation."""
    R = Rotation.random(random_state=2).as_matrix()
    m = lv.Model(gravity=R @ (0, 0, -9.81))
    ends = [R @ (-0.5, 0, 0.1), R @ (0.5, 0, 0.1)]
    tube = m.add(lv.Beam(ends, 4, lv.Section.tube(0.03, 0.02), lv.Material(2e6, 1000.0, nu=0.3), up=R[:, 1]))
    m.add(lv.Contacts(planes=[m.world.plane((0, 0, 0), normal=R[:, 2])]))
    motion = lv.simulate(m, h=1e-3, until=0.3)
    heights = np.array([motion.position(body) @ R[:, 2] for body in tube.bodies])
    assert heights.min() == pytest.approx(0.03, abs=1e-6)
    assert np.abs(heights[:, -1] - 0.03).max() < 1e-3


@pytest.mark.parametrize("seed", range(2))
def test_pieces_of_a_beam_do_not_touch_their_neighbours(seed):
    """A clamped strip falls as it does without contacts until it meets a plane; then it only loses energy, and its
    motion does not depend on the step."""
    R = Rotation.random(random_state=seed).as_matrix()
    rubber, ends = lv.Material(2e6, 1000.0, nu=0.3), []

    def strip(*planes):
        m = lv.Model(gravity=R @ (0, 0, -9.81))
        beam = m.add(lv.Beam([(0, 0, 0), R[:, 0]], 8, lv.Section.rectangle(0.06, 0.02), rubber, up=R[:, 1]))
        m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0)))
        if planes:
            at = [m.world.plane(R @ (0, 0, height), normal=R[:, 2]) for height in planes]
            m.add(lv.Contacts(planes=at))
        return m, beam

    alone, beam = strip()
    free = lv.simulate(alone, h=5e-4, until=0.4).position(beam.end)
    low, beam = strip(-5.0)
    assert np.abs(lv.simulate(low, h=5e-4, until=0.4).position(beam.end) - free).max() < 1e-11
    for h in (5e-4, 2.5e-4):
        m, beam = strip(-0.3)
        motion = lv.simulate(m, h=h, until=0.35)
        heights = np.array([motion.position(body) @ R[:, 2] for body in beam.bodies])
        assert heights.min() > -0.3
        assert np.diff(motion.energy).max() < 1e-3 * np.ptp(motion.energy)
        ends.append(R.T @ motion.position(beam.end)[-1])
    assert np.ptp(free @ R[:, 2]) > 0.35
    assert np.abs(ends[0] - ends[1]).max() < 0.02


@pytest.mark.parametrize("seed", range(2))
def test_load_and_joints_at_inner_sections(seed):
    """A beam on two supports, one of them inside, with loads at inner sections: Euler and Bernoulli, with second
    order. Supports at 0 and L/2, force P at L/4 and at the end."""
    R = Rotation.random(random_state=seed).as_matrix()
    section, P = lv.Section.circle(0.005), 0.5
    EI, errors = STEEL.E * section.second_moments[0], []
    for n in (8, 16):
        m = lv.Model()
        beam = m.add(lv.Beam([(0, 0, 0), R[:, 0]], n, section, STEEL, up=R[:, 1]))
        m.add(lv.Revolute(m.world.point(0, 0, 0), beam.start.point(0, 0, 0), axis=R[:, 1]))
        middle = m.world.point(*(0.5 * R[:, 0]))
        m.add(lv.PointOnLine(middle, beam.bodies[n // 2].point(0, 0, 0), axis=R[:, 0]))
        m.add(lv.Load(beam.bodies[n // 4].point(0, 0, 0), force=P * R[:, 2]))
        m.add(lv.Load(beam.end.point(0, 0, 0), force=P * R[:, 2]))
        found = R.T @ lv.equilibrium(m, load_steps=1).position(beam.end)[0]
        # overhang: P b²(L + b)/3EI with b = L = 1/2; less the slope P L²/16EI of the load at mid-span, times b
        exact = P * 0.25 * 1.0 / (3 * EI) - P * 0.25 / (16 * EI) * 0.5
        errors.append(abs(found[2] / exact - 1.0))
    assert errors[1] < 1.1 / 16**2
    assert 1.8 < np.log2(errors[0] / errors[1]) < 2.1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lv.Beam([(0, 0, 0), (1, 0, 0)], 0, lv.Section.circle(0.1), STEEL), "whole number above zero"),
        (lambda: lv.Beam([(0, 0, 0), (0, 0, 0)], 2, lv.Section.circle(0.1), STEEL), "at one place"),
        (lambda: lv.Beam([(0, 0, 0), (1, 0, 0)], 2, lv.Section.circle(0.1)), "a section and a material"),
        (lambda: lv.Beam([(0, 0, 0), (1, 0, 0)], 2, lv.Section.circle(0.1), STEEL, up=(1, 0, 0)), "points along it"),
        (lambda: lv.Beam(lambda s: (0, 0, 0), 2, lv.Section.circle(0.1), STEEL), "stands still"),
        (lambda: lv.Beam(lambda s: "x", 2, lv.Section.circle(0.1), STEEL), "must give three finite numbers"),
        (lambda: lv.Beam("line", 2, lv.Section.circle(0.1), STEEL), "two points, a list of points"),
        (lambda: lv.Material(1.0, 1.0), "exactly one of G= and nu="),
        (lambda: lv.Section.tube(0.1, 0.2), "less than its radius"),
        (lambda: lv.Cable([(0, 0, 0), (1, 0, 0)], 2, 1.0, length=2.0), "links of constant length"),
        (lambda: lv.BeamElasticity([lv.Body(lv.Ball(1, mass=1))], STIFFNESSES), "two bodies or more"),
        (lambda: lv.Cable([(0, 0, 0), (1, 0, 0)], 2, 1.0, axial=0.0), r"axial of cable 'cable' must be positive"),
        (lambda: lv.Beam([(0, 0, 0), (1, 2, 3), (0, 0, 0)], 2, lv.Section.circle(0.1), STEEL), "turns back at point 1"),
        (
            lambda: lv.Beam([(0, 0, 0), (1, 0, 0)], 2, lv.Section.circle(0.1), STEEL, shearable="no"),
            "shearable of .* must be True or False, not 'no'",
        ),
    ],
)
def test_errors(make, message):
    with pytest.raises(lv.ModelError, match=message):
        make()


@pytest.mark.parametrize("seed", range(3))
def test_a_cable_may_be_folded(seed):
    """A chain that hangs down and up along one line, in any orientation and unit: its length is that of its links. With
    links that only pull, its free end falls as a free body until a link below it is tight."""
    rng, R = np.random.default_rng(seed), Rotation.random(random_state=seed).as_matrix()
    size = 10.0 ** rng.uniform(-2, 2)
    down = np.concatenate([np.linspace(0.0, -1.0, 7), np.linspace(-1.0, 0.0, 7)[1:]])
    m = lv.Model(gravity=-9.81 * R[:, 2])
    points = size * np.outer(down, R[:, 2])
    folded = m.add(lv.Cable(points, 12, mass_per_length=0.5, axial=1e3 * size))
    m.add(lv.Spherical(m.world.point(0, 0, 0), folded.start.center))
    for cable in (folded, lv.Cable(points, 12, mass_per_length=0.5)):
        assert cable.length == pytest.approx(2.0 * size, rel=1e-14)
        assert sum(body.shape.mass for body in cable.bodies) == pytest.approx(size, rel=1e-14)
        assert cable.elasticity.lengths == pytest.approx(np.full(12, size / 6.0), rel=1e-14)
    fall = np.sqrt(0.1 * size / 9.81)
    z = lv.simulate(m, h=0.01 * fall, until=fall).position(folded.end) @ R[:, 2]
    assert z[-1] == pytest.approx(-0.05 * size, rel=1e-9)


def test_every_pair_has_one_structure():
    """Formulas of a beam differ in their numbers only: one tape for all."""
    beam = lv.Beam([(0, 0, 0), (1, 2, 3)], 9, lv.Section.circle(0.1), STEEL)
    kinds = {tuple(term.formula.operations) for term in beam.elasticity.terms()}
    assert len(kinds) == 1
    assert len(list(pairwise(beam.bodies))) == 9
