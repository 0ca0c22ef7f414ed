"""CasADi on systems in coordinates: its interface to CVODES, a multistep method of variable order in C.

The refinements are tolerances, half a decade apart, from 1e-5: with larger ones the planet collides with the sun. The
right-hand side is evaluated by CasADi's virtual machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import casadi
import numpy as np

from ..tasks import Task
from ..tasks.general import General
from . import Entry

NAME = "CasADi"


def version() -> str:
    return casadi.__version__


class Runner:
    """CVODES with one tolerance."""

    def __init__(self, task: General, tolerance: float):
        self.task, self.tolerance = task, tolerance
        self.start = np.array([*task.q, *task.v])
        self.integrator = self._integrator([task.until])
        self.steps, self.y = 0, self.start[None]

    def _integrator(self, times: Any) -> Any:
        y = casadi.SX.sym("y", 4)
        a = self.task.accelerations(casadi)(y[:2], y[2:])
        options = {
            "abstol": self.tolerance, "reltol": self.tolerance, "linear_multistep_method": "adams",
            "nonlinear_solver_iteration": "functional", "max_num_steps": 10**5, "show_eval_warnings": False,
        }  # fmt: skip
        ode = {"x": y, "ode": casadi.vertcat(y[2:], *a)}
        return casadi.integrator("run", "cvodes", ode, 0.0, times, options)

    def run(self) -> None:
        self.y = np.array(self.integrator(x0=self.start)["xf"]).T
        self.steps = int(self.integrator.stats().get("nsteps", 0))

    def end(self) -> np.ndarray:
        return self.y

    def states(self, samples: int) -> np.ndarray:
        times = np.linspace(0.0, self.task.until, samples + 1)[1:]
        found = np.array(self._integrator(list(times))(x0=self.start)["xf"]).T
        return np.vstack([self.start, found])


def entries(task: Task | General) -> Iterator[Entry]:
    """CVODES with Adams' formulas, for problems that are not stiff."""
    if isinstance(task, General):
        yield Entry(NAME, "CVODES", lambda t, rung: Runner(t, 10.0 ** (-5.0 - 0.5 * rung)))
