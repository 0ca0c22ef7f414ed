"""Half turns of the angles on which nothing acts: angles over many turns, however few states a motion stores.

With directions e₁, e₂ of the first body perpendicular to the shared axis u, and a direction w of the second,

    c = (B_i e₁)·(B_j w),    s = (B_i e₂)·(B_j w),    q = atan2(s, c) + 2π n,    q̇ = u_j·ω_j − u_i·ω_i.            (1)

The state counts the half turns k, k π ≤ q < (k + 1) π. k is even where s ≥ 0, so that a step changes it where s changes
its sign: upwards if c₀ s₁ − s₀ c₁ > 0, otherwise downwards. This is exact for changes below half a turn, and needs no
arctangent. Where the rates predict more than a radian, the angle nearest to q₀ + h (q̇₀ + q̇₁)/2 is taken. An angle is
found again from k and (c, s) as the one within half a turn of (k + ½) π, whatever the round-off of s.
"""

from __future__ import annotations

import math

from .._jit import njit
from .coordinates import to_world
from .trigonometry import arc_tangent

COSINE, SINE, SPEED = 0, 1, 2  # slots of Work.facing
LARGEST = 1e6  # rad in a step; more is a state that is no longer finite


@njit
def half_turns_near(angle, near):
    """The half turns k of the angle, given up to whole turns, that is nearest to `near`."""
    whole = math.floor((near - angle) / (2.0 * math.pi) + 0.5)
    return 2.0 * whole if angle >= 0.0 else 2.0 * whole - 1.0


@njit
def facing_of(dials, d, B, L):
    """c, s and q̇ of dial d, by (1)."""
    i, j = dials.body[d, 0], dials.body[d, 1]
    W0, W1, W2 = to_world(B, j, dials.hand[d])
    x = B[i, 0, 0] * W0 + B[i, 1, 0] * W1 + B[i, 2, 0] * W2
    y = B[i, 0, 1] * W0 + B[i, 1, 1] * W1 + B[i, 2, 1] * W2
    z = B[i, 0, 2] * W0 + B[i, 1, 2] * W1 + B[i, 2, 2] * W2
    e, u = dials.dial[d], dials.axis[d]
    c = e[0, 0] * x + e[0, 1] * y + e[0, 2] * z
    s = e[1, 0] * x + e[1, 1] * y + e[1, 2] * z
    speed = u[1, 0] * L[j, 0] + u[1, 1] * L[j, 1] + u[1, 2] * L[j, 2]
    speed -= u[0, 0] * L[i, 0] + u[0, 1] * L[i, 1] + u[0, 2] * L[i, 2]
    return c, s, speed


@njit
def face_dials(dials, B, L, half_turns, facing):
    """c, s and q̇ before the first step of a rollout, and k from the angle: unchanged, except where s is round-off."""
    for d in range(half_turns.shape[0]):
        c, s, speed = facing_of(dials, d, B, L)
        facing[d, COSINE], facing[d, SINE], facing[d, SPEED] = c, s, speed
        if not math.isnan(half_turns[d]):
            half_turns[d] = half_turns_near(arc_tangent(s, c), (half_turns[d] + 0.5) * math.pi)


@njit
def count_half_turns(dials, h, B, L, half_turns, facing):
    """Count the half turns of all dials after a step of length h."""
    for d in range(half_turns.shape[0]):
        c0, s0, k = facing[d, COSINE], facing[d, SINE], half_turns[d]
        c, s, speed = facing_of(dials, d, B, L)
        change = 0.5 * h * (facing[d, SPEED] + speed)
        facing[d, COSINE], facing[d, SINE], facing[d, SPEED] = c, s, speed
        if math.isnan(k):
            continue
        if 1.0 < abs(change) < LARGEST:
            angle = arc_tangent(s0, c0)
            before = angle + 2.0 * math.pi * math.floor(((k + 0.5) * math.pi - angle) / (2.0 * math.pi) + 0.5)
            half_turns[d] = half_turns_near(arc_tangent(s, c), before + change)
        elif (s >= 0.0) != (s0 >= 0.0):
            half_turns[d] = k + 1.0 if c0 * s > s0 * c else k - 1.0
