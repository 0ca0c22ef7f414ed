"""Surfaces of COLLADA files (.dae), as robots have them: read_collada(data, name).

Read are the triangles and polygons of the visual scene, at the positions that its nodes give them:

    x = M₁ M₂ … r,        M one of <matrix>, <translate>, <rotate>, <scale>, from the outermost node inwards       (1)

times the length of the unit of the file (<unit meter="…"/>). Its upward axis is not applied, as in programs that show
robots: a URDF file places the axes of the mesh file. Materials, lights, skins and animations are left out. A scene of
a few lines can repeat a mesh many times (<instance_node>), so the number of triangles is limited.

Source: Khronos Group, COLLADA 1.4.1 specification, chapters 5 (geometry) and 5.6 (scenes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from ..checks import Array
from ..describe.pose import Pose
from ..errors import ModelError
from ..storage.xml import parse

MOST_TRIANGLES = 5_000_000
MOST_NODES = 100_000
MOST_CORNERS = 100  # of a polygon
DEPTH = 60  # of nodes in nodes
Triangles = tuple[Array, Any]  # vertices (n, 3), triangles (m, 3)


def read_collada(data: bytes, name: str) -> Triangles:
    """Vertices [m] and triangles of all geometry in the visual scene of a COLLADA file; `name` is for errors."""
    file = _File(parse(data, name, text=True), name)
    vertices: list[Array] = []
    triangles: list[Any] = []
    count = corners = 0
    for matrix, (points, faces) in file.instances():
        count += len(faces)
        if count > MOST_TRIANGLES:
            raise ModelError(f"{name} has more than {MOST_TRIANGLES:,} triangles")
        vertices.append(points @ matrix[:3, :3].T + matrix[:3, 3])
        triangles.append((faces if np.linalg.det(matrix[:3, :3]) >= 0.0 else faces[:, ::-1]) + corners)
        corners += len(points)
    if not count:
        raise ModelError(f"{name} has no triangles")
    return file.unit * np.concatenate(vertices), np.concatenate(triangles)


class _File:
    """The elements of a file by their ids, and the length of its unit [m]."""

    def __init__(self, root: Element, name: str):
        self.root, self.name = root, name
        for element in root.iter():
            element.tag = element.tag.rpartition(":")[2]
        self.by_id = {element.get("id", ""): element for element in root.iter() if element.get("id")}
        unit = root.find("asset/unit")
        self.unit = float(unit.get("meter", "1")) if unit is not None else 1.0
        if not (np.isfinite(self.unit) and self.unit > 0.0):
            raise ModelError(f"{name} has a unit of {self.unit:g} m")
        self.read: dict[str, Triangles] = {}
        self.visited = 0

    def found(self, element: Element | None, key: str) -> Element:
        """The element to which an attribute refers."""
        url = "" if element is None else element.get(key, "")
        if url.lstrip("#") not in self.by_id:
            raise ModelError(f"{self.name} refers to {url[:40]!r}, which it does not contain")
        return self.by_id[url.lstrip("#")]

    def instances(self) -> Iterator[tuple[Array, Triangles]]:
        """Each geometry of the scene with its matrix (1)."""
        scene = self.root.find("scene/instance_visual_scene")
        root = self.root.find("library_visual_scenes/visual_scene") if scene is None else self.found(scene, "url")
        for node in () if root is None else root.findall("node"):
            yield from self.of_node(node, np.eye(4), DEPTH)

    def of_node(self, node: Element, above: Array, depth: int) -> Iterator[tuple[Array, Triangles]]:
        self.visited += 1
        if not depth or self.visited > MOST_NODES:
            raise ModelError(f"{self.name} has more than {MOST_NODES:,} nodes, or {DEPTH} levels of them")
        matrix = above
        for element in node:
            if element.tag in TRANSFORMS:
                matrix = matrix @ TRANSFORMS[element.tag](_numbers(element))
        for element in node:
            match element.tag:
                case "instance_geometry":
                    geometry = self.found(element, "url")
                    key = geometry.get("id", "")
                    if key not in self.read:
                        self.read[key] = self.mesh(geometry)
                    yield matrix, self.read[key]
                case "instance_node":
                    yield from self.of_node(self.found(element, "url"), matrix, depth - 1)
                case "node":
                    yield from self.of_node(element, matrix, depth - 1)

    def mesh(self, geometry: Element) -> Triangles:
        """The triangles of a <geometry>; polygons are fans of triangles."""
        mesh = geometry.find("mesh")
        vertices, faces = np.zeros((0, 3)), [np.zeros((0, 3), dtype=np.int64)]
        for primitive in () if mesh is None else mesh:
            if primitive.tag not in ("triangles", "polylist", "polygons"):
                continue
            inputs = primitive.findall("input")
            stride = 1 + max((int(one.get("offset", "0")) for one in inputs), default=0)
            given = next((one for one in inputs if one.get("semantic") == "VERTEX"), None)
            position = self.found(given, "source").find("input[@semantic='POSITION']")
            points = self.points(self.found(position, "source"))
            offset = int(given.get("offset", "0")) if given is not None else 0
            if not 0 <= offset < stride <= 64:
                raise ValueError("offset")
            for corners in _polygons(primitive, stride):
                faces.append(corners[:, :, offset].astype(np.int64) + len(vertices))
                if len(faces[-1]) and not 0 <= corners[:, :, offset].min() <= corners[:, :, offset].max() < len(points):
                    raise ValueError("index")
            vertices = np.concatenate([vertices, points])
        return vertices, np.concatenate(faces)

    def points(self, source: Element) -> Array:
        """The positions in a <source>, through its accessor."""
        accessor = source.find("technique_common/accessor")
        values = _numbers(self.found(accessor, "source"))
        facts = {} if accessor is None else accessor.attrib
        stride, offset, count = (
            int(facts.get(key, d)) for key, d in (("stride", "3"), ("offset", "0"), ("count", "0"))
        )
        if stride < 3 or offset < 0 or count < 0 or offset + stride * count > len(values):
            raise ValueError("accessor")
        return values[offset : offset + stride * count].reshape(count, stride)[:, :3]


def _polygons(primitive: Element, stride: int) -> Iterator[Any]:
    """Triangles (n, 3, stride) of the indices of a primitive."""
    lists = [_numbers(element) for element in primitive.findall("p")]
    if primitive.tag == "polygons":
        yield from (_fan(one.reshape(-1, stride)) for one in lists)
        return
    indices = np.concatenate([np.zeros(0), *lists]).reshape(-1, stride)
    if primitive.tag == "triangles":
        yield indices.reshape(-1, 3, stride)
        return
    sizes = _numbers(primitive.find("vcount")).astype(np.int64)
    if len(sizes) and (sizes.min() < 0 or sizes.sum() != len(indices)):
        raise ValueError("vcount")
    begins = np.cumsum(sizes) - sizes
    for size in np.unique(sizes):  # all polygons of one size at once
        if not 3 <= size <= MOST_CORNERS:
            continue
        corners = indices[begins[sizes == size][:, None] + np.arange(size)]
        for k in range(1, int(size) - 1):
            yield corners[:, [0, k, k + 1]]


def _fan(corners: Any) -> Any:
    triangles = [corners[[0, k, k + 1]] for k in range(1, len(corners) - 1)]
    return np.array(triangles).reshape(-1, 3, corners.shape[1])


def _numbers(element: Element | None) -> Array:
    return np.array(((element is not None and element.text) or "").split(), dtype=np.float64)


def _translated(x: Array) -> Array:
    matrix = np.eye(4)
    matrix[:3, 3] = x.reshape(3)
    return matrix


def _rotated(x: Array) -> Array:
    """About the axis of the first three numbers, by the last one in degrees."""
    matrix = np.eye(4)
    matrix[:3, :3] = Pose.from_axis_angle(x.reshape(4)[:3], float(np.radians(x[3]))).B
    return matrix


TRANSFORMS: dict[str, Callable[[Array], Array]] = {
    "matrix": lambda x: x.reshape(4, 4),
    "translate": _translated,
    "rotate": _rotated,
    "scale": lambda x: np.diag([*x.reshape(3), 1.0]),
}
