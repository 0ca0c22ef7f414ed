"""Fuzzing of the readers: python -m benchmarks.fuzz READER [count] [seed].

Valid files are truncated, spliced, nested and filled with extreme numbers (spoil.py); each is read. Reading must give
a result or a LivensError of one sentence. Anything else is a failure: another exception, a crash of the process,
more than SECONDS, more than MEMORY (harness.py). A failure is identified by its seed and number, which reproduce it:
input 435 of seed 3 is python -m benchmarks.fuzz READER 435..436 3.

A reader is a module with

    NEEDS                     the package that the reader requires
    seeds()                   valid files: their names and bytes
    spoilt(random, seeds)     a damaged file
    attempt(file)             read it and describe the result in one word
"""

from __future__ import annotations

from typing import NamedTuple

READERS = ("step", "trajectories", "mjcf", "scenes", "urdf", "meshes")  # slowest first


class Input(NamedTuple):
    """Name and content of a file."""

    name: str
    data: bytes
