"""The plane of a body in a planar model: 1 DOT2 + 2 DOT1.

With n the normal of the model's plane and r₀ the origin of the body's frame at the start, the body keeps its distance
along n and rotates about n only. A thin rod has no inertia about itself, so that two of its points stay in the plane
instead (2 DOT2), and a point mass one (1 DOT2).
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from ..errors import ModelError
from .body import Body, Point
from .row import Row, aligned, on_plane
from .symmetry import Symmetry, line_along, plane_across
from .thing import Thing

NORMALS = {"xy": 2, "yx": 2, "xz": 1, "zx": 1, "yz": 0, "zy": 0}  # the axis across each plane


def plane_normal(planar: str) -> Array:
    """The normal of a plane of the world, such as "xz"."""
    if not isinstance(planar, str) or planar not in NORMALS:
        raise ModelError(f'planar must be "xy", "xz" or "yz", not {planar!r}.')
    return np.eye(3)[NORMALS[planar]]


class Plane(Thing):
    """Keeps a body to its plane. A planar model has one for each body; a user does not add it."""

    kind = "joint"

    def __init__(self, world: Body, body: Body, normal: Array):
        self.a, self.b, self.normal = world.point_at(body.pose.a), body.point(0, 0, 0), normal
        self.shared = (normal,)

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the body, with a word."""
        return f"plane of {self.b.body.name}"

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.a, self.b)

    @property
    def directions(self) -> tuple[Array, ...]:
        return (self.normal,)

    def rows(self) -> list[Row]:
        body = self.b.body
        moments, axes = body.mass_properties.principal()
        if moments.all():
            return [on_plane(self.a, self.b, self.normal), *aligned(self.a, self.b, self.normal)]
        center = body.mass_properties.center
        size = float(np.sqrt(moments.max() / body.mass_properties.mass))
        along = axes[:, int(np.argmin(moments))] * size
        places = [center] if not moments.any() else [center - along, center + along]
        ends = [body.point(r) for r in places]
        return [on_plane(self.a.body.point_at(end.start), end, self.normal) for end in ends]

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        return Symmetry(plane_across(self.normal), line_along(self.normal))
