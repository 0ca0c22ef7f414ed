"""Python for the browser in one folder: Pyodide, a wheel of numpy, and a wheel of livens of this tree.

The npm package of Pyodide does not contain its packages; numpy is a conda archive in another npm package and is packed
as a wheel. Both wheels, and additional ones, are listed in pyodide-lock.json with their hashes, so that
`loadPackage("livens")` finds everything in this folder and needs no other server.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import shutil
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = ROOT / ".cache" / "live" / "node_modules"
RUNTIME = ("pyodide.js", "pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
TAG = "cp312-cp312-pyodide_2024_0_wasm32"  # the Python and the ABI of Pyodide 0.27
MISSING = f"The live page needs npm's pyodide in {MODULES.relative_to(ROOT)}: run `make live` with npm and a network."
LEFT_OUT = re.compile(r"/(tests|f2py|_pyinstaller|include)/|/testing/|conftest\.py$|\.(pyi|pxd|a|h)$")


def is_there() -> bool:
    """Whether npm has downloaded the required packages."""
    return all((MODULES / name).exists() for name in ("pyodide/pyodide.asm.wasm", "@emscripten-forge/numpy/pkg"))


def write_runtime(folder: Path, *more: Path) -> None:
    """Write Pyodide with numpy, livens and `more` wheels to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in RUNTIME:
        shutil.copyfile(MODULES / "pyodide" / name, folder / name)
    wheels = [numpy_wheel(folder), livens_wheel(folder)]
    for wheel in more:
        wheels.append(Path(shutil.copy(wheel, folder)))
    lock = json.loads((MODULES / "pyodide" / "pyodide-lock.json").read_text(encoding="utf-8"))
    known = {entry["name"]: entry for entry in map(lock_entry, wheels)}
    for name, entry in known.items():
        needed = [other.replace("_", "-") for other in lock["packages"].get(name, {}).get("depends", [])]
        entry["depends"] = [other for other in needed if other in known]
    known["livens"]["depends"] = ["numpy"]
    lock["packages"] = known
    (folder / "pyodide-lock.json").write_text(json.dumps(lock, indent=1), encoding="utf-8")


def lock_entry(wheel: Path) -> dict[str, object]:
    """The entry of a wheel in pyodide-lock.json."""
    name, version = wheel.name.split("-")[:2]
    with zipfile.ZipFile(wheel) as files:
        tops = {path.partition("/")[0].removesuffix(".py") for path in files.namelist() if ".dist-info/" not in path}
    return {
        "name": name.replace("_", "-").lower(),
        "version": version,
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": sorted(tops),
        "depends": [],
        "unvendored_tests": False,
    }


def numpy_wheel(folder: Path) -> Path:
    """numpy from its conda archive, without tests and headers."""
    [archive] = (MODULES / "@emscripten-forge" / "numpy" / "pkg").glob("numpy-*.tar.gz")
    version = archive.name.split("-")[1]
    with tarfile.open(archive) as files:
        inside = {m.name.partition("site-packages/")[2]: m for m in files.getmembers() if m.isfile()}
        kept = {name: m for name, m in inside.items() if name.startswith("numpy/") and not LEFT_OUT.search(f"/{name}")}
        contents = [(name, files.extractfile(member).read()) for name, member in sorted(kept.items())]
    return write_wheel(folder, "numpy", version, TAG, contents)


def livens_wheel(folder: Path) -> Path:
    """livens from src/."""
    source = ROOT / "src"
    version = re.search(r'__version__ = "(.*)"', (source / "livens" / "__init__.py").read_text())[1]
    paths = sorted(p for p in (source / "livens").rglob("*") if p.is_file() and p.suffix != ".pyc")
    paths = [p for p in paths if p.stem.partition(".")[0] != "_compiled"]  # the library of this machine
    contents = [(path.relative_to(source).as_posix(), path.read_bytes()) for path in paths]
    return write_wheel(folder, "livens", version, "py3-none-any", contents)


def write_wheel(folder: Path, name: str, version: str, tag: str, contents: Iterable[tuple[str, bytes]]) -> Path:
    """A wheel of (path, bytes), reproducible bit by bit."""
    info = f"{name}-{version}.dist-info"
    files = [
        *contents,
        (f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: livens\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()),
    ]
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files) + f"{info}/RECORD,,\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for path, data in [*files, (f"{info}/RECORD", record.encode())]:
            wheel.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    path = folder / f"{name}-{version}-{tag}.whl"
    path.write_bytes(buffer.getvalue())
    return path


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
