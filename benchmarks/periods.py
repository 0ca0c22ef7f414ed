"""Energy drift of variational and other schemes over a million periods: `make periods`, takes minutes.

Kepler's ellipse (e = 0.2, period 2π) and a pendulum with an amplitude of 2 rad, with 60 and 40 steps per period. The
trend of the energy error is given in ranges (maximum minus minimum) per run, with its standard error. Without drift it
is within a few standard errors of zero.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.special import ellipk

import livens.discrete as ld
from livens import StepFailed
from livens.discrete.compare import drift

from .table import markdown

SCHEMES = [
    ld.Trapezoidal(),
    ld.Midpoint(),
    ld.Galerkin(4),
    ld.Newmark(),
    ld.Newmark(0.3, 0.51),
    ld.GeneralizedAlpha(0.9),
]


def kepler() -> tuple[ld.Lagrangian, list[float], list[float], float, int]:
    """System, initial state, period and steps per period."""
    system = ld.Mechanical(
        mass=[1.0, 1.0],
        potential=lambda x: -1.0 / ld.norm(x),
        symmetries={"angular momentum": lambda q: (-q[1], q[0])},
    )
    return system, [0.8, 0.0], [0.0, np.sqrt(1.2 / 0.8)], 2.0 * np.pi, 60


def pendulum() -> tuple[ld.Lagrangian, list[float], list[float], float, int]:
    """The same, with the period 4 K(sin² 1)."""
    system = ld.Lagrangian(lambda q, v: 0.5 * v[0] ** 2 + ld.cos(q[0]), n=1)
    return system, [2.0], [0.0], 4.0 * float(ellipk(np.sin(1.0) ** 2)), 40


def measured(periods: int) -> list[list[str]]:
    """One row for each problem and scheme."""
    rows = []
    for name, (system, q, v, period, steps) in (("Kepler", kepler()), ("pendulum", pendulum())):
        for scheme in SCHEMES:
            every = max(1, periods * steps // 200_000)
            begin = time.perf_counter()
            try:
                run = ld.simulate(system, scheme, q=q, v=v, h=period / steps, until=periods * period, every=every)
            except StepFailed as error:
                rows.append([name, repr(scheme), str(error).partition(":")[0], "", "", ""])
                continue
            spent = time.perf_counter() - begin
            band, slope, uncertain = drift(run.t, run.energy)
            momenta = [float(np.ptp(m)) for m in run.momenta.values()]
            rows.append(
                [
                    name,
                    repr(scheme),
                    f"{band:.1e}",
                    f"{slope:+.4f} ± {uncertain:.4f}" if slope is not None else "–",
                    f"{momenta[0]:.0e}" if momenta else "–",
                    f"{spent:.0f} s, {1e6 * spent / run.steps:.2f} µs per step",
                ]
            )
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def main() -> None:
    periods = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    header = ["problem", "scheme", "energy band", "trend [ranges per run]", "angular momentum", "time"]
    print(f"{periods:,} periods\n\n" + markdown(header, measured(periods)))


if __name__ == "__main__":
    main()
