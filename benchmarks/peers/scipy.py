"""SciPy on systems in coordinates: DOP853 and Radau, with the right-hand side and its Jacobian compiled by numba.

These methods choose their steps: the refinements are tolerances, half a decade apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import scipy
from scipy.integrate import solve_ivp

from ..tasks import Task
from ..tasks.general import General
from . import Entry

NAME = "SciPy"


def version() -> str:
    return scipy.__version__


def compiled(task: General) -> Any:
    """(t, y) → y'."""
    accelerations = numba.njit(task.accelerations(math))

    @numba.njit
    def slope(t: float, y: np.ndarray) -> np.ndarray:
        a = accelerations(y[:2], y[2:])
        return np.array([y[2], y[3], a[0], a[1]])

    return slope


class Runner:
    """One method with one tolerance."""

    def __init__(self, task: General, method: str, tolerance: float, slope: Any):
        self.task, self.method, self.tolerance, self.slope = task, method, tolerance, slope
        self.start = np.array([*task.q, *task.v])
        self.steps, self.y = 0, self.start[None]

    def solve(self, **more: Any) -> Any:
        return solve_ivp(
            self.slope, (0.0, self.task.until), self.start, method=self.method, rtol=self.tolerance,
            atol=self.tolerance, **more,
        )  # fmt: skip

    def run(self) -> None:
        found = self.solve()
        self.steps, self.y = len(found.t) - 1, found.y.T

    def end(self) -> np.ndarray:
        return self.y[-1:]

    def states(self, samples: int) -> np.ndarray:
        """The states at the steps; SciPy's interpolation between them is less accurate."""
        self.run()
        return self.y


def entries(task: Task | General) -> Iterator[Entry]:
    """The explicit method of order 8 and the implicit method of order 5."""
    if isinstance(task, General):
        slope = compiled(task)
        for method in ("DOP853", "Radau"):
            yield Entry(
                NAME, method, lambda t, rung, method=method: Runner(t, method, 10.0 ** (-2.0 - 0.5 * rung), slope)
            )
