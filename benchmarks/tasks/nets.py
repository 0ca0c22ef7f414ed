"""A net of boxes connected to their neighbours by springs, suspended at one edge."""

from __future__ import annotations

from functools import partial

import numpy as np

from . import Task
from .mechanism import Mechanism, Part, Pull


def net(side: int) -> Mechanism:
    """side × side boxes of 0.6 × 0.4 × 0.2 m, 1 m apart, rotating slowly."""
    size, mass = np.array([0.6, 0.4, 0.2]), 0.96
    inertia = tuple(mass / 12 * (np.sum(size**2) - size**2))
    place = {(i, j): np.array([float(i), 0.1 * np.sin(3 * i + j), -float(j)]) for i in range(side) for j in range(side)}
    number = {key: k for k, key in enumerate(place)}
    parts = [
        Part(mass, inertia, at=tuple(x), rates=(0.5 * np.sin(i + 2 * j), 0.5 * np.cos(2 * i - j), 0.3))
        for (i, j), x in place.items()
    ]
    springs = []
    for (i, j), x in place.items():
        k = number[i, j]
        if j == 0:
            springs.append(Pull(None, k, (float(i), 0.0, 1.0), tuple(np.add(x, (0, 0, 0.1))), 400.0, 0.8))
        for key, offset, length in (((i + 1, j), (0.3, 0, 0), 0.4), ((i, j + 1), (0, 0, -0.1), 0.7)):
            if key in place:
                ends = tuple(x + offset), tuple(place[key] - offset)
                springs.append(Pull(k, number[key], *ends, 200.0, length))
    return Mechanism(parts, springs=springs, gravity=(0.0, 0.0, -9.81))


def _task(side: int, until: float) -> Task:
    """The probes are twelve bodies distributed over the net."""
    bodies = np.linspace(0, side * side - 1, 12).astype(int).tolist()
    probes = [(k, (0.3, 0.0, 0.0)) for k in bodies]
    title = f"net of {side * side:,} bodies, {until:g} s"
    return Task(f"net-{side}", title, partial(net, side), until, probes, 1.0, 25)


TASKS = (_task(32, 1.0),)
