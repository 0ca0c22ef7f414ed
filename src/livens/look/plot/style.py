"""The style of figures: they are readable in black and white.

Curves differ in line style and marker as well as in colour. matplotlib's objects are used directly: no pyplot, no
window, and its settings are restored afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...checks import Array, file_path
from ...errors import FileError, require
from ...record.trajectory import Trajectory
from ...storage.atomic import MARK, replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPS = float(np.finfo(np.float64).eps)
CURVE_POINTS = 2000  # of a curve at most; of a longer record the lowest and highest of each interval are drawn
WIDTH = 6.3  # inches, the width of a text column
STYLES: tuple[tuple[Any, str, str], ...] = (  # line, colour, marker
    ("-", "#000000", "o"),
    ("--", "#c0392b", "s"),
    (":", "#1f618d", "^"),
    ("-.", "#1e8449", "D"),
    ((0, (5, 1, 1, 1, 1, 1)), "#8e5a1e", "v"),
    ((0, (1, 1)), "#6c3483", "P"),
    ((0, (8, 2)), "#117a8b", "X"),
    ((0, (3, 1, 1, 1)), "#7f8c8d", "<"),
    ((0, (6, 1, 1, 1, 1, 1, 1, 1)), "#b03a7e", ">"),
    ((0, (2, 2)), "#9a7d0a", "*"),
)
SETTINGS: Any = {  # of matplotlib
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "lines.linewidth": 1.0,
    "savefig.dpi": 200,
}


def drawn(draw: Callable[[Figure], None], path: str | os.PathLike[str] | None = None, force: bool = False) -> Figure:
    """A figure in this style on which `draw` has drawn; written to `path` if given, whose ending is the format.

    >>> drawn(lambda figure: figure.subplots().plot([0, 1], [0, 1])).get_size_inches().tolist()
    [6.3, 4.2]
    """
    sheet = _sheet()
    import matplotlib

    with matplotlib.rc_context(SETTINGS):
        figure = sheet(figsize=(WIDTH, 4.2), layout="constrained")
        draw(figure)
        if path is not None:
            _write(figure, file_path(path), force)
    return figure


@cache
def _sheet() -> type[Figure]:
    """matplotlib's Figure with a PNG for notebooks, which otherwise show figures of pyplot only."""
    require("matplotlib.figure", "figures need matplotlib", "livens[plot]")
    from matplotlib.figure import Figure

    class Sheet(Figure):
        def _repr_png_(self) -> bytes:
            buffer = BytesIO()
            self.savefig(buffer, format="png", dpi=110)
            return buffer.getvalue()

    return Sheet


def heading(figure: Figure, motion: Trajectory) -> None:
    """The model, the scheme, the step and the number of steps in one line above all panels."""
    text = f"{motion.model.name}: {motion.scheme!r}, h = {motion.h:.6g} s, {motion.steps:,} steps"
    figure.suptitle(text, fontsize=10, x=0.01, ha="left")


def over_time(panels: Iterable[Any], motion: Trajectory) -> None:
    """Label the time axis below the last of the panels."""
    *_, last = panels
    last.set_xlabel("time [s]")
    last.set_xlim(motion.t[0], motion.t[-1] if len(motion) > 1 else None)


def legend_above(axes: Any, ncols: int) -> None:
    """A legend above the curves, in the place of the title."""
    rows = -(-len(axes.get_legend_handles_labels()[0]) // ncols)
    above = {"loc": "lower left", "bbox_to_anchor": (-0.01, 1.0), "borderaxespad": 0.0, "borderpad": 0.3}
    legend = axes.legend(ncols=ncols, fontsize=8, handlelength=2.2, columnspacing=1.5, **above)
    axes.set_title("\n".join(" " * rows))  # room for the legend
    legend.set_in_layout(False)


def thinned(t: Array, x: Array) -> tuple[Array, Array]:
    """At most CURVE_POINTS points with the same envelope: the lowest and the highest of each interval, in their order.

    >>> s, y = thinned(np.arange(10_000.0), np.sin(np.arange(10_000.0)))
    >>> len(s) <= CURVE_POINTS + 2, bool(y.max() == np.sin(np.arange(10_000.0)).max())
    (True, True)
    """
    if len(t) <= CURVE_POINTS:
        return t, x
    edges = np.linspace(0, len(t), CURVE_POINTS // 2 + 1).astype(int)
    keep: set[int] = {0, len(t) - 1}
    for begin, end in pairwise(edges.tolist()):
        keep |= {begin + int(x[begin:end].argmin()), begin + int(x[begin:end].argmax())}
    chosen = np.array(sorted(keep))
    return t[chosen], x[chosen]


def ends(axes: Any, path: Array, color: str) -> None:
    """Draw an open circle at the first point of a curve (n, 2 or 3), a full one at the last."""
    axes.plot(*path[:1].T, "o", markersize=4.5, color=color, markerfacecolor="white", zorder=5)
    axes.plot(*path[-1:].T, "o", markersize=4.5, color=color, zorder=5)


def _write(figure: Figure, path: Path, force: bool) -> None:
    kinds = figure.canvas.get_supported_filetypes()
    kind = path.suffix.lower().lstrip(".")
    if kind not in kinds:
        raise FileError(f"{path} cannot be drawn: the ending must be one of png, pdf, svg, not {path.suffix!r}.")
    mark = {"png": {"Software": MARK}, "svg": {"Creator": MARK}, "pdf": {"Creator": MARK}}.get(kind)
    with replacing(path, "picture", force) as temporary:
        figure.savefig(temporary, format=kind, metadata=mark)
