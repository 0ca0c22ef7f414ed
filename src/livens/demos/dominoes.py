"""Contact in a row: dominoes."""

from __future__ import annotations

import numpy as np

import livens as lv

from .demo import Demo

DOMINO_HEIGHT, DOMINO_THICK, WIDTH, SPACE = 0.048, 0.0075, 0.024, 0.02  # [m]


def topple_dominoes(count: int = 12, rate: float = 4.0, until: float = 0.35) -> lv.Trajectory:
    """Dominoes in a row: the first one is pushed, each hits the next, and the wave runs at about 1 m/s.

    Impacts have no restitution; friction on the floor holds their front edges, and there is none between them.

    >>> motion = topple_dominoes(4, until=0.4)
    >>> bool(motion.rotation("domino 3")[-1, 2, 2] < 0.9)  # the last one has fallen
    True
    """
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="dominoes")
    floor, row = model.world.plane((0, 0, 0)), []
    for k in range(count):
        spin = np.array([0.0, rate if k == 0 else 0.0, 0.0])
        velocity = np.cross(spin, (-DOMINO_THICK / 2, 0.0, DOMINO_HEIGHT / 2))  # it turns about its front edge
        place = (k * (DOMINO_THICK + SPACE), 0.0, DOMINO_HEIGHT / 2)
        shape = lv.Box(DOMINO_THICK, WIDTH, DOMINO_HEIGHT, density=1200)
        row.append(
            model.add(lv.Body(shape, at=place, velocity=velocity, angular_velocity=spin, name=f"domino {k}"))
        )  # fmt: skip
    for k, domino in enumerate(row):
        model.add(lv.Contact(floor, domino, friction=2.0))
        if k:
            model.add(lv.Contact(row[k - 1], domino))
    return lv.simulate(model, h=5e-4, until=until, every=4)


DEMO = Demo("dominoes in a row, of which the first one is pushed", topple_dominoes, moment=0.33, position=18)
