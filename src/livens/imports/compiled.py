"""MJCF as MuJoCo understands it: compiled by MuJoCo in a process of its own, with a clock and bounded memory.

Before that the text is looked through here (markup.py): files that it names must lie in its folder, links followed,
unless the caller allows others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import FileError, MissingExtra, ModelError
from ..scene.solids import MEMORY, inside
from .markup import read_markup

SECONDS = 60.0
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
    package = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])])
    try:
        with TemporaryDirectory() as elsewhere:  # MuJoCo writes a log where it runs
            done = subprocess.run(
                [sys.executable, "-m", "livens.imports.compiled", str(path.resolve()), str(MEMORY)],
                capture_output=True, timeout=SECONDS, cwd=elsewhere, env={**os.environ, "PYTHONPATH": package},
            )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise FileError(f"{path} could not be compiled by MuJoCo within {SECONDS:g} s.") from None
    if done.returncode:
        raise FileError(f"{path} could not be read: MuJoCo failed on it (code {done.returncode}).")
    if done.stdout.startswith(b"{"):
        reason = " ".join(json.loads(done.stdout)["error"].split()).rstrip(".")
        raise ModelError(f"{path} is refused by MuJoCo: {reason}.")
    return mj.MjModel.from_binary_path("model.mjb", {"model.mjb": done.stdout})


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


def _main() -> None:
    """The other process: the name of a file comes in, a compiled model or an error goes out."""
    path, memory = sys.argv[1], int(sys.argv[2])
    out = os.dup(1)
    os.dup2(2, 1)  # MuJoCo may chat
    if os.name == "posix":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    import numpy as np

    mj = import_module("mujoco")
    try:
        model = mj.MjModel.from_xml_path(path)
        buffer = np.empty(mj.mj_sizeModel(model), dtype=np.uint8)
        mj.mj_saveModel(model, None, buffer)
        data = buffer.tobytes()
    except Exception as error:
        data = json.dumps({"error": str(error)}).encode()
    with os.fdopen(out, "wb") as stream:
        stream.write(data)


if __name__ == "__main__":
    _main()
