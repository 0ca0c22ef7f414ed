"""HDF5 that nobody vouches for: read once in a process of its own (sandbox.py) before it is opened here.

The HDF5 library may hang or crash on a file that is damaged, or made to that end, and a file may name others to be read
in its place. What the other process could read to the end is safe to read here. A file that this process has written
or tried before, and that has not changed since, is not tried again.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..errors import FileError
from .sandbox import apart, serve

PIECE = 2**26  # bytes that are read at once
OURS = {"livens_format", "study"}  # attributes of motions and of studies
DIMENSION = b"This is a netCDF dimension but not a netCDF variable."
_known: set[tuple[int, ...]] = set()


def vouch(path: str | os.PathLike[str]) -> None:
    """Remember a file, as it is now, as one that can be read."""
    _known.add(_identity(path))


def check(path: Path) -> None:
    """Refuse an HDF5 file that cannot be read to its end, within a time and without other files."""
    if _identity(path) not in _known:
        apart("livens.storage.untrusted_hdf5", {"path": str(path), "file": str(path.resolve())})
        vouch(path)


def _identity(path: str | os.PathLike[str]) -> tuple[int, ...]:
    now = os.stat(path)
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns


def answer(request: dict[str, Any]) -> bytes:
    """The other process: read everything in the file."""
    try:
        if not _read(request["file"]):
            raise FileError(
                f"{request['path']} is not a motion saved by livens (it is some other netCDF or HDF5 file)."
            )
    except (FileError, MemoryError):
        raise
    except Exception as error:  # h5py answers damage with almost any exception
        reason = (str(error).strip("'\" ").splitlines() or [type(error).__name__])[0].rstrip(".")
        raise FileError(f"{request['path']} is damaged or incomplete: {reason}.") from None
    return b""


def _read(path: str) -> bool:
    """Read all of a file that livens wrote; False if it did not."""
    import h5netcdf
    import h5py

    size = os.path.getsize(path)
    with h5py.File(path, "r") as file:
        if not OURS & set(file.attrs):
            return False
        for name in file:
            if not isinstance(file.get(name, getlink=True), h5py.HardLink):
                raise ValueError(f"variable {name!r} is in another file")
            if isinstance(thing := file[name], h5py.Dataset):
                _check(thing, name, size)
    with h5netcdf.File(path, "r") as file:
        _ = dict(file.attrs)
        for variable in file.variables.values():
            _ = dict(variable.attrs), variable.dimensions
            shape = variable.shape or (1,)
            rows = max(1, shape[0] * PIECE // size)
            for k in range(0, shape[0], rows):
                _ = variable[k : k + rows] if rows < shape[0] else variable[...]
    return True


def _check(dataset: Any, name: str, size: int) -> None:
    if dataset.is_virtual or dataset.external:
        raise ValueError(f"variable {name!r} is in another file")
    if dataset.nbytes > size and not bytes(dataset.attrs.get("NAME", b"")).startswith(DIMENSION):
        raise ValueError(f"variable {name!r} claims to be larger than the file")


if __name__ == "__main__":
    serve(answer)
