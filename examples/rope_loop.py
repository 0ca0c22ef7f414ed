"""A rope can only pull: a ball on a rope, pushed too slowly for a full circle, leaves it and flies.

With the speed v at the lowest point and 2 g l < v² < 5 g l the rope becomes slack at the angle φ from the top with
cos φ = (v² − 2 g l)/(3 g l). The flight is a parabola, until the rope is taut again.
"""

import numpy as np

import livens as lv

LENGTH, SPEED, G = 1.0, 6.0, 9.81  # m, m/s, m/s²


def main(h=1e-3, until=2.0):
    m = lv.Model(gravity=(0, 0, -G), name="rope loop")
    ball = m.add(lv.Body(lv.Ball(0.06, mass=1.0), at=(0, 0, -LENGTH), velocity=(SPEED, 0, 0), name="ball"))
    m.add(lv.Rope(m.world.point(0, 0, 0), ball.center, length=LENGTH, name="rope"))
    return lv.simulate(m, h=h, until=until)


def check():
    h = 1e-3
    motion = main(h)
    x = motion.position("ball")
    far = np.linalg.norm(x, axis=1)
    assert far.max() < LENGTH + 1e-9
    leaves = int(np.argmax(far < LENGTH - 1e-9))
    height = (SPEED**2 - 2 * G * LENGTH) / (3 * G)  # l cos φ
    assert abs(x[leaves, 2] - height) < 2 * SPEED * h
    back = int(np.searchsorted(motion.t, motion.impacts.t[0])) - 1
    t = motion.t[leaves:back, None] - motion.t[leaves]
    flight = x[leaves] + t * motion.velocity("ball")[leaves] + 0.5 * t**2 * [0, 0, -G]
    assert np.abs(x[leaves:back] - flight).max() < 1e-10


if __name__ == "__main__":
    motion = main()
    print(f"the rope is taut again at {motion.impacts.t[0]:.3f} s")
    motion.to_html("rope_loop.html", camera="front", speed=0.3)
