"""Solids of the files that a scene names, read in a process of its own: what hangs, crashes or swells does so there.

A scene is not trusted. A file must lie in the scene's folder, links followed, unless the caller allows others; its size
is limited; and CAD kernels and mesh readers, which are large programs, get a clock and a bound on memory.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError, LivensError, MissingExtra, ModelError
from ..mass import MassProperties
from ..pose import Pose
from ..solid import Solid
from ..surface import Surface

SECONDS = 120.0  # for all files of a scene
MEMORY = 4 * 2**30  # bytes of address space
BYTES = 200_000_000  # of one file
KINDS = {"Mesh": (".stl", ".obj", ".glb"), "Step": (".step", ".stp")}


def inside(folder: Path, file: str, allow_outside: bool) -> Path:
    """The file that a scene in `folder` names; refused where it leads out of the folder."""
    if "\0" in file or not file:
        raise FileError(f"{file!r} is not the name of a file.")
    try:
        home = folder.resolve()
        path = (home / file).resolve()
    except (OSError, RuntimeError, ValueError):
        raise FileError(f"{file!r} is not the name of a file.") from None
    if not (allow_outside or path.is_relative_to(home)):
        raise FileError(
            f"{file!r} is outside the scene's folder, and files there are not read: put it there, or allow it with "
            "allow_outside=True or --allow-outside."
        )
    return path


def read_solid(table: dict[str, Any], folder: Path, allow_outside: bool = False) -> Solid:
    """The solid that a table with a file describes: { type = "Mesh" or "Step", file, density, unit, solid }."""
    path = inside(folder, table["file"], allow_outside)
    kind = table["type"]
    if path.suffix.lower() not in KINDS[kind]:
        raise FileError(f"{table['file']!r} must end in {' or '.join(KINDS[kind])} to be read as {kind}.")
    if not path.is_file():
        raise FileError(f"{path} does not exist.")
    if path.stat().st_size > BYTES:
        raise FileError(f"{path} has {path.stat().st_size} bytes, and {BYTES} is the limit for files of a scene.")
    solids = apart({**table, "path": str(path), "memory": MEMORY})
    if kind == "Mesh":
        return solids[0]
    if (wanted := table.get("solid")) is None:
        if len(solids) > 1:
            raise ModelError(f"{table['file']!r} has several solids, name one: {_listed(solids)}.")
        return solids[0]
    for solid in solids:
        if solid.name == wanted:
            return solid
    raise ModelError(f"{table['file']!r} has no solid {wanted[:60]!r}; it has {_listed(solids)}.")


def _listed(solids: list[Solid]) -> str:
    return ", ".join(f"solid = {solid.name!r}" for solid in solids[:10]) + (", …" if len(solids) > 10 else "")


def apart(request: dict[str, Any]) -> list[Solid]:
    """The solids of a file, read by another process."""
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    try:
        done = subprocess.run(
            [sys.executable, "-m", "livens.scene.solids"],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=SECONDS,
            env={**os.environ, "PYTHONPATH": path},
        )
    except subprocess.TimeoutExpired:
        raise FileError(f"{request['path']} could not be read within {SECONDS:g} s.") from None
    if done.returncode:
        raise FileError(f"{request['path']} could not be read: the reader failed on it (code {done.returncode}).")
    return _unpacked(done.stdout, request["path"])


def _unpacked(data: bytes, path: str) -> list[Solid]:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        head = json.loads(str(arrays["head"]))
        if "error" in head:
            kinds: dict[str, type[LivensError]] = {k.__name__: k for k in (ModelError, FileError, MissingExtra)}
            raise kinds.get(head["kind"], FileError)(head["error"])
        return [
            Solid(
                MassProperties(float(arrays[f"mass{k}"]), arrays[f"inertia{k}"], arrays[f"center{k}"]),
                Surface(arrays[f"vertices{k}"], arrays[f"triangles{k}"]),
                name,
                Pose(arrays[f"a{k}"], arrays[f"B{k}"]),
            )
            for k, name in enumerate(head["names"])
        ]


def _packed(solids: list[Solid]) -> dict[str, Any]:
    arrays: dict[str, Any] = {"head": json.dumps({"names": [solid.name for solid in solids]})}
    for k, solid in enumerate(solids):
        matter = solid.mass_properties
        arrays |= {f"mass{k}": matter.mass, f"inertia{k}": matter.inertia, f"center{k}": matter.center}
        arrays |= {f"vertices{k}": solid.surface.vertices, f"triangles{k}": solid.surface.triangles}
        arrays |= {f"a{k}": solid.place.a, f"B{k}": solid.place.B}
    return arrays


def _main() -> None:
    """The other process: a request comes in as JSON, arrays go out."""
    request = json.load(sys.stdin)
    out = os.dup(1)
    os.dup2(2, 1)  # kernels may chat
    if os.name == "posix":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (request["memory"], request["memory"]))
    try:
        if request["type"] == "Mesh":
            from ..mesh import read_mesh

            solids = [read_mesh(request["path"], density=request["density"], unit=request.get("unit", 1.0))]
        else:
            from ..cad import read_step

            solids = read_step(request["path"], density=request["density"], unit=request["unit"])
        arrays = _packed(solids)
    except LivensError as error:
        arrays = {"head": json.dumps({"kind": type(error).__name__, "error": str(error)})}
    except MemoryError:
        text = f"{request['path']} needs more memory than {request['memory'] / 2**30:g} GiB."
        arrays = {"head": json.dumps({"kind": "FileError", "error": text})}
    with os.fdopen(out, "wb") as stream:
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        stream.write(buffer.getvalue())


if __name__ == "__main__":
    _main()
