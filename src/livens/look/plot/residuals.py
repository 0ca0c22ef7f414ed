"""The residuals of a fit over time: measured minus simulated, in the unit of each quantity."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...analysis.fit import Fit
from .style import STYLES, WIDTH, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_residuals(fit: Fit, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw the residuals of every measured quantity, with the band of two standard deviations of the residuals. If the
    model is right they show no pattern."""
    return drawn(lambda figure: _draw(figure, fit), path)


def _draw(figure: Figure, fit: Fit) -> None:
    figure.set_size_inches(WIDTH, 1.0 + 1.6 * len(fit.residuals))
    panels = figure.subplots(len(fit.residuals), 1, sharex=True, squeeze=False)[:, 0]
    for panel, (name, values) in zip(panels, fit.residuals.items(), strict=True):
        for column, (_, color, mark) in zip(values.T, STYLES, strict=False):
            panel.plot(fit.t, column, mark, color=color, markersize=2.5)
        deviation = fit.deviation(name)
        panel.axhspan(-2.0 * deviation, 2.0 * deviation, color="#dddddd", linewidth=0.0, zorder=0)
        panel.set_ylabel(f"residual of {name}")
    panels[-1].set_xlabel("time [s]")
