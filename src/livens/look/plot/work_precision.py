"""Work–precision diagrams: the error of schemes against step and cost, with the measured orders."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError
from .style import STYLES, WIDTH, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_work_precision(
    rows: Iterable[tuple[Any, float, float, float]],
    path: str | os.PathLike[str] | None = None,
    *,
    cost: str = "time [s]",
    error: str = "error",
) -> Figure:
    """Draw rows of (scheme, h [s], cost, error): error against step, and against cost; both axes logarithmic.

    `cost` and `error` are the labels of these quantities, with units. The legend gives the slope of error against step,
    the median over each scheme's rows; rows whose error is zero or not finite are left out.

    >>> rows = [(f"order {p}", h, p / h, h**p) for p in (2, 4) for h in (0.1, 0.05, 0.025)]
    >>> [axes.get_xlabel() for axes in plot_work_precision(rows, cost="evaluations").axes]
    ['step [s]', 'evaluations']
    """
    groups: dict[str, list[tuple[float, float, float]]] = {}
    for scheme, *numbers in rows:
        h, c, e = (float(x) for x in numbers)
        groups.setdefault(str(scheme), []).extend([(h, c, e)] if 0.0 < e < np.inf else [])
    groups = {scheme: sorted(found) for scheme, found in groups.items() if found}
    if not 0 < len(groups) <= len(STYLES):
        raise ModelError(f"a work–precision diagram shows one to {len(STYLES)} schemes with errors, not {len(groups)}.")
    return drawn(lambda figure: _draw(figure, groups, cost, error), path)


def order(h: Any, error: Any) -> float:
    """The slope of log error over log h: the median of those between neighbours; NaN for a single row.

    >>> round(order([0.1, 0.05, 0.025, 0.0125], [0.02, 0.005, 0.00125, 0.001]), 6)
    2.0
    """
    x, y = np.log(np.asarray(h, dtype=np.float64)), np.log(np.asarray(error, dtype=np.float64))
    steps = np.diff(x)
    return float(np.median(np.diff(y)[steps != 0.0] / steps[steps != 0.0])) if steps.any() else float("nan")


def _draw(figure: Figure, groups: dict[str, list[tuple[float, float, float]]], cost: str, error: str) -> None:
    figure.set_size_inches(WIDTH, 3.6)
    steps, work = figure.subplots(1, 2, sharey=True)
    for (scheme, found), (style, color, marker) in zip(groups.items(), STYLES, strict=False):
        h, c, e = np.array(found).T
        p = order(h, e)
        line: Any = {
            "linestyle": style,
            "color": color,
            "marker": marker,
            "markersize": 4.5,
            "markerfacecolor": "white",
        }
        steps.plot(h, e, label=scheme if np.isnan(p) else f"{scheme} (slope {p:.1f})", **line)
        work.plot(c, e, **line)
    for axes in (steps, work):
        axes.set_xscale("log")
        axes.set_yscale("log")
        _short_ticks(axes)
    steps.set_xlabel("step [s]")
    work.set_xlabel(cost)
    steps.set_ylabel(error)
    longest = max(len(scheme) for scheme in groups)
    figure.legend(loc="outside upper left", ncols=3 if longest < 18 else 2, fontsize=8, handlelength=2.6)


def _short_ticks(axes: Any) -> None:
    """Ticks at 1, 2 and 5 times powers of ten, in plain digits, if the range is too small for powers of ten alone."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    low, high = axes.dataLim.intervalx
    axes.xaxis.set_minor_formatter(NullFormatter())
    if high < 20.0 * low:
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.3g}"))
        axes.xaxis.set_minor_locator(NullLocator())
