"""Beams and cables in a glTF file: a surface whose rings of corners are fixed to nodes along it, which move (a skin).

Colours of glTF do not change with time: each corner has that of its largest strain of the whole motion.

Source: Khronos Group, glTF 2.0 specification, section 3.7.3 (skins).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .picture.beams import BeamPicture, largest_strain
from .picture.colors import Bytes, linear
from .picture.instants import Instant
from .picture.picture import Picture
from .picture.themes import Theme

WHITE = (255, 255, 255)


def add_beams(document: Any, picture: Picture, now: Instant, half: float, theme: Theme) -> None:
    """Append the surfaces of all beams, then the nodes along them."""
    most = largest_strain(picture.beams, now.x, now.R)
    first = len(document.nodes) + len(picture.beams)
    placed = []
    for beam in picture.beams:
        at, axes = (np.stack(rows) for rows in zip(*(beam.stations(x, R) for x, R in _times(now)), strict=True))
        mesh, rings = beam.mesh(now.x[0], now.R[0], half), at.shape[1]
        colors = np.column_stack([linear(_colors(beam, now, most, theme)) / 255.0, np.ones(len(mesh.vertices))])
        owner = _owners(beam, rings)
        number = document.surface(mesh, beam.name, document.material(WHITE, beam.opacity), colors, owner)
        skin = document.skin(list(range(first, first + rings)), at[0], axes[0])
        document.nodes.append({"name": beam.name, "mesh": number, "skin": skin, "extras": {"kind": "beam"}})
        placed.append((beam.name, at, axes))
        first += rings
    for name, at, axes in placed:
        for k in range(at.shape[1]):
            document.node(f"{name}: station {k}", None, at[:, k], axes[:, k], kind="station")


def _times(now: Instant) -> Any:
    return zip(now.x, now.R, strict=True)


def _owners(beam: BeamPicture, rings: int) -> Any:
    """The number of the station of each corner; those of the ends belong to the first and the last."""
    m = len(beam.outline)
    ends = np.repeat([0, rings - 1], m + 1)
    return np.concatenate([np.repeat(np.arange(rings), m), ends])


def _colors(beam: BeamPicture, now: Instant, most: float, theme: Theme) -> Bytes:
    """The colours of the corners by their largest strain of all times, or that of the beam."""
    if beam.strains is None:
        return np.tile(beam.color, (int(beam.triangles.max()) + 1, 1))
    largest: Any = 0.0
    for changes in beam.changes(now.x, now.R):
        strain = beam.fibres(changes)
        largest = np.where(np.abs(strain) > np.abs(largest), strain, largest)
    return beam.tinted(largest, most, theme)
