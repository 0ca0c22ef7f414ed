"""The arrays of contact: Contacts is constant while time runs, Touch is scratch. One line per array.

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
ROUGHNESS = 8  # residual of the last velocity level, where it was not solved to round-off [m/s]
PARADOX = 9  # parts of steps in which a contact that slides has no force, or several (Painlevé)
HEAD = 10
# A record: the two bodies, the pair of shapes, the position [m] and the impulse on the second body over half a step
# [N s], world axes.
FIRST_BODY, SECOND_BODY, PAIR, PLACE, IMPULSE = 0, 1, 2, 3, 6
RECORD = 9
# A row of the log of impacts: step and time after its start [s], rule, position, normal, impulse, approach speed.
LOG_STEP, LOG_TIME, LOG_RULE, LOG_FIRST, LOG_SECOND, LOG_PLACE, LOG_NORMAL, LOG_IMPULSE, LOG_SPEED = (
    0,
    1,
    2,
    3,
    4,
    5,
    8,
    11,
    14,
)
LOG_WIDTH = 15


# Contacts.table, by shape
SHAPE_BODY, SHAPE_KIND, MATERIAL, MEETS, FIRST_VERTEX, FIRST_FACE, FIRST_EDGE = 0, 1, 2, 3, 4, 5, 6
CENTER, SIZE = 0, 1  # Contacts.vector
HALF, BOUND, THIN = 0, 1, 2  # Contacts.number
FRICTION_OF, RESTITUTION_OF, SEQUENCE, ROLLING_OF, SPINNING_OF, PATCH_OF = 0, 1, 2, 3, 4, 5  # Contacts.law
COORDINATE, STOP_RULE, STOP_SIGN, STOP_VALUE = 0, 1, 2, 3  # Contacts.stop
DRY_RULE, DYNAMIC, STATIC, STRIBECK = 1, 2, 3, 4  # Contacts.dry, after COORDINATE
ROPE_BODY, ROPE_POINT, ROPE_LENGTH, ROPE_RULE = 0, 2, 8, 9  # Contacts.rope: both bodies, both points
KIND, BODY, PAIR_OF, SHAPE, RULE, ON, PARENT_OF = 0, 1, 3, 4, 5, 6, 7  # Points.table: BODY, BODY + 1: both bodies
OFFSET, RADIUS, ORIENTATION, COULOMB, RESTITUTION, GAP, NEAR, TWIST, LIMIT, SCALE = range(10)  # Points.number
AT, ALONG, PLACE_OF, BIAS, LEAN = 0, 2, 4, 5, 6  # Points.vector: AT, ALONG and those after them are of both bodies
FRAME, BLOCK = 0, 1  # Points.matrix
SELECT, FIRST_ROW, ISLAND, ASKED, PLACED, WIDTH = 0, 1, 2, 3, 4, 5  # Cone.table
IMPULSES, BEST, HELD, FREE_RATES, RATES, RESIDUALS, SWEPT = 0, 1, 2, 3, 4, 5, 6  # Cone.row
K, C = 0, 1  # Cone.answer
MEMBERS, NUMBER, PARENT, LEVEL, EARLIEST = 0, 1, 2, 3, 4  # Cone.body
LINEAR, ANGULAR = 0, 1  # Cone.change


class Contacts(NamedTuple):
    """Shapes that can touch, and the rules of their contact. Quantities of one shape share an array: few arrays
    compile several times as fast as many."""

    table: Ints  # body, kind, material, 0 meets all, 1 planes, 2 others; first vertex, face, edge (7, s + 1)
    vector: Floats  # centre, principal axes; semi-axes of an ellipsoid, or the radius first [m] (2, s, 3)
    axes: Floats  # axes of the shape as columns, in principal axes (s, 3, 3)
    number: Floats  # half length along the third axis; radius of a ball that contains it; least width [m] (3, s)
    vertex: Floats  # in principal axes from the centre of mass [m] (v, 3)
    face_normal: Floats  # outward, in principal axes (f, 3)
    corner_start: Ints  # first corner of each face (f + 1,)
    corner: Ints  # vertex numbers of the faces, counterclockwise seen from outside (corners,)
    edge: Ints  # two vertex numbers each (e, 2)
    rule: Ints  # of two materials: number of the rule, or −1 if they do not touch (m, m)
    law: Floats  # friction, restitution, 1: impacts in sequence; rolling, spinning resistance, patch [m] (6, rules)
    excluded: Ints  # sorted keys i·n + j, i < j, of bodies that never touch (k,)
    stop: Floats  # joint coordinate, rule, +1 lower or −1 upper stop, limit [rad] or [m] (4, l)
    dry: Floats  # joint coordinate, rule, dynamic and static friction [N m] or [N], Stribeck's rate (5, d)
    rope: Floats  # both bodies, their points [m], length [m], rule (10, ropes)
    capacity: int  # contact points at the same time
    dense: int  # contact points that are solved together by Newton's method
    size_scale: float  # size of the smallest shape [m]


class Points(NamedTuple):
    """The contact points of a step, found at its start. `number` has, by its slots:

    OFFSET       sum of the radii, limit of a stop, length of a rope [m]
    RADIUS       of the second shape [m]
    ORIENTATION  a sign
    COULOMB      μ; of rolling resistance, its length over SCALE
    RESTITUTION  e
    GAP          [m]
    NEAR         gap below which the contact is closed [m]
    TWIST        length of spinning resistance over SCALE; of a contact point, the lever of its patch [m]
    LIMIT        largest impulse of dry friction in a joint, over SCALE [N s]
    SCALE        a length by which rates of angles count as velocities [m], 1 for others
    """

    table: Ints  # kind of features, both bodies, pair of shapes, second shape, rule, 1: takes part, parent (8, c)
    number: Floats  # by contact point: the table below (10, c)
    vector: Floats  # points, directions of both bodies; place [m]; terms besides the rates [m/s]; lean (7, c, 3)
    matrix: Floats  # normal (from the first body to the second) and two tangents; block of G M⁻¹ Gᵀ (2, c, 3, 3)
    G: Floats  # Jacobian entries of the frame directions on both bodies (c, 2, 3, 6)
    corner: Floats  # corners of a clipped face (2, 64, 3)


class Cone(NamedTuple):
    """Scratch of a contact problem: d contacts are solved together by Newton's method, r rows of joints answer."""

    table: Ints  # contacts of the problem, first rows, islands, who was asked, place in SELECT, bandwidths (6, c + 2)
    A: Floats  # matrix of the contacts, row-major, a band of it (3d · 3d,)
    D: Floats  # Newton's matrix, likewise (3d · 3d,)
    answer: Floats  # K = S⁻¹ G_j M⁻¹ G_cᵀ and C = G_j M⁻¹ G_cᵀ (2, 3d, r)
    row: Floats  # impulses, the best, of earlier attempts; rates without them, rates, residuals [m/s]; swept (7, 3d)
    order: Ints  # row exchanges (3d,)
    local: Floats  # block of one contact (3, 3)
    reply: Floats  # impulses of the joints (r,)
    body: Ints  # contacts of each island; island of a root; root, level, first contact of each body (5, n)
    change: Floats  # a change of linear and angular momentum (2, n, 3)


class Touch(NamedTuple):
    """Scratch of a step with contact."""

    points: Points
    cone: Cone
    g0: Floats  # gaps at the start of the step [m] (c,)
    separation: Floats  # of pairs at the start of a part, by their first contact points [m] (c,)
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
    turn: Floats  # angle by which a body can turn in the step [rad] (n,)
    tip: Floats  # angle by which the third axis of a shape can tip in the step [rad] (s,)
    lever: Floats  # distance of the farthest point of the body's shapes from its centre of mass [m] (n,)
    limit: Floats  # part of the step in which no fast body can pass another (1,)
    low: Floats  # lower end of each shape on the sorting axis [m] (s,)
    sorted: Ints  # shapes in the order of `low` (s,)
    signals: Floats  # at both ends of a stage, at the start of a part; or at all stages of a part (20, columns)
    bracket: Floats  # of the length of a part: both ends [s], the gaps there [m], the side of the last trial (5,)
    held: Floats  # the state at the start of a part (18n + c + 3r + 3,)
    log: Floats  # impacts (rows, 15)
    logged: Ints  # how many (1,)


def has_friction(contacts: Contacts) -> bool:
    """True if a contact resists sliding, rolling or spinning, or a joint has dry friction."""
    law = contacts.law
    return bool((law[[FRICTION_OF, ROLLING_OF, SPINNING_OF]] > 0.0).any() or contacts.dry.shape[1])
