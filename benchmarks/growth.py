"""Scaling of the cost of a step with the number of bodies: chains, trees and grids, and chains with other programs.

The exponent p of cost ∝ Nᵖ is the slope of a line through the logarithms, for the larger half of the sizes, because the
constant cost of a step dominates in small models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import livens as lv

from . import peers, problems
from .ours import Prepared
from .sizes import Size
from .tasks import Task
from .tasks.chains import chain
from .time_to_accuracy import clock

H = 1e-3  # [s]
BUDGET = 0.15  # duration of one timed run [s]
DEAREST = 0.2  # largest time of a step [s]; larger sizes are skipped
CHAINS = {"MuJoCo": "RK4", "Exudyn": "trapezoidal", "Pinocchio": "RK4, Python loop"}  # with these settings


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The slope of log time over log size in the larger half."""
    half = slice(len(sizes) // 2 if len(sizes) > 3 else 0, None)
    return float(np.polyfit(np.log(sizes[half]), np.log(times[half]), 1)[0])


def ours(build: Callable[[int], lv.Model], sizes: Sequence[int], rounds: int) -> dict[str, Any]:
    """Microseconds per step of order 2."""
    models = [build(n) for n in sizes]
    bodies = [len(m.bodies) - 1 for m in models]
    times = []
    for model, n in zip(models, bodies, strict=True):
        steps = max(5, 20_000 // n)
        run = Prepared(model, lv.Livens(), H * steps, steps).run
        run()
        times.append(min(clock(run) for _ in range(rounds)) / steps * 1e6)
    return {"bodies": bodies, "microseconds": times, "exponent": exponent(bodies, times)}


def peer(name: str, sizes: Sequence[int], rounds: int) -> dict[str, Any]:
    """Another program on the chain, up to its largest possible size."""
    adapter, why = peers.load(name)
    if adapter is None:
        return {"skipped": why}
    bodies: list[int] = []
    times: list[float] = []
    for n in sizes:
        steps = 4
        try:
            while True:
                task = Task(f"chain-{n}", "", partial(chain, n), H * steps, [], 1.0, steps)
                entry = next(e for e in adapter.entries(task) if e.setting == CHAINS[adapter.NAME])
                runner = entry.make(task, 0)
                spent = clock(runner.run)
                if spent > 0.3 * BUDGET or steps > 10_000:
                    break
                steps *= 4
        except (peers.NotPossible, MemoryError) as no:
            why = f"{n} bodies: {no}"
            break
        bodies.append(n)
        times.append(min(spent, *(clock(runner.run) for _ in range(rounds))) / steps * 1e6)
        if times[-1] > DEAREST * 1e6:
            why = f"more than {n} bodies: a step takes {times[-1] * 1e-6:.1f} s"
            break
    found: dict[str, Any] = {"bodies": bodies, "microseconds": times, "skipped": why}
    return found | ({"exponent": exponent(bodies, times)} if len(bodies) > 1 else {})


def growth(size: Size) -> dict[str, Any]:
    """Curves of microseconds per step over the number of bodies, with their exponents."""
    found = {
        "chain, livens": ours(problems.chain, size.chains, size.rounds),
        "tree, livens": ours(problems.tree, size.trees, size.rounds),
        "grid, livens": ours(problems.grid, size.grids, size.rounds),
    }
    for name in ("mujoco", "exudyn", "pinocchio"):
        found[f"chain, {name}"] = peer(name, size.chains, size.rounds)
    return found
