"""Stems: lines between a body and points of it that lie outside its surface, such as the string of a pendulum.

A joint, spring or load may act on any point of a body, also far from its surface. Without a line the body would hang in
the air. With c the middle and l, u the corners of the box around the surface, in body axes, a point r has a stem from c
if it is outside the box by more than a part of its diagonal:

    |r − clip(r, l, u)| > OUTSIDE |u − l|                                                                       (1)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...describe.body import Point
from .shapes import Shape

OUTSIDE = 0.05  # of (1)


def stems_of(things: Iterable[Any], shapes: Sequence[Shape], names: Sequence[str]) -> list[tuple[str, Point, Point]]:
    """For each stem the name of the thing, the point, and the middle of its body. names: of the bodies by number.

    >>> import livens as lv
    >>> from livens.look.picture.shapes import shapes
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bob = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, -1), name="bob"))
    >>> hinge = m.add(lv.Spherical(m.world.point(0, 0, 0), bob.point(0, 0, 1), name="hook"))
    >>> [(name, point.r.tolist()) for name, point, middle in stems_of(m.joints, shapes(m), ["world", "bob"])]
    [('hook', [0.0, 0.0, 1.0])]
    """
    boxes = {names[k]: (one.surface.vertices, one.is_point) for one in shapes for k in one.members}
    found: dict[tuple[Any, ...], tuple[str, Point, Point]] = {}
    for thing in things:
        for point in thing.points:
            vertices, is_point = boxes.get(point.body.name, (np.zeros((0, 3)), False))
            if point.body.is_world or not (is_point or len(vertices)):
                continue
            low, high = (np.zeros(3),) * 2 if is_point else (vertices.min(axis=0), vertices.max(axis=0))
            away = np.linalg.norm(point.r - np.clip(point.r, low, high))
            if away > OUTSIDE * np.linalg.norm(high - low):
                key = (point.body.name, *point.r.tolist())
                found.setdefault(key, (thing.name, point, Point(point.body, 0.5 * (low + high))))
    return list(found.values())
