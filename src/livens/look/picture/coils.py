"""Springs as coils. The profile of a coil is a list of (s, c, d); a spring from a to b with radius ρ has the corners

    x = a + s (b − a) + ρ (c e₁ + d e₂),        e₁, e₂ across b − a.                                         (1)

The straight ends take the first and last 12 % of the length. The number of turns is constant, so a stretched spring has
wider gaps.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array

TURNS = 7
CORNERS = 10  # of a turn, where springs move in a browser
END, SWELL = 0.12, 0.06  # the part of the length of a straight end; the part of the turns in which the radius grows
MANY = 40  # more springs than this are drawn as straight lines
RADIUS = 0.02  # of a coil, in halves of the largest side of the motion


def profile(springs: int = 1, corners: int = CORNERS) -> Array:
    """(s, c, d) of the corners of a coil (n, 3); of no spring, or of MANY, those of a straight line (2, 3).

    >>> profile().shape, profile(41).tolist()
    ((73, 3), [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    """
    if not 0 < springs <= MANY:
        return np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    u = np.linspace(0.0, 1.0, TURNS * corners + 1)
    angle, radius = 2.0 * np.pi * TURNS * u, np.clip(np.minimum(u, 1.0 - u) / SWELL, 0.0, 1.0)
    turns = np.stack([END + (1.0 - 2.0 * END) * u, radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return np.concatenate([[[0.0, 0.0, 0.0]], turns, [[1.0, 0.0, 0.0]]])


def coils(ends: Array, shape: Array, radius: Array | float) -> Array:
    """The corners (n, k, 3) by (1) of springs between `ends` (n, 2, 3) with the profile `shape` (k, 3).

    >>> x = coils(np.array([[[0, 0, 0], [0, 0, 1.0]]]), profile(), 0.1)
    >>> x[0, 0].tolist(), x[0, -1].tolist(), float(np.hypot(x[..., 0], x[..., 1]).max().round(6))
    ([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], 0.1)
    """
    a, along = ends[:, 0], ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1, keepdims=True)
    u = np.divide(along, length, out=np.tile([0.0, 0.0, 1.0], (len(a), 1)), where=length > 0.0)
    e1 = np.cross(u, np.eye(3)[np.argmin(np.abs(u), axis=1)])
    e1 /= np.linalg.norm(e1, axis=1, keepdims=True)
    e2 = np.cross(u, e1)
    s, c, d = shape.T[:, None, :, None]
    aside = c * e1[:, None] + d * e2[:, None]
    x = a[:, None] + s * along[:, None] + np.broadcast_to(radius, len(a))[:, None, None] * aside
    x[:, 0], x[:, -1] = a, ends[:, 1]
    return x
