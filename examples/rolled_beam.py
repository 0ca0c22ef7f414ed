"""Statics of a beam: a moment 2πEI/L rolls a cantilever up to a circle.

Sections with constant curvature between them lie on a circle exactly, so that both ends meet to round-off with any
number of sections. The strain of the surface, ±πd/L, colours the picture.
"""

import numpy as np

import livens as lv

LENGTH, RADIUS, SECTIONS = 1.0, 0.02, 16  # m, m
RUBBER = lv.Material(E=5e6, nu=0.45, density=1100)


def main(turns=0.8):
    """The beam at rest, with the moment that closes so many turns."""
    m = lv.Model(name="rolled beam")
    section = lv.Section.circle(RADIUS)
    beam = m.add(lv.Beam([(0, 0, 0), (LENGTH, 0, 0)], SECTIONS, section, RUBBER, name="beam"))
    m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0), name="clamp"))
    moment = 2 * np.pi * turns * RUBBER.E * section.second_moments[0] / LENGTH
    m.add(lv.Load(beam.end.point(0, 0, 0), torque=(0, -moment, 0), name="moment"))
    return lv.equilibrium(m, load_steps=8)


def check():
    rest = main(turns=1.0)
    ends = rest.position(f"beam.{SECTIONS}")[0] - rest.position("beam.0")[0]
    assert np.abs(ends).max() < 1e-11 * LENGTH
    middle = rest.position(f"beam.{SECTIONS // 2}")[0]
    np.testing.assert_allclose(middle, [0, 0, LENGTH / np.pi], atol=1e-10)  # a diameter away


if __name__ == "__main__":
    main().to_html("rolled_beam.html")
