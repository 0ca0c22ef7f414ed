"""Figures of a motion: motion.plot(kind, …). FIGURES is the table of kinds; each has its own file.

`drawn`, `STYLES` and `thinned` give figures of your own the same style.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...errors import ModelError
from ...record.trajectory import Trajectory
from .energy import energy
from .invariants import invariants
from .phase import phase
from .polhode import polhode
from .quantities import QUANTITIES
from .reactions import reactions
from .style import STYLES, drawn, thinned
from .trajectory import trajectory
from .work_precision import plot_work_precision

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES: dict[str, Any] = {
    "invariants": invariants,
    "energy": energy,
    "phase": phase,
    "polhode": polhode,
    "trajectory": trajectory,
    "reactions": reactions,
    **QUANTITIES,
}
__all__ = ["FIGURES", "STYLES", "drawn", "plot", "plot_work_precision", "thinned"]


def plot(
    motion: Trajectory,
    kind: str | os.PathLike[str] | None = None,
    *what: Any,
    path: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> Figure:
    """Draw `motion` and return the figure; write it to `path` if given, whose ending (png, pdf, svg) is the format.

    kind            what is drawn
    "invariants"    errors of energy, momenta and joint constraints against time (the default)
    "energy"        energy of translation, rotation, gravity and springs against time
    "phase"         the coordinate of a joint, or the position of a body or point (component "x", "y", "z"), against its
                    rate
    "polhode"       the angular momentum of a body without torque, on its sphere and ellipsoid
    "trajectory"    the paths of points or bodies
    "reactions"     forces and torques of joints against time
    "coordinate"    coordinates of joints against time; likewise "rate" and "effort" (of motors and prescribed motion)
    "position"      positions of bodies or points against time; likewise "velocity" and "acceleration"

    If `kind` is a file name with an ending, such as "figure.pdf", the invariants are written to it.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> stick = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.1, 4, 0.1), name="stick"))
    >>> motion = lv.simulate(m, lv.Livens(), h=1e-2, until=1.0)
    >>> figure = motion.plot()
    >>> len(figure.axes), figure.axes[-1].get_xlabel()
    (3, 'time [s]')
    >>> motion.plot("phase", "stick", "z").axes[0].get_ylabel()
    'rate [m/s]'
    """
    if kind is not None and (not isinstance(kind, str) or (kind not in FIGURES and "." in kind)):
        if path is not None or what:
            raise ModelError(f"there is no figure {os.fspath(kind)!r}; there is {', '.join(FIGURES)}.")
        kind, path = "invariants", kind
    name = "invariants" if kind is None else str(kind)
    if name not in FIGURES:
        raise ModelError(f"there is no figure {name!r}; there is {', '.join(FIGURES)}.")
    return drawn(lambda figure: FIGURES[name](figure, motion, *what), path, force)
