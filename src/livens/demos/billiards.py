"""Impacts and friction: the break of fifteen balls."""

from __future__ import annotations

import numpy as np

import livens as lv

from .demo import Demo

RADIUS, MASS = 0.0286, 0.17  # of a ball [m], [kg]


def break_rack(speed: float = 6.0) -> lv.Trajectory:
    """A rolling cue ball breaks a rack of fifteen balls on a table with cushions (friction 0.2, restitution 0.95).

    Balls slide first and roll afterwards. The energy that impacts and friction take out is booked, so that energy plus
    loss stays constant.

    >>> motion = break_rack()
    >>> len(motion.impacts) > 100, bool(np.ptp(motion.energy + motion.dissipated) < 1e-5 * motion.energy[0])
    (True, True)
    """
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="billiards")
    ball, v, spin = lv.Ball(RADIUS, mass=MASS), (speed, 0, 0), (0, speed / RADIUS, 0)
    model.add(lv.Body(ball, at=(-0.6, 0.003, RADIUS), velocity=v, angular_velocity=spin, name="cue ball"))
    apart = 1.0005 * RADIUS
    for row in range(5):
        for k in range(row + 1):
            place = (0.6 + np.sqrt(3.0) * apart * row, apart * (2 * k - row), RADIUS)
            model.add(lv.Body(ball, at=place, name=f"ball {row * (row + 1) // 2 + k + 1}"))
    planes = [model.world.plane((0, 0, 0))]
    for x, y in ((1.27, 0.0), (-1.27, 0.0), (0.0, 0.635), (0.0, -0.635)):  # cushions
        planes.append(model.world.plane((x, y, 0), normal=(-x, -y, 0)))
    model.add(lv.Contacts(planes, friction=0.2, restitution=0.95))
    return lv.simulate(model, h=2e-3, until=4.0, every=2)


DEMO = Demo(
    "the break of fifteen billiard balls, with sliding, rolling and cushions", break_rack, moment=0.5, position=15
)
