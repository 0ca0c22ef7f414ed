"""A cloth of 100 × 100 nodes, suspended at two corners: stiff springs with the incremental potential, steps of 10 ms.

An explicit scheme would need steps below 0.3 ms. Each step is a minimisation in 30,000 unknowns with a sparse
factorisation. β = 1, γ = 3/2 damps the vibrations of the threads, and air drag damps the swinging.
"""

import numpy as np

import livens.discrete as ld

SPACING, DENSITY, STIFFNESS, HOOK, DRAG = 0.01, 0.2, 200.0, 1e4, 4.0  # m, kg/m², N/m, N/m, 1/s
MASS, GRAVITY = DENSITY * SPACING**2, 9.81  # mass of a node [kg]; [m/s²]


def cloth(n):
    """The system, and its n × n nodes in a plane: structural, shear and bending springs."""
    node = np.arange(n * n).reshape(n, n)
    ends = {
        1.0: [(node[:, :-1], node[:, 1:]), (node[:-1], node[1:])],
        0.5: [(node[:-1, :-1], node[1:, 1:]), (node[:-1, 1:], node[1:, :-1])],
        0.01: [(node[:, :-2], node[:, 2:]), (node[:-2], node[2:])],
    }
    pairs = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for some in ends.values() for a, b in some])
    part = np.concatenate([np.full(a.size, k) for k, some in ends.items() for a, _ in some])
    flat = SPACING * np.stack([node // n, node % n, 0 * node], axis=-1).reshape(-1, 3).astype(float)
    length = np.linalg.norm(flat[pairs[:, 1]] - flat[pairs[:, 0]], axis=1)
    corners = [0, n - 1]
    threads = ld.springs(pairs, STIFFNESS * part, length)
    weight = ld.Elements(lambda z: MASS * GRAVITY * z[0], 3 * node.reshape(-1, 1) + 2)
    hooks = ld.Elements(lambda x, p: 0.5 * HOOK * ld.dot(x[0] - p, x[0] - p), [[k] for k in corners], flat[corners], 3)
    mass = np.full(3 * n * n, MASS)
    return ld.Mechanical(mass, [threads, weight, hooks], damping=DRAG * mass), flat


def main(n=100, until=1.0):
    system, flat = cloth(n)
    return ld.simulate(system, ld.IncrementalPotential(1.0, 1.5), flat.ravel(), np.zeros(flat.size), 0.01, until)


def check(n=10):
    """At rest the hooks carry the total weight, and the threads are hardly stretched."""
    run = main(n, until=2.5)
    place = run.q[-1].reshape(n, n, 3)
    flat = cloth(n)[1].reshape(n, n, 3)
    carried = HOOK * (flat[0, [0, -1]] - place[0, [0, -1]]).sum(axis=0)
    np.testing.assert_allclose(carried, [0.0, 0.0, n * n * MASS * GRAVITY], atol=0.01 * n * n * MASS * GRAVITY)
    assert np.abs(np.linalg.norm(np.diff(place, axis=1), axis=2) / SPACING - 1.0).max() < 0.02
    assert place[-1, :, 2].max() < -0.8 * (n - 1) * SPACING


if __name__ == "__main__":
    run = main()
    print(run.report())
    print(
        f"{run.seconds / run.steps:.2f} s per step; lowest height relative to the hooks {run.q[-1, 2::3].min():.3f} m"
    )
