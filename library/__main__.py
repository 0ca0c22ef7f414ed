"""Build the kernels as a library for this machine, where the package finds it: python -m library.

Takes three minutes of processor time and 2 GB of memory; nothing is done if the library is up to date. Needs numba and
a C compiler.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
os.environ["LIVENS_BACKEND"] = "python"  # the exercises run as plain Python
os.environ["NUMBA_OPT"] = "0"  # LLVM optimises the whole library, once
os.environ.pop("NUMBA_DISABLE_JIT", None)
sys.path.insert(0, str(ROOT / "src"))

from .facts import is_current  # noqa: E402 (after the line above)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m library", description=__doc__.splitlines()[0])
    parser.add_argument("--into", metavar="FOLDER", type=Path, default=ROOT / "src" / "livens" / "backend")
    parser.add_argument("--force", action="store_true", help="build it even if it is up to date")
    parser.add_argument(
        "--object-for",
        metavar="TRIPLE",
        nargs="+",
        default=[],
        help="write object files and table.h for other platforms",
    )
    options = parser.parse_args()
    if not (options.object_for or options.force) and is_current(options.into):
        print(f"library: {options.into} is up to date")
        return
    try:
        from .build import build, build_objects, clock  # imports numba, with the settings above
    except ImportError as error:
        raise SystemExit(f"library: {error}; pip install 'livens[jit]'") from None
    if options.object_for:
        build_objects(options.object_for, options.into, clock())
    else:
        build(options.into, clock())


if __name__ == "__main__":
    main()
