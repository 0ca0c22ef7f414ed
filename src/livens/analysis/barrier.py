"""Bounds low ≤ x ≤ high of an optimisation, by an interior-point method (Wächter & Biegler 2006).

The cost gets −β Σ log(x − low) − β Σ log(high − x), with β → 0. With the multipliers z of the bounds, Newton's method
for z (x − low) = β, z (high − x) = β adds to the Hessian and to the gradient of the cost

    Σ = z_l/(x − low) + z_h/(high − x),           −β/(x − low) + β/(high − x).                                       (1)

A step ends before a bound: at most the part KEPT of the distance to it is taken.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array

KEPT = 0.995
NARROW = 1e10  # a multiplier differs from β over its distance by this factor at most
INSIDE = 1e-2  # distance of a first guess from a bound, of the distance of both bounds, or of the size of the variables


class Barrier:
    """Bounds of an array of variables; infinite ones do not count."""

    def __init__(self, low: Array, high: Array):
        self.low, self.high = low, high
        self.bounded = np.isfinite(low), np.isfinite(high)
        self.count = int(self.bounded[0].sum() + self.bounded[1].sum())
        self.z = [np.zeros(low.shape), np.zeros(low.shape)]

    def inside(self, x: Array, size: float) -> Array:
        """The nearest x well inside the bounds."""
        both = np.isfinite(self.high - self.low)
        margin = INSIDE * np.where(both, np.where(both, self.high, 1.0) - np.where(both, self.low, 0.0), size)
        return np.clip(x, self.low + margin, self.high - margin)

    def begin(self, x: Array, beta: float) -> None:
        """Multipliers of the variables x."""
        self.z = [np.where(on, beta / gap, 0.0) for on, gap in zip(self.bounded, self.gaps(x), strict=True)]

    def gaps(self, x: Array) -> tuple[Array, Array]:
        """Distances from both bounds; 1 where there is none."""
        return np.where(self.bounded[0], x - self.low, 1.0), np.where(self.bounded[1], self.high - x, 1.0)

    def cost(self, x: Array, beta: float) -> float:
        """The logarithms; infinite outside."""
        total = 0.0
        for on, gap in zip(self.bounded, self.gaps(x), strict=True):
            if (gap <= 0.0).any():
                return np.inf
            total -= beta * float(np.log(gap[on]).sum())
        return total

    def curvature(self, x: Array) -> Array:
        """Σ of (1)."""
        below, above = self.gaps(x)
        return np.asarray(self.z[0] / below + self.z[1] / above)

    def gradient(self, x: Array, beta: float) -> Array:
        """(1)."""
        below, above = self.gaps(x)
        return np.asarray(np.where(self.bounded[1], beta / above, 0.0) - np.where(self.bounded[0], beta / below, 0.0))

    def part(self, x: Array, dx: Array) -> float:
        """The largest part of a step that keeps to the bounds."""
        parts = [
            _part(gap[on], sign * dx[on]) for on, gap, sign in zip(self.bounded, self.gaps(x), (1.0, -1.0), strict=True)
        ]
        return min(parts)

    def follow(self, x: Array, dx: Array, new: Array, beta: float) -> None:
        """The multipliers after the step dx from x, which ended at `new`."""
        for k, (on, gap, sign, after) in enumerate(
            zip(self.bounded, self.gaps(x), (1.0, -1.0), self.gaps(new), strict=True)
        ):
            z = self.z[k]
            dz = np.where(on, beta / gap - z - sign * z / gap * dx, 0.0)
            moved = z + _part(z[on], dz[on]) * dz
            ideal = np.where(on, beta / after, 0.0)
            self.z[k] = np.clip(moved, ideal / NARROW, ideal * NARROW)


def _part(gap: Array, change: Array) -> float:
    """The largest part of a change that takes at most KEPT of the gaps."""
    towards = change < 0.0
    return min(1.0, float((KEPT * gap[towards] / -change[towards]).min(initial=1.0)))
