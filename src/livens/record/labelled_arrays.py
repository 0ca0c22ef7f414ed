"""A motion as labelled arrays, xarray's, in the user's body frames, with units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array
from ..errors import require
from .trajectory import Trajectory

if TYPE_CHECKING:
    import xarray


def to_xarray(motion: Trajectory) -> xarray.Dataset:
    """`motion` as a labelled xarray Dataset in the user's body frames, with units, bodies and axes by name.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> top = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    >>> data = lv.simulate(m, lv.Livens(), h=1e-2, until=1.0).to_xarray()
    >>> data.body_rates.sel(body="top", axis="y").isel(time=0).item(), data.body_rates.units
    (2.0, 'rad/s')
    """
    xarray = require("xarray", "labelled arrays need xarray", "livens[data]")
    from .. import __version__

    bodies = motion.model.bodies[1:]
    whole = ("time", "axis")
    each = ("time", "body", "axis")

    def stack(quantity: Any, width: int = 3) -> Array:
        parts = [quantity(body) for body in bodies]
        return np.stack(parts, axis=1) if parts else np.zeros((len(motion), 0, width))

    variables = {
        "position": (each, stack(motion.position), "m", "origin of the body frame, world axes"),
        "quaternion": (("time", "body", "quaternion_component"), stack(motion.quaternion, 4), "1", "body to world"),
        "velocity": (each, stack(motion.velocity), "m/s", "velocity of the body frame's origin, world axes"),
        "body_rates": (each, stack(motion.body_rates), "rad/s", "angular velocity, body axes"),
        "angular_velocity": (each, stack(motion.angular_velocity), "rad/s", "angular velocity, world axes"),
        "momentum": (whole, motion.momentum, "kg m/s", "total linear momentum, world axes"),
        "angular_momentum": (whole, motion.angular_momentum, "kg m²/s", "total, about the world's origin, world axes"),
        "kinetic": (("time",), motion.kinetic, "J", "kinetic energy"),
        "potential": (("time",), motion.potential, "J", "potential energy"),
        "energy": (("time",), motion.energy, "J", "kinetic plus potential energy"),
    }
    data = {
        name: xarray.Variable(dimensions, values, {"units": unit, "long_name": meaning})
        for name, (dimensions, values, unit, meaning) in variables.items()
    }
    coordinates = {
        "time": xarray.Variable(("time",), motion.t, {"units": "s", "long_name": "time"}),
        "body": [body.name for body in bodies],
        "axis": list("xyz"),
        "quaternion_component": list("wxyz"),
    }
    facts = {"title": motion.model.name, "scheme": repr(motion.scheme), "h": motion.h, "steps": motion.steps}
    return xarray.Dataset(data, coordinates, {**facts, "source": f"livens {__version__}"})
