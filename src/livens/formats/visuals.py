"""Visuals of imported bodies: MuJoCo's geoms, and the shapes and mesh files of URDF, as triangles; and the collision
geometry of URDF.

Mesh files are not trusted: STL, OBJ and COLLADA (.dae, collada.py) of bounded size are read, and need not be closed
surfaces. Where a visual of a link cannot be read, its collision geometry is drawn instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from ..describe.body import Shape
from ..describe.pose import Pose
from ..describe.shapes.ball import Ball
from ..describe.shapes.box import Box
from ..describe.shapes.capsule import Capsule
from ..describe.shapes.cylinder import Cylinder
from ..describe.surface import Surface, box_surface
from ..describe.tessellate import ball, capsule, cylinder
from ..errors import LivensError, MissingExtra, ModelError
from ..scene.solids import inside
from ..storage.bytes import read_limited
from .collada import read_collada
from .collision import mesh_shape
from .urdf_text import Link

BYTES = 200_000_000  # of all meshes of a robot
UP = 6  # folders above a file that are searched for a package
UNPAINTED = [0.5, 0.5, 0.5, 1.0]  # MuJoCo's default, which a file need not give
STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])


def geom_surface(mj: Any, m: Any, g: int) -> Surface | None:
    """The surface of MuJoCo's geom number g, None for planes and height fields."""
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


def geom_color(m: Any, g: int) -> list[float] | None:
    """Red, green, blue and opacity of MuJoCo's geom number g, of its material if it has none of its own; None if the
    file gives neither."""
    own = [float(x) for x in m.geom_rgba[g]]
    if own == UNPAINTED and m.geom_matid[g] >= 0:
        own = [float(x) for x in m.mat_rgba[m.geom_matid[g]]]
    return None if own == UNPAINTED else [min(max(x, 0.0), 1.0) for x in own]


class Meshes:
    """The shapes of a URDF file, and the paths of its mesh files."""

    def __init__(
        self, file: Path, packages: Mapping[str, str | PathLike[str]], allow_outside: bool, collision: str = "hull"
    ):
        self.folder, self.allow_outside, self.collision = file.resolve().parent, allow_outside, collision
        self.packages = {name: Path(folder) for name, folder in packages.items()}
        self.left = BYTES
        self.known: dict[str, Surface] = {}
        self.missing: dict[str, str] = {}  # link → why a visual of it is missing
        self.solids: dict[tuple[str, str | None], Shape] = {}  # by name and scale
        self.undivided: dict[str, str] = {}  # link → why a mesh of it is not divided into convex parts
        self.replaced: set[str] = set()  # links whose collision geometry is drawn

    def drawn(self, link: Link, name: str) -> list[tuple[Pose, Surface]]:
        """The surfaces of a link and their poses: its visuals, or, if one of them cannot be read, its collision
        geometry."""
        visuals = [(at, self.surface(shape, name)) for at, shape in link.visuals]
        seen = [(at, surface) for at, surface in visuals if surface is not None]
        if len(seen) == len(visuals):
            return seen
        simple = [(at, self.surface(shape, name)) for at, shape in link.collisions]
        instead = [(at, surface) for at, surface in simple if surface is not None]
        if instead:
            self.replaced.add(name)
        return instead or seen

    def surface(self, shape: Element, link: str) -> Surface | None:
        """The surface of <box>, <cylinder>, <capsule>, <sphere> or <mesh>; None, and a note, if it cannot be read."""
        try:
            if shape.tag == "mesh":
                return self._mesh(shape)
            if shape.tag == "box":
                return box_surface(_sizes(shape, "size", 3))
            radius = _sizes(shape, "radius", 1)[0]
            if shape.tag == "sphere":
                return ball(radius)
            makers = {"cylinder": cylinder, "capsule": capsule}
            return makers[shape.tag](radius, _sizes(shape, "length", 1)[0]) if shape.tag in makers else None
        except LivensError as error:
            self.missing.setdefault(link, str(error).rstrip("."))
            return None

    def solid(self, shape: Element, link: str) -> Shape | None:
        """The same as a shape that touches others: a mesh is its convex hull or parts."""
        try:
            if shape.tag == "mesh":
                key = shape.get("filename", ""), shape.get("scale")
                if key not in self.solids:
                    self.solids[key] = mesh_shape(
                        self._mesh(shape), self.collision, lambda reason: self.undivided.setdefault(link, reason)
                    )
                return self.solids[key]
            if shape.tag == "box":
                return Box(*_sizes(shape, "size", 3), mass=1.0)
            radius = _sizes(shape, "radius", 1)[0]
            if shape.tag == "sphere":
                return Ball(radius, mass=1.0)
            if shape.tag == "cylinder":
                return Cylinder(radius, _sizes(shape, "length", 1)[0], mass=1.0)
            return Capsule(radius, _sizes(shape, "length", 1)[0], mass=1.0) if shape.tag == "capsule" else None
        except MissingExtra:
            raise
        except LivensError as error:
            self.missing.setdefault(link, str(error).rstrip("."))
            return None

    def notes(self) -> list[str]:
        """A note on the meshes that could not be read."""
        found = []
        for drawn in (False, True):
            some = {link: reason for link, reason in self.missing.items() if (link in self.replaced) == drawn}
            if some:
                link, reason = next(iter(some.items()))
                instead = "; collision geometry is drawn instead" if drawn else ""
                found.append(f"{_links(some)} (link {link!r}: {reason}{instead})")
        if self.undivided:
            link, reason = next(iter(self.undivided.items()))
            found.append(f"{_links(self.undivided)} (link {link!r}: a mesh {reason}; hulls touch instead)")
        return found

    def _mesh(self, shape: Element) -> Surface:
        name = shape.get("filename", "")
        if name not in self.known:
            path = self._path(name)
            data = read_limited(path, self.left)
            self.left -= len(data)
            self.known[name] = read_surface(data, path)
        surface = self.known[name]
        if shape.get("scale") is None:
            return surface
        scale = np.array(_sizes(shape, "scale", 3, negative=True))
        triangles = surface.triangles if scale.prod() > 0.0 else surface.triangles[:, ::-1]
        return Surface(surface.vertices * scale, np.ascontiguousarray(triangles))

    def _path(self, name: str) -> Path:
        """The file of a mesh: in the folder of the URDF file, or in that of a package."""
        if not name.startswith("package://"):
            return inside(self.folder, name.removeprefix("file://"), self.allow_outside)
        package, _, rest = name.removeprefix("package://").lstrip("/").partition("/")
        return inside(self._package(package), rest, self.allow_outside)

    def _package(self, name: str) -> Path:
        if name in self.packages:
            return self.packages[name]
        if name and name not in (".", "..") and "\0" not in name:
            for above in [self.folder, *self.folder.parents][:UP]:
                if above.name == name:
                    return above
                if above.parent != above and (above / name).is_dir():
                    return above / name
        raise ModelError(f"package {name[:60]!r} is not found: give its folder by packages={{{name[:60]!r}: folder}}")


def _links(some: Mapping[str, str]) -> str:
    return "meshes of 1 link" if len(some) == 1 else f"meshes of {len(some)} links"


def _sizes(shape: Element, key: str, count: int, negative: bool = False) -> list[float]:
    try:
        values = [float(word) for word in shape.get(key, "").split()]
    except ValueError:
        values = []
    if len(values) != count or not all(np.isfinite(x) and (x > 0.0 or (negative and x)) for x in values):
        raise ModelError(f"<{shape.tag[:20]}> has no {key} of {count} positive numbers")
    return values


# ── mesh files ──


def read_surface(data: bytes, path: Path) -> Surface:
    """The triangles of an STL, OBJ or COLLADA file, unchanged."""
    readers: dict[str, Callable[[bytes], tuple[Any, Any]]] = {
        ".stl": _stl,
        ".obj": _obj,
        ".dae": lambda data: read_collada(data, path.name),
    }
    if path.suffix.lower() not in readers:
        raise ModelError(f"{path.name} is not STL, OBJ or DAE")
    try:
        vertices, triangles = readers[path.suffix.lower()](data)
    except LivensError:
        raise
    except (ValueError, IndexError, OverflowError):
        raise ModelError(f"{path.name} cannot be read as {path.suffix[1:].upper()}") from None
    good = len(triangles) and np.isfinite(vertices).all() and 0 <= triangles.min() <= triangles.max() < len(vertices)
    if not good:
        raise ModelError(f"{path.name} has no triangles, or invalid numbers")
    return Surface(vertices, triangles.astype(np.int32))


def _stl(data: bytes) -> tuple[Any, Any]:
    """Binary: 84 bytes of header and 50 for each triangle. Text: three `vertex` lines of three numbers for each."""
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= 84 and len(data) == 84 + 50 * count:
        corners = np.frombuffer(data, dtype=STL, offset=84)["corners"].astype(np.float64).reshape(-1, 3)
    else:
        lines = (line.split() for line in data.decode("ascii", "replace").splitlines())
        corners = np.array([[float(x) for x in line[1:4]] for line in lines if line[:1] == ["vertex"]]).reshape(-1, 3)
    vertices, number = np.unique(corners, axis=0, return_inverse=True)
    return vertices, number.reshape(-1, 3)


def _obj(data: bytes) -> tuple[Any, Any]:
    """`v x y z` lines and `f 1/… 2/… 3/… …` lines, whose polygons are fans of triangles."""
    vertices, triangles = [], []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(word.partition("/")[0]) for word in words[1:]]
            corners = [n - 1 if n > 0 else len(vertices) + n for n in numbers]
            triangles += [[corners[0], *pair] for pair in pairwise(corners[1:])]
    return np.array(vertices, dtype=np.float64).reshape(-1, 3), np.array(triangles, dtype=np.int64).reshape(-1, 3)
