"""All that is tried in great numbers, in one table: make soak, or make soak SIZE=small; python -m benchmarks.soak SIZE.

Files that nobody here wrote are imported, spoilt files are read, random models are run, running processes are killed.
A part is a function soak(count, seed, report) that tries so many and gives how many it tried and what failed, in words.
Zero failures are expected; else the exit code is 1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from .counts import Count
from .fuzz import READERS
from .fuzz.harness import fuzz, missing
from .table import markdown


class Part(NamedTuple):
    """One line of the table: a name, what does it, and how many by the size."""

    name: str
    soak: Callable[[int, int, Callable[[str], None]], Any]
    sizes: dict[str, int]


def of_module(name: str, count: int, seed: int, report: Callable[[str], None]) -> Any:
    """What a module of this package counts, where it finds what it needs."""
    try:
        module = import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        return Count(remark=f"{error.name} is not installed")
    return module.soak(count, seed=seed, report=report)


def of_reader(reader: str, count: int, seed: int, report: Callable[[str], None]) -> Any:
    """What spoilt files did to a reader."""
    if sys.platform != "linux":
        return Count(remark="memory is bounded and measured on Linux only")
    if lacking := missing(reader):
        return Count(remark=f"{lacking} is not installed")
    done = fuzz(reader, count, seed, report=report)
    words = ", ".join(f"{n:,} {word}" for word, n in done.found.most_common())
    return Count(done.tried, done.failed, f"{words}; slowest {done.slowest:.1f} s, {done.memory:.0f} MB at most")


FUZZED = {"small": 100, "full": 100_000}
SLOW = {"small": 20, "full": 10_000}  # the geometry kernel takes a hundred times as long
PARTS = (
    Part("robots of other packages imported", partial(of_module, "imports"), {"small": 3, "full": 10_000}),
    *(Part(f"{reader} fuzzed", partial(of_reader, reader), SLOW if reader == "step" else FUZZED) for reader in READERS),
    Part("random models run", partial(of_module, "random_models"), {"small": 5, "full": 1000}),
    Part("kills survived", partial(of_module, "kills"), {"small": 2, "full": 1000}),
)


def soak(
    size: str, seed: int = 1, parts: tuple[Part, ...] = PARTS, report: Callable[[str], None] = print
) -> tuple[str, int]:
    """Try all parts; gives the table and the number of failures."""
    rows, failures = [], 0
    for part in parts:
        begin = time.perf_counter()
        done = part.soak(part.sizes[size], seed, report)
        spent = time.perf_counter() - begin
        failures += len(done.failed)
        remark = getattr(done, "remark", "")
        rows.append([part.name, f"{done.tried:,}", str(len(done.failed)), f"{spent:.0f} s", remark])
        report(f"{part.name}: {done.tried:,} tried, {len(done.failed)} failures, {spent:.0f} s {remark}")
    return markdown(["what", "tried", "failures", "time", ""], rows), failures


def main() -> int:
    size = (sys.argv[1:] or ["full"])[0]
    if size not in FUZZED:
        print(f"the size is one of {', '.join(FUZZED)}, not {size}", file=sys.stderr)
        return 2
    table, failures = soak(size, report=partial(print, file=sys.stderr, flush=True))
    print(table)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
