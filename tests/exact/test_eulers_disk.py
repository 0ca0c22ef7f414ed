"""Euler's disk with rolling resistance: it stops at a finite time."""

from __future__ import annotations

import numpy as np
import pytest

import livens as lv
from tests.helpers.frames import Frame, G


@pytest.mark.parametrize("frame", [Frame(0), Frame(1)], ids=["plain", "turned"])
def test_it_follows_its_finite_time_law(frame):
    """A thin disk of radius r that rolls about its centre at the tilt θ has E = 3/2 m g r sin θ and turns at ω = √(4 g
    sin θ/r) about the line to its lowest point. Rolling resistance of the length ρ takes ρ m g ω out, so that

        √θ falls at the constant rate ⅔ (ρ/r) √(g/r)

    for small tilts that change slowly.
    """
    r, rolling, tilt, thick = 0.1, 0.001, 0.1, 1e-4
    m = frame.model()
    turn = lv.Pose.from_axis_angle((0, 1, 0), tilt).B
    spin = np.sqrt(4.0 * G * np.sin(tilt) / r) * turn[:, 0]
    at = (0.0, 0.0, r * np.sin(tilt) + 0.5 * thick * np.cos(tilt))
    shape = lv.Cylinder(r * frame.unit, thick * frame.unit, mass=1.0)
    disk = frame.body(m, shape, at, spin=spin, turn=turn, name="disk")
    m.add(lv.Contact(frame.floor(m), disk, friction=2.0, rolling=rolling * frame.unit))
    motion = lv.simulate(m, h=1e-3, until=2.0)
    height = frame.back(motion.position(disk))[:, 2]
    E = motion.kinetic / frame.unit**2 + G * height
    root = np.sqrt(np.arcsin(E / (1.5 * G * r)))
    pace = 2.0 / 3.0 * rolling / r * np.sqrt(G / r)
    assert np.abs(root - (np.sqrt(tilt) - pace * motion.t)).max() < 0.01 * np.sqrt(tilt)
    late = motion.t > 1.0
    assert -np.polyfit(motion.t[late], root[late], 1)[0] == pytest.approx(pace, rel=0.015)
    assert np.ptp(motion.energy + motion.dissipated) < 1e-3 * np.ptp(motion.energy)
    assert height.min() > 0.0
