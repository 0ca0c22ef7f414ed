"""Triangles for display: closed surfaces of revolution, and coarse CAD triangulations made round.

A profile (ρ, z) that starts and ends on the axis gives a closed surface of revolution about z. A triangulation with
exact normals n is refined where it bends: the edge p₁p₂ gets the midpoint of the cubic normal to n₁ and n₂ at its ends,

    x = ½(p₁ + p₂) + d,      d = −⅛((p₂ − p₁)·n₁ n₁ + (p₁ − p₂)·n₂ n₂)                          (1)

(Vlachos et al. 2001, curved PN triangles). If two faces meet in a crease, each gives its own d; the smallest d* is
taken that satisfies both along their normals, m·d* = m·d, so the surface stays closed and the crease sharp.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..errors import ModelError
from .surface import Surface

SIDES = 64  # corners of a circle
BEND = np.cos(np.radians(8.0))  # edges whose end normals differ by more are halved
CROWD = 100  # corners at one place, on average
MOST_TRIANGLES = 200_000  # with more there is no further refinement

# How a triangle (0, 1, 2) is cut whose edges 01, 12, 20 have the midpoints 3, 4, 5; row = sum of 1, 2, 4 where halved
CUTS: tuple[tuple[tuple[int, int, int], ...], ...] = (
    ((0, 1, 2),),
    ((0, 3, 2), (3, 1, 2)),
    ((0, 1, 4), (0, 4, 2)),
    ((0, 3, 4), (3, 1, 4), (0, 4, 2)),
    ((0, 1, 5), (5, 1, 2)),
    ((0, 3, 5), (3, 1, 2), (3, 2, 5)),
    ((0, 1, 4), (0, 4, 5), (4, 2, 5)),
    ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
)


def revolved(profile: Iterable[tuple[float, float]], sides: int = SIDES) -> Surface:
    """The closed surface swept by points (ρ, z) [m] that rotate about z; the ends are on the axis, z rises."""
    rho, z = np.array(list(profile), dtype=np.float64).T
    angle = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.stack([np.cos(angle), np.sin(angle), np.zeros(sides)], axis=1)
    rings = rho[1:-1, None, None] * circle + z[1:-1, None, None] * np.array([0.0, 0.0, 1.0])
    vertices = np.concatenate([rings.reshape(-1, 3), [[0.0, 0.0, z[0]], [0.0, 0.0, z[-1]]]])
    here = np.arange(sides)
    there, bottom, top = (here + 1) % sides, len(vertices) - 2, len(vertices) - 1
    last = (len(rings) - 1) * sides
    corners = [(np.full(sides, bottom), there, here), (np.full(sides, top), last + here, last + there)]
    for low in range(0, last, sides):
        a, b, c, d = low + here, low + there, low + sides + there, low + sides + here
        corners += [(a, b, c), (a, c, d)]
    return Surface(vertices, np.concatenate([np.stack(t, axis=1) for t in corners]).astype(np.int32))


def arc(radius: float, z: float, start: float, stop: float, sides: int = SIDES) -> list[tuple[float, float]]:
    """Profile points of a circle about (0, z), from `start` to `stop` [rad] above the equator."""
    n = max(2, round(abs(stop - start) / (2.0 * np.pi) * sides))
    return [(radius * float(np.cos(t)), z + radius * float(np.sin(t))) for t in np.linspace(start, stop, n + 1)]


def ball(radius: float, sides: int = SIDES) -> Surface:
    """The sphere of `radius` [m] about the origin, its equator a polygon."""
    return revolved(arc(radius, 0.0, -np.pi / 2, np.pi / 2, sides), sides)


def cylinder(radius: float, length: float) -> Surface:
    """The cylinder of `radius` and `length` [m] along z, centred."""
    return revolved([(0.0, -length / 2), (radius, -length / 2), (radius, length / 2), (0.0, length / 2)])


def capsule(radius: float, length: float) -> Surface:
    """The cylinder of `radius` and `length` [m] along z with half a sphere at each end, centred."""
    return revolved(arc(radius, -length / 2, -np.pi / 2, 0.0) + arc(radius, length / 2, 0.0, np.pi / 2))


def cone(radius: float, height: float) -> Surface:
    """The cone with its base in the plane z = 0 and its tip at z = `height` [m]."""
    return revolved([(0.0, 0.0), (radius, 0.0), (0.0, height)])


def welded(points: Array) -> tuple[Array, NDArray[np.int64]]:
    """Vertices (n, 3) and triangles (m, 3) of loose triangles (m, 3, 3); corners within 1e-7 of the size are one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    corners, same = np.unique(points.reshape(-1, 3), axis=0, return_inverse=True)
    tree, reach = cKDTree(corners), 1e-7 * float(np.ptp(corners, axis=0).max())
    if tree.count_neighbors(tree, reach) > CROWD * len(corners):  # the pairs would fill the memory
        raise ModelError(f"most of {len(corners)} corners are within {reach:.3g} m of others: is one of them far away?")
    near = tree.query_pairs(reach, output_type="ndarray")
    links = coo_array((np.ones(len(near)), (near[:, 0], near[:, 1])), shape=(len(corners), len(corners)))
    count, group = connected_components(links, directed=False)
    vertices = np.empty((count, 3))
    vertices[group] = corners
    return vertices, group[same.ravel()].reshape(-1, 3).astype(np.int64)


def rounded(points: Array, normals: Array) -> Surface:
    """The closed surface of loose triangles (m, 3, 3) with exact normals (m, 3, 3), halved until it looks round."""
    vertices, triangles = welded(points)
    solid = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    triangles, normals = triangles[solid], normals[solid]
    for _ in range(3):
        bends = _dot(normals, np.roll(normals, -1, axis=1))[..., 0] < BEND
        bends &= (np.linalg.norm(normals, axis=2) > 0.5).all(axis=1)[:, None]
        if not bends.any() or len(triangles) > MOST_TRIANGLES:
            break
        vertices, triangles, normals = _halved(vertices, triangles, normals, bends)
    return Surface(vertices, triangles.astype(np.int32))


def _halved(
    vertices: Array, triangles: NDArray[np.int64], normals: Array, bends: NDArray[np.bool_]
) -> tuple[Array, NDArray[np.int64], Array]:
    """One refinement: an edge that bends in one of its triangles gets a midpoint, equation (1), in both of them."""
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2), axis=2).reshape(-1, 2)
    edges, edge = np.unique(ends, axis=0, return_inverse=True)
    edge = edge.reshape(-1, 3)
    split = np.zeros(len(edges), dtype=bool)
    split[edge[bends]] = True

    p1, p2 = vertices[triangles], vertices[np.roll(triangles, -1, axis=1)]
    n1, n2 = normals, np.roll(normals, -1, axis=1)
    along = p2 - p1
    d = (_dot(along, n2) * n2 - _dot(along, n1) * n1) / 8.0
    m = n1 + n2
    m = m / np.maximum(np.linalg.norm(m, axis=2, keepdims=True), 1e-12)
    A, b = np.zeros((len(edges), 3, 3)), np.zeros((len(edges), 3))
    np.add.at(A, edge, m[..., :, None] * m[..., None, :])
    np.add.at(b, edge, _dot(m, d) * m)
    bulge = np.einsum("eij,ej->ei", np.linalg.pinv(A[split], rcond=0.02, hermitian=True), b[split])
    a, c = vertices[edges[split, 0]], vertices[edges[split, 1]]
    longest = 0.25 * np.linalg.norm(c - a, axis=1, keepdims=True)
    bulge *= np.minimum(1.0, longest / np.maximum(np.linalg.norm(bulge, axis=1, keepdims=True), 1e-300))

    number = np.full(len(edges), -1)
    number[split] = len(vertices) + np.arange(np.count_nonzero(split))
    vertices = np.concatenate([vertices, 0.5 * (a + c) + bulge])
    nodes, node_normals = np.concatenate([triangles, number[edge]], axis=1), np.concatenate([normals, m], axis=1)
    pattern = split[edge] @ np.array([1, 2, 4])
    pieces = [(pattern == k, list(t)) for k, rows in enumerate(CUTS) for t in rows]
    return (
        vertices,
        np.concatenate([nodes[rows][:, t] for rows, t in pieces]),
        np.concatenate([node_normals[rows][:, t] for rows, t in pieces]),
    )


def _dot(a: Array, b: Array) -> Array:
    """Scalar products over the last axis, which stays with length one."""
    return np.einsum("...i,...i->...", a, b)[..., None]
