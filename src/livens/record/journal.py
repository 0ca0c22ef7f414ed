"""The journal of a run, out.nc.journal beside out.nc: the checkpoints from which a killed run is resumed.

An append-only log (append_log.py) with the records

    F  facts, as JSON: scheme, step, interval, time at the start, fields of the state, the model, its principal axes
    S  states: number of the first (8 bytes), then field after field, 8 bytes a number
    I  impacts since the last checkpoint, 15 numbers of 8 bytes each (kernels/contact/arrays.py)
    N  now: steps taken, steps planned, computing time, tally (8 bytes each), then the state, field after field

N closes a checkpoint: bytes after the last N are ignored. A checkpoint appends the states since the one before and the
present state, so its cost does not grow with the length of the run. netCDF is written once, at the end of the run. The
first checkpoint creates the file atomically; numbers are little-endian.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..checks import Array
from ..compile.states import selected
from ..errors import FileError
from ..kernels.arrays import State
from ..kernels.contact.arrays import LOG_WIDTH
from ..storage.append_log import append, lock, open_to_append, pack_record, records
from ..storage.atomic import replacing

HEAD = b"livens run, format 1\n"
FIRST, NOW = struct.Struct("<Q"), struct.Struct("<QQdQQ")
NO_IMPACTS = np.zeros((0, LOG_WIDTH))
PIECE = 2**26  # a record holds about so many bytes of states


def journal_of(path: str | os.PathLike[str]) -> Path:
    """The journal of a run whose motion will be saved at `path`."""
    return Path(f"{os.fspath(path)}.journal")


class RunJournal:
    """A journal that this process appends to; it holds `slots` states."""

    def __init__(self, path: Path, slots: int, end: int, impacts: int = 0):
        """Continue the journal at `path`, of which `end` bytes are valid; it holds that many impacts."""
        self.path, self.slots, self.end, self.impacts = path, slots, end, impacts
        try:
            self.handle = open_to_append(path)
        except OSError as error:
            raise self._refused(error) from None
        try:
            lock(self.handle, f"{path} is in use: another process runs it.")
            os.ftruncate(self.handle, end)
        except BaseException:
            os.close(self.handle)
            raise

    @classmethod
    def begin(
        cls,
        path: Path,
        facts: dict[str, Any],
        record: State,
        kept: int,
        now: tuple[Any, ...],
        state: State,
        impacts: Array = NO_IMPACTS,
    ) -> Self:
        """Create the journal with its first checkpoint."""
        data = json.dumps(facts, allow_nan=False, ensure_ascii=False).encode()
        with replacing(path, "journal") as temporary, open(temporary, "wb") as file:
            file.write(HEAD + pack_record(b"F", data))
            for piece in _checkpoint(record, 0, kept, now, state, impacts):
                file.write(piece)
            end = file.tell()
        return cls(path, kept, end, len(impacts))

    def add(self, record: State, kept: int, now: tuple[Any, ...], state: State, impacts: Array = NO_IMPACTS) -> None:
        """Append a checkpoint: the states from where the last one ended to number `kept`, and the state now."""
        written = 0
        try:
            if not os.path.samestat(os.stat(self.path), os.fstat(self.handle)):
                raise FileError(f"{self.path} has been replaced by another process.")
            for piece in _checkpoint(record, self.slots, kept, now, state, impacts[self.impacts :]):
                append(self.handle, piece)
                written += len(piece)
            os.fsync(self.handle)
        except OSError as error:
            with suppress(OSError):  # readers ignore bytes after the last checkpoint
                os.ftruncate(self.handle, self.end)
            raise error if isinstance(error, FileError) else self._refused(error) from None
        self.slots, self.end, self.impacts = kept, self.end + written, len(impacts)

    def close(self) -> None:
        """Close the file."""
        os.close(self.handle)

    def _refused(self, error: OSError) -> FileError:
        if isinstance(error, FileNotFoundError):
            return FileError(f"{self.path} cannot be written: it has vanished, or its folder has.")
        return FileError(f"{self.path} cannot be written: {(error.strerror or str(error)).lower()}.")


def _checkpoint(
    record: State, first: int, kept: int, now: tuple[Any, ...], state: State, impacts: Array
) -> Iterator[bytes]:
    size = max(1, PIECE // max(1, sum(x.nbytes for x in state)))
    for k in range(first, kept, size):
        part = selected(record, slice(k, min(kept, k + size)))
        yield pack_record(b"S", FIRST.pack(k) + _bytes(part))
    if len(impacts):
        yield pack_record(b"I", np.ascontiguousarray(impacts, dtype="<f8").tobytes())
    yield pack_record(b"N", NOW.pack(*now) + _bytes(state))


def _bytes(state: State) -> bytes:
    return b"".join(np.ascontiguousarray(x, dtype="<f8").tobytes() for x in state)


# ── reading ──


class Found:
    """The contents of a journal: facts, the stored states, and the last state."""

    def __init__(self, path: Path):
        self.facts: dict[str, Any] = {}
        pieces: list[dict[str, Array]] = []
        struck: list[Array] = []
        counted = slots = hits = 0
        last = b""
        for kind, content, end in records(path, HEAD):
            if not self.facts:
                if kind != b"F":
                    raise ValueError("it does not begin with its facts")
                self.facts = json.loads(content)
                self.shapes = [(str(name), tuple(map(int, shape))) for name, shape in self.facts["fields"]]
                self.width = sum(int(np.prod(shape, dtype=object)) for _, shape in self.shapes)
            elif kind == b"S":
                states, rest = divmod(len(content) - FIRST.size, 8 * self.width)
                if rest or FIRST.unpack_from(content)[0] != slots:
                    raise ValueError("its states do not follow each other")
                pieces.append(self._fields(content, FIRST.size))
                slots += states
            elif kind == b"I":
                struck.append(np.frombuffer(content, dtype="<f8").reshape(-1, LOG_WIDTH))
            elif kind == b"N":
                last, self.slots, self.end, counted, hits = content, slots, end, len(pieces), len(struck)
        if not last or len(last) != NOW.size + 8 * self.width:
            raise ValueError("it holds no checkpoint")
        self.steps, self.wanted, self.seconds, *self.tally = NOW.unpack_from(last)
        every = int(self.facts["every"])
        if every < 1 or self.slots != self.steps // every + 1 or self.wanted < self.steps:
            raise ValueError("its counts contradict each other")
        self.numbers = np.arange(0, self.steps + 1, every, dtype=np.float64)
        groups = pieces[:counted]
        if self.steps % every:
            self.numbers = np.append(self.numbers, float(self.steps))
            groups.append(self._fields(last, NOW.size))
        self.impacts = np.concatenate([np.zeros((0, LOG_WIDTH)), *struck[:hits]])
        self.arrays = {
            name: np.concatenate([group[name] for group in groups], dtype=np.float64) for name, _ in self.shapes
        }

    def _fields(self, content: bytes, begin: int) -> dict[str, Array]:
        """The fields of the states in a record from byte `begin`."""
        numbers = np.frombuffer(content, dtype="<f8", offset=begin)
        states, begin, fields = len(numbers) // self.width, 0, {}
        for name, shape in self.shapes:
            size = states * int(np.prod(shape, dtype=object))
            fields[name] = numbers[begin : begin + size].reshape(states, *shape)
            begin += size
        return fields
