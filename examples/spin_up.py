"""Spin-up of a flexible robot arm: a hinge turns a beam from rest to 6 rad/s within 15 s (Simo and Vu-Quoc 1987).

The arm lags behind, then swings past. In steady rotation its tip is farther out by L (tan α/α − 1), α = ωL√(ρA/EA):
5.14e-4 m, which the published computations give, too.
"""

import numpy as np

import livens as lv

LENGTH, SPEED, RISE = 10.0, 6.0, 15.0  # m, rad/s, s
EA, GA, EI, MASS = 2.8e7, 1.0e7, 1.4e4, 1.2  # N, N, N m², kg/m


# the angle of the hinge [rad]: (ω/T) (t²/2 + (T/2π)² (cos(2πt/T) − 1)), then ω (t − T/2)
RISING = "6/15*(t**2/2 + (15/(2*pi))**2*(cos(2*pi*t/15) - 1))"
ANGLE = lv.Expression(f"({RISING})*(t < 15) + 6*(t - 7.5)*(t >= 15)")


def main(sections=5, until=8.0):
    m = lv.Model(name="spin-up")
    arm = m.add(
        lv.Beam([(0, 0, 0), (LENGTH, 0, 0)], sections, stiffnesses=(GA, GA, EA, EI, EI, EI), mass_per_length=MASS)
    )
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.start.point(0, 0, 0), axis=(0, 0, 1), drive=ANGLE, name="hinge"))
    return lv.simulate(m, h=3e-4, until=until, every=80)


def check():
    """Steady rotation: the mean distance of the tip from the axis, over more than a period of its vibration."""
    motion = main(until=16.5)
    radius = np.linalg.norm(motion.position("beam.5")[motion.t > 15.5], axis=1)
    alpha = SPEED * LENGTH * np.sqrt(MASS / EA)
    exact = LENGTH * (np.tan(alpha) / alpha - 1)
    assert abs(exact - 5.14e-4) < 1e-6  # published: 5.14e-4
    assert abs(radius.mean() - LENGTH - exact) < 0.02 * exact  # five sections


if __name__ == "__main__":
    main().to_html("spin_up.html")
