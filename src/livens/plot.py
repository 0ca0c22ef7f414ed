"""The invariants of a motion against time, as a figure for a paper: readable in black and white.

Energy has a signed, linear error, because there a slope is what one looks for; what is kept to round-off is drawn on a
logarithmic scale, above a grey line at ε = 2.2e-16. matplotlib's objects are used directly: no
pyplot, no global state, no window.
"""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .atomic import replacing
from .checks import Array
from .errors import FileError, MissingExtra
from .report import Series, angular_series, defect_series, energy_series, momentum_series
from .symmetry import conserved
from .trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPS = float(np.finfo(np.float64).eps)
MOST = 2000  # points of a curve; of a longer record the lowest and highest of each stretch are drawn
STYLES = (("-", "#000000"), ("--", "#c0392b"), (":", "#1f618d"), ("-.", "#1e8449"))
LOOK: Any = {
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


def plot_invariants(motion: Trajectory, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw how energy, momenta, orthogonality (and joints) of `motion` are kept; write it to `path` if given.

    The ending of `path` (png, pdf, svg) is the format.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> stick = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.1, 4, 0.1)))
    >>> figure = lv.simulate(m, lv.Livens(), h=1e-2, until=1.0).plot()
    >>> len(figure.axes), figure.axes[-1].get_xlabel()
    (3, 'time [s]')
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra(f"figures need matplotlib ({error}): pip install 'livens[plot]'") from None
    law = conserved(motion.model)
    energy = energy_series(motion, law)
    momenta = [series for series in (momentum_series(motion, law), angular_series(motion, law)) if series]
    with matplotlib.rc_context(LOOK):
        rows = 2 + bool(momenta)
        figure = Figure(figsize=(6.3, 1.1 + 1.55 * rows), layout="constrained")
        panels = list(figure.subplots(rows, 1, sharex=True))
        scheme = f"{motion.model.name}: {motion.scheme!r}, h = {motion.h:.6g} s, {motion.steps:,} steps"
        figure.suptitle(scheme, fontsize=10, x=0.01, ha="left")
        _draw_error(panels[0], motion.t, energy)
        if momenta:
            _draw_round_off(panels[1], motion.t, momenta, "relative error")
        _draw_round_off(panels[-1], motion.t, defect_series(motion), "defect")
        panels[-1].set_xlabel("time [s]")
        panels[-1].set_xlim(motion.t[0], motion.t[-1] if len(motion) > 1 else None)
        figure.align_ylabels(panels)
        if path is not None:
            _write(figure, Path(path))
    return figure


def _draw_error(axes: Any, t: Array, series: Series) -> None:
    exponent = int(np.floor(np.log10(max(float(np.abs(series.error).max()), EPS))))
    axes.plot(*_thinned(t, series.error / 10.0**exponent), color="black")
    axes.axhline(0.0, color="#999999", linewidth=0.6)
    axes.set_title(series.name)
    axes.set_ylabel(f"relative error [$10^{{{exponent}}}$]")


def _draw_round_off(axes: Any, t: Array, several: list[Series], label: str) -> None:
    """Sizes on a logarithmic scale; exact zeros, which it cannot show, lie on the line of round-off."""
    for series, (style, color) in zip(several, STYLES, strict=False):
        axes.plot(*_thinned(t, np.maximum(np.abs(series.error), EPS)), style, color=color, label=series.name)
    axes.axhline(EPS, color="#999999", linewidth=0.6)
    axes.text(1.006, EPS, "ε", color="#777777", va="center", transform=axes.get_yaxis_transform()).set_in_layout(False)
    axes.set_yscale("log")
    axes.set_ylim(EPS / 3, max(axes.get_ylim()[1], 1e3 * EPS))
    axes.set_ylabel(label)
    if len(several) == 1:
        axes.set_title(several[0].name)
    else:
        above = {"loc": "lower left", "bbox_to_anchor": (-0.01, 1.0), "borderaxespad": 0.0, "borderpad": 0.3}
        legend = axes.legend(ncols=len(several), fontsize=8, handlelength=1.8, columnspacing=1.5, **above)
        axes.set_title(" ")  # room for the legend
        legend.set_in_layout(False)


def _thinned(t: Array, x: Array) -> tuple[Array, Array]:
    """At most MOST points with the same envelope: the lowest and the highest of each stretch, in their order."""
    if len(t) <= MOST:
        return t, x
    edges = np.linspace(0, len(t), MOST // 2 + 1).astype(int)
    keep: set[int] = {0, len(t) - 1}
    for begin, end in pairwise(edges.tolist()):
        keep |= {begin + int(x[begin:end].argmin()), begin + int(x[begin:end].argmax())}
    chosen = np.array(sorted(keep))
    return t[chosen], x[chosen]


def _write(figure: Figure, path: Path) -> None:
    kinds = figure.canvas.get_supported_filetypes()
    kind = path.suffix.lower().lstrip(".")
    if kind not in kinds:
        raise FileError(f"{path} cannot be drawn: the ending must be one of png, pdf, svg, not {path.suffix!r}.")
    with replacing(path) as temporary:
        figure.savefig(temporary, format=kind)
