"""The symmetry of a user-written energy or force, from its total force and torque at random states.

With F the total force and M the total torque about the origin, momentum along n is conserved if n·F = 0 everywhere,
and angular momentum about the line along n through x if

    n·(M − x × F) = n·M − (n × x)·F = 0.                                                                     (1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ..checks import Array
from ..formula.formula import Formula
from .body import Body
from .formula_derivatives import Motion
from .pose import hat
from .symmetry import PARALLEL, Symmetry, orthogonal_complement

Exerted = Callable[[list[Motion], Array], tuple[Array, Array]]  # forces, and torques about the origin: (forces, k, 3)
COUNT = 16  # random states


def sampled_symmetry(exerted: Exerted, bodies: Sequence[Body], formulas: Sequence[Formula]) -> Symmetry:
    """The symmetry of an action that exerts forces on `bodies` and has these formulas."""
    F, M, length = _wrenches(exerted, bodies, formulas)
    move = orthogonal_complement(F)
    screws = orthogonal_complement(np.concatenate([M, -F], axis=1))  # (n, m) with n·M = m·F
    turns = screws[np.abs(screws[:, :3]).max(axis=1, initial=0.0) > PARALLEL]
    across = np.eye(3) - move.T @ move  # a change of m along `move` has no effect
    A = np.array([across @ hat(n) for n in turns[:, :3]]).reshape(-1, 3)
    x = np.linalg.lstsq(A, (turns[:, 3:] @ across).ravel(), rcond=1e-9)[0] if len(turns) else np.zeros(3)
    turn = orthogonal_complement(M - np.cross(x, F))
    elsewhere = x + np.array([1.0, np.sqrt(2.0), np.sqrt(3.0)])
    anywhere = len(turn) == len(orthogonal_complement(M - np.cross(elsewhere, F)))
    return Symmetry(move, turn, None if anywhere else length * x)


def _wrenches(exerted: Exerted, bodies: Sequence[Body], formulas: Sequence[Formula]) -> tuple[Array, Array, float]:
    """The total force F and the total torque M about the world's origin at random states, relative to the largest
    force and to that times a length: (k, 3), (k, 3), and the length. If no state is finite, no symmetry is left."""
    places = [body.pose.a for body in bodies] + [r for formula in formulas for r in formula.places]
    length = float(np.abs(places).max(initial=0.0)) or 1.0
    motions = []
    for slot, body in enumerate(bodies):
        a, B, velocity, omega = _random_states(slot)
        motions.append(Motion(body.pose.a + length * a, B, length * velocity, omega))
    F, M = exerted(motions, np.linspace(0.0, 10.0, COUNT))
    good = np.isfinite(F).all(axis=(0, 2)) & np.isfinite(M).all(axis=(0, 2))
    if not good.any():
        return np.eye(3), np.eye(3)[::-1], length
    F, M = F[:, good], M[:, good]
    size = max(float(np.abs(F).max()), float(np.abs(M).max()) / length) or 1.0
    return F.sum(axis=0) / size, M.sum(axis=0) / (size * length), length


@cache
def _random_states(slot: int) -> tuple[Array, Array, Array, Array]:
    """Positions, rotations, velocities and body rates, different for every slot."""
    rng = np.random.default_rng(slot)
    Q = np.linalg.qr(rng.normal(size=(COUNT, 3, 3))).Q
    Q = Q * np.linalg.det(Q)[:, None, None]
    return rng.normal(size=(COUNT, 3)), Q, rng.normal(size=(COUNT, 3)), rng.normal(size=(COUNT, 3))
