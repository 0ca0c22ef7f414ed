"""Forces and torques of joints against time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError
from ...record.trajectory import Trajectory
from .style import STYLES, WIDTH, heading, legend_above, over_time, thinned

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def reactions(figure: Figure, motion: Trajectory, *joints: Any) -> None:
    """Draw the forces and torques of joints: the components of one, the magnitudes of several.

    Left out, the first joints of the model that have reactions.
    """
    chosen = [motion.model[j] if isinstance(j, str) else j for j in joints]
    chosen = chosen or [joint for joint in motion.model.joints if joint.ends][: len(STYLES)]
    if not 0 < len(chosen) <= len(STYLES):
        problem = f"{len(chosen)} are too many for one figure" if chosen else f"{motion.model.name!r} has none"
        raise ModelError(f"reactions of one to {len(STYLES)} joints can be drawn: {problem}.")
    figure.set_size_inches(WIDTH, 4.6)
    heading(figure, motion)
    panels = list(figure.subplots(2, 1, sharex=True))
    for axes, read, label in (
        (panels[0], motion.reaction, "force [N]"),
        (panels[1], motion.reaction_torque, "torque [N m]"),
    ):
        if len(chosen) == 1:
            lines = {f"{k} at {chosen[0].name}": x for k, x in zip("xyz", read(chosen[0]).T, strict=True)}
        else:
            lines = {joint.name: np.linalg.norm(read(joint), axis=1) for joint in chosen}
        for (name, x), (style, color, _) in zip(lines.items(), STYLES, strict=False):
            axes.plot(*thinned(motion.t, x), linestyle=style, color=color, label=name)
        axes.set_ylabel(label if len(chosen) == 1 else f"|{label.replace(' [', '| [')}")
    if np.abs(panels[1].dataLim.intervaly).max() < 1e-9 * np.abs(panels[0].dataLim.intervaly).max():
        panels[1].set_ylim(-1.0, 1.0)  # only round-off, for example at a ball joint
    legend_above(panels[0], min(len(chosen) if len(chosen) > 1 else 3, 6))
    over_time(panels, motion)
    figure.align_ylabels(panels)
