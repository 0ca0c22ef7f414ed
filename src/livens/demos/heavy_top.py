"""A fast heavy top on a ball joint."""

from __future__ import annotations

from math import pi

import livens as lv

from .demo import Demo


def spin_top() -> lv.Trajectory:
    """A thin heavy disc on a light rod, held at the far end by a ball joint, spins at 150 rad/s with its axis level.

    Released, it does not fall straight: it nutates and precesses about the vertical. The data are those of Brüls,
    Cardona and Arnold (2012).

    >>> motion = spin_top()
    >>> motion.position(motion.model["top"].center)[-1].round(4).tolist()
    [-0.1504, -0.7242, -0.673]
    """
    model = lv.Model(gravity=(0, 0, -9.81), name="heavy top")
    along = lv.Pose.from_axis_angle((1, 0, 0), -pi / 2).B
    visual = lv.Compound(
        [
            (lv.Cylinder(0.25, 0.03, mass=1.0), lv.Pose((0, 1, 0), along)),
            (lv.Cylinder(0.02, 1.12, mass=1.0), lv.Pose((0, 0.56, 0), along)),
        ]
    )
    matter = lv.MassProperties(15.0, (0.234375, 0.46875, 0.234375), center=(0, 1, 0))
    top = model.add(lv.Body(lv.Solid(matter, visual.surface), body_rates=(0, 150, -4.61538), name="top"))
    model.add(lv.Spherical(model.world.point(0, 0, 0), top.point(0, 0, 0), name="pivot"))
    return lv.simulate(model, lv.Livens(order=4), h=5e-4, until=2.0, every=4)


DEMO = Demo(
    "a fast heavy top on a ball joint, which nutates and precesses",
    spin_top,
    lambda motion: motion.plot("trajectory", motion.model["top"].center),
    "the path of its centre of mass",
    moment=0.46,
    position=3,
)
