"""`python -m benchmarks`: the table of speeds. `python -m benchmarks.compositions`: the choice of weights."""

from __future__ import annotations

import os
import platform

import numba
import numpy as np

import livens as lv

from . import cloth
from .speeds import scalings, speeds
from .starts import memory, starts
from .table import markdown


def main() -> None:
    """Measure and print."""
    python = platform.python_version()
    versions = f"livens {lv.__version__}, Python {python}, numpy {np.__version__}, numba {numba.__version__}"
    print(f"{versions}; {platform.machine()}, {os.cpu_count()} cores, one of them used; best of several\n")
    print(
        markdown(
            ["problem", "measured", "target"],
            [*speeds(), *scalings(), *memory(), *starts(), *starts("double_pendulum"), *cloth.rows()],
        )
    )


if __name__ == "__main__":
    main()
