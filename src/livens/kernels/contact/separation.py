"""How far two shapes are apart at a configuration of which the step does not know the features.

The features of a pair (narrow.py) are right near the configuration at which they were found: a corner over a face
slides beyond the face, an edge meets another edge. Whether a pair that is apart touches within a part of a step is
therefore asked of the pair itself. Planes with any shape and two balls keep their features: they are `lasting`.
"""

from __future__ import annotations

from ..._jit import njit
from ..kinds import BALL_SHAPE, HULL_SHAPE, PLANE_SHAPE
from .arrays import BOUND, ON, PAIR_OF
from .broad import shape_pair
from .features import gap
from .hulls import edge_separation, face_separation
from .resistance import has_gap
from .shapes import kind_of

FACES = 0.1  # separation of faces, relative to the size, above which edges are not looked at


@njit
def lasting(contacts, points, c):
    """True if the features of contact point c are right at all configurations."""
    pair, shapes = points.table[PAIR_OF, c], contacts.number.shape[1]
    if pair < 0:
        return True
    one, two = kind_of(contacts, pair // shapes), kind_of(contacts, pair % shapes)
    return one == PLANE_SHAPE or (one == BALL_SHAPE and two == BALL_SHAPE)


@njit
def hull_separation(contacts, s, t, a, B, margin):
    """The largest separation of two hulls along the normals of their faces and the perpendiculars of their edges;
    negative if they overlap. Separations above the margin need not be exact."""
    size = min(contacts.number[BOUND, s], contacts.number[BOUND, t])
    one, _ = face_separation(contacts, s, t, a, B, margin)
    if one > margin:
        return one
    two, _ = face_separation(contacts, t, s, a, B, margin)
    best = max(one, two)
    if best > FACES * size:
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
    if kind_of(contacts, s) == HULL_SHAPE and kind_of(contacts, t) == HULL_SHAPE:
        return min(margin, hull_separation(contacts, s, t, a, B, margin))
    low = margin
    for c in range(count, min(points.number.shape[1], shape_pair(contacts, points, count, s, t, a, B, margin))):
        g, _, _ = gap(contacts, coordinates, points, c, a, B, angle)
        low = min(low, g)
    return low


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
def lowest_gap(contacts, coordinates, points, count, closed, g0, near, tau, part, a, B, angle):
    """The smallest gap of the contacts that are not closed at the start, over a part of length tau. The gap of one that
    leaves at the start counts from there and times part/tau, so that its start is no root."""
    low, c = 1e300, 0
    while c < count:
        end = group_end(points, count, c)
        whole = has_gap(points, c) and not lasting(contacts, points, c) and not takes_part(points, closed, c, end)
        if whole:
            g = pair_separation(contacts, coordinates, points, count, points.table[PAIR_OF, c], a, B, angle)
            leaves, first = False, 0.0
            for k in range(c, end):
                leaves, first = leaves or g0[k] <= near[k], min(first, g0[k])
            low = min(low, (g - first) * part / tau if leaves else g)
        else:
            for k in range(c, end):
                if closed[k] == 0 and points.table[ON, k] == 0 and has_gap(points, k):
                    g, _, _ = gap(contacts, coordinates, points, k, a, B, angle)
                    low = min(low, (g - min(0.0, g0[k])) * part / tau if g0[k] <= near[k] else g)
        c = end
    return low
