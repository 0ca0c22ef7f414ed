"""`python -m benchmarks.references [KEY …]`: compute the references (takes minutes) and store them."""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from ..tasks import tasks
from . import VALUES, bodies, chains, general, loops

HOW = {
    "free-body": (bodies.about_a_point, "Euler's equations with quaternions, DOP853"),
    "heavy-top": (bodies.about_a_point, "Euler's equations about the pivot with quaternions, DOP853"),
    "chain": (chains.ends, "in the angles of the rods, DOP853"),
    "four-bars": (loops.four_bars, "in the angle of the cranks, DOP853"),
    "andrews": (loops.andrews, "in the angle of the crank with closed loops, DOP853"),
    "slider-crank": (loops.slider_crank, "in the angle of the crank with a closed loop, DOP853"),
    "net": (bodies.on_springs, "Newton's and Euler's equations with quaternions, DOP853"),
    "kepler": (general.kepler, "closed form, Kepler's equation by Newton's method"),
    "double-pendulum": (general.double_pendulum, "in its angles, DOP853"),
}
TIGHT, LOOSE = 1e-13, 1e-12


def compute(task, rtol: float = TIGHT) -> np.ndarray:
    """The reference of one problem."""
    name = max((name for name in HOW if task.key.startswith(name)), key=len)
    return HOW[name][0](task, rtol)


def main(keys: list[str]) -> None:
    stored = json.loads(VALUES.read_text()) if VALUES.exists() else {}
    for task in tasks():
        if keys and task.key not in keys:
            continue
        begin = time.perf_counter()
        values, check = compute(task), compute(task, LOOSE)
        name = max((name for name in HOW if task.key.startswith(name)), key=len)
        known = float(np.abs(values - check).max())
        stored[task.key] = {"how": HOW[name][1], "tolerance": TIGHT, "known to": known, "values": values.tolist()}
        VALUES.write_text(json.dumps(stored, indent=1) + "\n")
        print(f"{task.key}: difference {known:.0e}, {time.perf_counter() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
