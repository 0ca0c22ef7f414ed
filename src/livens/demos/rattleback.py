"""Rolling: a stone that turns back by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

import livens as lv

from .demo import Demo


def spin_rattleback(spin: float = -5.0) -> lv.Trajectory:
    """A rattleback (Kane & Levinson 1982): half an ellipsoid whose principal axes are turned against those of its
    surface. Spun in one direction, it begins to rattle and turns back.

    Friction holds the contact point: the stone rolls, and energy is conserved.

    >>> motion = spin_rattleback()
    >>> spin = motion.body_rates("stone")[:, 2]
    >>> bool(spin[0] < -4.9), bool(spin.max() > 1.0)
    (True, True)
    """
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="rattleback")
    inertia = 1e-4 * np.array([[2.0, -0.2, 0.0], [-0.2, 16.0, 0.0], [0.0, 0.0, 17.0]])
    surface = lv.Ellipsoid(0.2, 0.03, 0.02, mass=1.0)
    raised = lv.Compound([(surface, lv.Pose((0, 0, 0.01)))])  # the middle is 1 cm above the centre of mass
    tilt = lv.Pose.from_axis_angle((1, 0, 0), 0.01).B
    up, half = tilt[2], np.array([0.2, 0.03, 0.02])
    lowest = np.array([0.0, 0.0, 0.01]) - half**2 * up / np.linalg.norm(half * up)  # contact point, body axes
    stone = lv.Body(
        lv.Solid(lv.MassProperties(1.0, inertia), raised.surface), at=(0, 0, -float(lowest @ up)), rotation=tilt,
        velocity=tilt @ np.cross(lowest, (0, 0, spin)), body_rates=(0, 0, spin), collision=raised, name="stone",
    )  # fmt: skip
    model.add(stone)
    model.add(lv.Contact(model.world.plane((0, 0, 0)), stone, friction=20.0))
    return lv.simulate(model, h=5e-4, until=8.0, every=10)


def _spin(motion: lv.Trajectory) -> Any:
    figure = motion.plot("energy")
    axes = figure.axes[0]
    axes.clear()
    axes.plot(motion.t, motion.body_rates("stone")[:, 2], color="black", linewidth=1.2)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("spin [rad/s]")
    return figure


DEMO = Demo(
    "a rattleback that turns back by itself", spin_rattleback, figure=_spin, drawn="its spin", moment=1.0, position=16
)
