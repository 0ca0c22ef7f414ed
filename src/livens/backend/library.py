"""The compiled library as a back end: a Python module with the kernels in machine code, made when livens was built.

The module `_compiled` lies beside this file with `_compiled.json`, which says from what it was made. It is loaded only
if all of this is true now; otherwise `load` says what differs:

    format      the version of the calling convention (library/call.c)
    version     of livens
    sources     hash of the source files of the kernels
    platform    operating system and processor
    file        hash of the module itself
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import platform
import sys
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from typing import Any, NamedTuple

from .. import __version__
from .sources import digest

FORMAT = 1
FOLDER = Path(__file__).parent
FILE = "_compiled.pyd" if sys.platform == "win32" else "_compiled.abi3.so"
FACTS = "_compiled.json"
REBUILD = "`make library` builds it again"


class Library(NamedTuple):
    """A loaded library: its file, and how its entries are called. A kernel has one entry for each set of types."""

    path: Path
    entries: dict[str, list[int]]  # such as "kernels.spin.drift" → the numbers of its entries
    call: Callable[[int, tuple[Any, ...]], Any]  # (entry, arguments) → result, or NotImplemented if the types differ


class Unusable(Exception):
    """The library cannot be used; the message says why."""


def this_platform() -> str:
    """Operating system and processor, such as "linux-x86_64"."""
    return f"{sys.platform}-{platform.machine().lower()}"


def facts_of(module: bytes) -> dict[str, Any]:
    """What `_compiled.json` must contain for a module with these bytes, to be used here and now."""
    return {
        "format": FORMAT,
        "version": __version__,
        "sources": digest(),
        "platform": this_platform(),
        "file": hashlib.sha256(module).hexdigest(),
    }


DIFFERENT = {
    "format": "it was built for another version of the calling convention",
    "version": "it belongs to another version of livens",
    "sources": "the source files of the kernels were edited after it was built",
    "platform": "it was built for another platform",
    "file": "its file is damaged",
}


def load(folder: Path = FOLDER) -> Library:
    """The library in `folder`, or Unusable."""
    path = folder / FILE
    try:
        module, facts = path.read_bytes(), json.loads((folder / FACTS).read_bytes())
    except FileNotFoundError:
        raise Unusable("this installation contains no compiled library; `make library` builds it") from None
    except (OSError, ValueError) as error:
        raise Unusable(f"the compiled library cannot be read ({error}); {REBUILD}") from None
    wanted = facts_of(module)
    if not isinstance(facts, dict) or set(facts) < set(wanted):
        raise Unusable(f"{FACTS} does not describe the compiled library; {REBUILD}")
    for fact, reason in DIFFERENT.items():
        if facts[fact] != wanted[fact]:
            there, here = str(facts[fact])[:16], str(wanted[fact])[:16]
            raise Unusable(f"the compiled library is not used because {reason} ({there}, here {here}); {REBUILD}")
    if sys.implementation.name != "cpython" or "free-threading" in sys.version:
        raise Unusable("the compiled library needs CPython with the global interpreter lock")
    return _imported(path)


def _imported(path: Path) -> Library:
    name = f"{__package__}._compiled"
    loader = ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except (ImportError, RuntimeError) as error:  # RuntimeError: numpy is older than the one it was built with
        raise Unusable(f"the compiled library cannot be loaded: {error}") from None
    entries: dict[str, list[int]] = {}
    for k, kernel in enumerate(module.names()):
        entries.setdefault(kernel, []).append(k)
    return Library(path, entries, module.call)
