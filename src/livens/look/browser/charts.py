"""Charts in the page's side panel: curves up to the time that is shown, or the latest of a run.

Axes have no powers of ten: very large or small values are divided by one, which is in the title.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ...checks import Array
from ..picture import colors
from .curves import Curves, room, thousands, with_power

STROKES = [colors.hexadecimal(c) for c in (colors.BLACK, colors.BLUE, colors.VERMILION)]
DASHES = ((), (6, 3), (2, 3))  # distinct without colour
HEIGHT = 134  # of a chart [pixels]
TICK_SPACE = 18  # between two numbers on a vertical axis, at least [pixels]
REMEMBERED = 400  # moments of a running simulation


class Charts:
    """One chart for each of `all_curves`, over the times t [s]."""

    def __init__(self, server: Any, all_curves: list[Curves], t: Array, still: bool = True):
        """still: the axes show the range of all values from the beginning; else that of the values drawn so far."""
        self.curves, self.t, self.server = all_curves, t, server
        self.clock = thousands(t) if still else 0
        self.powers = [_power(c) for c in all_curves]
        self.handles = [
            server.gui.add_uplot(
                (np.zeros(1), *np.zeros((len(c.names), 1))),
                ({"label": "t"}, *_styles(c.names)),
                title=_title(c, power),
                scales=self._scales(c, power) if still else {"x": {"time": False}},
                axes=(_axis(30, f"t [{with_power('s', self.clock)}]"), _axis(50)),
                legend={"show": True, "live": False},
                height=HEIGHT,
                padding=(8, 16, 0, 0),
            )
            for c, power in zip(all_curves, self.powers, strict=True)
        ]

    def until(self, when: float) -> None:
        """Draw the curves up to the time `when`."""
        self._draw(max(1, int(np.searchsorted(self.t, when, side="right"))))

    def replace(self, all_curves: list[Curves], t: Array) -> None:
        """Draw other values."""
        self.curves, self.t = all_curves, t
        self._draw(len(t))

    def _draw(self, count: int) -> None:
        t = self.t[:count] / 10.0**self.clock
        with self.server.atomic():
            for k, (c, handle) in enumerate(zip(self.curves, self.handles, strict=True)):
                if abs(_power(c) - self.powers[k]) > 3:  # the values have left the range of the axis
                    self.powers[k] = _power(c)
                    handle.title = _title(c, self.powers[k])
                handle.data = (t, *(c.values[:count] / 10.0 ** self.powers[k]).T.copy())

    def _scales(self, c: Curves, power: int) -> dict[str, Any]:
        begin, end = float(self.t[0]) / 10.0**self.clock, float(self.t[-1]) / 10.0**self.clock
        end = end if end > begin else begin + 1.0
        return {"x": {"time": False, "range": (begin, end)}, "y": {"range": room(c.values / 10.0**power)}}


class Memory:
    """The latest moments of a run: times and, for each chart, values."""

    def __init__(self, most: int = REMEMBERED):
        self.t: deque[float] = deque(maxlen=most)
        self.rows: list[deque[Array]] = []
        self.most = most

    def add(self, t: float, now: list[Curves]) -> list[Curves]:
        """Append one moment and return the charts of all. If time goes back, the earlier moments are deleted."""
        if len(self.rows) != len(now) or (self.t and t < self.t[-1]):
            self.rows = [deque(maxlen=self.most) for _ in now]
            self.t.clear()
        self.t.append(t)
        for row, c in zip(self.rows, now, strict=True):
            row.append(c.values[0])
        return [c._replace(values=np.array(row)) for row, c in zip(self.rows, now, strict=True)]


def _power(c: Curves) -> int:
    return thousands(c.values) if c.unit else 0


def _title(c: Curves, power: int) -> str:
    return f"{c.what} [{with_power(c.unit, power)}]" if c.unit else c.what


def _styles(names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        {"label": name, "stroke": stroke, "width": 1.5, "dash": dash, "points": {"show": False}}
        for name, stroke, dash in zip(names, STROKES, DASHES, strict=False)
    ]


def _axis(size: int, label: str = "") -> dict[str, Any]:
    plain = {"size": size, "font": "10px sans-serif"}
    return plain | (
        {"label": label, "labelSize": 18, "labelFont": "10px sans-serif"} if label else {"space": TICK_SPACE}
    )
