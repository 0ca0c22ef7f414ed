"""Rolling without slipping: the contact point does not move along the plane (nonholonomic, 2 ROLL).

The first point is in the plane (usually the world's); `normal` points out of it (world axes at the start).
"""

from __future__ import annotations

from ...checks import Array
from ..body import Point
from ..row import Row, across, local


def no_slip(a: Point, b: Point, normal: Array, radius: float, axis: Array) -> list[Row]:
    """Two rows: the contact, `radius` from the centre b, does not move along the plane. The first point of a ROLL row
    contains the tangent (unit length), u the normal, and w the axis from which `contact` finds the contact point."""
    return [
        Row("ROLL", Point(a.body, local(a.body, t)), b, local(a.body, normal), axis, value=radius)
        for t in across(normal)
    ]
