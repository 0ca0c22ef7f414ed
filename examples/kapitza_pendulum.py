"""Prescribed motion: a pendulum whose pivot vibrates stands upright (Kapitza).

With amplitude a and frequency ν of the pivot, upright is stable if (a ν)² > 2 g l, and small slow swings have the
frequency Ω² = (a ν)²/(2 l²) − g/l, up to terms of order a/l.
"""

import numpy as np

import livens as lv

LENGTH, A, G = 1.0, 0.02, 9.81  # m, m, m/s²


def main(nu=400.0, tilt=0.1, until=6.0, h=2e-4):
    m = lv.Model(gravity=(0, 0, -G), name="Kapitza pendulum")
    pivot = m.add(lv.Body(lv.Box(0.1, 0.1, 0.05, mass=1.0), name="pivot"))
    drive = lv.Expression("a*cos(nu*t) - a", a=A, nu=nu)
    m.add(lv.Prismatic(m.world.point(0, 0, 0), pivot.center, axis=(0, 0, 1), drive=drive, name="shaker"))
    place = LENGTH * np.array([np.sin(tilt), 0, np.cos(tilt)])
    bob = m.add(lv.Body(lv.Ball(0.05, mass=1.0), at=place, name="bob"))
    turn = lv.Revolute(pivot.center, bob.point_at(0, 0, 0), axis=(0, 1, 0), start=tilt, name="hinge")
    m.add(turn)
    return lv.simulate(m, h=h, until=until, every=10)


def slow(nu):
    """Frequency of slow swings about upright [rad/s], with the inertia of the ball."""
    l = LENGTH * (1 + 0.4 * 0.05**2 / LENGTH**2)  # reduced length
    return np.sqrt(A**2 * nu**2 / (2 * l**2) - G / l)


def check():
    motion = main()
    angle = motion.coordinate("hinge")
    assert np.abs(angle).max() < 0.12
    down = np.nonzero((angle[:-1] > 0) & (angle[1:] <= 0))[0]
    mean = np.diff(motion.t[down][[0, -1]])[0] / (len(down) - 1)
    assert abs(2 * np.pi / mean / slow(400.0) - 1.0) < 0.02
    assert np.abs(main(nu=200.0, until=3.0).coordinate("hinge")).max() > 2.0  # below √(2 g l)/a = 221 1/s it falls


if __name__ == "__main__":
    print(f"slow swings about upright with {slow(400.0):.3f} rad/s")
    main().to_html("kapitza_pendulum.html", speed=0.2)
