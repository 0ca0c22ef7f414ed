"""Traces: the paths of points up to now, with as many segments as a page can draw."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ..picture.colors import linear, readable
from ..picture.instants import Instant
from ..picture.picture import Picture
from ..picture.themes import Theme
from .sizes import Sizes

SEGMENTS = 6000  # of all traces together


class Traces:
    """The traces of some points of bodies, as one node of the scene."""

    def __init__(self, server: Any, picture: Picture, sizes: Sizes, theme: Theme):
        self.places, self.sizes = picture.traces, sizes
        tints = np.array([readable(color, theme.paper) for color in picture.colors])
        self.tint = linear(tints[picture.traces.body])
        self.most = max(2, SEGMENTS // max(1, len(self.places)))
        self.node = server.scene.add_line_segments(
            "/m/traces", np.zeros((1, 2, 3)), np.zeros((1, 2, 3), dtype=np.uint8), thickness=0.008, visible=False
        )
        self.server = server
        self.path: deque[Array] = deque(maxlen=self.most)

    def add(self, now: Instant) -> None:
        """Append the positions of the points in a run that goes on."""
        self.path.append(self.places.at(now.x, now.R))

    def forget(self) -> None:
        """Delete the paths."""
        self.path.clear()

    def draw(self, path: Array | None = None) -> None:
        """Draw the path (times, points, 3) [m], or the positions that were added."""
        x = np.array(self.path) if path is None else path
        if len(x) < 2:  # a line needs two corners
            x = np.repeat(x[:1], 2, axis=0) if len(x) and len(self.places) else np.zeros((2, 1, 3))
        lines, tint = segments(self.sizes(x), self.tint)
        with self.server.atomic():
            self.node.points, self.node.colors = lines, tint


def segments(x: NDArray[Any], tint: NDArray[np.uint8]) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Segments (k, 2, 3) of paths (times, points, 3), and their colours.

    >>> import numpy as np
    >>> lines, tint = segments(np.zeros((4, 2, 3)), np.zeros((2, 3), dtype=np.uint8))
    >>> lines.shape, tint.shape
    ((6, 2, 3), (6, 2, 3))
    """
    lines = np.stack([x[:-1], x[1:]], axis=2)
    shade = np.broadcast_to(tint[None, : x.shape[1], None], lines.shape)
    return lines.reshape(-1, 2, 3), np.ascontiguousarray(shade).reshape(-1, 2, 3)


def path_until(x: Array, t: Array, when: float) -> Array:
    """The part of a stored path (times, points, 3) up to `when`."""
    return x[: max(1, int(np.searchsorted(t, when, side="right")))]
