"""The invariants of a motion against time.

The error of the energy is drawn with its sign on a linear scale, where a drift is visible. Quantities that are
conserved to machine precision are drawn on a logarithmic scale, above a grey line at ε = 2.2e-16.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...analysis.conserved import conserved_in
from ...analysis.report import Series, angular_series, defect_series, energy_series, momentum_series
from ...checks import Array
from ...record.trajectory import Trajectory
from .style import EPS, STYLES, WIDTH, heading, legend_above, over_time, thinned

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def invariants(figure: Figure, motion: Trajectory) -> None:
    """Draw the errors of energy, momenta and joint constraints of `motion`."""
    law = conserved_in(motion)
    energy = energy_series(motion, law)
    momenta = [series for series in (momentum_series(motion, law), angular_series(motion, law)) if series]
    rows = 2 + bool(momenta)
    figure.set_size_inches(WIDTH, 1.1 + 1.55 * rows)
    panels = list(figure.subplots(rows, 1, sharex=True))
    heading(figure, motion)
    _draw_error(panels[0], motion.t, energy)
    if momenta:
        _draw_round_off(panels[1], motion.t, momenta, "relative error")
    _draw_round_off(panels[-1], motion.t, defect_series(motion), "violation")
    over_time(panels, motion)
    figure.align_ylabels(panels)


def _draw_error(axes: Any, t: Array, series: Series) -> None:
    exponent = int(np.floor(np.log10(max(float(np.abs(series.error).max()), EPS))))
    axes.plot(*thinned(t, series.error / 10.0**exponent), color="black")
    axes.axhline(0.0, color="#999999", linewidth=0.6)
    axes.set_title(series.name)
    axes.set_ylabel(f"relative error [$10^{{{exponent}}}$]")


def _draw_round_off(axes: Any, t: Array, several: list[Series], label: str) -> None:
    """Magnitudes on a logarithmic scale; exact zeros are drawn on the line of ε."""
    for series, (style, color, _) in zip(several, STYLES, strict=False):
        axes.plot(*thinned(t, np.maximum(np.abs(series.error), EPS)), linestyle=style, color=color, label=series.name)
    axes.axhline(EPS, color="#999999", linewidth=0.6)
    axes.text(1.006, EPS, "ε", color="#777777", va="center", transform=axes.get_yaxis_transform()).set_in_layout(False)
    axes.set_yscale("log")
    axes.set_ylim(EPS / 3, max(axes.get_ylim()[1], 1e3 * EPS))
    axes.set_ylabel(label)
    if len(several) == 1:
        axes.set_title(several[0].name)
    else:
        legend_above(axes, len(several))
