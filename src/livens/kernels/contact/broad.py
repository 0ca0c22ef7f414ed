"""The broad phase: all contact points that could close within a step.

Shapes are sorted by their lower end along an axis; only those whose intervals overlap meet. The reach of a body is the
distance that its points can move in the step: a contact point is found if its gap is less than the reach of both.
Planes meet every shape. Stops of joints are contact points too.
"""

from __future__ import annotations

import math

from ..._jit import njit
from ..kinds import ANGLE, BALL, CAPSULE, CYLINDER, HULL, PLANE_SHAPE, ROUND, STOP
from ..vectors import length, minus
from .features import world_point
from .hulls import two_hulls
from .narrow import (
    hull_and_capsule,
    hull_and_point,
    line_and_point,
    axis_of,
    plane_and_capsule,
    plane_and_cylinder,
    plane_and_hull,
    plane_and_point,
    plane_and_round,
    two_capsules,
    two_points,
)


CLOSED = 1e-10  # gap at which a contact is closed, relative to the smallest shape
ROUND_OFF = 1e-14  # of a gap, relative to the largest coordinate


@njit
def put_reach(bodies, contacts, touch, h, p, L, f, tau, factor):
    """How far the points of each body can move in a step of length h: by its velocity and its forces, times `factor`."""
    for b in range(touch.reach.shape[0]):
        touch.reach[b] = 0.0
    for s in range(contacts.body.shape[0]):
        b = contacts.body[s]
        if b == 0:
            continue
        lever = contacts.radius[s] + length(contacts.center[s])
        im, i = bodies.inverse_mass[b], bodies.inverse_inertia[b]
        v = im * length(p[b]) + lever * math.sqrt((i[0] * L[b, 0]) ** 2 + (i[1] * L[b, 1]) ** 2 + (i[2] * L[b, 2]) ** 2)
        g = im * length(f[b]) + lever * math.sqrt((i[0] * tau[b, 0]) ** 2 + (i[1] * tau[b, 1]) ** 2 + (i[2] * tau[b, 2]) ** 2)
        touch.reach[b] = max(touch.reach[b], factor * (h * v + h * h * g) + 1e-3 * contacts.radius[s])


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
    if contacts.rule[contacts.material[s], contacts.material[t]] < 0:
        return False
    planes = contacts.kind[s] == PLANE_SHAPE or contacts.kind[t] == PLANE_SHAPE
    never = 2 if planes else 1
    return contacts.meets[s] != never and contacts.meets[t] != never


@njit
def plane_pair(contacts, points, k, s, t, a, B, margin):
    """Contact points of the plane s and the shape t."""
    kind = contacts.kind[t]
    if kind == BALL:
        return plane_and_point(contacts, points, k, s, t, contacts.center[t], contacts.size[t, 0], a, B, margin)
    if kind == CAPSULE:
        return plane_and_capsule(contacts, points, k, s, t, a, B, margin)
    if kind == HULL:
        return plane_and_hull(contacts, points, k, s, t, a, B, margin)
    if kind == ROUND:
        return plane_and_round(contacts, points, k, s, t, a, B, margin)
    if kind == CYLINDER:
        return plane_and_cylinder(contacts, points, k, s, t, a, B, margin)
    return k


@njit
def shape_pair(contacts, points, k, s, t, a, B, margin):
    """Contact points of two shapes of which none is a plane."""
    if contacts.kind[s] < contacts.kind[t] or (contacts.kind[s] == contacts.kind[t] and s > t):
        s, t = t, s  # the larger kind first, then the smaller number
    one, two = contacts.kind[s], contacts.kind[t]
    if one == BALL:
        return two_points(contacts, points, k, s, t, contacts.center[s], contacts.center[t], a, B, contacts.size[s, 0], contacts.size[t, 0], margin)
    if one == CAPSULE and two == BALL:
        return line_and_point(contacts, points, k, s, t, contacts.center[s], axis_of(contacts, s, 2), contacts.half[s], contacts.center[t], a, B, contacts.size[s, 0], contacts.size[t, 0], margin)
    if one == CAPSULE:
        return two_capsules(contacts, points, k, s, t, a, B, margin)
    if one == HULL and two == BALL:
        return hull_and_point(contacts, points, k, s, t, contacts.center[t], contacts.size[t, 0], a, B, margin)
    if one == HULL and two == CAPSULE:
        return hull_and_capsule(contacts, points, k, s, t, a, B, margin)
    if one == HULL and two == HULL:
        return two_hulls(contacts, points, k, s, t, a, B, margin)
    return k


@njit
def comes_before(low, s, t):
    """The order of shapes; equal ones are in the order of their numbers, whatever the order was."""
    return low[s] < low[t] or (low[s] == low[t] and s < t)


@njit
def sort_shapes(contacts, touch, a, B):
    """Sort the shapes by their lower ends along x; the order of the last step is nearly right."""
    shapes = contacts.body.shape[0]
    for s in range(shapes):
        b = contacts.body[s]
        x = world_point(a, B, b, contacts.center[s])
        touch.low[s] = x[0] - contacts.radius[s] - touch.reach[b] if contacts.kind[s] != PLANE_SHAPE else -1e300
    for q in range(1, shapes):
        s, o = touch.sorted[q], q
        while o > 0 and comes_before(touch.low, s, touch.sorted[o - 1]):
            touch.sorted[o] = touch.sorted[o - 1]
            o -= 1
        touch.sorted[o] = s


@njit
def put_stops(contacts, coordinates, points, k):
    """Append the stops of joints."""
    for l in range(contacts.limit.shape[0]):
        if k < points.kind.shape[0]:
            c = contacts.limit[l]
            points.kind[k], points.pair[k], points.shape[k], points.rule[k] = STOP, -1 - l, c, contacts.limit_rule[l]
            points.body[k, 0], points.body[k, 1] = coordinates.body[c, 0], coordinates.body[c, 1]
            points.offset[k], points.sign[k], points.radius[k] = contacts.limit_value[l], contacts.limit_sign[l], 0.0
        k += 1
    return k


@njit
def put_rules(contacts, coordinates, points, count, a):
    """Friction, restitution and tolerance of every contact point."""
    far = 0.0
    for b in range(1, a.shape[0]):
        far = max(far, abs(a[b, 0]), abs(a[b, 1]), abs(a[b, 2]))
    for c in range(count):
        rule = points.rule[c]
        points.friction[c], points.restitution[c] = contacts.friction[rule], contacts.restitution[rule]
        points.near[c] = CLOSED * contacts.size_scale + ROUND_OFF * far
        if points.kind[c] == STOP:
            points.friction[c] = 0.0
            if coordinates.kind[points.shape[c]] == ANGLE:
                points.near[c] = CLOSED


@njit
def find_contacts(contacts, coordinates, touch, a, B):
    """All contact points within reach. Returns their number, which may be larger than the capacity."""
    shapes, n, points = contacts.body.shape[0], a.shape[0], touch.points
    sort_shapes(contacts, touch, a, B)
    k = 0
    for q in range(shapes):
        s = touch.sorted[q]
        i = contacts.body[s]
        plane = contacts.kind[s] == PLANE_SHAPE
        x = world_point(a, B, i, contacts.center[s])
        high = 1e300 if plane else x[0] + contacts.radius[s] + touch.reach[i]
        for o in range(q + 1, shapes):
            t = touch.sorted[o]
            if touch.low[t] > high:
                break
            j = contacts.body[t]
            if i == j or not meet(contacts, s, t) or is_excluded(contacts, n, i, j):
                continue
            margin = touch.reach[i] + touch.reach[j]
            if plane:
                k = plane_pair(contacts, points, k, s, t, a, B, margin)
                continue
            d = length(minus(world_point(a, B, j, contacts.center[t]), x))
            if d < contacts.radius[s] + contacts.radius[t] + margin:
                k = shape_pair(contacts, points, k, s, t, a, B, margin)
    k = put_stops(contacts, coordinates, points, k)
    put_rules(contacts, coordinates, points, min(k, points.kind.shape[0]), a)
    return k
