"""Append-only logs: a first line that identifies the format, then records, each with its length and checksum in front,

    length (4 bytes)   CRC-32 (4 bytes)   kind (1 byte), content        integers little-endian

If a process is killed, at most the last record is truncated, and readers ignore it. HDF5 rewrites its tables in place:
a process that is killed during a write can leave an unreadable HDF5 file. Therefore checkpoints and the members of a
study are first written to such a log.
"""

from __future__ import annotations

import os
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from ..errors import FileError

RECORD_HEADER = struct.Struct("<II")  # length, CRC-32


def pack_record(kind: bytes, content: bytes) -> bytes:
    """The bytes of a record, to be appended."""
    record = kind + content
    return RECORD_HEADER.pack(len(record), zlib.crc32(record)) + record


def records(path: Path, head: bytes) -> Iterator[tuple[bytes, bytes, int]]:
    """Kind, content and end (in bytes from the start of the file) of all complete records.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = Path(file.name).write_bytes(b"notes\\n" + pack_record(b"N", b"one") + pack_record(b"N", b"two")[:-1])
    ...     [(kind, content) for kind, content, _ in records(Path(file.name), b"notes\\n")]
    [(b'N', b'one')]
    """
    end, size = len(head), path.stat().st_size
    with open(path, "rb") as file:
        file.seek(end)
        while len(header := file.read(RECORD_HEADER.size)) == RECORD_HEADER.size:
            length, checksum = RECORD_HEADER.unpack(header)
            if not 0 < length <= size - end - RECORD_HEADER.size:
                return
            record = file.read(length)
            if len(record) < length or zlib.crc32(record) != checksum:
                return
            end += RECORD_HEADER.size + length
            yield record[:1], record[1:], end


def open_to_append(path: Path) -> int:
    """A handle of the file; the file is created if it does not exist."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    if sys.platform == "win32":
        flags |= os.O_BINARY
    return os.open(path, flags, 0o666)


def append(handle: int, data: bytes) -> None:
    """Write all of `data`, or raise OSError."""
    view = memoryview(data)
    while len(view):
        view = view[os.write(handle, view) :]


def lock(handle: int, busy: str) -> None:
    """Lock the file for this process, or raise a FileError with the message `busy`. The lock ends with the process."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileError(busy) from None
    except OSError:  # the file system has no locks
        return
