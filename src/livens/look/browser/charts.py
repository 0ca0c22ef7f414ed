"""Charts in the side panel: curves of a whole motion with a line at the time that is shown, or the latest of a run.

Axes have no powers of ten: very large or small values are divided by one, which is in the title.
"""

from __future__ import annotations

from collections import deque
from contextlib import nullcontext
from typing import Any

import numpy as np

from ...checks import Array
from ..picture.colors import hexadecimal
from ..picture.readings import Curves
from ..picture.themes import Theme
from .curves import room, thousands, with_power

DASHES = ((), (6, 3), (2, 3))  # distinct without colour
HEIGHT = 134  # of a chart [pixels]
TICK_SPACE = 18  # between two numbers on a vertical axis, at least [pixels]
REMEMBERED = 400  # moments of a running simulation


class Charts:
    """One chart for each of `all_curves`, over the times t [s]."""

    def __init__(self, server: Any, all_curves: list[Curves], t: Array, theme: Theme, still: bool = True):
        """still: all values are drawn, with a line at the time that is shown; else those of a run so far."""
        self.t, self.server, self.still, self.theme = t, server, still, theme
        self.clock = thousands(t) if still else 0
        self.folder = server.gui.add_folder("curves") if still else nullcontext()
        self.handles: list[Any] = []
        self.show(all_curves)

    def show(self, all_curves: list[Curves]) -> None:
        """Show other charts over the same times."""
        for handle in self.handles:
            handle.remove()
        self.curves, self.powers = all_curves, [_power(c) for c in all_curves]
        with self.folder:
            self.handles = [self._handle(c, power) for c, power in zip(all_curves, self.powers, strict=True)]
        if self.still:
            self.at(float(self.t[0]))

    def _handle(self, c: Curves, power: int) -> Any:
        lines, soft = _styles(c.names, self.theme), hexadecimal(self.theme.soft)
        if self.still:
            lines.append({"label": "now", "stroke": soft, "width": 1.0, "points": {"show": False}})
        return self.server.gui.add_uplot(
            (np.zeros(1), *np.zeros((len(lines), 1))),
            ({"label": "t"}, *lines),
            title=_title(c, power),
            scales=self._scales(c, power) if self.still else {"x": {"time": False}},
            axes=(_axis(30, self.theme, f"t [{with_power('s', self.clock)}]"), _axis(50, self.theme)),
            legend={"show": True, "live": False},
            height=HEIGHT,
            padding=(8, 16, 0, 0),
        )

    def at(self, when: float) -> None:
        """Draw the curves, and a line at the time `when` [s]: two points of another curve, which has no others."""
        k = int(np.searchsorted(self.t, when))
        t = np.insert(self.t, k, [when, when])
        with self.server.atomic():
            for c, power, handle in zip(self.curves, self.powers, self.handles, strict=True):
                values = c.values / 10.0**power
                there = [np.interp(when, self.t, column) for column in values.T]
                line = np.full(len(t), np.nan)
                line[k : k + 2] = room(values)
                columns = [np.insert(column, k, [x, x]) for column, x in zip(values.T, there, strict=True)]
                handle.data = (t / 10.0**self.clock, *columns, line)

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


def _styles(names: tuple[str, ...], theme: Theme) -> list[dict[str, Any]]:
    strokes = [hexadecimal(color) for color in theme.curves]
    return [
        {"label": name, "stroke": stroke, "width": 1.5, "dash": dash, "points": {"show": False}}
        for name, stroke, dash in zip(names, strokes, DASHES, strict=False)
    ]


def _axis(size: int, theme: Theme, label: str = "") -> dict[str, Any]:
    lines = {"stroke": hexadecimal(theme.hair), "width": 1}
    plain = {"size": size, "font": "10px sans-serif", "stroke": hexadecimal(theme.soft), "grid": lines, "ticks": lines}
    return plain | (
        {"label": label, "labelSize": 18, "labelFont": "10px sans-serif"} if label else {"space": TICK_SPACE}
    )
