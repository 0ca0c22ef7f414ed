"""The one `njit`, and the one place that chooses the back end of the kernels.

    library    machine code made when livens was built (backend/library.py); needs no compiler and no numba
    numba      compiled at the first call and stored on disk (backend/numba_jit.py); for an edited source tree
    python     the functions as they are: for a debugger, and in the browser

All three run the same source and give the same bits. The first one that is available is used; the environment variable
LIVENS_BACKEND=library, numba or python demands one, and NUMBA_DISABLE_JIT=1 demands python. `livens doctor` says which
one is used, and why.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from .backend import numba_jit
from .backend.library import Library, Unusable, load
from .backend.library_kernel import LibraryKernel
from .errors import LivensError

Kernel = Callable[..., Any]
NAMES = ("library", "numba", "python")
DEMANDED = "the environment demands it"


def _numba_problem() -> str:
    """Why numba cannot be used, or nothing. Imports it."""
    try:
        import numba
    except ImportError as error:
        return f"numba cannot be imported ({error})"
    return "numba is switched off (NUMBA_DISABLE_JIT)" if numba.config.DISABLE_JIT else ""


def _choose() -> tuple[str, Library | None, str]:
    """(name of the back end, the library if it is used, why no earlier one is used)."""
    demanded = os.environ.get("LIVENS_BACKEND", "")
    if demanded and demanded not in NAMES:
        raise LivensError(f"LIVENS_BACKEND must be one of {', '.join(NAMES)}, not {demanded!r}.")
    if demanded == "python" or (not demanded and os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")):
        return "python", None, DEMANDED
    why = []
    if demanded != "numba":
        try:
            return "library", load(), ""
        except Unusable as reason:
            why.append(str(reason))
            if demanded == "library":
                raise LivensError(f"{reason}. LIVENS_BACKEND=library demands it.") from None
    if not demanded or demanded == "numba":
        problem = _numba_problem()
        if not problem:
            return "numba", None, "; ".join(why) or DEMANDED
        why.append(problem)
        if demanded:
            raise LivensError(f"{problem}, and LIVENS_BACKEND=numba demands it: pip install 'livens[jit]'.")
    return "python", None, "; ".join(why)


BACKEND, LIBRARY, REASON = _choose()
FOLDER, TEMPORARY = numba_jit.cache_folder() if BACKEND == "numba" else (None, False)  # what numba compiled is there


def cold(kernel: str) -> bool:
    """True if the first call of `kernel`, such as "rattle.rollout", compiles it on this machine."""
    return BACKEND == "numba" and not numba_jit.is_stored(kernel)


def announcement(kernel: str, seconds: int) -> str:
    """A sentence for the user before the first call of `kernel`, if it takes long or runs slowly; or nothing."""
    why = "" if REASON == DEMANDED else f" ({REASON})"
    if BACKEND == "python" and why and sys.platform != "emscripten":
        return f"the kernels run as plain Python, hundreds of times slower{why}: pip install 'livens[jit]'"
    if not cold(kernel):
        return ""
    return f"compiling for this machine, {how_often()} (about {seconds} s) …{why}"


def how_often() -> str:
    """How often kernels are compiled on this machine, for messages."""
    if FOLDER is None:
        return "in every process, because no cache folder can be written; set NUMBA_CACHE_DIR"
    if TEMPORARY:
        return f"into {FOLDER.parent}, because the user's cache folder cannot be written; set NUMBA_CACHE_DIR"
    return "once"


def _beside_library(function: Kernel, inline: bool) -> Kernel:
    """What runs a kernel that the library does not contain."""
    return function if _numba_problem() else numba_jit.dispatcher(function, inline)


def _compile(function: Kernel, inline: bool) -> Kernel:
    if LIBRARY is not None:
        return LibraryKernel(function, inline, LIBRARY, _beside_library)
    return numba_jit.dispatcher(function, inline) if BACKEND == "numba" else function


def njit(function: Kernel) -> Kernel:
    """The kernel `function` of the back end. Compiled, it runs with the interpreter's lock released and allocates
    nothing."""
    return _compile(function, False)


def inline(function: Kernel) -> Kernel:
    """Like `njit`, but inlined into the caller, so that passing System, State and Work costs nothing."""
    return _compile(function, True)
