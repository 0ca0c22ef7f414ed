"""The equilibrium near a position, of any stability: least squares of the residual force r of equilibrium.py,

    η = Q Λ (Λ² + μ)⁻¹ Qᵀ r,                                                                                 (1)

with K = Q Λ Qᵀ the stiffness and μ such that |r| decreases. That may end at a position without balance, where Λ is
singular along r: then it begins again from random positions around the given one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array
from ..compile.states import copied
from ..describe.pose import rotation_vectors
from ..errors import ModelError
from ..kernels.arrays import State

if TYPE_CHECKING:
    from .equilibrium import Place, Search, Slope

ROUNDS = 500  # iterations at most, and ten more for each body
RADIUS = 0.5  # largest trust radius: rad, or parts of the mechanism's size
RINGS = (0.2, 0.5, 1.0)  # rad, or parts of the size: distances of other beginnings from a position
AROUND = 3  # beginnings at each distance
STIFFNESS_SPACING, FINE_SPACING = 1e-5, 1e-7  # of the differences that give K: lengths, as for RADIUS
NO_MOVE = 1e-12  # a move below this counts as zero


def find_near(search: Search) -> State:
    """The equilibrium near the start, or a ModelError. Where (1) ends without balance, it begins again from random
    positions around the start, farther away each time, and the nearest equilibrium counts; if there is none, the one of
    lower energy is found by (3) of equilibrium.py."""
    try:
        return _balance_from(search, search.start)
    except ModelError as error:
        first, rng = error, np.random.default_rng(0)
    here = search.place(copied(search.start))
    for radius in RINGS:
        found = []
        for _ in range(AROUND):
            y = here.N @ rng.normal(size=here.N.shape[1])
            try:
                found.append(
                    _balance_from(search, search.place(search.moved(here.state, radius / search.length(y) * y)).state)
                )
            except ModelError:
                continue
        if found:
            return min(found, key=lambda state: _apart(search, here.state, state))
    search.spacing = STIFFNESS_SPACING
    try:
        return search.find()
    except ModelError:
        raise first from None


def _apart(search: Search, one: State, two: State) -> float:
    """The largest distance of a body between two states in parts of the size, or its angle in rad."""
    moves = np.linalg.norm(two.a - one.a, axis=1) / search.size
    turns = np.linalg.norm(rotation_vectors(np.einsum("bij,bkj->bik", two.B, one.B)), axis=1)
    return float(max(moves.max(), turns.max()))


def _balance_from(search: Search, start: State) -> State:
    """The equilibrium to which (1) leads from a state, or a ModelError."""
    here, radius = search.place(copied(start)), RADIUS
    search.spacing = STIFFNESS_SPACING
    for _ in range(ROUNDS):
        if not here.N.shape[1]:
            return here.state
        search.pull = max(search.pull, float(np.abs(here.f).max()))
        slope = search.stiffness(here)
        r = _felt(search, here, slope)
        newton = _balanced(here, slope, r, 0.0)
        near = search.length(newton)
        if near <= 1e3 * NO_MOVE:
            if np.abs(r[np.abs(slope.values) <= slope.soft]).max(initial=0.0) > 0.0:
                break  # a force without a stiffness against it
            return search.place(search.moved(here.state, newton)).state
        there = None
        mu = 0.0
        for _ in range(40):
            move = _balanced(here, slope, r, mu)
            if search.length(move) <= radius:
                try:
                    there = search.place(search.moved(here.state, move))
                except ModelError:  # too far for the joints to follow
                    there = None
                if there is not None and np.linalg.norm(there.r) < np.linalg.norm(here.r):
                    break
            there = None
            mu = max(4.0 * mu, 1e-6 * float(np.abs(slope.values).max()) ** 2)
        if there is None:
            if near <= 1e5 * NO_MOVE:  # round-off
                return here.state
            if search.spacing == FINE_SPACING:
                break
            search.spacing = FINE_SPACING  # differences may reach across a stop
            continue
        here = there
    raise search.refusal(here)


def _felt(search: Search, here: Place, slope: Slope) -> Array:
    """The residual force along the eigenvectors; zero where stiffness and force are round-off."""
    r = slope.Q.T @ here.r
    return np.where((np.abs(slope.values) <= slope.soft) & (np.abs(r) <= 1e-9 * search.pull), 0.0, r)


def _balanced(here: Place, slope: Slope, r: Array, mu: float) -> Array:
    """The move (1)."""
    square = np.maximum(slope.values**2, slope.soft**2) + mu
    part = np.divide(slope.values, square, out=np.zeros_like(square), where=square > 0.0)  # without any force
    return np.asarray(here.N @ slope.Q @ (part * r))
