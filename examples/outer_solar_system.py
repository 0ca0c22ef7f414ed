"""The sun and five outer planets for 11,000 years: orbits are stable with Störmer–Verlet, not with a damped scheme.

Data of Hairer, Lubich & Wanner, Geometric Numerical Integration, I.2.4 [AU, days, masses of the sun]; attraction is
one element for every pair of bodies.
"""

import numpy as np

import livens as lv
import livens.discrete as ld

G = 2.95912208286e-4
BODIES = {
    "sun": (1.00000597682, (0, 0, 0), (0, 0, 0)),
    "Jupiter": (0.000954786104043, (-3.5023653, -3.8169847, -1.5507963), (0.00565429, -0.00412490, -0.00190589)),
    "Saturn": (0.000285583733151, (9.0755314, -3.0458353, -1.6483708), (0.00168318, 0.00483525, 0.00192462)),
    "Uranus": (0.0000437273164546, (8.3101420, -16.2901086, -7.2521278), (0.00354178, 0.00137102, 0.00055029)),
    "Neptune": (0.0000517759138449, (11.4707666, -25.7294829, -10.8169456), (0.00288930, 0.00114527, 0.00039677)),
    "Pluto": (1.0 / 1.3e8, (-15.5387357, -25.2225594, -3.1902382), (0.00276725, -0.00170702, -0.00136504)),
}


def main(scheme, years=11_000, h=100.0):
    masses, q, v = (np.array([body[k] for body in BODIES.values()], dtype=float) for k in range(3))
    pairs = [(i, j) for i in range(len(masses)) for j in range(i)]
    pull = ld.Elements(
        lambda x, p: -p[0] / ld.norm(x[1] - x[0]), pairs, [G * masses[i] * masses[j] for i, j in pairs], dim=3
    )
    system = ld.Mechanical(np.repeat(masses, 3), pull)
    return ld.simulate(system, scheme, q.ravel(), v.ravel(), h, until=round(365.25 * years / h) * h)


def distances(run, body="Jupiter"):
    """Distances from the sun [AU]."""
    x = run.q.reshape(len(run), -1, 3)
    return np.linalg.norm(x[:, list(BODIES).index(body)] - x[:, 0], axis=1)


def check():
    run = main(ld.Trapezoidal())
    assert np.ptp(run.energy) < 2e-3 * abs(run.energy[0])
    assert 4.9 < distances(run).min() < distances(run).max() < 5.5
    assert np.abs(run.p.reshape(len(run), -1, 3).sum(axis=1) - run.p[0].reshape(-1, 3).sum(axis=0)).max() < 1e-15
    lost = None
    try:
        main(ld.Newmark(0.3025, 0.6), years=100)
    except lv.StepFailed as error:
        lost = error.trajectory
    assert distances(lost)[-1] < 2.0  # spiralled into the sun


if __name__ == "__main__":
    run = main(ld.Trapezoidal())
    print(f"{run!r} in {run.seconds:.2f} s")
    print(f"distance of Jupiter between {distances(run).min():.3f} and {distances(run).max():.3f} AU")
    print(f"relative energy error {np.ptp(run.energy) / abs(run.energy[0]):.1e}")
