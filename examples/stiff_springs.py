"""Fermi–Pasta–Ulam: stiff springs exchange energy, and the sum is nearly constant (Hairer, Lubich & Wanner, I.5).

Six masses, three stiff springs (ω = 50) with soft nonlinear ones between; x₀ x₁ x₂ move slowly, x₃ x₄ x₅ are the
lengths of the stiff springs. They exchange their energies I₁ I₂ I₃; I = I₁ + I₂ + I₃ is an adiabatic invariant.
"""

import numpy as np

import livens.discrete as ld

OMEGA = 50.0


def potential(x):
    soft = [x[0] - x[3], x[1] - x[4] - x[0] - x[3], x[2] - x[5] - x[1] - x[4], x[2] + x[5]]
    return 0.5 * OMEGA**2 * ld.dot(x[3:], x[3:]) + 0.25 * sum(length**4 for length in soft)


def main(scheme=None, h=0.02, until=200.0):
    system = ld.Mechanical(mass=1.0, potential=potential, n=6)
    q, v = [1.0, 0.0, 0.0, 1.0 / OMEGA, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    return ld.simulate(system, scheme or ld.Galerkin(4), q, v, h, until)


def stiff_energies(run):
    """I₁, I₂, I₃ (n, 3) [J]."""
    return 0.5 * (run.v[:, 3:] ** 2 + OMEGA**2 * run.q[:, 3:] ** 2)


def check():
    each = stiff_energies(main())
    assert each[0, 0] == 1.0
    assert each[:, 2].max() > 0.9  # nearly all energy has reached the third spring
    assert np.abs(each.sum(axis=1) - 1.0).max() < 4.0 / OMEGA


if __name__ == "__main__":
    run = main()
    each = stiff_energies(run)
    for k in range(0, len(run), len(run) // 10):
        print(f"t = {run.t[k]:5.1f} s: I = " + " + ".join(f"{x:.3f}" for x in each[k]) + f" = {each[k].sum():.3f}")
