"""The three bags every kernel works on. One line per array: meaning, unit, shape.

n bodies with the world as body 0, s springs, k attracting pairs, l loads. Bodies are described about their centre
of mass in principal axes; only the record layer knows the user's body frames.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Bodies(NamedTuple):
    """How the bodies resist, and where the user's frames sit in them."""

    mass: Floats  # [kg] (n,), the world 0
    inverse_mass: Floats  # [1/kg] (n,), the world 0
    inertia: Floats  # principal moments [kg m²] (n, 3); 1 about an axis without inertia, where L stays 0
    inverse_inertia: Floats  # [1/(kg m²)] (n, 3); the world 0, and 0 about an axis without inertia
    center: Floats  # centre of mass in the user's body frame [m] (n, 3)
    axes: Floats  # principal axes as columns in the user's body frame (n, 3, 3)


class Springs(NamedTuple):
    """Springs between points."""

    body: Ints  # (s, 2)
    point: Floats  # from the centre of mass, principal axes [m] (s, 2, 3)
    stiffness: Floats  # [N/m] (s,)
    length: Floats  # at rest [m] (s,)


class Pairs(NamedTuple):
    """Pairs of bodies that attract each other."""

    body: Ints  # (k, 2)
    strength: Floats  # G m_i m_j [N m²] (k,)


class Loads(NamedTuple):
    """Forces and torques from outside; their sizes come with time."""

    body: Ints  # (l,)
    point: Floats  # from the centre of mass, principal axes [m] (l, 3)
    axes: Floats  # from the load's axes to principal axes, for loads that follow the body (l, 3, 3)
    follows: Ints  # 1: the load turns with its body; 0: world axes (l,)


class System(NamedTuple):
    """Constant while time runs."""

    bodies: Bodies
    gravity: Floats  # acceleration, world axes [m/s²] (3,)
    springs: Springs
    pairs: Pairs
    loads: Loads


class State(NamedTuple):
    """All that evolves."""

    a: Floats  # centre of mass, world [m] (n, 3)
    B: Floats  # principal axes as columns, world (n, 3, 3)
    p: Floats  # linear momentum, world [kg m/s] (n, 3)
    L: Floats  # angular momentum about the centre of mass, principal axes [kg m²/s] (n, 3)


class Work(NamedTuple):
    """Scratch: may be thrown away without losing physics."""

    f: Floats  # force on each body, world [N] (n, 3)
    tau: Floats  # torque about the centre of mass, principal axes [N m] (n, 3)
    fault: Ints  # which body or row a status speaks of (1,)
