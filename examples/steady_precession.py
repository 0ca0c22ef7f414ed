"""A spinning top that precesses without nodding: steady precession of the heavy symmetric top.

With J the moment about the pivot across the axis, C the one about it, s the spin about the axis and θ the tilt, the top
precesses steadily with Ω if C s Ω − J Ω² cos θ = m g l, where s contains the part Ω cos θ. There are two such rates.
"""

import numpy as np

import livens as lv

MASS, LENGTH, TILT, SPIN, G = 0.5, 0.1, 0.6, 400.0, 9.81  # kg, pivot to centre [m], rad, rad/s, m/s²
C, ACROSS = 4e-4, 2.5e-4  # moments about the centre of mass [kg m²]
J = ACROSS + MASS * LENGTH**2


def rates():
    """The slow and the fast precession [rad/s]."""
    return np.sort(np.roots([-J * np.cos(TILT), C * SPIN, -MASS * G * LENGTH]))


def main(fast=False, h=2e-4, until=4.0):
    rate = rates()[1 if fast else 0]
    m = lv.Model(gravity=(0, 0, -G), name="steady precession")
    turn = lv.Pose.from_axis_angle((0, 1, 0), TILT).B
    axis, vertical = turn @ [0, 0, 1], np.array([0.0, 0, 1])
    shape = lv.Solid(lv.MassProperties(MASS, (ACROSS, ACROSS, C)), lv.Cylinder(0.04, 0.02, mass=1.0).surface)
    omega = rate * vertical + (SPIN - rate * np.cos(TILT)) * axis
    start = {"at": LENGTH * axis, "rotation": turn, "velocity": np.cross(omega, LENGTH * axis)}
    top = m.add(lv.Body(shape, **start, angular_velocity=omega, name="top"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), top.point(0, 0, -LENGTH), name="pivot"))
    return lv.simulate(m, lv.Livens(order=4), h=h, until=until, every=10)


def check():
    for fast in (False, True):
        motion = main(fast, until=1.0)
        axis = motion.rotation("top")[:, :, 2]
        assert np.abs(np.arccos(axis[:, 2]) - TILT).max() < 1e-6
        around = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
        assert abs((around[-1] - around[0]) / motion.t[-1] / rates()[int(fast)] - 1.0) < 1e-6


if __name__ == "__main__":
    print("precession [rad/s]: slow {:.3f}, fast {:.3f}".format(*rates()))
    main().to_html("steady_precession.html")
