"""Small changes of (q, v) where some coordinates are rotation vectors: those of ball joints and free bodies.

A rotation R = exp(q) of a second body in the axes of the first changes by a small rotation δ in these axes,
R ← exp(δ) R. Other coordinates and all rates change by sums.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ..checks import Array
from ..kernels.joint_space import BALL
from .joint_space import JointSpace


class RotationCoordinates:
    """`first`: the number of the first coordinate of every whole rotation vector among the independent coordinates;
    `parts`: numbers of those that belong to a rotation vector that a loop constrains."""

    def __init__(self, space: JointSpace):
        every = [space.space.every[k] for k in space.space.independent]
        begins = [k for k, one in enumerate(every) if one.kind == BALL and one.component == 0]
        self.first = [k for k in begins if [one.component for one in every[k : k + 3]] == [0, 1, 2]]
        whole = {k + n for k in self.first for n in range(3)}
        self.parts = sorted({k for k, one in enumerate(every) if one.kind == BALL} - whole)
        self.whole = sorted(whole)

    def moved(self, x: Array, by: Array) -> Array:
        """x changed by `by`, both (…, 2m)."""
        new = x + by
        for k in self.first:
            some = by[..., k : k + 3]
            if some.any():
                one, two = (Rotation.from_rotvec(y[..., k : k + 3].reshape(-1, 3)) for y in (by, x))
                new[..., k : k + 3] = (one * two).as_rotvec().reshape(some.shape)
        return np.asarray(new)

    def difference(self, x: Array, reference: Array) -> Array:
        """The change from a reference to x: the inverse of `moved`."""
        by = np.asarray(x - reference)
        for k in self.first:
            one, two = (Rotation.from_rotvec(y[..., k : k + 3].reshape(-1, 3)) for y in (x, reference))
            by[..., k : k + 3] = (one * two.inv()).as_rotvec().reshape(by[..., k : k + 3].shape)
        return by

    def turn(self, by: Array) -> Array:
        """T (2m, 2m): for a small change δ of r, difference(x, moved(r, δ)) and by − T δ, by = difference(x, r), belong
        to the same rotation up to first order; T is the rotation exp(by)."""
        T = np.eye(len(by))
        for k in self.first:
            T[k : k + 3, k : k + 3] = Rotation.from_rotvec(by[k : k + 3]).as_matrix()
        return T
