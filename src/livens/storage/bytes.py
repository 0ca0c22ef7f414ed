"""Bytes of a file whose size is limited."""

from __future__ import annotations

from os import PathLike

from ..checks import file_path
from ..errors import FileError

NAME_LENGTH = 300  # characters of a file name in a message


def read_limited(path: str | PathLike[str], max_bytes: int) -> bytes:
    """The bytes of a file, or a FileError if it is larger than `max_bytes`."""
    file = file_path(path)
    name = str(file) if len(str(file)) <= NAME_LENGTH else f"{str(file)[:NAME_LENGTH]}…"
    try:
        size = file.stat().st_size
        if not file.is_file():
            raise FileError(f"{name} is not a file.")
        if size > max_bytes:
            raise FileError(f"{name} has {size} bytes; raise max_bytes = {max_bytes} if you trust it.")
        return file.read_bytes()
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"{name} does not exist.") from None
    except PermissionError:
        raise FileError(f"{name} cannot be read: permission denied.") from None
    except OSError as error:
        raise FileError(f"{name} cannot be read: {(error.strerror or 'it is unreadable').lower()}.") from None
