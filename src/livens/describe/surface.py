"""The surface of a body: triangles in body axes, for display only; the dynamics do not use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import Array

if TYPE_CHECKING:
    from .pose import Pose


@dataclass(frozen=True, eq=False)
class Surface:
    """Vertices (n, 3) [m] in body axes and triangles (m, 3) as vertex numbers, outward by the right-hand rule."""

    vertices: Array
    triangles: NDArray[np.int32]

    def moved(self, pose: Pose) -> Surface:
        """The same surface after the rigid motion `pose`."""
        return Surface(pose.point(self.vertices), self.triangles)

    def joined(self, other: Surface) -> Surface:
        """Both surfaces as one."""
        n = len(self.vertices)
        return Surface(
            np.concatenate([self.vertices, other.vertices]), np.concatenate([self.triangles, other.triangles + n])
        )

    @property
    def volume(self) -> float:
        """Enclosed volume [m³], by the divergence theorem; right for a closed surface."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def box_surface(sides: ArrayLike) -> Surface:
    """The surface of a box with the given three sides, centred at the origin."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    return Surface(corners * np.asarray(sides, dtype=np.float64), np.array(triangles, dtype=np.int32))
