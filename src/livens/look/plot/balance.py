"""Where the energy is, and what the joints carry, against time.

The shares of the energy are ½ m v² and ½ ω·Jω summed over the bodies, the weight's −m g·x counted from its lowest
value, and what is left of the potential energy: springs, stops, attraction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...analysis.conserved import conserved
from ...checks import Array
from ...errors import ModelError
from ...record.trajectory import Trajectory
from .style import STYLES, WIDTH, heading, legend_above, over_time, thinned

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def shares(motion: Trajectory) -> dict[str, Array]:
    """The energies that are there, each (n,) in joules; the last is their sum.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), velocity=(0, 0, 5), body_rates=(0, 0, 3)))
    >>> {name: round(float(x[0]), 3) for name, x in shares(lv.simulate(m, h=0.01, until=0.4)).items()}
    {'translation': 12.5, 'rotation': 0.018, 'weight': 0.0, 'together': 12.518}
    """
    bodies, record = motion.system.bodies, motion.record
    translation = 0.5 * (record.p**2 * bodies.inverse_mass[:, None]).sum(axis=(1, 2))
    rotation = 0.5 * (record.L**2 * bodies.inverse_inertia).sum(axis=(1, 2))
    weight = -(record.a @ motion.model.gravity) @ bodies.mass
    rest = motion.potential - weight
    weight = weight - weight.min()
    if not motion.model.forces:
        rest = np.where(np.abs(rest) < 1e-12 * max(np.abs(motion.potential).max(), 1e-300), 0.0, rest)
    parts = {"translation": translation, "rotation": rotation, "weight": weight, "springs, attraction": rest}
    together = translation + rotation + weight + rest
    largest = max(float(np.abs(x).max()) for x in parts.values())
    kept = {name: x for name, x in parts.items() if np.abs(x).max() > 1e-9 * largest}
    return kept | {"together": together}


def energy(figure: Figure, motion: Trajectory) -> None:
    """Draw the shares of the energy; where work is done or energy dissipated, those too."""
    parts = shares(motion)
    if conserved(motion.model).energy:
        parts |= {"work done": motion.work, "dissipated": motion.dissipated}
    figure.set_size_inches(WIDTH, 3.6)
    heading(figure, motion)
    axes = figure.subplots()
    styles = iter(STYLES[1:])
    for name, x in parts.items():
        if name == "together":
            axes.plot(*thinned(motion.t, x), "-", color="black", linewidth=1.6, label=name)
        elif name in ("work done", "dissipated"):
            dash = (0, (6, 2)) if name == "dissipated" else "-"
            axes.plot(*thinned(motion.t, x), linestyle=dash, color="#999999", label=name)
        else:
            style, color, _ = next(styles)
            axes.plot(*thinned(motion.t, x), linestyle=style, color=color, linewidth=1.2, label=name)
    axes.set_ylabel("energy [J]")
    legend_above(axes, min(len(parts), 5))
    over_time([axes], motion)


def reactions(figure: Figure, motion: Trajectory, *joints: Any) -> None:
    """Draw the forces and torques of joints: of one its components, of several their sizes.

    Left out, the first joints of the model that have reactions.
    """
    chosen = [motion.model[j] if isinstance(j, str) else j for j in joints]
    chosen = chosen or [j for j in motion.model.joints if hasattr(j, "b")][: len(STYLES)]
    if not 0 < len(chosen) <= len(STYLES):
        problem = f"{len(chosen)} are too many to tell apart" if chosen else f"{motion.model.name!r} has none"
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
        axes.set_ylabel(label if len(chosen) == 1 else f"size of {label}")
    if np.abs(panels[1].dataLim.intervaly).max() < 1e-9 * np.abs(panels[0].dataLim.intervaly).max():
        panels[1].set_ylim(-1.0, 1.0)  # round-off of nothing, as at a ball joint
    legend_above(panels[0], min(len(chosen) if len(chosen) > 1 else 3, 6))
    over_time(panels, motion)
    figure.align_ylabels(panels)
