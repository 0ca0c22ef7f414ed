"""Bricard's mechanism: a loop of six hinges with a redundant constraint."""

from __future__ import annotations

from math import pi

import numpy as np

import livens as lv

from .demo import Demo

DOWN = (0.0, 0.0, -9.81)
X, Y, Z = np.eye(3)


def fold_bricard() -> lv.Trajectory:
    """Five rods on the edges of a cube, six hinges with axes along x, y and z in turn: Bricard's mechanism.

    By the number of its constraint equations, 30 for 30 degrees of freedom, it is rigid. One of them is redundant in
    every configuration, so it folds under its own weight, through itself and back.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     motion = fold_bricard()
    >>> motion.freedom, sum(motion.redundant.values())
    (1, 1)
    """
    model = lv.Model(gravity=DOWN, name="Bricard")
    up = lv.Pose.from_axis_angle(X, pi / 2)  # the source has y upwards
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    places, axes = up.point(corners), [up.direction(axis) for axis in (Y, Z, X, Y, Z, X)]
    last = model.world
    for k in range(5):
        along = np.abs(places[k + 1] - places[k]).round()
        shape = lv.Box(*(0.1 + 0.9 * along), mass=1.0)
        rod = model.add(lv.Body(shape, at=(places[k] + places[k + 1]) / 2, name=f"rod{k + 1}"))
        model.add(lv.Revolute(last.point_at(places[k]), rod.point_at(places[k]), axis=axes[k], name=f"hinge{k}"))
        last = rod
    model.add(lv.Revolute(last.point_at(places[5]), model.world.point(places[5]), axis=axes[5], name="hinge5"))
    return lv.simulate(model, lv.Livens(order=4), h=5e-3, until=5.0)


DEMO = Demo(
    "five rods and six hinges with as many constraints as coordinates, which still move",
    fold_bricard,
    lambda motion: motion.plot("trajectory", *(motion.model[f"rod{k}"].center for k in (1, 3, 5))),
    "the paths of three rods",
    moment=0.55,
    position=9,
)
