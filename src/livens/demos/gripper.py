"""Friction that holds: a gripper."""

from __future__ import annotations

import numpy as np

import livens as lv

from .demo import Demo


def lift_box(squeeze: float = 1.02) -> lv.Trajectory:
    """A gripper: two jaws press a box of 0.5 kg with hardly more than the force that holds it, and lift it.

    Each jaw presses with F = m (g + a)/(2µ), for the largest acceleration a of the hand. The box does not creep: it
    moves with the hand to 10⁻⁹ m.

    >>> motion = lift_box()
    >>> slip = motion.position("box") - motion.position("hand")
    >>> bool(np.ptp(slip, axis=0).max() < 1e-9), bool(np.ptp(motion.position("box")[:, 2]) > 0.15)
    (True, True)
    """
    mass, friction, rise, period = 0.5, 0.4, 0.1, 2.0
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="gripper")
    box = model.add(lv.Body(lv.Box(0.06, 0.05, 0.08, mass=mass), name="box"))
    hand = model.add(lv.Body(lv.Box(0.2, 0.05, 0.02, mass=1.0), at=(0, 0, 0.12), name="hand"))
    rate = 2.0 * np.pi / period

    def lift(t: float) -> float:
        return float(rise * (1.0 - np.cos(rate * t)))

    force = squeeze * mass * (9.81 + rise * rate**2) / (2.0 * friction)
    fixed = model.world.point(0, 0, 0.12)
    model.add(lv.Prismatic(fixed, hand.center, axis=(0, 0, 1), drive=lift, name="lift"))
    for side, name in ((1, "right"), (-1, "left")):
        jaw = model.add(lv.Body(lv.Box(0.02, 0.05, 0.1, mass=0.1), at=(side * 0.04, 0, 0), name=name))
        guide = hand.point_at(side * 0.04, 0, 0)
        model.add(lv.Prismatic(guide, jaw.center, axis=(1, 0, 0), name=f"{name} slide"))
        model.add(lv.Load(jaw.center, force=(-side * force, 0, 0)))
        model.add(lv.Contact(jaw, box, friction=friction))
    return lv.simulate(model, h=2e-3, until=4.0, every=4)


DEMO = Demo("a gripper that lifts a box, which does not creep", lift_box, moment=1.0, position=24)
