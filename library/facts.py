"""What is known of a library without numba: whether it is up to date, and the tag of a wheel that contains it."""

from __future__ import annotations

import hashlib
import json
import re
import sysconfig
from pathlib import Path
from platform import machine
from typing import Any

from livens.backend import library

HERE = Path(__file__).parent
OLDEST_PYTHON = "cp311"  # Py_LIMITED_API of call.c
OLDEST_GLIBC = 17  # minor version: older ones have no manylinux tag


def builder_hash() -> str:
    """The hash of the files of this folder: a library made by other ones is out of date."""
    files = sorted(path for path in HERE.iterdir() if path.suffix in (".py", ".c"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]


def facts_of(module: bytes) -> dict[str, Any]:
    """The content of the file that describes a library with these bytes."""
    return library.facts_of(module) | {"builder": builder_hash()}


def is_current(folder: Path) -> bool:
    """True if `folder` contains a library of these sources, made by this builder."""
    try:
        facts, module = json.loads((folder / library.FACTS).read_bytes()), (folder / library.FILE).read_bytes()
    except (OSError, ValueError):
        return False
    return facts == facts_of(module)


def wheel_tag(module: bytes) -> str:
    """The tag of a wheel with this library. On Linux the versions of the GNU C library that it needs are in the file.

    >>> wheel_tag(b"...GLIBC_2.2.5...GLIBC_2.35") if sysconfig.get_platform() == "linux-x86_64" else ""
    'cp311-abi3-manylinux_2_35_x86_64'
    """
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform().replace("universal2", machine().lower()))
    needed = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", module)]
    if platform.startswith("linux_") and needed:
        platform = platform.replace("linux_", f"manylinux_2_{max(*needed, OLDEST_GLIBC)}_")
    return f"{OLDEST_PYTHON}-abi3-{platform}"
