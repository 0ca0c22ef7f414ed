"""Principal axes that follow a change of the inertia: those nearest to given ones.

`MassProperties.principal` orders the axes by their moments and chooses their signs, so that a small change of the
inertia may exchange them. Here Jacobi's rotations by the smaller angle start from the given axes Q₀,

    Q = Q₀ R₁ R₂ …,      Qᵀ J Q diagonal,                                                                        (1)

and a product of inertia of round-off size counts as zero. Where two moments are equal, no choice is smooth for every
change; smooth_axes.py chooses axes for one change, and `HeldMass` takes them as they are.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from ..describe.mass import MassProperties
from ..describe.model import Model

SWEEPS = 30
ROUND_OFF = 5e-15  # that of the products QᵀJQ, in parts of the largest moment


class AlignedMass(MassProperties):
    """Mass properties whose principal axes are those nearest to `axes`."""

    axes: Array

    def __init__(self, matter: MassProperties, axes: Array):
        super().__init__(matter.mass, matter.inertia, matter.center)
        object.__setattr__(self, "axes", axes)

    def principal(self) -> tuple[Array, Array]:
        """Principal moments and axes by (1)."""
        Q = self.axes.copy()
        J = Q.T @ self.inertia @ Q
        for _ in range(SWEEPS):
            rest = 0.0
            for i, j in ((0, 1), (0, 2), (1, 2)):
                if abs(J[i, j]) <= ROUND_OFF * np.abs(J).max():
                    continue
                rest = max(rest, abs(J[i, j]))
                angle = 0.5 * np.arctan2(2.0 * J[i, j], J[i, i] - J[j, j])
                angle -= 0.5 * np.pi * np.round(angle / (0.5 * np.pi))
                c, s = np.cos(angle), np.sin(angle)
                R = np.eye(3)
                R[i, i] = R[j, j] = c
                R[i, j], R[j, i] = -s, s
                J, Q = R.T @ J @ R, Q @ R
            if rest == 0.0:
                break
        return _moments(J), Q


class HeldMass(AlignedMass):
    """Mass properties whose principal axes are `axes`, between whose equal moments no choice is made."""

    def principal(self) -> tuple[Array, Array]:
        """Principal moments and axes; products of inertia that are left count as round-off."""
        return _moments(self.axes.T @ self.inertia @ self.axes), self.axes.copy()


def _moments(J: Array) -> Array:
    moments = np.maximum(np.diag(J), 0.0)
    moments[moments < 1e-9 * moments.max()] = 0.0
    return moments


def align(model: Model, reference: Array) -> None:
    """Give the bodies of a model the principal axes nearest to `reference` (n, 3, 3), the world's first."""
    for body, axes in zip(model.bodies[1:], reference[1:], strict=True):
        if not np.array_equal(body.mass_properties.principal()[1], axes):
            body.shape = AlignedMass(body.mass_properties, axes)
