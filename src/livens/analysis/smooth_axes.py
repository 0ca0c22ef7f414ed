"""Principal axes that are smooth functions of a number of a model, for bodies with equal moments of inertia.

Kernels know a body by its principal moments and axes. Where two or three moments are equal, as those of a cylinder or a
cube, a change E of the inertia J, in principal axes, turns axes by a finite angle however small it is, unless the axes
S of the equal moments are those in which it is diagonal,

    J_SS = j 1,        (E_SS)_ij = 0 for i ≠ j,                                                                 (1)

and, where E_SS has equal entries itself, those along its products with the third axis. All axes of equal moments
describe the same motion: here it is given the ones of (1).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.linalg import block_diag

from ..checks import Array
from ..compile.compiled import Compiled
from ..errors import ModelError
from ..record.trajectory import Trajectory
from ..run.parameters import Numbers
from ..scene.values import parts_of
from .aligned_mass import HeldMass

EQUAL = 1e-6  # difference of two principal moments, in parts of the largest, that counts as none
PROBE = 1e-4  # of a number: the change that shows E
NO_PRODUCT = 1e-9  # part of E that counts as none


def in_smooth_axes(motion: Trajectory, numbers: Numbers, name: str) -> Trajectory:
    """The same motion, in principal axes that are smooth functions of the number with this name."""
    if parts_of(name)[0] not in ("bodies", "shapes"):
        return motion
    bodies = motion.system.bodies
    equal = [k for k in range(1, len(bodies.mass)) if len(_sets(bodies.inertia[k])[0]) > 1]
    changes = _changes(motion.compiled, numbers, name, equal) if equal else {}
    turns = {k: _turn(bodies.inertia[k], E) for k, E in changes.items()}
    turns = {k: R for k, R in turns.items() if not np.array_equal(R, np.eye(3))}
    return _turned(motion, numbers, turns) if turns else motion


def _sets(moments: Array) -> list[list[int]]:
    """The numbers of the axes by equal moments, the largest set first."""
    return sorted(_near(moments, np.where(moments > 0.0, EQUAL * moments.max(), -1.0)), key=len, reverse=True)


def _near(values: Array, apart: Array) -> list[list[int]]:
    """The numbers of some values in ascending order, together if a value is not farther from the next one than it may
    be."""
    order = np.argsort(values).tolist()
    sets = [order[:1]]
    for before, k in pairwise(order):
        if values[k] - values[before] <= apart[before]:
            sets[-1].append(k)
        else:
            sets.append([k])
    return sets


def _changes(compiled: Compiled, numbers: Numbers, name: str, some: list[int]) -> dict[int, Array]:
    """E in principal axes, up to a factor, of those of some bodies whose inertia depends on the number."""
    value, size = numbers.value(name)
    ends: list[Array] = []
    for d in PROBE * (size or 1.0) * np.array([1.0, -1.0]):
        try:
            model = numbers.changed({name: value + d})
        except ModelError:  # on one side there may be no body, such as a negative mass
            model = compiled.model
        ends.append(np.array([body.mass_properties.inertia for body in model.bodies]))
    axes, found = compiled.system.bodies.axes, {}
    for k in some:
        E = axes[k].T @ (ends[0][k] - ends[1][k]) @ axes[k]
        if np.abs(E).max() > 1e-14 * np.abs(ends[0][k]).max():
            found[k] = E / np.abs(E).max()
    return found


def _turn(moments: Array, E: Array) -> Array:
    """The axes (1), in the present principal axes."""
    S, *rest = _sets(moments)
    part = E[np.ix_(S, S)]
    if np.abs(part - np.diag(np.diag(part))).max() > NO_PRODUCT:
        changes, R = np.linalg.eigh(part)
        for same in _near(changes, np.full(len(S), NO_PRODUCT)):  # the axes of J, where E does not tell
            R[:, same] = R[:, same] @ np.linalg.eigh(R[:, same].T * moments[S] @ R[:, same])[1]
    elif len(S) == 2 and abs(part[0, 0] - part[1, 1]) <= NO_PRODUCT and np.abs(E[S, rest[0][0]]).min() > NO_PRODUCT:
        x, y = E[S, rest[0][0]] / np.linalg.norm(E[S, rest[0][0]])
        R = np.array([[x, -y], [y, x]])
    else:
        return np.eye(3)
    if np.linalg.det(R) < 0.0:
        R[:, -1] = -R[:, -1]
    order = [*S, *(k for some in rest for k in some)]
    whole = np.zeros((3, 3))
    whole[np.ix_(order, order)] = block_diag(R, np.eye(3 - len(S)))
    return whole


def _turned(motion: Trajectory, numbers: Numbers, turns: dict[int, Array]) -> Trajectory:
    """The motion with the principal axes of some bodies turned."""
    compiled, record, model = motion.compiled, motion.record, numbers.changed({})
    for k, R in turns.items():
        body, axes = model.bodies[k], compiled.system.bodies.axes[k] @ R
        body.shape = HeldMass(body.mass_properties, axes)
    other = Compiled.of(model, quiet=True, like=compiled)
    B, L, start = record.B.copy(), record.L.copy(), compiled.state
    for k, R in turns.items():
        B[:, k], L[:, k] = B[:, k] @ R, L[:, k] @ R
    begins = all(
        np.array_equal(x[0], y)
        for x, y in ((record.a, start.a), (record.B, start.B), (record.p, start.p), (record.L, start.L))
    )
    states = record._replace(B=B, L=L)
    if begins:  # the same bits as the start of the model
        states = states._replace(a=record.a.copy(), p=record.p.copy())
        for x, y in ((states.a, other.state.a), (B, other.state.B), (states.p, other.state.p), (L, other.state.L)):
            x[0] = y
    return Trajectory(
        other, motion.scheme, motion.h, motion.every, motion.t, states, motion.steps, motion.seconds, motion.tally
    )
