"""The layer of beams and cables in a served page: their surfaces, coloured by strain.

A mesh of viser has one colour, so the triangles are divided by the colour of their strain among SHADES meshes. A legend
with numbers is on the ground, beside the scale (marks.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...checks import Array
from ..picture.beams import BeamPicture, strain_in_words
from ..picture.colors import linear, of_extension
from ..picture.instants import Instant
from ..picture.themes import Theme
from .layers import THICK, Layer
from .sizes import HALF, Sizes

SHADES = 25  # odd: the middle one is that without strain
NOTHING = np.zeros((3, 3), dtype=np.float32), np.array([[0, 1, 2]], dtype=np.uint32)


def beams(scene: Any, found: Sequence[BeamPicture], sizes: Sizes, theme: Theme, most: float) -> Layer:
    """The surfaces of all beams. most: the largest strain, which has the full colour; where it is not known yet, zero:
    the largest so far."""
    part = np.linspace(-1.0, 1.0, SHADES)
    shades = linear(of_extension(part, 1.0, theme.short, theme.calm, theme.long))
    strained = [beam for beam in found if beam.strains is not None]
    plain = [beam for beam in found if beam.strains is None]

    def mesh(name: str, color: Any) -> Any:
        tint = tuple(int(c) for c in color)
        return scene.add_mesh_simple(f"/m/beams/{name}", *NOTHING, color=tint, side="double")

    shaded = [mesh(f"shade {k}", shade) for k, shade in enumerate(shades)] if strained else []
    own = [mesh(f"beam {k}", linear(beam.color)) for k, beam in enumerate(plain)]
    half = HALF / sizes.scale
    largest = most

    def update(now: Instant) -> None:
        nonlocal largest
        for beam, node in zip(plain, own, strict=True):
            surface = beam.mesh(now.x, now.R, half)
            _put(node, sizes(surface.vertices), surface.triangles)
        if not strained:
            return
        vertices, triangles, strains, begin = [], [], [], 0
        for beam in strained:
            surface, changes = beam.mesh(now.x, now.R, half), beam.changes(now.x, now.R)
            largest = max(largest, beam.largest(changes))
            vertices.append(surface.vertices)
            triangles.append(surface.triangles + begin)
            strains.append(beam.of_faces(beam.fibres(changes)))
            begin += len(surface.vertices)
        x, T, strain = sizes(np.concatenate(vertices)), np.concatenate(triangles), np.concatenate(strains)
        share = strain / largest if largest > 0.0 else np.zeros(len(T))
        shade = np.round(0.5 * (SHADES - 1) * (1.0 + np.clip(share, -1.0, 1.0))).astype(np.int64)
        for k, node in enumerate(shaded):
            _put(node, x, T[shade == k])

    return Layer(True, [*shaded, *own], update)


def _put(node: Any, x: Any, triangles: Any) -> None:
    """The triangles and the corners that they use."""
    if not len(triangles):
        if len(node.vertices) > 3:
            node.vertices, node.faces = NOTHING
        return
    used, number = np.unique(triangles, return_inverse=True)
    node.vertices, node.faces = x[used].astype(np.float32), number.reshape(-1, 3).astype(np.uint32)


def legend(scene: Any, begin: Array, right: Array, most: float, theme: Theme) -> list[Any]:
    """The colours of strains from −most to most along a line on the ground from `begin` [units of the page]."""
    length, part = 0.5 * HALF, np.linspace(-1.0, 1.0, SHADES)
    x = begin + np.linspace(0.0, length, SHADES + 1)[:, None] * right
    tint = linear(of_extension(part, 1.0, theme.short, theme.calm, theme.long))
    nodes = [
        scene.add_line_segments(
            "/m/scale/strain",
            np.stack([x[:-1], x[1:]], axis=1).astype(np.float32),
            np.repeat(tint[:, None], 2, axis=1),
            thickness=4.0 * THICK,
        )
    ]
    words = {"low": (-most, x[0], "center-right"), "high": (most, x[-1], "center-left")}
    for name, (value, at, anchor) in words.items():
        text = strain_in_words(value).replace("-", "−") + (" strain" if name == "high" else "")
        where = tuple(float(c) for c in at)
        nodes.append(scene.add_label(f"/m/scale/strain {name}", text, position=where, anchor=anchor))
    return nodes
