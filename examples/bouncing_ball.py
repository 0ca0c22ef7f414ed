"""Impacts at their exact times: a ball bounces with the coefficient of restitution e.

It hits the floor at t₀ (1 + 2e + 2e² + … + 2eᵏ), t₀ = √(2H/g), and rises to e²ᵏ H in between, whatever the step.
"""

import numpy as np

import livens as lv

HEIGHT, RADIUS, E, G = 1.0, 0.1, 0.8, 9.81  # of the lowest point above the floor [m], m, m/s²


def main(h=0.02, until=2.4):
    m = lv.Model(gravity=(0, 0, -G), name="bouncing ball")
    ball = lv.Ball(RADIUS, mass=1.0)
    thrown = m.add(lv.Body(ball, at=(0, 0, HEIGHT + RADIUS), velocity=(0.5, 0, 0), name="ball"))
    m.add(lv.Contact(m.world.plane((0, 0, 0)), thrown, restitution=E, name="floor"))
    return lv.simulate(m, h=h, until=until)


def hits(count):
    """Times of the impacts [s]."""
    return np.sqrt(2 * HEIGHT / G) * (1 + 2 * np.cumsum(np.append(0.0, E ** np.arange(1, count))))


def check():
    for h in (0.02, 0.007):
        motion = main(h)
        times = motion.impacts.t
        assert len(times) >= 4
        assert np.abs(times - hits(len(times))).max() < 1e-9
        k = len(times)
        energy = G * (HEIGHT * E ** (2 * k) + RADIUS) + 0.125
        assert abs(motion.energy[-1] - energy) < 1e-9


if __name__ == "__main__":
    print(main().impacts)
