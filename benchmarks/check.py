"""Regression check of the kernel speeds: `python -m benchmarks.check`; `--write` stores the measured ratios.

The time per step of each case is divided by that of yardstick.py, measured alternately, and the ratio is compared with
the one in ratios.json. Both times are the best of many short runs. A case above the limit is measured again, up to five
times with longer runs, before it counts as slower: other programs on the machine can only increase the times.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import livens as lv
import livens.discrete as ld

from . import lagrangians, problems, yardstick
from .ours import Prepared
from .table import markdown

STORED = Path(__file__).with_name("ratios.json")
LIMIT = 1.3  # times the stored ratio
ROUNDS = 15
AGAIN = 5  # repeated measurements before a failure


def _rigid(build: Callable[[], lv.Model], order: int, h: float, steps: int) -> Callable[[], float]:
    return _with(lv.Livens(order), build, h, steps)


def _with(scheme: object, build: Callable[[], lv.Model], h: float, steps: int) -> Callable[[], float]:
    return Prepared(build(), scheme, h * steps, steps).nanoseconds


def _general(build: Callable[[], tuple], scheme: object, h: float, steps: int) -> Callable[[], float]:
    system, q, v = build()

    def run() -> float:
        return ld.simulate(system, scheme, q, v, h, h * steps, every=steps, progress=False).seconds / steps * 1e9

    return run


CASES: dict[str, Callable[[], Callable[[], float]]] = {
    "free body": lambda: _rigid(problems.free_body, 2, 1e-3, 10_000),
    "free body, order 6": lambda: _rigid(problems.free_body, 6, 2e-2, 1_000),
    "body on three springs": lambda: _rigid(problems.hung_body, 2, 1e-3, 5_000),
    "double pendulum": lambda: _rigid(problems.double_pendulum, 2, 1e-3, 1_000),
    "double pendulum, order 4": lambda: _rigid(problems.double_pendulum, 4, 1e-2, 200),
    "chain of 100": lambda: _rigid(lambda: problems.chain(100), 2, 1e-3, 20),
    "10 four-bars": lambda: _rigid(lambda: problems.four_bars(10), 2, 1e-3, 100),
    "grid of 100": lambda: _rigid(lambda: problems.grid(10), 2, 1e-3, 20),
    "chain of 100, Runge–Kutta": lambda: _with(lv.RungeKutta(), lambda: problems.chain(100), 1e-3, 20),
    "chain of 100, energy and momentum": lambda: _with(lv.EnergyMomentum(), lambda: problems.chain(100), 1e-3, 20),
    "net of 100": lambda: _rigid(lambda: problems.net(100), 2, 1e-3, 100),
    "Lagrangian: double pendulum, midpoint": lambda: _general(lagrangians.double_pendulum, ld.Midpoint(), 1e-3, 2_000),
    "Lagrangian: Kepler, Störmer–Verlet": lambda: _general(lagrangians.kepler, ld.Trapezoidal(), 1e-3, 5_000),
}


def ratio(run: Callable[[], float], rounds: int) -> float:
    """Ratio of the best time of a case to the best time of the yardstick, measured alternately."""
    run()
    yardstick.nanoseconds()
    pairs = [(run(), yardstick.nanoseconds()) for _ in range(rounds)]
    return min(case for case, _ in pairs) / min(unit for _, unit in pairs)


def measure(cases: list[str], stored: dict[str, float], rounds: int = ROUNDS, again: int = AGAIN) -> dict[str, float]:
    """Ratios; those above the limit are the best of several attempts."""
    found = {}
    for name in cases:
        run = CASES[name]()
        found[name] = ratio(run, rounds)
        for attempt in range(again):
            if found[name] <= LIMIT * stored.get(name, float("inf")):
                break
            found[name] = min(found[name], ratio(run, rounds * (attempt + 2)))
    return found


def main(arguments: list[str] | None = None) -> int:
    """Print the table; return 1 if a case is above the limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.check", description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the measured ratios as the new reference")
    parser.add_argument("--only", nargs="*", choices=list(CASES), help="measure only these cases")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="number of short runs of each case")
    options = parser.parse_args(arguments)
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    cases = options.only or list(CASES)
    if options.write:
        found = measure(cases, {}, 3 * options.rounds, 0)
        STORED.write_text(json.dumps(stored | {k: round(v, 2) for k, v in found.items()}, indent=1) + "\n")
        print(f"stored {len(found)} ratios")
        return 0
    if missing := [name for name in cases if name not in stored]:
        print(f"No ratio is stored for {missing[0]!r}: run python -m benchmarks.check --write first.")
        return 2
    found = measure(cases, stored, options.rounds)
    slower = [name for name in cases if found[name] > LIMIT * stored[name]]
    rows = [
        [name, found[name], stored[name], f"{found[name] / stored[name]:.2f}", "slower" if name in slower else "ok"]
        for name in cases
    ]
    print(markdown(["kernel", "yardsticks per step", "stored", "ratio to stored", f"limit {LIMIT}"], rows))
    if slower:
        print(f"\n{len(slower)} slower than {LIMIT} times the stored ratio: {', '.join(slower)}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
