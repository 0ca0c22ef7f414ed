"""A ball joint: the fast heavy top of Brüls, Cardona & Arnold (2012), with pivot forces of about 800 N.

The spin about its axis and the angular momentum about the vertical are conserved, and the joint constraint is satisfied
to machine precision. The centre of mass agrees with an accurate solution in other coordinates.
"""

import numpy as np

import livens as lv

SPIN, PRECESSION = 150.0, -4.61538  # rad/s
REFERENCE = np.array([0.173343964098, 0.640088592071, -0.748490791134])  # centre of mass at t = 1 s [m]


def main(h=1e-3, order=4):
    m = lv.Model(gravity=(0, 0, -9.81), name="heavy top")
    matter = lv.MassProperties(15.0, (0.234375, 0.46875, 0.234375))
    rates, velocity = (0, SPIN, PRECESSION), (-PRECESSION, 0, 0)
    top = m.add(lv.Body(matter, at=(0, 1, 0), velocity=velocity, body_rates=rates, name="top"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), top.point(0, -1, 0), name="pivot"))
    return lv.simulate(m, lv.Livens(order=order), h=h, until=1.0, every=10)


def check():
    motion = main()
    missed = [np.linalg.norm(main(h).position("top")[-1] - REFERENCE) for h in (1e-3, 5e-4)]
    assert missed[0] < 1e-6
    assert 13.0 < missed[0] / missed[1] < 19.0
    assert np.abs(motion.body_rates("top")[:, 1] - SPIN).max() < 1e-9
    assert np.ptp(motion.angular_momentum[:, 2]) < 1e-10
    assert motion.defect_position.max() < 1e-11
    assert motion.defect_velocity.max() < 1e-11


if __name__ == "__main__":
    motion = main()
    print(motion.report())
    print("force of the pivot on the top at t = 1 s:", motion.reaction("pivot")[-1].round(3), "N")
