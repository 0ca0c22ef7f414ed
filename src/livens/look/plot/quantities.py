"""Quantities against time: coordinates, rates and efforts of joints; positions, velocities and accelerations of bodies
and points."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...checks import Array
from ...describe.model import Body, Point
from ...errors import ModelError
from ...record.trajectory import Trajectory
from .style import STYLES, WIDTH, heading, legend_above, over_time, thinned

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OF_JOINTS = {"coordinate": "", "rate": "/s", "effort": ""}  # what follows the unit of the coordinate
OF_POINTS = {"position": "m", "velocity": "m/s", "acceleration": "m/s²"}
EFFORTS = {"rad": "N m", "m": "N"}  # unit of an effort by that of its coordinate
PANEL = 1.7  # height of a panel [inches]


class Curve(NamedTuple):
    """One curve: its panel, its name, its values (n,)."""

    panel: str
    name: str
    values: Array


def of_joints(quantity: str, figure: Figure, motion: Trajectory, *joints: Any) -> None:
    """Draw a quantity of joints against time; without joints, of all that have it."""
    chosen = [motion.own(joint) for joint in joints] or _all(motion, quantity)
    _draw(figure, motion, [curve for joint in chosen for curve in _of_joint(motion, joint, quantity)], quantity)


def of_points(quantity: str, figure: Figure, motion: Trajectory, *points: Any) -> None:
    """Draw the three components of a quantity of points or bodies against time; without points, of all bodies."""
    things = points or tuple(motion.model.bodies[1:])
    found = []
    for thing in things:
        what = motion.own(thing) if isinstance(thing, str) else thing
        if not isinstance(what, Body | Point):
            raise ModelError(f"a {quantity} belongs to a body or a point of one, not to {thing!r}.")
        name = what.name if isinstance(what, Body) else f"point of {what.body.name}"
        read: Callable[[Any], Array] = {
            "position": motion.position,
            "velocity": motion.velocity,
            "acceleration": motion.acceleration,
        }[quantity]
        values = read(what)
        found += [Curve(f"{axis} [{OF_POINTS[quantity]}]", name, values[:, k]) for k, axis in enumerate("xyz")]
    _draw(figure, motion, found, quantity)


def _all(motion: Trajectory, quantity: str) -> list[Any]:
    joints = [joint for joint in motion.model.joints if joint.coordinates]
    if quantity == "effort":
        joints = [joint for joint in joints if _has_effort(motion, joint)]
    if not joints:
        missing = "with a motor or a prescribed motion" if quantity == "effort" else "with a coordinate"
        raise ModelError(f"model {motion.model.name!r} has no joint {missing}: there is no {quantity} to draw.")
    return joints


def _has_effort(motion: Trajectory, joint: Any) -> bool:
    try:
        motion.effort(joint)
    except ModelError:
        return False
    return True


def _of_joint(motion: Trajectory, joint: Any, quantity: str) -> list[Curve]:
    read: Callable[[Any], Array] = {
        "coordinate": motion.coordinate,
        "rate": motion.rate,
        "effort": motion.effort,
    }[quantity]
    values = read(joint).reshape(len(motion), -1)
    found = []
    for k, q in enumerate(joint.coordinates[: values.shape[1]]):
        unit = EFFORTS[q.unit] if quantity == "effort" else q.unit + OF_JOINTS[quantity]
        name = f"{joint.name} {q.part}" if len(joint.coordinates) > 1 else joint.name
        found.append(Curve(f"{quantity} [{unit}]", name, values[:, k]))
    return found


def _draw(figure: Figure, motion: Trajectory, curves: list[Curve], quantity: str) -> None:
    """A panel for each unit or component, with a curve for each joint, body or point."""
    panels = list(dict.fromkeys(curve.panel for curve in curves))
    most = max((sum(curve.panel == panel for curve in curves) for panel in panels), default=0)
    if not 1 <= most <= len(STYLES):
        raise ModelError(
            f"{most} curves are too many for one figure: name up to {len(STYLES)}, as in plot({quantity!r}, …)."
        )
    figure.set_size_inches(WIDTH, 0.9 + PANEL * max(len(panels), 1.6))
    heading(figure, motion)
    axes = np.atleast_1d(figure.subplots(len(panels), 1, sharex=True))
    for panel, ax in zip(panels, axes, strict=True):
        mine = [curve for curve in curves if curve.panel == panel]
        for curve, (line, color, _) in zip(mine, STYLES, strict=False):
            ax.plot(*thinned(motion.t, curve.values), linestyle=line, color=color, label=curve.name)
        ax.set_ylabel(panel)
    legend_above(axes[0], min(4, most))
    over_time(axes, motion)


QUANTITIES: dict[str, Any] = {
    **{quantity: partial(of_joints, quantity) for quantity in OF_JOINTS},
    **{quantity: partial(of_points, quantity) for quantity in OF_POINTS},
}
