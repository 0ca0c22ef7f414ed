"""Linkages as data: bars, and pairs between them, at places and along axes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

Z = np.array([0.0, 0.0, 1.0])


class Pair(NamedTuple):
    """A joint between two bars: its class, the bars, its place and its axis."""

    kind: str
    one: int
    two: int
    at: np.ndarray
    axis: np.ndarray


class Linkage(NamedTuple):
    """Pairs between bars 0 (ground), 1, …, and the known degrees of freedom."""

    name: str
    pairs: list[Pair]
    freedom: int


def polygon(rng: Generator, n: int) -> np.ndarray:
    """Corners of a polygon that is not near a singular position."""
    angle = np.sort(rng.uniform(0.0, 2.0 * np.pi / n * 0.6, n) + 2.0 * np.pi * np.arange(n) / n)
    radius = rng.uniform(0.6, 1.4, n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(n)], axis=1)
