"""Symbols of a picture: how things are drawn besides the shapes of bodies."""

from __future__ import annotations

from typing import NamedTuple

from ..checks import Array
from .body import Point


class Glyph(NamedTuple):
    """One symbol of a picture: how a thing is drawn."""

    kind: str  # "spring", "damper", "rod" or "joint"
    points: tuple[Point, ...]  # its two ends, or its one point (the joint's second point)
    axes: tuple[tuple[Point, Array], ...] = ()  # directions drawn at a point, in the axes of that point's body
    length: float = 0.0  # rest length of a spring [m]
