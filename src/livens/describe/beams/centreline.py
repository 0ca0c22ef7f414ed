"""The centreline of a beam: places and axes of its sections along a curve.

A curve is two points, a list of points through which it passes, or a function of s from 0 to 1. Along a function the
sections are at equal arc lengths. The axis d₃ of a section is the tangent: of a function by differences of fourth
order, of points that of the circle through neighbouring ones,

    t = (|e₂| ê₁ + |e₁| ê₂)/|…|,   e₁, e₂ the chords before and after,  at the ends  t₀ = 2 (ê·t₁) ê − t₁,           (1)

which is exact on circles. The axis d₁ begins along `up`, projected across the tangent, and is carried along the curve
without rotation about the tangent; `twist` adds an angle that grows with the length from 0 to its value.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, accepts, direction, number
from ...errors import ModelError

FINE = 16  # pieces of a curve between sections, along which axes are carried
NEWTON = 4  # iterations for places at equal arc lengths
BACK = -1.0 + 1e-9  # cosine of the angle between two chords from which on the second goes back
STENCIL = 1e-3  # spacing of differences, as part of the curve
GAUSS, WEIGHT = np.polynomial.legendre.leggauss(8)  # for arc lengths


class Centreline(NamedTuple):
    """Places x (n + 1, 3) [m], rotations B (n + 1, 3, 3) with the columns d₁, d₂, d₃, and arc lengths (n + 1,) [m]."""

    x: Array
    B: Array
    s: Array


def centreline(along: Any, sections: int, up: ArrayLike | None, twist: float, label: str) -> Centreline:
    """The sections of a beam along a curve."""
    if not callable(along):
        x, t, s = _of_points(along, sections, label)
        B = _carried(t, up, label)
    elif accepts(along, 1):
        x, t, s = _of_function(along, sections, label)
        B = _carried(t, up, label)[::FINE]
    else:
        raise ModelError(f"the curve of {label} must be a function of one number from 0 to 1, not {along!r}.")
    angle = number(twist, f"twist of {label}") * s / s[-1]
    c, z = np.cos(angle)[:, None], np.sin(angle)[:, None]
    d1, d2 = B[:, :, 0], B[:, :, 1]
    return Centreline(x, np.stack([c * d1 + z * d2, c * d2 - z * d1, B[:, :, 2]], axis=2), s)


def nodes(along: Any, sections: int, label: str) -> tuple[Array, Array]:
    """Places (n + 1, 3) [m] and arc lengths (n + 1,) [m] of the nodes of a cable along a curve, which may turn back."""
    if not callable(along):
        x, _, s = _of_points(along, sections, label, folds=True)
        return x, s
    line = centreline(along, sections, None, 0.0, label)
    return line.x, line.s


def _of_points(along: Any, sections: int, label: str, folds: bool = False) -> tuple[Array, Array, Array]:
    try:
        x = np.array(along, dtype=np.float64)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.ndim != 2 or x.shape[1:] != (3,) or len(x) < 2 or not np.isfinite(x).all():
        raise ModelError(f"{label} needs two points, a list of points, or a function from 0 to 1, not {along!r}.")
    if len(x) == 2:
        part = np.linspace(0.0, 1.0, sections + 1)[:, None]
        x = (1.0 - part) * x[0] + part * x[1]
    elif len(x) != sections + 1:
        raise ModelError(f"{label} has {len(x)} points, so it has {len(x) - 1} sections, not {sections}.")
    e = np.diff(x, axis=0)
    size = np.linalg.norm(e, axis=1, keepdims=True)
    if size.min() <= 1e-12 * size.max():
        raise ModelError(f"{label} has two neighbouring points at one place.")
    unit = e / size
    back = np.flatnonzero(np.sum(unit[:-1] * unit[1:], axis=1) < BACK) + 1
    if len(back) and not folds:
        raise ModelError(f"{label} turns back at point {back[0]}, {x[back[0]].tolist()}: it needs more points there.")
    t = np.empty_like(x)
    t[1:-1] = size[1:] * unit[:-1] + size[:-1] * unit[1:]
    if len(e) == 1:
        t[0] = t[1] = unit[0]
    else:
        t[back] = unit[back]
        t[1:-1] /= np.linalg.norm(t[1:-1], axis=1, keepdims=True)
        for end, inner, chord in ((0, 1, 0), (-1, -2, -1)):
            t[end] = 2.0 * (unit[chord] @ t[inner]) * unit[chord] - t[inner]
    half = np.arccos(np.clip(np.sum(t[:-1] * t[1:], axis=1), -1.0, 1.0)) / 2.0  # arcs, not chords
    arcs = size[:, 0] * np.where(half > 1e-6, half / np.sin(np.maximum(half, 1e-6)), 1.0)
    folded = np.concatenate([back - 1, back])
    arcs[folded] = size[folded, 0]
    return x, t / np.linalg.norm(t, axis=1, keepdims=True), np.concatenate([[0.0], np.cumsum(arcs)])


def _of_function(along: Callable[[float], Any], sections: int, label: str) -> tuple[Array, Array, Array]:
    """Places and arc lengths of the sections, and tangents at FINE times as many places."""

    def place(u: float) -> Array:
        given = along(float(u))
        try:
            x = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            x = np.zeros(0)
        if x.shape != (3,) or not np.isfinite(x).all():
            raise ModelError(f"the curve of {label} must give three finite numbers, and gives {given!r} at {u:g}.")
        return x

    def slope(u: float) -> Array:
        c = min(max(u, 2.0 * STENCIL), 1.0 - 2.0 * STENCIL)
        nodes = np.arange(-2, 3)
        powers = np.vander(nodes + (c - u) / STENCIL, increasing=True).T
        weights = np.linalg.solve(powers, np.eye(5)[1]) / STENCIL
        return np.asarray(weights @ np.array([place(c + k * STENCIL) for k in nodes]))

    def arc(begin: float, end: float) -> float:
        m, h = (begin + end) / 2.0, (end - begin) / 2.0
        return h * float(WEIGHT @ [np.linalg.norm(slope(m + h * g)) for g in GAUSS])

    grid = np.linspace(0.0, 1.0, 2 * sections + 1)
    pieces = np.array([arc(begin, end) for begin, end in pairwise(grid)])
    if pieces.min() <= 1e-9 * pieces.max():
        raise ModelError(f"the curve of {label} stands still somewhere between 0 and 1: its tangent is not defined.")
    lengths = np.concatenate([[0.0], np.cumsum(pieces)])
    s = np.linspace(0.0, lengths[-1], sections + 1)
    u = np.interp(s, lengths, grid)
    for k in range(1, sections):
        for _ in range(NEWTON):  # on the arc length
            j = min(int(np.searchsorted(grid, u[k], side="right")) - 1, len(grid) - 2)
            over = lengths[j] + arc(grid[j], u[k]) - s[k]
            u[k] = min(max(u[k] - over / float(np.linalg.norm(slope(u[k]))), 0.0), 1.0)
    fine = np.interp(np.arange(FINE * sections + 1) / FINE, np.arange(sections + 1), u)
    t = np.array([slope(v) for v in fine])
    return np.array([place(v) for v in u]), t / np.linalg.norm(t, axis=1, keepdims=True), s


def _carried(t: Array, up: ArrayLike | None, label: str) -> Array:
    """Rotations with d₃ = t and d₁ carried along t."""
    first = np.eye(3)[np.argmin(np.abs(t[0]))] if up is None else direction(up, f"up of {label}")
    first = first - (first @ t[0]) * t[0]
    if np.linalg.norm(first) < 1e-6:
        raise ModelError(f"up of {label} points along it: give a direction across it.")
    d1 = np.empty_like(t)
    d1[0] = first / np.linalg.norm(first)
    for k in range(len(t) - 1):
        mean = t[k] + t[k + 1]
        d1[k + 1] = d1[k] - (d1[k] @ t[k + 1]) / (1.0 + t[k] @ t[k + 1]) * mean  # the shortest rotation from t to t
        d1[k + 1] -= (d1[k + 1] @ t[k + 1]) * t[k + 1]
        d1[k + 1] /= np.linalg.norm(d1[k + 1])
    return np.stack([d1, np.cross(t, d1), t], axis=2)
