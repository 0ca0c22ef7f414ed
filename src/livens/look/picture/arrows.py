"""Loads as arrows: forces [N] and torques [N m] of all loads at chosen times, in world axes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...checks import Array
from ...record.trajectory import Trajectory
from .lengths import nice
from .phases import exist
from .picture import Picture
from .places import Places, places

ARROW_LENGTH = 0.5  # of the largest arrow of a motion, in halves of the motion's largest side


class Arrows(NamedTuple):
    """The arrows of one kind: their names, points, values (times, n, 3), and the value of the scale's arrow."""

    kind: str  # "force" or "torque"
    unit: str
    names: tuple[str, ...]
    points: Places
    values: Array  # world axes
    most: float  # the largest norm of the values

    @property
    def scale(self) -> float:
        """The round value that the legend's arrow has, not above the largest."""
        return nice(self.most) if self.most > 0.0 else 0.0


def tips(arrows: list[Arrows], x: Array, R: Array, up: Array, half: float) -> Array:
    """The ends of all arrows at all times (n, 3) [m], for body frames at x with rotations R in upright axes, into which
    `up` turns world axes; half: half the motion's largest side [m]."""
    found = [one.points.at(x, R) + one.values @ up.T * (ARROW_LENGTH * half / one.most) for one in arrows]
    return np.concatenate([np.zeros((0, 3)), *(one.reshape(-1, 3) for one in found)])


def arrows_of(picture: Picture, t: Array, R: Array, motion: Trajectory | None = None) -> list[Arrows]:
    """The forces and the torques of all loads at the times t with the rotations R (times, bodies, 3, 3); zero at times
    at which the motion has no such load."""
    exists = np.ones((len(t), len(picture.loads)), dtype=bool)
    if motion is not None:
        exists = exist(motion, [load.name for load in picture.loads], t)
    found = []
    for kind, unit in (("force", "N"), ("torque", "N m")):
        loads, values = [], []
        for load, there in zip(picture.loads, exists.T, strict=True):
            one = np.where(there[:, None], _values(vars(load)[kind], t), 0.0)
            if load.axes == "body":
                body = places(picture.model, [load.point]).body[0]
                one = np.einsum("tij,tj->ti", R[:, body], one)
            if np.isfinite(one).all() and one.any():
                loads.append(load)
                values.append(one)
        if loads:
            shown = np.stack(values, axis=1)
            names = tuple(load.name for load in loads)
            where = places(picture.model, [load.point for load in loads])
            most = float(np.linalg.norm(shown, axis=2).max())
            found.append(Arrows(kind, unit, names, where, shown, most))
    return found


def _values(signal: Any, t: Array) -> Array:
    """A constant vector or a function of time, at the times t (n, 3)."""
    if not callable(signal):
        return np.broadcast_to(np.asarray(signal, dtype=np.float64), (len(t), 3))
    return np.array([np.asarray(signal(float(s)), dtype=np.float64) for s in t]).reshape(len(t), 3)
