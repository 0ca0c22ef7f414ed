"""Rolling resistance: a disk that rings faster and faster."""

from __future__ import annotations

from typing import Any

import numpy as np

import livens as lv

from .demo import Demo

DISK_RADIUS, ROLLING, TILT, G = 0.1, 0.002, 0.2, 9.81  # [m], [m], [rad], [m/s²]
PACE = 2.0 / 3.0 * ROLLING / DISK_RADIUS * np.sqrt(G / DISK_RADIUS)  # of √θ [1/s]
END = np.sqrt(TILT) / PACE  # [s]


def roll_disk(until: float = 3.0) -> lv.Trajectory:
    """Euler's disk: a coin that rolls on its rim, lower and faster, until it stops.

    A torque resists rolling. A disk at the tilt θ has the energy 3/2 m g r θ, and its contact point runs around at the
    rate √(4g/(r θ)). So the tilt is θ = θ₀ (1 − t/t₁)²: it ends at a finite time t₁, at an infinite rate.

    >>> motion = roll_disk(until=1.0)
    >>> height = motion.energy[-1] / (1.5 * 9.81 * 0.1)
    >>> bool(abs(np.sqrt(height / TILT) - (1.0 - 1.0 / END)) < 0.02)
    True
    """
    turn = lv.Pose.from_axis_angle((0, 1, 0), TILT).B
    spin = (
        np.sqrt(4.0 * G / (DISK_RADIUS * np.sin(TILT))) * np.sin(TILT) * turn[:, 0]
    )  # about the line to the lowest point
    thick = 1e-3
    height = DISK_RADIUS * np.sin(TILT) + 0.5 * thick * np.cos(TILT)
    model = lv.Model(gravity=(0.0, 0.0, -G), name="Euler's disk")
    shape = lv.Cylinder(DISK_RADIUS, thick, mass=1.0)
    disk = model.add(lv.Body(shape, at=(0, 0, height), rotation=turn, angular_velocity=spin, name="disk"))
    model.add(lv.Contact(model.world.plane((0, 0, 0)), disk, friction=2.0, rolling=ROLLING))
    return lv.simulate(model, h=2.5e-4, until=until, every=8)


def _tilt(motion: lv.Trajectory) -> Any:
    figure = motion.plot("energy")
    axes = figure.axes[0]
    axes.clear()
    tilt = np.arccos(np.clip(motion.rotation("disk")[:, 2, 2], -1.0, 1.0))
    axes.plot(motion.t, tilt, color="black", linewidth=1.2)
    axes.plot(motion.t, TILT * (1.0 - motion.t / END) ** 2, color="tab:red", linestyle="--", linewidth=1.0)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("tilt [rad]")
    return figure


DEMO = Demo(
    "Euler's disk, which rolls lower and faster until it stops",
    roll_disk,
    figure=_tilt,
    drawn="its tilt and the law (1 − t/t₁)²",
    moment=0.4,
    position=20,
)
