"""The cost of a call, of a compilation and of a member: `python -m benchmarks.prepared [--large]`.

Processor times, best of several: a call of `lv.simulate` and of a prepared run for one hinge and one step; the
compilation of chains of hinges; ensembles of a double pendulum (--large: 2,000 members of 2,000 steps and 100,000
members of 100 steps). Wall time over processor time shows how many cores were busy.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import livens as lv
from livens.compile.compiled import Compiled

from .ensembles import pendulum, tip
from .table import markdown


def chain(hinges: int) -> lv.Model:
    """Bars on hinges in a row."""
    m = lv.Model(gravity=(0, 0, -9.81))
    end = m.world.point(0, 0, 0)
    for k in range(hinges):
        bar = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(k + 0.5, 0, 0), name=f"bar {k}"))
        m.add(lv.Revolute(end, bar.point(-0.5, 0, 0), axis=(0, 1, 0), name=f"hinge {k}"))
        end = bar.point(0.5, 0, 0)
    return m


def best(call: Callable[[], Any], count: int) -> float:
    """The least processor time of a call [s]."""
    times = []
    for _ in range(count):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def calls() -> list[list[str]]:
    """One hinge, one step."""
    model, h = chain(1), 1e-3
    run = lv.prepare(model, h=h)
    again, start = run.keep_arrays(h), run(h).state
    density = 'bodies."bar 0".shape.density'
    cases: dict[str, Callable[[], Any]] = {
        "lv.simulate": lambda: lv.simulate(model, h=h, until=h),
        "prepared run": lambda: run(h),
        "prepared run, start=": lambda: run(h, start=start),
        "prepared run, another gravity": lambda: run(h, parameters={"gravity.2": -1.62}),
        "prepared run, another density": lambda: run(h, parameters={density: 900.0}),
        "keep_arrays": again,
    }

    def twenty(call: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: [call() for _ in range(20)]

    return [[name, f"{best(twenty(call), 20) / 20 * 1e6:.3g} µs"] for name, call in cases.items()]


def compilations() -> list[list[str]]:
    """Chains of hinges."""
    rows = []
    for hinges, count in ((1, 200), (100, 20), (1000, 3)):
        model = chain(hinges)
        rows.append(
            [f"compilation of {hinges} hinges", f"{best(partial(Compiled.of, model, True), count) * 1e3:.3g} ms"]
        )
    return rows


def studies(large: bool) -> list[list[str]]:
    """Double pendulums."""
    sizes = ((2000, 2000), (100_000, 100)) if large else ((200, 2000), (2000, 100))
    lv.ensemble(pendulum, {"rate": [0.0, 1.0]}, h=1e-3, until=1e-2, keep=tip)
    rows = []
    for members, steps in sizes:
        used, wall = time.process_time(), time.perf_counter()
        runs = lv.ensemble(
            pendulum, {"rate": np.linspace(0, 3, members)}, h=1e-3, until=1e-3 * steps, every=steps, keep=tip
        )
        used, wall = time.process_time() - used, time.perf_counter() - wall
        text = f"{used:.3g} s of processor time, {wall:.3g} s, {int(runs.attrs['failed'])} failed"
        rows.append([f"{members:,} members of {steps:,} steps", text])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prepared", description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="ensembles of full size")
    options = parser.parse_args()
    print(markdown(["what", "cost"], [*calls(), *compilations(), *studies(options.large)]))


if __name__ == "__main__":
    main()
