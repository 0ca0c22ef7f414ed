"""The journal of a study: what is finished, on disk, whatever happens next.

A file that only grows: a line that says what it is, then records, each with its length and checksum in front,

    length (4 bytes)   CRC-32 (4 bytes)   kind (1 byte), content        integers little-endian

    F  the facts of the study, as JSON: the first record
    L  a layout, as JSON; layouts are numbered from 0
    M  member (8 bytes), layout (4 bytes), numbers (8 bytes each)
    E  member (8 bytes), why it failed (UTF-8)

A process that is killed leaves at most one record that is cut off, the last: it is taken away when the journal is
opened again. That is why a study is written like this, and as netCDF only when it is complete: HDF5 rewrites its tables
in place, so that a process killed while it writes can leave a file that nobody can read, and Zarr would need a file for
each member.
"""

from __future__ import annotations

import json
import os
import struct
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import FileError
from .members import Layout, Outcome

HEAD = b"livens study, format 1\n"
FRAME, MEMBER, LAYOUT = struct.Struct("<II"), struct.Struct("<Q"), struct.Struct("<QI")
REST = 1.0  # seconds after which what was written is also put on disk, for the case that the power fails


class Journal:
    """An open journal: what it held in `facts` and `found`, and room for more."""

    def __init__(self, path: Path, facts: dict[str, Any]):
        """Open the journal at `path`, or begin it with `facts`."""
        self.path, self.layouts, self.synced = path, dict[Layout, int](), 0.0
        try:
            self.handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        except OSError as error:
            raise FileError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}.") from None
        try:
            self._lock()
            self.facts = self._begin(facts)
        except BaseException:
            os.close(self.handle)
            raise

    def found(self) -> Iterator[Outcome]:
        """The members that stand in the journal, in the order in which they were finished."""
        known: list[Layout] = []
        for kind, content in self._records():
            if kind == b"L":
                known.append(tuple((name, tuple(shape)) for name, shape in json.loads(content)))
                self.layouts[known[-1]] = len(known) - 1
            elif kind == b"M":
                member, number = LAYOUT.unpack_from(content)
                yield Outcome(member, known[number], content[LAYOUT.size :])
            elif kind == b"E":
                yield Outcome(MEMBER.unpack_from(content)[0], None, content[MEMBER.size :])

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Append finished members: after this a killed process does not lose them, a second later no power cut does."""
        records = b"".join(record for outcome in outcomes for record in self._of(outcome))
        self._write(records)
        if time.monotonic() - self.synced > REST:
            os.fsync(self.handle)
            self.synced = time.monotonic()

    def close(self) -> None:
        """Put all on disk and let go of the file."""
        os.fsync(self.handle)
        os.close(self.handle)

    def remove(self) -> None:
        """Delete the file: the study is complete and stands elsewhere."""
        os.close(self.handle)
        self.path.unlink(missing_ok=True)

    # ── inside ──

    def _of(self, outcome: Outcome) -> Iterator[bytes]:
        if outcome.layout is None:
            yield _framed(b"E", MEMBER.pack(outcome.member) + outcome.data)
            return
        if outcome.layout not in self.layouts:
            self.layouts[outcome.layout] = len(self.layouts)
            yield _framed(b"L", json.dumps(outcome.layout).encode())
        yield _framed(b"M", LAYOUT.pack(outcome.member, self.layouts[outcome.layout]) + outcome.data)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while len(view):
                view = view[os.write(self.handle, view) :]
        except OSError as error:
            raise FileError(
                f"{self.path} cannot be written: {(error.strerror or str(error)).lower()}. "
                "Members that are finished stand in it: make room and call again."
            ) from None

    def _begin(self, facts: dict[str, Any]) -> dict[str, Any]:
        """The facts that the file begins with: those given, if it is new. What was cut off at its end is taken away."""
        with open(self.path, "rb") as file:
            head = file.read(len(HEAD))
        if head != HEAD[: len(head)]:
            raise FileError(f"{self.path} is not the journal of a study: choose another name.")
        kind, content = next(self._records(), (b"", b""))
        if kind != b"F":  # new, or cut off before its first member
            os.ftruncate(self.handle, 0)
            self._write(HEAD + _framed(b"F", json.dumps(facts).encode()))
            return facts
        for _ in self._records():
            pass
        os.ftruncate(self.handle, self.end)
        return dict(json.loads(content))

    def _records(self) -> Iterator[tuple[bytes, bytes]]:
        """Kind and content of all records that are whole; `end` is where the last of them ends."""
        self.end = len(HEAD)
        with open(self.path, "rb") as file:
            file.seek(self.end)
            while len(frame := file.read(FRAME.size)) == FRAME.size:
                length, checksum = FRAME.unpack(frame)
                record = file.read(length)
                if not length or len(record) < length or zlib.crc32(record) != checksum:
                    return
                self.end += FRAME.size + length
                yield record[:1], record[1:]

    def _lock(self) -> None:
        """Keep other processes out; the lock ends with this process, however that ends."""
        try:
            import fcntl
        except ImportError:  # Windows
            return
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileError(f"{self.path} is in use: another process runs this study.") from None
        except OSError:  # file systems that know no locks
            return


def _framed(kind: bytes, content: bytes) -> bytes:
    record = kind + content
    return FRAME.pack(len(record), zlib.crc32(record)) + record
