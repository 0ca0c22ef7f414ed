"""A block on a spring with dry friction, with the incremental potential: D = σ|v|, smoothed below a creep speed ε.

Each half cycle reduces the amplitude by 2σ/k, and the block sticks when the spring force is smaller than friction.
"""

import numpy as np

import livens.discrete as ld

STIFFNESS, FRICTION, START, CREEP = 100.0, 8.0, 0.5, 1e-8  # newtons per metre, newtons, metres, metres per second


def main(h=1e-3):
    block = ld.Mechanical(
        mass=[1.0],
        potential=lambda x: 0.5 * STIFFNESS * x[0] ** 2,
        dissipation=lambda q, v: FRICTION * ld.smooth_norm(v[0], CREEP),
    )
    return ld.simulate(block, ld.IncrementalPotential(), q=[START], v=[0.0], h=h, until=1.5)


def check():
    run, h = main(), 1e-3
    cycle = np.pi / STIFFNESS**0.5
    for half in range(4):  # 0.5, −0.34, 0.18, −0.02: final position
        turning = np.argmin(np.abs(run.t - half * cycle))
        assert abs(run.q[turning, 0] - (-1) ** half * (START - 2 * half * FRICTION / STIFFNESS)) < 2 * h
    assert np.ptp(run.q[run.t > 3.1 * cycle]) < h
    assert abs(run.energy[0] - run.energy[-1] - run.lost[-1]) < 10 * h


if __name__ == "__main__":
    run = main()
    print(f"position of rest {run.q[-1, 0]:.4f} m; friction dissipated {run.lost[-1]:.3f} J of {run.energy[0]:.3f} J")
