"""Contact with friction: a rolling ball hits another one off its centre, and both slide and roll on a table.

Checked from outside: the second ball leaves along the line of centres and rolls with 5/7 of its speed; the first one
keeps its spin, so it rolls with 5/7 of what the impact left it plus 2/7 of its velocity before.
"""

import numpy as np

import livens as lv

R, SPEED, CUT, g = 0.03, 1.0, 0.6, 9.81  # radius [m], speed [m/s], sine of the angle of the hit, gravity [m/s²]
LINE = np.array([np.sqrt(1 - CUT**2), CUT, 0.0])  # of centres


def model():
    m = lv.Model(gravity=(0, 0, -g), name="billiards")
    roll = {"velocity": (SPEED, 0, 0), "angular_velocity": (0, SPEED / R, 0)}
    cue = m.add(lv.Body(lv.Ball(R, mass=0.17), at=(-0.3, 0, R), name="cue", **roll))
    ball = m.add(lv.Body(lv.Ball(R, mass=0.17), at=2 * R * LINE + (0, 0, R), name="ball"))
    m.add(lv.Contacts(planes=[m.world.plane((0, 0, 0))], friction=0.2))
    m.add(lv.Contact(cue, ball, restitution=1.0, name="hit"))
    return m


def main(h=2e-3):
    return lv.simulate(model(), h=h, until=1.5)


def check():
    motion = main()
    before, passed = np.array([SPEED, 0, 0]), SPEED * LINE[0] * LINE
    assert np.abs(motion.velocity("ball")[-1] - 5 / 7 * passed).max() < 1e-9
    assert np.abs(motion.velocity("cue")[-1] - 5 / 7 * (before - passed) - 2 / 7 * before).max() < 1e-9
    hits = [k for k, name in enumerate(motion.impacts.contact) if name == "hit"]
    assert len(hits) == 1
    assert abs(motion.impacts.t[hits[0]] - 0.3 / SPEED) < 1e-9
    assert np.ptp(motion.energy + motion.dissipated) < 1e-12


if __name__ == "__main__":
    shot = main()
    print(shot.impacts, shot.report(), sep="\n")
    shot.to_html("billiards.html")
