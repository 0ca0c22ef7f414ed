"""The source files of the kernels, and their hash: the name of a compilation."""

from __future__ import annotations

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
COMPILED_CODE = ("kernels/**/*.py", "step/**/*.py", "look/render/raster.py")  # all files with compiled functions
COMPILER = "backend/numba_jit.py"  # its options decide what the compiled code does


def compiled_files() -> list[Path]:
    """All files on which compiled code depends."""
    kernels = [path for pattern in COMPILED_CODE for path in sorted(PACKAGE.glob(pattern))]
    return [PACKAGE / COMPILER, *kernels]


def digest() -> str:
    """The hash of these files: any edit changes it."""
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in compiled_files())).hexdigest()[:16]
