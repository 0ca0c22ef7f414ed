"""Pendulums: two bars on hinges, and a chain of links on ball joints."""

from __future__ import annotations

from math import pi

import livens as lv

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
    """Two equal bars let go from the level: a double pendulum.

    The first swings look tame; after some four seconds the outer bar goes over the top, and again. Energy and joints
    hold all the same.

    >>> motion = swing_two()
    >>> motion.freedom, float(motion.defect_position.max()) < 1e-11
    (2, True)
    """
    return lv.simulate(two_bars(), lv.Livens(order=4), h=1e-3, until=6.0, every=2)


def drop_chain(n: int = 12) -> lv.Trajectory:
    """A chain of n links, held at one end and let go level.

    The links near the hand hang down first and pull the others with them: the tip falls with a stone let go beside it,
    and overtakes it.

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


def ends(model: lv.Model) -> list[lv.Point]:
    """The far end of every link: as far from its centre as its own joint, on the other side."""
    return [end.body.point(-end.r) for end in (joint.points[1] for joint in model.joints)]
