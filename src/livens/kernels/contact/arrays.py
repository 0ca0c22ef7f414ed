"""The arrays of contact: Contacts is constant while time runs, Touch is scratch. One line per array: meaning, unit, shape.

s shapes, v vertices, m materials; c is the capacity, the largest number of contact points. A shape belongs to a body
and is described in the body's principal axes from its centre of mass. A contact point is one row of features that are
fixed to two bodies (features.py); the narrow phase finds them at the beginning of every step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Slots of `state.memory` of a system with contacts: a head, then one record for each contact point of the last step.
COUNT, LAST_STEP, FRICTION, IMPACT, RESIDUAL, IMPACTS, INELASTIC, SHORTENED = 0, 1, 2, 3, 4, 5, 6, 7
HEAD = 8
# A record: the two bodies, the pair of shapes, the position [m] and the impulse on the second body over half a step
# [N s], world axes.
FIRST_BODY, SECOND_BODY, PAIR, PLACE, IMPULSE = 0, 1, 2, 3, 6
RECORD = 9
# A row of the log of impacts: step and time after its start [s], rule, position, normal, impulse, approach speed.
LOG_STEP, LOG_TIME, LOG_RULE, LOG_FIRST, LOG_SECOND, LOG_PLACE, LOG_NORMAL, LOG_IMPULSE, LOG_SPEED = 0, 1, 2, 3, 4, 5, 8, 11, 14
LOG = 15


class Contacts(NamedTuple):
    """Shapes that can touch, and the rules of their contact."""

    body: Ints  # the body of each shape; the world's shapes come first (s,)
    kind: Ints  # see kinds.py (s,)
    center: Floats  # in principal axes from the centre of mass [m] (s, 3)
    axes: Floats  # axes of the shape as columns, in principal axes (s, 3, 3)
    size: Floats  # semi-axes of an ellipsoid, radius of the others first; (R, R, 0) for a cylinder [m] (s, 3)
    half: Floats  # half length of a capsule or a cylinder, along the third axis [m] (s,)
    radius: Floats  # of the ball about the centre that contains the shape [m] (s,); infinite for a plane
    material: Ints  # (s,)
    meets: Ints  # 0: all others, 1: planes only, 2: all but planes (s,)
    vertex_start: Ints  # first vertex of each shape (s + 1,)
    vertex: Floats  # in principal axes from the centre of mass [m] (v, 3)
    face_start: Ints  # first face of each shape (s + 1,)
    face_normal: Floats  # outward, in principal axes (f, 3)
    corner_start: Ints  # first corner of each face (f + 1,)
    corner: Ints  # vertex numbers of the faces, counterclockwise seen from outside (corners,)
    edge_start: Ints  # first edge of each shape (s + 1,)
    edge: Ints  # two vertex numbers each (e, 2)
    rule: Ints  # of two materials: number of the Contact, or −1 if they do not touch (m, m)
    friction: Floats  # coefficient μ of each rule (rules,)
    restitution: Floats  # e of each rule (rules,)
    sequence: Ints  # 1: touching impacts are resolved one after the other, 0: all at once (rules,)
    excluded: Ints  # sorted keys i·n + j, i < j, of bodies that never touch (k,)
    limit: Ints  # joint coordinates with hard stops (l,)
    limit_sign: Floats  # +1 lower stop, −1 upper stop (l,)
    limit_value: Floats  # [rad] or [m] (l,)
    limit_rule: Ints  # (l,)
    capacity: int  # contact points at the same time
    dense: int  # contact points that are solved together by Newton's method
    size_scale: float  # size of the smallest shape [m]


class Points(NamedTuple):
    """The contact points of a step, found at its start."""

    kind: Ints  # of features (c,)
    body: Ints  # (c, 2)
    pair: Ints  # shape number i·s + j, or −1 − l for a stop (c,)
    shape: Ints  # of the second body, or the joint coordinate of a stop (c,)
    rule: Ints  # (c,)
    point: Floats  # from the centres of mass, principal axes [m] (c, 2, 3)
    direction: Floats  # fixed to the first and second body (c, 2, 3)
    offset: Floats  # sum of the radii [m]; the limit of a stop (c,)
    radius: Floats  # of the second shape at its point [m] (c,)
    sign: Floats  # orientation of the normal of two edges; of a stop (c,)
    friction: Floats  # μ (c,)
    restitution: Floats  # e (c,)
    g: Floats  # gap [m] (c,)
    near: Floats  # gap below which the contact is closed [m] (c,)
    frame: Floats  # normal, from the first to the second body, and two tangents, world axes (c, 3, 3)
    place: Floats  # of the contact point, world axes [m] (c, 3)
    G: Floats  # Jacobian entries of the frame directions on both bodies (c, 2, 3, 6)
    W: Floats  # 3 × 3 block of G M⁻¹ Gᵀ (c, 3, 3)
    on: Ints  # 1: takes part in the contact problem (c,)
    b: Floats  # what the rows contain besides their rates [m/s] (c, 3)
    corner: Floats  # corners of a clipped face (2, 64, 3)


class Cone(NamedTuple):
    """Scratch of a contact problem: d contacts are solved together by Newton's method, r rows of joints answer."""

    select: Ints  # the contacts of the problem (d,)
    first: Ints  # the first row of each of them (d + 1,)
    A: Floats  # their matrix, row-major (3d · 3d,)
    D: Floats  # Newton matrix (3d · 3d,)
    K: Floats  # S⁻¹ G_j M⁻¹ G_cᵀ: answer of the joints (3d or 0, r)
    C: Floats  # G_j M⁻¹ G_cᵀ (3d or 0, r)
    z: Floats  # impulses (3d,)
    best: Floats  # the best of them (3d,)
    held: Floats  # the best of earlier attempts (3d,)
    local: Floats  # block of one contact (3, 3)
    w0: Floats  # rates without them [m/s] (3d,)
    w: Floats  # rates [m/s] (3d,)
    F: Floats  # residuals [m/s] (3d,)
    order: Ints  # row exchanges (3d,)
    answer: Floats  # impulses of the joints (r,)
    island: Ints  # of each contact (c,)
    asked: Ints  # `on` while part of the contacts is solved (c,)
    members: Ints  # contacts of each island (n,)
    number: Ints  # island of each body that is a root (n,)
    parent: Ints  # of each body, for the islands (n,)
    dp: Floats  # a change of linear momentum (n, 3)
    dL: Floats  # and of angular momentum (n, 3)


class Touch(NamedTuple):
    """Scratch of a step with contact."""

    points: Points
    cone: Cone
    g0: Floats  # gaps at the start of the step [m] (c,)
    P1: Floats  # impulses of the first half step, in the frame [N s] (c, 3)
    P: Floats  # impulses of both halves [N s] (c, 3)
    P2: Floats  # impulses of the second half step [N s] (c, 3)
    warm: Floats  # first guess of P1 [N s] (c, 3)
    v0: Floats  # rates at the start of the step [m/s] (c, 3)
    v1: Floats  # rates before an impulse [m/s] (c, 3)
    e: Floats  # restitution in the present impact (c,)
    closed: Ints  # 1: closed at the start (c,)
    p: Floats  # momenta at the start of a part of a step (n, 3)
    L: Floats  # (n, 3)
    impulse: Floats  # of the joints (r,)
    reach: Floats  # how far the points of a body can move in the step [m] (n,)
    low: Floats  # lower end of each shape on the sorting axis [m] (s,)
    sorted: Ints  # shapes in the order of `low` (s,)
    signals: Floats  # at the start and at the end of a part of a step (2, columns)
    log: Floats  # impacts (rows, 15)
    logged: Ints  # how many (1,)
