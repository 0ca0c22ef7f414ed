"""Friction of a patch: a top that turns over."""

from __future__ import annotations

from typing import Any

import numpy as np

import livens as lv

from .demo import Demo


def spin_tippe_top(patch: float = 5e-4, until: float = 2.5) -> lv.Trajectory:
    """A tippe top (Leine & Glocker 2003): a round body whose centre of mass is below the centre of its surface. Spun
    fast, it turns over and stands on its stem.

    It needs slip: the contact is a small patch, in which sliding and spinning share the friction. With point friction
    (patch=0) it soon rolls, and stays upright.

    >>> motion = spin_tippe_top()
    >>> up = motion.rotation("top")[:, 2, 2]  # cosine of its tilt
    >>> bool(up[0] > 0.99), bool(up[-1] < -0.9)
    (True, True)
    """
    mass, moments = 6e-3, (8e-7, 8e-7, 7e-7)
    body, stem = lv.Ball(0.015, mass=1.0), lv.Ball(0.005, mass=1.0)
    surface = lv.Compound([(body, lv.Pose((0, 0, 0.003))), (stem, lv.Pose((0, 0, 0.016)))])
    tilt = 0.1
    turn = lv.Pose.from_axis_angle((1, 0, 0), tilt).B
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="tippe top")
    top = model.add(
        lv.Body(
            lv.Solid(lv.MassProperties(mass, moments), surface.surface), at=(0, 0, 0.015 - 0.003 * np.cos(tilt)),
            rotation=turn, body_rates=(0, 0, 180.0), collision=surface, name="top",
        )
    )  # fmt: skip
    model.add(lv.Contact(model.world.plane((0, 0, 0)), top, friction=0.3, patch=patch))
    return lv.simulate(model, h=1e-4, until=until, every=20)


def _tilt(motion: lv.Trajectory) -> Any:
    figure = motion.plot("energy")
    axes = figure.axes[0]
    axes.clear()
    axes.plot(motion.t, np.degrees(np.arccos(motion.rotation("top")[:, 2, 2])), color="black", linewidth=1.2)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("tilt [°]")
    return figure


DEMO = Demo(
    "a tippe top that turns over and stands on its stem",
    spin_tippe_top,
    figure=_tilt,
    drawn="its tilt",
    moment=1.2,
    near=True,
    position=19,
)
