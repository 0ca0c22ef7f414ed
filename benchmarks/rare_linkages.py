"""Further linkages of known degrees of freedom, for linkages.py: loops of one group of motions, lattices, long bars, or
starts in a singular position.

A loop whose pairs all belong to one group of motions of dimension d has as many degrees of freedom as its pairs, less
d: 3 for rotations about a point, planar motions and translations, 4 for translations and turns about one direction,
2 for sleeves on one axis (Hervé 1978).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

import livens as lv

from .pairs import Linkage, Pair, Z, polygon

X = np.array([1.0, 0.0, 0.0])


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)


def height(rng: Generator) -> np.ndarray:
    """A displacement along the axes of a planar linkage, which does not change its motion."""
    return 0.2 * rng.normal() * Z


# ── loops of one group ──


def spherical(rng: Generator) -> Linkage:
    """Hinges whose axes meet in one point."""
    n = int(rng.integers(4, 8))
    corner = polygon(rng, n) + (1.0 + 0.2 * rng.random(n))[:, None] * Z
    pairs = [Pair("Revolute", k, (k + 1) % n, corner[k] * rng.uniform(0.5, 1.5), corner[k]) for k in range(n)]
    return Linkage(f"{n} hinges about a point", pairs, n - 3)


def planar_sliders(rng: Generator) -> Linkage:
    """Two sliders and two hinges, as in a trammel or an Oldham coupling."""
    a, b = rng.uniform(0.5, 1.5, 2)
    along, across = X, np.array([0.2 * rng.normal(), 1.0, 0.0])
    one, two = a * X + height(rng), np.array([0.0, b, 0.0]) + height(rng)
    trammel = [("Prismatic", one, along), ("Revolute", one, Z), ("Revolute", two, Z), ("Prismatic", two, across)]
    oldham = [("Revolute", one, Z), ("Prismatic", one, along), ("Prismatic", two, across), ("Revolute", two, Z)]
    kinds = trammel if rng.integers(2) else oldham
    return Linkage("two sliders", [Pair(kind, k, (k + 1) % 4, at, axis) for k, (kind, at, axis) in enumerate(kinds)], 1)


def sliders(rng: Generator) -> Linkage:
    """Sliders only, in space."""
    n = int(rng.integers(4, 7))
    pairs = [Pair("Prismatic", k, (k + 1) % n, rng.normal(size=3), unit(rng.normal(size=3))) for k in range(n)]
    return Linkage(f"{n} sliders", pairs, n - 3)


def schoenflies(rng: Generator) -> Linkage:
    """Parallel hinges, and two sliders in any direction."""
    n = int(rng.integers(5, 8))
    corner = polygon(rng, n) + rng.normal(size=n)[:, None] * Z
    free = rng.choice(n, 2, replace=False)
    pairs = [
        Pair("Prismatic", k, (k + 1) % n, corner[k], unit(rng.normal(size=3)))
        if k in free
        else Pair("Revolute", k, (k + 1) % n, corner[k], Z)
        for k in range(n)
    ]
    return Linkage(f"{n} pairs with parallel hinges", pairs, n - 4)


def sleeves(rng: Generator) -> Linkage:
    """Hinges, sliders and sleeves on one axis."""
    kinds = [("Revolute", "Prismatic", "Cylindrical"), ("Cylindrical", "Prismatic", "Revolute", "Revolute")]
    chosen = kinds[rng.integers(2)]
    pairs = [Pair(kind, k, (k + 1) % len(chosen), rng.normal() * Z, Z) for k, kind in enumerate(chosen)]
    return Linkage("sleeves", pairs, len(chosen) + 1 - 2)


# ── others ──


def symmetric_bricard(rng: Generator) -> Linkage:
    """Six hinges, three of which are the others after half a turn about a line."""
    half_turn = np.diag([-1.0, -1.0, 1.0])
    three = []
    for k in range(3):
        angle = np.pi / 3.0 * k + 0.1 * rng.normal()
        three.append((np.array([np.cos(angle), np.sin(angle), 0.3 * rng.normal()]), unit(rng.normal(size=3))))
    hinges = [*three, *((half_turn @ at, half_turn @ axis) for at, axis in three)]
    pairs = [Pair("Revolute", k, (k + 1) % 6, at, axis) for k, (at, axis) in enumerate(hinges)]
    return Linkage("line-symmetric Bricard", pairs, 1)


def scissors(rng: Generator) -> Linkage:
    """Crossed bars in a row."""
    n = int(rng.integers(2, 9))
    w, h = rng.uniform(0.5, 1.0, 2)
    pairs = []
    for k in range(n):
        pairs.append(Pair("Revolute", 2 * k, 2 * k + 1, np.array([(k + 0.5) * w, 0.5 * h, 0.0]) + height(rng), Z))
        if k:
            low, high = np.array([k * w, 0.0, 0.0]), np.array([k * w, h, 0.0])
            pairs.append(Pair("Revolute", 2 * k - 1, 2 * k, low + height(rng), Z))
            pairs.append(Pair("Revolute", 2 * k - 2, 2 * k + 1, high + height(rng), Z))
    return Linkage(f"{n} scissors", pairs, 1)


def lattice(rng: Generator) -> Linkage:
    """A net of parallelograms: every row and every column of bars keeps its direction."""
    n, m = (int(k) for k in rng.integers(2, 5, 2))
    u = np.stack([rng.uniform(0.6, 1.2, n - 1), rng.uniform(-0.3, 0.3, n - 1), np.zeros(n - 1)], axis=1)
    v = np.stack([rng.uniform(-0.3, 0.3, m - 1), rng.uniform(0.6, 1.2, m - 1), np.zeros(m - 1)], axis=1)
    along = [("u", i, j) for i in range(n - 1) for j in range(m)]
    bars = {bar: k for k, bar in enumerate(along + [("v", i, j) for i in range(n) for j in range(m - 1)])}
    pairs = []
    for i in range(n):
        for j in range(m):
            ends = (("u", i, j), ("u", i - 1, j), ("v", i, j), ("v", i, j - 1))
            first, *others = (bars[end] for end in ends if end in bars)
            at = u[:i].sum(axis=0) + v[:j].sum(axis=0)
            pairs += [Pair("Revolute", first, other, at, Z) for other in others]
    return Linkage(f"net of {n} x {m}", pairs, n + m - 3)


def long_bars(rng: Generator) -> Linkage:
    """A four-bar two of whose bars are up to 10⁴ times as long as the others."""
    corner = polygon(rng, 4) + rng.normal(size=4)[:, None] * Z
    corner[:2] += 10.0 ** rng.uniform(0.0, 4.0) * X
    kinds = ["Revolute"] * 4
    kinds[rng.integers(4)] = str(rng.choice(["Revolute", "Spherical", "Cylindrical"]))
    return Linkage("long four-bar", [Pair(kinds[k], k, (k + 1) % 4, corner[k], Z) for k in range(4)], 1)


def legs(rng: Generator) -> Linkage:
    """A platform on three to five legs of three parallel hinges each, whose planes meet in a line (Sarrus)."""
    count, pairs = int(rng.integers(3, 6)), []
    for k in range(count):
        angle = 2.0 * np.pi * (k + rng.uniform(-0.2, 0.2)) / count
        out, axis = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
        foot, lower, upper = rng.uniform(1.0, 2.0) * out + 0.1 * rng.normal() * axis, 2 + 2 * k, 3 + 2 * k
        pairs += [
            Pair("Revolute", 0, lower, foot, axis),
            Pair("Revolute", lower, upper, foot + rng.uniform(0.5, 1.0) * out + 0.65 * Z, axis),
            Pair("Revolute", upper, 1, foot + 1.3 * Z + 0.1 * out, axis),
        ]
    return Linkage(f"{count} legs of hinges", pairs, 1)


# ── singular positions ──


def flat_parallelogram(rng: Generator) -> Linkage:
    """Four bars on one line, where two motions begin."""
    a, b = rng.uniform(0.5, 1.5, 2)
    pairs = [Pair("Revolute", k, (k + 1) % 4, x * X + height(rng), Z) for k, x in enumerate((0.0, a, a + b, b))]
    return Linkage("flat parallelogram", pairs, 1)


def stretched_slider_crank(rng: Generator) -> Linkage:
    """Crank and rod in line: a dead centre."""
    a, b = rng.uniform(0.5, 1.5, 2)
    wrist = str(rng.choice(["Revolute", "Spherical"]))
    kinds = (("Revolute", 0.0, Z), ("Revolute", a, Z), (wrist, a + b, Z), ("Prismatic", a + b, X))
    pairs = [Pair(kind, k, (k + 1) % 4, x * X + height(rng), axis) for k, (kind, x, axis) in enumerate(kinds)]
    return Linkage("stretched slider-crank", pairs, 1)


RARE: tuple[Callable[[Generator], Linkage], ...] = (
    spherical,
    planar_sliders,
    sliders,
    schoenflies,
    sleeves,
    symmetric_bricard,
    scissors,
    lattice,
    long_bars,
    legs,
)
SINGULAR = (flat_parallelogram, stretched_slider_crank)


def uneven(model: lv.Model, rng: Generator, length: float) -> None:
    """Give the bodies masses between 10⁻⁴ and 10⁴ kg, and radii of gyration between 10⁻² and 10 lengths."""
    for body in model.bodies[1:]:
        mass, size = 10.0 ** rng.uniform(-4.0, 4.0), length * 10.0 ** rng.uniform(-2.0, 1.0)
        body.shape = lv.MassProperties(mass, mass * size**2 * np.array([0.5, 0.6, 0.7]))
