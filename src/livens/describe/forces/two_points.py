"""Two points of different bodies, between which springs and dampers act."""

from __future__ import annotations

import numpy as np

from ...errors import ModelError
from ..body import Point


def distance_at_start(a: Point, b: Point, label: str) -> float:
    """The distance at the start of two points of different bodies."""
    for end in (a, b):
        if not isinstance(end, Point):
            raise ModelError(f"{label} joins points such as body.point(0, 0, 0), not {end!r}.")
    if a.body is b.body:
        raise ModelError(f"{label} joins body {a.body.name!r} with itself and would have no effect.")
    return float(np.linalg.norm(b.start - a.start))
