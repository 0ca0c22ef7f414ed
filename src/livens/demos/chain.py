"""A chain of links on ball joints."""

from __future__ import annotations

from math import pi

import livens as lv

from .demo import Demo
from .double_pendulum import ends

DOWN = (0.0, 0.0, -9.81)


def drop_chain(n: int = 12) -> lv.Trajectory:
    """A chain of n links, held at one end and released level.

    The links near the fixed end hang down first and pull the others: the tip falls with a stone that is released beside
    it, and overtakes it.

    >>> motion = drop_chain()
    >>> fallen = motion.position(ends(motion.model)[-1])[:, 2]
    >>> bool((fallen < -9.81 / 2 * motion.t**2 - 0.03).any())
    True
    """
    model = lv.Model(gravity=DOWN, name=f"chain of {n}")
    long = 0.15
    capsule = lv.Capsule(0.025, long - 0.02, density=2000)
    link = lv.Compound([(capsule, lv.Pose.from_axis_angle((0, 1, 0), pi / 2))])  # along x
    last = model.world.point(0, 0, 0)
    for k in range(n):
        body = model.add(lv.Body(link, at=((k + 0.5) * long, 0, 0), name=f"link {k + 1}"))
        model.add(lv.Spherical(last, body.point(-0.5 * long, 0, 0), name=f"joint {k + 1}"))
        last = body.point(0.5 * long, 0, 0)
    return lv.simulate(model, lv.Livens(order=4), h=1e-3, until=2.0, every=2)


DEMO = Demo(
    "a chain released at one end, whose tip is faster than free fall",
    drop_chain,
    lambda motion: motion.plot("trajectory", *ends(motion.model)[-2:]),
    "the paths of its last two links",
    moment=0.8,
    position=7,
)
