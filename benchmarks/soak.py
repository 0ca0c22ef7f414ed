"""All that is tried in great numbers, in one table: make soak, or make soak SIZE=small; python -m benchmarks.soak SIZE.

Files that nobody here wrote are imported, spoilt files are read, random models are run, running processes are killed.
A part is a function soak(count, seed, report) that tries so many and gives how many it tried and what failed, in words.
As many parts as there are cores go on at once, each in a process of its own, and those that take longest begin first.
Zero failures are expected; else the exit code is 1.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from livens.study.executors import cores

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
PARTS = (
    *(Part(f"{reader} fuzzed", partial(of_reader, reader), FUZZED) for reader in READERS),
    Part("kills survived", partial(of_module, "kills"), {"small": 2, "full": 500}),
    Part("random models run", partial(of_module, "random_models"), {"small": 5, "full": 1000}),
    Part("robots of other packages imported", partial(of_module, "imports"), {"small": 3, "full": 10_000}),
)


def told(text: str) -> None:
    """A line for whoever waits."""
    print(text, file=sys.stderr, flush=True)


def timed(part: Part, size: str, seed: int) -> tuple[Any, float]:
    """What came of a part, and the seconds it took; a part that breaks off has failed."""
    begin = time.perf_counter()
    try:
        done = part.soak(part.sizes[size], seed, told)
    except Exception as error:
        traceback.print_exc()
        done = Count(failed=[repr(error)], remark=f"broke off: {error!r}")
    spent = time.perf_counter() - begin
    told(f"{part.name}: {done.tried:,} tried, {len(done.failed)} failures, {spent:.0f} s")
    return done, spent


def soak(size: str, seed: int = 1, parts: tuple[Part, ...] = PARTS) -> tuple[str, int]:
    """Try all parts; gives the table and the number of failures."""
    with ProcessPoolExecutor(cores(), mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(partial(timed, size=size, seed=seed), parts))
    rows = [
        [part.name, f"{done.tried:,}", str(len(done.failed)), f"{spent:.0f} s", getattr(done, "remark", "")]
        for part, (done, spent) in zip(parts, found, strict=True)
    ]
    failures = sum(len(done.failed) for done, _ in found)
    return markdown(["what", "tried", "failures", "time", ""], rows), failures


def main() -> int:
    size = (sys.argv[1:] or ["full"])[0]
    if size not in FUZZED:
        print(f"the size is one of {', '.join(FUZZED)}, not {size}", file=sys.stderr)
        return 2
    table, failures = soak(size)
    print(table)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
