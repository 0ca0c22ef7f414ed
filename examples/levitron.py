"""A magnetic top that floats in the air within a range of spin rates (the Levitron; M. V. Berry 1996).

A ring of radius A has a field B with b(z) = (1 + z²/A²)^(−3/2) on its axis. A top with the opposite moment has the
energy μ u·B(x), where u is the axis of the top: one line of Python here. No magnet at rest is stable in such a field
(Earnshaw). A spinning top precesses about the local field, and its mean magnetic energy is proportional to |B|. Its
equilibrium is stable across the axis for (b′)² > 2 b b″ and along the axis for b″ > 0: between 0.5 A and 0.63 A. If the
top spins too slowly it falls over; if it spins too fast its axis does not follow the field.
"""

import numpy as np

import livens as lv

A, G = 0.05, 9.81  # radius of the ring [m], gravity [m/s²]
HEIGHT = 0.57 * A  # height at which it floats [m]
MASS = 0.02  # [kg]


def field(x):
    """B of the ring at a point x near its axis, to third order in the distance from it, relative to B at its centre."""
    s = 1.0 + (x[2] / A) ** 2
    z, b = x[2] / A, s**-1.5
    b1, b2, b3 = -3 * z * s**-2.5, (12 * z**2 - 3) * s**-3.5, (45 * z - 60 * z**3) * s**-4.5  # d/d(z/A)
    r2 = (x[0] ** 2 + x[1] ** 2) / A**2
    across = (-0.5 * b1 + r2 * b3 / 16) / A
    return np.array([across * x[0], across * x[1], b - 0.25 * r2 * b2])


def main(spin=150.0, until=5.0):
    m = lv.Model(gravity=(0, 0, -G), name="levitron")
    disc = lv.Cylinder(0.0125, 0.004, mass=MASS)
    top = m.add(lv.Body(disc, at=(5e-4, 0, HEIGHT), body_rates=(0.5, 0, spin), name="top"))
    slope = 3 * (HEIGHT / A) * (1 + (HEIGHT / A) ** 2) ** -2.5 / A
    mu = MASS * G / slope  # moment times field that balances the weight there [J]
    m.add(
        lv.Energy(lambda b: mu * lv.dot(b[top].direction(0, 0, 1), field(b[top].position)), bodies=[top], name="ring")
    )
    return lv.simulate(m, lv.Livens(), h=1e-4, until=until, every=20)


def distance(motion):
    """Distance of the top from its equilibrium [m]."""
    return np.linalg.norm(motion.position("top") - (0, 0, HEIGHT), axis=1)


def check():
    floating = main()
    assert distance(floating).max() < 0.1 * A
    assert abs(floating.report().energy_slope) < 1e-9
    assert distance(main(spin=60.0, until=0.5)).max() > 0.5 * A  # falls over
    assert distance(main(spin=300.0, until=2.0)).max() > 0.5 * A  # does not follow the field


if __name__ == "__main__":
    for spin in (60.0, 150.0, 300.0):
        away = distance(main(spin, until=2.0))
        print(f"{spin:.0f} rad/s: {1e3 * away.max():.1f} mm largest distance from equilibrium in two seconds")
