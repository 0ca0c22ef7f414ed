"""Rolling without slipping: the contact point does not move along the plane (nonholonomic, 2 ROLL).

The first point is in the plane (usually the world's); `normal` points out of it (world axes at the start). The two
tangents of the plane are chosen by the axes of the body that rolls, not by those of the world: where one of the two
equations is redundant and left out, the motion is the same in every orientation of the model.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array
from ..body import Point
from ..pose import cross
from ..row import Row, local

EQUALLY_FAR = 9  # decimals to which components of the normal are compared


def no_slip(a: Point, b: Point, normal: Array, radius: float, axis: Array) -> list[Row]:
    """Two rows: the contact, `radius` from the centre b, does not move along the plane. The first point of a ROLL row
    contains the tangent (unit length), u the normal, and w the axis from which `contact` finds the contact point."""
    return [
        Row("ROLL", Point(a.body, local(a.body, t)), b, local(a.body, normal), axis, value=radius)
        for t in tangents(a, b, normal)
    ]


def tangents(a: Point, b: Point, normal: Array) -> tuple[Array, Array]:
    """Two directions along the plane (world axes at the start) that turn with the model: the first is across the
    normal and that axis of the body which is farthest from it; of axes that are equally far, the first."""
    body = a.body if b.body.is_world else b.body
    far = np.abs(local(body, normal)).round(EQUALLY_FAR)
    t = cross(normal, body.pose.B[:, int(far.argmin())])
    t = t / np.linalg.norm(t)
    return t, cross(normal, t)
