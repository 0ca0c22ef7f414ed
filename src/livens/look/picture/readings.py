"""The curves of a body, a joint or the whole model over a motion, as pages and the viewer show them.

    body        position, velocity, angular velocity                              world axes
    joint       coordinates, their rates, efforts of motors and drives, reaction force and torque on the second body
    model       energies, momenta

A reading that a motion cannot give, such as the effort of a joint without motor, is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...checks import Array
from ...describe.model import Body
from ...describe.thing import Thing
from ...errors import ModelError
from ...record.trajectory import Trajectory

XYZ = ("x", "y", "z")


class Curves(NamedTuple):
    """One chart: its quantity, its unit ("" for a logarithm), the names of its curves, their values (times, curves)."""

    what: str
    unit: str
    names: tuple[str, ...]
    values: Array


def readings_of_model(motion: Trajectory) -> list[Curves]:
    """Energies and momenta."""
    energies = np.stack([motion.energy, motion.kinetic, motion.potential], axis=1)
    return [
        Curves("energy", "J", ("total", "kinetic", "potential"), energies),
        Curves("momentum", "kg m/s", XYZ, motion.momentum),
        Curves("angular momentum", "kg m²/s", XYZ, motion.angular_momentum),
    ]


def readings(motion: Trajectory, thing: Body | Thing) -> list[Curves]:
    """The curves of a body or a joint, at all states of `motion`; thin it first.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    >>> motion = lv.simulate(m, h=0.01, until=0.1)
    >>> [f"{c.what} [{c.unit}]" for c in readings(motion, hinge)]
    ['coordinate [rad]', 'rate [rad/s]', 'reaction force [N]', 'reaction torque [N m]']
    >>> [f"{c.what} [{c.unit}]" for c in readings(motion, arm)]
    ['position [m]', 'velocity [m/s]', 'angular velocity [rad/s]']
    """
    if isinstance(thing, Body):
        return [
            Curves("position", "m", XYZ, motion.position(thing)),
            Curves("velocity", "m/s", XYZ, motion.velocity(thing)),
            Curves("angular velocity", "rad/s", XYZ, motion.angular_velocity(thing)),
        ]
    found: list[Curves] = []
    if thing.coordinates:
        found += _by_unit(motion, thing, "coordinate", motion.coordinate, {"rad": "rad", "m": "m"})
        found += _by_unit(motion, thing, "rate", motion.rate, {"rad": "rad/s", "m": "m/s"})
        found += _by_unit(motion, thing, "effort", motion.effort, {"rad": "N m", "m": "N"})
    if thing.ends:
        for what, read, unit in (
            ("reaction force", motion.reaction, "N"),
            ("reaction torque", motion.reaction_torque, "N m"),
        ):
            values = _read(read, thing)
            found += [] if values is None else [Curves(what, unit, XYZ, values)]
    return found


def _by_unit(
    motion: Trajectory, joint: Any, what: str, read: Callable[[Any], Array], units: dict[str, str]
) -> list[Curves]:
    """A quantity of the coordinates of a joint: one chart for angles, one for displacements. units: of the quantity, by
    those of the coordinate."""
    values = _read(read, joint)
    if values is None:
        return []
    values = values.reshape(len(motion), -1)
    given = list(enumerate(joint.coordinates[: values.shape[1]]))
    found = []
    for one in dict.fromkeys(q.unit for _, q in given):
        mine = [(k, q) for k, q in given if q.unit == one]
        names = tuple(q.part if len(given) > 1 else what for _, q in mine)
        found.append(Curves(what, units[one], names, values[:, [k for k, _ in mine]]))
    return found


def _read(read: Callable[[Any], Array], joint: Any) -> Array | None:
    """A reading of a joint; None where the motion cannot give it."""
    try:
        return np.asarray(read(joint), dtype=np.float64)
    except ModelError:
        return None
