"""livens doctor: the versions of this installation, the back end of the kernels, and a check of its bits.

All back ends give the same bits (_jit.py). The check moves a double pendulum in this process, and in another one as
plain Python, and compares the hashes of the motions.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import subprocess
import sys
import textwrap
from importlib import metadata
from typing import Any

import numpy as np

from .. import __version__, _jit
from ..errors import LivensError

EPILOG = """\
The kernels, which are the compiled part of livens, have three back ends with the same source and the same results:
  library  machine code that came with livens; nothing is compiled
  numba    compiled at the first run on a machine, which takes up to a minute: pip install 'livens[jit]'
  python   the source as it is, hundreds of times slower
The first one that is available is used. A library that was built from other sources, for another platform or version,
or whose file is damaged, is not loaded; the line "why" says so. To demand one: LIVENS_BACKEND=library, numba or python.
In a source tree `make library` builds the library.
"""
MISSING = "not installed"
WITHOUT = ("all", "dev", "docs")  # extras that add nothing to what livens can do
ROLLOUTS = ("livens.rollout", "rattle.rollout")


def add_doctor_command(commands: Any) -> None:
    """The command livens doctor."""
    doctor = commands.add_parser(
        "doctor",
        help="about this installation: versions, the back end of the kernels, and a check of its results",
        description="Print versions and the back end of the kernels, and compare its results with plain Python.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    doctor.set_defaults(command=_doctor)


def _doctor(options: argparse.Namespace) -> None:
    facts = installation()
    print_facts(facts)
    for sentence in advice(facts):
        print(textwrap.fill(sentence, 80))
    if any(map(_jit.cold, ROLLOUTS)):
        print("The first run compiles the kernels; after it, livens doctor checks them.")
        return
    mine, plain = motion_hash(), plain_hash()
    if mine != plain:
        raise LivensError(
            f"the back end {_jit.BACKEND} gives other results ({mine}) than plain Python ({plain}): install livens "
            "again, or set LIVENS_BACKEND=python."
        )
    print(f"A short motion has the same bits as with plain Python ({mine}).")


def print_facts(facts: dict[str, str]) -> None:
    """Two columns."""
    width = max(map(len, facts))
    for key, value in facts.items():
        print(f"{key:<{width}}  {value}")


def installation() -> dict[str, str]:
    """Versions, and which back end the kernels have."""
    facts = {
        "livens": __version__,
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
    }
    facts |= {name: _version(name) for name in ("numpy", "scipy", "h5netcdf", "numba")}
    facts |= {f"[{extra}]": _state(extra, packages) for extra, packages in extras().items()}
    facts["back end"] = _jit.BACKEND
    if _jit.LIBRARY is not None:
        facts["library"] = f"{_jit.LIBRARY.path} ({len(_jit.LIBRARY.entries)} kernels)"
    if _jit.REASON:
        facts["why"] = _jit.REASON
    if _jit.BACKEND == "numba":
        compiled = "nothing compiled yet" if _jit.cold(ROLLOUTS[0]) else "kernels compiled"
        facts["cache"] = f"{_jit.FOLDER} ({compiled})" if _jit.FOLDER else "none: no folder can be written"
    facts["threads"] = str(os.cpu_count())
    return facts


def extras() -> dict[str, list[str]]:
    """The extras of livens that add abilities, and the packages of each."""
    found: dict[str, list[str]] = {}
    try:
        lines = metadata.requires("livens") or []
    except metadata.PackageNotFoundError:  # the package runs from its source tree
        return found
    for line in lines:
        extra, name = re.search(r"extra == ['\"](\w+)['\"]", line), re.match(r"[A-Za-z0-9_.-]+", line)
        if extra and name and extra[1] not in WITHOUT and name[0] != "livens":
            found.setdefault(extra[1], []).append(name[0])
    return found


def _state(extra: str, packages: list[str]) -> str:
    """The versions of the packages of an extra, or how to install it."""
    missing = [name for name in packages if _version(name) == MISSING]
    if missing:
        return f"missing {', '.join(missing)}: pip install 'livens[{extra}]'"
    return ", ".join(f"{name} {_version(name)}" for name in packages)


def advice(facts: dict[str, str]) -> list[str]:
    """What to do about an installation, one sentence each; none if all is well.

    >>> advice({"back end": "python"})[0][:52]
    'The kernels run as plain Python, hundreds of times s'
    """
    found = []
    if facts.get("back end") == "python":
        found.append(
            "The kernels run as plain Python, hundreds of times slower than compiled ones: install a wheel of livens "
            "for this platform, or pip install 'livens[jit]'; in a source tree, make library."
        )
    if facts.get("back end") == "numba":
        found.append("numba compiles the kernels at the first run; make library in a source tree avoids this.")
    if facts.get("cache", "").startswith("none"):
        found.append("No folder for compiled kernels can be written, so every process compiles: set NUMBA_CACHE_DIR.")
    return found


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return MISSING


def motion_hash() -> str:
    """The hash of a short motion of a double pendulum with a spring."""
    import livens as lv

    m = lv.Model(gravity=(0, 0, -9.81))
    arm = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    fore = m.add(lv.Body(lv.Box(0.8, 0.1, 0.1, density=1000), at=(1.4, 0, 0), name="fore"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="shoulder"))
    m.add(lv.Spherical(arm.point(0.5, 0, 0), fore.point(-0.4, 0, 0), name="elbow"))
    m.add(lv.Spring(m.world.point(0, 1, 0), fore.center, stiffness=50.0))
    motion = lv.simulate(m, lv.Livens(order=4), h=1e-2, until=0.1)
    parts = [*motion.record, motion.energy, motion.acceleration(fore)]
    return hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in parts)).hexdigest()[:16]


def plain_hash() -> str:
    """The same in a process where the kernels run as plain Python."""
    code = "from livens.cli.doctor import motion_hash; print(motion_hash())"
    run = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"LIVENS_BACKEND": "python"}, capture_output=True, text=True
    )
    if run.returncode:
        raise LivensError(f"the check failed: {textwrap.shorten(run.stderr[-300:], 200)}")
    return run.stdout.strip()
