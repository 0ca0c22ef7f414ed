"""Paths of points: in a plane if they stay in one, else in 3-D with their projection on the floor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...checks import Array
from ...describe.model import Body, Point
from ...errors import ModelError
from ...record.trajectory import Trajectory
from .style import CURVE_POINTS, STYLES, WIDTH, ends, heading, legend_above

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLAT = 1e-9  # paths that extend less along an axis, relative to their largest extent, are in a plane


def trajectory(figure: Figure, motion: Trajectory, *what: Point | Body | str) -> None:
    """Draw the paths of points or body origins; left out, those of the first bodies' centres of mass."""
    chosen: list[Any] = list(what) or [body.center for body in motion.model.bodies[1:]][: len(STYLES)]
    if not 0 < len(chosen) <= len(STYLES):
        raise ModelError(f"one to {len(STYLES)} paths fit into a figure, not {len(chosen)}.")
    step = -(-len(motion) // CURVE_POINTS)
    places = [motion.position(one) for one in chosen]
    lines = [np.concatenate([x[:-1:step], x[-1:]]) for x in places]
    spread = np.max([np.ptp(x, axis=0) for x in lines], axis=0)
    heading(figure, motion)
    names = [_name(one) for one in chosen]
    moving = [k for k in range(3) if spread[k] > FLAT * spread.max(initial=1e-300)]
    if len(moving) == 3:
        _in_space(figure, lines, names)
    else:
        others = [k for k in (2, 0, 1) if k not in moving]
        _in_plane(figure, lines, names, *sorted([*moving, *others][:2]))


def _in_plane(figure: Figure, lines: list[Array], names: list[str], i: int, j: int) -> None:
    axes = figure.subplots()
    axes.set_aspect("equal", adjustable="datalim")
    for x, name, (style, color, _) in zip(lines, names, STYLES, strict=False):
        axes.plot(x[:, i], x[:, j], linestyle=style, color=color, label=name)
        ends(axes, x[:, [i, j]], color)
    axes.set_xlabel(f"{'xyz'[i]} [m]")
    axes.set_ylabel(f"{'xyz'[j]} [m]")
    legend_above(axes, min(len(names), 3))


def _in_space(figure: Figure, lines: list[Array], names: list[str]) -> None:
    figure.set_size_inches(WIDTH, 5.0)
    axes = figure.add_subplot(projection="3d", computed_zorder=False)
    everything = np.concatenate(lines)
    low, high = everything.min(axis=0), everything.max(axis=0)
    margin = 0.05 * (high - low).max()
    low, high = low - margin, high + margin
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_zlim(low[2], high[2])
    axes.set_box_aspect(high - low, zoom=0.87)
    axes.view_init(elev=20, azim=-52)
    for x, name, (style, color, _mark) in zip(lines, names, STYLES, strict=False):
        axes.plot(x[:, 0], x[:, 1], low[2], color="#c4c4c4", linewidth=0.8, zorder=1)
        axes.plot(*x.T, linestyle=style, color=color, label=name, zorder=3)
        ends(axes, x, color)
    parts = (high - low) / (high - low).max()
    for axis, letter, part in zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz", parts, strict=True):
        axis.set_pane_color((0.97, 0.97, 0.965, 1.0))
        axis.set_label_text(f"{letter} [m]")
        axis.set_major_locator(_few(2 + int(4 * part)))
    axes.legend(loc="upper left", fontsize=8, handlelength=2.2)


def _few(most: int) -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(most, steps=[1, 2, 5, 10])


def _name(what: Point | Body | str) -> str:
    if isinstance(what, Point):
        center = bool(np.array_equal(what.r, what.body.mass_properties.center))
        where = ", centre of mass" if center else f" at {(what.r.round(4) + 0.0).tolist()}"
        return f"{what.body.name}{where}"
    return what if isinstance(what, str) else what.name
