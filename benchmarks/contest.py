"""One problem in a separate process, with one thread for each program: `python -m benchmarks.contest KEY SIZE FILE`.

A separate process for each problem isolates crashes and hangs of one program. `contest` starts it, waits up to the time
limit of the size, and reads its file, which contains every curve as soon as it is measured.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import peers
from .sizes import SIZES, Size
from .tasks import find
from .time_to_accuracy import race

LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS")
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in LIBRARIES}
MEMORY = 8 * 2**30  # [bytes] of address space
ALONE = 1.1  # ratio of processor time to wall time above which more than one thread was running


@contextmanager
def bounded() -> Iterator[None]:
    """Limit the memory to MEMORY inside the context: a larger allocation fails."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def contest(key: str, size: Size, folder: Path) -> dict[str, Any]:
    """The curves of one problem and the reasons for skipped programs; read from its file if that exists."""
    path = folder / f"{key}.json"
    if path.exists() and (known := json.loads(path.read_text())).get("complete"):
        return known
    path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "benchmarks.contest", key, size.name, str(path)]
    try:
        child = subprocess.run(
            command, env=os.environ | ONE_THREAD, cwd=Path(__file__).parents[1], timeout=size.patience,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        ended = "" if child.returncode == 0 else f"terminated: {(child.stderr.strip().splitlines() or ['?'])[-1]}"
    except subprocess.TimeoutExpired:
        ended = f"stopped after {size.patience:g} s"
    found = json.loads(path.read_text()) if path.exists() else {"key": key, "curves": [], "skipped": {}}
    return found | {"complete": not ended, "ended": ended}


def measure(key: str, size: Size, keep: Callable[[dict[str, Any]], None]) -> None:
    """Run all programs on one problem; call `keep` after each new result."""
    from . import ours

    task = find(key)
    found: dict[str, Any] = {
        "key": key, "title": task.title, "until": task.until, "general": not hasattr(task, "mechanism"),
        "programs": {}, "skipped": {}, "curves": [],
    }  # fmt: skip
    entries = []
    for name in ("", *peers.PEERS):
        adapter, why = (ours, "") if not name else peers.load(name)
        if adapter is None:
            found["skipped"][name] = why
            continue
        offered = list(adapter.entries(task))
        if offered:
            found["programs"][adapter.NAME] = adapter.version()
        entries += offered

    begin, used = time.perf_counter(), time.process_time()
    for curves in race(task, entries, size.effort_of(key)):
        found["curves"] = [asdict(curve) for curve in curves]
        keep(found)
    wall, processor = time.perf_counter() - begin, time.process_time() - used
    found["threads"], found["seconds"] = processor / wall, wall
    if found["threads"] > ALONE:
        found["skipped"]["one thread"] = f"{found['threads']:.2f} processors were in use instead of one"
    keep(found | {"complete": True})


def main(key: str, size: str, path: str) -> None:
    def keep(found: dict[str, Any]) -> None:
        temporary = Path(path).with_suffix(".part")
        temporary.write_text(json.dumps(found, indent=1))
        temporary.replace(path)

    with bounded():
        measure(key, SIZES[size], keep)


if __name__ == "__main__":
    main(*sys.argv[1:4])
