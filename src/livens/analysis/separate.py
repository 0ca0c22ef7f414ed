"""Bodies that overlap are moved apart: the least move after which no contact is closed by more than round-off.

With g the gaps of the contact points, N their derivative with respect to displacements of the bodies (relative to the
size) and rotations [rad], and J that of the joints, every round solves

    min |δ|²    with    N δ ≥ −g,    J δ = −g_joints                                                          (1)

and moves the bodies by δ. δ is a particular solution of the joints plus a vector in their null space, which is the
solution of a least-distance problem with inequalities, by non-negative least squares.
Source: Lawson & Hanson, Solving Least Squares Problems, 1974, chapter 23.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import Array
from ..compile.contacts import touch_scratch
from ..describe.model import Model
from ..errors import ModelError
from ..kernels.arrays import State, System
from ..kernels.contact.arrays import BODY, GAP, KIND
from ..kernels.contact.broad import find_contacts
from ..kernels.contact.features import put_contact_frames
from ..kernels.kinds import RATE_ONLY, STOP

SEPARATION_ROUNDS = 60
TOUCHING = 1e-9  # depth relative to the smallest shape at which bodies count as separate
REACH = 0.1  # contact points up to this distance, relative to the smallest shape, take part
JOINTED = 1e-12  # violation of the joints, relative to their size, or in rad
MARGIN = 1e-10  # gap that is aimed at, relative to the smallest shape


class Gaps:
    """The gaps of the contact points of a model, and their derivatives."""

    def __init__(self, model: Model, system: System):
        if not system.contacts.capacity:
            raise ModelError("the model has no contacts, so no bodies overlap: add lv.Contact or lv.Contacts.")
        self.model, self.system, self.touch = model, system, touch_scratch(system, 0)
        self.size = system.contacts.size_scale

    def at(self, state: State) -> tuple[Array, Array]:
        """Gaps (n,) [m] and derivatives (n, 6 bodies) for displacements [m] and rotations [rad] of the bodies."""
        system, touch = self.system, self.touch
        points = touch.points
        touch.reach[:] = REACH * self.size
        found = find_contacts(system.contacts, system.coordinates, touch, 0.0, state.a, state.B)
        count = min(found, system.contacts.capacity)
        put_contact_frames(
            system.bodies, system.contacts, system.coordinates, points, count, False, state.a, state.B, state.angle
        )  # fmt: skip
        used = [c for c in range(count) if points.table[KIND, c] != STOP and points.table[KIND, c] < RATE_ONLY]
        N = np.zeros((len(used), 6 * len(self.model.bodies)))
        for row, c in zip(N, used, strict=True):
            for side in range(2):
                body = int(points.table[BODY + side, c])
                row[6 * body : 6 * body + 6] += points.G[c, side, 0]
        self.pairs = [tuple(int(points.table[BODY + side, c]) for side in range(2)) for c in used]
        return points.number[GAP, used].copy(), N

    def deepest(self, gaps: Array) -> tuple[float, str]:
        """The largest depth [m] and the names of its bodies."""
        if not len(gaps):
            return 0.0, ""
        c = int(gaps.argmin())
        one, two = (self.model.bodies[k].name for k in self.pairs[c])
        return float(max(0.0, -gaps[c])), f"{one!r} and {two!r}"


def move_apart(search: Any, state: State) -> State:
    """The state after moves (1); `search` knows the joints and which bodies may move (assemble.py)."""
    gaps = Gaps(search.model, search.fit.system)
    for _ in range(SEPARATION_ROUNDS):
        g, N = gaps.at(state)
        closed = g < -TOUCHING * gaps.size
        joints = search.violations(state)
        if not closed.any() and np.abs(joints).max(initial=0.0) <= JOINTED:
            return state
        wanted = np.where(closed, MARGIN * gaps.size - g, -np.maximum(g, 0.0))
        move = least_move(N * search.column, wanted, search.jacobian(state), -joints)
        if move is None:
            break
        state = search.moved(state, search.limited(move))
    depth, names = gaps.deepest(gaps.at(state)[0])
    raise ModelError(
        f"bodies {names} cannot be moved apart: they still overlap by {depth:.3g} m. Hold fewer bodies, or exclude the "
        "pair (lv.Contacts(exclude=[…]))."
    )


def least_move(N: Array, b: Array, J: Array, c: Array) -> Array | None:
    """The shortest δ with N δ ≥ b and J δ = c, None if there is none.

    >>> least_move(np.array([[1.0, 1.0]]), np.array([2.0]), np.zeros((0, 2)), np.zeros(0)).round(9).tolist()
    [1.0, 1.0]
    """
    from scipy.optimize import nnls

    first: Array = np.zeros(N.shape[1])
    Z: Array = np.eye(N.shape[1])
    if len(J):
        first = np.asarray(np.linalg.lstsq(J, c, rcond=None)[0], dtype=np.float64)
        _, s, Vt = np.linalg.svd(J)
        rank = int((s > 1e-10 * max(float(s.max(initial=0.0)), 1e-300)).sum())
        Z = Vt[rank:].T
    A, d = N @ Z, b - N @ first
    size = np.linalg.norm(A, axis=1)
    if (d[size <= 1e-12] > 0.0).any():
        return None  # neither body can move
    A, d = A[size > 1e-12], d[size > 1e-12]
    scale = float(np.abs(d).max(initial=0.0)) or 1.0
    E, f = np.vstack([A.T, d / scale]), np.zeros(A.shape[1] + 1)
    f[-1] = 1.0
    u, _ = nnls(E, f, maxiter=30 * max(E.shape))
    r = E @ u - f
    if abs(r[-1]) < 1e-14:
        return None
    return np.asarray(first - Z @ (r[:-1] / r[-1]) * scale)
