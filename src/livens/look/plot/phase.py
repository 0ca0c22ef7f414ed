"""Phase portraits: a coordinate against its rate. Of a joint its angle or displacement, of a point its position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...checks import Array
from ...describe.model import Body, Point
from ...errors import ModelError
from ...record.trajectory import Trajectory
from .style import WIDTH, ends, heading

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AXES = "xyz"


def phase(figure: Figure, motion: Trajectory, what: Any = None, component: str | None = None) -> None:
    """Draw the coordinates of the joint `what` against their rates, or those of the position of a body or point.

    `component` "x", "y" or "z" draws one of three. Left out, `what` is the first joint with a coordinate, or else the
    first body.
    """
    what = _first(motion) if what is None else motion.model[what] if isinstance(what, str) else what
    pairs = _of_position(motion, what) if isinstance(what, Body | Point) else _of_joint(motion, what)
    if component is not None:
        if component not in AXES or len(pairs) != 3:
            raise ModelError(f"a component x, y or z of a body or point can be drawn, not {component!r} of {what!r}.")
        pairs = [pairs[AXES.index(component)]]
    figure.set_size_inches(*((0.75 * WIDTH, 4.2) if len(pairs) == 1 else (WIDTH, 1.0 + WIDTH / len(pairs))))
    heading(figure, motion)
    for axes, (label, q, unit, rate) in zip(np.atleast_1d(figure.subplots(1, len(pairs))), pairs, strict=True):
        axes.plot(q, rate, "-", color="black", linewidth=0.9)
        _arrows(axes, q, rate)
        ends(axes, np.stack([q, rate], axis=1), "black")
        axes.set_xlabel(f"{label} [{unit}]")
        axes.set_ylabel(f"rate [{unit}/s]")
        if unit == "rad":
            _in_pi(axes, float(np.ptp(q)))


def _first(motion: Trajectory) -> Any:
    for joint in motion.model.joints:
        if joint.coordinates:
            return joint
    if len(motion.model.bodies) < 2:
        raise ModelError(f"model {motion.model.name!r} has no bodies: there is nothing to draw.")
    return motion.model.bodies[1]


def _of_joint(motion: Trajectory, joint: Any) -> list[tuple[str, Array, str, Array]]:
    n = len(motion)
    q, rate = motion.coordinate(joint).reshape(n, -1), motion.rate(joint).reshape(n, -1)
    return [(joint.name, q[:, k], one.unit, rate[:, k]) for k, one in enumerate(joint.coordinates)]


def _of_position(motion: Trajectory, what: Body | Point) -> list[tuple[str, Array, str, Array]]:
    x, v = motion.position(what), motion.velocity(what)
    name = what.name if isinstance(what, Body) else f"point of {what.body.name}"
    return [(f"{axis} of {name}", x[:, k], "m", v[:, k]) for k, axis in enumerate(AXES)]


def _arrows(axes: Any, q: Array, rate: Array) -> None:
    """Three arrow heads along the curve, in the direction of time."""
    if len(q) < 8 or not (np.ptp(q) > 0.0 and np.ptp(rate) > 0.0):
        return
    length = np.hypot(np.diff(q) / np.ptp(q), np.diff(rate) / np.ptp(rate)).cumsum()
    for part in (0.17, 0.5, 0.83):
        k = min(int(np.searchsorted(length, part * length[-1])), len(q) - 2)
        head = {"arrowstyle": "-|>", "color": "black", "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (q[k + 1], rate[k + 1]), (q[k], rate[k]), arrowprops=head)


def _in_pi(axes: Any, span: float) -> None:
    """Ticks at multiples of π for large angles."""
    from matplotlib.ticker import FuncFormatter, MultipleLocator

    if span < 2.5:
        return
    parts = next((p for p in (0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 20.0, 50.0) if span / (p * np.pi) <= 6.0), None)
    if parts is not None:
        axes.xaxis.set_major_locator(MultipleLocator(parts * np.pi))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _multiple(x / np.pi)))


def _multiple(x: float) -> str:
    """A multiple of π as text."""
    number = f"{abs(x):.4g}"
    return "0" if number == "0" else ("−" if x < 0 else "") + ("π" if number == "1" else f"{number}π")
