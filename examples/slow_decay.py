"""Decay rate of a weakly damped oscillator: only a scheme without numerical damping computes it correctly.

x″ + c x′ + x = 0 loses energy at the rate c. The midpoint rule with the discrete Lagrange–d'Alembert principle has the
rate c/(1 + h²/4) for any small c; the numerical damping of other schemes is a thousand times larger
(Kane, Marsden, Ortiz & West 2000).
"""

import numpy as np

import livens.discrete as ld

H = 0.2
SCHEMES = {
    "midpoint": ld.Midpoint(),
    "Newmark, γ = 0.5": ld.Newmark(),
    "generalised-α, ρ = 0.5": ld.GeneralizedAlpha(0.5),
    "Newmark, γ = 0.6": ld.Newmark(0.3025, 0.6),
}


def main(scheme, c, until=1000.0):
    system = ld.Mechanical(mass=[1.0], potential=lambda x: 0.5 * x[0] ** 2, damping=[c])
    return ld.simulate(system, scheme, q=[1.0], v=[0.0], h=H, until=until)


def rate(run):
    """Decay rate of the energy [1/s], by a line through its logarithm."""
    kept = run.energy > 1e-12 * run.energy[0]
    return -np.polyfit(run.t[kept], np.log(run.energy[kept]), 1)[0]


def check():
    for c in (1e-6, 1e-5, 1e-4):
        run = main(SCHEMES["midpoint"], c)
        assert abs(rate(run) * (1.0 + H**2 / 4.0) / c - 1.0) < 1e-3
        assert np.abs(run.energy - run.energy[0] + run.lost).max() < 1e-13
        assert rate(main(SCHEMES["generalised-α, ρ = 0.5"], c)) > 2.0 * c
        assert rate(main(SCHEMES["Newmark, γ = 0.6"], c)) > 100.0 * c


if __name__ == "__main__":
    for c in (1e-6, 1e-4, 1e-2):
        print(f"exact rate {c:.0e}: " + ", ".join(f"{name} {rate(main(s, c)):.2e}" for name, s in SCHEMES.items()))
