"""The one `njit`: cached on disk, no fast math, plain Python where numba is absent or switched off.

The cache of numba does not notice a change of a kernel in *another* file. So the name of the cache folder is a hash of
all files with compiled code: an edit anywhere starts a new folder.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

try:
    import numba
except ImportError:  # in the browser, or where only numpy is installed
    numba = None

Kernel = Callable[..., Any]
COMPILED_CODE = ("kernels", "step", "look/render")  # all folders with compiled functions, with their subfolders
COMPILED = numba is not None and not numba.config.DISABLE_JIT


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


def _cache_folder() -> tuple[Path | None, bool]:
    """The folder for exactly these sources, or None if none can be written; and whether it is a temporary one."""
    here = Path(__file__).parent
    sources = [Path(__file__), *(path for folder in COMPILED_CODE for path in sorted(here.glob(f"{folder}/**/*.py")))]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    for find in (_user_cache, _temporary_cache):
        with suppress(OSError):
            if (base := find()) is not None:
                folder = base / "livens" / digest
                folder.mkdir(parents=True, exist_ok=True)
                if os.access(folder, os.W_OK):
                    return folder, find is _temporary_cache
    return None, False


FOLDER, TEMPORARY = _cache_folder() if COMPILED else (None, False)


def how_often() -> str:
    """How often kernels are compiled on this machine, for messages."""
    if FOLDER is None:
        return "in every process, because no cache folder can be written; set NUMBA_CACHE_DIR"
    if TEMPORARY:
        return f"into {FOLDER.parent}, because the user's cache folder cannot be written; set NUMBA_CACHE_DIR"
    return "once"


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
