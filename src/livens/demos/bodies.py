"""Single bodies: a handle that turns over, a hammer that is thrown, a top that falls and rises."""

from __future__ import annotations

from math import pi

import livens as lv


def turn_handle() -> lv.Trajectory:
    """A T-shaped handle floats in orbit and spins about its middle axis, as V. Dzhanibekov saw it.

    It turns steadily, then flips over, turns steadily the other way round, and flips back, for ever: the angular
    momentum stays where it is, and in the body it runs along a closed curve that passes near the middle axis.

    >>> motion = turn_handle()
    >>> bool(motion.rotation("handle")[:, 0, 0].min() < -0.9), motion.report().energy.relative < 1e-11
    (True, True)
    """
    model = lv.Model(name="handle in orbit")
    stem = (lv.Cylinder(0.012, 0.10, density=7800), lv.Pose.from_axis_angle((0, 1, 0), pi / 2, at=(0.05, 0, 0)))
    bar = (lv.Cylinder(0.012, 0.16, density=7800), lv.Pose.from_axis_angle((1, 0, 0), pi / 2))
    shape = lv.Compound([stem, bar])
    c = shape.mass_properties.center
    rates = (6.0, 0.03, 0.03)  # about the stem
    still = (0.0, -rates[2] * c[0], rates[1] * c[0])  # of the frame's origin, so that the centre of mass is at rest
    model.add(lv.Body(shape, velocity=still, body_rates=rates, name="handle"))
    return lv.simulate(model, lv.Livens(order=4), h=1e-2, until=12.0)


def throw_hammer() -> lv.Trajectory:
    """The hammer of the source documents, a CAD solid, thrown up spinning about its handle.

    That is the axis of its middle moment of inertia, which no body keeps: the hammer turns over while it flies on like
    a stone, and its angular momentum about the centre of mass stays what it was.

    >>> motion = throw_hammer()
    >>> bool(motion.rotation("hammer")[:, 1, 1].min() < -0.9), motion.report().angular_momentum.relative < 1e-11
    (True, True)
    """
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="hammer")
    model.add(lv.Body(lv.hammer(), velocity=(0.0, 2.0, 12.0), body_rates=(0.1, 10.0, -0.1), name="hammer"))
    return lv.simulate(model, lv.Livens(), h=1e-4, until=2.4, every=10)


def spin_top() -> lv.Trajectory:
    """A thin heavy disc on a light rod, held at the far end by a ball joint, spins at 150 rad/s with its axis level.

    Let go it falls, but not straight: its spin turns the fall aside, it comes up again, and its centre walks around the
    vertical in wide loops. The data are those of Brüls, Cardona and Arnold (2012).

    >>> motion = spin_top()
    >>> motion.position(motion.model["top"].center)[-1].round(4).tolist()
    [-0.1504, -0.7242, -0.673]
    """
    model = lv.Model(gravity=(0, 0, -9.81), name="heavy top")
    along = lv.Pose.from_axis_angle((1, 0, 0), -pi / 2).B
    looks = lv.Compound(
        [
            (lv.Cylinder(0.25, 0.03, mass=1.0), lv.Pose((0, 1, 0), along)),
            (lv.Cylinder(0.02, 1.12, mass=1.0), lv.Pose((0, 0.56, 0), along)),
        ]
    )
    matter = lv.MassProperties(15.0, (0.234375, 0.46875, 0.234375), center=(0, 1, 0))
    top = model.add(lv.Body(lv.Solid(matter, looks.surface), body_rates=(0, 150, -4.61538), name="top"))
    model.add(lv.Spherical(model.world.point(0, 0, 0), top.point(0, 0, 0), name="pivot"))
    return lv.simulate(model, lv.Livens(order=4), h=5e-4, until=2.0, every=4)
