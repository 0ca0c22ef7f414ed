"""MJCF files compiled by MuJoCo in a separate process (sandbox.py).

Before that the text is checked here (storage/xml.py): files that it refers to must be in its folder, also after links
are followed, unless the caller allows other folders.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError, ModelError, require
from ..scene.solids import inside
from ..storage.sandbox import run_sandboxed, serve
from ..storage.xml import read_markup

FOLDERS = ("meshdir", "texturedir", "assetdir")
DOCUMENTS = ("include", "model")  # elements that name further MJCF
MOST = 10_000  # files, and names in folders


def mujoco() -> Any:
    """The package, imported when it is needed."""
    return require("mujoco", "MJCF files need mujoco", "livens[mjcf]")


def compiled(path: Path, allow_outside: bool = False) -> Any:
    """The MjModel of an MJCF file."""
    mj = mujoco()
    if not allow_outside:
        _stays_inside(path)
    elif read_markup(path).tag != "mujoco":
        raise FileError(f"{path} is not MJCF: its first element must be <mujoco>.")
    data = run_sandboxed("livens.formats.mjcf_process", {"path": str(path), "file": str(path.resolve())})
    return mj.MjModel.from_binary_path("model.mjb", {"model.mjb": data})


def answer(request: dict[str, Any]) -> bytes:
    """A compiled file, as bytes of MuJoCo."""
    mj = mujoco()
    try:
        model = mj.MjModel.from_xml_path(request["file"])
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ModelError(f"{request['path']} is refused by MuJoCo: {reason}.") from None
    buffer = np.empty(mj.mj_sizeModel(model), dtype=np.uint8)
    mj.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


def _stays_inside(path: Path) -> None:
    """Refuse an MJCF file that refers to files outside its folder, directly or through files that it includes.

    The folders that MuJoCo searches depend on every <compiler> of every file, and a backslash is a slash for MuJoCo:
    all names are tried in all folders.
    """
    first = read_markup(path)
    if first.tag != "mujoco":
        raise FileError(f"{path} is not MJCF: its first element must be <mujoco>, not <{first.tag[:60]}>.")
    folder, roots, before = path.resolve().parent, {path.resolve(): first}, 0
    while len(roots) > before:
        before = len(roots)
        compilers = [element for root in roots.values() for element in root.iter("compiler")]
        places = {"", *(_slashes(element.get(key, "")) for element in compilers for key in FOLDERS)}
        places |= {str(file.parent.relative_to(folder)) for file in roots}  # the folders of included files
        named = {
            (_slashes(value), element.tag in DOCUMENTS)
            for root in roots.values()
            for element in root.iter()
            for key, value in element.attrib.items()
            if key.startswith("file") and value
        }
        if len(places) * len(named) > MOST or len(roots) > MOST:
            raise FileError(f"{path} names more than {MOST} files and folders.")
        for name, is_document in named:
            for place in places:
                file = inside(folder, os.path.join(place, name), False)
                if is_document and file not in roots and file.is_file():
                    roots[file] = read_markup(file)


def _slashes(name: str) -> str:
    return name.replace("\\", "/")


if __name__ == "__main__":
    serve(answer)
