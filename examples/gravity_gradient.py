"""A dumbbell satellite points to the earth: it librates about the vertical, √3 times faster than it orbits.

In a circular orbit of rate n the angle φ from the vertical obeys φ″ = −(3/2) κ n² sin 2φ for a short dumbbell
(Beletsky), a pendulum in 2φ: its period is (4/(n √3κ)) K(sin² φ₀). κ is nearly 1: the part of the inertia that is not
that of the balls about themselves. The attraction of the earth is an energy of the two balls, one line of Python.
"""

import numpy as np
from scipy.special import ellipk

import livens as lv

ORBIT, MU, HALF, BALL, MASS = 7.0e6, 3.986e14, 20.0, 2.0, 50.0  # m, m³/s², half the length [m], radius [m], kg
N = np.sqrt(MU / ORBIT**3)  # rate of the orbit [rad/s]
KAPPA = HALF**2 / (HALF**2 + 0.4 * BALL**2)


def main(tilt=0.4, until=1.2 * 2 * np.pi / N, h=2.0):
    m = lv.Model(name="gravity gradient")
    ball = lv.Ball(BALL, mass=MASS)
    dumbbell = lv.Compound([(ball, lv.Pose((HALF, 0, 0))), (ball, lv.Pose((-HALF, 0, 0)))])
    body = m.add(
        lv.Body(
            dumbbell, at=(ORBIT, 0, 0), rotation=lv.Pose.from_axis_angle((0, 0, 1), tilt).B, velocity=(0, N * ORBIT, 0),
            angular_velocity=(0, 0, N), name="satellite",
        )
    )  # fmt: skip

    def earth(b):
        ends = [b[body].point((x, 0, 0)) for x in (HALF, -HALF)]
        return -MU * MASS * sum(1.0 / lv.norm(x) for x in ends)

    m.add(lv.Energy(earth, bodies=[body], name="earth"))
    return lv.simulate(m, lv.Livens(order=4), h=h, until=until)


def angle(motion):
    """Of the dumbbell from the vertical [rad]."""
    x, u = motion.position("satellite"), motion.rotation("satellite")[:, :, 0]
    return np.arctan2(x[:, 0] * u[:, 1] - x[:, 1] * u[:, 0], (x * u).sum(axis=1))


def period(tilt):
    return 4.0 / (N * np.sqrt(3.0 * KAPPA)) * ellipk(np.sin(tilt) ** 2)


def check():
    motion = main()
    phi = angle(motion)
    down = np.nonzero((phi[:-1] > 0) & (phi[1:] <= 0))[0]
    crossings = motion.t[down] + motion.h * phi[down] / (phi[down] - phi[down + 1])
    assert abs(np.diff(crossings)[0] / period(0.4) - 1.0) < 1e-4
    assert np.ptp(motion.energy) < 1e-9 * motion.kinetic.max()


if __name__ == "__main__":
    print(f"orbit {2 * np.pi / N / 60:.1f} min, libration from 0.4 rad {period(0.4) / 60:.1f} min")
