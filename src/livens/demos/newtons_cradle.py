"""Impacts in a row: Newton's cradle."""

from __future__ import annotations

import itertools

import numpy as np

import livens as lv

from .demo import Demo


def swing_balls(balls: int = 5, lifted: int = 2, angle: float = 0.5) -> lv.Trajectory:
    """Newton's cradle: five elastic balls that touch each other; two are lifted, and two leave on the other side.

    Impacts at the same instant are resolved one after the other, the fastest first, which conserves momentum and energy
    and gives what cradles do. Nothing is lost in the impacts.

    >>> motion = swing_balls()
    >>> bool(abs(motion.impact_loss[-1]) < 1e-12), len(motion.impacts) > 20
    (True, True)
    """
    radius, length = 0.05, 1.0
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="Newton's cradle")
    row = []
    for k in range(balls):
        pivot = np.array([2.0 * radius * k, 0.0, length])
        turn = lv.Pose.from_axis_angle((0, 1, 0), angle if k < lifted else 0.0).B
        place = pivot - turn @ [0.0, 0.0, length]
        ball = model.add(lv.Body(lv.Ball(radius, mass=1.0), at=place, rotation=turn, name=f"ball {k}"))
        fixed, held = model.world.point(pivot), ball.point(0, 0, length)
        model.add(lv.Revolute(fixed, held, axis=(0, 1, 0), name=f"hanger {k}"))
        row.append(ball)
    for one, two in itertools.pairwise(row):
        model.add(lv.Contact(one, two, restitution=1.0))
    return lv.simulate(model, h=2e-3, until=8.0, every=2)


DEMO = Demo(
    "Newton's cradle: two balls of five are lifted, two leave on the other side", swing_balls, moment=0.4, position=14
)
