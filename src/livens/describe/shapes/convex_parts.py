"""Shapes that are not convex as convex parts, for contact: polyhedra that the library coacd finds.

The surface is first turned into axes of its own and divided by its longest side. With A(n) the area of all faces whose
normal is n or −n,

    n₁ = argmax A(n),      n₂ = argmax A(n) of those n ⟂ n₁,      n₃ = n₁ × n₂,                               (1)

so that cuts follow the flat faces of machined parts, and neither orientation nor unit changes the result. coacd (Wei,
Liu, Ling & Su 2022) cuts until each part is within `tolerance` of its hull. The places of its cuts are exact to 10⁻³
only. So a face of a hull, with corners x, that lies along a face of the solid, n·x = d, is moved onto it:

    (n, d) = argmin max |n·x − d|,    if this is less than REACH,                                             (2)

among those that have the hull on one side, and the part is the intersection of its half-spaces. The library runs in a
separate process with limits on time and memory (sandbox.py), because meshes are not trusted.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...checks import Array, finite
from ...errors import FileError, ModelError, require
from ...storage.sandbox import run_sandboxed, serve
from ..body import Shape, is_shape
from ..contact_shape import ContactShape, Touching, hull
from ..surface import Surface
from ..tessellate import welded
from .compound import Compound
from .convex import convex_hull
from .mesh import closed
from .solid import Solid

SMALLEST, LARGEST = 0.005, 0.5  # tolerances that coacd takes
CONVEX = 1e-9  # a solid is convex if its hull has this much more volume, relative
REACH = 2e-3  # of (2)
SAME_WAY = 1e-4  # angle between faces of one plane [rad]: STL files have numbers of single precision
MOST_PLANES, MOST_DIRECTIONS = 1000, 200

Triangles = NDArray[Any]
Planes = tuple[Array, Array]  # normals (k, 3) and distances from the origin (k,)


def convex_parts(shape: Shape | Surface, *, tolerance: float = 0.025) -> Compound:
    """A solid that is not convex as a Compound of convex polyhedra, for contact (extra `convex`):
    `Body(solid, collision=convex_parts(solid))`.

    `shape` is an imported solid or another shape with a closed surface. `tolerance`: how far about the parts may reach
    beyond the solid, as a fraction of its longest side, from 0.005 to 0.5; a smaller one gives more parts. Flat faces
    of the solid stay where they are. The parts depend neither on the orientation of the solid nor on its unit, and are
    the same in every call. They have the density of the solid, and about its mass.

    >>> import livens as lv
    >>> wedge = lv.convex_hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], density=1000.0)
    >>> len(lv.convex_parts(wedge).parts)
    1
    """
    t = float(finite([tolerance], (1,), "tolerance")[0])
    if not SMALLEST <= t <= LARGEST:
        raise ModelError(f"tolerance must be a fraction of the longest side, {SMALLEST:g} to {LARGEST:g}, not {t:g}.")
    if not (isinstance(shape, Surface) or is_shape(shape)):
        raise ModelError(f"convex_parts takes a solid or a Surface, not {shape!r}.")
    if isinstance(shape, Compound):
        return Compound([(convex_parts(part, tolerance=t), pose) for part, pose in shape.parts])
    if isinstance(shape, Touching):
        return Compound([shape])
    if isinstance(shape, Surface):
        return _parts(shape, t, None, "the surface")
    name = shape.name if isinstance(shape, Solid) else None
    label = "the solid" if name is None else f"solid {name!r}"
    return _parts(shape.surface, t, shape.mass_properties.mass, label)


def _parts(surface: Surface, tolerance: float, mass: float | None, label: str) -> Compound:
    """The parts of a closed surface; without a mass their density is 1."""
    vertices, triangles = _checked(surface, label)
    if np.linalg.matrix_rank(vertices - vertices.mean(axis=0), tol=1e-9 * np.ptp(vertices, axis=0).max()) < 3:
        raise ModelError(f"{label} encloses no volume.")
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    axes = _own_axes(vertices - middle, triangles)
    x = (vertices - middle) @ axes
    size = float(np.ptp(x, axis=0).max())
    x /= size
    volume = Surface(x, triangles).volume
    if volume < 0.0:
        triangles, volume = triangles[:, ::-1], -volume
    if volume <= 1e-12 * float(np.prod(np.ptp(x, axis=0))):
        raise ModelError(f"{label} encloses no volume.")
    density = 1.0 if mass is None else mass / (volume * size**3)
    whole = hull(x)
    if _volume(whole) <= (1.0 + CONVEX) * volume:
        return Compound([convex_hull(vertices, density=density, name="part 0")])
    planes = _planes(x, triangles)
    found = [_on_planes(hull(part), planes) for part in _divided(x, triangles, tolerance, label)]
    _check_cover(found, x, tolerance, label)
    placed = [middle + size * part.pose.point(part.vertices) @ axes.T for part in found]
    return Compound([convex_hull(part, density=density, name=f"part {k}") for k, part in enumerate(placed)])


def _checked(surface: Surface, label: str) -> tuple[Array, Triangles]:
    """Vertices, each once, and triangles of a closed surface."""
    corners = np.asarray(surface.vertices, dtype=np.float64)[surface.triangles]
    if not len(corners):
        raise ModelError(f"{label} has no triangles.")
    if not np.isfinite(corners).all():
        raise ModelError(f"{label} has vertices that are not finite.")
    vertices, triangles = welded(corners)
    return vertices, closed(triangles, label)


def _volume(part: ContactShape) -> float:
    corners = [part.vertices[list(face)] for face in part.faces]
    return sum(float(np.linalg.det([x[0], x[k], x[k + 1]])) for x in corners for k in range(1, len(x) - 1)) / 6.0


# ── flat faces ──


def _faces(x: Array, triangles: Triangles) -> tuple[Array, Array]:
    """Unit normals and areas of triangles."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    double = np.linalg.norm(n, axis=1)
    return n / np.where(double > 0.0, double, 1.0)[:, None], 0.5 * double


def _own_axes(x: Array, triangles: Triangles) -> Array:
    """Equation (1): the axes as columns. Among equals the first in the order of the triangles counts."""
    n, area = _faces(x, triangles)
    some = np.sort(np.argsort(-area, kind="stable")[:MOST_DIRECTIONS])
    A = (np.abs(n[some] @ n.T) > 1.0 - 0.5 * SAME_WAY**2) @ area
    n1 = n[some[_first_of_largest(A)]]
    across = np.abs(n[some] @ n1) < SAME_WAY
    weight = across.astype(float) if across.any() else 1.0 - (n[some] @ n1) ** 2
    n2 = n[some[_first_of_largest(A * weight)]]
    n2 = n2 - (n2 @ n1) * n1
    n2 /= np.linalg.norm(n2)
    return np.stack([n1, n2, np.cross(n1, n2)], axis=1)


def _first_of_largest(values: Array) -> int:
    return int(np.flatnonzero(values >= (1.0 - 1e-6) * values.max())[0])


def _planes(x: Array, triangles: Triangles) -> Planes:
    """The planes of the faces of a surface, those of large triangles first."""
    n, area = _faces(x, triangles)
    middle = x[triangles].mean(axis=1)
    left = area > 0.0
    normals, distances = [], []
    for k in np.argsort(-area, kind="stable"):
        if not left[k]:
            continue
        same = left & (n @ n[k] > 1.0 - 0.5 * SAME_WAY**2) & (np.abs((middle - middle[k]) @ n[k]) < 0.1 * SAME_WAY)
        left[same] = False
        mean = area[same] @ n[same]
        mean /= np.linalg.norm(mean)
        normals.append(mean)
        distances.append(float(area[same] @ (middle[same] @ mean)) / float(area[same].sum()))
        if len(normals) == MOST_PLANES:
            break
    return np.array(normals), np.array(distances)


def _on_planes(part: ContactShape, planes: Planes) -> ContactShape:
    """Equation (2); the part as it is if nothing would be left of it."""
    from scipy.spatial import HalfspaceIntersection, QhullError

    normals, distances = (np.concatenate([x, -x]) for x in planes)
    corners, sides = part.pose.point(part.vertices), []
    above = normals @ corners.T - distances[:, None]
    around = above.max(axis=1) < REACH  # planes that have the part on one side
    normals, distances, above = normals[around], distances[around], above[around]
    for face, outward in zip(part.faces, part.normals, strict=True):
        off = np.abs(above[:, list(face)]).max(axis=1, initial=0.0)
        near = int(np.argmin(off)) if len(off) else -1
        if near >= 0 and off[near] < REACH:
            sides.append((*normals[near], -distances[near]))
        else:
            sides.append((*outward, -float((corners[list(face)] @ outward).max())))
    H = np.unique(np.array(sides), axis=0)
    inside = corners.mean(axis=0)
    if (H[:, :3] @ inside + H[:, 3]).max() > -1e-9:
        return part
    try:
        return hull(HalfspaceIntersection(H, inside).intersections)
    except (QhullError, ModelError):
        return part


def _check_cover(parts: list[ContactShape], x: Array, tolerance: float, label: str) -> None:
    """Refuse parts that leave out a corner of the solid."""
    away = np.full(len(x), np.inf)
    for part in parts:
        n, corner = part.normals, part.vertices[[face[0] for face in part.faces]]
        away = np.minimum(away, ((x - part.pose.a) @ n.T - np.einsum("ij,ij->i", n, corner)).max(axis=1))
    if (worst := float(away.max())) > tolerance:
        raise ModelError(
            f"{label} could not be divided: its convex parts leave out a corner by {worst:.2g} of its longest side. "
            "Simplify its mesh, or build it as a Compound."
        )


# ── the library, in the other process ──


def _divided(x: Array, triangles: Triangles, tolerance: float, label: str) -> list[Array]:
    """The corners of the parts of a surface whose longest side is 1."""
    _coacd()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "surface.npz"
        np.savez(file, x=np.round(x, 12), triangles=triangles)
        request = {"path": label, "file": str(file), "tolerance": tolerance}
        try:
            data = run_sandboxed("livens.describe.shapes.convex_parts", request)
        except FileError as error:
            reason = str(error).removeprefix(f"{label} could not be read").strip(": .")
            raise ModelError(
                f"{label}, {len(triangles)} triangles, could not be divided into convex parts ({reason}): take a "
                "coarser mesh or a larger tolerance, or build it as a Compound."
            ) from None
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return [arrays[f"part{k}"] for k in range(len(arrays.files))]


def answer(request: dict[str, Any]) -> bytes:
    """The parts of a surface, in the other process. Shells that contain each other are divided together."""
    os.environ.setdefault("OMP_NUM_THREADS", "4")  # the stacks of more threads would fill the memory
    library = _coacd()
    library.set_log_level("error")
    with np.load(request["file"], allow_pickle=False) as given:
        x, triangles = given["x"], given["triangles"]
    found: list[Array] = []
    for shell in _shells(x, triangles):
        used, corners = np.unique(shell, return_inverse=True)
        own = float(np.ptp(x[used], axis=0).max())
        threshold = float(np.clip(2.0 * request["tolerance"] / own, 0.01, 1.0))  # of coacd: the longest side is 2
        mesh = library.Mesh(x[used], corners.reshape(-1, 3).astype(np.int32))
        found += [part for part, _ in library.run_coacd(mesh, threshold=threshold, mcts_nodes=40)]
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {f"part{k}": part for k, part in enumerate(found)}
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _shells(x: Array, triangles: Triangles) -> list[Triangles]:
    """The connected pieces of a surface; all together if one of them is a cavity."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.concatenate([triangles[:, :2], triangles[:, 1:]])
    links = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(len(x), len(x)))
    count, group = connected_components(links, directed=False)
    pieces = [triangles[group[triangles[:, 0]] == k] for k in range(count)]
    pieces = [piece for piece in pieces if len(piece)]
    return [triangles] if any(Surface(x, piece).volume <= 0.0 for piece in pieces) else pieces


def _coacd() -> Any:
    return require("coacd", "convex parts of solids need coacd", "livens[convex]")


if __name__ == "__main__":
    serve(answer)
