"""A constraint of your own: beads on a cycloid swing with one period, whatever the amplitude (Huygens 1673).

With s the arc length from the lowest point, a cycloid of radius r has the height z = s²/(8r), so that s″ = −g s/(4r):
the period is 4π √(r/g). The curve is written as an equation between x and z, with x² = (r φ + √(2rz − z²))² and
φ = arccos(1 − z/r); livens differentiates it.
"""

import numpy as np

import livens as lv

R, G = 0.25, 9.81  # m, m/s²
PERIOD = 4 * np.pi * np.sqrt(R / G)
STARTS = (0.6, 1.4, 2.4)  # angle u at the start: x = r (u + sin u), z = r (1 − cos u)


def main(h=5e-4, until=0.24 * PERIOD):
    """The beads run down from rest, nearly to the lowest point."""
    m = lv.Model(gravity=(0, 0, -G), name="tautochrone")
    for k, u in enumerate(STARTS):
        place = (R * (u + np.sin(u)), 0.2 * k, R * (1 - np.cos(u)))
        bead = m.add(lv.Body(lv.PointMass(0.1), at=place, name=f"bead {k}"))

        def cycloid(b, bead=bead, y=0.2 * k):
            x = b[bead].position
            curve = R * lv.acos(1 - x[2] / R) + lv.sqrt(2 * R * x[2] - x[2] ** 2)
            return [x[0] - curve, x[1] - y]

        m.add(lv.Constraint(cycloid, bodies=[bead], name=f"wire {k}"))
    return lv.simulate(m, lv.Livens(order=4), h=h, until=until)


def check():
    motion = main()
    for k, u in enumerate(STARTS):
        z = motion.position(f"bead {k}")[:, 2]
        arc = np.sqrt(8 * R * z)  # harmonic, with the same period for all beads
        np.testing.assert_allclose(arc, 4 * R * np.sin(u / 2) * np.cos(2 * np.pi * motion.t / PERIOD), atol=1e-6)
    assert motion.defect_position.max() < 1e-11


if __name__ == "__main__":
    print(f"period {PERIOD:.6f} s for all amplitudes")
    main().to_html("tautochrone.html", speed=0.2)
