"""Stick, slip and impacts in one cycle: the woodpecker toy."""

from __future__ import annotations

from typing import Any

import numpy as np

import livens as lv

from .demo import Demo

POLE, HOLE, HEIGHT = (
    0.0025,
    0.0031,
    0.0058,
)  # radius of the pole, of the hole in the sleeve, half height of the sleeve [m]


def peck() -> lv.Trajectory:
    """Glocker's woodpecker toy: a sleeve with clearance on a pole, and a bird on a torsion spring whose beak hits the
    pole. The sleeve sticks while it is tilted and slides while it is not, so the bird comes down step by step.

    After a few cycles the motion is periodic.

    >>> motion = peck()
    >>> beak = [t for t, name in zip(motion.impacts.t, motion.impacts.contact) if name == "beak"]
    >>> (np.diff(beak)[-3:] * 1e3).round(1).tolist()  # [ms]
    [130.8, 130.8, 130.8]
    """
    tilt, lean, fall, rate = -0.1006, -0.2788, np.array([0.0, 0.0, -0.3411]), np.array([0.0, 7.4583, 0.0])
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="woodpecker")
    B, C = (lv.Pose.from_axis_angle((0, -1, 0), angle).B for angle in (tilt, lean))
    ring = lv.Solid(lv.MassProperties(0.0003, np.full(3, 5e-9)), lv.Box(0.009, 0.006, 2 * HEIGHT, mass=1.0).surface)
    ends = [(lv.PointMass(1.0), lv.Pose((HOLE, 0, z))) for z in (HEIGHT, -HEIGHT)]
    sleeve = model.add(lv.Body(ring, rotation=B, velocity=fall, collision=lv.Compound(ends), name="sleeve"))
    arm = C @ [0.015, 0.0, 0.0]
    shape = lv.Compound(
        [lv.Ellipsoid(0.008, 0.006, 0.016, mass=1.0), (lv.Ball(0.007, mass=1.0), lv.Pose((-0.008, 0, 0.02)))]
    )
    beak = lv.Compound([(lv.PointMass(1.0), lv.Pose((-0.0201, 0, 0.02)))])
    bird = model.add(
        lv.Body(
            lv.Solid(lv.MassProperties(0.0045, np.full(3, 7e-7)), shape.surface), at=B @ [0.01, 0.0, 0.0] + arm,
            rotation=C, velocity=fall + np.cross(rate, arm), angular_velocity=rate, collision=beak, name="bird",
        )
    )  # fmt: skip
    for name, normal in (("across", (0, 1, 0)), ("along", (1, 0, 0))):
        model.add(lv.PointOnPlane(model.world.point(0, 0, 0), sleeve.point(0, 0, 0), normal=normal, name=name))
    hinge = sleeve.point(0.01, 0, 0), bird.point(-0.015, 0, 0)
    model.add(lv.Revolute(*hinge, axis=(0, -1, 0), stiffness=0.0056, start=lean - tilt, name="spring"))
    pole = model.world.plane((POLE, 0, 0), normal=(1, 0, 0))
    model.add(lv.Contact(pole, sleeve, friction=0.3, impacts="together", name="ring"))
    model.add(lv.Contact(pole, bird, friction=0.3, restitution=0.5, impacts="together", name="beak"))
    return lv.simulate(model, h=1e-4, until=1.2, every=10)


def _height(motion: lv.Trajectory) -> Any:
    figure = motion.plot("energy")
    axes = figure.axes[0]
    axes.clear()
    axes.plot(motion.t, 1e3 * motion.position("sleeve")[:, 2], color="black", linewidth=1.2)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("height of the sleeve [mm]")
    return figure


DEMO = Demo(
    "a woodpecker toy that comes down a pole by stick, slip and impacts", peck, figure=_height,
    drawn="the height of the sleeve", moment=0.3, near=True, position=17,
)  # fmt: skip
