"""Benchmarks of livens: speed, scaling, and comparison with other programs.

  python -m benchmarks                          all parts, in full size, into benchmark-output/
  python -m benchmarks --size small             the same in one to two minutes
  python -m benchmarks peers --only chain-5     one problem, all programs
  python -m benchmarks report                   tables and figures again, from stored measurements
  python -m benchmarks docs                     docs/benchmarks.md and its figures, from stored measurements
  python -m benchmarks docs derivatives         one section of docs/benchmarks.md (speeds, derivatives or starts)

Parts: speeds (time per step), peers (time to accuracy, with other programs), growth (cost over the number of bodies),
derivatives (of a step, and dynamics in joint coordinates, with other programs), starts (start-up time with and without
compiled kernels, memory), instructions (per step, by valgrind). The result of each part is stored in the output folder
immediately. An interrupted run is continued if no source file has changed, unless --again is given.
Other modules: python -m benchmarks.check (regression check), .references, .compositions (choice of weights), .periods,
.cloth.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .contest import ONE_THREAD, bounded, contest
from .sizes import SIZES, Size
from .tasks import tasks

PARTS = ("peers", "growth", "speeds", "derivatives", "starts", "instructions")
SECONDS = {  # in full size, for the estimate
    "growth": 60.0, "speeds": 120.0, "derivatives": 10.0, "starts": 120.0, "instructions": 150.0,
}  # fmt: skip
PEER = 45.0  # seconds of one problem in full size
SHARE = {"tiny": 0.05, "small": 0.35, "full": 1.0}
ROOT = Path(__file__).parents[1]


def speeds(size: Size) -> list[list[object]]:
    """Rows of the table of speeds; the smaller sizes contain only rigid bodies."""
    from . import cloth
    from .lagrangians import lagrangians
    from .speeds import SPEEDS, scalings
    from .speeds import speeds as rigid
    from .written import written

    if size.name != "full":
        return rigid(SPEEDS[:1] if size.name == "tiny" else SPEEDS[:6])
    return [*rigid(), *scalings(), *written(), *lagrangians(), *cloth.rows()]


def derivatives(size: Size) -> list[list[object]]:
    """Rows of the table of derivatives."""
    from .derivatives import derivatives

    return derivatives(small=size.name != "full")


def starts(size: Size) -> list[list[object]]:
    """Rows: start-up times and memory."""
    from .starts import memory, starts, storage

    if size.name == "tiny":
        return storage()
    return [*memory(), *storage(), *starts(), *(starts("double_pendulum")[-2:] if size.name == "full" else [])]


def growth(size: Size) -> dict[str, Any]:
    from .growth import growth

    with bounded():
        return growth(size)


def instructions(size: Size) -> dict[str, Any]:
    from .instructions import instructions

    return instructions() if size.name == "full" else {"skipped": "only in full size: valgrind takes minutes"}


def surroundings() -> dict[str, Any]:
    """Date, versions, and a general description of the machine."""
    import numba
    import numpy as np

    import livens as lv

    clock = "clock unknown"
    if Path("/proc/cpuinfo").exists():
        found = [line.split(":")[1] for line in Path("/proc/cpuinfo").read_text().splitlines() if "cpu MHz" in line]
        clock = f"{round(float(found[0]) / 500) / 2:g} GHz class" if found else clock
    return {
        "date": datetime.date.today().isoformat(),
        "versions": f"livens {lv.__version__}, Python {platform.python_version()}, numpy {np.__version__}, "
        f"numba {numba.__version__}",
        "machine": {"cores": os.cpu_count(), "architecture": platform.machine().replace("_", "-"), "clock": clock},
    }


def sources() -> str:
    """A hash of all sources of the package and of the benchmarks."""
    files = sorted(path for folder in ("src", "benchmarks") for path in (ROOT / folder).rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


def measure(parts: list[str], size: Size, folder: Path, only: list[str], again: bool = False) -> None:
    """Measure every item of the parts and print a line for each; continue an interrupted run of the same sources."""
    kept = folder / size.name
    kept.mkdir(parents=True, exist_ok=True)
    keys = only or list(size.tasks) or [task.key for task in tasks()]
    underway, now = kept / "underway", f"{sources()} {parts} {keys}"
    resumes = underway.exists() and underway.read_text() == now and not again
    underway.write_text(now)
    items: list[tuple[str, float, Callable[[], Any]]] = []
    for part in parts:
        if part == "peers":
            items += [(f"peers/{key}", PEER, lambda key=key: contest(key, size, kept)) for key in keys]
        else:
            items.append((part, SECONDS[part], lambda part=part: globals()[part](size)))
    for name, _, _ in items if not resumes else ():
        _file(kept, name).unlink(missing_ok=True)
    left, done, begin = sum(weight for _, weight, _ in items) * SHARE[size.name], 0.0, time.perf_counter()
    for n, (name, weight, run) in enumerate(items, 1):
        pace = max(1.0, (time.perf_counter() - begin) / done) if done else 1.0
        print(f"[{n}/{len(items)}] {name} … about {left * pace:.0f} s left", flush=True)
        path = _file(kept, name)
        if not path.exists() or not json.loads(path.read_text()).get("complete", True):
            found = run()
            path.write_text(json.dumps(found if name.startswith("peers/") else {"result": found}, indent=1))
        left, done = left - weight * SHARE[size.name], done + weight * SHARE[size.name]
    underway.unlink()


def _file(kept: Path, item: str) -> Path:
    return kept / f"{item.removeprefix('peers/')}.json"


def collect(size: Size, folder: Path) -> dict[str, Any]:
    """All stored measurements as one dictionary."""
    kept = folder / size.name
    found: dict[str, Any] = surroundings() | {"size": size.name, "peers": []}
    for task in tasks():
        if (path := kept / f"{task.key}.json").exists():
            found["peers"].append(json.loads(path.read_text()))
    for part in PARTS[1:]:
        if (path := kept / f"{part}.json").exists():
            found[part] = json.loads(path.read_text())["result"]
    programs = {k: v for problem in found["peers"] for k, v in problem.get("programs", {}).items() if k != "livens"}
    found["versions"] += "".join(f", {name} {version}" for name, version in programs.items())
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words = [*PARTS, "report", "docs"]
    parser.add_argument("parts", nargs="*", metavar="part", choices=[*words, []], help=", ".join(words))
    parser.add_argument("--size", choices=list(SIZES), default="full")
    parser.add_argument("--output", type=Path, default=Path("benchmark-output"), help="folder (benchmark-output)")
    parser.add_argument("--only", nargs="+", default=[], metavar="KEY", choices=[t.key for t in tasks()],
                        help=f"problems of the comparison: {', '.join(t.key for t in tasks())}")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="start again instead of continuing an interrupted run")
    options = parser.parse_args(arguments)
    os.environ.update(ONE_THREAD)
    size, folder = SIZES[options.size], options.output
    from . import report

    if "docs" not in options.parts:
        if options.parts != ["report"]:
            parts = [part for part in PARTS if part in options.parts] or list(PARTS)
            measure(parts, size, folder, options.only, options.again)
        found = collect(size, folder)
        (folder / "benchmarks.json").write_text(json.dumps(found, indent=1) + "\n")
        report.write(found, folder / "benchmarks.md", folder / "figures")
        print(f"written: {folder}/benchmarks.json, benchmarks.md, figures/")
    else:
        found = json.loads((folder / "benchmarks.json").read_text())
        sections = [part for part in report.TABLES if part in options.parts]
        for part in sections:
            report.replace_section(found, part, ROOT / "docs" / "benchmarks.md")
        if sections:
            print(f"written: docs/benchmarks.md ({', '.join(sections)})")
            return 0
        report.write(found, ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "figures" / "benchmarks")
        print("written: docs/benchmarks.md, docs/figures/benchmarks/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
