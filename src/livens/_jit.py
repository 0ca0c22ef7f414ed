"""The one `njit`: cached on disk, no fast math, plain Python where numba is absent or switched off.

The cache of numba does not notice a change of a kernel in *another* file. So the name of the cache folder is a hash of
all files with compiled code: an edit anywhere starts a new folder.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    import numba
except ImportError:  # in the browser, or where only numpy is installed
    numba = None

Kernel = Callable[..., Any]
COMPILED_CODE = ("kernels", "step", "look/render")  # all folders with compiled functions, with their subfolders
COMPILED = numba is not None and not numba.config.DISABLE_JIT


def _user_cache() -> Path:
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))


def _cache_folder() -> Path | None:
    """The folder for exactly these sources, or None if nothing can be written there."""
    here = Path(__file__).parent
    sources = [Path(__file__), *(path for folder in COMPILED_CODE for path in sorted(here.glob(f"{folder}/**/*.py")))]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    folder = _user_cache() / "livens" / digest
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


FOLDER = _cache_folder() if COMPILED else None


def cold(kernel: str) -> bool:
    """True if `kernel`, such as "rattle.rollout", is not compiled on this machine yet."""
    return COMPILED and (FOLDER is None or next(FOLDER.glob(f"**/{kernel}-*.nbi"), None) is None)


def _compile(function: Kernel, inline: str) -> Kernel:
    if not COMPILED:
        return function
    before = numba.config.CACHE_DIR
    try:
        if FOLDER is not None:
            numba.config.CACHE_DIR = str(FOLDER)
        return numba.njit(
            function, cache=FOLDER is not None, nogil=True, error_model="numpy", inline=inline, _nrt=False
        )
    finally:
        numba.config.CACHE_DIR = before


def njit(function: Kernel) -> Kernel:
    """Compile `function` with the GIL released and store the result on disk; without numba, return it unchanged.

    Compiled without numba's memory manager: arrays are not reference-counted, so that unpacking a tuple of arrays costs
    nothing, and a kernel that allocates does not compile.
    """
    return _compile(function, "never")


def inline(function: Kernel) -> Kernel:
    """Like `njit`, but inlined into the caller, so that passing System, State and Work costs nothing."""
    return _compile(function, "always")
