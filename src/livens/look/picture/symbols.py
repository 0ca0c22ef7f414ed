"""The drawings of joints, of the ground and of the base link, as straight pieces of lines fixed to bodies.

A piece is fixed to one body b. Its two ends are

    x = X_b + R_b (r + s p)        r [m], p without unit, both in body axes;  s [m] the size of symbols          (1)

The size s follows from that of the motion, so that a symbol is readable beside bodies of any size. Each kind of symbol
has a profile: lines in a frame whose z is the axis of the symbol and whose unit is s.

    kind        drawn as                                  joints that have it
    pin         a short cylinder along the axis           Revolute, Cylindrical, Screw
    rail        two long lines with end pieces            Prismatic, Cylindrical, PointOnLine
    block       a box around the axis                     Prismatic, Planar
    helix       four turns about the axis                 Screw
    ball        three circles                             Spherical, Rod, PointOnLine, PointOnPlane
    fork        the two arms of a fork                    Universal, one on each body
    plate       a square across the axis                  Planar, PointOnPlane, RollingBall, RollingDisc
    weld        a cross in a square                       Rigid
    frame       three axes                                FixedOrientation, one on each body
    gear        a wheel with teeth                        Coupling of angles
    rack        a line with teeth                         Coupling of displacements
    rolling     a circle of the real radius, with spokes  RollingBall, RollingDisc
    blade       a half disc across which nothing moves    KnifeEdge
    equation    an octahedron                             Constraint
    ground      a hatched triangle below a point of the world on which a joint acts
    base        the base link: lines between these points of the world
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.glyph import Symbol
from ...describe.row import across

SYMBOL_SIZE = 0.045  # of symbols, in halves of the largest side of the motion
CIRCLE_CORNERS = 16  # of a circle
MANY_SYMBOLS = 60  # models with more joints have symbols without circles
Lines = list[Array]  # each (n, 3)


@dataclass(frozen=True, eq=False)
class Symbols:
    """All symbols of a picture: names and kinds, and the pieces of their lines by equation (1)."""

    names: tuple[str, ...]  # of the joints
    kinds: tuple[str, ...]
    owner: NDArray[np.int64]  # (n,) the number of each piece's symbol
    body: NDArray[np.int64]  # (n,)
    r: Array  # (n, 2, 3) [m]
    p: Array  # (n, 2, 3)

    def __len__(self) -> int:
        return len(self.names)

    def ends(self, x: Array, R: Array, size: float) -> Array:
        """The ends (…, n, 2, 3) [m] of all pieces by (1), for body frames at x with rotations R and symbols of `size`
        [m]."""
        local = self.r + size * self.p
        return x[..., self.body, None, :] + np.einsum("...nij,nkj->...nki", R[..., self.body, :, :], local)

    def of(self, number: int) -> NDArray[np.bool_]:
        """The pieces of one symbol."""
        return np.asarray(self.owner == number)


def symbols_of(
    found: Sequence[tuple[str, Symbol, int]], ground: Sequence[tuple[str, Array, Array]], base: Array
) -> Symbols:
    """`found`: names of joints, their symbols, and the numbers of the bodies; `ground`: names, points of the
    world on which things act, and directions away from the ground there; `base`: pieces (n, 2, 3) of the base link."""
    names: list[str] = [name for name, _, _ in found]
    kinds = [symbol.kind for _, symbol, _ in found]
    plain = len(found) > MANY_SYMBOLS
    bodies = [body for _, _, body in found]
    rows = [_placed(symbol, plain) for _, symbol, _ in found]
    for name, r, away in ground:
        names, kinds, bodies = [*names, name], [*kinds, "ground"], [*bodies, 0]
        rows.append((r, profile("ground") @ _turned(away).T))
    if len(base):
        names, kinds, bodies = [*names, "world"], [*kinds, "base"], [*bodies, 0]
        rows.append((base, np.zeros_like(base)))
    many = [len(p) for _, p in rows]
    owner = np.repeat(np.arange(len(rows), dtype=np.int64), many)
    anchors = [np.broadcast_to(r if r.ndim == 3 else r[None, None], p.shape) for r, p in rows]
    none = [np.zeros((0, 2, 3))]
    return Symbols(
        tuple(names),
        tuple(kinds),
        owner,
        np.repeat(np.array(bodies, dtype=np.int64), many),
        np.concatenate(none + anchors),
        np.concatenate(none + [p for _, p in rows]),
    )


def _placed(symbol: Symbol, plain: bool) -> tuple[Array, Array]:
    """r and p of the pieces of a symbol; `plain`: its axis alone."""
    pieces = (AXIS_ONLY if plain else profile(symbol.kind)) @ _turned(symbol.axis).T
    if symbol.radius > 0.0:
        return symbol.point.r + symbol.radius * pieces, np.zeros_like(pieces)
    return symbol.point.r, pieces


def _turned(axis: Array) -> Array:
    """The rotation that turns z into `axis`."""
    z = np.ascontiguousarray(axis, dtype=np.float64)
    return np.stack([*across(z), z], axis=1)


@cache
def profile(kind: str) -> Array:
    """The pieces (n, 2, 3) of a kind of symbol, of size one, along z.

    >>> profile("block").shape, float(abs(profile("pin")[..., 2]).max())
    ((12, 2, 3), 1.0)
    """
    return _cut(PROFILES[kind]())


def _cut(lines: Lines) -> Array:
    """Lines as straight pieces."""
    return np.concatenate([np.stack([line[:-1], line[1:]], axis=1) for line in lines])


def _line(*points: Sequence[float]) -> Array:
    return np.array(points, dtype=np.float64)


def _circle(radius: float = 1.0, z: float = 0.0, begin: float = 0.0, end: float = 2.0 * np.pi) -> Array:
    """A circle, or an arc, across z."""
    angle = np.linspace(begin, end, max(3, 1 + round(CIRCLE_CORNERS * (end - begin) / (2.0 * np.pi))))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full_like(angle, z)], axis=1)


def _square(half: float, z: float = 0.0) -> Array:
    return _line((half, half, z), (-half, half, z), (-half, -half, z), (half, -half, z), (half, half, z))


def _box(half: float, length: float) -> Lines:
    corners = _square(half)[:4]
    sides = [c + np.array([[0.0, 0.0, -length], [0.0, 0.0, length]]) for c in corners]
    return [_square(half, -length), _square(half, length), *sides]


def _pin() -> Lines:
    sides = [_line((x, y, -1), (x, y, 1)) for x, y in ((0.6, 0), (-0.6, 0), (0, 0.6), (0, -0.6))]
    return [_circle(0.6, -1), _circle(0.6, 1), *sides]


def _rail() -> Lines:
    lines = [_line((x, 0, -4), (x, 0, 4)) for x in (-0.9, 0.9)]
    return lines + [_line((-1.3, 0, z), (1.3, 0, z)) for z in (-4, 4)]


def _helix() -> Lines:
    angle = np.linspace(0.0, 8.0 * np.pi, 4 * 10 + 1)
    return [np.stack([0.8 * np.cos(angle), 0.8 * np.sin(angle), np.linspace(-2.4, 2.4, len(angle))], axis=1)]


def _ball() -> Lines:
    circle = _circle(0.75)
    return [circle, circle[:, [0, 2, 1]], circle[:, [2, 0, 1]]]


def _fork() -> Lines:
    """Two arms that hold the ends of the axis, and circles around these ends."""
    arms = [_line((0, 0, s), (1.5, 0, s)) for s in (-1.2, 1.2)]
    return [
        *arms,
        _line((1.5, 0, -1.2), (1.5, 0, 1.2)),
        _line((0, 0, -1.2), (0, 0, 1.2)),
        _circle(0.3, -1.2),
        _circle(0.3, 1.2),
    ]


def _plate() -> Lines:
    return [_square(3.0), _line((0, 0, 0), (0, 0, 1.2)), _line((-3, 0, 0), (3, 0, 0)), _line((0, -3, 0), (0, 3, 0))]


def _weld() -> Lines:
    return [_square(0.8), _line((-0.8, -0.8, 0), (0.8, 0.8, 0)), _line((-0.8, 0.8, 0), (0.8, -0.8, 0))]


def _frame() -> Lines:
    return [_line((0, 0, 0), tip) for tip in ((1.5, 0, 0), (0, 1.5, 0), (0, 0, 1.5))]


def _gear(teeth: int = 12) -> Lines:
    angle = 2.0 * np.pi * np.arange(4 * teeth + 1) / (4 * teeth)
    radius = np.where(np.arange(4 * teeth + 1) % 4 < 2, 1.9, 1.5)
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros_like(angle)], axis=1)
    return [rim, _circle(0.5), _line((0.5, 0, 0), (1.5, 0, 0))]


def _rack(teeth: int = 8) -> Lines:
    k = np.arange(2 * teeth + 1)
    return [np.stack([np.where(k % 2, 1.7, 1.3), np.zeros(len(k)), 3.2 * (k / teeth - 1.0)], axis=1)]


def _rolling() -> Lines:
    return [_circle(1.0), *(_line((0, 0, 0), (np.cos(a), np.sin(a), 0)) for a in np.arange(4) * np.pi / 2)]


def _blade() -> Lines:
    return [_circle(1.5, 0.0, np.pi, 2.0 * np.pi), _line((-1.5, 0, 0), (1.5, 0, 0))]


def _equation() -> Lines:
    tips = [_line((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (1, 0, 0))]
    return tips + [_line((0, 0, 1), (x, y, 0), (0, 0, -1)) for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1))]


def _ground() -> Lines:
    """A pyramid from the point down to a square plate, with hatches below it; z is up."""
    half, low = 1.1, -1.6
    legs = [_line((0, 0, 0), corner) for corner in _square(half, low)[:4]]
    hatch = [_line((x, -half, low), (x - 0.5, -half, low - 0.6)) for x in (-0.9, -0.35, 0.2, 0.75)]
    hatch += [_line((half, y, low), (half, y - 0.5, low - 0.6)) for y in (-0.6, -0.05, 0.5, 1.05)]
    return [*legs, _square(1.5 * half, low), *hatch]


PROFILES = {
    "pin": _pin,
    "rail": _rail,
    "block": lambda: _box(1.2, 1.2),
    "helix": _helix,
    "ball": _ball,
    "fork": _fork,
    "plate": _plate,
    "weld": _weld,
    "frame": _frame,
    "gear": _gear,
    "rack": _rack,
    "rolling": _rolling,
    "blade": _blade,
    "equation": _equation,
    "ground": _ground,
}
AXIS_ONLY = np.array([[[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
