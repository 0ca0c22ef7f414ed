"""Contact: five touching balls on rods; the first one falls, the last one leaves, and so on.

Checked from outside: the swing of the first ball takes a quarter of the period of a pendulum of this amplitude (an
elliptic integral), its whole speed goes to the last ball, and nothing is lost.
"""

import itertools

import numpy as np
from scipy.special import ellipk

import livens as lv

R, LENGTH, ANGLE, g = 0.05, 1.0, 0.5, 9.81  # radius, length of the rods [m], first swing [rad], gravity [m/s²]


def model(rule="sequence"):
    m = lv.Model(gravity=(0, 0, -g), name="Newton's cradle")
    balls = []
    for k in range(5):
        pivot, turn = np.array([2 * R * k, 0, LENGTH]), lv.Pose.from_axis_angle((0, 1, 0), ANGLE if k == 0 else 0.0).B
        ball = lv.Body(lv.Ball(R, mass=1.0), at=pivot + turn @ [0, 0, -LENGTH], rotation=turn, name=f"ball {k}")
        balls.append(m.add(ball))
        m.add(lv.Revolute(m.world.point(pivot), ball.point(0, 0, LENGTH), axis=(0, 1, 0), name=f"rod {k}"))
    for one, two in itertools.pairwise(balls):
        m.add(lv.Contact(one, two, restitution=1.0, impacts=rule))
    return m


def main(h=2e-3):
    return lv.simulate(model(), h=h, until=4.0)


def check():
    motion = main()
    inertia = 1.0 + 0.4 * R**2 / LENGTH**2  # of a ball about its pivot, over m l²
    quarter = ellipk(np.sin(ANGLE / 2) ** 2) * np.sqrt(inertia * LENGTH / g)
    assert abs(motion.impacts.t[0] - quarter) < 1e-5
    speed = 2.0 * np.sin(ANGLE / 2) * np.sqrt(g * LENGTH / inertia)
    assert abs(motion.impacts.speed[0] / speed - 1.0) < 1e-5
    assert motion.impacts.second[:4] == ["ball 1", "ball 2", "ball 3", "ball 4"]
    after = np.searchsorted(motion.t, motion.impacts.t[3])
    rates = [motion.angular_velocity(f"ball {k}")[after, 1] for k in range(5)]
    assert np.abs(rates[:4]).max() < 1e-9
    assert abs(motion.impact_loss[-1]) < 1e-12
    assert np.ptp(motion.energy) < 1e-4 * motion.kinetic.max()


if __name__ == "__main__":
    swung = main()
    print(swung.impacts, swung.report(), sep="\n")
    swung.to_html("newtons_cradle.html")
