"""Coverage-guided fuzzing, in its small size."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("reader", ["scenes", "urdf"])
def test_coverage_guided_inputs_cause_no_failure(reader, tmp_path):
    pytest.importorskip("atheris", reason="no atheris: it installs on Linux, for some versions of Python")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.fuzz.guided", reader, "300"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Done 300 runs" in done.stderr
    assert not list(tmp_path.glob("crash-*"))
