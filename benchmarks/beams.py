"""Beams: cost and accuracy by the number of sections: python -m benchmarks.beams [small].

    motion    a clamped rubber strip that falls: time of a step [µs] by `lv.Livens`, with elastic shear and stretch, and
              with constraints in their place, and by `lv.EnergyMomentum` at a step ten times as long; the exponent is
              that of the last doubling
    statics   the 45° bend of Bathe and Bolourchi: distance of the tip from the extrapolated one, time [s]

Times of steps are processor times of one thread, the best of five; those of statics are wall-clock times.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import livens as lv

from .table import markdown

RUBBER = lv.Material(E=2e6, nu=0.3, density=1000.0)
STEPS = 200


def strip(sections: int, **options: Any) -> lv.Model:
    """A strip, clamped at one end; longer with more sections, so that the step is the same."""
    m = lv.Model(gravity=(0, 0, -9.81), name="strip")
    beam = m.add(
        lv.Beam([(0, 0, 0), (sections / 16, 0, 0)], sections, lv.Section.rectangle(0.06, 0.02), RUBBER, **options)
    )
    m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0), name="clamp"))
    return m


def step_time(model: lv.Model, h: float, scheme: Any = None) -> float:
    """The time of a step [µs]."""
    run = lv.prepare(model, scheme, h=h)
    run(until=h)
    best = np.inf
    for _ in range(5):
        begin = time.process_time()
        run(until=STEPS * h)
        best = min(best, time.process_time() - begin)
    return 1e6 * best / STEPS


def bend(sections: int) -> tuple[np.ndarray, float]:
    """The tip of the 45° bend, and the time of its statics [s]."""
    m = lv.Model()
    beam = m.add(
        lv.Beam(
            lambda s: 100.0 * np.array([1.0 - np.cos(np.pi / 4 * s), np.sin(np.pi / 4 * s), 0.0]), sections,
            lv.Section(1.0, (1 / 12, 1 / 12), 1 / 6), lv.Material(E=1e7, nu=0.0, density=1.0),
        )
    )  # fmt: skip
    m.add(lv.Rigid(m.world.point(0, 0, 0), beam.start.point(0, 0, 0)))
    m.add(lv.Load(beam.end.point(0, 0, 0), force=(0, 0, 600.0)))
    begin = time.perf_counter()
    tip = lv.equilibrium(m, load_steps=4).position(beam.end)[0]
    return tip, time.perf_counter() - begin


def main() -> None:
    small = "small" in sys.argv[1:]
    sizes = [4, 8] if small else [16, 32, 64, 128, 256]
    rows, last = [], np.full(3, np.nan)
    for n in sizes:
        rigid = strip(n, shearable=False, extensible=False)
        exact = step_time(strip(n), 2e-4, lv.EnergyMomentum())
        times = np.array([step_time(strip(n), 2e-5), step_time(rigid, 2e-5), exact])
        rows.append([n, *(f"{t:.1f}" for t in times), *(f"{x:.2f}" for x in np.log2(times / last))])
        last = times
    kinds = ("elastic", "constrained", "exact energy")
    head = ["sections", *(f"{kind} [µs]" for kind in kinds), *(f"exponent, {kind}" for kind in kinds)]
    print(markdown(head, rows))
    found = {n: bend(n) for n in ([4, 8] if small else [4, 8, 16, 32])}
    (*_, (a, _), (b, _)) = found.values()
    limit = b + (b - a) / 3.0
    rows = [
        [n, *(f"{x:.3f}" for x in tip), f"{np.linalg.norm(tip - limit):.1e}", f"{t:.2f}"]
        for n, (tip, t) in found.items()
    ]
    print(markdown(["sections", "x", "y", "z", "from the limit", "time [s]"], rows))


if __name__ == "__main__":
    main()
