"""Files that only grow: a line that says what the file is, then records, each with its length and checksum in front,

    length (4 bytes)   CRC-32 (4 bytes)   kind (1 byte), content        integers little-endian

A process that is killed leaves at most one record that is cut off, the last, which readers leave out. HDF5 rewrites its
tables in place, so that a process killed while it writes can leave a file that nobody can read: what must survive is
written like this first.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from ..errors import FileError

FRAME = struct.Struct("<II")


def framed(kind: bytes, content: bytes) -> bytes:
    """A record, ready to be appended."""
    record = kind + content
    return FRAME.pack(len(record), zlib.crc32(record)) + record


def records(path: Path, head: bytes) -> Iterator[tuple[bytes, bytes, int]]:
    """Kind, content and end (in bytes from the beginning of the file) of all records that are whole.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = Path(file.name).write_bytes(b"notes\\n" + framed(b"N", b"one") + framed(b"N", b"two")[:-1])
    ...     [(kind, content) for kind, content, _ in records(Path(file.name), b"notes\\n")]
    [(b'N', b'one')]
    """
    end, size = len(head), path.stat().st_size
    with open(path, "rb") as file:
        file.seek(end)
        while len(frame := file.read(FRAME.size)) == FRAME.size:
            length, checksum = FRAME.unpack(frame)
            if not 0 < length <= size - end - FRAME.size:
                return
            record = file.read(length)
            if len(record) < length or zlib.crc32(record) != checksum:
                return
            end += FRAME.size + length
            yield record[:1], record[1:], end


def open_to_append(path: Path) -> int:
    """A handle of the file, which is made if it is not there."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)


def append(handle: int, data: bytes) -> None:
    """Write all of `data`, or raise OSError."""
    view = memoryview(data)
    while len(view):
        view = view[os.write(handle, view) :]


def lock(handle: int, busy: str) -> None:
    """Keep other processes out, or say that it is `busy`; the lock ends with this process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileError(busy) from None
    except OSError:  # file systems that know no locks
        return
