"""Triangles for the page: shapes that are equal once, edges sharp and the rest round; springs as coils."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.model import Body, Model
from ...describe.surface import Surface

CREASE = np.cos(np.radians(35.0))  # neighbours whose normals differ by more meet in an edge
TURNS, CORNERS = 7, 10  # of a coil, and corners of a turn
COILS = 40  # more springs than this are drawn as straight lines


class Group(NamedTuple):
    """Bodies of one shape: their numbers, and its triangles in body axes [m]."""

    members: NDArray[np.int64]
    surface: Surface


def shape_key(body: Body) -> Any:
    """What equal shapes have in common."""
    return body.shape if isinstance(body.shape, Hashable) else id(body.shape)


def equal_shapes(model: Model) -> list[NDArray[np.int64]]:
    """The numbers of the bodies of each shape, the world left out.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> _ = [m.add(lv.Body(lv.Box(1, 1, s, density=1.0))) for s in (1, 2, 1)]
    >>> [members.tolist() for members in equal_shapes(m)]
    [[1, 3], [2]]
    """
    found: dict[Any, list[int]] = {}
    for k, body in enumerate(model.bodies[1:], start=1):
        found.setdefault(shape_key(body), []).append(k)
    return [np.array(members) for members in found.values()]


def groups(model: Model) -> list[Group]:
    """Bodies with equal shapes together; point masses, which have no shape, are in none.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> _ = [m.add(lv.Body(lv.Box(1, 1, s, density=1.0))) for s in (1, 2, 1)]
    >>> [group.members.tolist() for group in groups(m)]
    [[1, 3], [2]]
    """
    first = [(members, model.bodies[members[0]]) for members in equal_shapes(model)]
    return [Group(members, creased(body.shape.surface)) for members, body in first if not is_point(body)]


def is_point(body: Body) -> bool:
    """True for a body that has no size."""
    return not np.any(body.mass_properties.inertia) or not len(body.shape.surface.triangles)


def creased(surface: Surface) -> Surface:
    """The same triangles with vertices doubled along edges, so that light is smooth on each side and breaks there.

    >>> import livens as lv
    >>> len(creased(lv.Box(1, 1, 1, density=1.0).surface).vertices)  # four for each of six faces
    24
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    triangles = surface.triangles.astype(np.int64)
    p = surface.vertices[triangles]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    corner = np.arange(triangles.size).reshape(-1, 3)
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    mine = np.stack([corner, np.roll(corner, -1, axis=1)], axis=2).reshape(-1, 2)
    swapped = ends[:, 0] > ends[:, 1]
    ends[swapped], mine[swapped] = ends[swapped, ::-1], mine[swapped, ::-1]
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    one, two = order[:-1], order[1:]
    shared = (ends[one] == ends[two]).all(axis=1)
    smooth = np.einsum("ij,ij->i", normal[one // 3], normal[two // 3]) > CREASE
    one, two = one[shared & smooth], two[shared & smooth]
    i, j = mine[one].ravel(), mine[two].ravel()
    links = coo_array((np.ones(len(i)), (i, j)), shape=(triangles.size, triangles.size))
    count, label = connected_components(links, directed=False)
    vertices = np.empty((count, 3))
    vertices[label] = surface.vertices[triangles.ravel()]
    return Surface(vertices, label.reshape(-1, 3).astype(np.int32))


def coils(a: Array, b: Array, radius: float) -> Array:
    """Springs from a to b (n, 3) as coils of `radius`: segments (n, k, 2, 3); many springs as straight lines, k = 1.

    >>> import numpy as np
    >>> x = coils(np.zeros((1, 3)), np.array([[0, 0, 1.0]]), 0.1)
    >>> x[0, 0, 0].tolist(), x[0, -1, 1].tolist(), float(np.hypot(x[..., 0], x[..., 1]).max().round(6))
    ([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], 0.1)
    """
    if len(a) > COILS:
        return np.stack([a, b], axis=1)[:, None]
    along = b - a
    length = np.linalg.norm(along, axis=1, keepdims=True)
    u = np.divide(along, length, out=np.tile([0.0, 0.0, 1.0], (len(a), 1)), where=length > 0.0)
    e = np.eye(3)[np.argmin(np.abs(u), axis=1)]
    e1 = np.cross(u, e)
    e1 /= np.linalg.norm(e1, axis=1, keepdims=True)
    e2 = np.cross(u, e1)
    s = np.linspace(0.12, 0.88, TURNS * CORNERS + 1)
    angle = 2.0 * np.pi * TURNS * (s - s[0]) / (s[-1] - s[0])
    s, angle = np.r_[0.0, 0.12, s, 0.88, 1.0], np.r_[0.0, 0.0, angle, 0.0, 0.0]
    out = radius * np.r_[0.0, 0.0, np.ones(len(s) - 4), 0.0, 0.0]
    circle = np.cos(angle)[:, None] * e1[:, None] + np.sin(angle)[:, None] * e2[:, None]
    x = a[:, None] + s[:, None] * along[:, None] + out[:, None] * circle
    x[:, 0], x[:, -1] = a, b
    return np.stack([x[:, :-1], x[:, 1:]], axis=2)
