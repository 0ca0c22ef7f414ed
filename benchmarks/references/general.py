"""Kepler's ellipse in closed form, and the double pendulum by tight integration."""

from __future__ import annotations

import math

import numpy as np

from ..tasks.general import General
from .integrate import integrate


def kepler(task: General, rtol: float) -> np.ndarray:
    """From the nearest point of the ellipse: E − e sin E = t a^(−3/2), by Newton's method."""
    energy = 0.5 * (task.v[0] ** 2 + task.v[1] ** 2) - 1.0 / task.q[0]
    a = -0.5 / energy
    e = 1.0 - task.q[0] / a
    mean = math.fmod(task.until * a**-1.5, 2.0 * math.pi)
    E = mean
    for _ in range(50):
        E -= (E - e * math.sin(E) - mean) / (1.0 - e * math.cos(E))
    return np.array([[a * (math.cos(E) - e), a * math.sqrt(1.0 - e * e) * math.sin(E)]])


def double_pendulum(task: General, rtol: float) -> np.ndarray:
    """The two angles."""
    slopes = task.accelerations(math)

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        return np.array([y[2], y[3], *slopes(y[:2], y[2:])])

    return integrate(slope, np.array([*task.q, *task.v]), task.until, rtol)[None, :2]
