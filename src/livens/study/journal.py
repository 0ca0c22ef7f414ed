"""The journal of a study: what is finished, on disk, whatever happens next.

A file that only grows (append_log.py), with records

    F  the facts of the study, as JSON: the first record
    L  a layout, as JSON; layouts are numbered from 0
    M  member (8 bytes), layout (4 bytes), numbers (8 bytes each)
    E  member (8 bytes), why it failed (UTF-8)

What a killed process leaves cut off at the end is taken away when the journal is opened again. As netCDF the study is
written only when it is complete; Zarr would need a file for each member.
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
from ..storage.append_log import append, framed, lock, open_to_append, records
from .members import Layout, Outcome

HEAD = b"livens study, format 1\n"
MEMBER, LAYOUT = struct.Struct("<Q"), struct.Struct("<QI")
REST = 1.0  # seconds after which what was written is also put on disk, for the case that the power fails


class Journal:
    """An open journal: what it held in `facts` and `found`, and room for more."""

    def __init__(self, path: Path, facts: dict[str, Any]):
        """Open the journal at `path`, or begin it with `facts`."""
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

    def found(self, total: int) -> Iterator[Outcome]:
        """The members of `total` that stand in the journal, in the order in which they were finished."""
        known: list[Layout] = []
        try:
            for kind, content, _ in records(self.path, HEAD):
                if kind == b"L":
                    known.append(_layout(content))
                    self.layouts[known[-1]] = len(known) - 1
                elif kind in (b"M", b"E"):
                    yield _outcome(kind, content, known, total)
        except (ValueError, TypeError, IndexError, KeyError, OverflowError, RecursionError, struct.error):
            raise FileError(f"{self.path} is damaged: delete it, and the study begins anew.") from None

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Append finished members: after this a killed process does not lose them, a second later no power cut does."""
        self._write(b"".join(record for outcome in outcomes for record in self._of(outcome)))
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
            yield framed(b"E", MEMBER.pack(outcome.member) + outcome.data)
            return
        if outcome.layout not in self.layouts:
            self.layouts[outcome.layout] = len(self.layouts)
            yield framed(b"L", json.dumps(outcome.layout).encode())
        yield framed(b"M", LAYOUT.pack(outcome.member, self.layouts[outcome.layout]) + outcome.data)

    def _write(self, data: bytes) -> None:
        try:
            append(self.handle, data)
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
        kind, content, _ = next(records(self.path, HEAD), (b"", b"", 0))
        if kind != b"F":  # new, or cut off before its first member
            os.ftruncate(self.handle, 0)
            self._write(HEAD + framed(b"F", json.dumps(facts).encode()))
            return facts
        os.ftruncate(self.handle, max(end for _, _, end in records(self.path, HEAD)))
        try:
            return dict(json.loads(content))
        except (ValueError, TypeError, RecursionError):
            raise FileError(f"{self.path} is damaged: delete it, and the study begins anew.") from None


def _layout(content: bytes) -> Layout:
    """What members keep: names, and shapes that numbers can have."""
    layout = tuple((str(name), tuple(shape)) for name, shape in json.loads(content))
    if not all(type(n) is int and 0 <= n < 2**31 for _, shape in layout for n in shape):
        raise ValueError("a shape")
    return layout


def _outcome(kind: bytes, content: bytes, known: list[Layout], total: int) -> Outcome:
    """A finished member, or one that failed."""
    if kind == b"E":
        member, layout, data = MEMBER.unpack_from(content)[0], None, content[MEMBER.size :]
        data.decode()
    else:
        member, number = LAYOUT.unpack_from(content)
        layout, data = known[number], content[LAYOUT.size :]
        if len(data) != 8 * sum(prod(shape) for _, shape in layout):
            raise ValueError("numbers")
    if member >= total:
        raise ValueError("a member")
    return Outcome(member, layout, data)
