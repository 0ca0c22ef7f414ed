"""Bodies from meshes: the matter inside a closed triangle surface (STL, OBJ, GLB; read by trimesh).

Each triangle (a, b, c) spans a signed tetrahedron with the origin, on which the integrals are exact. With the
determinant D = a·(b × c) and s = a + b + c,

    V = Σ D/6,      ∫r = Σ D s/24,      ∫r rᵀ = Σ D (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/120                           (1)

A surface is closed if every edge occurs equally often in both directions; cavities and several shells are allowed.
Files are not trusted: three formats, bounded size, no other file is opened; GLB, in which a few bytes can repeat a mesh
many times, is read in a separate process (sandbox.py). The axes are those of the file.
"""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...checks import Array, file_path, positive
from ...errors import FileError, ModelError, require
from ...storage.bytes import read_limited
from ...storage.sandbox import run_sandboxed, serve
from ..mass import MassProperties
from ..pose import Pose
from ..surface import Surface
from ..tessellate import welded
from .solid import Solid, metres, packed, unpacked

FORMATS = ("stl", "obj", "glb")
FAR = 1e15  # m


def read_mesh(
    path: str | PathLike[str],
    *,
    density: float,
    unit: str | float = 1.0,
    name: str | None = None,
    max_bytes: int = 200_000_000,
) -> Solid:
    """The matter inside a closed mesh, `density` [kg/m³], as one body in the frame of the file.

    `unit` is the length of the number 1.0 in the file: a number of metres, or "mm", "cm", "m", "in". STL and OBJ do not
    state their unit (often millimetres); GLB is in metres by its standard, with y upwards.

    >>> import tempfile, trimesh
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = trimesh.creation.box((20, 10, 10)).export(folder + "/brick.stl")
    ...     brick = read_mesh(folder + "/brick.stl", density=2000, unit="mm")
    >>> brick.name, round(brick.mass_properties.mass, 9)
    ('brick', 0.004)
    """
    file = file_path(path)
    density, scale = positive(density, "density", "kg/m³"), metres(unit)
    kind = file.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise FileError(f"{file} must end in one of {', '.join('.' + f for f in FORMATS)} to be read as a mesh.")
    _trimesh()
    data = read_limited(file, max_bytes)
    return read_sandboxed(file, density, scale, name) if kind == "glb" else _read(data, file, density, scale, name)


def read_sandboxed(file: Path, density: float, scale: float, name: str | None = None) -> Solid:
    """The same, read in another process with bounded time and memory; `scale` is the unit [m]."""
    request = {"path": str(file), "file": str(file.resolve()), "density": density, "scale": scale, "name": name}
    return unpacked(run_sandboxed("livens.describe.shapes.mesh", request))[0]


def answer(request: dict[str, Any]) -> bytes:
    """The solid of a mesh, in the other process."""
    data = Path(request["file"]).read_bytes()
    return packed([_read(data, Path(request["path"]), request["density"], request["scale"], request["name"])])


def _read(data: bytes, file: Path, density: float, scale: float, name: str | None) -> Solid:
    trimesh, kind = _trimesh(), file.suffix.lower().lstrip(".")
    try:
        options = {} if kind == "stl" else {"skip_materials": True}
        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, process=False, **options)
        mesh = scene.to_mesh()
        corners = np.array(mesh.vertices, dtype=np.float64)[mesh.faces]
        if corners.ndim != 3 or corners.shape[1:] != (3, 3):
            raise ValueError("its faces are not triangles")
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise FileError(f"{file} cannot be read as {kind.upper()}: {reason}.") from None
    if not len(corners):
        raise ModelError(f"{file} contains no triangles.")
    if not np.isfinite(corners).all():
        raise ModelError(f"{file} has vertices that are not finite.")
    if (size := scale * float(np.abs(corners).max())) > FAR:
        raise ModelError(f"{file} has vertices {size:.3g} m away, too far to compute with: check its unit.")
    vertices, triangles = welded(scale * corners)  # STL has no shared vertices, OBJ and GLB repeat them for normals
    surface = Surface(vertices, closed(triangles, str(file)).astype(np.int32))
    if surface.moved(Pose(-vertices.mean(axis=0))).volume < 0.0:  # inside out
        surface = Surface(surface.vertices, surface.triangles[:, ::-1].copy())
    return Solid(matter_inside(surface, density, str(file)), surface, name or file.stem)


def closed(triangles: NDArray[np.int64], label: str) -> NDArray[np.int64]:
    """The triangles without degenerate ones; refused, with the number of edges at fault, if they are not closed."""
    triangles = triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)]
    edges = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    ordered, edge = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    passes = np.bincount(edge.ravel(), minlength=len(ordered))
    balance = np.bincount(edge.ravel(), weights=np.where(edges[:, 0] < edges[:, 1], 1.0, -1.0), minlength=len(ordered))
    if open_edges := np.count_nonzero(passes % 2):
        raise ModelError(
            f"{label} is not watertight: {open_edges} open edges of {len(ordered)}. Close the holes in a mesh editor."
        )
    if turned := np.count_nonzero(balance):
        raise ModelError(
            f"{label} has triangles that face both ways: inside and outside change places across {turned} edges. "
            "Recalculate the normals in a mesh editor."
        )
    return triangles


def matter_inside(surface: Surface, density: float, label: str) -> MassProperties:
    """Equation (1), about the middle of the surface, so that a mesh far from the origin loses no digits."""
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    middle = 0.5 * (low + high)
    corners: Array = (surface.vertices - middle)[surface.triangles]
    s = corners.sum(axis=1)
    D = np.linalg.det(corners)
    volume, room = float(D.sum() / 6.0), float(np.prod(high - low))
    if volume <= 1e-12 * room:
        raise ModelError(f"{label} encloses no volume.")
    c = D @ s / (24.0 * volume)
    E0 = (np.einsum("t,tki,tkj->ij", D, corners, corners) + np.einsum("t,ti,tj->ij", D, s, s)) / 120.0
    E = E0 - volume * np.outer(c, c)
    return MassProperties(density * volume, density * (np.trace(E) * np.eye(3) - E), middle + c)


def _trimesh() -> Any:
    return require("trimesh", "mesh files need trimesh", "livens[mesh]")


if __name__ == "__main__":
    serve(answer)
