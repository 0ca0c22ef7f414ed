"""Events: two impulses carry a spacecraft from a low to a high circular orbit (Hohmann 1925).

The second impulse is given where the radial velocity changes its sign, which the run locates itself. The speeds follow
from v² = μ (2/r − 1/a); afterwards the orbit is a circle.
"""

import numpy as np

import livens as lv

MU, LOW, HIGH = 3.986e14, 7.0e6, 14.0e6  # m³/s², m, m
HALF = 0.5 * (LOW + HIGH)  # semi-major axis of the transfer


def speed(r, a):
    return np.sqrt(MU * (2.0 / r - 1.0 / a))


def main(h=10.0):
    m = lv.Model(name="Hohmann transfer")
    ship = m.add(lv.Body(lv.Ball(1.0, mass=1000.0), at=(LOW, 0, 0), velocity=(0, speed(LOW, HALF), 0), name="ship"))
    m.add(lv.Energy(lambda b: -MU * 1000.0 / lv.norm(b[ship].position), bodies=[ship], name="earth"))
    push = 1000.0 * (speed(HIGH, HIGH) - speed(HIGH, HALF))

    def burn(now):
        v = now.velocity("ship")[0]
        if np.linalg.norm(v) > 0.99 * speed(HIGH, HIGH):
            return None  # it is on the circle already
        return lv.strike(ship.center, impulse=push * v / np.linalg.norm(v))

    apogee = lv.Event(
        lambda now: float(now.position("ship")[0] @ now.velocity("ship")[0]), direction=-1, do=burn, name="apogee"
    )
    return lv.simulate(m, lv.Livens(order=4), h=h, until=24_000.0, events=[apogee])


def check():
    motion = main()
    burn = motion.events[0]
    assert abs(burn.t / (np.pi * np.sqrt(HALF**3 / MU)) - 1.0) < 1e-8
    late = motion.t > burn.t
    distance = np.linalg.norm(motion.position("ship")[late], axis=1)
    assert np.abs(distance / HIGH - 1.0).max() < 1e-6
    assert np.abs(motion.energy[late] / (-0.5 * MU * 1000.0 / HIGH) - 1.0).max() < 1e-6


if __name__ == "__main__":
    motion = main()
    print(f"second burn after {motion.events[0].t / 3600:.3f} h, then a circle of {HIGH / 1e3:.0f} km")
    motion.to_html("hohmann_transfer.html")
