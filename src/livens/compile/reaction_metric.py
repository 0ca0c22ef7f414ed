"""The metric in which the reactions of redundant constraints have minimum norm: force², and (torque / ℓ)², times 1/m.

A set of multipliers that balances on its own lies within one loop (loops.py). So each loop has a length and a mass of
its own, the longest lever arm of its rows, and the mean mass of its bodies,

    D = 1/m for forces,    1/(m ℓ²) for torques,                                                                (1)

and reactions in one loop do not depend on the size and the masses of what else is in the model. m does not change the
norm that is minimal: it makes ε D small in comparison with S (kernels/dynamics.py) in every loop.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..kernels.arrays import System
from ..kernels.kinds import DISTANCE, TAPE
from .loops import loops


def reaction_metric(system: System, angular: NDArray[np.bool_]) -> Array:
    """(1) for each row; `angular`: which rows are in radians."""
    rows, blocks, mass = system.rows, system.blocks, system.bodies.mass
    count = len(blocks.soft)
    loop = np.arange(count)
    for some in loops(system):
        loop[some] = some[0]
    # np.repeat and np.bincount count in 32 bits in the browser
    row, side, touched = (x.astype(np.intp) for x in (blocks.row, blocks.side, blocks.side_body))
    mine = np.repeat(loop, np.diff(row))
    sides = np.stack([np.repeat(loop, np.diff(side)), touched], axis=1)
    of, body = np.unique(sides[mass[touched] > 0.0], axis=0).T
    mean = np.bincount(of, mass[body], count) / np.maximum(np.bincount(of, minlength=count), 1)
    levers = (np.abs(rows.point).max(axis=2) * (rows.body > 0)).max(axis=1)  # the world has no size
    levers = np.maximum(levers, np.where((rows.kind == DISTANCE) | (rows.kind == TAPE), rows.value, 0.0))
    size = np.zeros(count)
    np.maximum.at(size, mine, levers)
    size = np.where(size > 0.0, size, max(float(size.max(initial=0.0)), 1e-300))[mine]
    forces = np.where(angular, 1.0 / size**2, rows.unit**2)
    return forces / np.where(mean > 0.0, mean, 1.0)[mine]
