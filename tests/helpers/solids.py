"""Problems for the incremental potential: nets of springs, a block of tetrahedra, a truss that snaps through."""

import itertools

import numpy as np

import livens.discrete as ld

GRAVITY = 9.81


def net(n, stiffness=500.0, mass=0.1, drag=0.0, seed=0):
    """A free n × n net of springs in space, its nodes disturbed: the system, positions, velocities."""
    index = np.arange(n * n).reshape(n, n)
    ends = [(index[:, :-1], index[:, 1:]), (index[:-1], index[1:]), (index[:-1, :-1], index[1:, 1:])]
    nodes = np.vstack([np.column_stack([a.ravel(), b.ravel()]) for a, b in ends])
    place = np.stack([index // n, index % n, 0 * index], axis=-1).reshape(-1, 3).astype(float)
    length = np.linalg.norm(place[nodes[:, 1]] - place[nodes[:, 0]], axis=1)
    rng = np.random.default_rng(seed)
    dampers = ld.Elements(lambda q, v: 0.5 * drag * ld.dot(v[1] - v[0], v[1] - v[0]), nodes, dim=3, name="dampers")
    system = ld.Mechanical(
        mass=np.full(3 * n * n, mass),
        potential=ld.springs(nodes, stiffness, length),
        dissipation=dampers if drag else None,
        symmetries={
            **{
                f"p{axis}": lambda q, k=k: [float(i % 3 == k) for i in range(3 * n * n)] for k, axis in enumerate("xyz")
            },
            "Lz": lambda q: [(-q[i + 1], q[i - 1], 0.0)[i % 3] if i % 3 < 2 else 0.0 * q[i] for i in range(3 * n * n)],
        },
    )
    return system, (place + 0.05 * rng.normal(size=place.shape)).ravel(), rng.normal(size=place.size)


def neo_hookean(young=1e4, poisson=0.3):
    """Strain energy of a linear tetrahedron; p: the inverse of its edges at rest (row by row), and its volume."""
    mu, lam = young / (2.0 * (1.0 + poisson)), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))

    def energy(x, p):
        edges = [x[k] - x[0] for k in (1, 2, 3)]
        F = [sum(edges[k] * p[3 * k + j] for k in range(3)) for j in range(3)]
        J = ld.dot(F[0], ld.cross(F[1], F[2]))
        squares = sum(ld.dot(f, f) for f in F)
        return p[9] * (0.5 * mu * (squares - 3.0 - 2.0 * ld.log(J)) + 0.5 * lam * ld.log(J) ** 2)

    return energy


def block(cells=(3, 2, 2), size=0.1, density=1000.0, floor=None):
    """A block of cubes of six tetrahedra each, in gravity, over a springy floor at height 0 if `floor` [N/m] is given:
    the system, positions, and the masses of its nodes."""
    shape = np.array(cells) + 1
    number = np.arange(shape.prod()).reshape(shape)
    place = size * np.stack(np.unravel_index(number.ravel(), shape), axis=1).astype(float)
    tetrahedra = []
    for corner in itertools.product(*(range(c) for c in cells)):
        for order in itertools.permutations(range(3)):  # six paths from a corner to the opposite one
            walk = np.array([corner] * 4)
            for step, axis in enumerate(order, 1):
                walk[step:, axis] += 1
            tetrahedra.append([number[tuple(w)] for w in walk])
    tetrahedra = np.array(tetrahedra)
    edges = place[tetrahedra[:, 1:]] - place[tetrahedra[:, :1]]  # rows are edges
    flip = np.linalg.det(edges) < 0.0
    tetrahedra[flip] = tetrahedra[flip][:, [0, 2, 1, 3]]
    edges = place[tetrahedra[:, 1:]] - place[tetrahedra[:, :1]]
    volume = np.linalg.det(edges) / 6.0
    inverse = np.linalg.inv(edges.transpose(0, 2, 1))  # F = [edges now as columns] · inverse
    masses = np.zeros(len(place))
    np.add.at(masses, tetrahedra.ravel(), np.repeat(density * volume / 4.0, 4))
    parameters = np.column_stack([inverse.reshape(-1, 9), volume])
    heights = 3 * np.arange(len(place))[:, None] + 2
    pieces = [
        ld.Elements(neo_hookean(), tetrahedra, parameters, dim=3, name="tetrahedra"),
        ld.Elements(lambda z, p: p[0] * GRAVITY * z[0], heights, masses, name="weight"),
    ]
    if floor:
        pieces.append(ld.Elements(lambda z: 0.125 * floor * (ld.smooth_norm(z[0], 1e-3) - z[0]) ** 2, heights))
    return ld.Mechanical(mass=np.repeat(masses, 3), potential=pieces), place.ravel(), masses


SPAN, RISE, BAR = 1.0, 0.3, 2e4  # of the von Mises truss: half its span [m], its rise [m], stiffness of a bar [N/m]


def truss_energy(x, y, root):
    rest = (SPAN**2 + RISE**2) ** 0.5
    bars = [root((x - side * SPAN) ** 2 + y**2) - rest for side in (-1.0, 1.0)]
    return 0.5 * BAR * (bars[0] ** 2 + bars[1] ** 2)


def truss(load):
    """Two bars that meet in a mass of 1 kg, which is pushed down with load(t) [N]."""
    return ld.Mechanical(
        mass=[1.0, 1.0], potential=lambda x: truss_energy(x[0], x[1], ld.sqrt), force=lambda t: [0.0, -load(t)]
    )
