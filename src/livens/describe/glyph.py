"""Symbols of a picture: how things are drawn besides the shapes of bodies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..checks import Array
from .body import Point
from .sweep import Sweep

Z = np.array([0.0, 0.0, 1.0])


class Symbol(NamedTuple):
    """A small drawing at a point of a body, such as the pin of a hinge; look/picture/symbols.py has their lines."""

    kind: str  # "pin", "rail", "block", "helix", "ball", "fork", "plate", "weld", "gear", "rolling", …
    point: Point
    axis: Array = Z  # the direction of its axis, in the axes of the point's body
    radius: float = 0.0  # [m] of a symbol with a size of its own; 0: the picture chooses the size


class Glyph(NamedTuple):
    """One symbol of a picture: how a thing is drawn."""

    kind: str  # "spring", "damper", "rod", "joint", "coupling", "load" or "beam"
    points: tuple[Point, ...]  # its two ends, its one point (the joint's second point), or its sections
    axes: tuple[tuple[Point, Array], ...] = ()  # directions drawn at a point, in the axes of that point's body
    length: float = 0.0  # rest length of a spring [m]
    symbols: tuple[Symbol, ...] = ()
    sweep: Sweep | None = None  # of a beam: its surface
