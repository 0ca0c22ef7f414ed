"""The geometry with which a shape touches others: convex parts, each of a kind that the kernels know.

A plane is met exactly by every part, and balls, capsules, polyhedra and ellipsoids meet each other exactly. A cylinder
meets balls and ellipsoids exactly; other bodies meet a cylinder or a cone as a polyhedron inscribed in its surface. An
imported solid is its convex hull: a body that is not convex is a Compound of convex ones, such as convex_parts finds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from ..checks import Array
from ..errors import ModelError
from .pose import Pose
from .surface import Surface

EVERYTHING, PLANES, OTHERS = 0, 1, 2  # what a part meets
SMOOTH, ANGULAR = 3, 4  # planes, balls and ellipsoids; all but these
COARSE = 12  # sides of polyhedra that stand for curved shapes


@dataclass(frozen=True, eq=False)
class ContactShape:
    """A convex part of a shape, at `pose` in body axes."""

    kind: str  # BALL, CAPSULE, HULL, ROUND or CYLINDER: kernels/kinds.py
    pose: Pose = field(default_factory=Pose)
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)  # semi-axes of ROUND, otherwise the radius first [m]
    half: float = 0.0  # half length of a capsule or a cylinder, along z [m]
    vertices: Array = field(default_factory=lambda: np.zeros((0, 3)))  # of a HULL [m]
    faces: tuple[tuple[int, ...], ...] = ()  # vertex numbers, counterclockwise seen from outside
    meets: int = EVERYTHING

    def moved(self, pose: Pose) -> ContactShape:
        """The same part after the rigid motion `pose`."""
        return ContactShape(self.kind, pose @ self.pose, self.size, self.half, self.vertices, self.faces, self.meets)

    @property
    def radius(self) -> float:
        """Of the smallest ball about its origin that contains it [m]."""
        if self.kind == "HULL":
            return float(np.linalg.norm(self.vertices, axis=1).max())
        if self.kind == "CYLINDER":
            return float(np.hypot(self.size[0], self.half))
        return max(self.size) + self.half

    @property
    def width(self) -> float:
        """The least distance of two parallel planes between which it fits [m]; of a polyhedron, of its faces."""
        if self.kind == "HULL":
            along = self.vertices @ self.normals.T
            return float(np.ptp(along, axis=0).min())
        if self.kind == "ROUND":
            return 2.0 * min(self.size)
        if self.kind == "CYLINDER":
            return 2.0 * min(self.size[0], self.half)
        return 2.0 * self.size[0]

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The edges of its faces, each once."""
        pairs = {(min(e), max(e)) for face in self.faces for e in zip(face, (*face[1:], face[0]), strict=True)}
        return sorted(pairs)

    @property
    def normals(self) -> Array:
        """The outward normal of each face (faces, 3)."""
        found = []
        for face in self.faces:
            x = self.vertices[list(face)]
            n = np.cross(x, np.roll(x, -1, axis=0)).sum(axis=0)
            found.append(n / np.linalg.norm(n))
        return np.array(found).reshape(-1, 3)


@runtime_checkable
class Touching(Protocol):
    """A shape that describes its own contact geometry."""

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]: ...


def hull(vertices: Array, meets: int = EVERYTHING) -> ContactShape:
    """The convex hull of points (n, 3), with faces that lie in one plane joined.

    >>> from livens import Box
    >>> cube = hull(Box(1, 1, 1, mass=1).surface.vertices)
    >>> len(cube.vertices), len(cube.faces), len(cube.edges)
    (8, 6, 12)
    """
    from scipy.spatial import ConvexHull, QhullError

    points = np.unique(np.asarray(vertices, dtype=np.float64), axis=0)
    try:
        found = ConvexHull(points)
    except (QhullError, ValueError):
        raise ModelError("a shape without volume cannot touch others as a solid.") from None
    middle, size = points[found.vertices].mean(axis=0), float(np.ptp(points, axis=0).max())
    planes: list[tuple[Array, float, set[int]]] = []
    for corners, (a, b, c, d) in zip(found.simplices, found.equations, strict=True):
        n = np.array([a, b, c])
        for known, offset, members in planes:
            if known @ n > 1.0 - 1e-10 and abs(offset - d) < 1e-9 * size:
                members.update(map(int, corners))
                break
        else:
            planes.append((n, float(d), set(map(int, corners))))
    used = sorted({k for _, _, members in planes for k in members})
    number = {k: i for i, k in enumerate(used)}
    faces = tuple(tuple(number[k] for k in _around(points, members, n)) for n, _, members in planes)
    shift = Pose(middle)
    return ContactShape("HULL", shift, vertices=points[used] - middle, faces=faces, meets=meets)


def box_hull(x: float, y: float, z: float) -> ContactShape:
    """A box with these sides [m], centred."""
    corners = np.array([[i, j, k] for k in (-0.5, 0.5) for j in (-0.5, 0.5) for i in (-0.5, 0.5)]) * (x, y, z)
    faces = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    return ContactShape("HULL", vertices=corners, faces=faces)


def circle(radius: float, z: float) -> Array:
    """Points on a circle about the z axis (COARSE, 3)."""
    angle = 2.0 * np.pi * np.arange(COARSE) / COARSE
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(COARSE, z)], axis=1)


def prism(radius: float, length: float) -> Array:
    """Corners of a prism inscribed in a cylinder along z."""
    return np.concatenate([circle(radius, -0.5 * length), circle(radius, 0.5 * length)])


def pyramid(radius: float, height: float) -> Array:
    """Corners of a pyramid inscribed in a cone: base at z = 0, tip at z = height."""
    return np.concatenate([circle(radius, 0.0), [[0.0, 0.0, height]]])


def hull_of_surface(surface: Surface, meets: int = EVERYTHING) -> ContactShape:
    """The convex hull of a surface."""
    return hull(surface.vertices, meets)


def _around(points: Array, members: set[int], n: Array) -> list[int]:
    """The corners of a face in order, counterclockwise about its normal n."""
    corners = sorted(members)
    x = points[corners] - points[corners].mean(axis=0)
    e1 = x[0] / np.linalg.norm(x[0])
    angle = np.arctan2(x @ np.cross(n, e1), x @ e1)
    return [corners[k] for k in np.argsort(angle)]


def contact_shapes_of(shape: object, surface: Surface) -> tuple[ContactShape, ...]:
    """The contact geometry of a shape: its own, or the convex hull of its surface."""
    return shape.contact_shapes if isinstance(shape, Touching) else (hull_of_surface(surface),)
