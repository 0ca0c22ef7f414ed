"""A mechanism that events change: a sling is released, and a stone flies."""

from __future__ import annotations

from typing import Any

import numpy as np

import livens as lv

from .demo import Demo

RELEASE = 1.9  # turn of the beam at which the sling is released [rad]


def throw_stone() -> lv.Trajectory:
    """A trebuchet: a weight of 1.5 t on a rod turns a beam, whose sling lets a stone of 15 kg go at an angle; the run
    ends where the stone is at the height of the ground.

    The flight is the parabola from the state of the release, and energy is conserved from the first step to the last.

    >>> motion = throw_stone()
    >>> motion.events.names[0], motion.events.names[-1], round(float(motion.position("stone")[-1, 0]))
    ('release', 'ground', 186)
    """
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="trebuchet")
    turn = lv.Pose.from_axis_angle((0, 1, 0), -0.75).B
    middle = np.array([0.0, 0.0, 3.0]) - turn @ [1.2, 0.0, 0.0]
    beam = model.add(lv.Body(lv.Box(5.0, 0.15, 0.25, mass=80.0), at=middle, rotation=turn, name="beam"))
    short, long = beam.point(2.4, 0, 0), beam.point(-2.4, 0, 0)
    weight = model.add(lv.Body(lv.Ball(0.5, mass=1500.0), at=short.start - [0.0, 0.0, 0.9], name="weight"))
    stone = model.add(lv.Body(lv.Ball(0.12, mass=15.0), at=long.start - [-2.6, 0.0, 0.0], name="stone"))
    model.add(lv.Revolute(model.world.point(0, 0, 3), beam.point(1.2, 0, 0), axis=(0, 1, 0), name="pivot"))
    model.add(lv.Rod(short, weight.center, name="hanger"))
    model.add(lv.Rod(long, stone.center, name="sling"))
    release = lv.Event(f"coordinate('pivot') - {RELEASE}", direction=1, do=lv.release("sling"), name="release")
    ground = lv.Event("position('stone')[2]", direction=-1, stop=True, name="ground")
    return lv.simulate(model, lv.Livens(order=4), h=1e-3, until=20.0, every=4, events=[release, ground])


def _path(motion: lv.Trajectory) -> Any:
    return motion.plot("trajectory", "stone")


DEMO = Demo(
    "a trebuchet that releases its sling at an angle, and the flight of its stone",
    throw_stone,
    figure=_path,
    drawn="the path of the stone",
    moment=0.6,
    near=True,
    position=12,
)
