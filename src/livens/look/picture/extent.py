"""How much room a motion takes, and from which side it is shown.

A camera that users turn needs a bound from all sides: spheres around the bodies (`extent`). A camera that does not turn
can be nearer: it needs the corners of the boxes around the bodies (`corners`).
"""

from __future__ import annotations

import numpy as np

from ...checks import Array
from .picture import Picture

TURN, LIFT = -0.9, 0.32  # angles of the eye about the vertical and above the horizon [rad]
WALL = 0.1  # vertical part of the normal below which a plane is a wall
POINTS_AT = 20  # states at which the points of joints and forces are looked up


def extent(picture: Picture, x: Array, R: Array) -> tuple[Array, Array]:
    """The corners [m] of the box that holds a motion: body frames at x (times, bodies, 3) with rotations R."""
    reach = picture.reach[1:, None]
    k = np.unique(np.linspace(0, len(x) - 1, min(len(x), POINTS_AT)).astype(int))
    points = picture.points.at(x[k], R[k])
    low = np.minimum((x[:, 1:] - reach).min(axis=(0, 1)), points.min(axis=(0, 1), initial=np.inf))
    high = np.maximum((x[:, 1:] + reach).max(axis=(0, 1)), points.max(axis=(0, 1), initial=-np.inf))
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return -np.ones(3), np.ones(3)
    return low, high


def extent_of_bodies(picture: Picture, x: Array) -> float:
    """Half the largest side [m] of the boxes that hold all bodies at one time, over the times of x."""
    reach = picture.reach[1:, None]
    return float(((x[:, 1:] + reach).max(axis=1) - (x[:, 1:] - reach).min(axis=1)).max()) / 2


def corners(picture: Picture, x: Array, R: Array) -> Array:
    """Positions that a picture must hold (n, 3) [m]: the corners of the boxes around the bodies, and the anchors."""
    found = [picture.anchors.at(x[0], R[0])]
    for shape in picture.shapes:
        low, high = shape.surface.vertices.min(axis=0), shape.surface.vertices.max(axis=0)
        box = np.array([[(low, high)[k >> i & 1][i] for i in range(3)] for k in range(8)])
        turned = np.einsum("tnij,kj->tnki", R[:, shape.members], box)
        found.append((x[:, shape.members, None] + turned).reshape(-1, 3))
    return np.concatenate(found)


def outermost(points: Array) -> Array:
    """Of many points (n, 3) those that are outermost in 26 directions (26, 3): a camera that shows these shows nearly
    all of the others."""
    steps = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
    ways = steps[np.abs(steps).any(axis=1)]
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    return points[(points @ ways.T).argmax(axis=0)]


def planes_of(picture: Picture, low: float) -> Array:
    """The ground in upright axes (n, 2, 3): points [m] and normals of the planes on which bodies roll or touch, or
    which the model has as floors; where there is none, a level one at the height `low`, below everything.

    Of planes with the same normal the highest is the ground. Walls are not: bodies do not stand on them."""
    up = upright(picture.model.gravity)
    found: dict[tuple[float, ...], tuple[Array, Array]] = {}
    for p, n in zip(picture.floors[:, 0] @ up.T, picture.floors[:, 1] @ up.T, strict=True):
        if n[2] > WALL:
            level = n[2] > 1.0 - 1e-6
            p, n = (np.array([0.0, 0.0, p[2]]), np.array([0.0, 0.0, 1.0])) if level else (p, n)
            key = tuple(n.round(6).tolist())
            if key not in found or n @ p > n @ found[key][0]:
                found[key] = p, n
    if not found:
        return np.array([[(0.0, 0.0, low), (0.0, 0.0, 1.0)]])
    return np.array(list(found.values()))


def upright(gravity: Array) -> Array:
    """The rotation that turns the direction against `gravity` into z; the identity where there is none.

    >>> upright(np.array([0.0, -9.81, 0.0])).round(12).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    """
    size = float(np.linalg.norm(gravity))
    up = -gravity / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
    x = np.eye(3)[0] - up[0] * up if abs(up[0]) < 0.9 else np.eye(3)[1] - up[1] * up
    x = x / np.linalg.norm(x)
    return np.stack([x, np.cross(up, x), up])
