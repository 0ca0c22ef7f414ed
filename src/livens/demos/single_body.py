"""A handle that turns over: a free body about its intermediate principal axis."""

from __future__ import annotations

from math import pi

import livens as lv

from .demo import Demo


def turn_handle() -> lv.Trajectory:
    """A T-shaped handle floats in orbit and spins about its intermediate principal axis (V. Dzhanibekov).

    It turns steadily, flips over, turns steadily the other way round, and flips back, periodically. Its angular
    momentum is constant in the world; in the body it moves along a closed curve that passes near the intermediate axis.

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


DEMO = Demo(
    "a handle in orbit, spun about its intermediate principal axis, turns over periodically",
    turn_handle,
    lambda motion: motion.plot("polhode", "handle"),
    "its angular momentum on sphere and ellipsoid",
    moment=4.0,
    position=1,
)
