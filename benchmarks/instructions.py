"""Instructions per step, counted by valgrind: reproducible, in contrast to times.

One process takes few steps, another takes more; the difference of their counts divided by the difference of their
steps excludes the start-up. valgrind does not support the newest vector instructions, so numba compiles for an older
processor, into a separate folder, before the counting begins.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any

SCRIPT = """
import sys
import livens as lv
from benchmarks import problems
model, h, steps = problems.{model}(), 1e-3, int(sys.argv[1])
lv.simulate(model, lv.Livens({order}), h=h, until=h * steps, every=steps, progress=False)
"""
CASES = {  # label: (model, order, few steps, more)
    "free body": ("free_body", 2, 1_000, 41_000),
    "double pendulum": ("double_pendulum", 2, 100, 2_100),
}
OLDER = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0"}
COUNT = re.compile(r"I\s+refs:\s+([\d,]+)")


def counted(script: str, steps: int, environment: dict[str, str], patience: float) -> int:
    """Number of instructions of a whole process."""
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--smc-check=all"]
    run = subprocess.run(
        [*valgrind, sys.executable, "-c", script, str(steps)], env=environment, capture_output=True, text=True,
        timeout=patience, check=False,
    )  # fmt: skip
    found = COUNT.search(run.stderr)
    if run.returncode or not found:
        raise RuntimeError((run.stderr.strip().splitlines() or ["no answer"])[-1])
    return int(found[1].replace(",", ""))


def instructions(patience: float = 300.0, cases: dict[str, Any] = CASES) -> dict[str, Any]:
    """Label → instructions per step, or the reason why it was skipped."""
    if shutil.which("valgrind") is None:
        return {"skipped": "valgrind is not installed"}
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | OLDER | {"NUMBA_CACHE_DIR": folder, "OMP_NUM_THREADS": "1"}
        for label, (model, order, few, more) in cases.items():
            script = SCRIPT.format(model=model, order=order)
            try:
                warm = [sys.executable, "-c", script, str(few)]
                subprocess.run(warm, env=environment, check=True, capture_output=True)
                first, second = (counted(script, steps, environment, patience) for steps in (few, more))
                found[label] = (second - first) / (more - few)
            except (RuntimeError, subprocess.SubprocessError) as error:
                found[label] = f"skipped: {str(error)[:120]}"
    return found
