"""Copies of the package that a test may damage, and Python processes that use them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import livens

PACKAGE = Path(livens.__file__).parent


def copied(folder):
    """A copy of the package in `folder`, with its library: the path of the copy."""
    return Path(shutil.copytree(PACKAGE, folder / "livens", ignore=shutil.ignore_patterns("__pycache__")))


def python(folder, code, **environment):
    """stdout and stderr of a process that imports livens from `folder`."""
    mine = {k: v for k, v in os.environ.items() if k not in ("LIVENS_BACKEND", "NUMBA_DISABLE_JIT")}
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=mine | {"PYTHONPATH": str(folder)} | environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip(), run.stderr.strip()


NO_NUMBA = "import sys; sys.modules['numba'] = None\n"  # an import of numba fails
BACKEND = "from livens import _jit; print(_jit.BACKEND); print(_jit.REASON)"
