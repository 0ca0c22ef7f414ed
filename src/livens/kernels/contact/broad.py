"""The broad phase: all contact points that could close within a step.

Shapes are sorted by their lower end along an axis; only those whose intervals overlap meet. The reach of a body is the
distance that its points can move in the step: a contact point is found if its gap is less than the reach of both.
Planes meet every shape. Stops of joints, ropes, dry friction and resistance against rolling are contact points too.
"""

from __future__ import annotations

from ..._jit import njit
from ..kinds import (
    BALL_SHAPE,
    CAPSULE_SHAPE,
    CYLINDER_SHAPE,
    DISPLACEMENT,
    HULL_SHAPE,
    PLANE_SHAPE,
    ROPE,
    ROUND_SHAPE,
    STOP,
)
from ..vectors import dot, length, minus, plus
from .arrays import (
    AT,
    BODY,
    BOUND,
    COORDINATE,
    COULOMB,
    FRICTION_OF,
    HALF,
    KIND,
    MATERIAL,
    MEETS,
    NEAR,
    OFFSET,
    ORIENTATION,
    PAIR_OF,
    PARENT_OF,
    PATCH_OF,
    RADIUS,
    RESTITUTION,
    RESTITUTION_OF,
    ROPE_BODY,
    ROPE_LENGTH,
    ROPE_POINT,
    ROPE_RULE,
    RULE,
    SCALE,
    SHAPE,
    STOP_RULE,
    STOP_SIGN,
    STOP_VALUE,
    THIN,
    TWIST,
)
from .features import world_point
from .hulls import face_separation, two_hulls
from .narrow import (
    axis_of,
    flat_part,
    hull_and_capsule,
    hull_and_point,
    line_and_point,
    plane_and_capsule,
    plane_and_cylinder,
    plane_and_hull,
    plane_and_point,
    plane_and_round,
    two_capsules,
    two_points,
)
from .resistance import has_gap, put_dry_friction, put_resistance
from .round_pairs import (
    capsule_and_round,
    cylinder_and_ball,
    cylinder_and_round,
    hull_and_round,
    point_and_round,
    two_rounds,
)
from .shapes import body_of, center_of, kind_of, radius_of

CLOSED = 1e-10  # gap at which a contact is closed, relative to the smallest shape
FAST = 0.5  # motion in a step, relative to the size of a shape, from which on it may pass others
NEARBY = 0.05  # distance, relative to the size, at which the features of two shapes are right
SLACK = 1e-3  # of the reach, relative to the size of the body
GAP_ROUND_OFF = 1e-14  # of a gap, relative to the largest coordinate


@njit
def put_reach(bodies, contacts, touch, h, p, L, f, tau):
    """How far the points of each body can move in a step of length h by its velocity and its forces, and by which angle
    it can turn, and each shape's axis tip. Planes have no size: their points are those of the shapes they meet."""
    for b in range(touch.reach.shape[0]):
        im, i = bodies.inverse_mass[b], bodies.inverse_inertia[b]
        spin = length((i[0] * L[b, 0], i[1] * L[b, 1], i[2] * L[b, 2]))
        gain = length((i[0] * tau[b, 0], i[1] * tau[b, 1], i[2] * tau[b, 2]))
        touch.turn[b] = h * spin + h * h * gain
        touch.reach[b] = h * im * length(p[b]) + h * h * im * length(f[b])
    for s in range(contacts.number.shape[1]):
        b = body_of(contacts, s)
        if b > 0 and kind_of(contacts, s) != PLANE_SHAPE:
            lever = contacts.number[BOUND, s] + length(center_of(contacts, s))
            touch.lever[b] = max(touch.lever[b], lever)
            i, u = bodies.inverse_inertia[b], axis_of(contacts, s, 2)
            w = (i[0] * L[b, 0], i[1] * L[b, 1], i[2] * L[b, 2])
            gain = length((i[0] * tau[b, 0], i[1] * tau[b, 1], i[2] * tau[b, 2]))
            touch.tip[s] = h * length(plus(w, -dot(w, u), u)) + h * h * gain
    for b in range(1, touch.reach.shape[0]):
        touch.reach[b] += (touch.turn[b] + SLACK) * touch.lever[b]


@njit
def is_excluded(contacts, n, i, j):
    """True if the bodies i and j never touch."""
    key = min(i, j) * n + max(i, j)
    low, high = 0, contacts.excluded.shape[0]
    while low < high:
        middle = (low + high) // 2
        if contacts.excluded[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < contacts.excluded.shape[0] and contacts.excluded[low] == key


@njit
def meet(contacts, s, t):
    """True if the shapes s and t can touch."""
    if contacts.rule[contacts.table[MATERIAL, s], contacts.table[MATERIAL, t]] < 0:
        return False
    one, two = contacts.table[MEETS, s], contacts.table[MEETS, t]
    return meets_kind(one, kind_of(contacts, t)) and meets_kind(two, kind_of(contacts, s))


@njit
def meets_kind(which, kind):
    """True if a shape that meets `which` others, as in describe/contact_shape.py, meets those of this kind."""
    plane, smooth = kind == PLANE_SHAPE, kind == BALL_SHAPE or kind == ROUND_SHAPE
    if which == 1:
        return plane
    if which == 2:
        return not plane
    if which == 3:
        return plane or smooth
    return which == 0 or not (plane or smooth)


@njit
def plane_pair(contacts, points, k, s, t, a, B, margin):
    """Contact points of the plane s and the shape t."""
    kind = kind_of(contacts, t)
    if kind == BALL_SHAPE:
        return plane_and_point(contacts, points, k, s, t, center_of(contacts, t), radius_of(contacts, t), a, B, margin)
    if kind == CAPSULE_SHAPE:
        return plane_and_capsule(contacts, points, k, s, t, a, B, margin)
    if kind == HULL_SHAPE:
        return plane_and_hull(contacts, points, k, s, t, a, B, margin)
    if kind == ROUND_SHAPE:
        return plane_and_round(contacts, points, k, s, t, a, B, margin)
    if kind == CYLINDER_SHAPE:
        return plane_and_cylinder(contacts, points, k, s, t, a, B, margin)
    return k


@njit
def shape_pair(contacts, points, k, s, t, a, B, margin):
    """Contact points of two shapes of which none is a plane."""
    if kind_of(contacts, s) < kind_of(contacts, t) or (kind_of(contacts, s) == kind_of(contacts, t) and s > t):
        s, t = t, s  # the larger kind first, then the smaller number
    one, two = kind_of(contacts, s), kind_of(contacts, t)
    if one == BALL_SHAPE:
        return two_points(
            contacts,
            points,
            k,
            s,
            t,
            center_of(contacts, s),
            center_of(contacts, t),
            a,
            B,
            radius_of(contacts, s),
            radius_of(contacts, t),
            margin,
        )
    if one == CAPSULE_SHAPE and two == BALL_SHAPE:
        return line_and_point(
            contacts,
            points,
            k,
            s,
            t,
            center_of(contacts, s),
            axis_of(contacts, s, 2),
            contacts.number[HALF, s],
            center_of(contacts, t),
            a,
            B,
            radius_of(contacts, s),
            radius_of(contacts, t),
            margin,
        )
    if one == CAPSULE_SHAPE:
        return two_capsules(contacts, points, k, s, t, a, B, margin)
    if one == HULL_SHAPE and two == BALL_SHAPE:
        return hull_and_point(contacts, points, k, s, t, center_of(contacts, t), radius_of(contacts, t), a, B, margin)
    if one == HULL_SHAPE and two == CAPSULE_SHAPE:
        return hull_and_capsule(contacts, points, k, s, t, a, B, margin)
    if one == HULL_SHAPE and two == HULL_SHAPE:
        return two_hulls(contacts, points, k, s, t, a, B, margin)
    if one == ROUND_SHAPE and two == BALL_SHAPE:
        return point_and_round(
            contacts, points, k, t, s, center_of(contacts, t), radius_of(contacts, t), a, B, margin
        )  # fmt: skip
    if one == ROUND_SHAPE and two == CAPSULE_SHAPE:
        return capsule_and_round(contacts, points, k, t, s, a, B, margin)
    if one == ROUND_SHAPE and two == HULL_SHAPE:
        return hull_and_round(contacts, points, k, t, s, a, B, margin)
    if one == ROUND_SHAPE and two == ROUND_SHAPE:
        return two_rounds(contacts, points, k, s, t, a, B, margin)
    if one == CYLINDER_SHAPE and two == BALL_SHAPE:
        return cylinder_and_ball(contacts, points, k, s, t, a, B, margin)
    if one == CYLINDER_SHAPE and two == ROUND_SHAPE:
        return cylinder_and_round(contacts, points, k, s, t, a, B, margin)
    return k


@njit
def comes_before(low, s, t):
    """The order of shapes; equal ones are in the order of their numbers, whatever the order was."""
    return low[s] < low[t] or (low[s] == low[t] and s < t)


@njit
def sort_shapes(contacts, touch, a, B):
    """Sort the shapes by their lower ends along x; the order of the last step is nearly right."""
    shapes = contacts.number.shape[1]
    for s in range(shapes):
        b = body_of(contacts, s)
        x = world_point(a, B, b, center_of(contacts, s))
        touch.low[s] = (
            x[0] - contacts.number[BOUND, s] - touch.reach[b] if kind_of(contacts, s) != PLANE_SHAPE else -1e300
        )
    for q in range(1, shapes):
        s, o = touch.sorted[q], q
        while o > 0 and comes_before(touch.low, s, touch.sorted[o - 1]):
            touch.sorted[o] = touch.sorted[o - 1]
            o -= 1
        touch.sorted[o] = s


@njit
def put_stops(contacts, coordinates, points, k):
    """Append the stops of joints."""
    for l in range(contacts.stop.shape[1]):
        if k < points.number.shape[1]:
            c = int(contacts.stop[COORDINATE, l])
            points.table[KIND, k], points.table[PAIR_OF, k], points.table[SHAPE, k], points.table[RULE, k] = (
                STOP,
                -1 - l,
                c,
                int(contacts.stop[STOP_RULE, l]),
            )
            points.table[BODY, k], points.table[BODY + 1, k] = coordinates.body[c, 0], coordinates.body[c, 1]
            points.number[OFFSET, k], points.number[ORIENTATION, k], points.number[RADIUS, k] = (
                contacts.stop[STOP_VALUE, l],
                contacts.stop[STOP_SIGN, l],
                0.0,
            )
            points.number[SCALE, k], points.table[PARENT_OF, k] = 1.0, -1
        k += 1
    return k


@njit
def put_ropes(contacts, points, k):
    """Append the ropes."""
    for l in range(contacts.rope.shape[1]):
        if k < points.number.shape[1]:
            points.table[KIND, k], points.table[SHAPE, k], points.table[PARENT_OF, k] = ROPE, l, -1
            points.table[PAIR_OF, k] = -1 - contacts.stop.shape[1] - contacts.dry.shape[1] - l
            points.table[RULE, k] = int(contacts.rope[ROPE_RULE, l])
            for s in range(2):
                points.table[BODY + s, k] = int(contacts.rope[ROPE_BODY + s, l])
                for m in range(3):
                    points.vector[AT + s, k, m] = contacts.rope[ROPE_POINT + 3 * s + m, l]
            points.number[OFFSET, k], points.number[ORIENTATION, k] = contacts.rope[ROPE_LENGTH, l], 1.0
            points.number[RADIUS, k], points.number[SCALE, k] = 0.0, 1.0
        k += 1
    return k


@njit
def put_rules(contacts, coordinates, points, count, slack, a):
    """Friction, restitution and tolerance of every contact point; `slack` [m]: what the last step left unsolved."""
    far = 0.0
    for b in range(1, a.shape[0]):
        far = max(far, abs(a[b, 0]), abs(a[b, 1]), abs(a[b, 2]))
    for c in range(count):
        rule = points.table[RULE, c]
        points.number[NEAR, c] = CLOSED * contacts.size_scale + GAP_ROUND_OFF * far + slack
        if not has_gap(points, c):
            continue
        points.number[COULOMB, c], points.number[RESTITUTION, c], points.number[TWIST, c] = (
            contacts.law[FRICTION_OF, rule],
            contacts.law[RESTITUTION_OF, rule],
            contacts.law[PATCH_OF, rule] if contacts.law[FRICTION_OF, rule] > 0.0 else 0.0,
        )
        if points.table[KIND, c] == STOP:
            points.number[COULOMB, c], points.number[TWIST, c] = 0.0, 0.0
            if coordinates.kind[points.table[SHAPE, c]] != DISPLACEMENT:
                points.number[NEAR, c] = CLOSED


@njit
def safe_part(contacts, s, t, d, a, B, margin):
    """The part of the step in which two shapes, with centres at the distance d, cannot pass each other unseen. The
    features of faces and edges extend without end, so a pair that moves farther than its size must be near to be right;
    those of balls have no end. A pair that is near moves by at most its distance and a part of its widths: at the end
    it has not met, or overlaps."""
    size = min(contacts.number[BOUND, s], contacts.number[BOUND, t])
    thin = FAST * (contacts.number[THIN, s] + contacts.number[THIN, t])
    slow = margin < min(FAST * size, thin)
    if slow or (kind_of(contacts, s) == BALL_SHAPE and kind_of(contacts, t) == BALL_SHAPE):
        return 1.0
    apart = d - contacts.number[BOUND, s] - contacts.number[BOUND, t]
    if apart < NEARBY * size and kind_of(contacts, s) == HULL_SHAPE and kind_of(contacts, t) == HULL_SHAPE:
        one, _ = face_separation(contacts, s, t, a, B, margin)
        two, _ = face_separation(contacts, t, s, a, B, margin)
        apart = max(apart, one, two)
    if apart < NEARBY * size:
        return min(1.0, (max(0.0, apart) + thin) / margin)
    return min(1.0, max(apart, thin) / margin)


@njit
def find_contacts(contacts, coordinates, touch, slack, a, B):
    """All contact points within reach; `slack` widens their tolerance [m]. Returns their number, which may be larger
    than the capacity."""
    shapes, n, points = contacts.number.shape[1], a.shape[0], touch.points
    sort_shapes(contacts, touch, a, B)
    touch.limit[0] = 1.0
    k = 0
    for q in range(shapes):
        s = touch.sorted[q]
        i = body_of(contacts, s)
        plane = kind_of(contacts, s) == PLANE_SHAPE
        x = world_point(a, B, i, center_of(contacts, s))
        high = 1e300 if plane else x[0] + contacts.number[BOUND, s] + touch.reach[i]
        for o in range(q + 1, shapes):
            t = touch.sorted[o]
            if touch.low[t] > high:
                break
            j = body_of(contacts, t)
            if i == j or not meet(contacts, s, t) or is_excluded(contacts, n, i, j):
                continue
            margin = touch.reach[i] + touch.reach[j]
            if plane:
                margin += touch.turn[i] * (length(minus(a[j], a[i])) + touch.lever[j])
                k = plane_pair(contacts, points, k, s, t, a, B, margin)
                if kind_of(contacts, t) == CYLINDER_SHAPE:
                    tip = touch.tip[t] + touch.turn[i]
                    touch.limit[0] = min(touch.limit[0], flat_part(contacts, s, t, tip, a, B, margin))
                continue
            d = length(minus(world_point(a, B, j, center_of(contacts, t)), x))
            if d < contacts.number[BOUND, s] + contacts.number[BOUND, t] + margin:
                k = shape_pair(contacts, points, k, s, t, a, B, margin)
                touch.limit[0] = min(touch.limit[0], safe_part(contacts, s, t, d, a, B, margin))
    k = put_stops(contacts, coordinates, points, k)
    k = put_dry_friction(contacts, coordinates, points, k)
    k = put_ropes(contacts, points, k)
    put_rules(contacts, coordinates, points, min(k, points.number.shape[1]), slack, a)
    return put_resistance(contacts, points, k)
