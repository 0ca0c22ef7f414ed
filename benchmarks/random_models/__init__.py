"""Random models that must satisfy the conservation laws: python -m benchmarks.random_models N [seed].

    generate.py      a description from a seed: 1 to 20 bodies, all joints, loops, springs, dampers
    description.py   the description as plain data, and its conversion to models
    fit.py           velocities that the joints allow, and the fastest rate
    trial.py         its motions
    invariants.py    checks of conserved quantities
    agreement.py     comparison with independent solutions
    changes_of_view.py   invariance under order, position, frames and units

Every check is a number that must not exceed a bound. A model whose step fails is counted as refused, with the reason;
every other violation is a failure, and its seed reproduces it: python -m benchmarks.random_models 1 SEED.
"""

from __future__ import annotations

import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from threadpoolctl import threadpool_limits

import livens as lv

from . import agreement, changes_of_view, invariants
from .generate import describe
from .trial import Check, Trial

PROGRESS = 20.0  # seconds between lines


@dataclass
class Counts:
    """The result. `failed` and `refused` begin with seeds; `closest`: the largest ratio of each check to its bound."""

    tried: int = 0
    failed: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    totals: Counter[str] = field(default_factory=Counter)  # bodies, loops, springs, dampers, checks, …
    joints: Counter[str] = field(default_factory=Counter)  # by kind
    closest: dict[str, tuple[float, int]] = field(default_factory=dict)  # value over bound, seed

    def __str__(self) -> str:
        def listed(counter: Counter[str]) -> str:
            return ", ".join(f"{count:,} {name}" for name, count in counter.most_common())

        return (
            f"{self.tried:,} models: {listed(self.totals)}; {self.joints.total():,} joints: {listed(self.joints)}; "
            f"{len(self.refused)} refused, {len(self.failed)} failed"
        )


def examine(seed: int) -> tuple[Trial, list[Check]]:
    """The model of a seed, and all its checks; on one thread, because the matrices are small."""
    with threadpool_limits(1):
        trial = Trial(describe(seed))
        return trial, [*agreement.checks(trial), *invariants.checks(trial), *changes_of_view.checks(trial)]


def soak(count: int, seed: int = 0, report: Callable[[str], object] = print) -> Counts:
    """Check the models of `count` seeds from `seed` on, and report failures, refusals and progress."""
    counts, spoken = Counts(), time.perf_counter()
    for k in range(seed, seed + count):
        counts.tried += 1
        try:
            trial, checks = examine(k)
        except lv.StepFailed as error:
            counts.refused.append(f"seed {k}: {error}")
            report(f"refused: {counts.refused[-1]}")
            continue
        except Exception as error:
            counts.failed.append(f"seed {k}: {type(error).__name__}: {error}")
            report(f"FAILED: {counts.failed[-1]}\n{traceback.format_exc(limit=-4)}")
            continue
        book(counts, k, trial, checks, report)
        if time.perf_counter() - spoken > PROGRESS:
            spoken = time.perf_counter()
            report(f"{counts.tried:,} of {count:,} models, {len(counts.failed)} failed, {len(counts.refused)} refused")
    report(str(counts))
    return counts


def book(counts: Counts, seed: int, trial: Trial, checks: list[Check], report: Callable[[str], object]) -> None:
    """Count a checked model."""
    told = trial.told
    counts.joints.update(tie.kind for tie in told.ties)
    counts.totals.update(
        {
            "bodies": len(told.parts),
            "loops": told.loops,
            "skipped loops": told.left_out,
            "redundant constraints": trial.grip.repeated,
            "springs": sum(bool(thing.stiffness) for thing in (*told.pulls, *told.ties)),
            "dampers": sum(bool(thing.damping) for thing in (*told.pulls, *told.ties)),
            "in MuJoCo": sum(check.what == "MuJoCo" for check in checks),
            "checks": len(checks),
        }
    )
    for check in checks:
        ratio = check.value / check.bound if check.bound else check.value
        counts.closest[check.what] = max(counts.closest.get(check.what, (0.0, seed)), (ratio, seed))
    bad = [f"{check.what} {check.value:.2g} > {check.bound:.2g}" for check in checks if not check.kept]
    if bad:
        counts.failed.append(f"seed {seed}: {', '.join(bad)}")
        report(f"FAILED: {counts.failed[-1]}")
