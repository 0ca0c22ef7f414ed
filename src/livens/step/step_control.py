"""Steps whose length follows a tolerance, for explicit Runge–Kutta schemes with an embedded error estimate.

A step of length h is covered by parts. From the slopes K_j of a part of length k, two embedded formulas of orders 5
and 3 give e₅ = k |Σ E5_j K_j| and e₃ = k |Σ E3_j K_j|, and Hairer's estimate of order 8 is

    e = e₅² / √(e₅² + e₃²/100)                                                                                     (1)

A part is accepted if e ≤ tolerance, otherwise it is repeated; the next one has the length k · 0.9 (tolerance/e)^(1/8),
at most four times as long. Errors are pure numbers, the same in all units and orientations:

    rotations |δΘ|,   positions |δa|/X,   velocities |δv|/V and r|δω|/V                                           (2)

X is the extent of the system and V its largest speed, both over all bodies; r is the largest radius of gyration.
Source: Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, II.5 and II.10.
"""

from __future__ import annotations

import math

from .._jit import njit
from ..kernels.arrays import DISSIPATED, WORK
from ..kernels.powers import square

PART, ANGLES = 0, 1  # state.memory: length of the next part [s], 0 if not known; joint coordinates before a part
SAFETY, SHRINK, GROW = 0.9, 0.2, 4.0
SHORTEST = 1e-10  # of the step: shorter parts are round-off


@njit
def extent_and_speed(bodies, h, a, p, L, f):
    """X [m], V [m/s] and r [m] of (2). A system at rest has the speed that its forces f give it in the time h."""
    size = radius = speed = 0.0
    for b in range(1, a.shape[0]):
        im, r2, w2, v2, f2, d2 = bodies.inverse_mass[b], 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(3):
            r2 = max(r2, bodies.inertia[b, k] * im if bodies.inverse_inertia[b, k] > 0.0 else 0.0)
            w2 += square(bodies.inverse_inertia[b, k] * L[b, k])
            v2 += square(im * p[b, k])
            f2 += square(im * f[b, k])
            d2 += square(a[b, k] - a[1, k])
        radius = max(radius, math.sqrt(r2))
        size = max(size, math.sqrt(d2))
        speed = max(speed, math.sqrt(v2), math.sqrt(r2 * w2), abs(h) * math.sqrt(f2))
    return max(size, radius, abs(h) * speed), speed, radius


@njit
def embedded_sum(k, estimates, first, stages, slot, each, b, trial):
    """k Σ E_j K_j of body b, for slopes in the slots `slot`, `slot + each`, … of work.trial."""
    x = y = z = 0.0
    for j in range(stages):
        w, i = k * estimates[first + j], slot + each * j
        x, y, z = x + w * trial[i, b, 0], y + w * trial[i, b, 1], z + w * trial[i, b, 2]
    return x, y, z


@njit
def embedded_norm(bodies, k, estimates, first, stages, slopes, each, axis, b, B, scales, trial):
    """The largest error (2) of body b by one embedded formula. A stage has the slopes of a, p, ℓ and Θ, and of L along
    the axis of a slender body (or −1), one after the other from the slot `slopes` on."""
    X, V, r = scales
    x, y, z = embedded_sum(k, estimates, first, stages, slopes + 3, each, b, trial)
    most = math.sqrt(x * x + y * y + z * z)
    if X > 0.0:
        x, y, z = embedded_sum(k, estimates, first, stages, slopes, each, b, trial)
        most = max(most, math.sqrt(x * x + y * y + z * z) / X)
    if V > 0.0:
        x, y, z = embedded_sum(k, estimates, first, stages, slopes + 1, each, b, trial)
        most = max(most, bodies.inverse_mass[b] * math.sqrt(x * x + y * y + z * z) / V)
        x, y, z = embedded_sum(k, estimates, first, stages, slopes + 2, each, b, trial)
        roll, _, _ = embedded_sum(k, estimates, first, stages, slopes + 4, each, b, trial)
        w2 = 0.0
        for m in range(3):
            turned = B[b, 0, m] * x + B[b, 1, m] * y + B[b, 2, m] * z
            w2 += square(bodies.inverse_inertia[b, m] * (roll if m == axis else turned))
        most = max(most, r * math.sqrt(w2) / V)
    return most


@njit
def embedded_error(bodies, k, estimates, stages, slopes, each, roll, B, scales, trial):
    """(1) for a part of length k: the largest error over all bodies, from the estimates E5, then E3."""
    most = 0.0
    for b in range(1, B.shape[0]):
        axis = int(trial[roll, b, 1])
        e5 = embedded_norm(bodies, k, estimates, 0, stages, slopes, each, axis, b, B, scales, trial)
        e3 = embedded_norm(bodies, k, estimates, stages, stages, slopes, each, axis, b, B, scales, trial)
        if not e5 + e3 < 1e150:
            return math.nan
        if e5 > 0.0:
            most = max(most, e5 * e5 / math.sqrt(e5 * e5 + 0.01 * e3 * e3))
    return most


@njit
def next_factor(error, tolerance):
    """The length of the next part relative to this one."""
    if error <= 0.0:
        return GROW
    if not error < 1e300:
        return SHRINK
    root = math.sqrt(math.sqrt(math.sqrt(tolerance / error)))  # square roots have the same bits everywhere
    return min(GROW, max(SHRINK, SAFETY * root))


@njit
def length_of_part(h, left, memory):
    """The next part of a step of length h of which `left` is not covered yet."""
    wanted = memory[PART]
    if not abs(wanted) > 0.0 or abs(wanted) >= abs(left):
        return left
    wanted = math.copysign(wanted, h)
    return 0.5 * left if 2.0 * abs(wanted) > abs(left) else wanted


@njit
def keep_angles(angle, memory):
    for c in range(angle.shape[0]):
        memory[ANGLES + c] = angle[c]


@njit
def restore(bodies, start, roll, a, B, p, L, angle, memory, account, work_before, loss_before):
    """The state before a part that is repeated: `start` has a, p, ℓ and B by rows, `roll` the axis of a slender body
    and L along it."""
    for b in range(1, a.shape[0]):
        for k in range(3):
            a[b, k], p[b, k] = start[0, b, k], start[1, b, k]
            for j in range(3):
                B[b, k, j] = start[3 + k, b, j]
        for k in range(3):
            turned = B[b, 0, k] * start[2, b, 0] + B[b, 1, k] * start[2, b, 1] + B[b, 2, k] * start[2, b, 2]
            L[b, k] = turned if bodies.inverse_inertia[b, k] > 0.0 else 0.0
        axis = int(roll[b, 1])
        if axis >= 0:
            L[b, axis] = roll[b, 2]
    for c in range(angle.shape[0]):
        angle[c] = memory[ANGLES + c]
    account[WORK], account[DISSIPATED] = work_before, loss_before
