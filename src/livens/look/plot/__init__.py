"""Figures of a motion: motion.plot(kind, …). `KINDS` is the table of what can be drawn, each in its own file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...errors import ModelError
from ...record.trajectory import Trajectory
from .balance import energy, reactions
from .invariants import invariants
from .paths import paths
from .phase import phase
from .polhode import polhode
from .precision import plot_work_precision
from .style import drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS: dict[str, Any] = {
    "invariants": invariants,
    "energy": energy,
    "phase": phase,
    "polhode": polhode,
    "trajectory": paths,
    "reactions": reactions,
}
__all__ = ["KINDS", "plot", "plot_work_precision"]


def plot(
    motion: Trajectory,
    kind: str | os.PathLike[str] | None = None,
    *what: Any,
    path: str | os.PathLike[str] | None = None,
) -> Figure:
    """Draw `motion` and return the figure; write it to `path` if given, whose ending (png, pdf, svg) is the format.

    kind            what is drawn
    "invariants"    energy, momenta, joints against time: how well they are kept (the default)
    "energy"        kinetic energy of translation and rotation, weight, springs against time
    "phase"         a joint's coordinate, or a body's or point's place (component "x", "y", "z"), against its rate
    "polhode"       a body's angular momentum on its sphere and ellipsoid
    "trajectory"    the paths of points or bodies
    "reactions"     forces and torques of joints against time

    A name with an ending, such as "figure.pdf", in the place of `kind` is a path for the invariants.

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
    if kind is not None and (not isinstance(kind, str) or (kind not in KINDS and "." in kind)):
        if path is not None or what:
            raise ModelError(f"there is no figure {os.fspath(kind)!r}; there is {', '.join(KINDS)}.")
        kind, path = "invariants", kind
    name = "invariants" if kind is None else str(kind)
    if name not in KINDS:
        raise ModelError(f"there is no figure {name!r}; there is {', '.join(KINDS)}.")
    return drawn(lambda figure: KINDS[name](figure, motion, *what), path)
