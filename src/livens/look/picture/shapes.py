"""The surfaces of bodies: each shape once, with sharp edges and smooth round sides."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.model import Body, Model
from ...describe.surface import Surface

CREASE = np.cos(np.radians(35.0))  # triangles whose normals differ by more meet in an edge


class Mesh(NamedTuple):
    """Triangles whose vertices have normals; along an edge there are several vertices at one position."""

    vertices: Array  # [m], body axes (n, 3)
    normals: Array  # of length one (n, 3)
    triangles: NDArray[np.int64]  # (m, 3)


@dataclass(frozen=True, eq=False)
class Shape:
    """One shape: the numbers of the bodies that have it, and its surface in body axes."""

    members: NDArray[np.int64]
    surface: Surface
    is_point: bool  # a point mass: there is no surface to draw

    @cached_property
    def mesh(self) -> Mesh:
        """The surface with normals."""
        return creased(self.surface)

    @property
    def reach(self) -> float:
        """The largest distance of the surface from the origin of the body frame [m]."""
        return 0.0 if self.is_point else float(np.linalg.norm(self.surface.vertices, axis=1).max(initial=0.0))


def shapes(model: Model) -> list[Shape]:
    """The different shapes of the bodies of `model`; the world has none.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> _ = [m.add(lv.Body(lv.Box(1, 1, s, density=1.0))) for s in (1, 2, 1)]
    >>> [shape.members.tolist() for shape in shapes(m)]
    [[1, 3], [2]]
    """
    found: dict[Any, list[int]] = {}
    for k, body in enumerate(model.bodies[1:], start=1):
        key = body.shape if isinstance(body.shape, Hashable) else id(body.shape)
        found.setdefault(key, []).append(k)
    return [_shape(np.array(members), model.bodies[members[0]]) for members in found.values()]


def _shape(members: NDArray[np.int64], body: Body) -> Shape:
    surface = body.shape.surface
    return Shape(members, surface, not np.any(body.mass_properties.inertia) or not len(surface.triangles))


def creased(surface: Surface) -> Mesh:
    """The same triangles, with a normal at each corner: the mean over the triangles there that meet it smoothly.

    >>> from livens import Box
    >>> vertices, normals, triangles = creased(Box(1, 1, 1, mass=1).surface)
    >>> vertices.shape, triangles.shape, sorted(set(abs(normals).max(axis=1).tolist()))
    ((24, 3), (12, 3), [1.0])
    """
    T = surface.triangles.astype(np.int64)
    p = surface.vertices[T]
    across = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    area = np.linalg.norm(across, axis=1)
    T, across, area = T[area > 0.0], across[area > 0.0], area[area > 0.0]
    flat = across / area[:, None]
    corner, owner = T.ravel(), np.repeat(np.arange(len(T)), 3)
    order = np.argsort(corner, kind="stable")
    begin = np.searchsorted(corner[order], np.arange(len(surface.vertices) + 1))
    degree = np.diff(begin)
    normals = np.empty((len(corner), 3))
    for count in np.unique(degree[degree > 0]):  # all vertices at which so many triangles meet
        here = order[begin[:-1][degree == count, None] + np.arange(count)]
        n = flat[owner[here]]
        smooth = n @ np.swapaxes(n, 1, 2) > CREASE
        normals[here] = smooth @ across[owner[here]]
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    both = np.column_stack([corner, (normals * 1e6).round()])
    _, first, number = np.unique(both, axis=0, return_index=True, return_inverse=True)
    return Mesh(surface.vertices[corner[first]], normals[first], number.reshape(-1, 3))
