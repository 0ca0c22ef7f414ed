"""Inverse dynamics by prescribed motion: six legs move a platform through a given motion, and their forces are read.

Checked from outside: the platform is where the geometry says, and the power of the legs, Σ F dl/dt, is the change of
the energy of all bodies.
"""

import numpy as np
from scipy.interpolate import make_interp_spline as spline

import livens as lv

LOW, HIGH, HEIGHT, LEG = 1.0, 0.6, 1.2, 1.0  # radii of base and platform, height, mass of half a leg [m, m, m, kg]


def ring(radius, spread):
    angle = np.repeat(2 * np.pi * np.arange(3) / 3, 2) + np.tile([-spread, spread], 3)
    return radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)


BASE, TOP = ring(LOW, 0.25), ring(HIGH, np.pi / 3 - 0.25)


def pose(t):
    s = np.sin(2.0 * t) ** 2
    return lv.Pose.from_axis_angle((0.3, 1.0, 0.2), 0.2 * s, at=(0.1 * s, 0.05 * s, HEIGHT + 0.1 * s))


def lengths(k, until):
    """The length of leg k as a spline of time."""
    t = np.linspace(-0.1, until + 0.1, 400)
    return spline(t, [np.linalg.norm(pose(x).a + pose(x).B @ TOP[k] - BASE[k]) for x in t], k=7)


def main(h=2e-3, until=1.5):
    m = lv.Model(gravity=(0, 0, -9.81), name="Stewart platform")
    plate = m.add(lv.Body(lv.Cylinder(HIGH, 0.08, mass=50.0), at=(0, 0, HEIGHT), name="platform"))
    for k in range(6):
        low, high = BASE[k], np.array([0, 0, HEIGHT]) + TOP[k]
        u = (high - low) / np.linalg.norm(high - low)
        across = np.cross(u, (0, 0, 1)) / np.linalg.norm(np.cross(u, (0, 0, 1)))
        turn = np.stack([across, np.cross(u, across), u], axis=1)
        tube = m.add(lv.Body(lv.Cylinder(0.05, 0.7, mass=LEG), at=low + 0.35 * u, rotation=turn, name=f"tube {k}"))
        bar = m.add(lv.Body(lv.Cylinder(0.03, 0.7, mass=LEG), at=high - 0.35 * u, rotation=turn, name=f"bar {k}"))
        m.add(lv.Universal(m.world.point(*low), tube.point_at(*low), axis_a=across, axis_b=np.cross(u, across)))
        leg = {"drive": lengths(k, until), "start": float(np.linalg.norm(high - low)), "name": f"leg {k}"}
        m.add(lv.Prismatic(tube.center, bar.point_at(*tube.pose.a), axis=u, **leg))
        m.add(lv.Spherical(bar.point_at(*high), plate.point_at(*high)))
    return lv.simulate(m, lv.Livens(order=4), h=h, until=until, every=5)


def check():
    motion = main()
    assert np.abs(motion.position("platform") - [pose(t).a for t in motion.t]).max() < 1e-9
    power = sum(motion.effort(f"leg {k}") * motion.rate(f"leg {k}") for k in range(6))
    assert np.abs(power - np.gradient(motion.energy, motion.t))[1:-1].max() < 2e-2 * np.abs(power).max()
    assert abs(motion.work[-1] - motion.energy[-1] + motion.energy[0]) < 1e-5 * motion.kinetic.max()


if __name__ == "__main__":
    main().to_html("stewart_platform.html")
