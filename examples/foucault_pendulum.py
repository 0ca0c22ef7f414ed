"""A force of your own: Foucault's pendulum turns with the vertical part of the earth's rotation.

In the turning frame the Coriolis force −2m Ω × v acts on the bob: one line of Python. The plane of small swings turns
by −Ω sin φ per second at the latitude φ, whatever the length. Here the earth turns once in 20 minutes.
"""

import numpy as np

import livens as lv

LATITUDE, LENGTH, SWING = np.radians(48.85), 67.0, 0.02  # rad (Paris), m, rad
EARTH = 2 * np.pi / 1200.0  # rad/s
OMEGA = EARTH * np.array([np.cos(LATITUDE), 0.0, np.sin(LATITUDE)])  # x to the north


def main(h=0.05, until=300.0):
    m = lv.Model(gravity=(0, 0, -9.81), name="Foucault pendulum")
    place = LENGTH * np.array([np.sin(SWING), 0, 1 - np.cos(SWING)])
    start = np.cross(-EARTH * np.array([0, 0, np.sin(LATITUDE)]), place)  # at rest in the plane that turns
    bob = m.add(lv.Body(lv.Ball(0.5, mass=28.0), at=place, velocity=start, name="bob"))
    m.add(lv.Rod(m.world.point(0, 0, LENGTH), bob.center, length=LENGTH, name="wire"))
    m.add(lv.Force(bob.center, lambda b: -2 * 28.0 * lv.cross(OMEGA, b[bob].velocity((0, 0, 0))), name="Coriolis"))
    return lv.simulate(m, h=h, until=until)


def turned(motion):
    """Angle of the plane of the swings [rad] over the motion, at the turning points."""
    x, y, _ = motion.position("bob").T
    far = np.hypot(x, y)
    k = np.nonzero((far[1:-1] > far[:-2]) & (far[1:-1] >= far[2:]))[0] + 1
    return motion.t[k], np.unwrap(2 * np.arctan2(y[k], x[k])) / 2


def check():
    t, angle = turned(main())
    rate = np.polyfit(t, angle, 1)[0]
    assert abs(rate / (-EARTH * np.sin(LATITUDE)) - 1.0) < 2e-3


if __name__ == "__main__":
    t, angle = turned(main())
    print(f"{np.polyfit(t, angle, 1)[0]:.6f} rad/s, expected {-EARTH * np.sin(LATITUDE):.6f} rad/s")
