"""A motion as a table of text, for spreadsheets and other programs: motion.to_csv(path).

One row for each stored time; the first row has the names of the columns with their units:

    t [s];  coordinates and rates of all joints;  for each body the position [m] of its frame, its quaternion, its
    velocity [m/s] and its angular velocity [rad/s], world axes;  kinetic and potential energy [J]

Numbers have 17 digits, so that reading them gives the same bits.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array
from ..storage.atomic import replacing

if TYPE_CHECKING:
    from .trajectory import Trajectory

AXES_LETTERS = ("x", "y", "z")


def write_csv(motion: Trajectory, path: str | os.PathLike[str], force: bool = False) -> None:
    """Write the table of `motion` to `path`; force: replace a file that livens did not write.

    >>> import livens as lv, tempfile
    >>> m = lv.Model()
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    >>> _ = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 0, 1), name="pin"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lv.simulate(m, h=1e-2, until=1.0).to_csv(folder + "/arm.csv")
    ...     print(open(folder + "/arm.csv").readline()[:56])
    t [s],pin [rad],pin rate [rad/s],arm x [m],arm y [m],arm
    """
    columns = columns_of(motion)
    ours = same_header(columns)
    with replacing(path, "table", force, ours) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(columns)
        for row in zip(*(values.tolist() for values in columns.values()), strict=True):
            table.writerow([repr(x) for x in row])


def same_header(columns: Iterable[str]) -> Callable[[Path], bool]:
    """A test for a table with these columns, which may be replaced: it has no mark, which spreadsheets would show."""
    text = io.StringIO()
    csv.writer(text).writerow(columns)
    first = text.getvalue().rstrip().encode()

    def same(there: Path) -> bool:
        with open(there, "rb") as file:
            return file.readline(len(first) + 2).rstrip() == first

    return same


def columns_of(motion: Trajectory) -> dict[str, Array]:
    """Name with unit → values (n,) of every column."""
    found = {"t [s]": motion.t}
    joints = {joint.name: joint for phase in motion.phases for joint in phase.model.joints if joint.coordinates}
    for name, joint in joints.items():
        q, v = (read(name).reshape(len(motion), -1) for read in (motion.coordinate, motion.rate))
        for k, one in enumerate(joint.coordinates):
            found[f"{one.name} [{one.unit}]"], found[f"{one.name} rate [{one.unit}/s]"] = q[:, k], v[:, k]
    for body in motion.model.bodies[1:]:
        x, w = motion.position(body), motion.quaternion(body)
        rates = {"v": ("m/s", motion.velocity(body)), "ω": ("rad/s", motion.angular_velocity(body))}
        found |= {f"{body.name} {axis} [m]": x[:, k] for k, axis in enumerate(AXES_LETTERS)}
        found |= {f"{body.name} q{axis}": w[:, k] for k, axis in enumerate(("w", *AXES_LETTERS))}
        for letter, (unit, values) in rates.items():
            found |= {f"{body.name} {letter}{axis} [{unit}]": values[:, k] for k, axis in enumerate(AXES_LETTERS)}
    found |= {"kinetic energy [J]": motion.kinetic, "potential energy [J]": motion.potential}
    return {name: np.asarray(values, dtype=np.float64) for name, values in found.items()}
