"""Coulomb friction: two blocks on an incline; one sticks without creep, one slides as the textbook says.

Below μ = tan α a block slides by ½ g (sin α − μ cos α) t² down the plane; above it the block does not move at all.
"""

import numpy as np

import livens as lv

SLOPE, G = 0.5, 9.81  # rad, m/s²; tan 0.5 = 0.546
DOWN, NORMAL = np.array([np.cos(SLOPE), 0, -np.sin(SLOPE)]), np.array([np.sin(SLOPE), 0, np.cos(SLOPE)])
FRICTION = {"sticks": 0.6, "slides": 0.3}


def main(h=1e-2, until=1.0):
    m = lv.Model(gravity=(0, 0, -G), name="sliding block")
    plane = m.world.plane((0, 0, 0), normal=NORMAL)
    turn = lv.Pose.from_axis_angle((0, 1, 0), SLOPE).B
    for k, (name, friction) in enumerate(FRICTION.items()):
        place = 0.1 * NORMAL + np.array([0, 0.6 * k, 0])
        block = m.add(lv.Body(lv.Box(0.4, 0.3, 0.2, mass=2.0), at=place, rotation=turn, name=name))
        m.add(lv.Contact(plane, block, friction=friction))
    return lv.simulate(m, h=h, until=until)


def check():
    motion = main()
    moved = {name: (motion.position(name) - motion.position(name)[0]) @ DOWN for name in FRICTION}
    assert np.abs(moved["sticks"]).max() < 1e-12
    slide = 0.5 * G * (np.sin(SLOPE) - FRICTION["slides"] * np.cos(SLOPE)) * motion.t**2
    assert np.abs(moved["slides"] - slide).max() < 1e-9
    lost = FRICTION["slides"] * 2.0 * G * np.cos(SLOPE) * slide[-1]
    assert abs(motion.dissipated[-1] - lost) < 1e-8


if __name__ == "__main__":
    motion = main()
    print({name: f"{(motion.position(name)[-1] - motion.position(name)[0]) @ DOWN:.4f} m" for name in FRICTION})
