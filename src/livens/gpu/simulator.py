"""The simulator of numba-cuda in place of a graphics card: the same kernel as plain Python, for tests without a card.

It is chosen by the environment variable NUMBA_ENABLE_CUDASIM=1, before numba is imported.
"""

from __future__ import annotations

import os
import time
from typing import Any

from ..errors import require
from ..step.scheme import Prepare, Rollout
from .compiler import BLOCK, EXTRA, kernel_function
from .source import KernelSource


def is_simulated() -> bool:
    """True if the environment demands the simulator."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


class Simulator:
    """What a Card does, on a core."""

    def __init__(self) -> None:
        self.cuda = require("numba.cuda", "the simulator of a graphics card needs numba-cuda", EXTRA)

    def free_bytes(self) -> int:
        """Memory for members: little, so that tests use several chunks."""
        return 1_000_000

    def kernel(self, source: KernelSource, prepare: Prepare, rollout: Rollout) -> Any:
        """The kernel as a function of the simulator."""
        return self.cuda.jit(kernel_function(source, prepare, rollout, self.cuda))

    def launch(
        self, kernel: Any, members: int, inputs: list[Any], outputs: list[Any], order: list[int], numbers: list[Any]
    ) -> float:
        """Run a kernel on the arrays themselves: seconds."""
        arrays, begin = inputs + outputs, time.perf_counter()
        kernel[-(-members // BLOCK), BLOCK](*(arrays[k] for k in order), *numbers)
        return time.perf_counter() - begin
