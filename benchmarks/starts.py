"""Start-up times, and memory of long and short runs, each in a new process."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

IMPORT = "import livens"
READY = "from livens import Body, Box, Livens, Model, simulate"
STEP = """
from benchmarks import problems
import livens as lv
motion = lv.simulate(problems.{model}(), lv.Livens(), h=1e-3, until=1e-2)
"""
MEMORY = """
from benchmarks import problems
from benchmarks.starts import peak
import livens as lv
m = problems.free_body()
lv.simulate(m, lv.Livens(), h=1e-3, until=1e2, every=10**4)
before = peak()
motion = lv.simulate(m, lv.Livens(), h=1e-3, until=1e4, every=10**6)
print(motion.steps, before, peak())
"""


PEAK = """
from benchmarks import problems
from benchmarks.starts import peak
import livens as lv
import livens.run.simulate
before = peak()
lv.simulate(problems.{model}, lv.Livens(), h=1e-3, until=1e-2, every=10)
print(before, peak())
"""


@dataclass(frozen=True)
class Fresh:
    """Result of a new process: its duration in seconds, and its output."""

    seconds: float
    out: str
    err: str


def peak() -> float:
    """The peak memory of this process [MB]. On Linux, getrusage would include that of its parent."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(next(line for line in status.read_text().splitlines() if "VmHWM" in line).split()[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # macOS counts bytes


def fresh(script: str, **environment: str) -> Fresh:
    """Run `script` in a new interpreter."""
    begin = time.perf_counter()
    run = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return Fresh(time.perf_counter() - begin, run.stdout, run.stderr)


def starts(model: str = "free_body") -> list[list[object]]:
    """Rows: import, first run with the library, first run with numba, and its second process; `model` is from
    problems.py."""
    bare = min(fresh("pass").seconds for _ in range(3))
    with tempfile.TemporaryDirectory() as folder:
        first = fresh(IMPORT, PYTHONPYCACHEPREFIX=folder).seconds - bare
        ready = min(fresh(READY).seconds for _ in range(3)) - bare
    step = STEP.format(model=model)
    library = min(fresh(step, LIVENS_BACKEND="library").seconds for _ in range(3))
    with tempfile.TemporaryDirectory() as folder:
        cold = fresh(step, LIVENS_BACKEND="numba", NUMBA_CACHE_DIR=folder)
        warm = min(fresh(step, LIVENS_BACKEND="numba", NUMBA_CACHE_DIR=folder).seconds for _ in range(3))
    says = "with a message" if "compiling" in cold.err else "without a message"
    name = model.replace("_", " ")
    return [
        ["first import, nothing compiled to bytecode", f"{first:.2f} s", "< 1 s"],
        ["import of all modules of a simulation", f"{ready:.2f} s", "< 1 s"],
        [f"{name}: compiled library, from start to first steps", f"{library:.2f} s", "< 1 s"],
        [f"{name}: numba, first run, kernels not compiled", f"{cold.seconds:.1f} s, {says}", "< 30 s"],
        [f"{name}: numba, second process, from start to first steps", f"{warm:.2f} s", "< 2 s"],
    ]


def memory() -> list[list[object]]:
    """One row: growth of the peak memory from 10⁵ to 10⁷ steps of one body."""
    steps, before, after = map(float, fresh(MEMORY).out.split())
    label = f"peak memory of {steps:,.0f} steps, after {steps // 100:,.0f}"
    return [[label, f"{after:.1f} MB, before {before:.1f} MB", "+ 1 MB"]]


def storage(models: tuple[str, ...] = ("free_body()", "chain(1000)")) -> list[list[object]]:
    """Rows: the peak memory of a process that simulates a model, and that of the import alone."""
    rows: list[list[object]] = []
    for model in models:
        before, after = map(float, fresh(PEAK.format(model=model)).out.split())
        name = model.replace("_", " ").replace("()", "")
        rows.append([f"peak memory of a process, {name}", f"{after:.0f} MB, imports {before:.0f} MB", ""])
    return rows
