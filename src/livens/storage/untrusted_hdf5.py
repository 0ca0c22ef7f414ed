"""Untrusted HDF5 files: a sandboxed process (sandbox.py) reads a file completely before this process opens it.

The HDF5 library may hang or crash on a damaged or malicious file, and a file may refer to other files. A file that the
sandboxed process can read completely is safe to read. A file that this process has written or checked, and that has
not changed since, is not checked again.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

from ..errors import FileError
from .sandbox import run_sandboxed, serve

READ_BYTES = 2**26  # read at once
LIVENS_ATTRIBUTES = {"livens_format", "study"}  # of motions and of studies
NETCDF_DIMENSION = b"This is a netCDF dimension but not a netCDF variable."
_checked: set[tuple[int, ...]] = set()


def mark_as_checked(path: str | os.PathLike[str]) -> None:
    """Remember that the file, as it is now, is safe to read."""
    _checked.add(_identity(path))


def check(path: Path) -> None:
    """Raise a FileError if the sandboxed process cannot read the file completely, in time and without other files."""
    if _identity(path) not in _checked:
        run_sandboxed("livens.storage.untrusted_hdf5", {"path": str(path), "file": str(path.resolve())})
        mark_as_checked(path)


def _identity(path: str | os.PathLike[str]) -> tuple[int, ...]:
    now = os.stat(path)
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns


def answer(request: dict[str, Any]) -> bytes:
    """The work of the sandboxed process: read the complete file."""
    try:
        if not _read(request["file"]):
            raise FileError(f"{request['path']} is not a motion saved by livens (it is another netCDF or HDF5 file).")
    except (FileError, MemoryError):
        raise
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise MemoryError from None
        raise FileError(f"{request['path']} is damaged or incomplete: {_first_line(error)}.") from None
    except Exception as error:  # h5py raises almost any exception for a damaged file
        raise FileError(f"{request['path']} is damaged or incomplete: {_first_line(error)}.") from None
    return b""


def _first_line(error: Exception) -> str:
    return (str(error).strip("'\" ").splitlines() or [type(error).__name__])[0].rstrip(".")


def _read(path: str) -> bool:
    """Read the complete file; False if livens did not write it."""
    import h5netcdf
    import h5py

    size = os.path.getsize(path)
    with h5py.File(path, "r") as file:
        if not LIVENS_ATTRIBUTES & set(file.attrs):
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
            rows = max(1, shape[0] * READ_BYTES // size)
            for k in range(0, shape[0], rows):
                _ = variable[k : k + rows] if rows < shape[0] else variable[...]
    return True


def _check(dataset: Any, name: str, size: int) -> None:
    if dataset.is_virtual or dataset.external:
        raise ValueError(f"variable {name!r} is in another file")
    if dataset.nbytes > size and not bytes(dataset.attrs.get("NAME", b"")).startswith(NETCDF_DIMENSION):
        raise ValueError(f"variable {name!r} claims to be larger than the file")


if __name__ == "__main__":
    serve(answer)
