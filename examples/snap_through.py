"""Snap-through of a shallow truss: Newton's method fails, the incremental potential does not.

Two bars support each other. The load increases until they snap through. With h = 0.1 s a step has several stationary
points, and minimisation of the incremental potential always finds a stable one.
"""

import numpy as np

import livens as lv
import livens.discrete as ld

RISE, BAR, RATE = 0.3, 2e4, 300.0  # metres, newtons per metre, newtons per second


def truss():
    rest = (1.0 + RISE**2) ** 0.5
    return ld.Mechanical(
        mass=[1.0],
        potential=lambda y: BAR * (ld.sqrt(1.0 + y[0] ** 2) - rest) ** 2,
        force=lambda t: [-RATE * t],
    )


def main(h=0.1):
    return ld.simulate(truss(), ld.IncrementalPotential(0.5625, 1.0), q=[RISE], v=[0.0], h=h, until=3.3)


def check():
    try:
        ld.simulate(truss(), ld.Newmark(0.5625, 1.0), q=[RISE], v=[0.0], h=0.1, until=3.3)
    except lv.StepFailed:
        pass
    else:
        raise AssertionError("Newton's method was expected to fail here")
    y = np.linspace(-1.0, 0.0, 100_001)  # final equilibrium below the supports
    force = 2.0 * BAR * (np.sqrt(1.0 + y**2) - (1.0 + RISE**2) ** 0.5) * y / np.sqrt(1.0 + y**2)
    still = y[np.flatnonzero(force > -RATE * 3.3)[0]]
    assert abs(main().q[-1, 0] - still) < 0.01


if __name__ == "__main__":
    for t, y in zip(main().t, main().q[:, 0], strict=True):
        print(f"{t:4.1f} s {y:8.4f} m")
