"""Beams with the scheme that conserves energy exactly: at steps beyond the limit of explicit ones."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv

pytest.importorskip("casadi")


def helix(s):
    return np.array([np.cos(4 * s), np.sin(4 * s), 0.5 * s])


@pytest.mark.parametrize("phase", [2.3, 10.0])
@pytest.mark.parametrize("seed", range(2))
def test_free_beam_beyond_the_explicit_limit(seed, phase):
    """hω = 2.3 and 10: energy, momentum and angular momentum are constant to round-off; the explicit step has no
    solution or gains energy there."""
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model()
    stiffnesses = (400.0, 500.0, 900.0, 3.0, 4.0, 5.0)
    beam = lv.Beam(lambda s: R @ helix(s), 6, stiffnesses=stiffnesses, mass_per_length=1.0, up=R[:, 2], twist=0.7)
    m.add(beam)
    beam.start.velocity = R @ (0.4, -0.2, 0.3)
    h = phase / lv.stiffness(m).frequency
    motion = lv.simulate(m, lv.EnergyMomentum(), h=h, until=200 * h)
    assert np.ptp(motion.energy) < 1e-11 * motion.energy[0]
    assert np.ptp(motion.momentum, axis=0).max() < 1e-13
    assert np.ptp(motion.angular_momentum, axis=0).max() < 1e-13
    try:
        explicit = np.ptp(lv.simulate(m, h=h, until=200 * h).energy)
    except lv.StepFailed:
        explicit = np.inf
    assert explicit > 0.1 * motion.energy[0]


def test_axial_vibration_of_a_steel_cantilever():
    """Pulled along itself and released, with a step ten times the radian of the first axial mode, 10/ω: the energy is
    constant to the round-off of its strains, eps·EA·Γ·L per step of 0.03 J."""
    R = Rotation.random(random_state=3).as_matrix()
    steel, section = lv.Material(E=2.1e11, nu=0.3, density=7850.0), lv.Section.circle(0.005)
    m = lv.Model()
    beam = m.add(lv.Beam([(0, 0, 0), R[:, 0]], 6, section, steel, up=R[:, 1]))
    m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0)))
    pulled = m.with_things([*m.things, lv.Load(beam.end.point(0, 0, 0), force=1e3 * R[:, 0], name="pull")])
    rest = lv.equilibrium(pulled, load_steps=1)
    h, steps = 10.0 / (0.5 * np.pi * np.sqrt(2.1e11 / 7850.0)), 100
    motion = lv.simulate(m, lv.EnergyMomentum(), h=h, until=steps * h, start=rest.state)
    stretch = 1e3 / (steel.E * section.area)
    noise = np.finfo(float).eps * steel.E * section.area * stretch * 6
    assert np.ptp(motion.energy) < 10 * steps * noise
    assert motion.energy[0] == pytest.approx(0.5 * 1e3 * stretch, rel=1e-3)


@pytest.mark.parametrize("options", [{"bending": 0.01}, {"axial": 1e4, "bending": 1.0}, {"axial": 1e4}])
@pytest.mark.parametrize("seed", range(2))
def test_cables_that_are_almost_straight(seed, options):
    """Three nodes on one line have a rotation that does not move them; energies of bending are smooth there."""
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model(gravity=-9.81 * R[:, 2])
    cable = m.add(lv.Cable([(0, 0, 0), R[:, 0]], 12, mass_per_length=0.5, **options))
    m.add(lv.Spherical(m.world.point(0, 0, 0), cable.start.center))
    cable.end.velocity = R @ (0.0, 0.5, 0.0)
    motion = lv.simulate(m, lv.EnergyMomentum(), h=2e-3, until=0.5)
    assert np.ptp(motion.energy) < 1e-12 * motion.kinetic.max()
    L = motion.angular_momentum @ R[:, 2]
    assert np.ptp(L) < 1e-12 * np.abs(L).max()
    assert motion.iterations < 6.0
