"""Charts in the page's side panel: curves up to the time that is shown, or the latest of a run."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ..checks import Array
from . import colors
from .curves import Curves, room

STROKES = [colors.hexadecimal(c) for c in (colors.BLACK, colors.BLUE, colors.VERMILION)]
DASHES = ((), (6, 3), (2, 3))  # told apart without colour too
HEIGHT = 128  # of a chart [pixels]
REMEMBERED = 400  # moments of a run that is going on


class Charts:
    """One chart for each of `all_curves`, over the times t [s]."""

    def __init__(self, server: Any, all_curves: list[Curves], t: Array, still: bool = True):
        """still: the axes hold all values from the beginning; else they follow what is drawn."""
        self.curves, self.t = all_curves, t
        self.server = server
        self.handles = [
            server.gui.add_uplot(
                (np.zeros(1), *np.zeros((len(c.names), 1))),
                (
                    {"label": "t [s]"},
                    *(
                        {"label": name, "stroke": stroke, "width": 1.5, "dash": dash, "points": {"show": False}}
                        for name, stroke, dash in zip(c.names, STROKES, DASHES, strict=False)
                    ),
                ),
                title=c.title,
                scales=self._scales(c, t) if still else {"x": {"time": False}},
                axes=({"size": 30, "font": "10px sans-serif"}, {"size": 58, "font": "10px sans-serif"}),
                legend={"show": True, "live": False},
                height=HEIGHT,
                padding=(8, 16, 0, 0),
            )
            for c in all_curves
        ]

    def until(self, when: float) -> None:
        """Draw the curves up to the time `when`."""
        count = max(1, int(np.searchsorted(self.t, when, side="right")))
        with self.server.atomic():
            for c, handle in zip(self.curves, self.handles, strict=True):
                handle.data = (self.t[:count], *c.values[:count].T.copy())

    def replace(self, all_curves: list[Curves], t: Array) -> None:
        """Draw other values."""
        self.curves, self.t = all_curves, t
        with self.server.atomic():
            for c, handle in zip(all_curves, self.handles, strict=True):
                handle.data = (t, *c.values.T.copy())

    @staticmethod
    def _scales(c: Curves, t: Array) -> dict[str, Any]:
        low, high = room(c.values)
        begin, end = float(t[0]), float(t[-1])
        end = end if end > begin else begin + 1.0
        return {"x": {"time": False, "range": (begin, end)}, "y": {"range": (low, high)}}


class Memory:
    """The latest moments of a run: times and, for each chart, values."""

    def __init__(self, most: int = REMEMBERED):
        self.t: deque[float] = deque(maxlen=most)
        self.rows: list[deque[Array]] = []
        self.most = most

    def add(self, t: float, now: list[Curves]) -> list[Curves]:
        """Remember one moment; the charts of all that is remembered."""
        if len(self.rows) != len(now) or (self.t and t < self.t[-1]):
            self.rows = [deque(maxlen=self.most) for _ in now]
            self.t.clear()
        self.t.append(t)
        for row, c in zip(self.rows, now, strict=True):
            row.append(c.values[0])
        return [c._replace(values=np.array(row)) for row, c in zip(self.rows, now, strict=True)]
