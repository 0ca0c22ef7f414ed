"""The contact points of a model at its start, as the kernels find them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import livens as lv
from livens.compile.contacts import touch_scratch
from livens.compile.system import compile_model
from livens.kernels.contact.arrays import BODY, COULOMB, FRAME, GAP, PLACE_OF
from livens.kernels.contact.broad import find_contacts
from livens.kernels.contact.features import put_contact_frames


class Found(NamedTuple):
    """A contact point: names of both bodies, gap [m], normal from the first to the second, place [m], friction."""

    first: str
    second: str
    gap: float
    normal: np.ndarray
    place: np.ndarray
    friction: float


def found_contacts(model: lv.Model, margin: float = 0.0) -> list[Found]:
    """All contact points with a gap below `margin` [m]."""
    tables = compile_model(model)
    system, state, touch = tables.system, tables.state, touch_scratch(tables.system, 0)
    touch.reach[:] = 0.5 * margin
    points = touch.points
    count = find_contacts(system.contacts, system.coordinates, touch, 0.0, state.a, state.B)
    put_contact_frames(
        system.bodies, system.contacts, system.coordinates, points, count, False, state.a, state.B, state.angle
    )
    names = [body.name for body in model.bodies]
    return [
        Found(
            names[points.table[BODY, c]],
            names[points.table[BODY + 1, c]],
            float(points.number[GAP, c]),
            points.matrix[FRAME, c, 0].copy(),
            points.vector[PLACE_OF, c].copy(),
            float(points.number[COULOMB, c]),
        )
        for c in range(count)
    ]
