"""The drift with compensated sums: the rounding error of a sum is subtracted from the next increment.

A step adds small increments to a, B and L: to each number s the increment d, with the remainder c of the step before,

    y = d − c,    s′ = s + y,    c′ = (s′ − s) − y.

Round-off of a, B and L then no longer grows with the number of steps; that of the increments themselves does. The
remainders are carried with the state, so that a resumed run is bitwise identical. Source: Kahan 1965.
"""

from __future__ import annotations

from .._jit import njit
from .spin import body_cayley, increment
from .status import NOT_FINITE, OK

REST_A, REST_L, REST_B, REMAINDERS = 0, 1, 2, 5  # vectors per body: of a, of L, of the three rows of B; how many


@njit
def compensated_sum(s, d, c):
    """s + d with the remainder c of the last sum: the sum and its remainder."""
    y = d - c
    total = s + y
    return total, (total - s) - y


@njit
def compensated_drift(bodies, h, a0, B0, p, L0, rest, cayley, a1, B1, L1, left, fault):
    """`drift` of spin.py with the remainders `rest` of the state (REMAINDERS·n·3,), new ones in `left` (…, n, 3); it
    stores the Cayley vectors."""
    n = a0.shape[0]
    for b in range(1, n):
        v = h * bodies.inverse_mass[b]
        size = 0.0
        for i in range(3):
            a1[b, i], left[REST_A, b, i] = compensated_sum(a0[b, i], v * p[b, i], rest[3 * (REST_A * n + b) + i])
            size += abs(a1[b, i]) + abs(L0[b, i])
        if not size < 1e300:
            fault[0] = b
            return NOT_FINITE
        l0, l1, l2 = L0[b, 0], L0[b, 1], L0[b, 2]
        x, y, z, status = body_cayley(bodies, b, h, l0, l1, l2)
        if status != OK:
            fault[0] = b
            return status
        cayley[b, 0], cayley[b, 1], cayley[b, 2] = x, y, z
        D00, D01, D02, D10, D11, D12, D20, D21, D22 = increment(x, y, z)
        j = 3 * (REST_L * n + b)
        L1[b, 0], left[REST_L, b, 0] = compensated_sum(l0, D00 * l0 + D10 * l1 + D20 * l2, rest[j])
        L1[b, 1], left[REST_L, b, 1] = compensated_sum(l1, D01 * l0 + D11 * l1 + D21 * l2, rest[j + 1])
        L1[b, 2], left[REST_L, b, 2] = compensated_sum(l2, D02 * l0 + D12 * l1 + D22 * l2, rest[j + 2])
        for k in range(3):
            b0, b1, b2 = B0[b, k, 0], B0[b, k, 1], B0[b, k, 2]
            j = 3 * ((REST_B + k) * n + b)
            B1[b, k, 0], left[REST_B + k, b, 0] = compensated_sum(b0, b0 * D00 + b1 * D10 + b2 * D20, rest[j])
            B1[b, k, 1], left[REST_B + k, b, 1] = compensated_sum(b1, b0 * D01 + b1 * D11 + b2 * D21, rest[j + 1])
            B1[b, k, 2], left[REST_B + k, b, 2] = compensated_sum(b2, b0 * D02 + b1 * D12 + b2 * D22, rest[j + 2])
    return OK


@njit
def store_remainders(left, rest):
    """Copy the remainders of an accepted step into the state."""
    j = 0
    for k in range(left.shape[0]):
        for b in range(left.shape[1]):
            for i in range(3):
                rest[j] = left[k, b, i]
                j += 1
