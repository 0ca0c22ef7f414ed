"""A screw: a nut without friction runs down a steep thread by its own weight.

With the pitch p per turn it moves by p/2π for each radian, and falls with g / (1 + J (2π/p)² / m).
"""

import numpy as np

import livens as lv

PITCH, MASS, G = 0.1, 0.5, 9.81  # m, kg, m/s²
NUT = lv.Cylinder(0.05, 0.04, mass=MASS)


def main(h=2e-3, until=1.0):
    m = lv.Model(gravity=(0, 0, -G), name="screw jack")
    nut = m.add(lv.Body(NUT, name="nut"))
    m.add(lv.Screw(m.world.point(0, 0, 0), nut.center, axis=(0, 0, 1), pitch=PITCH, name="thread"))
    return lv.simulate(m, h=h, until=until)


def check():
    J = NUT.mass_properties.inertia[2, 2]
    a, errors = G / (1 + J * (2 * np.pi / PITCH) ** 2 / MASS), []
    for h in (2e-3, 1e-3):
        motion = main(h)
        turn, height = motion.coordinate("thread").T
        assert np.abs(height - PITCH * turn / (2 * np.pi)).max() < 1e-11
        errors.append(np.abs(height + 0.5 * a * motion.t**2).max())
        assert errors[-1] < 0.1 * (2 * np.pi / PITCH * a * motion.t[-1] * h) ** 2 * np.abs(height).max()
    assert 3.5 < errors[0] / errors[1] < 4.5  # order 2


if __name__ == "__main__":
    motion = main()
    print(f"{motion.coordinate('thread')[-1, 0] / (2 * np.pi):.2f} turns in {motion.t[-1]:.0f} s")
