"""Files that can be relied on: a write completes or leaves the old file, and a seal tells whether a byte has changed.

To write, write beside the old file, put it on disk, then take its place. The seal is the SHA-256 of all bytes before
it, at the very end, where HDF5 does not look: HDF5 may hang or crash on a damaged file, so damage is found first.
"""

from __future__ import annotations

import hashlib
import io
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..errors import FileError, LivensError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file beside `path` to write to, which takes its place, on disk, if all goes well, and else vanishes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(folder + "/note.txt") as temporary:
    ...         _ = temporary.write_text("complete")
    ...     Path(folder, "note.txt").read_text()
    'complete'
    """
    if not os.fspath(path) or "\0" in os.fspath(path):
        raise FileError(f"{os.fspath(path)!r} is not the name of a file.")
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.stem[:100]}-{secrets.token_hex(4)}{target.suffix}")
    try:
        if target.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(0, "the file there is read-only")
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield temporary
        _to_disk(temporary, os.O_RDWR)
        os.replace(temporary, target)
        if os.name == "posix":
            _to_disk(target.parent, os.O_RDONLY)
    except LivensError:
        raise
    except OSError as error:
        reason = error.strerror or (str(error).splitlines() or [type(error).__name__])[0]
        if isinstance(error, FileNotFoundError):
            reason = f"the folder {target.parent} {'takes no files' if target.parent.is_dir() else 'does not exist'}"
        raise FileError(f"{path} cannot be written: {reason[:1].lower()}{reason[1:].rstrip('.')}.") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _to_disk(path: Path, mode: int) -> None:
    handle = os.open(path, mode)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


SEAL = b"SHA-256 of all bytes before:"


def seal(path: Path) -> None:
    """Put the seal at the end of the file."""
    with open(path, "r+b") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
        file.seek(0, os.SEEK_END)
        file.write(SEAL + digest)


def intact(path: Path) -> bool | None:
    """True if the file is as it was when it was sealed, False if not, None if it ends without a seal.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     before = intact(Path(file.name))
    ...     seal(Path(file.name))
    ...     before, intact(Path(file.name))
    (None, True)
    """
    with open(path, "rb") as file:
        end = file.seek(0, os.SEEK_END) - len(SEAL) - 32
        if end < 0 or file.seek(end) != end or file.read(len(SEAL)) != SEAL:
            return None
        digest = file.read()
        file.seek(0)
        total = hashlib.sha256()
        while end > 0:
            piece = file.read(min(end, 2**20))
            total.update(piece)
            end = end - len(piece) if piece else 0
    return total.digest() == digest


class Patient(io.FileIO):
    """A file to hand to HDF5, which crashes the process when a write fails: failure is kept and told by `close`.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file, Patient(file.name) as patient:
    ...     patient.write(b"four")
    4
    """

    failure: BaseException | None = None

    def __init__(self, path: str | os.PathLike[str]):
        super().__init__(path, "r+b")

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        size = len(view)
        try:
            while self.failure is None and len(view):
                view = view[super().write(view) :]
        except BaseException as error:
            self.failure = error
        if self.failure is not None:  # go on as if it were written
            self.seek(len(view), os.SEEK_CUR)
        return size

    def truncate(self, size: int | None = None) -> int:
        try:
            return super().truncate(size)
        except BaseException as error:
            self.failure = self.failure or error
            return size or 0

    def close(self) -> None:
        super().close()
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
