"""Rolling on a moving plane: a ball on a turntable runs in circles, two for every seven turns of the table.

A homogeneous ball that rolls on a plane turning with Ω moves on a circle with the rate 2Ω/7, wherever it starts and
however fast (Earnshaw 1844; 2/7 = J/(J + m r²) for J = 2/5 m r²). It never falls off for centrifugal reasons.
"""

import numpy as np

import livens as lv

OMEGA, R = 3.0, 0.05  # of the table [rad/s], radius of the ball [m]


def main(h=2e-3, until=7 * np.pi / OMEGA):
    m = lv.Model(gravity=(0, 0, -9.81), name="ball on a turntable")
    table = m.add(lv.Body(lv.Cylinder(1.0, 0.04, mass=50.0), at=(0, 0, -0.02), color="silver", name="table"))
    drive = lv.Expression("w*t", w=OMEGA)
    m.add(lv.Revolute(m.world.point(0, 0, 0), table.point_at(0, 0, 0), axis=(0, 0, 1), drive=drive, name="axle"))
    start, velocity = np.array([0.3, 0, R]), np.array([0.0, 0.1, 0])
    floor = np.cross([0, 0, OMEGA], start)  # velocity of the table below the ball
    slip = (velocity - floor) / R
    spin = (-slip[1], slip[0], 0.0)  # ω × (−r ẑ) = floor − velocity
    ball = m.add(lv.Body(lv.Ball(R, mass=0.3), at=start, velocity=velocity, angular_velocity=spin, name="ball"))
    m.add(lv.RollingBall(table.point_at(0, 0, 0), ball.center, normal=(0, 0, 1), radius=R, name="rolling"))
    return lv.simulate(m, h=h, until=until)


def check():
    motion = main()
    x, v = motion.position("ball"), motion.velocity("ball")
    assert np.abs(v[0] - [0.0, 0.1, 0.0]).max() < 1e-9
    rate = 2 * OMEGA / 7
    center = x[0] - np.cross(v[0], [0, 0, 1]) / rate
    angle = rate * motion.t[:, None]
    arm = x[0] - center
    path = center + np.cos(angle) * arm + np.sin(angle) * np.cross([0, 0, 1], arm)
    assert np.abs(x - path).max() < 10 * (OMEGA * motion.h) ** 2 * np.linalg.norm(arm)
    assert np.abs(x[-1] - x[0]).max() < 1e-4  # one circle in 7/2 turns


if __name__ == "__main__":
    motion = main()
    print(
        f"{np.ptp(motion.position('ball')[:, 0]):.3f} m wide circle in {motion.t[-1] * OMEGA / (2 * np.pi):.1f} turns"
    )
    motion.to_html("ball_on_turntable.html")
