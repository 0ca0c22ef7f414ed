"""Atomic writes and checksums: a write is completed or leaves the old file, and a checksum detects changed bytes.

A new file is written beside the old one, synchronised to disk, and then renamed to replace it. The checksum is the
SHA-256 of all bytes before it, at the end of the file, which HDF5 does not read. HDF5 may hang or crash on a damaged
file, so damage is detected before HDF5 opens it.

A file is replaced only by one of its own format, and only if livens wrote it, or if that is forced: a motion does not
replace a scene. Each format has a beginning, and a mark where only its writer puts it, so that a text in which the mark
is quoted is not taken for one. Devices, pipes and folders are never replaced.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..checks import file_path
from ..errors import FileError, LivensError

MARK = "written by livens"
CHECKSUM_MARK = b"SHA-256 of all bytes before:"
SEARCHED = 2**16  # bytes at each end of a file in which the mark is searched
FORMATS = {  # how a file begins, and what it contains near one of its ends
    "motion": (rb"\x89HDF", CHECKSUM_MARK),
    "journal": (rb"livens run, format", b""),
    "scene": (rb"# " + MARK.encode() + rb"\n", b""),
    "schema": (rb"\{", f'"$comment": "{MARK}"'.encode()),
    "mechanism in MJCF": (rb"<\?xml", f"\n<!-- {MARK} -->\n".encode()),
    "page": (rb"<!doctype html>\n<html[^>]*>\n<!-- " + MARK.encode() + rb" -->", b""),
    "glTF": (rb"glTF", f'"generator":"{MARK} '.encode()),
    # figures and films, too
    "picture": (rb"\x89PNG|GIF8|%PDF|<\?xml(?=.*<svg)|....ftyp|\x1aE\xdf\xa3|RIFF", MARK.encode()),
}


def check_output(
    path: str | os.PathLike[str], kind: str, force: bool = False, ours: Callable[[Path], bool] | None = None
) -> None:
    """Raise a FileError if `path` must not be replaced: it is no regular file, or livens did not write it in the format
    `kind` and it is not to be replaced by force. ours: a test for a format without a mark."""
    target = file_path(path)  # not its real path, which for /dev/stdout in a pipe is the name of no file
    try:
        if not target.exists() or target.is_dir():
            return
    except OSError as error:  # the name is too long, or a folder is closed
        raise FileError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}.") from None
    if not target.is_file():
        raise FileError(f"{path} cannot be written: it is a device or a pipe, not a regular file.")
    if force or (written_by_livens(target, kind) if ours is None else _is_empty(target) or ours(target)):
        return
    if other := next((name for name in FORMATS if written_by_livens(target, name)), ""):
        raise FileError(
            f"{path} is a {other} that livens wrote and not a {kind}: choose another name, or replace it with "
            "force=True (on the command line: --force)."
        )
    raise FileError(
        f"{path} exists and was not written by livens: choose another name, or replace it with force=True "
        "(on the command line: --force)."
    )


def _is_empty(path: Path) -> bool:
    return path.stat().st_size == 0


def written_by_livens(path: Path, kind: str) -> bool:
    """Whether livens wrote the file, in one of FORMATS, or the file is empty."""
    begin, mark = FORMATS[kind]
    try:
        with open(path, "rb") as file:
            head = file.read(SEARCHED)
            file.seek(max(0, os.fstat(file.fileno()).st_size - SEARCHED))
            tail = file.read(SEARCHED)
    except OSError:
        return False
    return not head or (re.match(begin, head, re.DOTALL) is not None and (mark in head or mark in tail))


@contextmanager
def replacing(
    path: str | os.PathLike[str], kind: str, force: bool = False, ours: Callable[[Path], bool] | None = None
) -> Iterator[Path]:
    """A temporary file beside `path`. It replaces `path` when the block ends without an error, otherwise it is deleted.
    A file that livens did not write in the format `kind` is replaced only by force.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(folder + "/note.txt", "scene") as temporary:
    ...         _ = temporary.write_text("complete")
    ...     Path(folder, "note.txt").read_text()
    'complete'
    """
    target = Path(os.path.realpath(file_path(path)))
    check_output(path, kind, force, ours)
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
            reason = f"the folder {target.parent} {'accepts no files' if target.parent.is_dir() else 'does not exist'}"
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


def add_checksum(path: Path) -> None:
    """Append the checksum to the file."""
    with open(path, "r+b") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
        file.seek(0, os.SEEK_END)
        file.write(CHECKSUM_MARK + digest)


def checksum_matches(path: Path) -> bool | None:
    """True if the file has not changed since `add_checksum`, False if it has, None if it has no checksum.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     before = checksum_matches(Path(file.name))
    ...     add_checksum(Path(file.name))
    ...     before, checksum_matches(Path(file.name))
    (None, True)
    """
    with open(path, "rb") as file:
        end = file.seek(0, os.SEEK_END) - len(CHECKSUM_MARK) - 32
        if end < 0 or file.seek(end) != end or file.read(len(CHECKSUM_MARK)) != CHECKSUM_MARK:
            return None
        digest = file.read()
        file.seek(0)
        total = hashlib.sha256()
        while end > 0:
            piece = file.read(min(end, 2**20))
            total.update(piece)
            end = end - len(piece) if piece else 0
    return total.digest() == digest


class DeferredErrorFile(io.FileIO):
    """A file for HDF5, which crashes the process if a write fails: `close` raises the first error of the writes.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file, DeferredErrorFile(file.name) as deferred:
    ...     deferred.write(b"four")
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
        if self.failure is not None:  # continue as if the bytes were written
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
