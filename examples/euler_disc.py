"""Rolling: a coin wobbles on a table, and its centre does not move (Euler's disc).

A thin disc of radius r, inclined by α against the table, whose centre is at rest, precesses with Ω² = 4 g/(r sin α)
(from J = m r²/4 about a diameter). Its instantaneous axis is the diameter through the contact point.
"""

import numpy as np

import livens as lv

R, TILT, G = 0.04, 0.5, 9.81  # m, rad, m/s²
RATE = np.sqrt(4.0 * G / (R * np.sin(TILT)))  # of the contact point around the circle [rad/s]


def main(h=1e-4, until=0.5, faster=1.0):
    m = lv.Model(gravity=(0, 0, -G), name="Euler's disc")
    turn = lv.Pose.from_axis_angle((0, 1, 0), -TILT).B
    up = turn @ [1, 0, 0]  # from the contact point through the centre
    inertia = 0.02 * R**2 / 4
    shape = lv.Solid(lv.MassProperties(0.02, (inertia, inertia, 2 * inertia)), lv.Cylinder(R, 0.002, mass=1.0).surface)
    rates = faster * RATE * np.sin(TILT) * up
    coin = m.add(lv.Body(shape, at=(0, 0, R * np.sin(TILT)), rotation=turn, angular_velocity=rates, name="coin"))
    m.add(lv.RollingDisc(m.world.point(0, 0, 0), coin.center, normal=(0, 0, 1), axis=turn @ [0, 0, 1], radius=R))
    return lv.simulate(m, h=h, until=until, every=5)


def check():
    motion = main()
    bound = (RATE * 1e-4) ** 2 * R
    assert np.abs(motion.position("coin") - motion.position("coin")[0]).max() < bound
    axis = motion.rotation("coin")[:, :, 2]
    assert np.abs(np.arccos(axis[:, 2]) - TILT).max() < (RATE * 1e-4) ** 2
    around = np.unwrap(np.arctan2(-axis[:, 1], -axis[:, 0]))
    assert abs((around[-1] - around[0]) / motion.t[-1] / RATE - 1.0) < (RATE * 1e-4) ** 2
    assert np.abs(main(faster=1.1).position("coin")[:, :2]).max() > 100 * bound  # another rate is not steady


if __name__ == "__main__":
    print(f"{RATE / (2 * np.pi):.2f} turns of the contact point per second at {np.degrees(TILT):.1f}°")
    main().to_html("euler_disc.html", speed=0.2)
