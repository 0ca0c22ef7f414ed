"""A fixed small kernel as unit of time, so that ratios do not depend on the speed of the machine.

It rotates axes by a rotation that depends on them: products, divisions and square roots in about the mixture of a rigid
body step, on data that fit into registers and the first-level cache. Never change it: stored ratios refer to it.
"""

from __future__ import annotations

import time

import numba
import numpy as np


@numba.njit(cache=True)
def turn(B: np.ndarray, w: np.ndarray, steps: int) -> float:
    """`steps` times: apply a Cayley rotation by w to B, and update w from the result."""
    for _ in range(steps):
        x, y, z = w[0], w[1], w[2]
        t = 2.0 / (1.0 + x * x + y * y + z * z)
        for k in range(3):
            b0, b1, b2 = B[k, 0], B[k, 1], B[k, 2]
            c0, c1, c2 = b1 * z - b2 * y, b2 * x - b0 * z, b0 * y - b1 * x
            B[k, 0] = b0 + t * (c0 + c1 * z - c2 * y)
            B[k, 1] = b1 + t * (c1 + c2 * x - c0 * z)
            B[k, 2] = b2 + t * (c2 + c0 * y - c1 * x)
        s = 0.1 / np.sqrt(1.0 + x * x + y * y + z * z)
        w[0], w[1], w[2] = s * (1.0 + 0.1 * B[0, 0]), s * (0.5 + 0.1 * B[1, 1]), s * (0.2 + 0.1 * B[2, 2])
    return B[0, 0]


def nanoseconds(steps: int = 20_000) -> float:
    """Time of one of its steps in one run [ns]."""
    B, w = np.eye(3), np.array([0.1, 0.05, 0.02])
    begin = time.perf_counter()
    turn(B, w, steps)
    return (time.perf_counter() - begin) / steps * 1e9
