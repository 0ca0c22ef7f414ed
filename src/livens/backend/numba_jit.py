"""Numba as a back end: a kernel is compiled at its first call and stored on disk.

The cache of numba does not notice a change of a kernel in *another* file. So the name of the cache folder is the hash
of all files with compiled code: an edit anywhere starts a new folder.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from .sources import digest

# No fast math: every sum is made in the order it is written. Without numba's memory manager arrays are not
# reference-counted, so that unpacking a tuple of arrays costs nothing, and a kernel that allocates does not compile.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}


def _user_cache() -> Path | None:
    """The user's folder for caches; None if the user has no home: no HOME, and no entry in the list of users."""
    names = ("NUMBA_CACHE_DIR", "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    for name in names:
        if os.environ.get(name):
            return Path(os.environ[name])
    try:
        home = Path.home()
    except RuntimeError:
        return None
    parts = {"win32": ("AppData", "Local"), "darwin": ("Library", "Caches")}
    return home.joinpath(*parts.get(sys.platform, (".cache",)))


def _temporary_cache() -> Path:
    """A folder of this user alone in the system's temporary folder: what others wrote there must not be executed."""
    user = os.getuid() if os.name == "posix" else "user"
    folder = Path(tempfile.gettempdir(), f"livens-{user}")
    folder.mkdir(mode=0o700, exist_ok=True)
    facts = folder.lstat()
    if os.name == "posix" and (facts.st_uid != user or not stat.S_ISDIR(facts.st_mode) or facts.st_mode & 0o022):
        raise OSError(f"{folder} can be written by others")
    return folder


@cache
def cache_folder() -> tuple[Path | None, bool]:
    """The folder for exactly these sources, or None if none can be written; and whether it is a temporary one."""
    for find in (_user_cache, _temporary_cache):
        with suppress(OSError):
            if (base := find()) is not None:
                folder = base / "livens" / digest()
                folder.mkdir(parents=True, exist_ok=True)
                if os.access(folder, os.W_OK):
                    return folder, find is _temporary_cache
    return None, False


def is_stored(kernel: str) -> bool:
    """True if `kernel`, such as "rattle.rollout", was compiled on this machine before."""
    folder, _ = cache_folder()
    return folder is not None and next(folder.glob(f"**/{kernel}-*.nbi"), None) is not None


def dispatcher(function: Callable[..., Any], inline: bool) -> Any:
    """`function`, compiled by numba at its first call, with the interpreter's lock released."""
    import numba

    (folder, _), before = cache_folder(), numba.config.CACHE_DIR
    try:
        if folder is not None:
            numba.config.CACHE_DIR = str(folder)
        return numba.njit(function, cache=folder is not None, inline="always" if inline else "never", **OPTIONS)
    finally:
        numba.config.CACHE_DIR = before
