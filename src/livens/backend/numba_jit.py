"""Numba as a back end: a kernel is compiled at its first call and stored on disk.

The cache of numba does not notice a change of a kernel in *another* file. So the name of the cache folder is the hash
of all files with compiled code: an edit anywhere starts a new folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from .sources import digest

# No fast math: every sum is made in the order it is written. Without numba's memory manager arrays are not
# reference-counted, so that unpacking a tuple of arrays costs nothing, and a kernel that allocates does not compile.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}


def _user_cache() -> Path:
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))


@cache
def cache_folder() -> Path | None:
    """The folder for exactly these sources, or None if nothing can be written there."""
    try:
        folder = _user_cache() / "livens" / digest()
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder
        return None
    return folder if os.access(folder, os.W_OK) else None


def is_stored(kernel: str) -> bool:
    """True if `kernel`, such as "rattle.rollout", was compiled on this machine before."""
    folder = cache_folder()
    return folder is not None and next(folder.glob(f"**/{kernel}-*.nbi"), None) is not None


def dispatcher(function: Callable[..., Any], inline: bool) -> Any:
    """`function`, compiled by numba at its first call, with the interpreter's lock released."""
    import numba

    folder, before = cache_folder(), numba.config.CACHE_DIR
    try:
        if folder is not None:
            numba.config.CACHE_DIR = str(folder)
        return numba.njit(function, cache=folder is not None, inline="always" if inline else "never", **OPTIONS)
    finally:
        numba.config.CACHE_DIR = before
