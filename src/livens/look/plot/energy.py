"""The parts of the energy against time.

½ m v² and ½ ω·Jω        summed over the bodies: translation and rotation
−m g·x                   gravity, counted from its lowest value
V + m g·x                the rest of the potential energy: springs, stops, attraction
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...analysis.conserved import conserved_in
from ...checks import Array
from ...record.trajectory import Trajectory
from .style import STYLES, WIDTH, heading, legend_above, over_time, thinned

if TYPE_CHECKING:
    from matplotlib.figure import Figure


IMPACT_MARKS = 300
IMPACT = "#cc3333"


def parts(motion: Trajectory) -> dict[str, Array]:
    """The parts that are not zero, each (n,) in joules; the last is their sum.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), velocity=(0, 0, 5), body_rates=(0, 0, 3)))
    >>> {name: round(float(x[0]), 3) for name, x in parts(lv.simulate(m, h=0.01, until=0.4)).items()}
    {'translation': 12.5, 'rotation': 0.018, 'gravity': 0.0, 'total': 12.518}
    """
    bodies, record = motion.system.bodies, motion.record
    translation = 0.5 * (record.p**2 * bodies.inverse_mass[:, None]).sum(axis=(1, 2))
    rotation = 0.5 * (record.L**2 * bodies.inverse_inertia).sum(axis=(1, 2))
    weight = -(record.a @ motion.model.gravity) @ bodies.mass
    rest = motion.potential - weight
    weight = weight - weight.min()
    if not motion.model.forces:
        rest = np.where(np.abs(rest) < 1e-12 * max(np.abs(motion.potential).max(), 1e-300), 0.0, rest)
    every = {"translation": translation, "rotation": rotation, "gravity": weight, "springs, attraction": rest}
    total = translation + rotation + weight + rest
    largest = max(float(np.abs(x).max()) for x in every.values())
    kept = {name: x for name, x in every.items() if np.abs(x).max() > 1e-9 * largest}
    return kept | {"total": total}


def energy(figure: Figure, motion: Trajectory) -> None:
    """Draw the parts of the energy; if the energy is not conserved, also the work done and the energy dissipated."""
    shown = parts(motion)
    if conserved_in(motion).energy:
        shown |= {"work done": motion.work, "dissipated": motion.dissipated}
    figure.set_size_inches(WIDTH, 3.6)
    heading(figure, motion)
    axes = figure.subplots()
    styles = iter(STYLES[1:])
    for name, x in shown.items():
        if name == "total":
            axes.plot(*thinned(motion.t, x), "-", color="black", linewidth=1.6, label=name)
        elif name in ("work done", "dissipated"):
            dash = (0, (6, 2)) if name == "dissipated" else "-"
            axes.plot(*thinned(motion.t, x), linestyle=dash, color="#999999", label=name)
        else:
            style, color, _ = next(styles)
            axes.plot(*thinned(motion.t, x), linestyle=style, color=color, linewidth=1.2, label=name)
    _impacts(axes, motion)
    axes.set_ylabel("energy [J]")
    legend_above(axes, min(len(shown), 5))
    over_time([axes], motion)


def _impacts(axes: Any, motion: Trajectory) -> None:
    """Mark the times of impacts, the strongest ones if there are many, on the lower edge."""
    hits = motion.impacts
    strongest = np.argsort(-np.linalg.norm(hits.impulse, axis=1))[:IMPACT_MARKS]
    if len(strongest):
        place = {"transform": axes.get_xaxis_transform(), "linestyle": "none", "clip_on": False}
        axes.plot(
            hits.t[strongest], np.zeros(len(strongest)), "|", color=IMPACT, markersize=9, label="impacts", **place
        )
