"""How MuJoCo's geoms look: triangles in the geom's own axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..surface import Surface, box_surface
from ..tessellate import ball, capsule, cylinder


def geom_surface(mj: Any, m: Any, g: int) -> Surface | None:
    """The surface of geom number g, None for planes and fields of heights."""
    kinds, size = mj.mjtGeom, m.geom_size[g]
    kind = m.geom_type[g]
    if kind == kinds.mjGEOM_SPHERE:
        return ball(size[0])
    if kind == kinds.mjGEOM_CAPSULE:
        return capsule(size[0], 2.0 * size[1])
    if kind == kinds.mjGEOM_CYLINDER:
        return cylinder(size[0], 2.0 * size[1])
    if kind == kinds.mjGEOM_BOX:
        return box_surface(2.0 * size)
    if kind == kinds.mjGEOM_ELLIPSOID:
        unit = ball(1.0)
        return Surface(unit.vertices * size, unit.triangles)
    if kind == kinds.mjGEOM_MESH:
        k = m.geom_dataid[g]
        v, f = m.mesh_vertadr[k], m.mesh_faceadr[k]
        vertices = np.array(m.mesh_vert[v : v + m.mesh_vertnum[k]], dtype=np.float64)
        return Surface(vertices, np.array(m.mesh_face[f : f + m.mesh_facenum[k]], dtype=np.int32))
    return None
