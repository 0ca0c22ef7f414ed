"""MJCF files compiled by MuJoCo in a separate process (sandbox.py).

Before that the text is checked here (storage/xml.py): files that it refers to must be in its folder, also after links
are followed, unless the caller allows other folders.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import Array
from ..describe.mass import inertia_change, inertia_fault, nearest_inertia
from ..errors import FileError, ModelError, require
from ..scene.solids import inside
from ..storage.sandbox import run_sandboxed, serve
from ..storage.xml import read_markup
from .inertias import check_choice, refused, warn_of_repairs

FOLDERS = ("meshdir", "texturedir", "assetdir")
DOCUMENTS = ("include", "model")  # elements that name further MJCF
MOST = 10_000  # files, and names in folders


def mujoco() -> Any:
    """The package, imported when it is needed."""
    return require("mujoco", "MJCF files need mujoco", "livens[mjcf]")


def compiled(path: Path, allow_outside: bool = False, inertia: str = "refuse") -> Any:
    """The MjModel of an MJCF file; impossible inertias are refused or repaired."""
    mj = mujoco()
    check_choice(inertia)
    if not allow_outside:
        _stays_inside(path)
    elif read_markup(path).tag != "mujoco":
        raise FileError(f"{path} is not MJCF: its first element must be <mujoco>.")
    request = {"path": str(path), "file": str(path.resolve()), "inertia": inertia}
    data = run_sandboxed("livens.formats.mjcf_process", request)
    repairs, _, model = data.partition(b"\n")
    warn_of_repairs(path, json.loads(repairs))
    return mj.MjModel.from_binary_path("model.mjb", {"model.mjb": model})


def answer(request: dict[str, Any]) -> bytes:
    """The repairs of a file as a line of JSON, and the compiled file as bytes of MuJoCo."""
    mj, repairs = mujoco(), []
    try:
        spec = mj.MjSpec.from_file(request["file"])
        if request["inertia"] == "repair":
            repairs = _repaired(spec)
        model = spec.compile()
    except Exception as error:
        _refuse_inertia(Path(request["path"]), request["file"])
        reason = " ".join(str(error).split()).rstrip(".")
        raise ModelError(f"{request['path']} is refused by MuJoCo: {reason}.") from None
    buffer = np.empty(mj.mj_sizeModel(model), dtype=np.uint8)
    mj.mj_saveModel(model, None, buffer)
    return json.dumps(repairs).encode() + b"\n" + buffer.tobytes()


def _tensor(body: Any) -> Array:
    """The inertia that a file gives for a body, in the axes in which it is given."""
    xx, yy, zz, xy, xz, yz = body.fullinertia
    if np.isnan(xx):
        return np.diag(np.array(body.inertia, dtype=np.float64))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=np.float64)


def _repaired(spec: Any) -> list[str]:
    """Repair the impossible inertias that the file gives: for each, the change in words."""
    changes = []
    for body in spec.bodies:
        J = _tensor(body)
        if body.explicitinertial and np.isfinite(J).all() and inertia_fault(J):
            new = nearest_inertia(J)
            changes.append(f"of body {body.name!r}, {inertia_change(J, new)}")
            if np.isnan(body.fullinertia[0]):
                body.inertia = np.diag(new)  # axes of a diagonal tensor stay
            else:
                body.fullinertia = new[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return changes


def _refuse_inertia(path: Path, file: str) -> None:
    """Raise an error that names the first body with an impossible inertia, if there is one."""
    try:
        bodies = list(mujoco().MjSpec.from_file(file).bodies)
    except Exception:  # not even parsed: the first error is the one to report
        return
    for body in bodies:
        J = _tensor(body)
        if body.explicitinertial and np.isfinite(J).all() and (fault := inertia_fault(J)):
            raise refused(path, "body", body.name, fault)


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
