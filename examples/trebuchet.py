"""Events: a trebuchet lets its sling go at an angle, and the stone flies until it hits the ground, in one run.

Checked from outside: the release is at the angle to round-off, the flight is the parabola from the state of the
release, the hit is the root of a quadratic, and the balance of energy is kept.
"""

import numpy as np

import livens as lv

ANGLE, PIVOT, g = 1.9, 3.0, 9.81  # turn of the beam at the release [rad], height of the pivot [m], gravity [m/s²]


def model():
    m = lv.Model(gravity=(0, 0, -g), name="trebuchet")
    turn = lv.Pose.from_axis_angle((0, 1, 0), -0.75).B
    center = np.array([0, 0, PIVOT]) - turn @ [1.2, 0, 0]
    beam = m.add(lv.Body(lv.Box(5.0, 0.15, 0.25, mass=80.0), at=center, rotation=turn, name="beam"))
    weight = m.add(lv.Body(lv.Ball(0.5, mass=1500.0), at=beam.point(2.4, 0, 0).start - [0, 0, 0.9], name="weight"))
    stone = m.add(lv.Body(lv.Ball(0.12, mass=15.0), at=beam.point(-2.4, 0, 0).start - [-2.6, 0, 0], name="stone"))
    m.add(lv.Revolute(m.world.point(0, 0, PIVOT), beam.point(1.2, 0, 0), axis=(0, 1, 0), name="pivot"))
    m.add(lv.Rod(beam.point(2.4, 0, 0), weight.center, name="hanger"))
    m.add(lv.Rod(beam.point(-2.4, 0, 0), stone.center, name="sling"))
    return m


def main(h=2e-3):
    events = [
        lv.Event(f"coordinate('pivot') - {ANGLE}", direction=1, do=lv.release("sling"), name="let go"),
        lv.Event("position('stone')[2]", direction=-1, stop=True, name="hit"),
    ]
    return lv.simulate(model(), lv.Livens(order=4), h=h, until=20.0, events=events)


def check():
    motion = main()
    let_go, hit = motion.events[0], motion.events[-1]
    assert abs(let_go.before.coordinate("pivot")[0] - ANGLE) < 1e-12
    x, v = let_go.after.position("stone")[0], let_go.after.velocity("stone")[0]
    since = (motion.t[motion.t > let_go.t] - let_go.t)[:, None]
    parabola = x + since * v + 0.5 * since**2 * [0, 0, -g]
    assert np.abs(motion.position("stone")[motion.t > let_go.t] - parabola).max() < 1e-10
    flight = (v[2] + np.sqrt(v[2] ** 2 + 2.0 * g * x[2])) / g
    assert abs(hit.t - let_go.t - flight) < 1e-11
    assert motion.t[-1] == hit.t
    balance = motion.energy - motion.work + motion.dissipated
    assert np.ptp(balance) < 1e-5 * motion.kinetic.max()
    assert np.isnan(motion.reaction("sling")[motion.t > let_go.t]).all()


if __name__ == "__main__":
    thrown = main()
    print(thrown.events, thrown.report(), sep="\n")
    thrown.to_html("trebuchet.html")
