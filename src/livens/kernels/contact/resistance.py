"""Friction without a gap: resistance against rolling and spinning at a contact point, and dry friction in joints.

At a contact with the normal impulse P_n, N its normal cones and ω the relative angular velocity of the bodies,

    −ω_n ∈ N(T_n; |T_n| ≤ σ P_n),      −ω_t ∈ N(T_t; disc of radius ρ P_n)                                    (1)

with the lengths σ and ρ [m]: a ball rests on a slope below atan(ρ/r). Where bodies touch in a small patch, sliding and
spinning share the friction: with the mean distance r of its points from its centre,

    −(v_t, r ω_n) ∈ N((P_t, T_n/r); ball of radius μ P_n)                                                     (3)

In a joint with the coordinate q,

    −q̇ ∈ N(T; |T| ≤ h c),      c = c_d + (c_s − c_d) exp(−(q̇/q̇_s)²),  q̇ at the start of the step              (2)

with the static friction c_s, the dynamic c_d and Stribeck's rate q̇_s: the joint sticks exactly.
Angles count times a length, SCALE, so that all rates of a contact problem are velocities.
Source of (3): the limit surface of Howe & Cutkosky 1996, an ellipsoid.
"""

from __future__ import annotations

import math

from ..._jit import njit
from ..coordinates import angular_velocity, coordinate_rate
from ..kinds import DISPLACEMENT, DRY_FRICTION, RATE_ONLY, RESISTANCE
from ..potential import to_body
from ..vectors import dot, length, plus
from .arrays import (
    BODY,
    COORDINATE,
    COULOMB,
    DRY_RULE,
    DYNAMIC,
    FRAME,
    KIND,
    LIMIT,
    ON,
    PAIR_OF,
    PARENT_OF,
    RADIUS,
    RESTITUTION,
    ROLLING_OF,
    RULE,
    SCALE,
    SHAPE,
    SPINNING_OF,
    STATIC,
    STRIBECK,
    TWIST,
)


@njit
def put_dry_friction(contacts, coordinates, points, k):
    """Append the joint coordinates with dry friction. Returns the new number of contact points."""
    for l in range(contacts.dry.shape[1]):
        if k < points.number.shape[1]:
            q = int(contacts.dry[COORDINATE, l])
            points.table[KIND, k], points.table[SHAPE, k], points.table[PARENT_OF, k] = DRY_FRICTION, l, -1
            points.table[PAIR_OF, k], points.table[RULE, k] = (
                -1 - contacts.stop.shape[1] - l,
                int(contacts.dry[DRY_RULE, l]),
            )
            points.table[BODY, k], points.table[BODY + 1, k] = coordinates.body[q, 0], coordinates.body[q, 1]
            points.number[SCALE, k] = contacts.size_scale if coordinates.kind[q] != DISPLACEMENT else 1.0
            points.number[RADIUS, k], points.number[TWIST, k] = 0.0, 0.0
            points.number[COULOMB, k], points.number[RESTITUTION, k] = 0.0, 0.0
        k += 1
    return k


@njit
def put_resistance(contacts, points, k):
    """Append the resistance of every contact point that has it, after the rules of the points are known."""
    count = k
    for c in range(min(count, points.number.shape[1])):
        rule = points.table[RULE, c]
        rolling, spinning = contacts.law[ROLLING_OF, rule], contacts.law[SPINNING_OF, rule]
        patch = points.number[TWIST, c] if has_gap(points, c) else 0.0
        if rolling == 0.0 and spinning == 0.0 and patch == 0.0:
            continue
        if k < points.number.shape[1]:
            for m in range(points.table.shape[0]):
                points.table[m, k] = points.table[m, c]
            for m in range(points.number.shape[0]):
                points.number[m, k] = points.number[m, c]
            points.table[KIND, k], points.table[PARENT_OF, k] = RESISTANCE, c
            points.table[PAIR_OF, k] = -1 - special_points(contacts) - points.table[PAIR_OF, c]
            scale = patch if patch > 0.0 else contacts.size_scale
            points.number[SCALE, k], points.number[RESTITUTION, k] = scale, 0.0
            points.number[COULOMB, k], points.number[TWIST, k] = rolling / scale, spinning / scale
        k += 1
    return k


@njit
def special_points(contacts):
    """Stops, joints with dry friction and ropes: contact points that are always there."""
    return contacts.stop.shape[1] + contacts.dry.shape[1] + contacts.rope.shape[1]


@njit
def put_dry_limits(contacts, points, count, h, v0):
    """The largest impulses of (2) in the time h, for the rates v0."""
    for c in range(count):
        if points.table[KIND, c] == DRY_FRICTION:
            law, scale = points.table[SHAPE, c], points.number[SCALE, c]
            low, high, rate = contacts.dry[DYNAMIC, law], contacts.dry[STATIC, law], contacts.dry[STRIBECK, law]
            u = v0[c, 0] / (scale * rate) if rate > 0.0 else 0.0
            level = low + (high - low) * math.exp(-u * u)
            points.number[LIMIT, c] = h * level / scale


@njit
def put_resistance_entries(points, c, B):
    """Jacobian entries of torques along the three directions of the frame."""
    for s in range(2):
        b, sign = points.table[BODY + s, c], 2.0 * s - 1.0
        for k in range(3):
            F = points.matrix[FRAME, c, k]
            u = to_body(B, b, F[0], F[1], F[2])
            for m in range(3):
                points.G[c, s, k, m] = 0.0
                points.G[c, s, k, 3 + m] = sign * points.number[SCALE, c] * u[m]


@njit
def rate_at_end(bodies, contacts, coordinates, points, c, k, n, a, B, p, L):
    """The rate of direction k of a contact point without a gap, at another configuration, where the normal is n."""
    scale = points.number[SCALE, c]
    if points.table[KIND, c] == DRY_FRICTION:
        q = int(contacts.dry[COORDINATE, points.table[SHAPE, c]])
        return scale * coordinate_rate(bodies, coordinates, q, a, B, p, L)
    f = points.matrix[FRAME, c, k]
    t = n if k == 0 else plus((f[0], f[1], f[2]), -dot(f, n), n)
    Wi = angular_velocity(bodies, B, points.table[BODY, c], L)
    Wj = angular_velocity(bodies, B, points.table[BODY + 1, c], L)
    return scale * (dot(t, Wj) - dot(t, Wi)) / length(t)


@njit
def shares_friction(points, c):
    """True if contact c is the spinning of a patch, which shares the friction of its contact point: (3)."""
    return points.table[KIND, c] == RESISTANCE and points.number[TWIST, points.table[PARENT_OF, c]] > 0.0


@njit
def has_patch(points, c):
    """True for a contact point whose friction (3) is that of another one, its resistance."""
    return has_gap(points, c) and points.number[TWIST, c] > 0.0 and points.number[COULOMB, c] > 0.0


@njit
def has_gap(points, c):
    """False for dry friction and resistance."""
    return points.table[KIND, c] < RATE_ONLY


@njit
def follow_parents(points, count, dry):
    """Resistance takes part with its contact point; dry friction if `dry` is 1."""
    for c in range(count):
        if points.table[KIND, c] == RESISTANCE:
            points.table[ON, c] = points.table[ON, points.table[PARENT_OF, c]]
        elif points.table[KIND, c] == DRY_FRICTION:
            points.table[ON, c] = dry
