"""From metres to the units of the page: a watch of 1 mm and an orbit of 10⁹ m both fill the screen.

    x ↦ s (x − m)        m the middle of the motion [m],  s = 2 / (half its largest side)                     (1)

The page computes in single precision; positions far from the origin are moved near it here, in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ..picture.extent import LIFT, TURN, upright
from ..picture.lengths import nice

HALF = 2.0  # half the largest side of a motion, in units of the page
LENS = np.radians(50.0)  # vertical angle of view


@dataclass(frozen=True, eq=False)
class Sizes:
    """Equation (1), and the ground and camera that follow from it."""

    middle: Array  # m [m]
    scale: float  # s [units of the page per metre]
    half: Array  # half sides of the motion [units]
    up: Array  # against gravity; z where there is none

    def __call__(self, x: Array) -> NDArray[np.float32]:
        """World positions [m] in units of the page."""
        return ((x - self.middle) * self.scale).astype(np.float32)

    def back(self, position: Array) -> Array:
        """A position in units of the page as a world position [m]."""
        return np.asarray(position, dtype=np.float64) / self.scale + self.middle

    @property
    def cell(self) -> float:
        """Side of a cell of the grid [m]: a round number, about a tenth of the motion."""
        return nice(0.4 / self.scale)

    @property
    def ground(self) -> Array:
        """A point of the ground below everything [units]."""
        return -self.up * float(np.abs(self.up) @ self.half) * 1.02

    @property
    def tilt(self) -> Array:
        """The quaternion (w, x, y, z) that turns the z axis into `up`."""
        w = 1.0 + self.up[2]
        if w < 1e-9:
            return np.array([0.0, 1.0, 0.0, 0.0])
        q = np.array([w, -self.up[1], self.up[0], 0.0])
        return q / np.linalg.norm(q)

    @property
    def axes(self) -> Array:
        """The rotation from world axes to upright ones, in which z is up."""
        return upright(-self.up)

    @property
    def camera(self) -> Array:
        """The position of the camera [units], at the angles that pages and pictures have, too."""
        look = np.array([np.cos(LIFT) * np.cos(TURN), np.cos(LIFT) * np.sin(TURN), np.sin(LIFT)])
        far = 0.92 * float(np.linalg.norm(self.half)) / np.tan(LENS / 2)
        return self.axes.T @ look * max(far, 1.0)


def sizes(low: Array, high: Array, gravity: Array) -> Sizes:
    """The sizes of a motion that stays between the corners `low` and `high` [m].

    >>> import numpy as np
    >>> watch = sizes(np.zeros(3), np.full(3, 1e-3), np.zeros(3))
    >>> watch(np.array([1e-3, 0.5e-3, 0.0])).tolist(), watch.cell
    ([2.0, 0.0, -2.0], 0.0001)
    """
    half = 0.5 * (high - low)
    largest = float(half.max(initial=0.0))
    scale = HALF / largest if np.isfinite(largest) and largest > 0.0 else 1.0
    g = float(np.linalg.norm(gravity))
    up = -gravity / g if g > 0.0 else np.array([0.0, 0.0, 1.0])
    return Sizes(0.5 * (low + high), scale, half * scale, up)
