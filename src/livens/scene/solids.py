"""Solids of the files that a scene refers to, read in a separate process (sandbox.py).

A scene is not trusted: a file must be in the scene's folder, also after links are followed, unless the caller allows
other folders, and its size is limited.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..checks import positive
from ..describe.shapes.cad import read_step
from ..describe.shapes.mesh import read_apart
from ..describe.shapes.solid import Solid, metres
from ..errors import FileError, ModelError

BYTES = 200_000_000  # of one file
KINDS = {"Mesh": (".stl", ".obj", ".glb"), "Step": (".step", ".stp")}


def inside(folder: Path, file: str, allow_outside: bool) -> Path:
    """The file that a scene in `folder` refers to; refused if it is outside the folder."""
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
    if kind == "Mesh":
        return read_apart(path, positive(table["density"], "density", "kg/m³"), metres(table.get("unit", 1.0)))
    solids = read_step(path, density=table["density"], unit=table["unit"], max_bytes=BYTES)
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
