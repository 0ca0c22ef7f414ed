"""How far two shapes are apart at a configuration of which the step does not know the features.

The features of a pair (narrow.py) are right near the configuration at which they were found: a corner over a face
slides beyond the face, an edge meets another edge. Whether a pair that is apart touches within a part of a step is
therefore asked of the pair itself. Planes with any shape, and two balls or ellipsoids, keep their features: they are
`lasting`.
"""

from __future__ import annotations

import math

from ..._jit import njit
from ..kinds import BALL_SHAPE, HULL_SHAPE, PLANE_SHAPE, ROUND_SHAPE
from .arrays import BOUND, ON, PAIR_OF
from .broad import meet, plane_pair, shape_pair
from .features import gap
from .hulls import edge_separation, face_is_met, face_separation
from .resistance import has_gap
from .shapes import body_of, kind_of

FAR = 1e300
OVERLAP = 10.0  # of bodies whose features have changed, relative to the gap at which a contact is closed
MET = 1e-12  # distance of a point from a face, relative to the size and beyond their separation, that is round-off
FACES = 0.1  # separation of faces, relative to the size, above which edges are not looked at


@njit
def lasting(contacts, points, c):
    """True if the features of contact point c are right at all configurations."""
    pair, shapes = points.table[PAIR_OF, c], contacts.number.shape[1]
    if pair < 0:
        return True
    one, two = kind_of(contacts, pair // shapes), kind_of(contacts, pair % shapes)
    smooth = (one == BALL_SHAPE or one == ROUND_SHAPE) and (two == BALL_SHAPE or two == ROUND_SHAPE)
    return one == PLANE_SHAPE or smooth


@njit
def hull_separation(contacts, points, s, t, a, B, margin):
    """The largest separation of two hulls along the normals of their faces and the perpendiculars of their edges;
    negative if they overlap. Separations above the margin need not be exact."""
    size = min(contacts.number[BOUND, s], contacts.number[BOUND, t])
    one, face = face_separation(contacts, s, t, a, B, margin)
    if one > margin:
        return one
    two, other_face = face_separation(contacts, t, s, a, B, margin)
    best = max(one, two)
    if best > FACES * size:
        return best
    if two > one:
        s, t, face = t, s, other_face
    if face_is_met(contacts, points, s, face, t, best + MET * size, a, B):
        return best
    apart, _, _, _ = edge_separation(contacts, s, t, a, B, size, best)
    return max(best, apart)


@njit
def pair_separation(contacts, coordinates, points, count, pair, a, B, angle):
    """How far the two shapes of a pair are apart at (a, B), at most the size of the smaller one. The slots after
    `count` are scratch."""
    shapes = contacts.number.shape[1]
    s, t = pair // shapes, pair % shapes
    margin = min(contacts.number[BOUND, s], contacts.number[BOUND, t])
    return shape_separation(contacts, coordinates, points, count, s, t, margin, a, B, angle)


@njit
def shape_separation(contacts, coordinates, points, count, s, t, margin, a, B, angle):
    """How far the shapes s and t are apart at (a, B), at most the margin."""
    if kind_of(contacts, s) == HULL_SHAPE and kind_of(contacts, t) == HULL_SHAPE:
        return min(margin, hull_separation(contacts, points, s, t, a, B, margin))
    if kind_of(contacts, t) == PLANE_SHAPE:
        s, t = t, s
    low = margin
    if kind_of(contacts, s) == PLANE_SHAPE:
        end = plane_pair(contacts, points, count, s, t, a, B, margin)
    else:
        end = shape_pair(contacts, points, count, s, t, a, B, margin)
    for c in range(count, min(points.number.shape[1], end)):
        g, _, _ = gap(contacts, coordinates, points, c, a, B, angle)
        low = min(low, g)
    return low


@njit
def body_gaps(contacts, coordinates, points, i, j, a, B, angle, out):
    """out: the smallest separation of the shapes of the bodies i and j that can touch, at each of many states; infinite
    if there are none."""
    for k in range(out.shape[0]):
        out[k] = math.inf
        for s in range(contacts.number.shape[1]):
            for t in range(contacts.number.shape[1]):
                if body_of(contacts, s) == i and body_of(contacts, t) == j and meet(contacts, s, t):
                    g = shape_separation(contacts, coordinates, points, 0, s, t, FAR, a[k], B[k], angle[k])
                    out[k] = min(out[k], g)


@njit
def group_end(points, count, c):
    """The number after the last contact point of the pair of c."""
    end = c + 1
    while end < count and points.table[PAIR_OF, c] >= 0 and points.table[PAIR_OF, end] == points.table[PAIR_OF, c]:
        end += 1
    return end


@njit
def takes_part(points, closed, c, end):
    """True if one of the contact points c to end − 1 is closed or takes part."""
    for k in range(c, end):
        if closed[k] == 1 or points.table[ON, k] == 1:
            return True
    return False


@njit
def put_separations(contacts, coordinates, points, count, a, B, angle, separation):
    """The separation of each pair whose features are not lasting at the start of a part, by its first contact point."""
    c = 0
    while c < count:
        separation[c] = 0.0
        if has_gap(points, c) and not lasting(contacts, points, c):
            separation[c] = pair_separation(
                contacts, coordinates, points, count, points.table[PAIR_OF, c], a, B, angle
            )  # fmt: skip
        c = group_end(points, count, c)


@njit
def lowest_gap(contacts, coordinates, points, count, touch, near, tau, part, a, B, angle):
    """(How far the contacts are from ending a part of length tau, negative if it is too long; whether bodies overlap
    that touched at its start.) A part ends where a pair that is apart touches, or an open contact point of one that
    touches closes. Bodies that touch overlap, by more than OVERLAP times the tolerance, if their features have changed.
    The gap of one that leaves at the start counts from there and times part/tau, so that its start is no root."""
    low, c, overlap = 1e300, 0, False
    while c < count:
        end = group_end(points, count, c)
        pair, touches = points.table[PAIR_OF, c], takes_part(points, touch.closed, c, end)
        if has_gap(points, c) and not lasting(contacts, points, c):
            g, first = pair_separation(contacts, coordinates, points, count, pair, a, B, angle), touch.separation[c]
            if touches:
                overlap = overlap or g - min(0.0, first) < -OVERLAP * near[c]
            else:
                low = min(low, (g - min(0.0, first)) * part / tau if first <= near[c] else g)
        if touches or lasting(contacts, points, c):
            for k in range(c, end):
                if touch.closed[k] == 0 and points.table[ON, k] == 0 and has_gap(points, k):
                    g, _, _ = gap(contacts, coordinates, points, k, a, B, angle)
                    low = min(low, (g - min(0.0, touch.g0[k])) * part / tau if touch.g0[k] <= near[k] else g)
        c = end
    return low, overlap


@njit
def start_gap(contacts, points, count, touch, near, part):
    """The value of `lowest_gap` at the start of a part."""
    low, c = 1e300, 0
    while c < count:
        end = group_end(points, count, c)
        touches = takes_part(points, touch.closed, c, end)
        if has_gap(points, c) and not lasting(contacts, points, c) and not touches:
            low = min(low, OVERLAP * near[c] if touch.separation[c] <= near[c] else touch.separation[c])
        if touches or lasting(contacts, points, c):
            for k in range(c, end):
                if touch.closed[k] == 0 and points.table[ON, k] == 0 and has_gap(points, k):
                    low = min(low, touch.g0[k] if touch.g0[k] > near[k] else touch.v0[k, 0] * part)
        c = end
    return low


@njit
def may_end(contacts, points, count):
    """True if a contact point could end a part: it is open, or its features may change."""
    for c in range(count):
        if has_gap(points, c) and (points.table[ON, c] == 0 or not lasting(contacts, points, c)):
            return True
    return False
