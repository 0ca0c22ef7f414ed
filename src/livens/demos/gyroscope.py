"""A gyroscope in gimbals."""

from __future__ import annotations

from math import pi

import numpy as np

import livens as lv

from .demo import Demo

DOWN = (0.0, 0.0, -9.81)
X, Y, Z = np.eye(3)


def _frame(side: float, thick: float, x: bool) -> lv.Compound:
    """A square frame of bars about the origin, with its axis along z, or along x."""
    far, bar = side / 2, side + thick
    flat = lv.Box(bar, thick, thick, density=1200), lv.Box(thick, side - thick, thick, density=1200)
    turn = lv.Pose.from_axis_angle(Y, pi / 2) if x else lv.Pose()
    places = [(flat[0], (0, far, 0)), (flat[0], (0, -far, 0)), (flat[1], (far, 0, 0)), (flat[1], (-far, 0, 0))]
    return lv.Compound([(shape, turn @ lv.Pose(at)) for shape, at in places])


def spin_gyroscope() -> lv.Trajectory:
    """A rotor spins at 25 rad/s in an inner frame that tilts, in an outer frame that pans; a weight pulls at one side.

    The weight does not tip the inner frame over: the gyroscope precesses about the vertical and nutates, with a short
    halt at the top of each nutation.

    >>> motion = spin_gyroscope()
    >>> bool(abs(motion.coordinate("tilt")).max() < 0.2), bool(abs(motion.coordinate("pan")[-1]) > 1.0)
    (True, True)
    """
    model = lv.Model(gravity=DOWN, name="gyroscope in gimbals")
    outer = model.add(lv.Body(_frame(0.36, 0.016, x=True), name="outer"))
    weight = (lv.Ball(0.02, mass=0.15), lv.Pose((0.17, 0, 0)))
    frame = _frame(0.28, 0.014, x=False)
    inner = model.add(lv.Body(lv.Compound([*frame.parts, weight]), name="inner"))
    wheel = (lv.Cylinder(0.1, 0.04, density=2700), lv.Pose.from_axis_angle(Y, pi / 2))
    axle = (lv.Cylinder(0.008, 0.28, density=2700), lv.Pose.from_axis_angle(Y, pi / 2))
    mark = (lv.Box(0.05, 0.02, 0.05, density=2700), lv.Pose((0, 0, 0.06)))
    back = (lv.Box(0.05, 0.02, 0.05, density=2700), lv.Pose((0, 0, -0.06)))
    rotor = model.add(lv.Body(lv.Compound([wheel, axle, mark, back]), angular_velocity=25 * X, name="rotor"))
    foot, side, end = (0, 0, -0.18), (0, -0.16, 0), (0.14, 0, 0)  # bearings, where they can be seen
    model.add(lv.Revolute(model.world.point(foot), outer.point(foot), axis=Z, name="pan"))
    model.add(lv.Revolute(outer.point(side), inner.point(side), axis=Y, name="tilt"))
    model.add(lv.Revolute(inner.point(end), rotor.point(end), axis=X, name="spin"))
    return lv.simulate(model, lv.Livens(order=4), h=1e-3, until=4.0, every=4)


DEMO = Demo(
    "a gimballed gyroscope precessing under an off-centre weight",
    spin_gyroscope,
    lambda motion: motion.plot("trajectory", motion.model["rotor"].point(0.14, 0, 0)),
    "the path of the end of its axle",
    moment=0.5,
    position=11,
)
