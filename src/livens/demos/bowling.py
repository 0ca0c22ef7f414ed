"""Impacts of many bodies: bowling."""

from __future__ import annotations

import numpy as np

import livens as lv

from .demo import Demo


def bowl(speed: float = 7.0, aside: float = 0.03) -> lv.Trajectory:
    """Bowling: a ball that slides, begins to roll, and hits ten pins.

    A ball that starts without spin rolls after 2v/(7µg), with 5/7 of its speed. The pins are cylinders with a round
    head; impacts have a restitution of 0.6.

    >>> motion = bowl()
    >>> standing = [motion.rotation(f"pin {k}")[-1, 2, 2] > 0.99 for k in range(10)]
    >>> bool(sum(standing) < 5)
    True
    """
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="bowling")
    radius = 0.108
    at = np.array([-1.5, aside, radius])
    model.add(lv.Body(lv.Ball(radius, mass=6.0), at=at, velocity=(speed, 0, 0), name="ball"))
    pitch, low = 0.305, 0.3
    body, head = lv.Cylinder(0.05, low, mass=1.3), lv.Ball(0.035, mass=0.2)
    pin = lv.Compound([(body, lv.Pose((0, 0, 0))), (head, lv.Pose((0, 0, 0.5 * low + 0.03)))])
    places = [(pitch * np.sqrt(0.75) * row, pitch * (k - 0.5 * row)) for row in range(4) for k in range(row + 1)]
    for k, (x, y) in enumerate(places):
        model.add(lv.Body(pin, at=(x, y, 0.5 * low), name=f"pin {k}"))
    model.add(lv.Contacts([model.world.plane((0, 0, 0))], friction=0.2, restitution=0.6))
    return lv.simulate(model, h=1e-3, until=1.2, every=4)


DEMO = Demo("bowling: a ball hits ten pins", bowl, moment=0.7, near=True, position=23)
