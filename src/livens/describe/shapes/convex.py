"""The matter inside the convex hull of points: stones, dice, wedges."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...checks import positive
from ...errors import ModelError
from ..contact_shape import hull
from ..surface import Surface
from .mesh import matter_inside
from .solid import Solid


def convex_hull(points: ArrayLike, *, density: float, name: str | None = None) -> Solid:
    """The matter inside the convex hull of points (n, 3) [m], `density` [kg/m³], as a shape in the axes of the points.
    It touches others as this polyhedron.

    >>> import livens as lv
    >>> wedge = lv.convex_hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], density=1000.0)
    >>> round(wedge.mass_properties.mass, 9), wedge.mass_properties.center.round(9).tolist()
    (166.666666667, [0.25, 0.25, 0.25])
    """
    density = positive(density, "density", "kg/m³")
    try:
        corners = np.array(points, dtype=np.float64)
    except (TypeError, ValueError):
        corners = np.zeros(0)
    if corners.ndim != 2 or corners.shape[1:] != (3,) or not np.isfinite(corners).all():
        raise ModelError("convex_hull takes points such as [(0, 0, 0), (1, 0, 0), …], with finite coordinates [m].")
    part = hull(corners)
    triangles = [(face[0], face[k], face[k + 1]) for face in part.faces for k in range(1, len(face) - 1)]
    surface = Surface(part.pose.point(part.vertices), np.array(triangles, dtype=np.int32))
    label = name or "convex hull"
    return Solid(matter_inside(surface, density, label), surface, label)
