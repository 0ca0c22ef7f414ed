"""Readers against input that nobody meant: python -m benchmarks.fuzz READER [count] [seed].

Valid files are cut, spliced, nested and filled with numbers that break things (spoil.py); each result is read. All that
may come of it is a result or a LivensError of one sentence. Anything else is a failure: another exception, a process
that dies, more than SECONDS, more than MEMORY (harness.py). A failure is told by its seed and number, by which it can
be had again: input 435 of seed 3 is python -m benchmarks.fuzz READER 435..436 3.

A reader is a module with

    NEEDS                     the package without which there is nothing to read
    seeds()                   files that are valid: their names and bytes
    spoilt(random, seeds)     one that may not be
    attempt(file)             what came of reading it, in a word
"""

from __future__ import annotations

from typing import NamedTuple

READERS = ("step", "trajectories", "mjcf", "scenes", "urdf", "meshes")  # the slowest first


class Input(NamedTuple):
    """A file to be read."""

    name: str
    data: bytes
