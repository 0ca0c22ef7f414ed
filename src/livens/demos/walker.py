"""Walking without a motor: a rimless wheel."""

from __future__ import annotations

import numpy as np

import livens as lv

from .demo import Demo

SPOKES, LENGTH, SLOPE, G = 8, 1.0, 0.12, 9.81  # length [m], slope [rad], gravity [m/s²]
HALF = np.pi / SPOKES  # half of the angle between two spokes


def steady_rate() -> float:
    """The rate after each step of a rimless wheel of a point mass [rad/s] (McGeer 1990): the mass falls by 2 l sin α
    sin γ in a step, and an impact keeps cos 2α of its rate."""
    kept = np.cos(2.0 * HALF) ** 2
    gain = 4.0 * G / LENGTH * np.sin(HALF) * np.sin(SLOPE)
    return float(np.sqrt(gain * kept / (1.0 - kept)))


def walk_down(until: float = 5.0) -> lv.Trajectory:
    """The simplest walker: a wheel of spokes without a rim walks down a slope. It loses energy where each foot strikes,
    gains it in each step, and reaches a steady pace.

    >>> motion = walk_down()
    >>> rate = np.linalg.norm(motion.angular_velocity("wheel"), axis=1)
    >>> strikes = np.searchsorted(motion.t, motion.impacts.t[-4:])
    >>> bool(np.abs(rate[strikes] / steady_rate() - 1.0).max() < 0.02)
    True
    """
    angles = 2.0 * HALF * np.arange(SPOKES)
    feet = LENGTH * np.stack([np.sin(angles), 0.0 * angles, -np.cos(angles)], axis=1)
    points = lv.Compound([(lv.PointMass(1.0), lv.Pose(foot)) for foot in feet])
    spokes = lv.Compound([
        (lv.Capsule(0.02, 0.92, mass=1.0), lv.Pose(0.5 * foot, lv.Pose.from_axis_angle((0, 1, 0), -angle).B))
        for foot, angle in zip(feet, angles, strict=True)
    ])  # fmt: skip
    model = lv.Model(gravity=(G * np.sin(SLOPE), 0.0, -G * np.cos(SLOPE)), name="walker", planar="xz")
    small = 1e-3  # all matter is near the hub
    matter = lv.Solid(lv.MassProperties(1.0, np.full(3, small)), spokes.surface)
    turn = lv.Pose.from_axis_angle((0, 1, 0), -HALF).B
    spin = np.array([0.0, 1.2 * steady_rate(), 0.0])
    hub = -turn @ feet[0]  # the foot is at the origin
    wheel = model.add(
        lv.Body(matter, at=hub, rotation=turn, velocity=np.cross(spin, hub), angular_velocity=spin, collision=points,
                name="wheel")
    )  # fmt: skip
    model.add(lv.Contact(model.world.plane((0, 0, 0)), wheel, friction=2.0))
    return lv.simulate(model, h=2e-3, until=until, every=2)


DEMO = Demo("a wheel of spokes that walks down a slope at a steady pace", walk_down, moment=1.0, near=True, position=25)
