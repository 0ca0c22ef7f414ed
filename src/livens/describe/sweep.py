"""Sweeps: a section that is carried along a row of bodies, such as a beam or a cable. Pictures draw its surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..checks import Array
from .body import Body


class Sweep(NamedTuple):
    """What is drawn of a beam or a cable. `sizes` [m]: the radius of a round section, or the sides of a rectangle along
    x and y; none: a thin line whose width the picture chooses. `directed`: the frames of the bodies are those of its
    sections, z along it; otherwise the bodies are points through which it passes. `strains` gives the changes of
    stretch and of the curvatures about x and y [1/m] between neighbours (…, n, 3), for frames at x (…, n + 1, 3) with
    rotations R; None: it has none."""

    bodies: Sequence[Body]
    sizes: Sequence[float]
    directed: bool
    strains: Callable[[Array, Array], Array] | None
