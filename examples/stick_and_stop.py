"""Dry friction in a joint: the swings of a mass on a spring decrease by 2F/k each half period, and then it sticks.

Between two turning points the friction F is constant, so the motion is harmonic about a displaced centre: the turning
points are at x₀ − 2F/k, … in turn. The mass stops at the first turning point with k |x| ≤ F, and stays there exactly.
"""

import numpy as np

import livens as lv

K, MASS, FORCE, START = 100.0, 1.0, 6.0, 0.5  # N/m, kg, N, m


def main(h=1e-3, until=3.0):
    m = lv.Model(name="stick and stop")
    block = m.add(lv.Body(lv.Box(0.2, 0.1, 0.1, mass=MASS), at=(START, 0, 0), name="block"))
    rail = lv.Prismatic(m.world.point(START, 0, 0), block.center, axis=(1, 0, 0), stiffness=K, start=START, name="rail")
    m.add(rail)
    m.add(lv.JointFriction(m["rail"], dynamic=FORCE))
    return lv.simulate(m, h=h, until=until)


def turning_points():
    points, x = [START], START
    while K * abs(x) > FORCE:
        x = -np.sign(x) * (abs(x) - 2 * FORCE / K)
        points.append(x)
    return np.array(points)


def check():
    h = 1e-3
    motion, points = main(h), turning_points()
    half = np.pi * np.sqrt(MASS / K)
    stops = motion.t > half * (len(points) - 1) + 2 * h
    x = motion.coordinate("rail")
    assert np.ptp(x[stops]) == 0.0  # no creep
    assert abs(x[-1] - points[-1]) < K / MASS * h**2 * START
    turns = np.interp(half * np.arange(len(points)), motion.t, x)
    assert np.abs(turns - points).max() < K / MASS * h**2 * START


if __name__ == "__main__":
    print("turning points [m]:", turning_points().round(3))
