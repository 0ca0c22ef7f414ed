"""`python -m benchmarks`: the table of speeds. `python -m benchmarks.compositions`: the choice of weights."""

from __future__ import annotations

import os
import platform

import numba
import numpy as np

import livens as lv

from . import cloth
from .lagrangians import lagrangians
from .speeds import scalings, speeds
from .starts import memory, starts
from .table import markdown
from .written import written


def main() -> None:
    """Measure and print."""
    python = platform.python_version()
    versions = f"livens {lv.__version__}, Python {python}, numpy {np.__version__}, numba {numba.__version__}"
    print(f"{versions}; {platform.machine()}, {os.cpu_count()} cores, one of them used; best of several\n")
    print(
        markdown(
            ["problem", "measured", "target"],
            [
                *speeds(),
                *scalings(),
                *written(),
                *lagrangians(),
                *cloth.rows(),
                *memory(),
                *starts(),
                *starts("double_pendulum"),
            ],
        )
    )


if __name__ == "__main__":
    main()
