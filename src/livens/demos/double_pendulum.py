"""Two bars on hinges."""

from __future__ import annotations

import livens as lv

from .demo import Demo

DOWN = (0.0, 0.0, -9.81)


def two_bars() -> lv.Model:
    """Two bars of a metre side by side, level and at rest, hinged to the world and to each other about y."""
    model = lv.Model(gravity=DOWN, name="double pendulum")
    bar = lv.Box(1.08, 0.05, 0.08, mass=1.0)
    arm = model.add(lv.Body(bar, at=(0.5, 0, 0), name="arm"))
    fore = model.add(lv.Body(bar, at=(1.5, 0.06, 0), name="fore"))
    model.add(lv.Revolute(model.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="shoulder"))
    model.add(lv.Revolute(arm.point(0.5, 0.03, 0), fore.point(-0.5, -0.03, 0), axis=(0, 1, 0), name="elbow"))
    return model


def swing_two() -> lv.Trajectory:
    """Two equal bars released from the level: a double pendulum.

    The first swings look regular; after about four seconds the outer bar goes over the top, and again. The energy error
    stays bounded, and the joints hold.

    >>> motion = swing_two()
    >>> motion.freedom, float(motion.defect_position.max()) < 1e-11
    (2, True)
    """
    return lv.simulate(two_bars(), lv.Livens(order=4), h=1e-3, until=6.0, every=2)


def ends(model: lv.Model) -> list[lv.Point]:
    """The far end of every link: as far from its centre as its own joint, on the other side."""
    return [end.body.point(-end.r) for end in (joint.points[1] for joint in model.joints)]


DEMO = Demo(
    "two bars on hinges: regular swings at first, then over the top",
    swing_two,
    lambda motion: motion.plot("trajectory", *ends(motion.model)),
    "the paths of elbow and tip",
    moment=0.62,
    position=6,
)
