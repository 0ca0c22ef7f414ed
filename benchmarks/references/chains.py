"""A chain of equal slender rods in the plane, in its angles φ from the horizontal, with a linear-time solution.

Rod k of length 1, mass m, moment J about its centre runs from joint k to joint k + 1 along u = (cos φ, sin φ), with
n = (−sin φ, cos φ). F_k is the force of joint k on rod k, F_N = 0, and a_k the acceleration of joint k, a_0 = 0:

    m (a_k + ½ φ'' n − ½ φ'² u) = F_k − F_{k+1} + m g                                                                (1)
    J φ'' = −½ n·(F_k + F_{k+1})                                                                                    (2)
    a_{k+1} = a_k + φ'' n − φ'² u                                                                                   (3)

(2) gives φ'', (1) gives a_k, and (3) is a block-tridiagonal system for the forces.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_banded

from ..tasks import Task
from .integrate import integrate


def accelerations(phi: np.ndarray, rate: np.ndarray, mass: float, J: float, g: float) -> np.ndarray:
    """φ'' from (1) to (3)."""
    N = len(phi)
    u, n = np.stack([np.cos(phi), np.sin(phi)], axis=1), np.stack([-np.sin(phi), np.cos(phi)], axis=1)
    whirl = (rate**2)[:, None] * u
    weight = np.array([0.0, -g])
    turn = np.einsum("ki,kj->kij", n, n) / J  # φ'' n = −½ turn (F_k + F_{k+1})
    eye = np.eye(2)
    # a_k = (F_k − F_{k+1})/m + g − ½ φ'' n + ½ φ'² u, from rod k;   a_{k+1} = a_k + φ'' n − φ'² u
    near_own, near_next = eye / mass + 0.25 * turn, -eye / mass + 0.25 * turn  # a_k on F_k and F_{k+1}
    near = weight + 0.5 * whirl
    far_own, far_next = eye / mass - 0.25 * turn, -eye / mass - 0.25 * turn  # a_{k+1} on F_k and F_{k+1}
    far = weight - 0.5 * whirl
    band, right = np.zeros((7, 2 * N)), np.zeros(2 * N)

    def put(row: int, column: int, block: np.ndarray) -> None:
        for i in range(2):
            for j in range(2):
                y, x = 2 * row + i, 2 * column + j
                band[3 + y - x, x] += block[i, j]

    put(0, 0, near_own[0])
    right[:2] = -near[0]
    if N > 1:
        put(0, 1, near_next[0])
    for k in range(1, N):  # joint k: equal accelerations of the far end of rod k − 1 and the near end of rod k
        put(k, k - 1, far_own[k - 1])
        put(k, k, far_next[k - 1] - near_own[k])
        if k + 1 < N:
            put(k, k + 1, -near_next[k])
        right[2 * k : 2 * k + 2] = near[k] - far[k - 1]
    F = solve_banded((3, 3), band, right).reshape(N, 2)
    both = F + np.vstack([F[1:], np.zeros((1, 2))])
    return -0.5 * np.einsum("ki,ki->k", n, both) / J


def ends(task: Task, rtol: float) -> np.ndarray:
    """The far ends of the rods of the probes, with z upwards."""
    m = task.mechanism
    N, part = len(m.parts), m.parts[0]
    g, J = -m.gravity[2], part.inertia[1]

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[N:], accelerations(y[:N], y[N:], part.mass, J, g)])

    phi = integrate(slope, np.zeros(2 * N), task.until, rtol)[:N]
    x, z = np.cumsum(np.cos(phi)), np.cumsum(np.sin(phi))
    return np.array([[x[rod], 0.0, z[rod]] for rod, _ in task.probes])
