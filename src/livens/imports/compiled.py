"""MJCF as MuJoCo understands it: compiled by MuJoCo in a process of its own (apart.py).

Before that the text is looked through here (markup.py): files that it names must lie in its folder, links followed,
unless the caller allows others.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..apart import apart, serve
from ..errors import FileError, MissingExtra, ModelError
from ..scene.solids import inside
from .markup import read_markup

FOLDERS = ("meshdir", "texturedir", "assetdir")


def mujoco() -> Any:
    """The package, imported when it is needed."""
    try:
        return import_module("mujoco")
    except ImportError as error:
        raise MissingExtra(f"MJCF files need mujoco ({error}): pip install 'livens[mjcf]'") from None


def compiled(path: Path, allow_outside: bool = False) -> Any:
    """The MjModel of an MJCF file."""
    mj = mujoco()
    if not allow_outside:
        _stays_inside(path, path.resolve().parent, set())
    elif read_markup(path).tag != "mujoco":
        raise FileError(f"{path} is not MJCF: its first element must be <mujoco>.")
    data = apart("livens.imports.compiled", {"path": str(path), "file": str(path.resolve())})
    return mj.MjModel.from_binary_path("model.mjb", {"model.mjb": data})


def answer(request: dict[str, Any]) -> bytes:
    """A file, compiled, as MuJoCo's own bytes."""
    mj = mujoco()
    try:
        model = mj.MjModel.from_xml_path(request["file"])
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ModelError(f"{request['path']} is refused by MuJoCo: {reason}.") from None
    buffer = np.empty(mj.mj_sizeModel(model), dtype=np.uint8)
    mj.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


def _stays_inside(path: Path, folder: Path, seen: set[Path]) -> None:
    """Refuse an MJCF file that names files out of `folder`, itself or through files that it includes."""
    seen.add(path)
    root = read_markup(path)
    if len(seen) == 1 and root.tag != "mujoco":
        raise FileError(f"{path} is not MJCF: its first element must be <mujoco>, not <{root.tag[:60]}>.")
    places = [""] + [element.get(key, "") for element in root.iter("compiler") for key in FOLDERS]
    for element in root.iter():
        for key, value in element.attrib.items():
            if not key.startswith("file") or not value:
                continue
            for place in dict.fromkeys(places):
                file = inside(folder, os.path.join(place, value), False)
                if file.suffix == ".xml" and file.is_file() and file not in seen:
                    _stays_inside(file, folder, seen)


if __name__ == "__main__":
    serve(answer)
