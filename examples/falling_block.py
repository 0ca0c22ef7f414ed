"""A block of soft rubber, modelled by linear tetrahedra, falls on an elastic floor and bounces.

Each tetrahedron has a neo-Hookean energy of its deformation F, written once; the incremental potential uses steps of
h = 2 ms through the impact. In the air the centre of mass moves on a parabola, independent of the deformation.
"""

import itertools

import numpy as np

import livens.discrete as ld

CELLS, SIZE, DENSITY, GRAVITY, DROP, FLOOR = (3, 2, 2), 0.1, 1000.0, 9.81, 0.2, 2e4  # m, kg/m³, m/s², m, N/m
MU, LAM = 4e4, 6e4  # Lamé's constants [Pa]


def strain(x, p):
    """Energy of a tetrahedron; p: the inverse of its edges at rest, and its volume."""
    F = [sum((x[k + 1] - x[0]) * p[3 * k + j] for k in range(3)) for j in range(3)]  # columns
    J = ld.log(ld.dot(F[0], ld.cross(F[1], F[2])))
    return p[9] * (0.5 * MU * (sum(ld.dot(f, f) for f in F) - 3.0 - 2.0 * J) + 0.5 * LAM * J**2)


def block():
    """The system, its nodes (n, 3) and their masses: cubes of six tetrahedra each."""
    shape = np.array(CELLS) + 1
    number = np.arange(shape.prod()).reshape(shape)
    place = SIZE * np.stack(np.unravel_index(number.ravel(), shape), axis=1) + [0.0, 0.0, DROP]
    ways = itertools.permutations(np.eye(3, dtype=int))  # six paths from a corner of a cube to the opposite one
    walks = [np.cumsum([(0, 0, 0), *way], axis=0) for way in ways]
    corners = itertools.product(*map(range, CELLS))
    cells = np.array([[number[tuple(corner + step)] for step in walk] for corner in corners for walk in walks])
    edges = place[cells[:, 1:]] - place[cells[:, :1]]
    volume = np.abs(np.linalg.det(edges)) / 6.0
    inverse = np.linalg.inv(edges.transpose(0, 2, 1))
    masses = np.bincount(cells.ravel(), np.repeat(DENSITY * volume / 4.0, 4))
    heights = 3 * number.reshape(-1, 1) + 2
    rubber = ld.Elements(strain, cells, np.column_stack([inverse.reshape(-1, 9), volume]), dim=3)
    weight = ld.Elements(lambda z, p: p[0] * GRAVITY * z[0], heights, masses)
    floor = ld.Elements(lambda z: 0.125 * FLOOR * (ld.smooth_norm(z[0], 1e-3) - z[0]) ** 2, heights)
    return ld.Mechanical(mass=np.repeat(masses, 3), potential=[rubber, weight, floor]), place, masses


def main(until=0.6):
    system, place, _ = block()
    return ld.simulate(system, ld.IncrementalPotential(), place.ravel(), np.zeros(place.size), 2e-3, until)


def check():
    run, masses = main(), block()[2]
    height = run.q[:, 2::3] @ masses / masses.sum()
    touch, bottom = np.sqrt(2.0 * DROP / GRAVITY), run.t[height.argmin()]
    assert np.abs(height - height[0] + 0.5 * GRAVITY * run.t**2)[run.t < 0.9 * touch].max() < 1e-5
    assert touch < bottom < 0.4
    assert height[run.t > bottom].max() > height.min() + 0.3 * DROP  # it bounces
    assert np.ptp(run.energy) < 0.02 * masses.sum() * GRAVITY * DROP


if __name__ == "__main__":
    print(main().report())
