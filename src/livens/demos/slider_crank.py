"""A slider-crank in space."""

from __future__ import annotations

from math import pi

import numpy as np

import livens as lv

from .demo import Demo

DOWN = (0.0, 0.0, -9.81)
X, Y, Z = np.eye(3)


def turn_slider_crank() -> lv.Trajectory:
    """A crank about x, a rod with a ball joint and a universal joint, a slider along x, after Haug; pushed at 6 rad/s.

    The crank swings and turns. The slider moves to and fro, but not as a sine, because of the geometry of the rod.

    >>> motion = turn_slider_crank()
    >>> motion.freedom, float(motion.defect_velocity.max()) < 1e-11
    (1, True)
    """
    model = lv.Model(gravity=DOWN, name="slider-crank in space")
    A, C = np.array([0.0, 0.1, 0.12]), np.array([0.2, 0.0, 0.0])
    B = A + 0.08 * Z
    u = (C - B) / 0.3
    v = np.array([0.0, 2.0, -1.0]) / np.sqrt(5.0)
    R = np.stack([u, v, np.cross(u, v)], axis=1)

    def drawn_as(
        mass: float, inertia: tuple[float, float, float], shape: lv.Cylinder | lv.Compound | lv.Box
    ) -> lv.Solid:
        return lv.Solid(lv.MassProperties(mass, inertia), shape.surface)

    rod_shape = lv.Compound([(lv.Cylinder(0.006, 0.3, mass=1.0), lv.Pose.from_axis_angle(Y, pi / 2))])
    crank = model.add(
        lv.Body(drawn_as(0.12, (1e-4, 1e-4, 1e-5), lv.Box(0.012, 0.02, 0.09, mass=1.0)), at=(A + B) / 2,
                name="crank")
    )  # fmt: skip
    rod = model.add(
        lv.Body(drawn_as(0.5, (4e-4, 4e-3, 4e-3), rod_shape), at=(B + C) / 2, rotation=R, name="rod")
    )  # fmt: skip
    slider = model.add(
        lv.Body(drawn_as(2.0, (1e-4, 1e-4, 1e-4), lv.Box(0.05, 0.04, 0.04, mass=1.0)), at=C, name="slider")
    )  # fmt: skip
    model.add(lv.Revolute(model.world.point(A), crank.point_at(A), axis=X, start_rate=6.0, name="hinge"))
    model.add(lv.Spherical(crank.point_at(B), rod.point_at(B), name="ball"))
    model.add(lv.Universal(slider.point(0, 0, 0), rod.point_at(C), axis_a=X, axis_b=v, name="cross"))
    model.add(lv.Prismatic(model.world.point(C), slider.point(0, 0, 0), axis=X, name="guide"))
    return lv.simulate(model, lv.Livens(order=4), h=1e-3, until=4.0, every=2)


DEMO = Demo(
    "a crank that drives a slider through a rod in space",
    turn_slider_crank,
    lambda motion: motion.plot("reactions", "ball", "guide"),
    "the forces in its joints",
    moment=0.75,
    position=10,
)
