"""The wheel contains the compiled library (library/), for the platform on which it is built.

LIVENS_LIBRARY=1: the build fails if the library cannot be built. 0: the wheel has none, and suits all platforms. Not
set: if the library cannot be built, for example without a C compiler, the wheel has none, and a warning says so.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
FOLDER = ROOT / "src" / "livens" / "backend"
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from library.facts import is_current, wheel_tag  # noqa: E402 (found by the line above)
from livens.backend.library import FACTS, FILE  # noqa: E402

WANTED = os.environ.get("LIVENS_LIBRARY", "")


class LibraryHook(BuildHookInterface[Any]):
    """Builds the library if it is not up to date, and adds it to the wheel. Editable installations find it in src/."""

    def dependencies(self) -> list[str]:
        if self.target_name != "wheel" or WANTED == "0" or is_current(FOLDER):
            return []
        return ["numba>=0.61; python_version < '3.15'", "scipy>=1.13", "casadi>=3.6"]  # two for the exercises

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable" or WANTED == "0":
            return
        if not is_current(FOLDER):
            run = subprocess.run([sys.executable, "-m", "library"], cwd=ROOT)
            if run.returncode:
                if WANTED == "1":
                    raise SystemExit("The compiled library could not be built, and LIVENS_LIBRARY=1 demands it.")
                self.app.display_warning(
                    "The compiled library could not be built. livens runs without it: compiled by numba at the first "
                    "run (pip install 'livens[jit]'), or as plain Python, which is slow."
                )
                return
        build_data["force_include"] |= {str(FOLDER / name): f"livens/backend/{name}" for name in (FILE, FACTS)}
        build_data["pure_python"] = False
        build_data["tag"] = wheel_tag((FOLDER / FILE).read_bytes())
