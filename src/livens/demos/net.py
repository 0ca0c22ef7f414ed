"""A net of balls and springs."""

from __future__ import annotations

import livens as lv

from .demo import Demo

DOWN = (0.0, 0.0, -9.81)


def drop_net(n: int = 5) -> lv.Trajectory:
    """A level net of n × n balls, with springs between neighbours, held at its corners; the middle ball is heavy.

    The middle drops, and waves travel to the corners and back. Every ball is a body, every thread a spring; the energy
    has no trend.

    >>> motion = drop_net()
    >>> len(motion.model.bodies), abs(motion.report().energy_slope) < 1e-4
    (26, True)
    """
    model = lv.Model(gravity=DOWN, name="net of springs")
    wide, middle = 0.2, n // 2
    balls = {}
    for i in range(n):
        for j in range(n):
            heavy = i == j == middle
            shape = lv.Ball(0.07, mass=1.0) if heavy else lv.Ball(0.03, mass=0.1)
            at = (wide * (i - middle), wide * (j - middle), 0.0)
            balls[i, j] = model.add(lv.Body(shape, at=at, name=f"ball {i}{j}"))
    for (i, j), ball in balls.items():
        for other in ((i + 1, j), (i, j + 1)):
            if other in balls:
                model.add(lv.Spring(ball.center, balls[other].center, stiffness=150.0, length=0.9 * wide))
    for i, j in ((0, 0), (0, n - 1), (n - 1, 0), (n - 1, n - 1)):
        x, y, z = 1.35 * balls[i, j].center.start
        model.add(lv.Spring(model.world.point(x, y, z + 0.15), balls[i, j].center, stiffness=300.0, length=0.2))
    return lv.simulate(model, lv.Livens(order=4), h=2e-3, until=3.0)


DEMO = Demo(
    "a net of balls and springs with a heavy ball in its middle",
    drop_net,
    lambda motion: motion.plot("energy"),
    "the parts of the energy",
    moment=0.35,
    position=5,
)
