"""Lines as tubes of triangles, for formats whose readers do not draw lines.

A tube has SIDES corners around each corner of its line. The frames e₁, e₂ across the line are carried along it: each e₁
is the one before, projected across the line and normalised.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...checks import Array
from .shapes import Mesh

SIDES = 6


def tube(line: Array, radius: float, scale: Array | None = None) -> Mesh:
    """The tube of `radius` around `line` (n, 3), to be scaled by `scale` (3,): it is round after that.

    >>> vertices, normals, triangles = tube(np.array([[0, 0, 0], [0, 0, 1.0]]), 0.1)
    >>> vertices.shape, triangles.shape, bool(np.allclose(np.hypot(*vertices[:, :2].T), 0.1))
    ((12, 3), (12, 3), True)
    """
    scale = np.ones(3) if scale is None else scale
    x = line * scale
    along = np.diff(x, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    along = np.concatenate([along[:1], along[:-1] + along[1:], along[-1:]])
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    e1 = np.eye(3)[np.argmin(np.abs(along[0]))]
    normals = np.empty((len(x), SIDES, 3))
    for k, u in enumerate(along):
        e1 = e1 - (e1 @ u) * u
        e1 /= np.linalg.norm(e1)
        normals[k] = np.cos(angle)[:, None] * e1 + np.sin(angle)[:, None] * np.cross(u, e1)
    vertices = (x[:, None] + radius * normals) / scale
    number = np.arange(len(x) * SIDES).reshape(len(x), SIDES)
    a, b = number[:-1], number[1:]
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    triangles = np.concatenate([np.stack([a, d, c], axis=-1), np.stack([a, c, b], axis=-1)]).reshape(-1, 3)
    turned = normals * scale  # normals are transformed by the inverse of the scale
    turned /= np.linalg.norm(turned, axis=-1, keepdims=True)
    return Mesh(vertices.reshape(-1, 3), turned.reshape(-1, 3), triangles)


def together(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one."""
    begin = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.triangles + k for mesh, k in zip(meshes, begin, strict=True)]),
    )
