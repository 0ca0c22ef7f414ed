"""Time per step: problems as data, timed alternately, best of several rounds.

Only the compiled rollout is timed, not the set-up of the model. Each round runs all problems one after the other,
so that disturbances of the machine affect all of them and the best rounds are comparable.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import livens as lv

from . import problems
from .table import markdown

ROUNDS = 5


@dataclass(frozen=True)
class Speed:
    """A model, its scheme and step, the unit of its cost, and the largest allowed cost."""

    label: str
    build: Callable[[], lv.Model]
    h: float  # [s]
    steps: int
    unit: str = "step"  # "step", "body" (per body and step) or "thing" (per body or force, and step)
    target: float | None = None  # [ns]
    order: int = 2

    def units(self, model: lv.Model) -> int:
        """Number of units per step."""
        bodies = len(model.bodies) - 1
        return {"step": 1, "body": bodies, "thing": bodies + len(model.joints) + len(model.forces)}[self.unit]


@dataclass(frozen=True)
class Scaling:
    """The same problem at several sizes: the exponent of the cost must not exceed `target`."""

    label: str
    build: Callable[[int], lv.Model]
    sizes: Sequence[int]
    h: float
    things: int  # approximate number of elements × steps of a run
    target: float = 1.1


SPEEDS = (
    Speed("one free body", problems.free_body, h=1e-3, steps=300_000, target=150.0),
    Speed("one free body, order 4", problems.free_body, h=1e-2, steps=60_000, order=4),
    Speed("one free body, order 6", problems.free_body, h=2e-2, steps=20_000, order=6),
    Speed("body on three springs", problems.hung_body, h=1e-3, steps=200_000),
    Speed("10,000 free bodies in gravity", lambda: problems.swarm(10_000), h=1e-3, steps=30, unit="body", target=150.0),
    Speed("double pendulum", problems.double_pendulum, h=1e-3, steps=20_000),
    Speed("double pendulum, order 4", problems.double_pendulum, h=1e-2, steps=2_000, order=4),
    Speed("40 four-bars", lambda: problems.four_bars(40), h=1e-3, steps=500, unit="body", target=1500.0),
    Speed("binary tree, 1,000 leaves", lambda: problems.tree(1000), h=1e-3, steps=50, unit="body"),
    Speed("grid of 30 × 30 plates on rods", lambda: problems.grid(30), h=1e-3, steps=20, unit="body"),
)
SCALINGS = (
    Scaling("net of bodies and springs", problems.net, (100, 300, 1000, 3000), h=1e-3, things=1_000_000),
    Scaling("chain on ball joints", problems.chain, (10, 100, 1000, 10_000), h=1e-3, things=400_000, target=1.03),
)


def nanoseconds(model: lv.Model, scheme: lv.Livens, h: float, steps: int) -> float:
    """Time of one step in one run [ns]."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", lv.ModelWarning
        )  # four-bar linkages have redundant constraints, which cause warnings
        motion = lv.simulate(model, scheme, h=h, until=h * steps, every=steps, progress=False)
    return motion.seconds / motion.steps * 1e9


def best(runs: Sequence[Callable[[], float]], rounds: int = ROUNDS) -> list[float]:
    """The smallest value of each over several rounds, after a warm-up round."""
    for run in runs:
        run()
    return np.min([[run() for run in runs] for _ in range(rounds)], axis=0).tolist()


def speeds(problems: Sequence[Speed] = SPEEDS) -> list[list[object]]:
    """Rows: label, ns per unit, unit, target."""
    models = [speed.build() for speed in problems]
    runs = [
        partial(nanoseconds, model, lv.Livens(speed.order), speed.h, speed.steps)
        for speed, model in zip(problems, models, strict=True)
    ]
    rows: list[list[object]] = []
    for speed, model, time in zip(problems, models, best(runs), strict=True):
        per = {"step": "step", "body": "body and step", "thing": "thing and step"}[speed.unit]
        rows.append([speed.label, f"{time / speed.units(model):.0f} ns per {per}", _goal(speed.target, "ns")])
    return rows


def scalings(problems: Sequence[Scaling] = SCALINGS) -> list[list[object]]:
    """Rows: each size, then the fitted exponent of the cost over the number of elements."""
    rows: list[list[object]] = []
    for scaling in problems:
        models = [scaling.build(n) for n in scaling.sizes]
        things = [len(m.bodies) - 1 + len(m.joints) + len(m.forces) for m in models]
        runs = [
            partial(nanoseconds, model, lv.Livens(), scaling.h, max(10, scaling.things // n))
            for model, n in zip(models, things, strict=True)
        ]
        times = best(runs)
        for model, n, time in zip(models, things, times, strict=True):
            bodies = len(model.bodies) - 1
            label = f"{scaling.label}: {bodies:,} bodies, {n - bodies:,} between them"
            rows.append([label, f"{time / bodies:.0f} ns per body and step", ""])
        each = [time / (len(model.bodies) - 1) for model, time in zip(models, times, strict=True)]
        rows.append([f"{scaling.label}: most expensive body relative to cheapest", f"{max(each) / min(each):.2f}", ""])
        exponent = np.polyfit(np.log(things), np.log(times), 1)[0]
        rows.append([f"{scaling.label}: exponent", f"{exponent:.2f}", _goal(scaling.target, "")])
    return rows


def _goal(target: float | None, unit: str) -> str:
    return "" if target is None else f"≤ {target:g} {unit}".strip()


def main() -> None:
    """Print the table of speeds."""
    print(markdown(["problem", "measured", "target"], speeds() + scalings()))


if __name__ == "__main__":
    main()
