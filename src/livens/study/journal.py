"""The journal of a study: the finished members, on disk.

An append-only log (append_log.py) with the records

    F  the facts of the study, as JSON: the first record
    L  a layout, as JSON; layouts are numbered from 0
    M  member (8 bytes), layout (4 bytes), numbers (8 bytes each)
    E  member (8 bytes), why it failed (UTF-8)

A record that a killed process left truncated at the end is removed when the journal is opened again. The netCDF file is
written when the study is complete; Zarr would need a file for each member.
"""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Iterable, Iterator
from math import prod
from pathlib import Path
from typing import Any

from ..errors import FileError
from ..storage.append_log import append, lock, open_to_append, pack_record, records
from .members import Layout, Outcome

HEAD = b"livens study, format 1\n"
MEMBER, LAYOUT = struct.Struct("<Q"), struct.Struct("<QI")
SYNC_SECONDS = 1.0  # interval between synchronisations to disk, against loss of power


class Journal:
    """An open journal: its `facts`, the finished members (`outcomes`), and a handle to append more."""

    def __init__(self, path: Path, facts: dict[str, Any]):
        """Open the journal at `path`, or create it with `facts`."""
        self.path, self.layouts, self.synced = path, dict[Layout, int](), 0.0
        try:
            self.handle = open_to_append(path)
        except OSError as error:
            raise FileError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}.") from None
        try:
            lock(self.handle, f"{path} is in use: another process runs this study.")
            self.facts = self._begin(facts)
        except BaseException:
            os.close(self.handle)
            raise

    def outcomes(self, total: int) -> Iterator[Outcome]:
        """The finished members of `total`, in the order in which they were finished."""
        known: list[Layout] = []
        try:
            for kind, content, _ in records(self.path, HEAD):
                if kind == b"L":
                    known.append(_layout(content))
                    self.layouts[known[-1]] = len(known) - 1
                elif kind in (b"M", b"E"):
                    yield _outcome(kind, content, known, total)
        except (ValueError, TypeError, IndexError, KeyError, OverflowError, RecursionError, struct.error):
            raise FileError(f"{self.path} is damaged: delete it to start the study again.") from None

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Append finished members: a killed process does not lose them, nor a power failure one second later."""
        self._write(b"".join(record for outcome in outcomes for record in self._records(outcome)))
        if time.monotonic() - self.synced > SYNC_SECONDS:
            os.fsync(self.handle)
            self.synced = time.monotonic()

    def close(self) -> None:
        """Synchronise to disk and close the file."""
        os.fsync(self.handle)
        os.close(self.handle)

    def remove(self) -> None:
        """Delete the file: the study is complete and saved as netCDF."""
        os.close(self.handle)
        self.path.unlink(missing_ok=True)

    # ── helpers ──

    def _records(self, outcome: Outcome) -> Iterator[bytes]:
        if outcome.layout is None:
            yield pack_record(b"E", MEMBER.pack(outcome.member) + outcome.data)
            return
        if outcome.layout not in self.layouts:
            self.layouts[outcome.layout] = len(self.layouts)
            yield pack_record(b"L", json.dumps(outcome.layout).encode())
        yield pack_record(b"M", LAYOUT.pack(outcome.member, self.layouts[outcome.layout]) + outcome.data)

    def _write(self, data: bytes) -> None:
        try:
            append(self.handle, data)
        except OSError as error:
            raise FileError(
                f"{self.path} cannot be written: {(error.strerror or str(error)).lower()}. "
                "It contains the finished members: free some disk space and call again."
            ) from None

    def _begin(self, facts: dict[str, Any]) -> dict[str, Any]:
        """The facts at the start of the file; a new file gets those given. A truncated last record is removed."""
        with open(self.path, "rb") as file:
            head = file.read(len(HEAD))
        if head != HEAD[: len(head)]:
            raise FileError(f"{self.path} is not the journal of a study: choose another name.")
        kind, content, _ = next(records(self.path, HEAD), (b"", b"", 0))
        if kind != b"F":  # new, or truncated before its first member
            os.ftruncate(self.handle, 0)
            self._write(HEAD + pack_record(b"F", json.dumps(facts).encode()))
            return facts
        os.ftruncate(self.handle, max(end for _, _, end in records(self.path, HEAD)))
        try:
            return dict(json.loads(content))
        except (ValueError, TypeError, RecursionError):
            raise FileError(f"{self.path} is damaged: delete it to start the study again.") from None


def _layout(content: bytes) -> Layout:
    """The layout in a record: names and shapes, checked."""
    layout = tuple((str(name), tuple(shape)) for name, shape in json.loads(content))
    if not all(type(n) is int and 0 <= n < 2**31 for _, shape in layout for n in shape):
        raise ValueError("a shape is not possible")
    return layout


def _outcome(kind: bytes, content: bytes, known: list[Layout], total: int) -> Outcome:
    """The outcome in a record, checked."""
    if kind == b"E":
        member, layout, data = MEMBER.unpack_from(content)[0], None, content[MEMBER.size :]
        data.decode()
    else:
        member, number = LAYOUT.unpack_from(content)
        layout, data = known[number], content[LAYOUT.size :]
        if len(data) != 8 * sum(prod(shape) for _, shape in layout):
            raise ValueError("the number of values is wrong")
    if member >= total:
        raise ValueError("the member does not exist")
    return Outcome(member, layout, data)
