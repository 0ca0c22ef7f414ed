"""Newmark's scheme with γ = ½ comes from a discrete action, for every β (Kane, Marsden, Ortiz & West 2000).

The variables y = q + βh² M⁻¹∇V(q), not the positions q, make this action stationary:

    L_d(y₀, y₁) = (1/2h) (y₁ − y₀)ᵀ M (y₁ − y₀) − (h/2) (Ṽ(y₀) + Ṽ(y₁)),     ∇Ṽ(y) = ∇V(q).

Therefore its energy error does not grow for any β. For γ ≠ ½ there is no such action, and the energy decays.
"""

import numpy as np

import livens.discrete as ld

H = 0.2
MASS = np.array([2.0, 1.0])


def potential(x):
    return 0.5 * ld.dot(x, x) + x[0] ** 2 * x[1] + 0.3 * (x[0] ** 4 + x[1] ** 4)


def gradient(x):
    a, b = x.T
    return np.column_stack([a + 2.0 * a * b + 1.2 * a**3, b + a**2 + 1.2 * b**3])


def main(beta, gamma=0.5, until=2000.0):
    system = ld.Mechanical(MASS, potential)
    return ld.simulate(system, ld.Newmark(beta, gamma), q=[0.4, -0.3], v=[0.3, 0.2], h=H, until=until)


def residual(run):
    """The discrete Euler–Lagrange equations D₂L_d(y₀, y₁) + D₁L_d(y₁, y₂), of every three steps."""
    y = run.q + run.scheme.beta * H**2 * gradient(run.q) / MASS
    return MASS * (y[2:] - 2.0 * y[1:-1] + y[:-2]) / H + H * gradient(run.q[1:-1])


def check():
    for beta in (0.0, 1 / 6, 0.25, 0.5):
        run = main(beta)
        assert np.abs(residual(run)).max() < 1e-13
        assert np.abs(run.energy[-1000:].mean() - run.energy[:1000].mean()) < 0.05 * np.ptp(run.energy)
    decaying = main(0.28, gamma=0.55)
    assert np.abs(residual(decaying)).max() > 1e-4
    assert decaying.energy[-1] < 0.01 * decaying.energy[0]


if __name__ == "__main__":
    for beta, gamma in ((0.0, 0.5), (0.25, 0.5), (0.5, 0.5), (0.28, 0.55)):
        run = main(beta, gamma)
        start, end = run.energy[:1000].mean(), run.energy[-1000:].mean()
        print(f"β = {beta:.2f}, γ = {gamma:.2f}: residual {np.abs(residual(run)).max():.0e}, ", end="")
        print(f"energy {start:.6f} J initially, {end:.6f} J after {run.steps:,} steps")
