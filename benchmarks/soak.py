"""The endurance tests in one table: make soak, or make soak SIZE=small; python -m benchmarks.soak SIZE.

They import files of other projects, read damaged files, run random models and kill running processes. A part is a
function soak(count, seed, report) that makes `count` attempts and returns their number and descriptions of failures.
As many parts as there are cores run in parallel, each in a separate process, the longest first. Zero failures are
expected; otherwise the exit code is 1.
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
    """One line of the table: a name, a function, and the number of attempts for each size."""

    name: str
    soak: Callable[[int, int, Callable[[str], None]], Any]
    sizes: dict[str, int]


def of_module(name: str, count: int, seed: int, report: Callable[[str], None]) -> Any:
    """The result of a module of this package, or a remark if a dependency is missing."""
    try:
        module = import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        return Count(remark=f"{error.name} is not installed")
    return module.soak(count, seed=seed, report=report)


def of_reader(reader: str, count: int, seed: int, report: Callable[[str], None]) -> Any:
    """The result of fuzzing a reader."""
    if sys.platform != "linux":
        return Count(remark="memory is limited and measured on Linux only")
    if lacking := missing(reader):
        return Count(remark=f"{lacking} is not installed")
    done = fuzz(reader, count, seed, report=report)
    words = ", ".join(f"{n:,} {word}" for word, n in done.found.most_common())
    return Count(done.tried, done.failed, f"{words}; slowest {done.slowest:.1f} s, at most {done.memory:.0f} MB")


FUZZED = {"small": 100, "full": 100_000}
PARTS = (
    *(Part(f"{reader} fuzzed", partial(of_reader, reader), FUZZED) for reader in READERS),
    Part("killed runs resumed", partial(of_module, "killed_runs"), {"small": 2, "full": 500}),
    Part("random linkages counted", partial(of_module, "linkages"), {"small": 20, "full": 2000}),
    Part("models changed after a run", partial(of_module, "mutations"), {"small": 5, "full": 1000}),
    Part("random prescribed motions", partial(of_module, "prescribed"), {"small": 20, "full": 2000}),
    Part("reactions of random linkages", partial(of_module, "linkage_reactions"), {"small": 10, "full": 2000}),
    Part("random piles", partial(of_module, "piles"), {"small": 3, "full": 200}),
    Part("random models run", partial(of_module, "random_models"), {"small": 5, "full": 1000}),
    Part("random models in other units", partial(of_module, "units"), {"small": 3, "full": 1000}),
    Part("runs ended early, and resumed", partial(of_module, "stopped"), {"small": 5, "full": 1000}),
    Part("robots of other packages imported", partial(of_module, "imports"), {"small": 3, "full": 10_000}),
)


def told(text: str) -> None:
    """Print a line of progress."""
    print(text, file=sys.stderr, flush=True)


def timed(part: Part, size: str, seed: int) -> tuple[Any, float]:
    """The result of a part and its duration in seconds; an exception counts as a failure."""
    begin = time.perf_counter()
    try:
        done = part.soak(part.sizes[size], seed, told)
    except Exception as error:
        traceback.print_exc()
        done = Count(failed=[repr(error)], remark=f"stopped by {error!r}")
    spent = time.perf_counter() - begin
    told(f"{part.name}: {done.tried:,} tried, {len(done.failed)} failures, {spent:.0f} s")
    return done, spent


def soak(size: str, seed: int = 1, parts: tuple[Part, ...] = PARTS) -> tuple[str, int]:
    """Run all parts; return the table and the number of failures."""
    with ProcessPoolExecutor(cores(), mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(partial(timed, size=size, seed=seed), parts))
    rows = [
        [part.name, f"{done.tried:,}", str(len(done.failed)), f"{spent:.0f} s", getattr(done, "remark", "")]
        for part, (done, spent) in zip(parts, found, strict=True)
    ]
    failures = sum(len(done.failed) for done, _ in found)
    return markdown(["test", "tried", "failures", "time", ""], rows), failures


def main() -> int:
    size = (sys.argv[1:] or ["full"])[0]
    if size not in FUZZED:
        print(f"The size must be one of {', '.join(FUZZED)}, not {size}.", file=sys.stderr)
        return 2
    table, failures = soak(size)
    print(table)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
