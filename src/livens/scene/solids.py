"""Solids from the files that a scene refers to, read in a sandbox (sandbox.py).

A scene is not trusted: a file must be in the folder of the scene, after links are resolved, unless the caller allows
other folders, and its size is limited.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..checks import positive
from ..describe.shapes.cad import read_step
from ..describe.shapes.mesh import read_sandboxed
from ..describe.shapes.solid import Solid, metres
from ..errors import FileError, ModelError

MAX_SOLID_BYTES = 200_000_000  # of one file
ENDINGS = {"Mesh": (".stl", ".obj", ".glb"), "Step": (".step", ".stp")}


def inside(folder: Path, file: str, allow_outside: bool) -> Path:
    """The path of a file that a scene in `folder` refers to, or a FileError if it is outside the folder."""
    if "\0" in file or not file:
        raise FileError(f"{file!r} is not the name of a file.")
    try:
        home = folder.resolve()
        path = (home / file).resolve()
    except (OSError, RuntimeError, ValueError):
        raise FileError(f"{file!r} is not the name of a file.") from None
    if not (allow_outside or path.is_relative_to(home)):
        raise FileError(
            f"{file!r} is outside the scene's folder: move it into the folder, or allow it with allow_outside=True or "
            "--allow-outside."
        )
    return path


def read_solid(table: dict[str, Any], folder: Path, allow_outside: bool = False) -> Solid:
    """The solid of a table with a file: { type = "Mesh" or "Step", file, density, unit, solid }."""
    path = inside(folder, table["file"], allow_outside)
    kind = table["type"]
    if path.suffix.lower() not in ENDINGS[kind]:
        raise FileError(f"{table['file']!r} must end in {' or '.join(ENDINGS[kind])} to be read as {kind}.")
    if not path.is_file():
        raise FileError(f"{path} does not exist.")
    if path.stat().st_size > MAX_SOLID_BYTES:
        size = path.stat().st_size
        raise FileError(f"{path} has {size} bytes; the limit for files of a scene is {MAX_SOLID_BYTES}.")
    if kind == "Mesh":
        return read_sandboxed(path, positive(table["density"], "density", "kg/m³"), metres(table.get("unit", 1.0)))
    solids = read_step(path, density=table["density"], unit=table["unit"], max_bytes=MAX_SOLID_BYTES)
    if (wanted := table.get("solid")) is None:
        if len(solids) > 1:
            raise ModelError(f"{table['file']!r} has several solids: choose one of {_listed(solids)}.")
        return solids[0]
    for solid in solids:
        if solid.name == wanted:
            return solid
    raise ModelError(f"{table['file']!r} has no solid {wanted[:60]!r}; it has {_listed(solids)}.")


def _listed(solids: list[Solid]) -> str:
    return ", ".join(f"solid = {solid.name!r}" for solid in solids[:10]) + (", …" if len(solids) > 10 else "")
