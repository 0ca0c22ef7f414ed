"""Random linkages whose degrees of freedom are known: planar loops, slider-cranks, Sarrus, Bennett, Goldberg, Bricard.

Each is built in a random orientation, position and unit of length; bar 0 is the ground. `python -m benchmarks.linkages
2000` prints the linkages whose degrees of freedom are counted wrong.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.spatial.transform import Rotation

import livens as lv
from livens.compile.compiled import Compiled

from .counts import Count
from .pairs import Linkage, Pair, Z, polygon
from .rare_linkages import RARE, SINGULAR, uneven

UNITS = 10.0 ** np.array([-6, -3, -2, -1, 0, 0, 0, 1, 2, 3, 6])  # a metre in other units of length


class Frame(NamedTuple):
    """Where a linkage is: x = offset + unit R x₀."""

    R: np.ndarray
    offset: np.ndarray
    unit: float

    @classmethod
    def random(cls, rng: Generator, unit: float) -> Frame:
        return cls(Rotation.random(random_state=rng).as_matrix(), unit * rng.normal(size=3), unit)


def build(linkages: list[tuple[Linkage, Frame]], floating: bool = False, shuffle: Generator | None = None) -> lv.Model:
    """One model of several linkages on the world, or on one free body."""
    m = lv.Model(name="linkages")
    unit = linkages[0][1].unit
    ground = m.world
    if floating:
        ground = m.add(lv.Body(lv.MassProperties(5.0, np.full(3, 2.0 * unit**2)), name="ground"))
    joints = []
    for number, (linkage, frame) in enumerate(linkages):
        bars = sorted({bar for pair in linkage.pairs for bar in (pair.one, pair.two)} - {0})
        bodies = {0: ground}
        for bar in bars:
            places = np.array([pair.at for pair in linkage.pairs if bar in (pair.one, pair.two)])
            middle = frame.offset + frame.unit * frame.R @ places.mean(axis=0)
            matter = lv.MassProperties(1.0 + 0.1 * bar, frame.unit**2 * np.array([0.2, 0.25, 0.3]))
            bodies[bar] = m.add(lv.Body(matter, at=middle, rotation=frame.R, name=f"{number}.{bar}"))
        for k, pair in enumerate(linkage.pairs):
            at = frame.offset + frame.unit * frame.R @ pair.at
            points = [bodies[bar].point_at(at) for bar in (pair.one, pair.two)]
            options = {} if pair.kind == "Spherical" else {"axis": frame.R @ pair.axis}
            joints.append(getattr(lv, pair.kind)(*points, **options, name=f"{number}:{k}"))
    if shuffle is not None:
        shuffle.shuffle(joints)
    for joint in joints:
        m.add(joint)
    return m


# ── planar loops ──


def bars(rng: Generator, n: int) -> Linkage:
    """A planar loop of n bars; one hinge may be a ball joint or a cylindrical joint."""
    corner = polygon(rng, n)
    kinds = ["Revolute"] * n
    special = rng.choice(["Revolute", "Spherical", "Cylindrical"])
    kinds[rng.integers(n)] = str(special)
    corner[:, 2] += rng.normal(size=n) * rng.integers(2)  # bars in several planes
    pairs = [Pair(kinds[k], k, (k + 1) % n, corner[k], Z) for k in range(n)]
    return Linkage(f"{n} bars with a {special}", pairs, n - 3)


def slider_crank(rng: Generator) -> Linkage:
    """Crank, rod and slider; the wrist may be a ball joint."""
    p = polygon(rng, 3)
    wrist = str(rng.choice(["Revolute", "Spherical"]))
    along = np.array([np.cos(0.3), np.sin(0.3), 0.0])
    pairs = [Pair("Revolute", 0, 1, p[0], Z), Pair("Revolute", 1, 2, p[1], Z), Pair(wrist, 2, 3, p[2], Z)]
    return Linkage(f"slider-crank with a {wrist}", [*pairs, Pair("Prismatic", 3, 0, p[2], along)], 1)


def parallelograms(rng: Generator) -> Linkage:
    """A coupler on three to five equal cranks."""
    cranks = int(rng.integers(3, 6))
    crank = np.array([rng.normal(), 1.0 + rng.random(), 0.0])
    pairs = []
    for k in range(cranks):
        foot = np.array([1.5 * k, 0.3 * rng.normal(), rng.normal()])
        pairs += [Pair("Revolute", 0, k + 2, foot, Z), Pair("Revolute", k + 2, 1, foot + crank, Z)]
    return Linkage(f"{cranks} parallel cranks", pairs, 1)


def four_bars_in_a_row(rng: Generator) -> Linkage:
    """Parallelograms of which neighbours share a crank."""
    n = int(rng.integers(2, 7))
    pairs, top = [], np.array([0.2, 1.0, 0.0])
    for k in range(n + 1):
        pairs.append(Pair("Revolute", 0, k + 1, np.array([float(k), 0.0, 0.0]), Z))
    for k in range(n):
        coupler = n + 2 + k
        pairs.append(Pair("Revolute", k + 1, coupler, np.array([float(k), 0.0, 0.0]) + top, Z))
        pairs.append(Pair("Revolute", coupler, k + 2, np.array([k + 1.0, 0.0, 0.0]) + top, Z))
    return Linkage(f"{n} four-bars in a row", pairs, 1)


# ── spatial loops ──


def sarrus(rng: Generator) -> Linkage:
    """Two legs of three parallel hinges each, in planes that cross: the platform moves along a line."""
    pairs = []
    bar = 2
    turn = rng.uniform(0.5, 2.5)
    for angle in (0.0, turn):
        out, axis = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
        knee, height = rng.uniform(0.5, 1.0), rng.uniform(1.0, 1.6)
        foot, top = 1.5 * out, 1.5 * out + height * Z
        middle = foot + knee * out + 0.5 * height * Z
        pairs += [
            Pair("Revolute", 0, bar, foot, axis),
            Pair("Revolute", bar, bar + 1, middle, axis),
            Pair("Revolute", bar + 1, 1, top, axis),
        ]
        bar += 2
    return Linkage("Sarrus", pairs, 1)


def _screw(theta: float, a: float, alpha: float) -> np.ndarray:
    """From one hinge of a chain to the next (Denavit–Hartenberg, no offset)."""
    c, s, C, S = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s * C, s * S, a * c], [s, c * C, -c * S, a * s], [0.0, S, C, 0.0], [0.0, 0.0, 0.0, 1.0]])


def _bennett(rng: Generator, a: float, alpha: float) -> tuple[list[np.ndarray], float]:
    """Frames of the four hinges of a Bennett linkage with the link (a, α) first, and how well it closes."""
    while True:
        beta = rng.uniform(0.3, 2.8)
        b = a * np.sin(beta) / np.sin(alpha)
        if 0.3 < b < 3.0 and abs(np.sin(0.5 * (beta - alpha))) > 0.1:
            break
    one = rng.uniform(0.6, 2.2)
    two = 2.0 * np.arctan2(np.sin(0.5 * (beta + alpha)), np.sin(0.5 * (beta - alpha)) * np.tan(0.5 * one))
    T = np.eye(4)
    frames = []
    for theta, length, twist in ((one, a, alpha), (two, b, beta), (-one, a, alpha), (-two, b, beta)):
        frames.append(T)
        T = T @ _screw(theta, length, twist)
    return frames, float(np.abs(T - np.eye(4)).max())


def _hinge(one: int, two: int, T: np.ndarray) -> Pair:
    return Pair("Revolute", one, two, T[:3, 3], T[:3, 2])


def bennett(rng: Generator) -> Linkage:
    """Four skew hinges with one degree of freedom."""
    frames, miss = _bennett(rng, 1.0, rng.uniform(0.3, 2.8))
    assert miss < 1e-12
    return Linkage("Bennett", [_hinge(k, (k + 1) % 4, T) for k, T in enumerate(frames)], 1)


def goldberg(rng: Generator) -> Linkage:
    """Five hinges: two Bennett linkages with a common link, which is removed; two of their links are one."""
    alpha = rng.uniform(0.3, 2.8)
    (A, miss), (B, other) = _bennett(rng, 1.0, alpha), _bennett(rng, 1.0, alpha)
    assert max(miss, other) < 1e-12
    # the common link joins hinges 0 and 1 of both; in its frame both linkages have the same axes there
    on_link = [[np.linalg.inv(F[0] @ _screw(angle(F), 0.0, 0.0)) @ T for T in F] for F in (A, B)]
    assert np.allclose(on_link[0][1][:3, 2:], on_link[1][1][:3, 2:], atol=1e-12)
    a, b = on_link
    # bars: 0 = the joined links at hinge 1, 1 = A's link 2–3, 2 = A's link 3–0, 3 = B's link 0–3, 4 = B's link 3–2
    pairs = [_hinge(0, 1, a[2]), _hinge(1, 2, a[3]), _hinge(2, 3, a[0]), _hinge(3, 4, b[3]), _hinge(4, 0, b[2])]
    return Linkage("Goldberg", pairs, 1)


def angle(frames: list[np.ndarray]) -> float:
    """The angle of the first hinge: from its frame's x axis to the link that follows."""
    to = np.linalg.inv(frames[0]) @ frames[1][:, 3]
    return float(np.arctan2(to[1], to[0]))


def bricard(rng: Generator) -> Linkage:
    """Six hinges along the edges of a cube (trihedral): one degree of freedom."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 1]], dtype=float)
    pairs = []
    for k in range(6):
        axis = np.cross(corners[k] - corners[k - 1], corners[(k + 1) % 6] - corners[k])
        pairs.append(Pair("Revolute", k, (k + 1) % 6, corners[k], axis))
    return Linkage("Bricard", pairs, 1)


Families = tuple[Callable[[Generator], Linkage], ...]
FAMILIES: Families = (
    lambda rng: bars(rng, int(rng.integers(4, 8))),
    slider_crank,
    parallelograms,
    four_bars_in_a_row,
    sarrus,
    bennett,
    goldberg,
    bricard,
    *RARE,
)


def draw(seed: int, most: int = 1, families: Families = FAMILIES) -> tuple[list[tuple[Linkage, Frame]], bool]:
    """Some random linkages in random frames of one unit, and whether their ground is free."""
    rng = np.random.default_rng(seed)
    unit = float(rng.choice(UNITS))
    count = 1 if most == 1 else int(rng.integers(2, most + 1))
    chosen = [(families[rng.integers(len(families))](rng), Frame.random(rng, unit)) for _ in range(count)]
    return chosen, bool(rng.integers(2))


def miscounted(seed: int, most: int = 1) -> str:
    """A line about a linkage whose freedom is not what it should be; "" if it is. One in five starts in a singular
    position, every other one has bodies whose masses and inertias differ by many orders of magnitude."""
    rng = np.random.default_rng(seed)
    linkages, floating = draw(seed, most, SINGULAR if seed % 5 == 1 else FAMILIES)
    expected = sum(linkage.freedom for linkage, _ in linkages) + 6 * floating
    model = build(linkages, floating, rng)
    if rng.integers(2):
        uneven(model, rng, linkages[0][1].unit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Compiled.of(model, quiet=True).freedom
    names = ", ".join(linkage.name for linkage, _ in linkages)
    return "" if found == expected else f"seed {seed}: {names}: {found} degrees of freedom, not {expected}"


def soak(count: int, seed: int = 1, report: Callable[[str], None] = print) -> Count:
    """Count the degrees of freedom of `count` random models, one in twenty with up to 60 linkages (2,000 rows)."""
    faults = []
    for k in range(count):
        if line := miscounted(100_000 * (seed - 1) + k, 60 if k % 20 == 0 else 1):
            faults.append(line)
            report(line)
    return Count(count, faults, "degrees of freedom in random orientation, order and unit")


def main(count: int = 2000) -> None:
    done = soak(count)
    print(f"{done.tried} models, {len(done.failed)} miscounted")
    sys.exit(bool(done.failed))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
